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
    if bytemuck::cast_slice::<T, u8>(found) == bytemuck::cast_slice::<T, u8>(expected) {
        return;
    }
    let differs = |(x, y): (&T, &T)| bytemuck::bytes_of(x) != bytemuck::bytes_of(y);
    let first = found.iter().zip(expected).position(differs).unwrap_or(0);
    let many = found.iter().zip(expected).filter(|&pair| differs(pair)).count();
    panic!(
        "{}: {many} of {} differ, first at {first}: {:?} instead of {:?}",
        at(),
        found.len(),
        found[first],
        expected[first]
    );
}

/// Keys with many ties: a few different ones, all of which would show a sort that compares wrongly.
pub fn tied_keys<K: Key>(n: usize, values: u64) -> Vec<K> {
    let codec = K::codec(Direction::Ascending);
    let step = last_code::<K>() / u128::from(values);
    let code = |i: u64| u128::from(i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) % values) * step;
    (0..n as u64).map(|i| from_bits(codec.decode(code(i)))).collect()
}
