//! Events of an execution, and their places in the source.

use ir::{Origin, Program, SpanId};
use run::ThreadName;
use serde::{Serialize, Serializer};
use vm::Site;

use crate::named::named;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Place {
    pub file: String,
    pub line: u32,
    /// 0 if unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub column: u32,
}

impl Place {
    /// `None` for code without a place in a source text.
    pub fn of_span(program: &Program, span: SpanId) -> Option<Place> {
        let span = program.spans.get(span.0 as usize)?;
        let file = program.files.get(span.file.0 as usize)?;
        (span.line != 0).then(|| Place { file: file.clone(), line: span.line, column: span.column })
    }

    /// The file without its folders.
    pub fn file_name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or(&self.file)
    }
}

impl From<events::Place> for Place {
    fn from(place: events::Place) -> Place {
        Place { file: place.file, line: place.line, column: 0 }
    }
}

/// One call of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Empty if unknown.
    pub function: String,
    pub place: Option<Place>,
    pub origin: Origin,
}

/// The position of a thread. Reports show the innermost frame of the user's code first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Where {
    pub thread: ThreadName,
    /// Innermost first, with the calls that were inlined.
    pub stack: Vec<Frame>,
}

impl Where {
    pub fn new(program: &Program, site: &Site) -> Where {
        let mut stack = Vec::new();
        for frame in &site.frames {
            let Some(function) = program.functions.get(frame.function.index()) else { continue };
            let mut span = frame.span;
            // The function name of an inlined call is lost; its caller's name is the best approximation.
            for _ in 0..64 {
                stack.push(Frame {
                    function: function.display.clone(),
                    place: Place::of_span(program, span),
                    origin: function.origin,
                });
                match program.spans.get(span.0 as usize).and_then(|span| span.inlined_at) {
                    Some(outer) => span = outer,
                    None => break,
                }
            }
        }
        Where { thread: site.thread.clone(), stack }
    }

    /// A place in the user's code with an unknown stack.
    pub fn at(thread: ThreadName, place: Option<Place>) -> Where {
        let frame = |place| Frame { function: String::new(), place: Some(place), origin: Origin::User };
        Where { thread, stack: place.map(frame).into_iter().collect() }
    }

    /// The innermost frame of the user's own code, or else the innermost with a place.
    pub fn frame(&self) -> Option<&Frame> {
        let of_user = |frame: &&Frame| frame.origin == Origin::User && frame.place.is_some();
        self.stack.iter().find(of_user).or_else(|| self.stack.iter().find(|frame| frame.place.is_some()))
    }

    pub fn place(&self) -> Option<&Place> {
        self.frame().and_then(|frame| frame.place.as_ref())
    }

    /// `None` if only library code is on the stack, as at the start of a thread.
    pub fn user_place(&self) -> Option<&Place> {
        self.frame().filter(|frame| frame.origin == Origin::User).and_then(|frame| frame.place.as_ref())
    }

    pub fn function(&self) -> Option<&str> {
        let frame = self.frame().or(self.stack.first());
        frame.map(|frame| frame.function.as_str()).filter(|function| !function.is_empty())
    }
}

/// A visible operation of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its position in the failing execution; events that only occur in other executions have higher numbers. `None` if
    /// the execution is not shown.
    pub id: Option<usize>,
    pub kind: EventKind,
    /// The source name of the object, or the thread that it creates or joins; may be empty.
    pub object: String,
    /// As in the source language; may be empty.
    pub value: String,
    pub at: Where,
}

named! {
    /// The kind of an event.
    pub enum EventKind {
        Read = "read",
        Write = "write",
        Rmw = "rmw",
        Lock = "lock",
        TryLock = "try-lock",
        /// The same in a run of the machine, whose event does not tell whether it succeeded.
        LockAttempt = "trylock",
        Unlock = "unlock",
        ReadLock = "read-lock",
        TryReadLock = "try-read-lock",
        WriteLock = "write-lock",
        TryWriteLock = "try-write-lock",
        RwUnlock = "rw-unlock",
        Wait = "wait",
        Wake = "wake",
        Timeout = "timeout",
        Signal = "signal",
        Broadcast = "broadcast",
        SemWait = "sem-wait",
        SemTryWait = "sem-try-wait",
        SemPost = "sem-post",
        SemValue = "sem-value",
        Barrier = "barrier",
        BarrierArrive = "barrier-arrive",
        BarrierLeave = "barrier-leave",
        Once = "once",
        Spin = "spin",
        Await = "await",
        Fork = "fork",
        Join = "join",
        Detach = "detach",
        Start = "start",
        Exit = "exit",
        Yield = "yield",
        Sleep = "sleep",
        Clock = "clock",
        Input = "input",
        File = "file",
        Allocate = "allocate",
        Free = "free",
        Init = "init",
        Destroy = "destroy",
        /// An access to a block that may have been freed, or to a lock that may have been destroyed.
        Use = "use",
        AtomicBegin = "atomic-begin",
        AtomicEnd = "atomic-end",
        Branch = "branch",
        Assert = "assert",
        /// The end of a failing execution without a failing assertion.
        Failure = "failure",
        /// A thread waits here for ever.
        Blocked = "blocked",
        Cut = "cut",
        End = "end",
        Other = "event",
    }
}

impl EventKind {
    pub fn is_access(self) -> bool {
        matches!(self, EventKind::Read | EventKind::Write | EventKind::Rmw)
    }

    /// From the name that the machine and its followers use.
    pub(crate) fn of_machine(name: &str) -> EventKind {
        let kind = EventKind::named(name);
        debug_assert!(kind.is_some(), "the machine has a kind of events that reports do not know: {name}");
        kind.unwrap_or(EventKind::Other)
    }
}

fn is_zero(column: &u32) -> bool {
    *column == 0
}

impl Serialize for Event {
    /// With its thread, and with the place in the user's code only.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<usize>,
            thread: String,
            kind: EventKind,
            #[serde(skip_serializing_if = "str::is_empty")]
            object: &'a str,
            #[serde(skip_serializing_if = "str::is_empty")]
            value: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            at: Option<&'a Place>,
        }
        let Event { id, kind, object, value, at } = self;
        let (thread, at) = (at.thread.to_string(), at.user_place());
        Fields { id: *id, thread, kind: *kind, object, value, at }.serialize(serializer)
    }
}

impl Event {
    pub fn new(program: &Program, id: usize, event: &vm::Event) -> Event {
        Event {
            id: Some(id),
            kind: EventKind::of_machine(event.kind),
            object: event.object.clone(),
            value: event.value.clone(),
            at: Where::new(program, &event.site),
        }
    }

    pub fn thread(&self) -> &ThreadName {
        &self.at.thread
    }

    /// The object of a call: for `queue.push_back()` the queue.
    pub fn subject(&self) -> &str {
        self.object
            .strip_suffix("()")
            .and_then(|call| call.rsplit_once('.'))
            .map_or(&self.object, |(subject, _)| subject)
    }
}
