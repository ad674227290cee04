//! Kernels for keys with an order of their own, whose guard has barriers too.
use super::Operation;
use gridsort::{CustomOrder, Device, DeviceSlice, Order, Tiles, Workspace};
use gridsort_kernels::export_small_order;
use gridsort_tests::Target;

/// By value, but for a few that answer by chance: threads' pieces, and blocks', do not always fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
struct Doubtful(u32);
// SAFETY: a plain number.
unsafe impl bytemuck::Zeroable for Doubtful {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Doubtful {}

impl Order for Doubtful {
    fn before(self, other: Self) -> bool {
        let drawn = self.0.wrapping_add(other.0.wrapping_mul(7)).wrapping_mul(0x9e37_79b9).rotate_left(15);
        (self.0 < other.0) ^ (self.0 % 16 == 3 && drawn.wrapping_mul(0x85eb_ca6b) >> 31 == 0)
    }
}

export_small_order!(mod doubtful: Doubtful);
static DOUBTFUL: CustomOrder<Doubtful> = CustomOrder::new(&doubtful::KERNELS, &[]);

fn device() -> Device {
    Target::emulator(Tiles::Small).device
}

fn input(n: u32) -> Vec<Doubtful> {
    (0..n).map(|i| Doubtful(i.wrapping_mul(0x9e37_79b9).rotate_left(13).wrapping_mul(0x85eb_ca6b))).collect()
}

/// Every key with its own position, once.
fn permuted(keys: &[Doubtful], positions: &[u32], input: &[Doubtful]) {
    assert!(
        keys.iter().zip(positions).all(|(key, &position)| *key == input[position as usize]),
        "another key's payload"
    );
    let mut all = positions.to_vec();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..input.len() as u32), "a key is lost or there twice");
}

fn sort(n: u32) {
    let (input, device) = (input(n), device());
    let (mut keys, mut positions) = (input.clone(), (0..n).collect::<Vec<u32>>());
    DOUBTFUL.sort_pairs(&device, &mut keys, &mut positions).unwrap();
    permuted(&keys, &positions, &input);
}

/// Parts that nobody sorted.
fn merge(parts: usize) {
    let (input, device) = (input(1200), device());
    let (keys, tags) = (device.upload(&input).unwrap(), device.upload(&(0..1200u32).collect::<Vec<_>>()).unwrap());
    let len = input.len() / parts;
    let keys: Vec<DeviceSlice<'_, Doubtful>> =
        (0..parts).map(|i| keys.slice(i * len..(i + 1) * len).unwrap()).collect();
    let tags: Vec<DeviceSlice<'_, u32>> = (0..parts).map(|i| tags.slice(i * len..(i + 1) * len).unwrap()).collect();
    let inputs: Vec<_> = keys.iter().zip(&tags).collect();
    let (mut out, mut moved) = (device.allocate(1200).unwrap(), device.allocate(1200).unwrap());
    let out_views = (&mut *out, &mut *moved);
    DOUBTFUL.merge_many_pairs_buffers(&device, &inputs, out_views, &mut Workspace::new(&device)).unwrap();
    permuted(&out.to_vec().unwrap(), &moved.to_vec().unwrap(), &input);
}

/// Two-way passes, k-way passes, and merges of two and of many.
pub(super) fn operations() -> [Operation; 4] {
    [
        ("two-way sort of doubtful pairs", Box::new(|| sort(400))),
        ("k-way sort of doubtful pairs", Box::new(|| sort(1000))),
        ("merge of two doubtful arrays", Box::new(|| merge(2))),
        ("merge of many doubtful arrays", Box::new(|| merge(5))),
    ]
}
