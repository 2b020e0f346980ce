//! Random sequential C++ programs with one correct output each: lifetimes and exceptions, classes, containers, and
//! values that behave like functions or pointers.
//!
//! Reading the library's headers takes most of the compile time, so several programs share a file: each is in a
//! namespace of its own, prints its seed first, and is independent of the others.

mod lifetimes;
mod classes;
mod containers;
mod values;

use crate::random::Random;
use crate::source::Source;

const INCLUDES: &str = "\
#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>
";

/// A part of a program: the declarations before its function `run`, and the statements in it.
struct Part {
    declarations: String,
    statements: String,
}

/// The programs of several seeds as one file.
pub fn sequential_cpp(seeds: std::ops::Range<u64>) -> String {
    let mut source = Source::new();
    let mut calls = String::new();
    for seed in seeds {
        let mut random = Random::new(seed);
        let mut parts = vec![lifetimes::draw(&mut random)];
        let others: [fn(&mut Random) -> Part; 5] =
            [classes::draw, containers::draw, values::functions, values::pointers, values::streams];
        parts.extend(random.some_of(&others, 2, 4).into_iter().map(|draw| draw(&mut random)));
        random.shuffle(&mut parts);
        source.add(format!("namespace program_{seed} {{"));
        for part in &parts {
            source.add(&part.declarations);
        }
        source.add("void run() {");
        for part in &parts {
            source.add("{");
            source.add(&part.statements);
            source.add("}");
        }
        source.add("}\n}");
        calls.push_str(&format!("std::cout << \"seed {seed}\\n\";\nprogram_{seed}::run();\n"));
    }
    source.add("int main() {");
    source.add(&calls);
    source.add("return 0;\n}");
    format!("{INCLUDES}\n{}", source.text())
}
