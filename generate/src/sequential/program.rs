//! The program under construction: its sections in the order of the finished file, the stream of random numbers, fresh
//! names, and the guarded operations that expressions use.

use super::integer::Integer;
use crate::random::Random;
use crate::source::Source;

pub struct Program {
    pub random: Random,
    /// Whether the compiler may fuse a multiplication with an addition. Plain x86-64 has no instruction for it, but a
    /// compiler that knows the operands may compute with one rounding: then they must not be known.
    pub contracts: bool,
    pub types: Source,
    pub globals: Source,
    pub functions: Source,
    guards: Vec<(&'static str, Integer)>,
    tests: Vec<String>,
    names: usize,
}

const INCLUDES: &str = "\
#include <alloca.h>
#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
";

/// The output functions of every program. A NaN's sign and payload depend on the compiler, so all NaNs count as one.
const PRELUDE: &str = r#"
static uint64_t checksum = 1469598103934665603u;
static void mix(uint64_t value) {
checksum = (checksum ^ value) * 1099511628211u;
checksum ^= checksum >> 29;
}
static void mix_wide(unsigned __int128 value) {
mix((uint64_t)value);
mix((uint64_t)(value >> 64));
}
static void mix_double(double value) {
uint64_t bits = 0x7ff8000000000000u;
if (value == value) memcpy(&bits, &value, sizeof bits);
mix(bits);
}
static void mix_text(const char *text) {
while (*text) mix((unsigned char)*text++);
mix(0x100);
}
static void show(const char *name, long long value) {
printf("%s = %lld\n", name, value);
mix((uint64_t)value);
}
static void show_wide(const char *name, unsigned __int128 value) {
printf("%s = %016llx:%016llx\n", name, (unsigned long long)(value >> 64), (unsigned long long)value);
mix_wide(value);
}
static void show_double(const char *name, double value) {
if (value != value) printf("%s is not a number\n", name);
else printf("%s = %.17g\n", name, value);
mix_double(value);
}
"#;

impl Program {
    pub fn new(seed: u64) -> Program {
        let mut random = Random::new(seed);
        Program {
            contracts: random.chance(40),
            random,
            types: Source::new(),
            globals: Source::new(),
            functions: Source::new(),
            guards: Vec::new(),
            tests: Vec::new(),
            names: 0,
        }
    }

    pub fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// Adds a function without parameters that `main` calls.
    pub fn test(&mut self, stem: &str, body: &Source) {
        let name = self.fresh(&format!("test_{stem}_"));
        self.functions.add(format!("static void {name}(void) {{"));
        self.functions.add(body.text());
        self.functions.add("}");
        self.tests.push(name);
    }

    /// The name of a function that computes `operator` on two values of `ty`, and a default where the operator is
    /// undefined.
    pub fn guarded(&mut self, operator: &'static str, ty: Integer) -> String {
        if !self.guards.contains(&(operator, ty)) {
            self.guards.push((operator, ty));
        }
        guard_name(operator, ty)
    }

    pub fn finish(mut self, seed: u64) -> String {
        let mut main = Source::new();
        main.add("int main(void) {");
        self.random.shuffle(&mut self.tests);
        for test in &self.tests {
            main.add(format!("{test}();"));
            main.add(format!("printf(\"{test}: %016llx\\n\", (unsigned long long)checksum);"));
        }
        let status = if self.random.chance(20) { "(int)(checksum & 0x3f)" } else { "0" };
        main.add(match self.random.below(4) {
            0 => format!("exit({status});\n}}"),
            1 => format!("fflush(stdout);\nreturn {status};\n}}"),
            _ => format!("return {status};\n}}"),
        });
        let mut prelude = Source::new();
        prelude.add(PRELUDE);
        for (operator, ty) in &self.guards {
            prelude.add(guard(operator, *ty, &mut self.random));
        }
        let sections = [&prelude, &self.types, &self.globals, &self.functions, &main];
        let body: Vec<&str> = sections.iter().map(|section| section.text()).filter(|text| !text.is_empty()).collect();
        let pragma = if self.contracts { "" } else { "#pragma STDC FP_CONTRACT OFF\n" };
        format!("// seed {seed}\n{INCLUDES}{pragma}\n{}", body.join("\n"))
    }
}

fn guard_name(operator: &str, ty: Integer) -> String {
    let verb = match operator {
        "+" => "add",
        "-" => "subtract",
        "*" => "multiply",
        "/" => "divide",
        _ => "remainder",
    };
    format!("{verb}_{}", ty.tag())
}

fn guard(operator: &str, ty: Integer, random: &mut Random) -> String {
    let (name, c) = (guard_name(operator, ty), ty.name());
    let (min, max) = (ty.literal(ty.min(), random), ty.literal(ty.max(), random));
    let undefined = match operator {
        "+" => format!("b > 0 ? a > {max} - b : a < {min} - b"),
        "-" => format!("b < 0 ? a > {max} + b : a < {min} + b"),
        "*" if ty.bits() < 128 && random.chance(50) => {
            format!("(__int128)a * b > {max} || (__int128)a * b < {min}")
        }
        "*" => format!(
            "a > 0 ? (b > 0 ? a > {max} / b : b < {min} / a) : (b > 0 ? a < {min} / b : a < 0 && b < {max} / a)"
        ),
        _ if ty.signed() => format!("b == 0 || (b == -1 && a == {min})"),
        _ => "b == 0".to_string(),
    };
    let instead = random.pick(&["a", "b", "1", "0"]);
    let builtin = match operator {
        "+" => "add",
        "-" => "sub",
        _ => "mul",
    };
    let has_builtin = ty.bits() < 128 && !matches!(operator, "/" | "%");
    if has_builtin && random.chance(40) {
        return format!(
            "static {c} {name}({c} a, {c} b) {{\n{c} result;\n\
             return __builtin_{builtin}_overflow(a, b, &result) ? {instead} : result;\n}}"
        );
    }
    format!("static {c} {name}({c} a, {c} b) {{\nreturn ({undefined}) ? {instead} : a {operator} b;\n}}")
}
