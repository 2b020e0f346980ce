//! Every program of the corpus can be lowered, is well-formed, and has no unsupported construct.

mod snippet;

use std::fs;
use std::path::{Path, PathBuf};

fn programs() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut files = Vec::new();
    for folder in fs::read_dir(corpus).expect("the corpus is there").flatten() {
        let Ok(entries) = fs::read_dir(folder.path()) else { continue };
        files.extend(
            entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "c")),
        );
    }
    files.sort();
    files
}

#[test]
fn all_programs_are_lowered() {
    let programs = programs();
    assert!(programs.len() > 10, "the corpus has programs");
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for hand in programs.chunks(programs.len().div_ceil(workers)) {
            scope.spawn(move || {
                for file in hand {
                    let loaded = snippet::load_files(std::slice::from_ref(file), &[]);
                    assert_eq!(loaded.unsupported, [], "{}", file.display());
                }
            });
        }
    });
}
