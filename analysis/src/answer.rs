//! The common results of use cases.

use report::Report;

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
