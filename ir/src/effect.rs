//! Functions through which a program reads its environment, and their exact effects.
//!
//! Their results do not depend on the program's computation, so a recorder stores them, and a replay of the recorded
//! path takes them from the record.

/// The effects of an input function besides its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    pub name: &'static str,
    pub buffers: &'static [Buffer],
}

/// Memory that an input function fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub at: At,
    pub length: Length,
}

/// The address of a buffer. A null pointer is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// An argument is the address.
    Argument(usize),
    /// An argument points to the address.
    Behind(usize),
    Result,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Bytes(u64),
    /// As many bytes as the result, if that is positive, plus `more`.
    Result {
        more: u64,
    },
    /// As many objects as the result, of the size in an argument.
    Objects {
        size: usize,
    },
    /// Up to the terminating zero of a text, if the result is not zero.
    Text,
}

const fn nothing(name: &'static str) -> Effect {
    Effect { name, buffers: &[] }
}

const fn counted(name: &'static str) -> Effect {
    Effect { name, buffers: &[Buffer { at: At::Argument(1), length: Length::Result { more: 0 } }] }
}

const fn text(name: &'static str) -> Effect {
    Effect { name, buffers: &[Buffer { at: At::Argument(0), length: Length::Text }] }
}

const fn answered_text(name: &'static str) -> Effect {
    Effect { name, buffers: &[Buffer { at: At::Result, length: Length::Text }] }
}

macro_rules! filled {
    ($name:literal, $argument:literal, $bytes:literal) => {
        Effect { name: $name, buffers: &[Buffer { at: At::Argument($argument), length: Length::Bytes($bytes) }] }
    };
}

const LINE: &[Buffer] = &[Buffer { at: At::Behind(0), length: Length::Result { more: 1 } }];
const OBJECTS: &[Buffer] = &[Buffer { at: At::Argument(0), length: Length::Objects { size: 1 } }];

/// In the order of their names, which is also their numbering.
pub const EFFECTS: &[Effect] = &[
    nothing("_IO_getc"),
    nothing("_ZNSt6chrono3_V212steady_clock3nowEv"),
    nothing("_ZNSt6chrono3_V212system_clock3nowEv"),
    nothing("_ZNSt6thread20hardware_concurrencyEv"),
    Effect { name: "__getdelim", buffers: LINE },
    nothing("accept"),
    nothing("access"),
    nothing("clock"),
    filled!("clock_getres", 1, 16),
    filled!("clock_gettime", 1, 16),
    nothing("close"),
    nothing("connect"),
    nothing("creat"),
    nothing("drand48"),
    nothing("fclose"),
    nothing("fcntl"),
    nothing("feof"),
    nothing("ferror"),
    nothing("fflush"),
    nothing("fgetc"),
    nothing("fgetc_unlocked"),
    text("fgets"),
    nothing("fileno"),
    nothing("fopen"),
    nothing("fopen64"),
    Effect { name: "fread", buffers: OBJECTS },
    nothing("fseek"),
    nothing("fseeko"),
    filled!("fstat", 1, 144),
    filled!("fstat64", 1, 144),
    nothing("ftell"),
    nothing("ftello"),
    nothing("ftruncate"),
    nothing("fwrite"),
    nothing("get_nprocs"),
    nothing("getc"),
    nothing("getc_unlocked"),
    nothing("getchar"),
    nothing("getchar_unlocked"),
    text("getcwd"),
    Effect { name: "getdelim", buffers: LINE },
    nothing("getegid"),
    answered_text("getenv"),
    nothing("geteuid"),
    nothing("getgid"),
    Effect { name: "getline", buffers: LINE },
    nothing("getpagesize"),
    nothing("getpid"),
    nothing("getppid"),
    Effect { name: "getrandom", buffers: &[Buffer { at: At::Argument(0), length: Length::Result { more: 0 } }] },
    filled!("getrlimit", 1, 16),
    filled!("getrusage", 1, 144),
    text("gets"),
    nothing("gettid"),
    filled!("gettimeofday", 0, 16),
    nothing("getuid"),
    nothing("gzclose"),
    nothing("gzgetc"),
    Effect { name: "gzgets", buffers: &[Buffer { at: At::Argument(1), length: Length::Text }] },
    counted("gzread"),
    nothing("isatty"),
    nothing("lrand48"),
    nothing("lseek"),
    nothing("lseek64"),
    filled!("lstat", 1, 144),
    nothing("mkdir"),
    nothing("mrand48"),
    nothing("open"),
    nothing("open64"),
    filled!("pipe", 0, 8),
    nothing("posix_fadvise"),
    counted("pread"),
    counted("pread64"),
    nothing("pwrite"),
    nothing("rand"),
    nothing("random"),
    counted("read"),
    counted("recv"),
    counted("recvfrom"),
    nothing("remove"),
    nothing("rename"),
    nothing("sched_getcpu"),
    answered_text("secure_getenv"),
    nothing("send"),
    nothing("sendto"),
    nothing("socket"),
    filled!("stat", 1, 144),
    filled!("stat64", 1, 144),
    nothing("sysconf"),
    nothing("system"),
    filled!("time", 0, 8),
    filled!("times", 0, 32),
    nothing("ungetc"),
    nothing("unlink"),
    nothing("write"),
];

/// The effects of an input function, and its number.
pub fn effect(name: &str) -> Option<(usize, &'static Effect)> {
    let number = EFFECTS.binary_search_by_key(&name, |effect| effect.name).ok()?;
    Some((number, &EFFECTS[number]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_in_order_and_found() {
        let mut sorted: Vec<&str> = EFFECTS.iter().map(|effect| effect.name).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let names: Vec<&str> = EFFECTS.iter().map(|effect| effect.name).collect();
        assert_eq!(names, sorted);
        assert!(effect("read").is_some_and(|(_, effect)| effect.buffers.len() == 1));
        assert_eq!(effect("strlen"), None);
    }
}
