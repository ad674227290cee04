//! What is refused: with which error, and that nothing was changed.
use gridsort::{
    Arg, Device, DeviceSlice, DeviceSliceMut, Direction, Error, Key, LaunchProblem, ParamKind, SortOptions, Workspace,
    chapter,
};
use gridsort_kernels::entry::chapter::chapter_kernels;
use gridsort_tests::{target, targets};

const OPTIONS: fn() -> SortOptions = SortOptions::new;

#[test]
fn small_payloads_must_be_as_many_as_keys() {
    for target in targets() {
        let device = &target.device;
        let (mut keys, mut payloads) = ([3u32, 1, 2], [1u64, 2]);
        let error = device.sort_pairs(&mut keys, &mut payloads, OPTIONS()).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 3, found: 2, .. }), "{target}: {error}");
        assert_eq!((keys, payloads), ([3, 1, 2], [1, 2]));

        let mut keys = device.upload(&[3u32, 1, 2]).unwrap();
        let mut payloads = device.upload(&[1u32, 2, 3, 4]).unwrap();
        let error = device.sort_pairs_buffer(&mut keys, &mut payloads, &mut Workspace::new(device), OPTIONS());
        assert!(matches!(error, Err(Error::LengthMismatch { expected: 3, found: 4, .. })), "{target}: {error:?}");
        assert_eq!((keys.to_vec().unwrap(), payloads.to_vec().unwrap()), (vec![3, 1, 2], vec![1, 2, 3, 4]));
    }
}

#[test]
fn small_outputs_must_be_as_long_as_the_inputs() {
    for target in targets() {
        let device = &target.device;
        let (a, b) = (device.upload(&[1i64, 4]).unwrap(), device.upload(&[2i64]).unwrap());
        for len in [0, 2, 4] {
            let mut out = device.upload(&vec![7i64; len]).unwrap();
            for error in [
                device.merge_buffers(&a, &b, &mut out, OPTIONS()).unwrap_err(),
                chapter::corank_merge_buffers(&a, &b, &mut out, OPTIONS()).unwrap_err(),
            ] {
                let Error::LengthMismatch { expected: 3, found, .. } = error else { panic!("{target}: {error}") };
                assert_eq!(found, len);
            }
            assert_eq!(out.to_vec().unwrap(), vec![7; len]);
        }

        let (mut keys, mut payloads) = (device.upload(&[7i64; 3]).unwrap(), device.upload(&[8u32; 3]).unwrap());
        let tags = device.upload(&[0u32; 2]).unwrap();
        let mixed = [((&a, &tags), (&b, &tags), "the second input"), ((&b, &tags), (&a, &tags), "the first input")];
        for (a, b, wrong) in mixed {
            let error =
                device.merge_pairs_buffers((a.0, a.1), (b.0, b.1), (&mut keys, &mut payloads), OPTIONS()).unwrap_err();
            assert!(matches!(error, Error::LengthMismatch { what, .. } if what == wrong), "{target}: {error}");
        }
        assert_eq!((keys.to_vec().unwrap(), payloads.to_vec().unwrap()), (vec![7; 3], vec![8; 3]));
    }
}

/// Outputs that are an input, or share its last key: borrows rule these out, but not for views of raw addresses.
#[test]
fn small_outputs_must_not_overlap_inputs() {
    for target in targets() {
        let device = &target.device;
        let input = [1u32, 3, 5, 7, 2, 4, 6, 8];
        let (buffer, other) = (device.upload(&input).unwrap(), device.upload(&[9u32; 4]).unwrap());
        let mut fresh = device.upload(&[0u32; 8]).unwrap();
        let mut workspace = Workspace::new(device);
        // SAFETY: within the buffer, and every use is refused.
        let view = |from: u64, len: usize| unsafe {
            DeviceSliceMut::<u32>::from_raw(device, buffer.address() + 4 * from, len).unwrap()
        };
        let refused = |result: Result<(), Error>| {
            assert!(matches!(result, Err(Error::Overlap { .. })), "{target}: {result:?}");
        };
        let (a, b) = (view(0, 4), view(4, 4));
        refused(device.merge_buffers(&a, &b, &mut view(0, 8), OPTIONS()));
        refused(device.merge_buffers(&a, &view(7, 1), &mut view(3, 5), OPTIONS()));
        refused(chapter::corank_merge_buffers(&a, &b, &mut view(0, 8), OPTIONS()));
        // An overlap with one input only, keys and payloads by turns.
        let (b, other): (&DeviceSlice<'_, u32>, &DeviceSlice<'_, u32>) = (&b, &other);
        for [keys_a, keys_b, payloads] in [[b, other, other], [other, b, other], [other, other, b]] {
            refused(device.merge_pairs_buffers(
                (keys_a, payloads),
                (keys_b, other),
                (&mut view(0, 8), &mut fresh),
                OPTIONS(),
            ));
            refused(device.merge_pairs_buffers(
                (keys_a, other),
                (keys_b, payloads),
                (&mut fresh, &mut view(0, 8)),
                OPTIONS(),
            ));
        }
        refused(device.merge_buffers(b, other, &mut view(0, 8), OPTIONS()));
        refused(device.merge_buffers(other, b, &mut view(0, 8), OPTIONS()));
        refused(chapter::corank_merge_buffers(other, b, &mut view(0, 8), OPTIONS()));
        // Keys, then payloads, as the output of the others.
        refused(device.merge_pairs_buffers((&a, &a), (b, b), (&mut view(0, 8), &mut fresh), OPTIONS()));
        refused(device.merge_pairs_buffers((&a, &a), (b, b), (&mut fresh, &mut view(0, 8)), OPTIONS()));
        refused(device.merge_pairs_buffers(
            (other, other),
            (other, other),
            (&mut view(0, 8), &mut view(0, 8)),
            OPTIONS(),
        ));
        refused(device.sort_into(&view(0, 8), &mut view(0, 8), &mut workspace, OPTIONS()));
        refused(device.sort_into(&a, &mut view(3, 4), &mut workspace, OPTIONS()));
        refused(device.argsort_into(&a, &mut view(0, 4), &mut workspace, OPTIONS()));
        refused(device.sort_pairs_buffer(&mut view(0, 4), &mut view(2, 4), &mut workspace, OPTIONS()));
        refused(device.sort_pairs_into(
            (&a, b),
            (&mut view(0, 4), &mut fresh.slice_mut(..4).unwrap()),
            &mut workspace,
            OPTIONS(),
        ));
        refused(device.sort_pairs_into(
            (&a, b),
            (&mut fresh.slice_mut(..4).unwrap(), &mut view(4, 4)),
            &mut workspace,
            OPTIONS(),
        ));
        assert_eq!((buffer.to_vec().unwrap(), workspace.bytes()), (input.to_vec(), 0), "{target}");
        assert_eq!(fresh.to_vec().unwrap(), [0; 8], "{target}");
        // Next to each other is not overlapping.
        device.merge_buffers(&a, other, &mut fresh, OPTIONS()).unwrap();
        device.sort_into(&a, &mut view(4, 4), &mut workspace, OPTIONS()).unwrap();
        assert_eq!(buffer.to_vec().unwrap(), [1, 3, 5, 7, 1, 3, 5, 7], "{target}");
    }
}

/// Everything that takes a buffer or workspace, with one of another device.
#[test]
fn small_devices_must_agree() {
    for target in targets() {
        let device = &target.device;
        let other = Device::emulator();
        let mismatch = |result: Result<(), Error>| {
            assert!(matches!(result, Err(Error::DeviceMismatch { .. })), "{target}: {result:?}");
        };
        let input = [3u32, 1, 2];
        let (mut here, mut there) = (device.upload(&input).unwrap(), other.upload(&input).unwrap());
        let (mut workspace, mut elsewhere) = (Workspace::new(device), Workspace::new(&other));

        mismatch(device.sort_buffer(&mut there, &mut workspace, OPTIONS()));
        mismatch(device.sort_buffer(&mut here, &mut elsewhere, OPTIONS()));
        mismatch(device.sort_pairs_buffer(&mut here, &mut there, &mut workspace, OPTIONS()));
        mismatch(device.sort_pairs_buffer(&mut there, &mut here, &mut workspace, OPTIONS()));
        mismatch(device.argsort_buffer(&there, &mut workspace, OPTIONS()).map(drop));
        mismatch(device.argsort_buffer(&here, &mut elsewhere, OPTIONS()).map(drop));
        mismatch(device.argsort_buffer_u32(&there, &mut workspace, OPTIONS()).map(drop));
        mismatch(chapter::corank_sort_buffer(&mut here, &mut elsewhere, OPTIONS()));

        let (mut out_here, mut out_there) = (device.upload(&[9u32; 6]).unwrap(), other.upload(&[9u32; 6]).unwrap());
        mismatch(device.merge_buffers(&here, &there, &mut out_here, OPTIONS()));
        mismatch(device.merge_buffers(&there, &here, &mut out_here, OPTIONS()));
        mismatch(device.merge_buffers(&here, &here, &mut out_there, OPTIONS()));
        mismatch(chapter::corank_merge_buffers(&here, &there, &mut out_here, OPTIONS()));
        mismatch(here.copy_from_buffer(&there));

        assert_eq!((here.to_vec().unwrap(), there.to_vec().unwrap()), (input.to_vec(), input.to_vec()));
        assert_eq!((out_here.to_vec().unwrap(), out_there.to_vec().unwrap()), (vec![9; 6], vec![9; 6]));
        assert_eq!((workspace.bytes(), elsewhere.bytes()), (0, 0), "{target}");
    }
}

#[test]
fn small_unsorted_inputs_of_a_merge_are_named() {
    for target in targets() {
        let device = &target.device;
        let (up, wrong) = ([1.0f32, 2.0, 3.0], [1.0f32, -0.0, 0.0]);
        let error = device.merge(&up, &wrong, OPTIONS()).unwrap_err();
        assert!(matches!(error, Error::NotSorted { input: "the second input", position: 1 }), "{target}: {error}");
        let error = device.merge(&up, &up, OPTIONS().descending()).unwrap_err();
        assert!(matches!(error, Error::NotSorted { input: "the first input", position: 1 }), "{target}: {error}");
        // Total order: −0 before +0, and equal keys are in order.
        assert_eq!(device.merge(&wrong[1..], &[0.0], OPTIONS()).unwrap().len(), 3);
    }
}

// Not among the small ones: a sanitizer counts refused allocations as errors.
#[test]
fn too_much_memory_is_an_error() {
    for target in targets() {
        let device = &target.device;
        assert!(matches!(device.allocate::<u64>(usize::MAX), Err(Error::TooLarge { .. })), "{target}");
        assert!(matches!(device.allocate::<u8>(1 << 60), Err(Error::OutOfMemory { .. })), "{target}");
        let mut workspace = Workspace::new(device);
        let error = workspace.reserve(1 << 60).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { needed, .. } if needed == 1 << 60), "{target}: {error}");
        // And the device is as usable as before.
        let mut keys = [2u32, 1];
        device.sort(&mut keys, OPTIONS()).unwrap();
        assert_eq!(keys, [1, 2]);
    }
}

#[test]
fn small_launches_must_fit_their_kernels() {
    let kernel = chapter_kernels(gridsort::KeyWidth::W32).corank_pass;
    for target in target::kernel_targets() {
        let keys = target.device.upload(&[1u32, 0]).unwrap();
        let problem = |grid: u32, args: &[Arg]| {
            // SAFETY: refused before anything runs.
            match unsafe { target.device.launch(kernel, grid, args) } {
                Err(Error::Launch { problem, .. }) => problem,
                other => panic!("{target}: {other:?}"),
            }
        };
        let [address, codec] = [Arg::Address(keys.address()), u32::codec(Direction::Ascending).arg()];
        let mut args = vec![address, address, Arg::U64(2), Arg::U64(1)];
        assert_eq!(problem(1, &args), LaunchProblem::Count { expected: 5, found: 4 });
        args.push(Arg::U64(0));
        let kind = LaunchProblem::Kind { position: 4, expected: ParamKind::U32, found: ParamKind::U64 };
        assert_eq!(problem(1, &args), kind);
        args[4] = codec;
        assert!(matches!(problem(0, &args), LaunchProblem::Grid { grid: 0, .. }));
        assert!(matches!(problem(u32::MAX, &args), LaunchProblem::Grid { .. }));
        assert_eq!(keys.to_vec().unwrap(), [1, 0]);
    }
}

#[test]
fn small_the_cpu_launches_nothing() {
    for target in targets().iter().filter(|target| target.tiles.is_none()) {
        // SAFETY: nothing runs.
        let result = unsafe { target.device.launch(chapter_kernels(gridsort::KeyWidth::W64).corank_pass, 1, &[]) };
        assert!(matches!(result, Err(Error::NotSupported { .. })), "{result:?}");
    }
}
