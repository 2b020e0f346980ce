//! Regions, waits and writes as lines of the source.

use std::collections::BTreeSet;

use ir::{FunctionId, Program, SpanId};
use report::{Extent, Place};
use semantics::code::Code;

use crate::regions::Region;

/// Whether a line has an instruction. Files are given by a suffix of their path.
pub fn has_code(program: &Program, file: &str, line: u32) -> bool {
    program.spans.iter().any(|span| {
        span.line == line && program.files.get(span.file.0 as usize).is_some_and(|name| is_file(name, file))
    })
}

/// Whether a file of the program is the one that the user names.
pub fn is_file(name: &str, given: &str) -> bool {
    name == given || name.ends_with(&format!("/{given}")) || given.ends_with(&format!("/{name}"))
}

/// The lines of a region.
pub fn extent(code: &Code, region: &Region) -> Option<Extent> {
    match region {
        Region::Call(function) => of_function(code, *function),
        Region::Stretch { function, positions } => {
            let spans = &code.function(*function).spans;
            let own = positions.iter().filter_map(|&position| spans.get(position as usize).copied());
            let own: Vec<Place> = own.filter_map(|span| Place::of_span(&code.program, span)).collect();
            let (first, last) = (own.iter().map(|place| place.line).min()?, own.iter().map(|place| place.line).max()?);
            Some(Extent { file: own.first()?.file.clone(), line: first, end_line: last })
        }
    }
}

fn of_function(code: &Code, function: FunctionId) -> Option<Extent> {
    let begin = Place::of_span(&code.program, code.program.functions.get(function.index())?.span);
    let spans = code.function(function).spans.iter().filter_map(|&span| Place::of_span(&code.program, span));
    let places: Vec<Place> = spans.collect();
    let begin = begin.or_else(|| places.first().cloned())?;
    let last = places.iter().filter(|place| place.file == begin.file).map(|place| place.line).max();
    Some(Extent { file: begin.file, line: begin.line, end_line: last.unwrap_or(begin.line).max(begin.line) })
}

/// The hull of extents in one file; the first one's where they lie in several.
pub fn hull(extents: &[Extent]) -> Option<Extent> {
    let first = extents.first()?;
    let here = || extents.iter().filter(|extent| extent.file == first.file);
    let line = here().map(|extent| extent.line).min()?;
    let end_line = here().map(|extent| extent.end_line).max()?;
    Some(Extent { file: first.file.clone(), line, end_line })
}

/// Places without columns, sorted, each once.
pub fn lines(program: &Program, spans: impl Iterator<Item = SpanId>) -> Vec<Place> {
    let places: BTreeSet<Place> =
        spans.filter_map(|span| Place::of_span(program, span)).map(|place| Place { column: 0, ..place }).collect();
    places.into_iter().collect()
}
