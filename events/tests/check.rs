//! All defects of ill-formed graphs are found, and at the right place.

use events::{EventGraph, EventId, Part, Problem, Reason, ThreadId, check, parse_graph, replay};
use formula::Sort;

const SOUND: &str = "\
heddle graph 1
input %choice bool
object data 4
object lock 1
thread 0
  0 start
  1 fork 0.1
  2 read data[0] bytes 1 old %seen
  3 lock lock[0]
  4 sleep lock[0] lock[0]
  5 wake 4
  6 atomic begin
  7 write data[1] bytes 1 new %seen
  8 atomic end
  9 assert (= %seen %other)
  10 exit
thread 0.1
  11 start
  12 read data[0] bytes 1 old %other
  13 exit
";

fn changed(change: &str, with: &str) -> EventGraph {
    assert!(SOUND.contains(change), "{change}");
    parse_graph(&SOUND.replacen(change, with, 1)).unwrap_or_else(|error| panic!("{with}: {error}"))
}

fn problems(graph: &EventGraph) -> Vec<(Part, Problem)> {
    check(graph).err().unwrap_or_default().into_iter().map(|error| (error.at, error.problem)).collect()
}

#[test]
fn the_sound_graph_is_sound() {
    assert_eq!(problems(&parse_graph(SOUND).unwrap()), []);
}

#[test]
fn each_problem_is_found() {
    let event = |number| Part::Event(EventId(number));
    let sort = |what, expected, found| Problem::Sort { what, expected, found };
    for (change, with, at, problem) in [
        ("2 read", "2 if %seen~2 read", event(2), Problem::NotInScope("guard")),
        ("7 write data[1] bytes 1 new %seen", "7 write data[1] bytes 1 new %other", event(7), {
            Problem::NotInScope("value that is written")
        }),
        ("data[1] bytes 1", "data[(zext 32 %other)] bytes 1", event(7), Problem::NotInScope("address")),
        ("data[1] bytes 1", "data[4] bytes 1", event(7), Problem::OutOfBounds),
        ("data[1] bytes 1", "[9:32][0] bytes 1", event(7), Problem::NoObject(9)),
        ("data[1] bytes 1", "data[1] bytes 17", event(7), Problem::AccessWidth(17)),
        ("data[1] bytes 1", "data[1] bytes 2", event(7), {
            sort("value that is written", Sort::Bits(16), Sort::Bits(8))
        }),
        ("assert (= %seen %other)", "assert %seen", event(9), sort("condition", Sort::Bool, Sort::Bits(8))),
        ("1 fork 0.1", "1 fork 0", event(1), Problem::ForkOfMain),
        ("7 write data[1] bytes 1 new %seen", "7 lock lock[0]", event(7), Problem::BlocksInside),
        ("8 atomic end", "8 atomic begin", event(8), Problem::Atomic),
        ("6 atomic begin", "6 cut", event(8), Problem::Atomic),
        ("8 atomic end", "8 cut", Part::Thread(ThreadId(0)), Problem::Atomic),
        ("5 wake 4", "5 if %choice wake 4", event(5), Problem::Wake),
        ("5 wake 4", "5 wake 3", event(5), Problem::Wake),
        ("5 wake 4", "5 cut", event(4), Problem::Sleep),
        ("0 start", "0 if %choice start", Part::Thread(ThreadId(0)), Problem::Start),
        ("11 start", "11 cut", Part::Thread(ThreadId(1)), Problem::Start),
        ("10 exit", "10 cut", Part::Thread(ThreadId(0)), Problem::Exit),
        ("3 lock lock[0]", "3 exit", Part::Thread(ThreadId(0)), Problem::Exit),
        ("object lock 1", "  initial 3 5:16\nobject lock 1", Part::Object(events::ObjectId(0)), Problem::BadInitial),
        ("object lock 1", "  initial 0 5:7\nobject lock 1", Part::Object(events::ObjectId(0)), Problem::BadInitial),
        ("object lock 1", "  initial 0 5:16\n  initial 1 5:8\nobject lock 1", Part::Object(events::ObjectId(0)), {
            Problem::OverlappingInitials
        }),
    ] {
        let with = with.replace("%seen~2", "(= %seen 1:8)");
        let found = problems(&changed(change, &with));
        assert!(found.contains(&(at, problem.clone())), "{with}: {problem} was not found, but {found:?}");
    }
}

#[test]
fn all_problems_are_collected() {
    let mut graph = changed("10 exit", "10 cut");
    graph.inputs.push(graph.inputs[0]);
    graph.threads[1].events.push(EventId(2));
    graph.threads[1].events.push(EventId(99));
    graph.threads[1].name = graph.threads[0].name.clone();
    let found = problems(&graph);
    for expected in [
        (Part::Input(1), Problem::BadInput),
        (Part::Event(EventId(2)), Problem::Listed(2)),
        (Part::Thread(ThreadId(1)), Problem::NoSuchEvent(99)),
        (Part::Thread(ThreadId(1)), Problem::SameName("0".to_owned())),
        (Part::Thread(ThreadId(0)), Problem::Exit),
        (Part::Thread(ThreadId(1)), Problem::Exit),
    ] {
        assert!(found.contains(&expected), "{expected:?} was not found, but {found:?}");
    }
    let violation = replay(&graph, &events::Execution::default(), events::Extent::Prefix).unwrap_err();
    assert!(matches!(violation.reason, Reason::IllFormed(_)));
    assert_eq!(problems(&EventGraph::default()), [(Part::Graph, Problem::NoThread)]);
}

#[test]
fn a_symbol_has_one_definition() {
    let mut graph = parse_graph(SOUND).unwrap();
    let events::Kind::Access(first) = graph.events[2].kind.clone() else { panic!("the read is event 2") };
    if let events::Kind::Access(second) = &mut graph.events[12].kind {
        second.old = first.old;
    }
    let found = problems(&graph);
    assert!(found.contains(&(Part::Event(EventId(12)), Problem::NoSymbol("result"))), "{found:?}");
    assert!(found.contains(&(Part::Event(EventId(9)), Problem::NotInScope("condition"))), "{found:?}");
}
