//! Options that may name several values at once: ranges of sizes, and all distributions.
use std::str::FromStr;

use clap::ValueEnum;

use super::inputs::Distribution;

/// Sizes above, as powers of two, do not fit where anything is measured.
const MOST: u8 = 34;

/// A size, as a power of two, or a range of them with both its ends: 20, or 16-20.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub(super) Vec<u8>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let size = |text: &str| match text.parse() {
            Ok(size @ 0..=MOST) => Ok(size),
            _ => Err(format!("{text:?} is no power of two from 0 to {MOST}, and no range of them such as 16-20")),
        };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (size(first)?, size(last)?);
        if first > last {
            return Err(format!("a range begins with the smaller size: {last}-{first}"));
        }
        Ok(Sizes((first..=last).collect()))
    }
}

/// A distribution, or `all` of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distributions(pub(super) Vec<Distribution>);

impl FromStr for Distributions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Distributions(Distribution::ALL.to_vec()));
        }
        let named = <Distribution as ValueEnum>::from_str(text, false);
        let names = || Distribution::ALL.map(|distribution| distribution.to_string()).join(", ");
        named.map(|one| Distributions(vec![one])).map_err(|_| format!("expected all, or some of {}", names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ranges_of_them() {
        let sizes = |text: &str| text.parse::<Sizes>().map(|sizes| sizes.0);
        assert_eq!(sizes("12"), Ok(vec![12]));
        assert_eq!(sizes("16-18"), Ok(vec![16, 17, 18]));
        assert_eq!(sizes("34-34"), Ok(vec![34]));
        for wrong in ["", "-", "3-", "-3", "x", "35", "1-40", "300", "1-2-3"] {
            assert!(sizes(wrong).unwrap_err().contains("16-20"), "{wrong}");
        }
        assert!(sizes("18-16").unwrap_err().contains("16-18"));
    }

    #[test]
    fn all_distributions_or_one() {
        assert_eq!("all".parse::<Distributions>().unwrap().0, Distribution::ALL);
        assert_eq!("zipf".parse::<Distributions>().unwrap().0, [Distribution::Zipf]);
        assert!("gauss".parse::<Distributions>().unwrap_err().contains("organ-pipe"));
    }
}
