"""torch.sort and torch.topk on the inputs of `cargo xtask bench --tensors`. Reads a request a line on stdin and answers each
with a line of JSON.

A request: the job (rows, argsort-rows, top-k, top-k-rows), rows, columns, k, seed, input sets, runs to warm up, runs. Keys
are those of inputs.cuh, f32 and uniform, made here so that none goes through a file. Without torch, the answer has no rows.
"""
import json
import sys

GOLDEN = 0x9E3779B97F4A7C15
INFINITY = 0x7F800000
# Keys that are made or looked at at once.
PIECE = 1 << 25


def signed(word):
    """64 bits as the signed number that a tensor of int64 holds."""
    word &= (1 << 64) - 1
    return word - (1 << 64) if word >> 63 else word


def shifted(x, bits):
    """The bits of int64 as an unsigned number's, shifted to the right."""
    return (x >> bits) & ((1 << (64 - bits)) - 1)


def mix(x):
    x = (x ^ shifted(x, 30)) * signed(0xBF58476D1CE4E5B9)
    x = (x ^ shifted(x, 27)) * signed(0x94D049BB133111EB)
    return x ^ shifted(x, 31)


def mix_number(x):
    mask = (1 << 64) - 1
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return x ^ (x >> 31)


def bits_of(positions, seed):
    """The bits of the uniform f32 keys at some positions; inputs.cuh has the reasons."""
    code = mix((positions + 1) * signed(GOLDEN) + signed(mix_number(seed)))
    high, low, factor = shifted(code, 32), code & 0xFFFFFFFF, 2 * INFINITY
    place = (1 << 31) - INFINITY + shifted(high * factor + shifted(low * factor, 32), 32)
    # Positive floats stand above the middle, negative ones below, the largest first.
    negative = 1 - (place >> 31)
    return (place ^ (1 << 31)) ^ (negative * ((1 << 31) - 1))


def placed(words, positions):
    return mix(words ^ mix(positions + 1))


def pieces(n):
    for start in range(0, n, PIECE):
        yield start, min(start + PIECE, n)


def positions(start, end):
    return torch.arange(start, end, dtype=torch.int64, device="cuda")


def keys(n, seed):
    out = torch.empty(n, dtype=torch.int32, device="cuda")
    for start, end in pieces(n):
        bits = bits_of(positions(start, end), seed)
        out[start:end] = (bits - ((bits >> 31) << 32)).to(torch.int32)
    return out.view(torch.float32)


def digest(values):
    """Hangs on every element and its position."""
    flat, total = values.reshape(-1), 0
    for start, end in pieces(flat.numel()):
        part = flat[start:end]
        words = part.view(torch.int32).to(torch.int64) & 0xFFFFFFFF if part.is_floating_point() else part
        total += int(placed(words, positions(start, end)).sum())
    return total & ((1 << 64) - 1)


def elapsed(run, keys):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    result = run(keys)
    end.record()
    end.synchronize()
    return start.elapsed_time(end), result


def answer(job, rows, columns, k, seed, sets, warm, runs):
    if torch is None or not torch.cuda.is_available():
        return {"rows": []}
    # torch works on a result of its own; the inputs stay as they are.
    if job in ("top-k", "top-k-rows"):
        by, run = "torch.topk", lambda keys: torch.topk(keys, k, dim=-1)
    elif job == "argsort-rows":
        by, run = "torch.sort", lambda keys: torch.sort(keys, dim=-1, stable=True)
    else:
        by, run = "torch.sort", lambda keys: torch.sort(keys, dim=-1)
    inputs = [keys(rows * columns, seed + i).view(rows, columns) for i in range(sets)]
    made = sum(digest(keys) for keys in inputs) & ((1 << 64) - 1)
    times = []
    for i in range(warm + runs):
        ms, result = elapsed(run, inputs[i % sets])
        if i == 0:
            found = digest(result.indices if job == "argsort-rows" else result.values)
        del result
        if i >= warm:
            times.append(ms)
    return {"digest": f"{made:016x}", "rows": [{"by": by, "result": f"{found:016x}", "times_ms": times}]}


def main():
    for line in sys.stdin:
        try:
            print(json.dumps(answer(*json.loads(line))), flush=True)
        except Exception as error:
            print(json.dumps({"error": str(error).split("\n")[0]}), flush=True)
        # What one job leaves, the next program may need.
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()


if __name__ == "__main__":
    try:
        import torch
    except Exception:  # Missing, or without its driver.
        torch = None
    main()
