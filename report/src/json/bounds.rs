//! The bounds of the search, in schema 1.

use serde::Serialize;

use super::finding::{extent, subject};
use super::{assumed, milliseconds};
use crate::model::{
    self, Attempt, Caveats, Checked, CutPlace, Given, GivenArguments, GivenStdin, PathBounds, Place, Report, Search,
    Stopped, Target, WeakOrder,
};

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Bounds<'a> {
    Schedules(Box<Schedules<'a>>),
    Paths(Paths<'a>),
    Nothing { complete: bool, memory_model: &'static str, stopped: &'static str },
}

// Many fields: one object of the JSON report, whose schema is flat.
#[derive(Serialize)]
pub(super) struct Schedules<'a> {
    complete: bool,
    #[serde(flatten)]
    checked: Option<InChecking<'a>>,
    executions: u64,
    memory_model: &'static str,
    #[serde(flatten)]
    beyond_sc: BeyondSc<'a>,
    strategy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds: Option<[u64; 2]>,
    /// The executions that belong to an exploration beside runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    explored: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preemptions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut: Vec<Cut<'a>>,
    steps: u64,
    executions_cut: u64,
    executions_excluded: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
}

#[derive(Serialize)]
pub(super) struct Paths<'a> {
    complete: bool,
    memory_model: &'static str,
    runs: usize,
    incomplete_runs: usize,
    paths: usize,
    attempts: Vec<JsonAttempt<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
}

#[derive(Serialize)]
struct JsonAttempt<'a> {
    subject: &'a str,
    how: &'static str,
    extent: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    orders: Option<u64>,
    answer: &'static str,
    seconds: f64,
}

/// The additional bounds of checking.
#[derive(Serialize)]
struct InChecking<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    unroll: Option<u32>,
    inputs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    given: Option<JsonGiven<'a>>,
    assumed: Vec<&'static str>,
}

/// The bounds on the program's inputs; inputs that it does not use are left out.
#[derive(Serialize)]
struct JsonGiven<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Amount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdin: Option<Amount>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    files: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    variables: &'a [String],
}

/// As it was given, or every value up to a bound.
#[derive(Serialize)]
#[serde(untagged)]
enum Amount {
    These {
        /// Arguments, or bytes.
        given: usize,
    },
    Arguments {
        up_to: u32,
        bytes_each: u32,
    },
    Bytes {
        up_to: u32,
    },
}

/// A text, or a place at which a bound cut off the search.
#[derive(Serialize)]
#[serde(untagged)]
enum Cut<'a> {
    Words(String),
    Place {
        what: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<&'a Place>,
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<&'a str>,
        after: u64,
    },
}

/// Memory models.
#[derive(Default, Serialize)]
struct BeyondSc<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    sequential_consistency_only: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    weak: Vec<Weak<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    races: &'a [[Place; 2]],
}

#[derive(Serialize)]
struct Weak<'a> {
    order: WeakOrder,
    at: &'a Place,
}

const MEMORY_MODEL: &str = "sc";

impl Bounds<'_> {
    /// The bounds of work without any result.
    pub(super) fn of_nothing(stopped: Stopped) -> Bounds<'static> {
        Bounds::Nothing { complete: false, memory_model: MEMORY_MODEL, stopped: stopped.in_words() }
    }
}

pub(super) fn bounds(report: &Report) -> Bounds<'_> {
    match &report.target {
        Target::Program { bounds, .. } => Bounds::Schedules(Box::new(schedules(report, bounds))),
        Target::Traces { bounds, .. } => Bounds::Paths(paths(bounds)),
    }
}

fn schedules<'a>(report: &'a Report, bounds: &'a model::Bounds) -> Schedules<'a> {
    let checked = report.checked.as_ref();
    let words = bounds.left_out.iter().map(|left_out| Cut::Words(left_out.to_string()));
    let places = checked.iter().flat_map(|checked| &checked.cut).map(cut);
    Schedules {
        complete: bounds.complete,
        checked: checked.map(|checked| in_checking(&report.caveats, checked)),
        executions: bounds.executions,
        memory_model: MEMORY_MODEL,
        beyond_sc: beyond_sc(&report.caveats),
        strategy: bounds.search.name(),
        depth: match bounds.search {
            Search::Pct { depth } => Some(depth),
            _ => None,
        },
        explored: match bounds.search {
            Search::Portfolio { explored } if explored > 0 => Some(explored),
            _ => None,
        },
        preemptions: match bounds.search {
            Search::Exhaustive { preemptions, .. } => preemptions,
            _ => None,
        },
        states: bounds.states,
        cut: words.chain(places).collect(),
        seeds: bounds.seeds.map(|seeds| [seeds.first, seeds.last]),
        steps: bounds.step_limit,
        executions_cut: bounds.cut,
        executions_excluded: bounds.excluded,
        stopped: bounds.stopped.map(Stopped::in_words),
    }
}

fn paths(bounds: &PathBounds) -> Paths<'_> {
    Paths {
        complete: bounds.complete,
        memory_model: MEMORY_MODEL,
        runs: bounds.runs,
        incomplete_runs: bounds.incomplete_runs,
        paths: bounds.paths,
        attempts: bounds.attempts.iter().map(attempt).collect(),
        stopped: bounds.stopped.map(Stopped::in_words),
    }
}

fn attempt(attempt: &Attempt) -> JsonAttempt<'_> {
    JsonAttempt {
        subject: subject(&attempt.subject),
        how: if attempt.simulated.is_some() { "simulation" } else { "solver" },
        extent: extent(attempt.extent),
        orders: attempt.simulated,
        answer: attempt.answer.name(),
        seconds: milliseconds(attempt.seconds),
    }
}

fn in_checking<'a>(caveats: &Caveats, checked: &'a Checked) -> InChecking<'a> {
    InChecking {
        unroll: checked.unroll,
        inputs: checked.inputs,
        given: given(&checked.given),
        assumed: assumed(caveats).into_iter().chain(["sequential consistency"]).collect(),
    }
}

fn given(given: &Given) -> Option<JsonGiven<'_>> {
    let Given { arguments, stdin, files, variables } = given;
    (*given != Given::default()).then(|| JsonGiven {
        arguments: arguments.map(|arguments| match arguments {
            GivenArguments::These(given) => Amount::These { given },
            GivenArguments::Every { count, length } => Amount::Arguments { up_to: count, bytes_each: length },
        }),
        stdin: stdin.map(|stdin| match stdin {
            GivenStdin::These(given) => Amount::These { given },
            GivenStdin::Every(bytes) => Amount::Bytes { up_to: bytes },
        }),
        files,
        variables,
    })
}

fn cut(place: &CutPlace) -> Cut<'_> {
    let CutPlace { at, function, what, after } = place;
    Cut::Place { what: what.name(), at: at.as_ref(), function: function.as_deref(), after: *after }
}

fn beyond_sc(caveats: &Caveats) -> BeyondSc<'_> {
    let Some(beyond) = &caveats.beyond_sc else { return BeyondSc::default() };
    BeyondSc {
        sequential_consistency_only: Some(!beyond.is_nothing()),
        weak: beyond.weak.iter().map(|weak| Weak { order: weak.order, at: &weak.at }).collect(),
        races: &beyond.races,
    }
}
