//! Feature: functions with variable arguments of every kind that the calling convention distinguishes, more than fit
//! into registers; `va_copy`, and lists passed on to other functions.

use super::program::Program;
use crate::source::{Source, c};

/// A letter in the list of kinds, the type (or the stem of a struct's name), and how an argument is reported.
const KINDS: [(char, &str, &str); 14] = [
    ('i', "int", "mix((uint64_t)va_arg(list, int));"),
    ('u', "unsigned", "mix(va_arg(list, unsigned));"),
    ('l', "long", "mix((uint64_t)va_arg(list, long));"),
    ('q', "long long", "mix((uint64_t)va_arg(list, long long));"),
    ('c', "int", "mix((unsigned char)va_arg(list, int));"),
    ('d', "double", "mix_double(va_arg(list, double));"),
    ('e', "double", "mix_double(va_arg(list, double) / 3);"),
    ('L', "long double", "mix_double((double)va_arg(list, long double));"),
    ('s', "char *", "mix_text(va_arg(list, char *));"),
    ('p', "int *", "mix((uint64_t)++*va_arg(list, int *));"),
    ('x', "__int128", "mix_wide((unsigned __int128)va_arg(list, __int128));"),
    (
        'S',
        "small",
        r"{
            struct ${s}_small v = va_arg(list, struct ${s}_small);
            mix((uint64_t)(v.a * 3 + v.b));
        }",
    ),
    (
        'F',
        "pair",
        r"{
            struct ${s}_pair v = va_arg(list, struct ${s}_pair);
            mix_double(v.x - v.y);
        }",
    ),
    (
        'B',
        "big",
        r"{
            struct ${s}_big v = va_arg(list, struct ${s}_big);
            for (int i = 0; i < 5; i++) mix((uint64_t)v.a[i]);
            mix_double(v.d);
        }",
    ),
];

const TOPICS: [fn(&mut Program, &str) -> String; 4] = [forwarded, twice, pointer_to_list, mixed_struct];

pub fn emit(program: &mut Program) {
    let stem = program.fresh("any");
    program.types.add(c!(
        r"struct ${s}_small {
            int a;
            short b;
        };
        struct ${s}_pair {
            $f x, y;
        };
        struct ${s}_big {
            long a[5];
            double d;
        };
        struct ${s}_mixed {
            long n;
            double d;
        };",
        s = stem,
        f = program.random.pick(&["float", "double"])
    ));
    let kinds = program.random.some_of(&KINDS, 4, 10);
    visitor(program, &stem, &kinds);
    let mut body = Source::new();
    body.add("int counted = 1;");
    for _ in 0..2 + program.random.below(2) {
        body.add(call(program, &stem, &kinds));
    }
    body.add("show(\"counted\", counted);");
    for topic in program.random.some_of(&TOPICS, 1, 2) {
        body.add(topic(program, &stem));
    }
    program.test("varargs", &body);
}

/// A function that reads its arguments as described by a string of letters.
fn visitor(program: &mut Program, stem: &str, kinds: &[(char, &str, &str)]) {
    let mut text = Source::new();
    let copies = program.random.chance(40);
    text.add(c!(
        r"static int ${s}(const char *kinds, ...) {
            int seen = 0;
            va_list list;
            va_start(list, kinds);",
        s = stem
    ));
    if copies {
        text.add("va_list origin;\nva_copy(origin, list);");
    }
    text.add("for (const char *k = kinds; *k; k++, seen++) {\nswitch (*k) {");
    for (letter, _, read) in kinds {
        text.add(format!("case '{letter}': {}", c!(read, s = stem)));
        text.add("break;");
    }
    text.add("default: return -1;\n}\n}\nva_end(list);");
    if copies {
        let first = kinds[0];
        text.add(c!(
            r"if (kinds[0] == '$l') {
                va_copy(list, origin);
                $r
                va_end(list);
            }
            va_end(origin);",
            l = first.0,
            r = c!(first.2, s = stem)
        ));
    }
    text.add("return seen;\n}");
    program.functions.add(text.text());
}

fn call(program: &mut Program, stem: &str, kinds: &[(char, &str, &str)]) -> String {
    let count = program.random.pick(&[1, 3, 6, 9, 14, 20]);
    let mut letters = String::new();
    let mut arguments = String::new();
    for _ in 0..count {
        let (letter, ty, _) = program.random.pick(kinds);
        letters.push(letter);
        let n = program.random.between(-1000, 1000);
        let argument = match ty {
            "unsigned" => format!("{}u", n.abs()),
            "double" => format!("{:?}", n as f64 / 16.0),
            "long double" => format!("{:?}L", n as f64 / 16.0),
            "char *" => format!("\"s{}\"", n.abs()),
            "int *" => "&counted".to_string(),
            "small" => c!("(struct ${s}_small){$n, $n}", s = stem, n = n),
            "pair" => c!("(struct ${s}_pair){$n, 0.5}", s = stem, n = n),
            "big" => c!("(struct ${s}_big){{$n, 2, 3}, 0.25}", s = stem, n = n),
            "int" if letter == 'c' => {
                program.random.pick(&["'c'", "(short)-3", "(_Bool)1", "(unsigned char)200"]).to_string()
            }
            "int" => n.to_string(),
            "__int128" => format!("(__int128){n} * INT64_MAX"),
            other => format!("({other}){n}").replace(")-", ") -"),
        };
        arguments.push_str(", ");
        arguments.push_str(&argument);
    }
    format!("show(\"seen\", {stem}(\"{letters}\"{arguments}));")
}

/// A list handed to `vsnprintf`.
fn forwarded(program: &mut Program, stem: &str) -> String {
    program.functions.add(c!(
        r"static int ${s}_print(char *to, size_t room, const char *format, ...) {
            va_list list;
            va_start(list, format);
            int length = vsnprintf(to, room, format, list);
            va_end(list);
            return length;
        }",
        s = stem
    ));
    c!(
        r#"{
            char text[64];
            int length = ${s}_print(text, $n, "%d %s %.2f %lld %c|%5u", $a, "list", $b, $long, 'q', 7u);
            printf("%d %s\n", length, text);
        }"#,
        s = stem,
        n = program.random.pick(&[8, 20, 64]),
        a = program.random.between(-99, 99),
        b = format!("{:?}", program.random.between(-999, 999) as f64 / 8.0),
        long = format!("{}LL", program.random.between(-99_999_999, 99_999_999))
    )
}

/// One list read twice.
fn twice(program: &mut Program, stem: &str) -> String {
    program.functions.add(c!(
        r"static double ${s}_spread(int count, ...) {
            va_list list, again;
            va_start(list, count);
            va_copy(again, list);
            double mean = 0, sum = 0;
            for (int i = 0; i < count; i++) mean += va_arg(list, double);
            mean /= count;
            for (int i = 0; i < count; i++) {
                double off = va_arg(again, double) - mean;
                sum += off * off;
            }
            va_end(again);
            va_end(list);
            return sum;
        }",
        s = stem
    ));
    // A mean of this many quarters, and the squares of the distances from it, are exact.
    let count = program.random.pick(&[1, 2, 4, 8, 16]);
    let values: Vec<String> =
        (0..count).map(|_| format!("{:?}", program.random.between(-99, 99) as f64 / 4.0)).collect();
    c!("show_double(\"spread\", ${s}_spread($n, $v));", s = stem, n = count, v = values.join(", "))
}

/// A list that a callee advances for its caller.
fn pointer_to_list(program: &mut Program, stem: &str) -> String {
    program.functions.add(c!(
        r"static long ${s}_take(va_list *list, int count) {
            long sum = 0;
            while (count-- > 0) sum = sum * 3 + va_arg(*list, int);
            return sum;
        }
        static long ${s}_split(int first, ...) {
            va_list list;
            va_start(list, first);
            long left = ${s}_take(&list, first);
            double middle = va_arg(list, double);
            long right = ${s}_take(&list, 2);
            va_end(list);
            return left * 100 + right + (long)middle;
        }",
        s = stem
    ));
    let count = program.random.below(8);
    let values: Vec<String> = (0..count).map(|_| format!("{}, ", program.random.between(-9, 9))).collect();
    c!(
        "show(\"split\", ${s}_split($n, ${v}$d, 4, 5));",
        s = stem,
        n = count,
        v = values.concat(),
        d = format!("{:?}", program.random.below(80) as f64 / 2.0)
    )
}

/// A struct that takes one register of each kind, among arguments that use them up.
fn mixed_struct(program: &mut Program, stem: &str) -> String {
    program.functions.add(c!(
        r"static void ${s}_mixed(int count, ...) {
            va_list list;
            va_start(list, count);
            for (int i = 0; i < count; i++) {
                struct ${s}_mixed value = va_arg(list, struct ${s}_mixed);
                mix((uint64_t)value.n);
                mix_double(value.d + va_arg(list, double));
            }
            va_end(list);
        }",
        s = stem
    ));
    let count = 1 + program.random.below(7);
    let values: Vec<String> = (0..count)
        .map(|i| c!(", (struct ${s}_mixed){$n, 0.5}, $i.25", s = stem, n = program.random.between(-99, 99), i = i))
        .collect();
    c!("${s}_mixed($n$v);", s = stem, n = count, v = values.concat())
}
