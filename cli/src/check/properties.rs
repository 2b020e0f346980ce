//! Which kinds of failure are looked for.

use vm::{DEFAULT_PROPERTIES, FailureKind};

use crate::args::{CheckArgs, CheckedProperty};

/// As settings have it: beside the usual ones, and without some of them.
pub struct Properties {
    pub added: Vec<FailureKind>,
    pub left_out: Vec<FailureKind>,
}

pub fn wanted(args: &CheckArgs) -> Properties {
    let kinds: Vec<FailureKind> = args.property.iter().map(|property| kind(*property)).collect();
    let left_out = DEFAULT_PROPERTIES.iter().copied().filter(|usual| !kinds.is_empty() && !kinds.contains(usual));
    let left_out = left_out.collect();
    let mut added: Vec<FailureKind> = kinds.into_iter().filter(|kind| !DEFAULT_PROPERTIES.contains(kind)).collect();
    added.dedup();
    Properties { added, left_out }
}

fn kind(property: CheckedProperty) -> FailureKind {
    match property {
        CheckedProperty::Assertion => FailureKind::Assertion,
        CheckedProperty::Abort => FailureKind::Abort,
        CheckedProperty::Memory => FailureKind::Memory,
        CheckedProperty::Exception => FailureKind::Exception,
        CheckedProperty::Deadlock => FailureKind::Deadlock,
        CheckedProperty::Hang => FailureKind::Hang,
        CheckedProperty::Race => FailureKind::Race,
        CheckedProperty::Exit => FailureKind::Exit,
    }
}
