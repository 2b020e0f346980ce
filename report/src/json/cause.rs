//! Causes in schema 1.

use diagnose::Proof;
use serde::Serialize;

use crate::model::{Cause, Checked, Explanation, InputPart, NeededInput, Order, Place, Reason};

#[derive(Serialize)]
pub(super) struct JsonCause<'a> {
    /// The index of its failure in `failures`, where those are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<usize>,
    orders: &'a [Order],
    minimal: bool,
    /// The kind of cause: `orders`, `inevitable`, `chosen` by the environment, `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<JsonInput<'a>>,
    /// Whether it also needs other choices of the environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<bool>,
    /// Whether it is proven only for the executions within the bounds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bounded: bool,
}

#[derive(Serialize)]
struct JsonInput<'a> {
    /// The number among the inputs that the program reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<usize>,
    /// `choice`, or the part of its arguments and stdin.
    kind: &'static str,
    /// The argument, and the byte of it or of stdin, both from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    argument: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<u32>,
    value: &'a str,
    whole: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a Place>,
}

/// All computed causes.
pub(super) fn of_checked(checked: &Checked) -> Vec<JsonCause<'_>> {
    checked.causes.iter().map(|cause| in_bounds(cause, checked)).collect()
}

/// An inevitable failure has a cause without orders; an unknown cause is not listed.
pub(super) fn of_explanation(explanation: &Explanation) -> Vec<JsonCause<'_>> {
    let (minimal, candidates) = match &explanation.cause.reason {
        Reason::Orders { proof, candidates, .. } => (*proof == Proof::Minimal, *candidates),
        Reason::Inevitable => (true, 0),
        Reason::Chosen | Reason::Unknown => return Vec::new(),
    };
    vec![JsonCause {
        failure: None,
        orders: explanation.cause.reason.orders(),
        minimal,
        by: None,
        candidates: Some(candidates),
        inputs: Vec::new(),
        choices: None,
        bounded: false,
    }]
}

fn in_bounds<'a>(cause: &'a Cause, checked: &Checked) -> JsonCause<'a> {
    let (by, minimal, candidates) = match &cause.reason {
        Reason::Orders { proof, candidates, .. } => ("orders", *proof == Proof::Minimal, Some(*candidates)),
        // Executions beyond the unrolling bound are unknown.
        Reason::Inevitable if checked.doubtful => ("unknown", false, None),
        Reason::Inevitable => ("inevitable", true, None),
        Reason::Chosen => ("chosen", false, None),
        Reason::Unknown => ("unknown", false, None),
    };
    let is_proven = matches!(cause.reason, Reason::Orders { .. } | Reason::Inevitable);
    JsonCause {
        failure: Some(cause.failure),
        orders: cause.reason.orders(),
        minimal,
        by: Some(by),
        candidates,
        inputs: cause.inputs.iter().map(input).collect(),
        choices: Some(cause.choices),
        bounded: checked.causes_bounded && is_proven,
    }
}

fn input(needed: &NeededInput) -> JsonInput<'_> {
    let NeededInput { number, part, value, whole, at } = needed;
    let (kind, argument, byte) = match *part {
        None => ("choice", None, None),
        Some(InputPart::ArgumentCount) => ("arguments", None, None),
        Some(InputPart::ArgumentByte { argument, byte }) => ("argument", Some(argument + 1), Some(byte + 1)),
        Some(InputPart::StdinLength) => ("stdin-length", None, None),
        Some(InputPart::StdinByte(byte)) => ("stdin", None, Some(byte + 1)),
    };
    let number = part.is_none().then_some(*number);
    JsonInput { number, kind, argument, byte, value, whole: *whole, at: at.as_ref() }
}
