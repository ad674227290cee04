//! Whether keys are sorted.
use crate::device::{Device, DeviceSlice};
use crate::error::Result;
use crate::key::{Key, compare};
use crate::options::SortOptions;
use crate::plan::{ALIGNMENT, grid};
use crate::workspace::Workspace;
use gridsort_kernels::entry::sorted::disorder_kernel;
use gridsort_kernels::simt::Arg;
use gridsort_kernels::tuning::SORTED;
use rayon::prelude::*;
use std::cmp::Ordering;

/// Keys that one task looks at: a few microseconds of work.
const PIECE: usize = 1 << 14;

impl Device {
    /// Whether keys in host memory are in the order that the options ask for. The host looks itself, whatever the
    /// device: that takes less time than to copy them.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let device = Device::best();
    /// assert!(device.is_sorted(&[-0.0f32, 0.0, f32::NAN], SortOptions::new()));
    /// assert!(!device.is_sorted(&[1, 2, 2], SortOptions::new().descending()));
    /// ```
    pub fn is_sorted<K: Key>(&self, keys: &[K], options: SortOptions) -> bool {
        is_sorted(keys, compare(options.direction))
    }

    /// Whether keys in the device's memory are in the order that the options ask for. Reads them once, and stops early
    /// where they are not. Waits for the answer.
    ///
    /// Takes 256 bytes of scratch memory.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[5u8, 1, 2, 3])?;
    /// let mut workspace = Workspace::new(&device);
    /// assert!(!device.is_sorted_buffer(&keys, &mut workspace, SortOptions::new())?);
    /// assert!(device.is_sorted_buffer(&keys.slice(1..)?, &mut workspace, SortOptions::new())?);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::ScratchTooSmall`](crate::Error::ScratchTooSmall), [`Error::TooLarge`](crate::Error::TooLarge),
    /// [`Error::NotSupported`](crate::Error::NotSupported) while a graph is captured, and what went wrong on the device
    /// before.
    pub fn is_sorted_buffer<K: Key>(
        &self,
        keys: &DeviceSlice<'_, K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<bool> {
        keys.check_device(self, "the key buffer")?;
        workspace.check_device(self)?;
        if keys.len() < 2 {
            return Ok(true);
        }
        if self.tiles().is_none() {
            // SAFETY: the device that runs no kernels is the CPU.
            return Ok(is_sorted(unsafe { keys.host_slice() }, compare(options.direction)));
        }
        let grid = grid("look for disorder", keys.len() as u64, SORTED.tile())?;
        workspace.reserve_for(self, ALIGNMENT)?;
        let _claims = self.claim([keys.allocation(), workspace.allocation()])?;
        let found = workspace.address();
        let args = [
            Arg::Address(keys.address()),
            Arg::U64(keys.len() as u64),
            Arg::Address(found),
            K::codec(options.direction).arg(),
        ];
        let mut word = [0; size_of::<u32>()];
        // SAFETY: one word within the workspace, and as many keys as the kernel is told; the grid covers them.
        unsafe {
            self.write(found, &word)?;
            self.run(disorder_kernel(K::WIDTH), grid, &args)?;
            self.read(found, &mut word)?;
        }
        Ok(word == [0; size_of::<u32>()])
    }
}

/// Looks at pieces in parallel, each with the first key of the next.
fn is_sorted<K: Key>(keys: &[K], order: impl Fn(&K, &K) -> Ordering + Sync) -> bool {
    keys.par_chunks(PIECE).enumerate().all(|(index, piece)| {
        let start = index * PIECE;
        let end = (start + piece.len() + 1).min(keys.len());
        keys[start..end].is_sorted_by(|x, y| order(x, y).is_le())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::EmulatorOptions;
    use crate::error::Error;
    use crate::options::Direction;
    #[cfg(feature = "half")]
    use half::f16;

    fn check<K: Key>(make: impl Fn(usize) -> K, n: usize) {
        let devices = [Device::cpu(), Device::emulator_with(EmulatorOptions::default())];
        for device in devices {
            let mut workspace = Workspace::new(&device);
            let mut answer = |keys: &[K], options| {
                let slice = device.is_sorted(keys, options);
                let buffer = device.upload(keys).unwrap();
                assert_eq!(device.is_sorted_buffer(&buffer, &mut workspace, options).unwrap(), slice);
                slice
            };
            for direction in [Direction::Ascending, Direction::Descending] {
                let options = SortOptions::new().direction(direction);
                let mut keys: Vec<K> = (0..n).map(&make).collect();
                keys.sort_by(compare(direction));
                assert!(answer(&keys, options));
                for at in [1, n / 2, SORTED.tile() as usize, n - 1] {
                    if compare::<K>(direction)(&keys[at - 1], &keys[at]).is_ne() {
                        keys.swap(at - 1, at);
                        assert!(!answer(&keys, options), "{} {direction} {at}", K::NAME);
                        keys.swap(at - 1, at);
                    }
                }
            }
            assert!(answer(&[], SortOptions::new()) && answer(&[make(7)], SortOptions::new()));
        }
    }

    #[test]
    fn one_pair_out_of_order_is_found_anywhere() {
        let n = SORTED.tile() as usize * 2 + 5;
        check(|i| i as u32 * 3, n);
        check(|i| (i as i64 * 7919) % 1009 - 500, n);
        check(|i| (i % 251) as u8, n);
        #[cfg(feature = "half")]
        check(|i| f16::from_f32(i as f32 - 90.0), n);
        check(|i| (i as i128) << 70, n);
    }

    #[test]
    fn pieces_of_the_host_overlap_by_one() {
        let mut keys: Vec<u32> = (0..3 * PIECE as u32).collect();
        assert!(is_sorted(&keys, u32::cmp));
        keys.swap(PIECE - 1, PIECE);
        assert!(!is_sorted(&keys, u32::cmp));
    }

    #[test]
    fn the_answer_cannot_be_captured() {
        let device = Device::emulator();
        let keys = device.upload(&[1u32, 2]).unwrap();
        let mut workspace = Workspace::from_buffer(device.allocate(256).unwrap());
        let captured = crate::Graph::capture(&device, |device| {
            device.is_sorted_buffer(&keys, &mut workspace, SortOptions::new()).map(drop)
        });
        assert!(matches!(captured, Err(Error::NotSupported { .. })));
    }
}
