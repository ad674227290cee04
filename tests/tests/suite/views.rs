//! Operations in the middle of larger allocations: exactly the bytes that are asked for, at any offset, with guard
//! elements before and behind, and with scratch memory of exactly the size that is asked for between guards too.
use bytemuck::Pod;
use gridsort::{Device, DeviceBuffer, DeviceSliceMut, Key, Payload, PayloadWidth, Workspace};
use gridsort_tests::case::tied_keys;
use gridsort_tests::pattern::from_bits;
use gridsort_tests::{Case, DIRECTIONS, Target, bf16, f16, options, payload_of, same, targets};
use std::fmt::Debug;
use std::ops::Range;

const GUARD: u128 = u128::from_ne_bytes([0x5a; 16]);
/// Guard elements behind: more than a vector access is wide.
const BEHIND: usize = 40;

/// Elements at an offset, between guards.
struct Fenced<T: Pod> {
    buffer: DeviceBuffer<T>,
    range: Range<usize>,
}

impl<T: Pod + Debug> Fenced<T> {
    fn new(device: &Device, offset: usize, elements: &[T]) -> Self {
        let mut all = vec![from_bits::<T>(GUARD); offset];
        all.extend_from_slice(elements);
        all.extend([from_bits::<T>(GUARD); BEHIND]);
        Self { buffer: device.upload(&all).unwrap(), range: offset..offset + elements.len() }
    }

    /// Room for elements.
    fn room(device: &Device, offset: usize, len: usize) -> Self {
        Self::new(device, offset, &vec![from_bits(GUARD); len])
    }

    fn view(&mut self) -> DeviceSliceMut<'_, T> {
        self.buffer.slice_mut(self.range.clone()).unwrap()
    }

    /// The elements, if the guards are whole.
    #[track_caller]
    fn elements(&self, at: impl Fn() -> String) -> Vec<T> {
        let all = self.buffer.to_vec().unwrap();
        let guards = |found: &[T]| same(found, &vec![from_bits(GUARD); found.len()], || format!("guards, {}", at()));
        guards(&all[..self.range.start]);
        guards(&all[self.range.end..]);
        all[self.range.clone()].to_vec()
    }
}

/// Runs an operation with scratch memory of so many bytes, and looks at what surrounds them.
fn with_scratch(device: &Device, bytes: u64, operation: impl FnOnce(&mut Workspace)) {
    // A workspace begins at a multiple of 256.
    let memory = Fenced::<u8>::room(device, 256, bytes as usize);
    // SAFETY: within the buffer, which is not touched before the workspace is dropped and its work awaited.
    let view = unsafe { DeviceSliceMut::<u8>::from_raw(device, memory.buffer.address() + 256, bytes as usize) };
    let mut workspace = Workspace::from_buffer(view.unwrap());
    assert_eq!(workspace.bytes(), bytes);
    operation(&mut workspace);
    drop(workspace);
    device.synchronize().unwrap();
    memory.elements(|| format!("{bytes} bytes of scratch memory on {}", device.name()));
}

fn lengths<K: Key>(target: &Target, payload: PayloadWidth) -> Vec<usize> {
    let shape = target.shape(K::WIDTH, payload);
    let (tile, from) = (shape.tile as usize, shape.kway_from as usize);
    if target.is_slow() {
        return vec![31, tile + 1];
    }
    let many = if target.is_cuda() && size_of::<K>() < 4 { vec![] } else { vec![from - 1, from, 2 * from + 1] };
    // Three and four tiles: there the areas of scratch memory have nothing to spare, for they end at multiples of 256.
    [vec![1, 2, 33, tile / 2 + 1, tile - 1, tile, tile + 1, 3 * tile, 4 * tile, 5 * tile + 3], many].concat()
}

fn check<K: Key, P: Payload>() {
    for target in targets() {
        let device = &target.device;
        for (i, n) in lengths::<K>(target, P::PAYLOAD_WIDTH).into_iter().enumerate() {
            let (offset, direction) = ([1, 3, 16, 7][i % 4], DIRECTIONS[i % 2]);
            let case = Case::new(tied_keys::<K>(n, 200), direction, format_args!("at {offset}"));
            let at = || format!("on {target}, {}", case.name);
            let payloads: Vec<P> = (0..n as u64).map(payload_of).collect();

            let mut keys = Fenced::new(device, offset, &case.keys);
            with_scratch(device, device.sort_scratch_bytes::<K>(n).unwrap(), |workspace| {
                device.sort_buffer(&mut keys.view(), workspace, options(direction)).unwrap();
            });
            same(&keys.elements(at), &case.sorted, || format!("sort_buffer {}", at()));

            let source = Fenced::new(device, offset, &case.keys);
            let mut sorted = Fenced::<K>::room(device, offset + 1, n);
            with_scratch(device, device.sort_scratch_bytes::<K>(n).unwrap(), |workspace| {
                let source = source.buffer.slice(source.range.clone()).unwrap();
                device.sort_into(&source, &mut sorted.view(), workspace, options(direction)).unwrap();
            });
            same(&sorted.elements(at), &case.sorted, || format!("sort_into {}", at()));
            same(&source.elements(at), &case.keys, || format!("the source of sort_into {}", at()));

            let (mut keys, mut moved) =
                (Fenced::new(device, offset, &case.keys), Fenced::new(device, offset + 2, &payloads));
            with_scratch(device, device.sort_pairs_scratch_bytes::<K, P>(n).unwrap(), |workspace| {
                device.sort_pairs_buffer(&mut keys.view(), &mut moved.view(), workspace, options(direction)).unwrap();
            });
            same(&keys.elements(at), &case.sorted, || format!("sort_pairs_buffer {}", at()));
            same(&moved.elements(at), &case.sorted_payloads::<P>(), || format!("payloads {}", at()));

            let mut order = Fenced::<u64>::room(device, offset, n);
            with_scratch(device, device.argsort_scratch_bytes::<K, u64>(n).unwrap(), |workspace| {
                let source = source.buffer.slice(source.range.clone()).unwrap();
                device.argsort_into(&source, &mut order.view(), workspace, options(direction)).unwrap();
            });
            same(&order.elements(at), &case.order, || format!("argsort_into {}", at()));

            check_merge::<K, P>(target, &case, offset, &payloads);
        }
    }
}

/// Merges the sorted parts of a case, each at an offset of its own.
fn check_merge<K: Key, P: Payload>(target: &Target, case: &Case<K>, offset: usize, payloads: &[P]) {
    let (device, n) = (&target.device, case.keys.len());
    let (a, b) = case.keys.split_at(n / 3);
    let [a, b] = [a, b].map(|run| Case::new(run.to_vec(), case.direction, "run").sorted);
    let case = Case::new([a.as_slice(), &b].concat(), case.direction, &case.name);
    let at = || format!("merge on {target}, {}", case.name);
    let (a_payloads, b_payloads) = payloads.split_at(a.len());
    let mut a = (Fenced::new(device, offset, &a), Fenced::new(device, 1, a_payloads));
    let mut b = (Fenced::new(device, offset + 1, &b), Fenced::new(device, 2, b_payloads));
    let mut out = (Fenced::<K>::room(device, offset + 2, n), Fenced::<P>::room(device, 3, n));
    device.merge_buffers(&a.0.view(), &b.0.view(), &mut out.0.view(), options(case.direction)).unwrap();
    same(&out.0.elements(at), &case.sorted, at);
    with_scratch(device, device.merge_pairs_scratch_bytes::<P>(n).unwrap(), |workspace| {
        let inputs = ((&a.0.view(), &a.1.view()), (&b.0.view(), &b.1.view()));
        let out = (&mut out.0.view(), &mut out.1.view());
        let ((a, a_payloads), (b, b_payloads)) = inputs;
        device.merge_pairs_with((a, a_payloads), (b, b_payloads), out, workspace, options(case.direction)).unwrap();
    });
    same(&out.0.elements(at), &case.sorted, at);
    same(&out.1.elements(at), &case.sorted_payloads::<P>(), || format!("payloads, {}", at()));
}

#[test]
fn of_bytes() {
    check::<u8, u32>();
    check::<i8, [u8; 3]>();
}

#[test]
fn of_two_bytes() {
    check::<f16, u64>();
    check::<bf16, u16>();
}

#[test]
fn of_four_bytes() {
    check::<f32, u32>();
}

#[test]
fn of_eight_bytes() {
    check::<u64, u64>();
    check::<f64, [u32; 3]>();
}

#[test]
fn of_sixteen_bytes() {
    check::<i128, u128>();
}
