//! The lowering of C, construct by construct.

mod snippet;

use ir::{Op, Ordering, Primitive, RmwOp};
use snippet::{body, function, load, unsupported};

fn lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let indent = lines.first().map_or(0, |line| line.len() - line.trim_start().len());
    lines.iter().map(|line| line.get(indent..).unwrap_or_default()).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[test]
fn a_loop_has_block_parameters() {
    let loaded = load(
        "int f(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }
         int main(void) { return f(3); }",
    );
    let expected = lines(
        r#"
        b0(v0 "n": i32):
          jump b1(i32 0, i32 0)
        b1(v1 "sum": i32, v2 "i": i32):
          v3: i1 = compare slt v2, v0
          branch v3, b4, b2
        b2:
          jump b3
        b3:
          return v1
        b4:
          v4 "sum": i32 = add v1, v2
          jump b5
        b5:
          v5 "i": i32 = add v2, i32 1
          jump b1(v4, v5)"#,
    );
    assert_eq!(body(&loaded.program, "f"), expected);
}

#[test]
fn shared_reads_are_kept_even_when_nothing_uses_them() {
    let loaded = load("int shared; void f(void) { (void)shared; shared; } int main(void) { f(); return 0; }");
    assert_eq!(body(&loaded.program, "f").matches("load $shared").count(), 2);
}

#[test]
fn a_store_through_null_stays_a_store() {
    let loaded = load("void f(void) { *(int *)0 = 1; } int main(void) { f(); return 0; }");
    assert!(body(&loaded.program, "f").contains("store i32 1 to null"));
}

#[test]
fn atomics_keep_their_order() {
    let loaded = load(
        "#include <stdatomic.h>
         _Atomic int x;
         int f(void) {
             int expected = 1;
             __atomic_fetch_max((int *)&x, 3, __ATOMIC_RELAXED);
             atomic_thread_fence(memory_order_acquire);
             atomic_store_explicit(&x, 4, memory_order_release);
             atomic_compare_exchange_weak_explicit(&x, &expected, 2, memory_order_acq_rel, memory_order_acquire);
             return atomic_exchange(&x, 5);
         }
         int main(void) { return f(); }",
    );
    let ops: Vec<&Op> =
        function(&loaded.program, "f").blocks.iter().flat_map(|block| &block.instrs).map(|instr| &instr.op).collect();
    let has = |test: &dyn Fn(&Op) -> bool| ops.iter().any(|op| test(op));
    assert!(has(&|op| matches!(op, Op::Rmw { op: RmwOp::SignedMax, ordering: Ordering::Relaxed, .. })));
    assert!(has(&|op| matches!(op, Op::Fence { ordering: Ordering::Acquire })));
    assert!(has(&|op| matches!(op, Op::Store { ordering: Some(Ordering::Release), .. })));
    assert!(has(&|op| matches!(
        op,
        Op::CompareExchange { weak: true, success: Ordering::AcquireRelease, failure: Ordering::Acquire, .. }
    )));
    assert!(has(&|op| matches!(op, Op::Rmw { op: RmwOp::Exchange, ordering: Ordering::SequentiallyConsistent, .. })));
}

#[test]
fn structs_travel_as_scalars() {
    let loaded = load(
        "struct pair { long a, b; };
         struct pair f(struct pair p) { p.a += p.b; return p; }
         int main(void) { struct pair p = {1, 2}; return (int)f(p).a; }",
    );
    let expected = lines(
        r#"
        b0(v0 "p.a": i64, v1 "p.b": i64):
          v2 "p.a": i64 = add v0, v1
          return v2, v1"#,
    );
    let found = body(&loaded.program, "f").replace(" \"p.a\"", "").replace(" \"p.b\"", "");
    assert_eq!(found, expected.replace(" \"p.a\"", "").replace(" \"p.b\"", ""));
}

#[test]
fn a_struct_in_memory_is_copied_by_the_caller() {
    let loaded = load(
        "struct big { long a, b, c; };
         long f(struct big b) { return b.c; }
         struct big shared;
         int main(void) { return (int)f(shared); }",
    );
    let main = body(&loaded.program, "main");
    assert!(main.contains("local i64 24"), "{main}");
    assert_eq!(main.matches("load $shared").count(), 3, "{main}");
}

#[test]
fn variadic_arguments_lie_in_memory() {
    let loaded = load(
        "#include <stdarg.h>
         struct big { char bytes[20]; };
         int f(int n, ...) { va_list list; va_start(list, n); int x = va_arg(list, int); va_end(list); return x; }
         int main(void) { struct big big = {0}; return f(1, 2, 3.0, big, 4.0L); }",
    );
    let f = body(&loaded.program, "f");
    assert!(f.contains("variadic_arguments") || f.contains("variadic"), "{f}");
    assert!(f.contains("store i32 48"), "{f}");
    assert!(function(&loaded.program, "f").variadic);
    let main = function(&loaded.program, "main");
    let call = main.blocks.iter().flat_map(|block| &block.instrs).find_map(|instr| match &instr.op {
        Op::Call { args, .. } if args.len() > 4 => Some(args.len()),
        _ => None,
    });
    // The number, an int, a double, three pieces of the struct and a long double.
    assert_eq!(call, Some(7));
}

#[test]
fn a_computed_goto_is_a_switch_over_block_numbers() {
    let loaded = load(
        "int f(const int *code) {
             static void *labels[] = {&&add, &&stop};
             int sum = 0;
             goto *labels[*code++];
         add: sum++; goto *labels[*code++];
         stop: return sum;
         }
         int main(void) { int code[] = {0, 1}; return f(code); }",
    );
    assert!(body(&loaded.program, "f").contains("switch"));
    assert_eq!(unsupported(&loaded.program, "f"), Vec::<String>::new());
}

#[test]
fn locked_assembly_is_an_atomic_update() {
    let loaded = load(
        "int f(int *p, int old, int new) {
             int found;
             __asm__ volatile(\"lock; cmpxchgl %2, %1\" : \"=a\"(found), \"+m\"(*p) : \"r\"(new), \"0\"(old) : \"memory\");
             __asm__ volatile(\"lock; incl %0\" : \"+m\"(*p));
             __asm__ volatile(\"incl %0\" : \"+m\"(*p));
             __asm__ volatile(\"mfence; pause\" ::: \"memory\");
             return found;
         }
         int main(void) { int x = 1; return f(&x, 1, 2); }",
    );
    let ops: Vec<&Op> =
        function(&loaded.program, "f").blocks.iter().flat_map(|block| &block.instrs).map(|instr| &instr.op).collect();
    assert_eq!(ops.iter().filter(|op| matches!(op, Op::CompareExchange { weak: false, .. })).count(), 1);
    assert_eq!(ops.iter().filter(|op| matches!(op, Op::Rmw { op: RmwOp::Add, .. })).count(), 1);
    assert_eq!(ops.iter().filter(|op| matches!(op, Op::Store { .. })).count(), 1, "only the plain one is a store");
    assert!(ops.iter().any(|op| matches!(op, Op::Fence { ordering: Ordering::SequentiallyConsistent })));
    assert!(ops.iter().any(|op| matches!(op, Op::Primitive { primitive: Primitive::ThreadYield, .. })));
}

#[test]
fn what_is_not_covered_is_said_at_its_place() {
    let loaded = load(
        "__asm__(\".globl nowhere\");
         int f(int x) { if (x) { __asm__ volatile(\"cpuid\" ::: \"eax\", \"ebx\", \"ecx\", \"edx\"); } return x; }
         __float128 g(__float128 x) { return x * x; }
         int main(void) { return f(0) + (int)(long)g; }",
    );
    assert_eq!(unsupported(&loaded.program, "f"), ["the assembly `cpuid`"]);
    assert_eq!(unsupported(&loaded.program, "g"), ["arithmetic on fp128"]);
    let listed: Vec<(&str, &str)> =
        loaded.unsupported.iter().map(|entry| (entry.function.as_str(), entry.what.as_str())).collect();
    assert!(listed.contains(&("f", "the assembly `cpuid`")), "{listed:?}");
    assert!(listed.iter().any(|(_, what)| what.contains(".globl nowhere")), "{listed:?}");
    let at = loaded.unsupported.iter().find(|entry| entry.function == "f").map(|entry| entry.span);
    let line = at.map(|span| loaded.program.spans[span.0 as usize].line);
    assert_eq!(line, Some(2));
}

#[test]
fn functions_with_the_agreed_prefix_are_one_step() {
    let loaded = load(
        "int x; void __VERIFIER_atomic_swap(void) { x = 1 - x; } void plain(void) { x = 1; }
         int main(void) { __VERIFIER_atomic_swap(); plain(); return x; }",
    );
    assert!(function(&loaded.program, "__VERIFIER_atomic_swap").atomic);
    assert!(!function(&loaded.program, "plain").atomic);
}

#[test]
fn constructors_and_destructors() {
    let loaded = load(
        "int x;
         __attribute__((constructor(200))) static void second(void) { x *= 2; }
         __attribute__((constructor(101))) static void first(void) { x = 1; }
         __attribute__((destructor)) static void last(void) { x = 0; }
         int main(void) { return x; }",
    );
    let program = &loaded.program;
    let names: Vec<&str> = program.constructors.iter().map(|id| program.functions[id.index()].name.as_str()).collect();
    assert_eq!(names, ["__heddle_register_destructors", "first", "second"]);
    assert!(function(program, "last").is_defined());
}

#[test]
fn mathematical_functions_are_operations() {
    let loaded = load(
        "#include <math.h>
         double apply(double (*g)(double), double x) { return g(x); }
         double f(double x) { return sqrt(x) + fmod(x, 2) + apply(cos, x) + __builtin_powi(x, 3); }
         int main(void) { return (int)f(2); }",
    );
    let f = body(&loaded.program, "f");
    assert!(f.contains("sqrt") && f.contains("frem") && f.contains("pow"), "{f}");
    assert!(function(&loaded.program, "cos").is_defined(), "a function behind a pointer has a body");
}

#[test]
fn short_vectors_are_one_access() {
    let loaded = load(
        "typedef short v4 __attribute__((vector_size(8)));
         typedef int v8 __attribute__((vector_size(32)));
         v4 a; v8 b;
         void f(void) { a += 1; } void g(void) { b += 1; }
         int main(void) { f(); g(); return 0; }",
    );
    assert_eq!(body(&loaded.program, "f").matches("load").count(), 1);
    assert_eq!(body(&loaded.program, "g").matches("load").count(), 8);
}

#[test]
fn a_weak_name_without_definition_is_null() {
    let loaded = load(
        "extern void absent(void) __attribute__((weak)); extern int missing __attribute__((weak));
         int f(void) { return absent == 0 && &missing == 0; }
         int main(void) { return f(); }",
    );
    let f = body(&loaded.program, "f");
    assert!(f.contains("null, null"), "{f}");
}

#[test]
fn thread_locals_are_addressed_by_thread() {
    let loaded = load("_Thread_local int mine = 3; int f(void) { return mine; } int main(void) { return f(); }");
    assert!(body(&loaded.program, "f").contains("thread_local $mine"));
    let global = loaded.program.globals.iter().find(|global| global.name == "mine").expect("it is there");
    assert!(global.thread_local);
    assert_eq!(global.bytes, [3]);
}

#[test]
fn an_undeclared_parameter_list_fits_every_definition() {
    let folder = snippet::Folder::new();
    let file = folder.write(
        "old.c",
        "int two(); int main() { return two(1, 2, 3) + two(1); } int two(a, b) int a, b; { return a; }",
    );
    snippet::load_files(&[file], &["-w", "-std=gnu89"]);
}
