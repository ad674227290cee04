//! One input, with what must become of it.
use crate::Target;
use crate::pattern::{from_bits, last_code};
use bytemuck::Pod;
use gridsort::{Direction, Key, Payload, SortOptions, Workspace};
use std::fmt;

/// Keys, a direction, and what the standard library's stable sort makes of them.
#[derive(Debug)]
pub struct Case<K> {
    /// What it is called in messages.
    pub name: String,
    /// The keys.
    pub keys: Vec<K>,
    /// Which end comes first.
    pub direction: Direction,
    /// The stable order.
    pub order: Vec<u64>,
    /// The keys in order.
    pub sorted: Vec<K>,
}

impl<K: Key> Case<K> {
    /// Sorts the keys by the standard library. `name` says in messages which keys they are.
    pub fn new(keys: Vec<K>, direction: Direction, name: impl fmt::Display) -> Self {
        let mut tagged: Vec<(K, u64)> = keys.iter().copied().zip(0..).collect();
        match direction {
            Direction::Ascending => tagged.sort_by(|x, y| x.0.order(&y.0)),
            Direction::Descending => tagged.sort_by(|x, y| y.0.order(&x.0)),
        }
        let (sorted, order) = tagged.into_iter().unzip();
        let name = format!("{name}: {} keys of type {}, {direction}", keys.len(), K::NAME);
        Self { name, keys, direction, order, sorted }
    }

    /// The options of this sort.
    pub fn options(&self) -> SortOptions {
        options(self.direction)
    }

    /// The payloads that [`payload_of`] makes, in the order that a stable sort leaves them in.
    pub fn sorted_payloads<P: Payload>(&self) -> Vec<P> {
        self.order.iter().map(|&position| payload_of(position)).collect()
    }

    /// Sorts on a device, in a buffer and as a slice.
    ///
    /// # Panics
    /// Where the result is not the standard library's, bit for bit.
    pub fn check_sort(&self, target: &Target) {
        let mut buffer = target.device.upload(&self.keys).unwrap();
        let mut workspace = Workspace::new(&target.device);
        let done = target.device.sort_buffer(&mut buffer, &mut workspace, self.options());
        done.unwrap_or_else(|error| panic!("sort_buffer on {target}, {}: {error}", self.name));
        same(&buffer.to_vec().unwrap(), &self.sorted, || format!("sort_buffer on {target}, {}", self.name));
    }

    /// Sorts a slice on a device.
    ///
    /// # Panics
    /// As [`Case::check_sort`].
    pub fn check_slice(&self, target: &Target) {
        let mut keys = self.keys.clone();
        let done = target.device.sort(&mut keys, self.options());
        done.unwrap_or_else(|error| panic!("sort on {target}, {}: {error}", self.name));
        same(&keys, &self.sorted, || format!("sort on {target}, {}", self.name));
    }

    /// Sorts keys with payloads on a device.
    ///
    /// # Panics
    /// Where keys or payloads are not where a stable sort puts them.
    pub fn check_pairs<P: Payload>(&self, target: &Target) {
        let at = || format!("sort_pairs with {:?} on {target}, {}", P::PAYLOAD_WIDTH, self.name);
        let mut keys = self.keys.clone();
        let mut payloads: Vec<P> = (0..keys.len() as u64).map(payload_of).collect();
        let done = target.device.sort_pairs(&mut keys, &mut payloads, self.options());
        done.unwrap_or_else(|error| panic!("{}: {error}", at()));
        same(&keys, &self.sorted, at);
        same(&payloads, &self.sorted_payloads::<P>(), || format!("payloads of {}", at()));
    }

    /// Argsorts on a device, with 64-bit and with 32-bit positions.
    ///
    /// # Panics
    /// Where the result is not the stable order, or the keys are not as they were.
    pub fn check_argsort(&self, target: &Target) {
        let at = || format!("argsort on {target}, {}", self.name);
        let keys = target.device.upload(&self.keys).unwrap();
        let mut workspace = Workspace::new(&target.device);
        let wide = target.device.argsort_buffer(&keys, &mut workspace, self.options());
        let wide = wide.unwrap_or_else(|error| panic!("{}: {error}", at()));
        same(&wide.to_vec().unwrap(), &self.order, at);
        let narrow = target.device.argsort(&self.keys, self.options());
        same(&narrow.unwrap_or_else(|error| panic!("{}: {error}", at())), &self.order, at);
        same(&keys.to_vec().unwrap(), &self.keys, || format!("the keys after {}", at()));
    }

    /// All of the above, with payloads of both widths.
    ///
    /// # Panics
    /// As they do.
    pub fn check_all(&self, target: &Target) {
        self.check_sort(target);
        self.check_pairs::<u32>(target);
        self.check_pairs::<u64>(target);
        self.check_argsort(target);
    }
}

/// The options for a direction.
pub fn options(direction: Direction) -> SortOptions {
    SortOptions::new().direction(direction)
}

/// The payload of the key at a position: different for each as far as its bits suffice, and in all of them.
pub fn payload_of<P: Payload>(position: u64) -> P {
    let bits = u128::from(position).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    from_bits(bits)
}

/// Compares bit for bit: NaNs equal none by value.
///
/// # Panics
/// At the first difference, which it names.
#[track_caller]
pub fn same<T: Pod + fmt::Debug>(found: &[T], expected: &[T], at: impl Fn() -> String) {
    assert_eq!(found.len(), expected.len(), "length, {}", at());
    let (found_bytes, expected_bytes): (&[u8], &[u8]) = (bytemuck::cast_slice(found), bytemuck::cast_slice(expected));
    if let Some((first, many)) = differences(found_bytes, expected_bytes, size_of::<T>()) {
        let (found, expected): (&dyn fmt::Debug, &dyn fmt::Debug) = (&found[first], &expected[first]);
        differ(&at(), found_bytes.len() / size_of::<T>(), first, many, found, expected);
    }
}

/// The first element that differs and how many do, of elements of so many bytes. Not generic, as what follows: there are
/// thousands of callers of [`same`], and each would have its own.
fn differences(found: &[u8], expected: &[u8], size: usize) -> Option<(usize, usize)> {
    if found == expected {
        return None;
    }
    let mut differ = found.chunks(size).zip(expected.chunks(size)).enumerate().filter(|(_, (x, y))| x != y);
    let first = differ.next()?.0;
    Some((first, 1 + differ.count()))
}

#[track_caller]
fn differ(at: &str, n: usize, first: usize, many: usize, found: &dyn fmt::Debug, expected: &dyn fmt::Debug) -> ! {
    panic!("{at}: {many} of {n} differ, first at {first}: {found:?} instead of {expected:?}");
}

/// Keys with many ties: a few different ones, all of which would show a sort that compares wrongly.
pub fn tied_keys<K: Key>(n: usize, values: u64) -> Vec<K> {
    let codec = K::codec(Direction::Ascending);
    let step = last_code::<K>() / u128::from(values);
    let code = |i: u64| u128::from(i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) % values) * step;
    (0..n as u64).map(|i| from_bits(codec.decode(code(i)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_differ_are_counted() {
        assert_eq!(differences(&[1, 2, 3, 4], &[1, 2, 3, 4], 2), None);
        assert_eq!(differences(&[], &[], 0), None);
        assert_eq!(differences(&[1, 2, 3, 4, 5, 6], &[1, 2, 0, 0, 5, 0], 2), Some((1, 2)));
        assert_eq!(differences(&[1, 2, 3], &[0, 0, 0], 1), Some((0, 3)));
    }

    #[test]
    #[should_panic(expected = "here: 1 of 3 differ, first at 1: NaN instead of 0.0")]
    fn the_first_difference_is_told() {
        same(&[f32::NAN, f32::NAN, 1.0], &[f32::NAN, 0.0, 1.0], || "here".to_owned());
    }
}
