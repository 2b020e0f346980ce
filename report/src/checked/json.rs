//! Bounded checking for programs: what schema 1 says of causes and bounds.

use serde::Serialize;

use super::{Cause, Checked, CutPlace, End, Given, GivenArguments, GivenStdin, InputPart, NeededInput, Order, Reason};
use crate::caveats::{Caveats, assumed};
use crate::json::{At, JsonEvent, at, event, milliseconds};

#[derive(Serialize)]
pub(crate) struct JsonCause<'a> {
    /// Which of `failures` it leads to, where they are listed.
    failure: usize,
    orders: Vec<JsonOrder<'a>>,
    minimal: bool,
    /// How it comes about: `orders`, `inevitable`, `chosen` by the environment, `unknown`.
    by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<JsonInput<'a>>,
    /// Whether it needs other choices of the environment too.
    choices: bool,
    /// Whether it is proven of the executions within the bounds alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bounded: bool,
}

#[derive(Serialize)]
struct JsonOrder<'a> {
    before: JsonEvent<'a>,
    after: JsonEvent<'a>,
    reason: &'static str,
}

#[derive(Serialize)]
struct JsonInput<'a> {
    /// Of those that the program asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<usize>,
    /// `choice`, or what of its arguments and stdin it is.
    kind: &'static str,
    /// Which argument, and which of its bytes or of those of stdin, both from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    argument: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<u32>,
    value: &'a str,
    whole: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
}

#[derive(Serialize)]
pub(crate) struct JsonCut<'a> {
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'a str>,
    after: u64,
}

/// What the bounds say beyond those of other commands.
#[derive(Default, Serialize)]
pub(crate) struct JsonBounds<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    unroll: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    given: Option<JsonGiven<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumed: Vec<&'static str>,
}

/// The bounds on what the program is given; what it does not look at is left out.
#[derive(Serialize)]
struct JsonGiven<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<JsonAmount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdin: Option<JsonAmount>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    files: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    variables: &'a [String],
}

/// As it was given, or every value up to a bound.
#[derive(Serialize)]
#[serde(untagged)]
enum JsonAmount {
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

fn given(given: &Given) -> Option<JsonGiven<'_>> {
    let Given { arguments, stdin, files, variables } = given;
    let is_nothing = arguments.is_none() && stdin.is_none() && files.is_empty() && variables.is_empty();
    (!is_nothing).then(|| JsonGiven {
        arguments: arguments.map(|arguments| match arguments {
            GivenArguments::These(given) => JsonAmount::These { given },
            GivenArguments::Every { count, length } => JsonAmount::Arguments { up_to: count, bytes_each: length },
        }),
        stdin: stdin.map(|stdin| match stdin {
            GivenStdin::These(given) => JsonAmount::These { given },
            GivenStdin::Every(bytes) => JsonAmount::Bytes { up_to: bytes },
        }),
        files,
        variables,
    })
}

#[derive(Default, Serialize)]
pub(crate) struct JsonStats {
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order_constraints: Option<usize>,
}

#[derive(Serialize)]
pub(crate) struct JsonSeconds {
    symex: f64,
    solve: f64,
    diagnose: f64,
}

pub(crate) fn causes(checked: &Checked) -> Vec<JsonCause<'_>> {
    checked.causes.iter().map(|told| cause(told, checked)).collect()
}

fn cause<'a>(cause: &'a Cause, checked: &Checked) -> JsonCause<'a> {
    let bounded = checked.causes_bounded;
    let (by, orders, minimal, candidates): (_, &[Order], _, _) = match &cause.reason {
        Reason::Orders { orders, minimal, candidates } => ("orders", orders, *minimal, Some(*candidates)),
        // Nothing is known of orders that go round more often.
        Reason::Inevitable if checked.doubtful => ("unknown", &[], false, None),
        Reason::Inevitable => ("inevitable", &[], true, None),
        Reason::Chosen => ("chosen", &[], false, None),
        Reason::Unknown => ("unknown", &[], false, None),
    };
    JsonCause {
        failure: cause.failure,
        orders: orders
            .iter()
            .map(|order| JsonOrder { before: end(&order.before), after: end(&order.after), reason: order.reason })
            .collect(),
        minimal,
        by,
        candidates,
        inputs: cause.inputs.iter().map(input).collect(),
        choices: cause.choices,
        bounded: bounded && matches!(cause.reason, Reason::Orders { .. } | Reason::Inevitable),
    }
}

fn input(needed: &NeededInput) -> JsonInput<'_> {
    let NeededInput { number, part, value, whole, at: place } = needed;
    let (kind, argument, byte) = match *part {
        None => ("choice", None, None),
        Some(InputPart::ArgumentCount) => ("arguments", None, None),
        Some(InputPart::ArgumentByte { argument, byte }) => ("argument", Some(argument + 1), Some(byte + 1)),
        Some(InputPart::StdinLength) => ("stdin-length", None, None),
        Some(InputPart::StdinByte(byte)) => ("stdin", None, Some(byte + 1)),
    };
    let number = part.is_none().then_some(*number);
    JsonInput { number, kind, argument, byte, value, whole: *whole, at: place.as_ref().map(at) }
}

fn end(end: &End) -> JsonEvent<'_> {
    let mut told = event(&end.event);
    told.id = told.id.filter(|_| end.shown);
    told
}

pub(crate) fn cuts(checked: &Checked) -> Vec<JsonCut<'_>> {
    checked.cut.iter().map(cut).collect()
}

fn cut(place: &CutPlace) -> JsonCut<'_> {
    let CutPlace { at: place, function, what, after } = place;
    JsonCut { what: what.name(), at: place.as_ref().map(at), function: function.as_deref(), after: *after }
}

pub(crate) fn bounds<'a>(caveats: &Caveats, checked: &'a Checked) -> JsonBounds<'a> {
    JsonBounds {
        unroll: checked.unroll,
        inputs: Some(checked.inputs),
        given: given(&checked.given),
        assumed: assumed(caveats).into_iter().chain(["sequential consistency"]).collect(),
    }
}

pub(crate) fn stats(checked: &Checked) -> JsonStats {
    JsonStats { iterations: Some(checked.iterations), order_constraints: checked.order_constraints }
}

pub(crate) fn seconds(checked: &Checked) -> JsonSeconds {
    let seconds = &checked.seconds;
    JsonSeconds {
        symex: milliseconds(seconds.symex),
        solve: milliseconds(seconds.solve),
        diagnose: milliseconds(seconds.diagnose),
    }
}
