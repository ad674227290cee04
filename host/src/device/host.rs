//! Facts about the host's own memory, for the devices that live in it.
use super::MemoryInfo;

/// Free and total memory of the machine, where the system tells.
pub(crate) fn memory() -> Option<MemoryInfo> {
    parse(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn parse(text: &str) -> Option<MemoryInfo> {
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    };
    Some(MemoryInfo { free: field("MemAvailable")?, total: field("MemTotal")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_table_is_read() {
        let text = "MemTotal:       16 kB\nMemFree:  1 kB\nMemAvailable:    8 kB\n";
        assert_eq!(parse(text), Some(MemoryInfo { free: 8192, total: 16384 }));
        assert_eq!(parse("MemTotal: 16 kB\n"), None);
        assert_eq!(parse("MemTotal: x kB\nMemAvailable: 1 kB\n"), None);
    }
}
