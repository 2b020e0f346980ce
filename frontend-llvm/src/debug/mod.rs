//! Debug information: source places and names.

mod files;
mod types;
mod layouts;
mod variables;
mod structs;
mod places;
mod qualified;

use std::collections::HashMap;
use std::path::PathBuf;

use ir::{FileId, Span, SpanId};

use crate::llvm::{DataLayout, Metadata, Module, Value};

pub use files::Files;
pub use layouts::Layouts;
pub use variables::{Holding, Variables};

pub use places::Wanted;

use places::Places;
use structs::Structs;

/// The tables that debug information is turned into.
pub struct DebugInfo<'m> {
    pub files: Files,
    pub spans: Vec<Span>,
    pub layouts: Layouts<'m>,
    structs: Structs<'m>,
    span_ids: HashMap<Span, SpanId>,
    locations: HashMap<Metadata<'m>, SpanId>,
}

/// Whether a file belongs to the system's libraries or to the models.
pub fn is_system_file(file: Metadata<'_>) -> bool {
    let Some((name, directory)) = file.file_name() else { return false };
    let path = if name.starts_with('/') { name } else { format!("{directory}/{name}") };
    ["/usr/include/", "/usr/lib/", "/usr/src/", "/usr/local/include/", "<heddle>/"]
        .iter()
        .any(|start| path.starts_with(start))
}

impl<'m> DebugInfo<'m> {
    pub fn new(module: &'m Module<'m>, files: &[PathBuf]) -> DebugInfo<'m> {
        let nowhere = Span { file: FileId(0), line: 0, column: 0, inlined_at: None };
        DebugInfo {
            files: Files::new(module, files),
            spans: vec![nowhere],
            span_ids: HashMap::from([(nowhere, SpanId::NONE)]),
            layouts: Layouts::default(),
            structs: Structs::new(module),
            locations: HashMap::new(),
        }
    }

    /// The place of an instruction's debug location.
    pub fn span(&mut self, location: Metadata<'m>) -> SpanId {
        if let Some(&span) = self.locations.get(&location) {
            return span;
        }
        let inlined_at = location.inlined_at().map(|call| self.span(call));
        let file = location.location_scope().and_then(|scope| scope.file());
        let (line, column) = location.line_and_column().unwrap_or_default();
        let span = self.add(file, line, column, inlined_at);
        self.locations.insert(location, span);
        span
    }

    fn add(&mut self, file: Option<Metadata<'m>>, line: u32, column: u32, inlined_at: Option<SpanId>) -> SpanId {
        let Some(file) = file else { return SpanId::NONE };
        let file = self.files.id(file);
        let span = Span { file, line, column, inlined_at };
        *self.span_ids.entry(span).or_insert_with(|| {
            self.spans.push(span);
            SpanId(self.spans.len() as u32 - 1)
        })
    }

    pub fn function_span(&mut self, function: Value<'m>) -> SpanId {
        match function.subprogram() {
            Some(subprogram) => self.add(subprogram.file(), subprogram.line(), 0, None),
            None => SpanId::NONE,
        }
    }

    pub fn variable_span(&mut self, variable: Metadata<'m>) -> SpanId {
        self.add(variable.file(), variable.line(), 0, None)
    }

    /// The name of a function in reports.
    pub fn display_name(&self, function: Value<'m>) -> String {
        function.subprogram().and_then(qualified::name).unwrap_or_else(|| function.name())
    }

    /// The source text of the memory at an offset from a pointer.
    pub fn place(
        &mut self,
        variables: &Variables<'m>,
        layout: DataLayout<'m>,
        pointer: Value<'m>,
        offset: u64,
        wanted: Wanted,
    ) -> Option<String> {
        Places { variables, structs: &mut self.structs, layout }.place(pointer, offset, wanted)
    }

    /// The source text of the memory at a pointer, of any size.
    pub fn pointed(&mut self, variables: &Variables<'m>, layout: DataLayout<'m>, pointer: Value<'m>) -> Option<String> {
        Places { variables, structs: &mut self.structs, layout }.pointed(pointer)
    }
}
