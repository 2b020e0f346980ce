//! A recorded run that no interleaving explains: which reads are to blame.

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexplained {
    /// As the user named it.
    pub run: String,
    pub reads: Vec<Read>,
    /// Whether no fewer reads would do.
    pub smallest: bool,
}

/// A read that found something that no order of the steps lets it find.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Read {
    pub thread: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct At {
    pub file: String,
    pub line: u32,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    command: &'static str,
    program: &'a str,
    verdict: &'static str,
    unexplained: List<'a>,
}

#[derive(Serialize)]
struct List<'a> {
    reads: &'a [Read],
    smallest: bool,
}

pub fn text(report: &Unexplained) -> String {
    let mut text = format!(
        "no interleaving explains {}\n  in none do the threads decide as recorded and it ends as it did\n",
        report.run
    );
    if !report.reads.is_empty() {
        let (many, them) = if report.reads.len() == 1 { ("one read", "it") } else { ("these reads together", "them") };
        let proven = if report.smallest { "; no fewer would do" } else { "; perhaps fewer would do" };
        text += &format!("  {many} found what no order of the steps lets {them} find{proven}:\n");
    }
    for read in &report.reads {
        let object = read.object.as_ref().map_or(String::new(), |object| format!(" `{object}`"));
        let at = read.at.as_ref().map_or(String::new(), |at| format!(" at {}:{}", at.file, at.line));
        text += &format!("    T{} reads{object}{at}\n", read.thread);
    }
    text += "  the processor's memory may be weaker than an order of steps,\n";
    text += "  or something outside of the program wrote there\n";
    text
}

/// One JSON document, ending in an end of line.
pub fn json(report: &Unexplained) -> String {
    let document = Document {
        schema: 1,
        tool: "heddle",
        version: env!("CARGO_PKG_VERSION"),
        command: "explain",
        program: &report.run,
        verdict: "inconclusive",
        unexplained: List { reads: &report.reads, smallest: report.smallest },
    };
    // Strings, numbers and lists of them: there is nothing that JSON cannot hold.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reads_are_told() {
        let at = Some(At { file: "litmus.c".to_owned(), line: 12 });
        let read = Read { thread: "0.1".to_owned(), object: Some("ready".to_owned()), at };
        let report = Unexplained { run: "runs/a.failed.run".to_owned(), reads: vec![read], smallest: true };
        let told = text(&report);
        assert!(told.contains("T0.1 reads `ready` at litmus.c:12"), "{told}");
        assert!(told.lines().all(|line| line.len() <= 80), "{told}");
        let json = json(&report);
        assert!(json.contains("\"verdict\": \"inconclusive\"") && json.contains("\"object\": \"ready\""), "{json}");
    }
}
