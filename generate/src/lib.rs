//! Random C and C++ programs and random event graphs for heddle's tests. A sequential program has one correct output, so the VM can be compared
//! with native execution; a concurrent one has a small set of outcomes, so explorations can be compared with each
//! other. The text depends on the seed alone, on every platform: a seed in a failing test is the test case.

pub mod random;
mod source;
mod sequential;
mod cpp;
mod concurrent;
mod strangers;
mod costly;
mod traces;
mod mutants;
mod graphs;

pub use concurrent::{
    Concurrent, concurrent_c, concurrent_c_destroying, concurrent_c_richer, concurrent_c_with_floats,
    concurrent_c_with_sizes, concurrent_c_with_texts, concurrent_c_within,
};
pub use costly::{Costly, costly};
pub use cpp::sequential_cpp;
pub use graphs::{
    Answers, Enumeration, EnumerationError, Extent, Merging, random_graph, random_handed, with_beginning,
};
pub use mutants::mutated;
pub use sequential::sequential_c;
pub use strangers::{Stranger, foreign_unlocks_c, stranger_c};
pub use traces::{Counting, Locking, Miscount, counting_traces};
