//! What an explanation of a program's run was made of, and what its parts took, as part of the JSON report.

use serde::Serialize;

use super::explanation::Work;
use super::json::milliseconds;

#[derive(Serialize)]
pub struct JsonSize {
    shared_variables: usize,
    shared_accesses: usize,
    constraints: usize,
    variables: u64,
    clauses: u64,
}

#[derive(Serialize)]
pub struct JsonSeconds {
    symex: f64,
    reduce: f64,
    cause: f64,
    alternate: f64,
}

pub fn size(work: Work) -> JsonSize {
    let Work { shared_variables, shared_accesses, constraints, variables, clauses, .. } = work;
    JsonSize { shared_variables, shared_accesses, constraints, variables, clauses }
}

pub fn seconds(work: Work) -> JsonSeconds {
    JsonSeconds {
        symex: milliseconds(work.symex),
        reduce: milliseconds(work.reduce),
        cause: milliseconds(work.cause),
        alternate: milliseconds(work.alternate),
    }
}
