//! Memory is named as in the source.

mod snippet;

use snippet::{load, places};

const TYPES: &str = "
    #include <errno.h>
    #include <pthread.h>
    struct point { short x, y; };
    struct queue {
        pthread_mutex_t lock;
        int filled;
        struct queue *next;
        struct point points[3];
        union { int number; float fraction; } content;
        struct { int inside; };
        unsigned low : 3, high : 5;
        char name[8];
    };
    typedef struct { int count; struct point at; } record_t;
    struct queue queue, *head = &queue, **heads = &head, table[4];
    record_t record, *records = &record;
    int total, matrix[3][5], *numbers = &total;
    _Thread_local int mine;
";

/// The places of a function's stores.
fn stored(parameters: &str, statements: &str) -> Vec<String> {
    let source = format!("{TYPES} void f({parameters}) {{ {statements} }} int main(void) {{ return (long)f; }}");
    let loaded = load(&source);
    let program = &loaded.program;
    let mut texts = Vec::new();
    for instr in snippet::function(program, "f").blocks.iter().flat_map(|block| &block.instrs) {
        if let ir::Op::Store { place, .. } = instr.op {
            texts.push(place.map_or("-".to_owned(), |place| program.texts[place.index()].clone()));
        }
    }
    texts
}

#[test]
fn variables_and_members() {
    let found = stored("int i, int j", "total = 1; queue.filled = 2; record.at.y = 3; queue.inside = 4; mine = 5;");
    assert_eq!(found, ["total", "queue.filled", "record.at.y", "queue.inside", "mine"]);
}

#[test]
fn behind_pointers() {
    let found = stored(
        "struct queue *q",
        "q->filled = 1; head->filled = 2; (*heads)->filled = 3; q->next->next->filled = 4; *numbers = 5;
         records->at.x = 6; errno = 7;",
    );
    assert_eq!(
        found,
        [
            "q->filled",
            "head->filled",
            "(*heads)->filled",
            "q->next->next->filled",
            "*numbers",
            "records->at.x",
            "errno"
        ]
    );
}

#[test]
fn elements() {
    let found = stored(
        "int i, int j, int *p, struct queue *q",
        "matrix[i][j] = 1; matrix[2][3] = 2; matrix[1][(i + 1) % 5] = 3; table[i].points[2].x = 4; table[j - 1].filled = 5;
         p[3] = 6; p[i] = 7; *p = 8; q[2].filled = 9; q[i].name[j] = 10; table[total].filled = 11; numbers[i] = 12;",
    );
    assert_eq!(
        found,
        [
            "matrix[i][j]",
            "matrix[2][3]",
            "matrix[1][(i + 1) % 5]",
            "table[i].points[2].x",
            "table[j - 1].filled",
            "p[3]",
            "p[i]",
            "*p",
            "q[2].filled",
            "q[i].name[j]",
            "table[total].filled",
            "numbers[i]"
        ]
    );
}

#[test]
fn unions_and_bit_fields() {
    let found = stored("int i", "queue.content.number = 1; queue.content.fraction = 2; head->high = 3;");
    assert_eq!(found, ["queue.content.number", "queue.content.fraction", "head->{low, high}"]);
}

#[test]
fn the_pointer_that_was_used() {
    let found = stored(
        "void *raw",
        "((struct point *)raw)->y = 1; char *bytes = raw; bytes[3] = 2; int *words = raw; words[1] = 3; words++; *words = 4;",
    );
    assert_eq!(found, ["raw->y", "bytes[3]", "words[1]", "*words"]);
}

#[test]
fn locals_that_live_in_memory() {
    let source = "
        struct pair { int a, b; };
        void see(void *);
        int f(int i) {
            struct pair pairs[3];
            see(pairs);
            pairs[i].b = 1;
            return pairs[1].a;
        }
        int main(void) { return f(1); }";
    let loaded = load(source);
    assert_eq!(places(&loaded.program, "f"), ["pairs[i].b", "pairs[1].a"]);
    let named = loaded.program.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instrs);
    let names: Vec<&str> = named
        .filter_map(|instr| match instr.op {
            ir::Op::Local { name: Some(name), layout: Some(_), .. } => {
                Some(loaded.program.texts[name.index()].as_str())
            }
            _ => None,
        })
        .collect();
    assert!(names.contains(&"pairs"), "{names:?}");
}

#[test]
fn atomics_have_places_too() {
    let source = "
        #include <stdatomic.h>
        struct node { struct node *next; };
        struct { _Atomic int hits; _Atomic(struct node *) top; } stack;
        void f(struct node *new) {
            stack.hits++;
            struct node *old = stack.top;
            new->next = old;
            atomic_compare_exchange_strong(&stack.top, &old, new);
        }
        int main(void) { f(0); return 0; }";
    let loaded = load(source);
    let found = places(&loaded.program, "f");
    assert_eq!(found[0], "stack.hits");
    assert_eq!(found.iter().filter(|text| *text == "stack.top").count(), 2, "{found:?}");
    assert!(found.contains(&"new->next".to_owned()), "{found:?}");
}

#[test]
fn addresses_that_are_passed_on() {
    let source = format!(
        "{TYPES}
         int f(struct queue *q, int i) {{
             pthread_mutex_lock(&q->lock);
             pthread_mutex_lock(&q->next->lock);
             pthread_mutex_lock(&table[i].lock);
             struct queue *other = &q[2];
             pthread_mutex_lock(&other->lock);
             return 0;
         }}
         int main(void) {{ return f(head, 1); }}"
    );
    let loaded = load(&source);
    let program = &loaded.program;
    let f = snippet::function(program, "f");
    let mut names = Vec::new();
    for instr in f.blocks.iter().flat_map(|block| &block.instrs) {
        if let ir::Op::Call { args, .. } = &instr.op
            && let [ir::Operand::Reg(reg)] = args[..]
        {
            let name = f.registers[reg.0 as usize].name;
            names.push(name.map_or("-", |name| program.texts[name.index()].as_str()));
        }
    }
    assert_eq!(names, ["&q->lock", "&q->next->lock", "&table[i].lock", "&other->lock"]);
}
