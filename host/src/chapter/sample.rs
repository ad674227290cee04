//! The textbook's sample sort, step by step.
use crate::device::{Device, DeviceBuffer};
use crate::error::{Error, Result};
use crate::key::{Key, compare};
use crate::options::SortOptions;
use crate::plan;
use crate::reference::{self, SampleSortTrace};
use crate::workspace::Workspace;
use gridsort_kernels::entry::KeyWidth;
use gridsort_kernels::entry::chapter::sample::{
    bucket_of_kernel, chapter_bucket_histogram, chapter_bucket_rank, chapter_scan_exclusive, chapter_scan_step,
    chapter_tile_histogram, scatter_kernel,
};
use gridsort_kernels::simt::{Arg, Kernel};

/// Sorts keys by the textbook's sample sort and gives what each of its kernels made. The splitters are sorted; there is
/// one bucket more than splitters. Each bucket, of whatever size, is then sorted by
/// [`Device::sort_buffer`](crate::Device::sort_buffer) alone.
///
/// Takes device memory for some copies of the keys, and for a table of 8 bytes for each bucket and each 256 keys.
///
/// ```
/// use gridsort::{Device, SortOptions, chapter};
///
/// let keys = [19, 3, 42, 7, 55, 12, 38, 25];
/// let trace = chapter::sample_sort(&Device::emulator(), &keys, &[15, 30], SortOptions::new())?;
/// assert_eq!(trace.buckets, [1, 0, 2, 0, 2, 0, 2, 1]);
/// assert_eq!(trace.offsets, [0, 3, 5]);
/// assert_eq!(trace.sorted, [3, 7, 12, 19, 25, 38, 42, 55]);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotSorted`] for the splitters, [`Error::TooLarge`], [`Error::OutOfMemory`], and what goes wrong on the
/// device.
pub fn sample_sort<K: Key>(
    device: &Device,
    keys: &[K],
    splitters: &[K],
    options: SortOptions,
) -> Result<SampleSortTrace<K>> {
    Ok(run(device, keys, None, splitters, options)?.0)
}

/// [`sample_sort`] with a payload for each key: the payloads in the order of the sorted keys, those of equal keys as they
/// stood.
///
/// # Errors
/// [`Error::LengthMismatch`], and as [`sample_sort`].
pub fn sample_sort_pairs<K: Key>(
    device: &Device,
    keys: &[K],
    payloads: &[u32],
    splitters: &[K],
    options: SortOptions,
) -> Result<(SampleSortTrace<K>, Vec<u32>)> {
    if payloads.len() != keys.len() {
        return Err(Error::LengthMismatch { what: "the payloads", expected: keys.len(), found: payloads.len() });
    }
    run(device, keys, Some(payloads), splitters, options)
}

fn run<K: Key>(
    device: &Device,
    keys: &[K],
    payloads: Option<&[u32]>,
    splitters: &[K],
    options: SortOptions,
) -> Result<(SampleSortTrace<K>, Vec<u32>)> {
    let order = compare::<K>(options.direction);
    if let Some(at) = splitters.windows(2).position(|pair| order(&pair[0], &pair[1]).is_gt()) {
        return Err(Error::NotSorted { input: "the list of splitters", position: at + 1 });
    }
    // Numbers of buckets are 32 bits wide.
    if splitters.len() >= u32::MAX as usize {
        let limit = u32::MAX as u64 - 1;
        return Err(Error::TooLarge { what: "splitters", n: splitters.len() as u64, limit });
    }
    if device.tiles().is_none() || keys.is_empty() {
        let trace = reference::sample_sort(keys, splitters, order);
        let Some(payloads) = payloads else { return Ok((trace, Vec::new())) };
        let mut pairs: Vec<(K, u32)> = keys.iter().copied().zip(payloads.iter().copied()).collect();
        pairs.sort_by(|x, y| order(&x.0, &y.0));
        return Ok((trace, pairs.into_iter().map(|pair| pair.1).collect()));
    }

    let steps = Steps { device, n: keys.len() as u64 };
    let key_buffer = device.upload(keys)?;
    let buckets = steps.buckets(&key_buffer, &device.upload(splitters)?, options)?;
    let counts = steps.counts(&buckets, splitters.len() + 1)?;
    let offsets = exclusive_scan(device, &counts)?;
    let ranks = steps.ranks(&buckets, splitters.len() + 1)?;
    let places = (&buckets, &offsets, &ranks);
    let mut sorted = steps.scatter(&key_buffer, K::WIDTH, places)?;
    let mut trace = SampleSortTrace {
        scattered: sorted.to_vec()?,
        buckets: buckets.to_vec()?,
        ranks: ranks.to_vec()?,
        counts: counts.to_vec()?,
        offsets: offsets.to_vec()?,
        sorted: Vec::new(),
    };
    let mut carried = match payloads {
        Some(payloads) => Some(steps.scatter(&device.upload(payloads)?, KeyWidth::W32, places)?),
        None => None,
    };
    let mut workspace = Workspace::new(device);
    for (&begin, &count) in trace.offsets.iter().zip(&trace.counts) {
        let bucket = begin as usize..(begin + count) as usize;
        let mut bucket_keys = sorted.slice_mut(bucket.clone())?;
        match &mut carried {
            Some(carried) => {
                let mut bucket_payloads = carried.slice_mut(bucket)?;
                device.sort_pairs_buffer(&mut bucket_keys, &mut bucket_payloads, &mut workspace, options)?;
            }
            None => device.sort_buffer(&mut bucket_keys, &mut workspace, options)?,
        }
    }
    trace.sorted = sorted.to_vec()?;
    let payloads = carried.map_or(Ok(Vec::new()), |carried| carried.to_vec())?;
    Ok((trace, payloads))
}

/// Launches a kernel with a thread for each of `n` elements, not none.
///
/// # Safety
/// As the kernel asks.
unsafe fn launch(device: &Device, kernel: &'static Kernel, n: u64, args: &[Arg]) -> Result<()> {
    let grid = plan::grid("sample sort", n, kernel.threads)?;
    // SAFETY: the caller's.
    unsafe { device.launch(kernel, grid, args) }
}

/// Scans counts, not none, by steps of doubling distance, each a launch.
fn exclusive_scan(device: &Device, counts: &DeviceBuffer<u64>) -> Result<DeviceBuffer<u64>> {
    let n = counts.len() as u64;
    let address = |buffer: &DeviceBuffer<u64>| Arg::Address(buffer.address());
    let (mut from, mut to) = (device.allocate::<u64>(counts.len())?, device.allocate::<u64>(counts.len())?);
    from.copy_from_buffer(counts)?;
    let mut distance = 1;
    while distance < n {
        let args = [address(&from), address(&to), Arg::U64(n), Arg::U64(distance)];
        // SAFETY: two buffers of n words.
        unsafe { launch(device, &chapter_scan_step, n, &args)? };
        std::mem::swap(&mut from, &mut to);
        distance *= 2;
    }
    // SAFETY: three buffers of n words.
    unsafe {
        let args = [address(counts), address(&from), address(&to), Arg::U64(n)];
        launch(device, &chapter_scan_exclusive, n, &args)?;
    }
    Ok(to)
}

/// The steps over all elements, one kernel or two each.
struct Steps<'a> {
    device: &'a Device,
    /// Elements, not none.
    n: u64,
}

impl Steps<'_> {
    fn buckets<K: Key>(
        &self,
        keys: &DeviceBuffer<K>,
        splitters: &DeviceBuffer<K>,
        options: SortOptions,
    ) -> Result<DeviceBuffer<u32>> {
        let buckets = self.device.allocate::<u32>(keys.len())?;
        let args = [
            Arg::Address(keys.address()),
            Arg::Address(splitters.address()),
            Arg::Address(buckets.address()),
            Arg::U64(self.n),
            Arg::U64(splitters.len() as u64),
            K::codec(options.direction).arg(),
        ];
        // SAFETY: the buffers hold what is said, and the splitters are sorted.
        unsafe { launch(self.device, bucket_of_kernel(K::WIDTH), self.n, &args)? };
        Ok(buckets)
    }

    fn counts(&self, buckets: &DeviceBuffer<u32>, bucket_count: usize) -> Result<DeviceBuffer<u64>> {
        let counts = self.device.upload(&vec![0u64; bucket_count])?;
        let args = [Arg::Address(buckets.address()), Arg::Address(counts.address()), Arg::U64(self.n)];
        // SAFETY: a bucket is at most the number of splitters, which is one less than there are counts.
        unsafe { launch(self.device, &chapter_bucket_histogram, self.n, &args)? };
        Ok(counts)
    }

    fn ranks(&self, buckets: &DeviceBuffer<u32>, bucket_count: usize) -> Result<DeviceBuffer<u64>> {
        let tiles = self.n.div_ceil(chapter_tile_histogram.threads as u64);
        let cells = (bucket_count as u64).saturating_mul(tiles);
        // Refused here where the launches over the table would be, before memory is taken for it.
        plan::grid("sample sort's table of buckets and tiles", cells, chapter_scan_step.threads)?;
        let table = self.device.upload(&vec![0u64; cells as usize])?;
        let (n, tiles) = (Arg::U64(self.n), Arg::U64(tiles));
        let args = [Arg::Address(buckets.address()), Arg::Address(table.address()), n, tiles];
        // SAFETY: the table has a cell for each bucket and block.
        unsafe { launch(self.device, &chapter_tile_histogram, self.n, &args)? };
        let scanned = exclusive_scan(self.device, &table)?;
        let ranks = self.device.allocate::<u64>(buckets.len())?;
        let (scanned_at, ranks_at) = (Arg::Address(scanned.address()), Arg::Address(ranks.address()));
        let args = [Arg::Address(buckets.address()), scanned_at, ranks_at, n, tiles];
        // SAFETY: as before; both kernels have blocks of as many threads.
        unsafe { launch(self.device, &chapter_bucket_rank, self.n, &args)? };
        Ok(ranks)
    }

    fn scatter<T: bytemuck::Pod>(
        &self,
        elements: &DeviceBuffer<T>,
        width: KeyWidth,
        (buckets, offsets, ranks): (&DeviceBuffer<u32>, &DeviceBuffer<u64>, &DeviceBuffer<u64>),
    ) -> Result<DeviceBuffer<T>> {
        let out = self.device.allocate::<T>(elements.len())?;
        let args = [
            Arg::Address(elements.address()),
            Arg::Address(buckets.address()),
            Arg::Address(offsets.address()),
            Arg::Address(ranks.address()),
            Arg::Address(out.address()),
            Arg::U64(self.n),
        ];
        // SAFETY: ranks number the elements of a bucket from 0 on, and offsets are the sums of the buckets before, so
        // every element has a place of its own below n; `width` is that of T.
        unsafe { launch(self.device, scatter_kernel(width), self.n, &args)? };
        Ok(out)
    }
}
