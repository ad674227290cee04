//! How to select.

/// The options of a selection: sorted unless said otherwise.
///
/// ```
/// use gridsort::{Device, SelectOptions};
///
/// let (values, indices) = Device::best().top_k(&[3.5f32, 9.0, -1.0, 9.0], 3, SelectOptions::new())?;
/// assert_eq!((values, indices), (vec![9.0, 9.0, 3.5], vec![1, 3, 0]));
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SelectOptions {
    /// Whether results are in order, the first one first. Which elements they are is the same either way. Where they need not
    /// be, they may be in any order, the same for the same input: today all ways to find them leave them sorted.
    pub sorted: bool,
    /// What samples are drawn by. Results are the same by any.
    pub seed: u64,
}

impl SelectOptions {
    /// Sorted results.
    ///
    /// ```
    /// assert!(gridsort::SelectOptions::new().sorted);
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Results may be in any order.
    ///
    /// ```
    /// assert!(!gridsort::SelectOptions::new().unsorted().sorted);
    /// ```
    pub fn unsorted(self) -> Self {
        Self { sorted: false, ..self }
    }

    /// Draws samples by this seed.
    ///
    /// ```
    /// assert_eq!(gridsort::SelectOptions::new().seed(7).seed, 7);
    /// ```
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }
}

impl Default for SelectOptions {
    fn default() -> Self {
        Self { sorted: true, seed: 0 }
    }
}
