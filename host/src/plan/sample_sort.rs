//! The sample sort: levels of partition, then bucket sorts. Everything else is decided on the device.
use super::{Area, area_bytes, grid};
use crate::error::{Error, Result};
use gridsort_kernels::kway::inputs;
use gridsort_kernels::sample::guide::words;
use gridsort_kernels::sample::places;
use gridsort_kernels::sample::search::equal_words;
use gridsort_kernels::sample::tables::{
    CHUNK_WORDS, CLASSES, COUNTERS, LEVELS, LISTS, RUNS, SEGMENT_WORDS, list_entries, list_words,
};
use gridsort_kernels::tuning::{SAMPLE_COPY, SAMPLE_TURN, SORTED, SampleTuning};

const WHAT: &str = "sample sort";

/// One level: segments in `from` are partitioned into the other area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleLevel {
    /// Which level, from 0.
    pub number: u32,
    /// Where its segments are.
    pub from: Area,
    /// Keys that its buckets are to have, about.
    pub target: u32,
    /// Buckets of more keys than this are the next level's segments, unless a bucket sort takes them.
    pub above: u64,
    /// Segments at most.
    pub segments: u64,
    /// Blocks of the kernel that chooses splitters.
    pub choose_grid: u32,
    /// Blocks of the count.
    pub chunk_grid: u32,
    /// Blocks of the kernel that places buckets.
    pub offsets_grid: u32,
    /// Blocks of the kernel that places chunks, where the scatter is stable.
    pub bases_grid: u32,
    /// Blocks of the scatter: one for each tile that there can be, or fewer, which loop.
    pub scatter_grid: u32,
}

/// The launches of one sample sort, and where its tables lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplePlan {
    /// Keys to sort.
    pub n: u64,
    /// Tiles of a chunk.
    pub chunk_tiles: u32,
    /// Keys of a chunk.
    pub chunk: u32,
    /// Blocks of the kernel that looks whether the keys are sorted.
    pub look_grid: u32,
    /// Blocks of the kernel that turns them around.
    pub turn_grid: u32,
    /// Blocks of the kernel that finishes where they are.
    pub settle_grid: u32,
    /// The levels, in order.
    pub levels: Vec<SampleLevel>,
    /// Buckets of all levels at most.
    pub buckets: u64,
    /// Blocks of each of the bucket sorts, of the copy, and of the sort of large buckets.
    pub list_grids: [u32; LISTS as usize],
    /// Blocks at most of a bucket sort that takes what another has left, most often nothing.
    pub rest_grid: u32,
    /// Where in scratch memory lie, behind the keys: what they carry.
    pub payloads: u64,
    /// The lower bits of each key's bucket.
    pub places: u64,
    /// The top bits.
    pub highs: u64,
    /// The counts of each tile of the scatter.
    pub table: u64,
    /// A record for each chunk.
    pub chunk_records: u64,
    /// How many keys of each bucket each chunk has, then where they go, where the scatter is stable.
    pub bases: u64,
    /// The rows of counts and places, one for each segment of a level.
    pub rows: u64,
    /// The splitters.
    pub splitters: u64,
    /// Which buckets hold equal keys only.
    pub equal: u64,
    /// The guides into the splitters, where keys are numbers.
    pub guides: u64,
    /// The segments of each level.
    pub segments: Vec<u64>,
    /// The lists, from the first on.
    pub lists: [u64; LISTS as usize],
    /// Where sorted runs begin of which there are only few, then a table of them, as a merge of many takes it. Its cuts lie
    /// where the keys' buckets would.
    pub runs: u64,
    /// The counters.
    pub counters: u64,
    /// Scratch memory in all, bytes.
    pub scratch_bytes: u64,
}

/// The plan of a sample sort of `n` keys of `key_bytes` bytes, which carry `payload_bytes` bytes each, or 0: nothing. It is stable
/// where they carry something or the tuning says so.
///
/// Levels there are as many as make buckets that a block sorts, one or two, and one more for those of which the sample knew too
/// little. Sizes are what can be needed at most: segments of a level are larger than the largest bucket that something else
/// takes, so only so many of them fit into `n` keys.
///
/// # Errors
/// [`Error::TooLarge`].
///
/// ```
/// use gridsort::plan::sample_sort;
/// use gridsort_kernels::tuning::SAMPLE_64;
///
/// let plan = sample_sort(1 << 28, 8, 0, &SAMPLE_64)?;
/// assert_eq!(plan.levels.len(), 3);
/// assert!(plan.scratch_bytes < (8 << 28) * 13 / 10);
/// # Ok::<(), gridsort::Error>(())
/// ```
pub fn sample_sort(n: u64, key_bytes: u64, payload_bytes: u64, tuning: &SampleTuning) -> Result<SamplePlan> {
    // Places in lists have 44 bits.
    const LIMIT: u64 = (1 << 44) - 1;
    if n > LIMIT {
        return Err(Error::TooLarge { what: WHAT, n, limit: LIMIT });
    }
    let looping = tuning.looping_grid;
    let classes = tuning.class_keys();
    let class_max = u64::from(classes.most());
    let stable = tuning.stable || payload_bytes > 0;
    let buckets = 1u64 << tuning.bits;
    let tile = u64::from(tuning.scatter.tile());
    let chunk_tiles = tuning.tiles_of_chunk(n);
    let chunk = tile * u64::from(chunk_tiles);
    let large = n / (u64::from(tuning.large_to) + 1);
    let two = n > buckets * u64::from(tuning.target);
    // Segments of the levels that there are, and the keys of a bucket that is the next one's.
    let mut most = vec![1];
    if two {
        most.push(buckets.min(n / (class_max + 1)));
    }
    let main = most.len();
    if large > 0 {
        most.push(large);
    }
    debug_assert!(most.len() <= LEVELS as usize);
    let mut levels = Vec::with_capacity(most.len());
    for (number, &segments) in (0..).zip(&most) {
        let last_main = number as usize + 1 == main;
        let chunks = n / chunk + segments;
        // The last level has most often nothing to do: few blocks then return soon, and the others loop.
        let most_blocks = match number as usize {
            _ if stable => u64::MAX,
            level if level < main => tuning.scatter_grid,
            _ => looping.div_ceil(4),
        };
        let target = if two && number == 0 { n.div_ceil(buckets) } else { tuning.target.into() };
        levels.push(SampleLevel {
            number,
            from: if number % 2 == 0 { Area::Data } else { Area::Scratch },
            // Below 2^44 / 2^bits, which may be more than a word has: then buckets are smaller, and more.
            target: u32::try_from(target).unwrap_or(u32::MAX),
            above: if last_main { tuning.large_to.into() } else { 0 },
            segments,
            choose_grid: grid(WHAT, segments.min(looping), 1)?,
            chunk_grid: grid(WHAT, chunks.min(looping), 1)?,
            offsets_grid: grid(WHAT, segments.min(looping), 1)?,
            bases_grid: grid(WHAT, (segments * buckets.div_ceil(32)).min(looping), 1)?,
            scatter_grid: grid(WHAT, chunks.saturating_mul(chunk_tiles.into()).min(most_blocks), 1)?,
        });
    }
    let segments_at_once = most.iter().copied().max().unwrap_or(1);
    let all_buckets = buckets * most.iter().sum::<u64>();

    let mut end = 0u64;
    let mut area = |count: u64, bytes: u64| {
        let at = end;
        end += area_bytes(WHAT, count, bytes)?;
        Ok::<u64, Error>(at)
    };
    area(n, key_bytes)?;
    let payloads = area(n, payload_bytes)?;
    let places = area(n, 1)?;
    // Of the level that has most.
    let chunks = n / chunk + segments_at_once;
    let highs = area(chunks * u64::from(places::words(tuning.scatter.tile() * chunk_tiles)), 4)?;
    let table = area(chunks * u64::from(chunk_tiles) * buckets, 2)?;
    let chunk_records = area(chunks * CHUNK_WORDS, 8)?;
    let bases = area(if stable { chunks * buckets } else { 0 }, 8)?;
    let rows = area(segments_at_once * buckets, 8)?;
    let splitters = area(segments_at_once * (buckets - 1), key_bytes)?;
    let equal = area(segments_at_once * u64::from(equal_words(tuning.bits)), 4)?;
    let guides = area(if tuning.guided { segments_at_once * u64::from(words(tuning.bits)) } else { 0 }, 4)?;
    let segments = most.iter().map(|&most| area(most * SEGMENT_WORDS, 8)).collect::<Result<_>>()?;
    let runs = area(u64::from(RUNS) * (1 + u64::from(inputs::WORDS)), 8)?;
    let counters = area(COUNTERS.into(), 4)?;
    let words = |list: u32| list_words(list, n, all_buckets, classes);
    // One behind the other without gaps: kernels reckon where each begins.
    let first = area((0..LISTS).map(words).sum(), 8)?;
    let mut lists = [first; LISTS as usize];
    let mut list_grids = [1; LISTS as usize];
    for list in 0..LISTS {
        let before: u64 = (0..list).map(words).sum();
        lists[list as usize] = first + 8 * before;
        let entries = list_entries(list, n, all_buckets, classes);
        let most = if list < CLASSES { looping.div_ceil(2) } else { looping.div_ceil(8) };
        list_grids[list as usize] = grid(WHAT, entries.clamp(1, most), 1)?;
    }
    Ok(SamplePlan {
        n,
        chunk_tiles,
        chunk: tuning.scatter.tile() * chunk_tiles,
        look_grid: grid(WHAT, n.div_ceil(SORTED.tile().into()).clamp(1, looping.div_ceil(4)), 1)?,
        rest_grid: grid(WHAT, looping.div_ceil(4), 1)?,
        turn_grid: grid(WHAT, (n / 2).div_ceil(SAMPLE_TURN.tile().into()).clamp(1, looping.div_ceil(8)), 1)?,
        settle_grid: grid(WHAT, n.div_ceil(SAMPLE_COPY.tile().into()).clamp(1, looping.div_ceil(8)), 1)?,
        levels,
        buckets: all_buckets,
        list_grids,
        payloads,
        places,
        highs,
        table,
        chunk_records,
        bases,
        rows,
        splitters,
        equal,
        guides,
        segments,
        lists,
        runs,
        counters,
        scratch_bytes: end,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ALIGNMENT;
    use gridsort_kernels::tuning::{
        SAMPLE_32, SAMPLE_64, SAMPLE_128, SAMPLE_PAIRS_32, SAMPLE_PAIRS_32_WIDE, SAMPLE_PAIRS_64, SAMPLE_SMALL,
        SAMPLE_SMALL_CUSTOM, custom_sample,
    };

    #[test]
    fn levels_are_as_many_as_the_keys_need() {
        let levels = |n| sample_sort(n, 4, 0, &SAMPLE_32).unwrap().levels.len();
        assert_eq!(levels(50_000), 1);
        assert_eq!(levels(1 << 19), 2);
        assert_eq!(levels((1 << 19) + 1), 3);
        assert_eq!(levels(1 << 28), 3);
        let levels = |n| sample_sort(n, 16, 0, &SAMPLE_128).unwrap().levels.len();
        assert_eq!(levels(50_000), 1);
        assert_eq!(levels(1 << 18), 2);
        assert_eq!(levels(1 << 27), 3);
    }

    #[test]
    fn scratch_is_the_keys_their_buckets_and_little_more() {
        // From where `auto` takes it on.
        for e in SAMPLE_64.from.ilog2()..34 {
            let n = 1 << e;
            let plan = sample_sort(n, 8, 0, &SAMPLE_64).unwrap();
            let ratio = plan.scratch_bytes as f64 / (9.125 * n as f64);
            assert!((1.0..1.15).contains(&ratio), "2^{e}: {ratio}");
        }
    }

    #[test]
    fn scratch_of_wide_keys_is_the_keys_and_a_fifth() {
        for e in 24..34 {
            let n = 1 << e;
            let ratio = |tuning| sample_sort(n, 16, 0, &tuning).unwrap().scratch_bytes as f64 / (16 * n) as f64;
            assert!((1.07..1.18).contains(&ratio(SAMPLE_128)), "2^{e}: {}", ratio(SAMPLE_128));
            // By an order of the user's own, with counts for each tile.
            let stable = ratio(custom_sample(16));
            assert!((1.07..1.25).contains(&stable), "2^{e}: {stable}");
        }
    }

    #[test]
    fn scratch_of_pairs_is_the_pairs_their_buckets_and_a_tenth() {
        for (key_bytes, payload_bytes, tuning) in
            [(4, 4, SAMPLE_PAIRS_32), (4, 8, SAMPLE_PAIRS_32_WIDE), (8, 4, SAMPLE_PAIRS_64), (8, 8, SAMPLE_PAIRS_64)]
        {
            // From where `auto` takes it on.
            for e in tuning.from.next_power_of_two().ilog2()..34 {
                let n = 1 << e;
                let plan = sample_sort(n, key_bytes, payload_bytes, &tuning).unwrap();
                let ratio = plan.scratch_bytes as f64 / ((key_bytes + payload_bytes) as f64 + 1.125) / n as f64;
                // Of few pairs the tables are more.
                let most = if e < 25 { 1.2 } else { 1.15 };
                assert!((1.0..most).contains(&ratio), "2^{e} of {key_bytes} + {payload_bytes}: {ratio}");
            }
        }
    }

    #[test]
    fn parts_of_scratch_memory_follow_each_other() {
        for (n, key_bytes, payload_bytes, tuning) in [
            (5000, 4, 0, SAMPLE_SMALL),
            (1 << 26, 4, 0, SAMPLE_32),
            (1 << 22, 4, 4, SAMPLE_PAIRS_64),
            (9000, 4, 8, SAMPLE_SMALL),
            (5000, 16, 0, SAMPLE_SMALL),
            (5000, 12, 0, SAMPLE_SMALL_CUSTOM),
            (1 << 27, 16, 0, SAMPLE_128),
        ] {
            let plan = sample_sort(n, key_bytes, payload_bytes, &tuning).unwrap();
            let mut parts = vec![0];
            parts.extend((payload_bytes > 0).then_some(plan.payloads));
            parts.extend([plan.places, plan.highs]);
            let stable = payload_bytes > 0 || tuning.stable;
            parts.extend([plan.table, plan.chunk_records]);
            parts.extend(stable.then_some(plan.bases));
            parts.extend([plan.rows, plan.splitters, plan.equal]);
            parts.extend(tuning.guided.then_some(plan.guides));
            parts.extend(&plan.segments);
            parts.push(plan.runs);
            parts.push(plan.counters);
            assert!(parts.is_sorted() && parts.windows(2).all(|two| two[0] < two[1]), "{plan:?}");
            assert!(plan.counters < plan.lists[0] && plan.lists.is_sorted());
            assert!(parts.iter().all(|part| part % ALIGNMENT == 0));
            assert!(plan.lists[LISTS as usize - 1] <= plan.scratch_bytes);
        }
    }

    #[test]
    fn more_keys_than_places_have_room_for_are_an_error() {
        assert!(matches!(sample_sort(1 << 44, 4, 0, &SAMPLE_32), Err(Error::TooLarge { .. })));
        assert!(sample_sort(u64::MAX, 8, 0, &SAMPLE_64).is_err());
    }
}
