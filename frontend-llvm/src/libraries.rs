//! Libraries that come as sources: `-lgtest` stands for the sources of GoogleTest, which Debian's packages install beside the
//! library. A library's native code has no bitcode that could be run.

use std::path::{Path, PathBuf};

struct Library {
    /// As `-l` names it.
    name: &'static str,
    source: &'static str,
    /// The folder whose files the source includes.
    include: &'static str,
}

const GTEST: &str = "/usr/src/googletest/googletest";
const GMOCK: &str = "/usr/src/googletest/googlemock";

const LIBRARIES: &[Library] = &[
    Library { name: "gtest", source: "/usr/src/googletest/googletest/src/gtest-all.cc", include: GTEST },
    Library { name: "gtest_main", source: "/usr/src/googletest/googletest/src/gtest_main.cc", include: GTEST },
    Library { name: "gmock", source: "/usr/src/googletest/googlemock/src/gmock-all.cc", include: GMOCK },
    Library { name: "gmock_main", source: "/usr/src/googletest/googlemock/src/gmock_main.cc", include: GMOCK },
];

/// The sources of the libraries that the flags name, as far as they are installed, and further flags to compile them with.
pub fn sources(flags: &[String]) -> (Vec<PathBuf>, Vec<String>) {
    let mut names: Vec<&str> = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        match flag.strip_prefix("-l") {
            Some("") => names.extend(flags.next().map(String::as_str)),
            Some(name) => names.push(name),
            None => {}
        }
    }
    let named = |library: &&Library| names.contains(&library.name) && Path::new(library.source).is_file();
    let found: Vec<&Library> = LIBRARIES.iter().filter(named).collect();
    let mut includes: Vec<String> = found.iter().map(|library| format!("-I{}", library.include)).collect();
    includes.dedup();
    includes.extend((!found.is_empty()).then(|| "-w".to_owned()));
    (found.iter().map(|library| PathBuf::from(library.source)).collect(), includes)
}
