//! Variables: their initial content, types and places.

mod snippet;

use ir::{Layout, Origin, Program, Symbol};
use snippet::load;

fn global<'p>(program: &'p Program, name: &str) -> &'p ir::Global {
    program.globals.iter().find(|global| global.name == name).unwrap_or_else(|| panic!("there is no `{name}`"))
}

/// A program that refers to all the declarations before it.
fn with_uses(declarations: &str, names: &[&str]) -> ir::Program {
    let uses: String = names.iter().map(|name| format!("(long)&{name} + ")).collect();
    load(&format!("{declarations}\nint main(void) {{ return (int)({uses}0); }}")).program
}

#[test]
fn numbers_and_padding() {
    let program = with_uses(
        "struct { char c; int i; double d; } s = {1, 2, 1.0}; _Bool flag = 1; long double wide = 1;
         unsigned __int128 big = (unsigned __int128)1 << 100; float f = 1; int zeros[1000]; const int constant = 7;
         struct { unsigned a : 3; int b : 7; } bits = {5, -1};",
        &["s", "flag", "wide", "big", "f", "zeros", "constant", "bits"],
    );
    let s = global(&program, "s");
    assert_eq!((s.size, s.align), (16, 8));
    assert_eq!(s.bytes, [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
    assert_eq!(global(&program, "flag").bytes, [1]);
    let wide = global(&program, "wide");
    assert_eq!((wide.size, wide.bytes.len()), (16, 10));
    assert_eq!(wide.bytes[7..], [0x80, 0xff, 0x3f]);
    let big = global(&program, "big");
    assert_eq!((big.size, big.align, big.bytes.len(), big.bytes[12]), (16, 16, 13, 0x10));
    assert_eq!(global(&program, "f").bytes, 1f32.to_le_bytes());
    let zeros = global(&program, "zeros");
    assert_eq!((zeros.size, zeros.bytes.len()), (4000, 0));
    assert!(global(&program, "constant").constant && !zeros.constant);
    assert_eq!(global(&program, "bits").bytes, [0xfd, 0x03]);
}

#[test]
fn addresses() {
    let program = with_uses(
        "int numbers[8]; int *third = &numbers[3]; char *byte = (char *)&numbers[1] + 1; long distance = (char *)&numbers[5] - (char *)numbers;
         int f(int x) { return x; } int (*table[2])(int) = {f, 0}; int same(int) __attribute__((alias(\"f\"))); int (*other)(int) = same;
         struct node { struct node *next; } a, b = {&a}; unsigned long number = (unsigned long)&a;",
        &["third", "byte", "distance", "table", "other", "b", "number"],
    );
    let target = |name: &str, index: usize| {
        let relocation = global(&program, name).relocations[index];
        let symbol = match relocation.symbol {
            Symbol::Global(id) => program.globals[id.index()].name.clone(),
            Symbol::Function(id) => program.functions[id.index()].name.clone(),
        };
        (relocation.offset, symbol, relocation.addend)
    };
    assert_eq!(target("third", 0), (0, "numbers".into(), 12));
    assert_eq!(target("byte", 0), (0, "numbers".into(), 5));
    assert_eq!(global(&program, "distance").bytes, [20]);
    assert_eq!(target("table", 0), (0, "f".into(), 0));
    assert_eq!(global(&program, "table").relocations.len(), 1);
    assert_eq!(target("other", 0), (0, "f".into(), 0));
    assert_eq!(target("b", 0), (0, "a".into(), 0));
    assert_eq!(target("number", 0), (0, "a".into(), 0));
}

#[test]
fn types_are_described() {
    let program = with_uses(
        "#include <pthread.h>
         #include <stdint.h>
         enum color { RED, GREEN = 7, BLUE = -1 };
         typedef struct node { struct node *next; uint32_t key; enum color color; _Bool set; char letter; double weight; pthread_mutex_t lock;
             union { int whole; }; unsigned part : 3; } node_t;
         node_t nodes[2][3];",
        &["nodes"],
    );
    let nodes = global(&program, "nodes");
    let layout = |id: ir::LayoutId| &program.layouts[id.index()];
    let Layout::Array { element, count: 2 } = layout(nodes.layout.expect("it has a type")) else { panic!("an array") };
    let Layout::Array { element, count: 3 } = layout(*element) else { panic!("an array of arrays") };
    let Layout::Struct { name, members, bytes } = layout(*element) else { panic!("a struct") };
    assert_eq!((name.as_str(), *bytes), ("node_t", nodes.size / 6));
    let described: Vec<(&str, String)> =
        members.iter().map(|member| (member.name.as_str(), format!("{:?}", layout(member.layout)))).collect();
    let names: Vec<&str> = described.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["next", "key", "color", "set", "letter", "weight", "lock", "whole", "part"]);
    assert!(described[1].1.starts_with("Unsigned { name: \"uint32_t\", bytes: 4"), "{described:?}");
    assert!(described[2].1.contains("(\"RED\", 0), (\"GREEN\", 7), (\"BLUE\", -1)"), "{described:?}");
    assert!(described[3].1.starts_with("Boolean") && described[4].1.starts_with("Character"), "{described:?}");
    assert!(described[6].1.starts_with("Opaque { name: \"pthread_mutex_t\", bytes: 40"), "{described:?}");
    let Layout::Pointer { to: Some(target) } = layout(members[0].layout) else { panic!("a pointer") };
    assert!(matches!(layout(*target), Layout::Struct { .. }), "a struct that points to itself");
    assert_eq!((members[8].size_bits, members[8].offset_bits % 8), (3, 0));
}

#[test]
fn places_and_origins() {
    let program = with_uses("\n\nint user;\nint f(void) { static int inner; return ++inner; }", &["user", "f"]);
    let user = global(&program, "user");
    let span = program.spans[user.span.0 as usize];
    assert_eq!((span.line, user.origin), (3, Origin::User));
    assert!(program.files[span.file.0 as usize].ends_with("snippet.c"));
    assert_eq!(global(&program, "inner").origin, Origin::User);
    let entry = &program.functions[program.entry.index()];
    assert_eq!((entry.name.as_str(), entry.origin), ("__heddle_start", Origin::Model));
    assert!(program.files.iter().any(|file| file == "<heddle>/start.c"), "{:?}", program.files);
}
