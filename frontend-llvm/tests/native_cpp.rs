//! The VM agrees with native execution of C++: written and generated programs are compiled and run natively, and must
//! have the same output and exit status in the VM.

mod snippet;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use snippet::{Folder, load_files};

const INPUT: &str = "17 foo\n";

#[derive(Debug, PartialEq)]
struct Behaviour {
    output: String,
    status: i32,
}

fn native(program: &Path) -> Behaviour {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("it was asked for");
    // A program that does not read may have ended before its input is written.
    let _ = stdin.write_all(INPUT.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    let status = output.status.code().unwrap_or_else(|| panic!("{} was killed", program.display()));
    Behaviour { output: String::from_utf8_lossy(&output.stdout).into_owned(), status }
}

fn in_the_vm(file: PathBuf, flags: &[&str]) -> Behaviour {
    let loaded = load_files(&[file], flags);
    assert_eq!(loaded.unsupported, []);
    let code = Rc::new(vm::Code::new(&loaded.program));
    let options = vm::Options { stdin: INPUT.into(), ..vm::Options::default() };
    let execution = vm::execute(&code, &options, &mut vm::strategy::Random::new(1));
    let written =
        execution.output.iter().filter(|(descriptor, _)| *descriptor == 1).flat_map(|(_, bytes)| bytes.clone());
    let output = String::from_utf8_lossy(&written.collect::<Vec<u8>>()).into_owned();
    let vm::Outcome::Passed { status } = execution.outcome else { panic!("{:?} after:\n{output}", execution.outcome) };
    Behaviour { output, status }
}

/// Compiles a program natively, and runs it here and there under a standard of the language.
fn compare(name: &str, standard: &str) {
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    let path = source.to_str().expect("a path of ours");
    let arguments = ["--driver-mode=g++", standard, "-w", "-O1", path, "-o", "native", "-pthread", "-latomic"];
    folder.compile("clang-22", &arguments).expect("clang-22 is installed");
    assert_eq!(in_the_vm(source, &[standard, "-w"]), native(&folder.path("native")), "{name}, {standard}");
}

#[test]
fn classes() {
    compare("classes.cpp", "-std=c++14");
}

#[test]
fn language() {
    compare("language.cpp", "-std=c++14");
}

#[test]
fn exceptions() {
    compare("exceptions.cpp", "-std=c++17");
}

#[test]
fn statics() {
    compare("statics.cpp", "-std=c++11");
}

#[test]
fn containers() {
    compare("containers.cpp", "-std=c++17");
}

#[test]
fn streams() {
    compare("streams.cpp", "-std=c++17");
}

#[test]
fn threads() {
    compare("threads.cpp", "-std=c++17");
}

#[test]
fn replaced_new() {
    compare("replaced_new.cpp", "-std=c++14");
}

#[test]
fn tasks() {
    compare("tasks.cpp", "-std=c++20");
}

#[test]
fn cxx20() {
    compare("cxx20.cpp", "-std=c++20");
}

/// Several generated programs in one file, which is compiled once: to bitcode, from which both sides start.
fn generated(seeds: std::ops::Range<u64>) {
    let folder = Folder::new();
    folder.write("generated.cpp", generate::sequential_cpp(seeds));
    let to_bitcode = ["--driver-mode=g++", "-std=c++17", "-w", "-O1", "-Xclang", "-disable-llvm-passes", "-c"];
    let compile = [&to_bitcode[..], &["-emit-llvm", "generated.cpp", "-o", "generated.bc"]].concat();
    folder.compile("clang-22", &compile).expect("clang-22 is installed");
    let link = ["--driver-mode=g++", "-O0", "generated.bc", "-o", "native"];
    folder.compile("clang-22", &link).expect("clang-22 is installed");
    let (expected, found) = (native(&folder.path("native")), in_the_vm(folder.path("generated.bc"), &[]));
    let mut seed = String::new();
    for (expected, found) in expected.output.lines().zip(found.output.lines()) {
        if expected.starts_with("seed ") {
            seed = expected.to_owned();
        }
        assert_eq!(found, expected, "{seed}");
    }
    assert_eq!(found, expected);
}

#[test]
fn generated_1() {
    generated(0..26);
}

#[test]
fn generated_2() {
    generated(26..52);
}

#[test]
fn generated_3() {
    generated(52..78);
}

#[test]
fn generated_4() {
    generated(78..104);
}
