//! Which inputs are measured where the options leave it open.
use gridsort::DeviceKind;

use super::Args;
use super::cases::Case;
use super::inputs::Distribution;

/// The host's sorts of more uniformly random keys than this only take time, as a power of two.
const HOST_MOST: u8 = 26;
/// The same of other keys.
const HOST_MOST_OTHER: u8 = 24;
/// Above, only keys alone are sorted by default: the rest moves in step with them.
const ALL_CASES_MOST: u8 = 28;

/// An input to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) log2: u8,
    pub(super) distribution: Distribution,
    pub(super) cases: Vec<Case>,
    /// Whether the host's sorts are measured too, where peers are.
    pub(super) host: bool,
}

/// Sizes to measure, and the one at which distributions are compared.
fn sizes(kind: DeviceKind, quick: bool) -> (&'static [u8], u8) {
    match (kind, quick) {
        (DeviceKind::Emulator, true) => (&[10, 12], 10),
        (DeviceKind::Emulator, false) => (&[10, 12, 14], 12),
        (DeviceKind::Cpu, true) => (&[10, 16, 20], 16),
        (DeviceKind::Cpu, false) => (&[10, 12, 14, 16, 18, 20, 22, 24], 20),
        (DeviceKind::Cuda, true) => (&[10, 16, 20, 24], 24),
        (DeviceKind::Cuda, false) => (&[10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30], 26),
    }
}

/// Every input that the options ask for.
pub(super) fn of(args: &Args, kind: DeviceKind) -> Vec<Wanted> {
    let (sizes, compared) = sizes(kind, args.quick);
    let log2: Vec<u8> = args.log2.iter().flat_map(|sizes| sizes.0.iter().copied()).collect();
    let distributions: Vec<Distribution> = args.distribution.iter().flat_map(|some| some.0.iter().copied()).collect();
    let sizes = match (&log2[..], &args.cases[..]) {
        // Sizes at which engines are compared.
        ([], [Case::Grid]) if kind == DeviceKind::Cuda => &[24, 28],
        ([], _) => sizes,
        (asked, _) => asked,
    };
    let all = if args.cases.is_empty() { &Case::ALL[..] } else { &args.cases };
    let one_size = sizes.len() == 1 && !args.log2.is_empty();
    let wanted = |log2: u8, distribution, cases: &[Case]| {
        let most = if distribution == Distribution::Uniform { HOST_MOST } else { HOST_MOST_OTHER };
        // Where one size is asked for, so is all that can be said about it.
        let host = log2 <= most || one_size;
        Wanted { log2, distribution, cases: cases.to_vec(), host }
    };
    let asked = if distributions.is_empty() { &[Distribution::Uniform][..] } else { &distributions };
    let mut points = Vec::new();
    for &distribution in asked {
        for &log2 in sizes {
            let open = args.log2.is_empty() && args.cases.is_empty();
            let cases = if open && log2 > ALL_CASES_MOST { &[Case::Keys][..] } else { all };
            points.push(wanted(log2, distribution, cases));
        }
    }
    // Nothing asked for: other distributions at one size, for sorts of keys.
    if args.distribution.is_empty() && args.log2.is_empty() && !args.quick && all.contains(&Case::Keys) {
        let others = Distribution::ALL.into_iter().filter(|&other| other != Distribution::Uniform);
        points.extend(others.map(|distribution| wanted(compared, distribution, &[Case::Keys])));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn points(options: &str) -> Vec<(u8, Distribution)> {
        let cli = Cli::parse_from(std::iter::once("bench").chain(options.split_whitespace()));
        of(&cli.args, DeviceKind::Cuda).into_iter().map(|wanted| (wanted.log2, wanted.distribution)).collect()
    }

    #[test]
    fn every_distribution_is_there_once_at_one_size() {
        let points = points("");
        for distribution in Distribution::ALL {
            assert!(points.contains(&(26, distribution)), "{distribution}");
        }
        assert_eq!(points.len(), 11 + Distribution::ALL.len() - 1);
    }

    #[test]
    fn options_narrow_it() {
        assert_eq!(points("--log2 12"), [(12, Distribution::Uniform)]);
        assert!(points("--quick").iter().all(|&(log2, d)| d == Distribution::Uniform && log2 <= 24));
        let asked = points("--distribution zipf,few --log2 10,12");
        assert_eq!(asked.len(), 4);
        assert!(asked.contains(&(12, Distribution::Few)));
        assert_eq!(points("--log2 10,16-20").len(), 6);
        assert_eq!(points("--distribution all --log2 12").len(), Distribution::ALL.len());
        assert_eq!(points("--case merge").len(), 11);
        assert_eq!(points("--case grid"), [(24, Distribution::Uniform), (28, Distribution::Uniform)]);
        assert_eq!(points("--case grid --log2 20"), [(20, Distribution::Uniform)]);
    }
}
