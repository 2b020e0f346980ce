//! Feature: C11 atomics and the compilers' older builtins, on one thread: every width, operation and order.

use super::integer::{Integer, UP_TO_64};
use super::program::Program;
use crate::source::{Source, c};

const ORDERS: [&str; 5] = [
    "memory_order_relaxed",
    "memory_order_acquire",
    "memory_order_release",
    "memory_order_acq_rel",
    "memory_order_seq_cst",
];
const LOADS: [&str; 3] = ["memory_order_relaxed", "memory_order_acquire", "memory_order_seq_cst"];
const STORES: [&str; 3] = ["memory_order_relaxed", "memory_order_release", "memory_order_seq_cst"];
const FETCH: [&str; 5] = ["add", "sub", "and", "or", "xor"];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for _ in 0..1 + program.random.below(3) {
        let text = variable(program);
        body.add(format!("{{\n{text}\n}}"));
    }
    for topic in program.random.some_of(&TOPICS, 1, 3) {
        let text = topic(program);
        body.add(format!("{{\n{text}\n}}"));
    }
    program.test("atomics", &body);
}

const TOPICS: [fn(&mut Program) -> String; 6] = [pointer, floating, record, flag, builtins, plain_operators];

fn integer(program: &mut Program) -> Integer {
    let ty = program.random.pick(&UP_TO_64);
    if ty == Integer::Bool { Integer::Unsigned } else { ty }
}

fn variable(program: &mut Program) -> String {
    let ty = integer(program);
    let name = program.fresh("shared");
    let place = program.random.below(3);
    let start = program.random.between(0, 100);
    let mut text = String::new();
    if place == 0 {
        program.globals.add(format!("static _Atomic {} {name} = {start};", ty.name()));
    } else {
        text.push_str(&format!("_Atomic({}) {name} = {start};\n", ty.name()));
    }
    text.push_str(&format!("{} expected = {start};\n", ty.name()));
    for _ in 0..3 + program.random.below(5) {
        let n = program.random.between(-100, 100);
        let order = program.random.pick(&ORDERS);
        let load = program.random.pick(&LOADS);
        let line = match program.random.below(8) {
            0 => format!("mix((uint64_t)atomic_load_explicit(&{name}, {load}));"),
            1 => format!("atomic_store_explicit(&{name}, {n}, {});", program.random.pick(&STORES)),
            2 => format!("mix((uint64_t)atomic_exchange_explicit(&{name}, {n}, {order}));"),
            3 | 4 => {
                format!("mix((uint64_t)atomic_fetch_{}_explicit(&{name}, {n}, {order}));", program.random.pick(&FETCH))
            }
            5 => format!("mix((uint64_t)atomic_fetch_{}(&{name}, {n}));", program.random.pick(&FETCH)),
            6 => c!(
                r"if (atomic_compare_exchange_strong_explicit(&$x, &expected, ($t)$n, $o, $l)) mix(1);
                else mix((uint64_t)expected);",
                x = name,
                t = ty.name(),
                n = n,
                o = order,
                l = load
            ),
            _ => c!(
                r"expected = $x;
                while (!atomic_compare_exchange_weak(&$x, &expected, ($t)(expected ^ $n))) mix(0);",
                x = name,
                t = ty.name(),
                n = n
            ),
        };
        text.push_str(&line);
        text.push('\n');
    }
    text + &format!("show(\"{name}\", (long long)atomic_load(&{name}));")
}

fn pointer(program: &mut Program) -> String {
    c!(
        r#"int cells[4] = {1, 2, 3, 4};
        _Atomic(int *) at = cells;
        at = at + $n;
        show("at", *atomic_load(&at));
        int *old = atomic_exchange(&at, &cells[3]);
        show("old", old - cells);
        int *expected = cells + 3;
        show("swapped", atomic_compare_exchange_strong(&at, &expected, NULL));
        show("null", at == NULL);
        show("again", atomic_compare_exchange_strong(&at, &expected, cells));
        show("seen", expected == NULL);"#,
        n = program.random.below(4)
    )
}

fn floating(program: &mut Program) -> String {
    let ty = program.random.pick(&["float", "double"]);
    c!(
        r#"_Atomic $t number = $v;
        number = number + 0.5;
        number = number * 2;
        $t seen = atomic_load(&number);
        show_double("number", seen);
        seen = atomic_exchange(&number, -1);
        show_double("old", seen);
        show_double("new", number);"#,
        t = ty,
        v = format!("{:?}", program.random.between(-99, 99) as f64 / 4.0)
    )
}

/// A struct that fits a word, without padding.
fn record(program: &mut Program) -> String {
    let name = program.fresh("struct both");
    program.types.add(c!("$n {\nint low;\nunsigned high;\n};", n = name));
    c!(
        r#"_Atomic($n) both;
        atomic_init(&both, (($n){0}));
        atomic_store(&both, (($n){$a, $b}));
        $n seen = atomic_load(&both), next = seen;
        next.high++;
        show("swapped", atomic_compare_exchange_strong(&both, &seen, next));
        show("again", atomic_compare_exchange_strong(&both, &seen, next));
        seen = atomic_exchange(&both, (($n){1, 2}));
        printf("%d %u\n", seen.low, seen.high);"#,
        n = name,
        a = program.random.between(-99, 99),
        b = program.random.below(99)
    )
}

fn flag(program: &mut Program) -> String {
    c!(
        r#"atomic_flag flag = ATOMIC_FLAG_INIT;
        show("first", atomic_flag_test_and_set(&flag));
        show("second", atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));
        atomic_flag_clear(&flag);
        atomic_thread_fence($o);
        atomic_signal_fence(memory_order_seq_cst);
        show("third", atomic_flag_test_and_set(&flag));
        _Atomic _Bool ready = 0;
        show("ready", atomic_exchange(&ready, 1) * 2 + atomic_load(&ready));
        atomic_int count;
        atomic_init(&count, $n);
        show("count", atomic_fetch_or(&count, 64));
        show("free", atomic_is_lock_free(&count));"#,
        o = program.random.pick(&ORDERS),
        n = program.random.below(60)
    )
}

/// The builtins of gcc, old and new, on plain objects.
fn builtins(program: &mut Program) -> String {
    let ty = integer(program);
    let n = program.random.between(0, 100);
    let new = program.random.pick(&["nand", "add", "nand", "and", "or", "xor"]);
    c!(
        r#"$t word = $n, other = 3;
        mix((uint64_t)__sync_fetch_and_$f(&word, 5));
        mix((uint64_t)__sync_${f}_and_fetch(&word, 9));
        show("swap", __sync_bool_compare_and_swap(&word, other, 7));
        mix((uint64_t)__sync_val_compare_and_swap(&word, word, ($t)12));
        mix((uint64_t)__sync_lock_test_and_set(&word, 1));
        __sync_lock_release(&word);
        __sync_synchronize();
        mix((uint64_t)__atomic_fetch_$g(&word, 6, __ATOMIC_SEQ_CST));
        mix((uint64_t)__atomic_${g}_fetch(&word, 10, __ATOMIC_RELAXED));
        __atomic_store_n(&other, word, __ATOMIC_RELEASE);
        mix((uint64_t)__atomic_exchange_n(&word, $n, __ATOMIC_ACQ_REL));
        show("exchanged", __atomic_compare_exchange_n(&word, &other, 2, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
        show("word", (long long)__atomic_load_n(&word, __ATOMIC_ACQUIRE));
        show("other", (long long)other);"#,
        t = ty.name(),
        n = n,
        f = program.random.pick(&FETCH),
        g = new
    )
}

/// The operators of the language on atomic objects.
fn plain_operators(program: &mut Program) -> String {
    let ty = integer(program);
    c!(
        r#"_Atomic $t x = $a;
        x++;
        --x;
        x += 3;
        x -= 1;
        x |= 4;
        x &= 0x3e;
        x ^= 9;
        x *= 2;
        x /= 3;
        x %= 20;
        x <<= 1;
        x >>= 2;
        $t y = x;
        mix((uint64_t)x++);
        mix((uint64_t)++x);
        x = y;
        show("x", (long long)x);"#,
        t = ty.name(),
        a = program.random.between(0, 30)
    )
}
