use crate::device::{Device, Failures};
use crate::error::Error;
use crate::{ColumnOptions, HostColumn, SortColumn, Workspace};
use gridsort_kernels::entry::nulls::null_kernels;
use gridsort_kernels::nulls::GROUP;
use gridsort_kernels::simt::Arg;

/// More groups than a warp takes at once, the last of them not whole.
#[test]
fn counts_of_many_groups_add_up() {
    let device = Device::emulator();
    for tiles in [1, 31, 32, 33, 32 * 32, 32 * 32 + 1, 75 * 32 - 7] {
        let counts: Vec<u32> = (0..tiles).map(|tile| tile * 7919 % 1025).collect();
        let mut expected = vec![0u64];
        for group in counts.chunks(GROUP as usize) {
            expected.push(expected.last().unwrap() + group.iter().map(|&count| u64::from(count)).sum::<u64>());
        }
        let (counts, starts) = (device.upload(&counts).unwrap(), device.upload(&vec![9u64; expected.len()]).unwrap());
        let args = [Arg::Address(counts.address()), Arg::Address(starts.address()), Arg::U64(tiles.into())];
        // SAFETY: a count for each tile, and a word for each group and one more.
        unsafe { device.launch(null_kernels(false).sum_counts, 1, &args).unwrap() };
        assert_eq!(starts.to_vec().unwrap(), expected, "{tiles} tiles");
    }
}

/// Whatever allocation fails, the error names all that is needed, and everything is given back.
#[test]
fn out_of_memory_gives_all_back() {
    let (device, failures) = Failures::device();
    let column = HostColumn::new(&[1u64; 500], ColumnOptions::new()).with_validity(&[0x5a; 63], 0);
    for capacity in [0, 4000, 10_000] {
        failures.set_capacity(capacity);
        let error = device.lexsort(&[column, column]).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { needed, .. } if needed > 10_000), "{error}");
        assert_eq!(failures.held(), 0);
    }
}

/// A workspace that is too small is refused before anything is launched.
#[test]
fn scratch_memory_is_checked_first() {
    let device = Device::emulator();
    let (values, bits) = (device.upload(&[1u32; 300]).unwrap(), device.upload(&[0u8; 38]).unwrap());
    let columns = [SortColumn::new(&values, ColumnOptions::new()).with_validity(&bits, 0)];
    let mut order = device.upload(&[7u32; 300]).unwrap();
    let bytes = device.lexsort_scratch_bytes::<u32>(&columns).unwrap();
    let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize - 1).unwrap());
    let error = device.lexsort_into(&columns, &mut order, &mut workspace).unwrap_err();
    assert!(matches!(error, Error::ScratchTooSmall { needed, .. } if needed == bytes), "{error}");
    assert_eq!(order.to_vec().unwrap(), [7; 300]);
}
