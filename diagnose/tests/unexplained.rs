//! A record that no interleaving explains, as processors with store buffers produce it: both threads read before the
//! other's write, although each wrote first. The record is that of a program which reads first.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use diagnose::{Ordered, order, unexplained};
use encode::Failure;
use events::Kind;
use frontend_llvm::Inputs;
use solve::Budget;
use symex::bounded::{Bounds, unroll_along};
use vm::strategy::Random;
use vm::{Code, FailureKind, Options, Outcome, execute};

fn program(folder: &Path, name: &str, bodies: [&str; 2]) -> Rc<Code> {
    let [one, two] = bodies;
    let source = format!(
        "#include <assert.h>\n#include <pthread.h>\nstatic int x, y, first, second;\n\
         static void *one(void *arg) {{ {one} return arg; }}\nstatic void *two(void *arg) {{ {two} return arg; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); assert(first || second); return 0; }}\n"
    );
    let file = folder.join(name);
    fs::write(&file, source).expect("a file can be written");
    let loaded = frontend_llvm::load(&Inputs { files: vec![file], ..Inputs::default() }).expect("it loads");
    Rc::new(Code::new(&loaded.program))
}

#[test]
fn the_fewest_reads_that_no_order_explains() {
    let folder = tempfile::tempdir().expect("a folder");
    let reads_first = program(folder.path(), "first.c", ["first = y; x = 1;", "second = x; y = 1;"]);
    let writes_first = program(folder.path(), "last.c", ["x = 1; first = y;", "y = 1; second = x;"]);
    let options = Options { record: true, arguments: vec![b"program".to_vec()], ..Options::default() };
    let failing = (0..1000).find_map(|seed| {
        let execution = execute(&reads_first, &options, &mut Random::new(seed));
        let fails = matches!(&execution.outcome, Outcome::Failed(failure) if failure.kind == FailureKind::Assertion);
        execution.recorded.filter(|_| fails)
    });
    let recorded = failing.expect("some order fails");
    let possible = unroll_along(&reads_first, &options, &Bounds::default(), &recorded).expect("it is followed");
    let (ordered, _) = order(&possible.graph, Failure::AnyAssertion, 1, &Budget::default()).expect("an answer");
    assert!(matches!(ordered, Ordered::Found(_)), "{ordered:?}");

    let weak = unroll_along(&writes_first, &options, &Bounds::default(), &recorded).expect("it is followed");
    let (ordered, _) = order(&weak.graph, Failure::AnyAssertion, 1, &Budget::default()).expect("an answer");
    assert!(matches!(ordered, Ordered::Impossible), "{ordered:?}");
    let why = unexplained(&weak.graph, Failure::AnyAssertion, &Budget::default()).expect("an answer");
    let why = why.expect("without its reads it fails");
    assert!(why.smallest);
    assert_eq!(why.reads.len(), 1, "{why:?}");
    assert!(matches!(weak.graph.events[why.reads[0].index()].kind, Kind::Access(_)));
}
