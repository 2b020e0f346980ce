//! The scope of a check, and every cause with source names.

use diagnose::FoundFailure;
use events::EventId;
use report::{CauseTeller, Checked, Given, GivenArguments, GivenStdin, InputPart};
use symex::bounded::{Arguments, Part, Symbolic};

use crate::bounded::bound::Answer;
use crate::bounded::confirm::Confirmed;
use crate::bounded::deepen::Deepened;
use crate::program::{Loaded, Settings};

/// `which` maps failing executions to the distinct failures.
pub fn checked(loaded: &Loaded, deepened: &Deepened, which: &[usize], all: bool) -> Checked {
    let mut checked = Checked {
        unroll: deepened.finished,
        cut: deepened.cut.clone(),
        all,
        seconds: deepened.seconds,
        ..Checked::default()
    };
    let Some(answer) = &deepened.answer else { return checked };
    let unrolled = &answer.unrolled;
    checked.threads = unrolled.graph.threads.len();
    checked.inputs = (0..unrolled.graph.inputs.len()).filter(|&input| unrolled.part(input).is_none()).count();
    checked.iterations = answer.iterations;
    checked.causes_bounded = !deepened.complete && !unrolled.cuts.is_empty();
    checked.doubtful = checked.causes_bounded && deepened.doubtful;
    checked.order_constraints = answer.failures.first().and_then(|first| Some(first.found.as_ref()?.candidates));
    for (number, (confirmed, &failure)) in answer.failures.iter().zip(which).enumerate() {
        let Some(found) = &confirmed.found else { continue };
        let frames = |event| unrolled.frames(event).to_vec();
        let part = |input| unrolled.part(input).map(part);
        let told = Told { found, confirmed, shown: number == 0, part: &part };
        checked.causes.push(teller(loaded, answer, &told, &frames).cause(failure));
    }
    checked
}

/// A failure that has a cause.
struct Told<'a> {
    found: &'a FoundFailure,
    confirmed: &'a Confirmed,
    shown: bool,
    part: &'a dyn Fn(usize) -> Option<InputPart>,
}

fn part(part: Part) -> InputPart {
    match part {
        Part::ArgumentCount => InputPart::ArgumentCount,
        Part::ArgumentByte { argument, byte } => InputPart::ArgumentByte { argument, byte },
        Part::StdinLength => InputPart::StdinLength,
        Part::StdinByte(byte) => InputPart::StdinByte(byte),
    }
}

/// The bounds on the inputs that the program uses.
pub fn given(loaded: &Loaded, settings: &Settings, symbolic: &Symbolic, deepened: &Deepened) -> Given {
    let Some(Answer { unrolled, .. }) = &deepened.answer else { return Given::default() };
    let main = loaded.program.functions.iter().find(|function| function.name == "main");
    let takes_arguments = main.and_then(|main| main.blocks.first()).is_some_and(|first| !first.params.is_empty());
    let arguments = match symbolic.arguments {
        Some(Arguments { count, length }) => GivenArguments::Every { count, length },
        None => GivenArguments::These(settings.arguments.len()),
    };
    let stdin = symbolic.stdin.map_or(GivenStdin::These(settings.stdin.len()), GivenStdin::Every);
    Given {
        arguments: takes_arguments.then_some(arguments),
        stdin: unrolled.seen.stdin.then_some(stdin),
        files: unrolled.seen.files.iter().cloned().collect(),
        variables: unrolled.seen.variables.iter().cloned().collect(),
    }
}

fn teller<'a>(
    loaded: &'a Loaded,
    answer: &'a Answer,
    told: &Told<'a>,
    frames: &'a dyn Fn(EventId) -> Vec<vm::SiteFrame>,
) -> CauseTeller<'a> {
    let &Told { found, confirmed, shown, part } = told;
    CauseTeller {
        program: &loaded.program,
        graph: &answer.unrolled.graph,
        frames,
        found,
        steps: &confirmed.performed.steps,
        threads: &confirmed.performed.threads,
        part,
        run: &confirmed.replayed,
        failure: &confirmed.failure,
        shown,
    }
}
