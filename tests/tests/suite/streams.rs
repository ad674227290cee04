//! One workspace, several streams, and nothing waited for in between: an operation must not touch scratch memory, or a
//! buffer, before the one that used it last on another stream is done with it.
use gridsort::{Key, Stream, Workspace};
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, options, payload_of, same, targets};

/// Keys of a sort that is still in flight when the next is queued.
fn long(target: &Target) -> usize {
    match (target.is_slow(), target.is_cuda()) {
        (true, _) => 5000,
        (_, true) => 1 << 24,
        _ => 2000,
    }
}

fn case<K: Key>(n: usize, i: usize) -> Case<K> {
    Case::new(Pattern::Random.keys(n, i as u64), DIRECTIONS[i % 2], format_args!("sort {i}"))
}

/// Sorts of keys, of pairs and argsorts by turns, each on the next stream.
#[test]
fn scratch_is_reused_while_the_last_sort_is_in_flight() {
    for target in targets() {
        let device = &target.device;
        let n = long(target);
        let streams = [(); 3].map(|()| Stream::new(device).unwrap());
        let bytes = [
            device.sort_scratch_bytes::<u64>(n).unwrap(),
            device.sort_pairs_scratch_bytes::<u32, u32>(n).unwrap(),
            device.argsort_scratch_bytes::<f32, u32>(n).unwrap(),
        ];
        // All there will be: a workspace that grows waits for its last stream.
        let mut workspace = Workspace::new(device);
        workspace.reserve(bytes.into_iter().max().unwrap()).unwrap();

        let (words, pairs, floats) = (case::<u64>(n, 0), case::<u32>(n, 1), case::<f32>(n, 2));
        let payloads: Vec<u32> = (0..n as u64).map(payload_of).collect();
        device.prepare::<u64>(0).unwrap();
        device.prepare::<u32>(4).unwrap();
        device.prepare::<f32>(4).unwrap();
        let mut buffers = [(); 4].map(|()| {
            let pairs = (device.upload(&pairs.keys).unwrap(), device.upload(&payloads).unwrap());
            let argsort = (device.upload(&floats.keys).unwrap(), device.allocate::<u32>(n).unwrap());
            (device.upload(&words.keys).unwrap(), pairs, argsort)
        });
        device.synchronize().unwrap();
        for (i, (keys, pairs_of, argsort)) in buffers.iter_mut().enumerate() {
            let on = |k: usize| device.on(&streams[(i + k) % 3]).unwrap();
            on(0).sort_buffer(keys, &mut workspace, words.options()).unwrap();
            on(1).sort_pairs_buffer(&mut pairs_of.0, &mut pairs_of.1, &mut workspace, pairs.options()).unwrap();
            on(2).argsort_into(&argsort.0, &mut argsort.1, &mut workspace, floats.options()).unwrap();
        }
        let order: Vec<u32> = floats.order.iter().map(|&i| i as u32).collect();
        for (i, (keys, moved, argsort)) in buffers.iter().enumerate() {
            let at = || format!("round {i} on {target}");
            same(&keys.to_vec().unwrap(), &words.sorted, at);
            same(&moved.0.to_vec().unwrap(), &pairs.sorted, at);
            same(&moved.1.to_vec().unwrap(), &pairs.sorted_payloads::<u32>(), at);
            same(&argsort.1.to_vec().unwrap(), &order, at);
        }
    }
}

/// A workspace that is dropped, or grows, while a stream uses it keeps its memory until that is done.
#[test]
fn scratch_is_given_back_while_a_sort_is_in_flight() {
    for target in targets() {
        let device = &target.device;
        let n = long(target);
        let streams = [(); 2].map(|()| Stream::new(device).unwrap());
        let (small, large) = (case::<u32>(n / 2, 3), case::<u32>(n, 4));
        let mut first = device.upload(&small.keys).unwrap();
        let mut second = device.upload(&large.keys).unwrap();
        let mut workspace = Workspace::new(device);
        device.on(&streams[0]).unwrap().sort_buffer(&mut first, &mut workspace, small.options()).unwrap();
        device.on(&streams[1]).unwrap().sort_buffer(&mut second, &mut workspace, large.options()).unwrap();
        drop(workspace);
        // Memory of the same size, which is overwritten at once.
        let bytes = device.sort_scratch_bytes::<u32>(n).unwrap() as usize;
        let rubbish = device.upload(&vec![0xffu8; bytes]).unwrap();
        same(&first.to_vec().unwrap(), &small.sorted, || format!("the first sort on {target}"));
        same(&second.to_vec().unwrap(), &large.sorted, || format!("the second sort on {target}"));
        assert!(rubbish.to_vec().unwrap().iter().all(|&byte| byte == 0xff), "{target}");
    }
}

/// One buffer goes from stream to stream: each operation sees what the one before left.
#[test]
fn a_buffer_goes_from_stream_to_stream() {
    for target in targets() {
        let device = &target.device;
        let n = long(target);
        let streams = [(); 3].map(|()| Stream::new(device).unwrap());
        let [up, down] = DIRECTIONS;
        let keys = Pattern::FewValues.keys::<i32>(n, 5);
        let (ascending, descending) = (Case::new(keys.clone(), up, "up"), Case::new(keys, down, "down"));
        let mut buffer = device.upload(&ascending.keys).unwrap();
        let (mut copy, mut merged) = (device.allocate::<i32>(n).unwrap(), device.allocate::<i32>(2 * n).unwrap());
        let mut workspace = Workspace::new(device);
        device.on(&streams[0]).unwrap().sort_buffer(&mut buffer, &mut workspace, options(up)).unwrap();
        device.on(&streams[1]).unwrap().sort_into(&buffer, &mut copy, &mut workspace, options(up)).unwrap();
        device.on(&streams[2]).unwrap().merge_buffers(&buffer, &copy, &mut merged, options(up)).unwrap();
        device.on(&streams[0]).unwrap().sort_buffer(&mut buffer, &mut workspace, options(down)).unwrap();
        same(&buffer.to_vec().unwrap(), &descending.sorted, || format!("sorted again on {target}"));
        let twice: Vec<i32> = ascending.sorted.iter().flat_map(|&key| [key, key]).collect();
        same(&merged.to_vec().unwrap(), &twice, || format!("merged on {target}"));
    }
}
