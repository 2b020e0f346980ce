//! Details of the command line: manual pages, help, flags of two languages, hints.

mod command;

use std::fs;

use command::{folder, heddle};

#[test]
fn every_command_has_a_manual_page() {
    let folder = folder(&[("pages/x", "")]);
    let whole = heddle(folder.path(), &["man"]).expect_status(0).stdout;
    assert!(whole.contains(".TH heddle 1"), "{whole}");
    let run = heddle(folder.path(), &["man", "run"]).expect_status(0).stdout;
    assert!(run.contains(".TH heddle-run 1") && run.contains("strategy"), "{run}");
    let answer = heddle(folder.path(), &["man", "nonsense"]).expect_status(2);
    assert!(answer.stderr.contains("no command `nonsense`") && answer.stderr.contains("explain"), "{}", answer.stderr);
    let written = heddle(folder.path(), &["man", "--all", "pages"]).expect_status(0).stdout;
    // The pages that the first one refers to are there.
    let referred: Vec<&str> = whole.lines().filter_map(|line| line.strip_suffix("(1)")).collect();
    assert!(referred.len() > 5, "{referred:?}");
    for page in referred {
        let name = format!("pages/{}.1", page.replace('\\', ""));
        assert!(written.lines().any(|line| line == name), "{name} is not among\n{written}");
        assert!(fs::read_to_string(folder.path().join(&name)).is_ok_and(|text| text.contains(".SH NAME")), "{name}");
    }
}

#[test]
fn help_says_what_concerns_the_command() {
    let folder = folder(&[]);
    let help = |command: &str| heddle(folder.path(), &[command, "--help"]).expect_status(0).stdout;
    for command in ["run", "check", "explain"] {
        let text = help(command).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("Compiler flags (-I -D -U"), "{command}: {text}");
    }
    assert!(help("explain").contains("folder of recorded traces"));
    for command in ["doctor", "man", "completions", "clean"] {
        let text = help(command);
        assert!(!text.contains("--seed") && !text.contains("--jobs") && !text.contains("--time"), "{command}: {text}");
        assert!(text.contains("--output"), "{command}: {text}");
    }
    for command in ["cc", "c++"] {
        let text = help(command);
        assert!(text.starts_with(&format!("heddle {command} compiles and links")), "{command}: {text}");
        assert!(text.contains("-fheddle-hooks") && text.contains("USAGE: clang"), "{command}: {text}");
    }
}

#[test]
fn a_standard_holds_for_its_language() {
    let c = "int add(int a, int b)\n{\n    int class = a;\n    return class + b;\n}\n";
    let cpp = "#include <optional>\nextern \"C\" int add(int, int);\n\
               int main()\n{\n    std::optional<int> sum = add(2, 3);\n    return *sum - 5;\n}\n";
    let folder = folder(&[("add.c", c), ("main.cpp", cpp)]);
    for flags in [&["-std=c++17"][..], &["-std=c99", "-std=gnu++20"], &["-std=c11"]] {
        let arguments = [&["run", "main.cpp", "add.c", "--runs", "2", "--property", "exit"], flags].concat();
        heddle(folder.path(), &arguments).expect_status(0);
    }
    // Where all files are of the other language, it is a mistake.
    let answer = heddle(folder.path(), &["run", "add.c", "-std=c++17"]).expect_status(2);
    assert!(answer.stderr.contains("-std=c++17"), "{}", answer.stderr);
}

#[test]
fn a_missing_return_gets_a_hint() {
    let source = "#include <thread>\nstatic int count;\nstatic int work(int n) { count += n; }\n\
                  int main()\n{\n    std::thread one(work, 1);\n    one.join();\n    return 0;\n}\n";
    let folder = folder(&[("a.cpp", source)]);
    let answer = heddle(folder.path(), &["run", "a.cpp", "-w", "--runs", "2"]).expect_status(1);
    assert!(answer.stderr.contains("-fno-strict-return"), "{}", answer.stderr);
    heddle(folder.path(), &["run", "a.cpp", "-w", "--runs", "2", "-fno-strict-return"]).expect_status(0);
}
