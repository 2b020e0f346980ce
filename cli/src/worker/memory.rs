//! The memory of processes, the limit of a command, and refused allocations.

use std::fs;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::{SysconfVar, sysconf};

/// The default limit.
const MOST: u64 = 8 << 30;

/// The memory size where the system does not report it.
const ASSUMED: u64 = 4 << 30;

/// Half of the machine's memory, at most 8 GiB.
pub fn default_limit() -> u64 {
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes = total.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.map_or(ASSUMED, |kilobytes| kilobytes * 1024 / 2).min(MOST)
}

/// `512M`, `2G`: a number and a unit of powers of 1024.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || "it must be a number with a unit, as in 512M or 2G".to_owned();
    let digits = text.find(|char: char| !char.is_ascii_digit() && char != '.').ok_or_else(wrong)?;
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        "T" | "t" => 40,
        _ => return Err(wrong()),
    };
    let bytes = number * (1u64 << shift) as f64;
    if bytes < LEAST as f64 {
        return Err(format!("heddle needs at least {}M", LEAST >> 20));
    }
    Ok(bytes as u64)
}

/// The smallest limit: loading LLVM alone takes most of it.
const LEAST: u64 = 192 << 20;

/// The resident memory of a process in bytes; 0 if there is no such process.
pub fn resident(process: u32) -> u64 {
    let statm = fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let pages: u64 = statm.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * sysconf(SysconfVar::PAGE_SIZE).ok().flatten().map_or(4096, |size| size as u64)
}

/// A process and the ones that it has started, and they in turn.
pub fn family(process: u32) -> Vec<u32> {
    let mut family = vec![process];
    let mut next = 0;
    while let Some(&process) = family.get(next) {
        next += 1;
        let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { continue };
        for thread in threads.flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            family.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
    }
    family
}

/// From now on the system refuses this process more memory than that, also between two checks by its parent.
pub fn limit_this_process(bytes: u64) {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_DATA) else { return };
    // Without the limit the parent's checks remain.
    let _ = setrlimit(Resource::RLIMIT_DATA, bytes.min(soft).min(hard), hard);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("1.5GiB"), Ok(3 << 29));
        assert_eq!(parse_size("2gB"), Ok(2 << 30));
        for wrong in ["", "7", "1X", "G", "-1G", "1 G", "1M", "1..2G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn this_process_has_memory() {
        let own = std::process::id();
        assert!(resident(own) > 0);
        assert_eq!(family(own).first(), Some(&own));
        assert_eq!(resident(u32::MAX), 0);
    }
}
