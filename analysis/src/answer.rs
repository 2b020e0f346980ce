//! The common inputs and results of use cases.

use report::Report;

use crate::budget::Budget;
use crate::observer::Observer;

/// The context of a use case: all its inputs except its own request.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub budget: &'a Budget,
    pub observer: &'a dyn Observer,
    /// The first seed.
    pub seed: u64,
    /// The number of threads that may work in parallel.
    pub jobs: usize,
    /// Whether reports also list unsupported constructs that were not reached.
    pub all_unsupported: bool,
}

impl Context<'_> {
    /// The same with another budget.
    pub fn within<'b>(&'b self, budget: &'b Budget) -> Context<'b> {
        Context { budget, ..*self }
    }
}

/// A report, and the texts of its schedules. The caller writes them, and puts the names of their files into the report.
#[derive(Clone, Debug)]
pub struct Answer {
    pub report: Report,
    /// The schedule of the report's finding.
    pub schedule: Option<String>,
    /// Schedules of other failures, by their positions in the report's counts.
    pub others: Vec<(usize, String)>,
    /// The program's output in the run that the report shows.
    pub output: Option<Vec<u8>>,
}

impl Answer {
    /// A report without schedules or output.
    pub fn new(report: Report) -> Answer {
        Answer { report, schedule: None, others: Vec::new(), output: None }
    }
}
