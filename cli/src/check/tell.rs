//! What was checked, and every cause in the words of the source.

use diagnose::FoundFailure;
use events::EventId;
use report::checked::{Checked, Teller};

use crate::check::bound::{Answer, Confirmed};
use crate::check::deepen::Deepened;
use crate::pipeline::Loaded;

/// `which` tells by failing execution which of the different failures it is.
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
    checked.inputs = unrolled.graph.inputs.len();
    checked.iterations = answer.iterations;
    checked.order_constraints = answer.failures.first().and_then(|first| Some(first.found.as_ref()?.candidates));
    let unwatched = unrolled.unwatched.iter();
    checked.unwatched =
        unwatched.map(|(file, line)| report::Place { file: file.clone(), line: *line, column: 0 }).collect();
    for (number, (confirmed, &failure)) in answer.failures.iter().zip(which).enumerate() {
        let Some(found) = &confirmed.found else { continue };
        let frames = |event| unrolled.frames(event).to_vec();
        let told = Told { found, confirmed, shown: number == 0 };
        checked.causes.push(teller(loaded, answer, &told, &frames).cause(failure));
    }
    checked
}

/// A failure that has a cause.
struct Told<'a> {
    found: &'a FoundFailure,
    confirmed: &'a Confirmed,
    shown: bool,
}

fn teller<'a>(
    loaded: &'a Loaded,
    answer: &'a Answer,
    told: &Told<'a>,
    frames: &'a dyn Fn(EventId) -> Vec<vm::SiteFrame>,
) -> Teller<'a> {
    let &Told { found, confirmed, shown } = told;
    Teller {
        program: &loaded.program,
        graph: &answer.unrolled.graph,
        frames,
        found,
        steps: &confirmed.performed.steps,
        threads: &confirmed.performed.threads,
        run: &confirmed.replayed,
        failure: &confirmed.failure,
        shown,
    }
}
