//! Numbers as a person reads them.
use std::time::Duration;

/// A time, with three significant digits and the unit that suits it.
pub fn time(t: Duration) -> String {
    let s = t.as_secs_f64();
    match s {
        s if s < 1e-3 => format!("{} µs", three_digits(s * 1e6)),
        s if s < 1.0 => format!("{} ms", three_digits(s * 1e3)),
        s => format!("{} s", three_digits(s)),
    }
}

/// A rate of keys a second.
pub fn rate(keys_per_second: f64) -> String {
    match keys_per_second {
        r if r >= 1e9 => format!("{} Gkeys/s", three_digits(r / 1e9)),
        r if r >= 1e6 => format!("{} Mkeys/s", three_digits(r / 1e6)),
        r => format!("{} kkeys/s", three_digits(r / 1e3)),
    }
}

/// A size in bytes.
pub fn bytes(n: u64) -> String {
    match n as f64 {
        b if b >= 1e9 => format!("{} GB", three_digits(b / 1e9)),
        b if b >= 1e6 => format!("{} MB", three_digits(b / 1e6)),
        b if b >= 1e3 => format!("{} kB", three_digits(b / 1e3)),
        _ => format!("{n} bytes"),
    }
}

/// Three significant digits, without an exponent.
pub fn three_digits(x: f64) -> String {
    match x.abs() {
        a if a < 9.995 => format!("{x:.2}"),
        a if a < 99.95 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_significant_digits() {
        assert_eq!(three_digits(1.234), "1.23");
        assert_eq!(three_digits(9.996), "10.0");
        assert_eq!(three_digits(99.96), "100");
        assert_eq!(time(Duration::from_micros(1500)), "1.50 ms");
        assert_eq!(rate(21.5e9), "21.5 Gkeys/s");
        assert_eq!(bytes(512), "512 bytes");
    }
}
