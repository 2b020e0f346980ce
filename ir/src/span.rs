//! Places in the source text.

/// An index into [`crate::Program::files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// An index into [`crate::Program::spans`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpanId(pub u32);

impl SpanId {
    /// The place of code without one; every program's first span.
    pub const NONE: SpanId = SpanId(0);
}

/// A place in the source. Line and column count from 1; 0 means unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
    /// The call at which this code's function was inlined.
    pub inlined_at: Option<SpanId>,
}
