//! Can an engine write its output over its input? A model of what an engine has read and written, position by position.
//!
//! Streams stand one behind the other in an array of N keys, each n of them in the engine at first; for each key that
//! leaves, the next of its stream is read. The output begins `gap` positions before the first stream.
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The order in which keys leave, as numbers of streams.
fn departures(streams: &[Vec<u32>]) -> Vec<usize> {
    let tagged = streams.iter().enumerate().flat_map(|(s, keys)| keys.iter().map(move |&k| (k, s)));
    let mut all: Vec<_> = tagged.collect();
    all.sort();
    all.into_iter().map(|(_, s)| s).collect()
}

/// How many positions before the streams the output has to begin, so that nothing is overwritten that was not read. A round
/// reads the replacements of its `n` keys before it writes these, which is the most favourable order.
fn gap_needed(n: usize, streams: &[Vec<u32>]) -> usize {
    let begins: Vec<usize> = streams
        .iter()
        .scan(0, |at, s| {
            let begin = *at;
            *at += s.len();
            Some(begin)
        })
        .collect();
    let mut read: Vec<usize> = streams.iter().map(|s| s.len().min(n)).collect();
    let mut written = 0;
    let mut gap = 0;
    for round in departures(streams).chunks(n) {
        for &s in round {
            read[s] = (read[s] + 1).min(streams[s].len());
        }
        written += round.len();
        // The first key that is still to be read.
        let first = (0..streams.len()).find(|&s| read[s] < streams[s].len()).map(|s| begins[s] + read[s]);
        gap = gap.max(first.map_or(0, |first| written.saturating_sub(first)));
    }
    gap
}

/// Streams of the same length, of which stream `order[i]` has the i-th range of keys.
fn in_turn(k: usize, len: usize, order: impl Fn(usize) -> usize) -> Vec<Vec<u32>> {
    (0..k).map(|s| (0..len).map(|i| (order(s) * len + i) as u32).collect()).collect()
}

#[test]
fn it_holds_where_streams_are_read_from_the_front_of_the_array() {
    // A single stream, and streams that follow each other in order: what is written was read n keys ago.
    assert_eq!(gap_needed(8, &in_turn(1, 100, |s| s)), 0);
    assert_eq!(gap_needed(8, &in_turn(8, 100, |s| s)), 0);
    // Where all other streams together have no more keys than the engine takes of one.
    let mut streams = vec![vec![1000; 50]];
    streams.extend(vec![vec![1]; 8]);
    assert_eq!(gap_needed(8, &streams), 0);
}

#[test]
fn it_fails_as_soon_as_another_stream_is_n_keys_ahead_of_the_first() {
    // Two rounds from the second stream: the second one writes over the ninth key of the first, which nobody has read.
    let streams = vec![vec![5; 16], vec![1; 16]];
    assert_eq!(gap_needed(8, &streams), 8);
    // Even in a uniform mixture, since half of what is written comes from the second stream.
    let streams = vec![(0..100).map(|i| 2 * i).collect(), (0..100).map(|i| 2 * i + 1).collect()];
    assert!(gap_needed(8, &streams) > 40);
}

#[test]
fn the_worst_case_takes_nearly_all_of_the_array() {
    for (k, n, len) in [(2, 2, 10), (4, 4, 24), (8, 8, 64), (16, 16, 64)] {
        // The first stream comes last: all others are written while only n of its keys are read.
        let worst = gap_needed(n, &in_turn(k, len, |s| k - 1 - s));
        assert_eq!(worst, (k - 1) * len - n, "k = {k}");
        // And never more: the gap ends where everything but the first stream's unread keys has been written.
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(k as u64);
        for _ in 0..50 {
            let mut streams = vec![vec![0u32; len]; k];
            streams.iter_mut().flatten().for_each(|key| *key = rng.next_u64() as u32 % 500);
            streams.iter_mut().for_each(|s| s.sort());
            assert!(gap_needed(n, &streams) <= worst);
        }
    }
}

/// Writes each round's n keys to n positions that are free and stand together, wherever: at the front of the unread part of
/// some stream. Gives where each block went.
fn blocks_in_place(n: usize, streams: &[Vec<u32>]) -> Vec<usize> {
    let mut array: Vec<Option<(usize, usize)>> = vec![];
    let mut begins = vec![];
    for (s, keys) in streams.iter().enumerate() {
        assert!(keys.len().is_multiple_of(n));
        begins.push(array.len());
        array.extend((0..keys.len()).map(|i| Some((s, i))));
    }
    // A position that was read is free.
    let mut read = vec![0; streams.len()];
    let mut read_one = |array: &mut Vec<Option<(usize, usize)>>, s: usize| {
        if read[s] < streams[s].len() {
            assert_eq!(array[begins[s] + read[s]].take(), Some((s, read[s])), "overwritten before it was read");
            read[s] += 1;
        }
    };
    for s in 0..streams.len() {
        (0..n).for_each(|_| read_one(&mut array, s));
    }
    let mut left = vec![0; streams.len()];
    let mut places = vec![];
    for round in departures(streams).chunks(n) {
        let free = |at: usize| array[at..at + n].iter().all(Option::is_none) && !places.contains(&at);
        let place = (0..array.len()).step_by(n).find(|&at| free(at)).expect("a free block");
        // What is written there must not be taken for a key that is still to be read.
        places.push(place);
        for &s in round {
            left[s] += 1;
            read_one(&mut array, s);
        }
    }
    assert!(left.iter().zip(streams).all(|(&l, s)| l == s.len()));
    places
}

#[test]
fn blocks_that_go_wherever_there_is_room_need_no_second_array() {
    // Keys in the engine leave as many positions free: n a stream on average, so n together in front of some stream.
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for round in 0..200 {
        let n = [2, 4, 8][round % 3];
        let k = 1 + rng.next_u64() as usize % n;
        let values = [2, 30, 1 << 20][round / 3 % 3];
        let mut streams: Vec<Vec<u32>> = vec![];
        for _ in 0..k {
            let len = n * (rng.next_u64() as usize % 8);
            let mut stream: Vec<u32> = (0..len).map(|_| rng.next_u64() as u32 % values).collect();
            stream.sort();
            streams.push(stream);
        }
        let places = blocks_in_place(n, &streams);
        // The blocks are the output, but for their order.
        let mut sorted = places.clone();
        sorted.sort();
        assert!(sorted.into_iter().eq((0..places.len()).map(|i| i * n)));
    }
}
