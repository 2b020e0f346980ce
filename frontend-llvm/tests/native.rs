//! The VM agrees with native execution of C: programs are compiled and run natively, and the lowered program must have
//! the same output and exit status, whichever compiler made the bitcode.

mod snippet;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use snippet::{Folder, load_files};

const FLAGS: &[&str] = &["-std=gnu17", "-w", "-mcx16"];

struct Behaviour {
    output: String,
    status: i32,
}

fn native(folder: &Folder, source: &Path) -> Behaviour {
    let source = source.to_str().expect("a path of ours");
    let mut arguments = FLAGS.to_vec();
    arguments.extend(["-O1", source, "-o", "native", "-lm", "-lpthread"]);
    folder.compile("clang-22", &arguments).expect("clang-22 is installed");
    let output = Command::new(folder.path("native")).output().expect("the program starts");
    let status = output.status.code().unwrap_or_else(|| panic!("{source} was killed"));
    Behaviour { output: String::from_utf8_lossy(&output.stdout).into_owned(), status }
}

fn in_the_vm(file: PathBuf, flags: &[&str]) -> Behaviour {
    let loaded = load_files(&[file], flags);
    assert_eq!(loaded.unsupported, []);
    let code = Rc::new(vm::Code::new(&loaded.program));
    let execution = vm::execute(&code, &vm::Options::default(), &mut vm::strategy::Random::new(1));
    let written =
        execution.output.iter().filter(|(descriptor, _)| *descriptor == 1).flat_map(|(_, bytes)| bytes.clone());
    let output = String::from_utf8_lossy(&written.collect::<Vec<u8>>()).into_owned();
    let vm::Outcome::Passed { status } = execution.outcome else { panic!("{:?} after:\n{output}", execution.outcome) };
    Behaviour { output, status }
}

fn compare(name: &str) {
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    let expected = native(&folder, &source);
    let check = |found: Behaviour, how: &str| {
        assert_eq!(found.output, expected.output, "{name}, {how}");
        assert_eq!(found.status, expected.status, "{name}, {how}");
    };
    for level in ["-O0", "-O1"] {
        let mut flags = FLAGS.to_vec();
        flags.push(level);
        check(in_the_vm(source.clone(), &flags), level);
    }
    let path = source.to_str().expect("a path of ours");
    for compiler in ["clang-14", "clang-15", "clang-16", "clang-19", "clang-22"] {
        for level in ["-O0", "-O3"] {
            let mut arguments = FLAGS.to_vec();
            arguments.extend([level, "-march=x86-64-v3", "-c", "-emit-llvm", path, "-o", "program.bc"]);
            if folder.compile(compiler, &arguments).is_some() {
                check(in_the_vm(folder.path("program.bc"), &[]), &format!("{compiler} {level}"));
            }
        }
    }
}

#[test]
fn arguments() {
    compare("arguments.c");
}

#[test]
fn assembly() {
    compare("assembly.c");
}

#[test]
fn old_assembly() {
    compare("old_assembly.c");
}

/// C as of 1989 compiles with the current flags.
#[test]
fn old_style() {
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/old_style.c");
    let path = source.to_str().expect("a path of ours");
    folder.compile("clang-22", &["-std=gnu89", "-w", path, "-o", "native"]).expect("clang-22 is installed");
    let output = Command::new(folder.path("native")).stdin(std::process::Stdio::null()).output().expect("it starts");
    let found = in_the_vm(source, &[]);
    assert_eq!(found.output, String::from_utf8_lossy(&output.stdout));
}

#[test]
fn atomics() {
    compare("atomics.c");
}

#[test]
fn control() {
    compare("control.c");
}

#[test]
fn data() {
    compare("data.c");
}

#[test]
fn numbers() {
    compare("numbers.c");
}

/// Generated programs, as optimised bitcode.
#[test]
fn generated() {
    let folder = Folder::new();
    for seed in 0..20 {
        let source = folder.write("generated.c", generate::sequential_c(seed));
        let expected = native(&folder, &source);
        let arguments = ["-std=gnu17", "-w", "-O2", "-c", "-emit-llvm", "generated.c", "-o", "generated.bc"];
        folder.compile("clang-22", &arguments).expect("clang-22 is installed");
        let found = in_the_vm(folder.path("generated.bc"), &[]);
        assert_eq!((found.output, found.status), (expected.output, expected.status), "seed {seed}");
    }
}
