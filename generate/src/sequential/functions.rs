//! Feature: calls. Function pointers and tables of them, recursion (also mutual), static locals, callbacks with
//! context, functions that return pointers, inline functions, many parameters.

use super::expression::Scope;
use super::integer::{Integer, UP_TO_64};
use super::program::Program;
use super::statement::pure_function;
use crate::source::{Source, c};

const TOPICS: [fn(&mut Program) -> String; 9] =
    [table, recursion, mutual, statics, callbacks, returns_pointer, many_parameters, state_machine, towers];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for topic in program.random.some_of(&TOPICS, 2, 4) {
        let text = topic(program);
        body.add(format!("{{\n{text}\n}}"));
    }
    program.test("functions", &body);
}

fn table(program: &mut Program) -> String {
    let (stem, ty) = (program.fresh("op"), program.fresh("operation"));
    let bodies = [
        "a + b",
        "a - b",
        "a ^ b",
        "a * b",
        "b ? a / b : a",
        "a << (b & 31)",
        "a >> (b & 31)",
        "~a & b",
        "a < b",
        "-a",
    ];
    let chosen = program.random.some_of(&bodies, 3, 6);
    let mut names = Vec::new();
    for (index, text) in chosen.iter().enumerate() {
        let inline = program.random.pick(&["static", "static inline", "static __attribute__((noinline))"]);
        program.functions.add(format!(
            r"{inline} unsigned {stem}_{index}(unsigned a, unsigned b) {{
                    return {text};
                }}"
        ));
        names.push(format!("{stem}_{index}"));
    }
    program.types.add(format!("typedef unsigned (*{ty})(unsigned, unsigned);"));
    program.functions.add(c!("static $ty const table_$s[] = {$n};", ty = ty, s = stem, n = names.join(", ")));
    c!(
        r#"unsigned value = $v;
        for (unsigned i = 0; i < $r; i++) {
            $ty chosen = table_$s[(value + i) % $n];
            value = chosen(value, i + $k) + (chosen == $first);
            if (i % 3 == 1) value = (*table_$s[i % $n])(value, 77u);
        }
        printf("value %u\n", value);
        mix(value);"#,
        v = program.random.below(100_000),
        r = 5 + program.random.below(20),
        ty = ty,
        s = stem,
        n = chosen.len(),
        k = program.random.below(50),
        first = names[0]
    )
}

fn recursion(program: &mut Program) -> String {
    let name = program.fresh("recurse");
    let (body, call) = match program.random.below(5) {
        0 => ("long $f(int n) {\nreturn n < 2 ? n : $f(n - 1) + $f(n - 2);\n}", "$f($x)"),
        1 => (
            r"long $f(int n) {
                if (n <= 1) return 1;
                return n * $f(n - 1) % 1000003;
            }",
            "$f($x * 3)",
        ),
        2 => ("long $f(int n) {\nreturn n == 0 ? 0 : n % 10 + $f(n / 10);\n}", "$f($x * 98765)"),
        3 => (
            r"long $f(int n) {
                int here[4] = {n, n + 1, n * 2, 7};
                long sum = 0;
                if (n > 0) sum = $f(n - 1 - here[0] % 2);
                for (int i = 0; i < 4; i++) sum = (sum * 5 + here[i]) % 99991;
                return sum;
            }",
            "$f($x * 2)",
        ),
        _ => (
            r"long $f(int n) {
                if (n == 1) return 0;
                return 1 + $f(n % 2 ? 3 * n + 1 : n / 2);
            }",
            "$f($x + 1)",
        ),
    };
    program.functions.add(format!("static {}", c!(body, f = name)));
    let call = c!(call, f = name, x = 3 + program.random.below(9));
    format!("show(\"{name}\", {call});")
}

fn mutual(program: &mut Program) -> String {
    let stem = program.fresh("turn");
    program.functions.add(c!(
        r"static int ${s}_odd(unsigned n);
        static int ${s}_even(unsigned n) {
            return n == 0 ? 1 : ${s}_odd(n - 1);
        }
        static int ${s}_odd(unsigned n) {
            return n == 0 ? 0 : ${s}_even(n - 1);
        }
        static unsigned ${s}_gcd(unsigned a, unsigned b) {
            return b ? ${s}_gcd(b, a % b) : a;
        }
        static unsigned ${s}_ack(unsigned m, unsigned n) {
            return m == 0 ? n + 1 : n == 0 ? ${s}_ack(m - 1, 1) : ${s}_ack(m - 1, ${s}_ack(m, n - 1));
        }",
        s = stem
    ));
    c!(
        r#"show("even", ${s}_even($a));
        show("gcd", ${s}_gcd($b, $c));
        show("ackermann", ${s}_ack(2, $d));"#,
        s = stem,
        a = program.random.below(60),
        b = 1 + program.random.below(100_000),
        c = 1 + program.random.below(100_000),
        d = program.random.below(5)
    )
}

fn statics(program: &mut Program) -> String {
    let name = program.fresh("next");
    let ty = program.random.pick(&UP_TO_64);
    let ty = if ty.signed() { ty.unsigned() } else { ty };
    program.functions.add(c!(
        r"static $t $f(int reset) {
            static $t state = $v;
            static int calls;
            static const short steps[3] = {1, $k, 3};
            if (reset) {
                state = ($t)reset;
                calls = 0;
            }
            state += ($t)steps[calls++ % 3];
            return state;
        }",
        t = ty.name(),
        f = name,
        v = program.random.below(2),
        k = program.random.between(2, 99)
    ));
    c!(
        r#"for (int i = 0; i < $n; i++) mix((uint64_t)$f(i == $r ? 41 : 0));
        show("state", (long long)$f(0));"#,
        n = 3 + program.random.below(8),
        f = name,
        r = program.random.below(6)
    )
}

fn callbacks(program: &mut Program) -> String {
    let stem = program.fresh("each");
    program.functions.add(c!(
        r"static int ${s}_sum(void *context, int value) {
            *(long *)context += value;
            return value >= 0;
        }
        static int ${s}_last(void *context, int value) {
            int **slot = context;
            *(*slot)++ = value;
            return value != $stop;
        }
        static int ${s}(const int *list, int count, int (*visit)(void *, int), void *context) {
            int seen = 0;
            while (seen < count && visit(context, list[seen])) seen++;
            return seen;
        }",
        s = stem,
        stop = program.random.between(0, 9)
    ));
    let list: Vec<String> = (0..7).map(|_| program.random.between(-1, 9).to_string()).collect();
    c!(
        r#"int list[] = {$l}, kept[7] = {0}, *slot = kept;
        long sum = 0;
        show("seen", $s(list, 7, ${s}_sum, &sum));
        show("sum", sum);
        show("seen", $s(list, 7, &${s}_last, &slot));
        for (int *p = kept; p < slot; p++) mix((uint64_t)*p);"#,
        l = list.join(", "),
        s = stem
    )
}

fn returns_pointer(program: &mut Program) -> String {
    let stem = program.fresh("find");
    program.functions.add(c!(
        r"static const char *${s}(const char *text, char wanted) {
            for (; *text; text++)
            if (*text == wanted) return text;
            return 0;
        }
        static int *${s}_cell(int row) {
            static int cells[4];
            return &cells[row & 3];
        }
        static int (*${s}_row(int which))[2] {
            static int rows[2][2] = {{1, 2}, {3, $k}};
            return &rows[which];
        }",
        s = stem,
        k = program.random.between(0, 99)
    ));
    c!(
        r#"const char *text = "pointer to a character", *at = $s(text, '$c');
        show("at", at ? at - text : -1);
        for (int i = 0; i < 9; i++) *${s}_cell(i) += i * $k;
        show("cell", *${s}_cell(1) * 100 + *${s}_cell(3));
        show("row", (*${s}_row(1))[1] - (*${s}_row(0))[0]);"#,
        s = stem,
        c = program.random.pick(&['o', 'x', 'h', ' ', 'r', 'z']),
        k = program.random.between(1, 20)
    )
}

fn many_parameters(program: &mut Program) -> String {
    let name = program.fresh("many");
    let count = 7 + program.random.below(8);
    let mut parameters = Vec::new();
    let mut arguments = Vec::new();
    let mut lines = Vec::new();
    for index in 0..count {
        let float = program.random.chance(40);
        let ty = if float {
            program.random.pick(&["float", "double", "long double"])
        } else {
            Integer::any(&mut program.random).name()
        };
        parameters.push(format!("{ty} x{index}"));
        arguments.push(program.random.between(-120, 120).to_string());
        lines.push(if float { format!("mix_double((double)x{index} / 3);") } else { format!("mix_wide(x{index});") });
    }
    program.functions.add(format!("static void {name}({}) {{\n{}\n}}", parameters.join(", "), lines.join("\n")));
    format!("{name}({});", arguments.join(", "))
}

fn state_machine(program: &mut Program) -> String {
    let stem = program.fresh("state");
    program.functions.add(c!(
        r"struct ${s}_machine;
        typedef void (*${s}_step)(struct ${s}_machine *);
        struct ${s}_machine {
            ${s}_step now;
            unsigned count, seen;
        };
        static void ${s}_idle(struct ${s}_machine *m);
        static void ${s}_busy(struct ${s}_machine *m) {
            m->seen = m->seen * 3 + 1;
            if (m->seen % $k == 0 || m->count > 12) m->now = ${s}_idle;
        }
        static void ${s}_idle(struct ${s}_machine *m) {
            m->seen ^= m->count;
            m->now = m->count % 4 == 3 ? 0 : ${s}_busy;
        }",
        s = stem,
        k = 2 + program.random.below(5)
    ));
    c!(
        r#"struct ${s}_machine machine = {.now = ${s}_idle, .seen = $v};
        while (machine.now && machine.count < 20) {
            machine.count++;
            machine.now(&machine);
        }
        show("count", machine.count);
        show("seen", machine.seen);"#,
        s = stem,
        v = program.random.below(100)
    )
}

/// Functions at random, called from each other.
fn towers(program: &mut Program) -> String {
    let mut scope = Scope { affordable: 1000, ..Scope::default() };
    for _ in 0..2 {
        let function = pure_function(program, &scope);
        scope.functions.push(function);
    }
    let mut text = String::new();
    for function in &scope.functions {
        let arguments: Vec<String> =
            function.parameters.iter().map(|_| program.random.between(-1000, 1000).to_string()).collect();
        text.push_str(&format!("show_wide(\"{0}\", {0}({1}));\n", function.name, arguments.join(", ")));
    }
    text
}
