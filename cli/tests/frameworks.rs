//! Tests in GoogleTest, doctest and Catch2 run as they are: a failed expectation is an assertion at the user's line. Frameworks that
//! are not installed are skipped with a message.

#![allow(clippy::print_stderr)]

mod command;

use std::path::Path;

use command::{folder, heddle};
use serde_json::Value;

const COUNTER: &str = "\
#include <thread>
struct Counter {
    int n = 0;
    void add() { int before = n; n = before + 1; }
    void add_with_two_threads() {
        std::thread one([this] { add(); }), other([this] { add(); });
        one.join();
        other.join();
    }
};
";
const WORK: &str = "400000000";

/// Runs a test program, and gives the failure.
fn failure(name: &str, source: &str, flags: &[&str], args: &[&str]) -> Value {
    let scratch = folder(&[(name, source)]);
    let mut arguments = vec!["run", name, "-std=c++17", "-pthread", "--format", "json", "--work", WORK];
    arguments.extend(flags);
    arguments.push("--");
    arguments.extend(args);
    let answer = heddle(scratch.path(), &arguments);
    assert_eq!(answer.status, 1, "{}\n{}", answer.stdout, answer.stderr);
    let found = answer.json();
    assert_eq!(found["failing"]["replayed"], true);
    found["failure"].clone()
}

fn is_installed(file: &str) -> bool {
    let found = Path::new(file).is_file();
    if !found {
        eprintln!("skipped: {file} is not installed");
    }
    found
}

fn line_of(source: &str, text: &str) -> usize {
    source.lines().position(|line| line.contains(text)).expect("the line is there") + 1
}

#[test]
fn google_test() {
    if !is_installed("/usr/src/googletest/googletest/src/gtest-all.cc") {
        return;
    }
    let source = format!(
        "#include <gtest/gtest.h>\n{COUNTER}TEST(Counter, Once) {{ Counter c; c.add(); ASSERT_EQ(c.n, 1); }}\n\
         TEST(Counter, TwoThreads) {{\n    Counter c;\n    c.add_with_two_threads();\n    EXPECT_EQ(c.n, 2);\n}}\n"
    );
    let failure = failure("t.cpp", &source, &["-lgtest", "-lgtest_main"], &["--gtest_filter=Counter.*"]);
    assert_eq!(
        (&failure["kind"], &failure["at"]["line"]),
        (&"assertion".into(), &line_of(&source, "EXPECT_EQ").into())
    );
    assert_eq!(failure["condition"], "Expected equality of these values: c.n Which is: 1 2");
}

#[test]
fn doctest() {
    if !is_installed("/usr/include/doctest/doctest.h") {
        return;
    }
    let source = format!(
        "#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include <doctest/doctest.h>\n{COUNTER}\
         TEST_CASE(\"may fail\" * doctest::may_fail()) {{\n    CHECK(1 == 2);\n}}\n\
         TEST_CASE(\"two threads\") {{\n    Counter c;\n    c.add_with_two_threads();\n    WARN(c.n == 3);\n    CHECK(c.n == 2);\n}}\n"
    );
    let failure = failure("t.cpp", &source, &[], &[]);
    assert_eq!(
        (&failure["kind"], &failure["at"]["line"]),
        (&"assertion".into(), &line_of(&source, "CHECK(c.n").into())
    );
    assert_eq!(failure["condition"], "c.n == 2");
}

#[test]
fn catch2() {
    if !is_installed("/usr/include/catch2/catch.hpp") {
        return;
    }
    let source = format!(
        "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n{COUNTER}\
         TEST_CASE(\"may fail\", \"[!mayfail]\") {{\n    CHECK(1 == 2);\n}}\n\
         TEST_CASE(\"two threads\") {{\n    Counter c;\n    c.add_with_two_threads();\n    CHECK_NOFAIL(c.n == 3);\n    REQUIRE(c.n == 2);\n}}\n"
    );
    let failure = failure("t.cpp", &source, &[], &[]);
    assert_eq!(
        (&failure["kind"], &failure["at"]["line"]),
        (&"assertion".into(), &line_of(&source, "REQUIRE(c.n").into())
    );
    assert_eq!(failure["condition"], "c.n == 2");
}
