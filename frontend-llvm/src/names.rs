//! Names that the front end, the models of the library, the instrumentation and the recorder agree on.

/// The mark of definitions from the models.
pub const MODEL: &str = "heddle.model";

/// Where the program begins: a model that calls `main`.
pub const ENTRY: &str = "__heddle_start";

/// The call with which a landing pad without a match resumes unwinding.
pub const RESUME: &str = "_Unwind_Resume";

/// The mark of a terminator that is a recorded decision.
pub const DECISION: &str = "heddle.decision";

/// The name of the metadata that marks a module with marked decisions.
pub const MARKED: &str = "heddle.marked";

/// The function through which a recorded number passes.
pub const VALUE: &str = "__heddle_record_value";

/// Functions that the recorder replaces, under this beginning and their own names.
pub const SEQUENCED: &str = "__heddle_seq_";
