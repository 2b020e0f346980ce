//! The repository obeys its rules. One test for each rule, so that a failure names it.

use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;

use tidy::{Finding, Tree, architecture, corpus, exceptions, files, manifests, markers, modules, safety, sizes};

static TREE: LazyLock<Tree> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Tree::read(&root).expect("the repository can be read")
});

fn expect_none(findings: &[Finding]) {
    let list: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(list.is_empty(), "\n{}\n", list.join("\n"));
}

#[test]
fn the_repository_is_read() {
    for path in ["Cargo.toml", "tidy/src/lib.rs", "fuzz/Cargo.toml"] {
        assert!(TREE.file(path).is_some(), "{path}");
    }
}

#[test]
fn files_open_with_their_purpose() {
    expect_none(&files::headers(&TREE));
    expect_none(&files::models(&TREE));
}

#[test]
fn files_are_not_too_long() {
    for finding in files::nearly_too_long(&TREE) {
        // Past the test's capture: a file that grows should be seen before it is too long.
        let _ = writeln!(std::io::stderr(), "note: {finding}");
    }
    expect_none(&files::too_long(&TREE));
}

#[test]
fn names_say_what_things_are() {
    expect_none(&files::names(&TREE));
}

#[test]
fn nothing_is_unfinished() {
    expect_none(&markers::unfinished(&TREE));
}

#[test]
fn nothing_names_a_machine() {
    expect_none(&markers::machine_paths(&TREE));
}

#[test]
fn unchecked_code_has_reasons() {
    expect_none(&safety::reasons(&TREE));
}

#[test]
fn manifests_agree_with_folders() {
    expect_none(&manifests::crates(&TREE));
}

#[test]
fn the_map_names_what_exists() {
    expect_none(&architecture::paths(&TREE));
}

#[test]
fn the_map_tells_the_dependencies() {
    expect_none(&architecture::crates(&TREE));
}

#[test]
fn the_corpus_is_complete() {
    expect_none(&corpus::expectations(&TREE));
}

#[test]
fn modules_use_each_other_in_one_direction() {
    expect_none(&modules::cycles(&TREE));
}

#[test]
fn functions_are_not_too_long() {
    expect_none(&sizes::long_functions(&TREE));
}

#[test]
fn types_do_not_have_too_many_fields() {
    expect_none(&sizes::large_types(&TREE));
}

#[test]
fn exceptions_have_reasons() {
    expect_none(&exceptions::have_reasons(&TREE));
}
