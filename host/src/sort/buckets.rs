//! What a sample sort would do with keys: which algorithm sorts them, and how even its buckets come out.
use super::Places;
use super::job::SortJob;
use super::pairs::PairsJob;
use super::sample::SampleJob;
use crate::device::{Device, DeviceSlice};
use crate::error::Result;
use crate::key::{Key, KeyCodec, Payload, PayloadWidth};
use crate::options::{Algorithm, SortOptions};
use crate::sample::BucketSizes;
use crate::workspace::Workspace;
use gridsort_kernels::sample::tables::{STATE, state};

impl Device {
    /// The algorithm that sorts `n` keys alone where `algorithm` is asked for: what [`Algorithm::Auto`] means for them, and
    /// any other is itself. The CPU's own sort has no name, and stays [`Algorithm::Auto`].
    ///
    /// ```
    /// use gridsort::{Algorithm, Device};
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.sort_algorithm::<u64>(1000, Algorithm::Auto), Algorithm::Merge);
    /// assert_eq!(device.sort_algorithm::<u64>(1 << 26, Algorithm::Auto), Algorithm::Sample);
    /// assert_eq!(device.sort_algorithm::<u8>(1 << 26, Algorithm::Auto), Algorithm::Merge);
    /// ```
    pub fn sort_algorithm<K: Key>(&self, n: usize, algorithm: Algorithm) -> Algorithm {
        let Some(tiles) = self.tiles() else { return Algorithm::Auto };
        match (algorithm, SortJob::new(n, KeyCodec::identity(K::WIDTH), PayloadWidth::None, tiles, SortOptions::new()))
        {
            (Algorithm::Auto, Ok(SortJob::Sample(_))) => Algorithm::Sample,
            (Algorithm::Auto, _) => Algorithm::Merge,
            (named, _) => named,
        }
    }

    /// The algorithm that sorts `n` keys with payloads of a type where `algorithm` is asked for: as [`Device::sort_algorithm`].
    /// An argsort is a sort with its positions.
    ///
    /// ```
    /// use gridsort::{Algorithm, Device};
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.sort_pairs_algorithm::<u64, u32>(1 << 28, Algorithm::Auto), Algorithm::Sample);
    /// assert_eq!(device.sort_pairs_algorithm::<u8, u32>(1 << 28, Algorithm::Auto), Algorithm::Merge);
    /// ```
    pub fn sort_pairs_algorithm<K: Key, P: Payload>(&self, n: usize, algorithm: Algorithm) -> Algorithm {
        let Some(tiles) = self.tiles() else { return Algorithm::Auto };
        match (algorithm, PairsJob::new::<K, P>(n, true, tiles, SortOptions::new())) {
            (Algorithm::Auto, Ok(job)) if job.is_sample() => Algorithm::Sample,
            (Algorithm::Auto, _) => Algorithm::Merge,
            (named, _) => named,
        }
    }

    /// How even the buckets are into which the first level of a sample sort of these keys, with these options, would throw
    /// them: the splitters are drawn and the keys counted, as in the sort, and stay where they are. The call waits for that.
    ///
    /// A bucket of equal keys counts too, though it needs no sorting; where a splitter occurs k times, k − 2 buckets are
    /// empty. None where a sort would make no buckets: another algorithm sorts, or the keys are sorted already, either way.
    ///
    /// Takes the scratch memory of the sort.
    ///
    /// ```
    /// use gridsort::{Algorithm, Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys: Vec<u32> = (0..9000u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    /// let keys = device.upload(&keys)?;
    /// let mut workspace = Workspace::new(&device);
    /// let sizes = device.sample_buckets(&keys, &mut workspace, SortOptions::new().algorithm(Algorithm::Sample))?;
    /// assert!(sizes.is_some_and(|sizes| sizes.largest >= 1000 && sizes.ratio() < 2.0));
    /// assert!(device.sample_buckets(&keys, &mut workspace, SortOptions::new())?.is_none());
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_buffer`].
    pub fn sample_buckets<K: Key>(
        &self,
        keys: &DeviceSlice<'_, K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<Option<BucketSizes>> {
        keys.check_device(self, "the key buffer")?;
        workspace.check_device(self)?;
        let Some(tiles) = self.tiles() else { return Ok(None) };
        if keys.len() < 2 {
            return Ok(None);
        }
        let job = match SortJob::new(keys.len(), K::codec(options.direction), PayloadWidth::None, tiles, options)? {
            SortJob::Sample(job) => job,
            SortJob::Merge(_) => return Ok(None),
        };
        workspace.reserve_for(self, job.plan.scratch_bytes)?;
        // Nothing is written where a sort would leave the keys.
        let places = Places { source: keys.address(), data: 0, scratch: workspace.address() };
        {
            let _claims = self.claim([keys.allocation(), workspace.allocation()])?;
            // SAFETY: buffer and workspace are on this device, and the workspace holds what the plan asks for.
            unsafe {
                job.look(self, places)?;
                job.count(self, places, 0)?;
            }
        }
        counted(&job, workspace)
    }
}

/// Reads the counts of the first level's only segment.
fn counted(job: &SampleJob, workspace: &mut Workspace) -> Result<Option<BucketSizes>> {
    let plan = &job.plan;
    let Some(memory) = workspace.memory_mut(plan.scratch_bytes as usize) else { return Ok(None) };
    let read = |offset: u64, bytes: usize| memory.slice(offset as usize..offset as usize + bytes)?.to_vec();
    let known = bytemuck::pod_read_unaligned::<u32>(&read(plan.counters + 4 * u64::from(STATE), 4)?);
    // The other kernels have then done nothing.
    if known != state::UNSORTED {
        return Ok(None);
    }
    let buckets = 1usize << job.kernels.tuning.bits;
    let mut counts: Vec<u64> = bytemuck::pod_collect_to_vec(&read(plan.rows, 8 * buckets)?);
    // As many buckets as are wanted. The splitters behind repeat the last one: of the buckets between these, one may take the
    // keys that equal it, and the others are none.
    let wanted = plan.n.div_ceil(plan.levels[0].target.into()).clamp(2, buckets as u64) as usize;
    let filling = wanted - 1..buckets - 1;
    let mut bucket = 0..;
    counts.retain(|&count| bucket.next().is_some_and(|bucket| count > 0 || !filling.contains(&bucket)));
    Ok(Some(BucketSizes::of(&counts)))
}
