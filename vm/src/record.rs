//! A run of the machine in the form of a native record: the threads' decisions without their order.

use ir::{Origin, Program};
use run::{Place, ProcessEnd, RecordedRun, ThreadEnd};

use crate::machine::{Datum, Machine};
use crate::outcome::{Failure, FailureKind, Outcome, Site};

/// The POSIX signal for an invalid address.
const SEGMENTATION_FAULT: i32 = 11;

/// None without a record, or if the run did not reach an end that a recorder would see.
pub fn recorded<V: Datum>(machine: &Machine<V>, outcome: &Outcome) -> Option<RecordedRun> {
    let mut threads = machine.shared.notes.recorded.as_deref()?.clone();
    let end = match outcome {
        Outcome::Passed { status } => ProcessEnd::Exited { status: *status },
        Outcome::Failed(failure) | Outcome::Unasked(failure) => {
            let blames = match failure.kind {
                FailureKind::Deadlock | FailureKind::Hang => goes_on_elsewhere(machine, failure),
                kind => kind != FailureKind::Exit,
            };
            if blames && let Some(thread) = threads.iter_mut().find(|thread| thread.name == failure.site.thread) {
                thread.end = ThreadEnd::Failed;
            }
            end_of(&machine.code.program, failure)
        }
        Outcome::Unsupported { .. } | Outcome::StepLimit { .. } | Outcome::Excluded { .. } => return None,
    };
    Some(RecordedRun { module: ir::fingerprint(&machine.code.program), threads, end, cut: None })
}

/// Whether threads that wait for ever were found while another one was still enabled.
fn goes_on_elsewhere<V: Datum>(machine: &Machine<V>, failure: &Failure) -> bool {
    let waits = |thread: usize| failure.waiting.iter().any(|waiting| waiting.site.thread == *machine.name(thread));
    (0..machine.thread_count()).any(|thread| !machine.shared.status[thread].finished && !waits(thread))
}

fn end_of(program: &Program, failure: &Failure) -> ProcessEnd {
    let at = place(program, &failure.site);
    match failure.kind {
        FailureKind::Assertion => {
            let asserted = failure.asserted_at.clone().map(|(file, line)| Place { file, line });
            let nowhere = Place { file: String::new(), line: 0 };
            ProcessEnd::Assertion { at: asserted.or(at).unwrap_or(nowhere), condition: failure.condition.clone() }
        }
        FailureKind::Memory => ProcessEnd::Signal { number: SEGMENTATION_FAULT, at },
        FailureKind::Deadlock | FailureKind::Hang => ProcessEnd::Hang,
        FailureKind::Exit => ProcessEnd::Exited { status: 1 },
        FailureKind::Abort | FailureKind::Exception | FailureKind::Race => ProcessEnd::Abort { at },
    }
}

/// The innermost place that is the user's.
fn place(program: &Program, site: &Site) -> Option<Place> {
    let frame = site.frames.iter().find(|frame| program.functions[frame.function.index()].origin == Origin::User)?;
    let span = program.spans.get(frame.span.0 as usize)?;
    let file = program.files.get(span.file.0 as usize)?;
    Some(Place { file: file.clone(), line: span.line })
}
