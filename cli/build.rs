//! Builds the recorder, which the command carries and links into programs.

#[path = "../runtime/recorder/library.rs"]
mod library;

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    if let Err(message) = library::build(&root, &out) {
        for line in message.lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}
