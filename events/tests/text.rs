//! The text form: a printed graph is read back as the same graph, and no text makes the parser panic.

use events::{EventGraph, Extent, Kind, Label, check, parse_graph};
use generate::{Enumeration, Merging, random_graph};

const SMALL: &str = "\
heddle graph 1
input %choice bool
input %start bits 8
object counter 4
  initial 0 5:32
object \"a lock\" 1   # a name with a blank
object \"a lock\"~2 2
  initial 1 %start
thread 0
  start
  fork 0.1
  if (not %choice) write counter[0] bytes 4 new 7:32 @ bank.c 12
  lock \"a lock\"[0]
  sleep \"a lock\"~2[0] \"a lock\"[0] recursive
  wake 4 timedout %late spurious
  unlock \"a lock\"[0] recursive
  trylock \"a lock\"~2[(ite %choice 0:32 1:32)] taken %got
  assume (or %got %late)
  signal \"a lock\"~2[0]
  broadcast [(ite %choice 1:32 2:32)][0]
  assert (!= %seen 0x1f:32)
  exit
thread 0.1
  start
  read counter[0] bytes 4 old %seen
  let $next = (add %seen 1:32)
  rmw counter[0] bytes 4 old %seen~2 enabled (ule %seen~2 $next) new (bitxor $next %seen~2) writes (= %seen 3:32)
  atomic begin
  assert (slt $next 6:32) @ \"odd name\" 3
  atomic end
  cut
  end
  exit
";

#[test]
fn a_graph_is_written_by_hand() {
    let graph = parse_graph(SMALL).unwrap_or_else(|error| panic!("{error}"));
    check(&graph).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert_eq!((graph.threads.len(), graph.objects.len(), graph.inputs.len()), (2, 3, 2));
    let place = graph.events[2].place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line), ("bank.c", 12));
    assert!(
        matches!(&graph.events[15].kind, Kind::Access(access) if access.label == Label::Rmw && access.new.is_some())
    );
    assert_eq!(graph.objects[2].name, "a lock");
    let text = graph.to_string();
    assert_eq!(parse_graph(&text).unwrap().to_string(), text);
}

/// The outcomes for both extents.
fn meaning(graph: &EventGraph) -> Vec<generate::Answers> {
    let of = |extent| Enumeration::new(graph, extent, Merging::States).unwrap().answers(graph).unwrap();
    [Extent::Prefix, Extent::Whole].map(of).into()
}

#[test]
fn random_graphs_come_back() {
    for seed in 0..400 {
        let graph = random_graph(seed, 1 + seed as usize % 12);
        let text = graph.to_string();
        let again = parse_graph(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        check(&again).unwrap_or_else(|errors| panic!("seed {seed}: {}\n{text}", errors[0]));
        assert_eq!(again.events.len(), graph.events.len());
        for (one, other) in graph.events.iter().zip(&again.events) {
            let kinds = [one, other].map(|event| std::mem::discriminant(&event.kind));
            assert_eq!((one.thread, &one.place, kinds[0]), (other.thread, &other.place, kinds[1]), "seed {seed}");
        }
        assert_eq!(meaning(&graph), meaning(&again), "seed {seed}\n{text}\n{again}");
    }
}

#[test]
fn texts_are_the_same_once_they_have_been_read() {
    for seed in 0..2000 {
        let text = parse_graph(&random_graph(seed, 14).to_string()).unwrap().to_string();
        assert_eq!(parse_graph(&text).unwrap().to_string(), text, "seed {seed}");
    }
}

#[test]
fn deep_and_shared_terms_are_taken_apart() {
    let mut builder = events::Builder::new();
    let thread = builder.thread(run::ThreadName::main());
    let input = builder.input("x", formula::Sort::Bits(8));
    let mut value = input;
    for _ in 0..20_000 {
        let product = builder.terms().mul(value, input);
        value = builder.terms().bit_xor(product, value);
    }
    let same = builder.terms().eq(value, input);
    builder.assert(thread, same);
    let text = builder.finish().to_string();
    assert!(text.lines().all(|line| line.len() < 400));
    assert_eq!(parse_graph(&text).unwrap().events.len(), 3);
}

#[test]
fn errors_name_the_line() {
    for (change, with, line) in [
        ("heddle graph 1", "heddle graph 2", 1),
        ("bits 8", "bits 129", 3),
        ("input %choice bool", "input choice bool", 2),
        ("fork 0.1", "fork 0.7", 11),
        ("old %seen\n", "old %choice\n", 25),
        ("assume (or %got %late)", "assume (or %got %seen)", 18),
        ("wake 4", "wake x", 15),
        ("bytes 4 new 7:32", "bytes 4 new 7:129", 12),
        ("(slt $next 6:32)", "(slt $other 6:32)", 29),
        ("(slt $next 6:32)", "(slt $next 6:32", 29),
        ("atomic begin", "atomic", 28),
        ("  cut", "  99 cut", 31),
        ("object counter 4", "object counter", 4),
        ("  initial 0 5:32", "  initial 0 (extract 3 8 5:32)", 5),
        ("\"a lock\" 1", "\"a lock 1", 6),
        ("  assert (!= %seen 0x1f:32)", "  assert (!= %seen 0x1f:32) true", 21),
    ] {
        assert!(SMALL.contains(change), "{change}");
        let text = SMALL.replacen(change, with, 1);
        match parse_graph(&text) {
            Ok(_) => panic!("{with} was accepted"),
            Err(error) => assert_eq!(error.line, line, "{with}: {error}"),
        }
    }
    assert_eq!(parse_graph("").unwrap_err().line, 1);
}

#[test]
fn damaged_texts_are_refused_or_read_but_never_panic() {
    let texts: Vec<String> = (0..60).map(|seed| random_graph(seed, 12).to_string()).chain([SMALL.to_owned()]).collect();
    let mut state = 1_u64;
    let mut dice = |sides: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % sides.max(1)
    };
    for round in 0..6000 {
        let text = &texts[round % texts.len()];
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')', '[', ']']).collect();
        for _ in 0..1 + dice(3) {
            let (at, from) = (dice(words.len()), dice(words.len()));
            match dice(4) {
                _ if words.is_empty() => break,
                0 => drop(words.remove(at)),
                1 => words.insert(at, words[from]),
                2 => words.swap(at, from),
                _ => words.truncate(at + 1),
            }
        }
        if let Ok(graph) = parse_graph(&words.concat()) {
            let _ = graph.to_string();
            if check(&graph).is_ok() {
                let simulation =
                    events::Simulation { sought: events::Sought::Deadlock, extent: Extent::Prefix, seed: 0, rounds: 6 };
                let _ = simulation.run(&graph);
            }
        }
    }
}
