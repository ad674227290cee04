"""torch.sort and CuPy on the bench's inputs. Reads a request a line on stdin and answers each with a line of JSON.

A request: the file with the keys of all input sets one after the other, the key type, keys of a set, sets, runs to warm
up, runs. Without either library, the answer has no rows.
"""
import json
import sys

TORCH = {"u8": "uint8", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "float16",
         "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
# torch sorts no wide unsigned integers; with the top bit inverted they are signed ones in the same order.
TORCH_SIGNED = {"u16": "int16", "u32": "int32", "u64": "int64"}
NUMPY = {"u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16", "u32": "uint32", "i32": "int32", "u64": "uint64",
         "i64": "int64", "f16": "float16", "f32": "float32", "f64": "float64"}


def load(name):
    try:
        return __import__(name)
    except Exception:  # Missing, or without its driver.
        return None


torch, cupy = load("torch"), load("cupy")


def repeated(run, elapsed, sets, warm, runs):
    times = []
    for i in range(warm + runs):
        ms = elapsed(run, sets[i % len(sets)])
        if i >= warm:
            times.append(ms)
    return times


def by_torch(data, key, n, warm, runs):
    name = TORCH.get(key) or TORCH_SIGNED.get(key)
    if torch is None or name is None or not torch.cuda.is_available():
        return None
    host = torch.frombuffer(data, dtype=getattr(torch, name))
    sets = [part.cuda() for part in host.split(n)]
    if key in TORCH_SIGNED:
        sets = [part ^ torch.iinfo(part.dtype).min for part in sets]

    def elapsed(run, keys):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        keys = keys.clone()
        start.record()
        result = run(keys)
        end.record()
        end.synchronize()
        del result
        return start.elapsed_time(end)

    result = torch.sort(sets[0]).values
    if not bool((result[1:] >= result[:-1]).all()) or int(result.numel()) != n:
        raise RuntimeError("torch's result is wrong")
    return repeated(torch.sort, elapsed, sets, warm, runs)


def by_cupy(data, key, n, warm, runs):
    name = NUMPY.get(key)
    if cupy is None or name is None or cupy.cuda.runtime.getDeviceCount() == 0:
        return None
    import numpy

    host = numpy.frombuffer(data, dtype=name)
    sets = [cupy.asarray(host[i : i + n]) for i in range(0, len(host), n)]

    def elapsed(run, keys):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        keys = keys.copy()
        start.record()
        result = run(keys)
        end.record()
        end.synchronize()
        del result
        return cupy.cuda.get_elapsed_time(start, end)

    result = cupy.sort(sets[0])
    if not bool((result[1:] >= result[:-1]).all()) or int(result.size) != n:
        raise RuntimeError("CuPy's result is wrong")
    return repeated(cupy.sort, elapsed, sets, warm, runs)


for line in sys.stdin:
    try:
        path, key, n, warm, runs = json.loads(line)
        with open(path, "rb") as file:
            data = bytearray(file.read())
        rows = []
        for by, run in (("torch.sort", by_torch), ("cupy.sort", by_cupy)):
            times = run(data, key, n, warm, runs)
            if times is not None:
                rows.append({"by": by, "times_ms": times})
            # What one library keeps for itself, the next may need.
            if torch is not None and torch.cuda.is_available():
                torch.cuda.empty_cache()
            if cupy is not None:
                cupy.get_default_memory_pool().free_all_blocks()
        print(json.dumps({"rows": rows}), flush=True)
    except Exception as error:
        print(json.dumps({"error": str(error).split("\n")[0]}), flush=True)
