//! Feature: typical control flow: sequencing operators, loops with several exits, switches that fall through or jump
//! into a loop, `goto`.

use super::program::Program;
use crate::source::{Source, c};

const TOPICS: [fn(&mut Program) -> String; 5] = [sequencing, loops, fall_through, unrolled_copy, jumps];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for topic in program.random.some_of(&TOPICS, 2, 3) {
        let text = topic(program);
        body.add(format!("{{\n{text}\n}}"));
    }
    program.test("flow", &body);
}

fn sequencing(program: &mut Program) -> String {
    let name = program.fresh("touch");
    program.functions.add(c!(
        r"static int $f(int *count, int result) {
            ++*count;
            return result;
        }",
        f = name
    ));
    c!(
        r#"int count = 0, a = $a, b;
        b = (a++, a *= 2, a - 1);
        show("comma", a * 1000 + b);
        show("and", $f(&count, 0) && $f(&count, 1));
        show("or", $f(&count, $c) || $f(&count, 1));
        int calls = count;
        show("calls", calls);
        b = a > $b ? $f(&count, 5) : a < -3 ? $f(&count, 6) + 1 : 7;
        show("nested", b);
        b = !!a ?: 9;
        show("elvis", (a & $c ?: 8) + b);
        int i = 0, list[4] = {0};
        list[i++] = 5;
        list[i] = i;
        i += 2;
        list[i--] = 9;
        int sum = 0;
        for (int x = 0, y = 3; x < y; x++, y--) sum += list[x] * 10 + list[y];
        show("sum", sum + i);"#,
        f = name,
        a = program.random.between(-9, 9),
        b = program.random.between(-9, 9),
        c = program.random.below(2)
    )
}

fn loops(program: &mut Program) -> String {
    c!(
        r#"int found = 0, rounds = 0;
        for (int i = 2; found < $n; i++) {
            int prime = 1;
            for (int j = 2; j * j <= i; j++) {
                if (i % j) continue;
                prime = 0;
                break;
            }
            if (!prime) continue;
            found++;
            mix((uint64_t)i);
        }
        do {
            if (++rounds % $m == 0) continue;
            if (rounds > 40) break;
        } while (rounds < $k);
        show("rounds", rounds);
        for (;;) {
            if (--rounds < 0) break;
            rounds -= rounds / 3;
            mix((uint64_t)rounds);
        }
        while (rounds++ < 3);
        show("left", rounds);"#,
        n = 3 + program.random.below(15),
        m = 2 + program.random.below(5),
        k = 5 + program.random.below(60)
    )
}

fn fall_through(program: &mut Program) -> String {
    let function = program.fresh("classify");
    let ty = program.random.pick(&["int", "unsigned char", "long", "uint64_t", "short", "char"]);
    program.functions.add(c!(
        r"static int $f($t value) {
            int result = 0;
            switch (value) {
                case 0: return -1;
                case 1 ... $a: result += 1;
                case 'a' ... 'c': result += 10;
                break;
                default: result += 100;
                __attribute__((fallthrough));
                case 60: case 61: result += 1000;
                if (value & 1) break;
                result++;
                break;
                case 127: {
                    int inner = value % 5;
                    switch (inner) {
                        case 2: result = 7;
                        default: result += inner;
                    }
                }
            }
            return result;
        }",
        f = function,
        t = ty,
        a = 2 + program.random.below(40)
    ));
    c!(
        r#"for (int i = 0; i < 128; i += $s) mix((uint64_t)$f(($t)i));
        show("class", $f(($t)$x) + $f(127));"#,
        s = 1 + program.random.below(9),
        f = function,
        t = ty,
        x = program.random.below(128)
    )
}

/// A switch that jumps into a loop.
fn unrolled_copy(program: &mut Program) -> String {
    let function = program.fresh("unrolled");
    program.functions.add(c!(
        r"static void $f(char *to, const char *from, int count) {
            if (count <= 0) return;
            int n = (count + 3) / 4;
            switch (count % 4) {
                case 0: do {
                    *to++ = *from++;
                    case 3: *to++ = *from++;
                    case 2: *to++ = *from++;
                    case 1: *to++ = *from++;
                } while (--n > 0);
            }
        }",
        f = function
    ));
    c!(
        r#"char to[24] = {0};
        $f(to, "duff was here, and there", $n);
        puts(to);"#,
        f = function,
        n = program.random.below(24)
    )
}

fn jumps(program: &mut Program) -> String {
    c!(
        r#"int i = 0, j = 0, steps = 0;
        again:
        steps++;
        for (i = 0; i < 5; i++) {
            for (j = 0; j < 5; j++) {
                if (i * j == $x) goto found;
                if (steps > 3) goto done;
            }
        }
        mix(77);
        if (steps < $n) goto again;
        goto done;
        found:
        mix((uint64_t)(i * 10 + j));
        if (steps < 3) goto again;
        done:
        show("steps", steps * 100 + i * 10 + j);"#,
        x = program.random.below(20),
        n = 1 + program.random.below(5)
    )
}
