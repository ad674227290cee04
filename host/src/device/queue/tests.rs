//! Which stream waits for which, on a device that keeps a log.
use super::*;
use crate::device::{Device, Failures, Queued, Stream};
use crate::options::SortOptions;
use crate::workspace::Workspace;
use Queued::{Launch, Synchronize, Wait};

/// A device with three streams, numbered from 1; the device's own is 0.
fn device() -> (Device, Arc<Failures>, [Stream; 3]) {
    let (device, log) = Failures::device();
    let streams = [(); 3].map(|()| Stream::new(&device).unwrap());
    (device, log, streams)
}

/// Whether each stream waits for the one that launched before it, between its last launch and its own first: all work that
/// uses one piece of memory is then in one order.
fn ordered(log: &[Queued]) -> bool {
    let mut last = None;
    log.iter().enumerate().all(|(at, &queued)| {
        let Launch(stream) = queued else { return true };
        match last.replace((at, stream)) {
            Some((before, other)) if other != stream => log[before..at].contains(&Wait(stream, other)),
            _ => true,
        }
    })
}

#[test]
fn scratch_goes_to_the_next_stream_once_the_last_is_done() {
    let (device, log, streams) = device();
    let input: Vec<u32> = (0..2000).rev().collect();
    let mut buffers = [(); 3].map(|()| device.upload(&input).unwrap());
    let mut workspace = Workspace::new(&device);
    workspace.reserve(device.sort_scratch_bytes::<u32>(2000).unwrap()).unwrap();
    log.take_log();
    for (buffer, stream) in buffers.iter_mut().zip(&streams) {
        device.on(stream).unwrap().sort_buffer(buffer, &mut workspace, SortOptions::new()).unwrap();
    }
    let log = log.take_log();
    assert!(log.contains(&Launch(1)) && log.contains(&Launch(3)), "{log:?}");
    assert!(log.contains(&Wait(2, 1)) && log.contains(&Wait(3, 2)) && ordered(&log), "{log:?}");
    // Each by the device, not the host.
    assert!(!log.iter().any(|queued| matches!(queued, Synchronize(_))), "{log:?}");
    let without: Vec<Queued> = log.into_iter().filter(|&queued| queued != Wait(2, 1)).collect();
    assert!(!ordered(&without));
}

#[test]
fn scratch_of_its_own_waits_for_nothing() {
    let (device, log, streams) = device();
    for stream in &streams {
        let mut keys = stream.device().upload(&(0..2000).rev().collect::<Vec<u32>>()).unwrap();
        let mut workspace = Workspace::new(&device);
        stream.device().sort_buffer(&mut keys, &mut workspace, SortOptions::new()).unwrap();
    }
    assert!(!log.take_log().iter().any(|queued| matches!(queued, Wait(..))));
}

/// A workspace that grows gives its memory back only once the stream that uses it is done.
#[test]
fn memory_is_freed_once_its_stream_is_done() {
    let (device, log, streams) = device();
    let [mut small, mut large] = [1000, 2000].map(|n| device.upload(&(0..n).rev().collect::<Vec<u32>>()).unwrap());
    let mut workspace = Workspace::new(&device);
    device.on(&streams[0]).unwrap().sort_buffer(&mut small, &mut workspace, SortOptions::new()).unwrap();
    log.take_log();
    device.on(&streams[1]).unwrap().sort_buffer(&mut large, &mut workspace, SortOptions::new()).unwrap();
    assert_eq!(log.take_log()[0], Synchronize(1));
    drop(workspace);
    assert_eq!(log.take_log(), [Synchronize(2)]);
}

/// Two threads queue work on one buffer at once, on two streams: whoever comes next waits for both.
#[test]
fn work_that_is_still_being_queued_is_waited_for() {
    let (device, log, streams) = device();
    let buffer = device.upload(&[0u32; 4]).unwrap();
    let [one, two, three] = streams.each_ref().map(Stream::device);
    let memory = || [buffer.allocation()];
    let first = one.claim(memory()).unwrap();
    log.take_log();
    let second = two.claim(memory()).unwrap();
    assert_eq!(log.take_log(), [Wait(2, 1)]);
    // The first queues its work only now, behind what the second waits for.
    drop(first);
    drop(second);
    drop(three.claim(memory()).unwrap());
    assert_eq!(log.take_log(), [Wait(3, 1), Wait(3, 2)]);
    // All that was queued then has been waited for.
    drop(one.claim(memory()).unwrap());
    assert_eq!(log.take_log(), [Wait(1, 3)]);

    // And memory that is given back waits for all.
    let (first, second) = (two.claim(memory()).unwrap(), three.claim(memory()).unwrap());
    drop((first, second));
    log.take_log();
    drop(buffer);
    assert_eq!(log.take_log(), [Synchronize(2), Synchronize(3)]);
}
