//! A recorded run that no interleaving explains.

use crate::model::Unexplained;

pub fn unexplained(report: &Unexplained) -> String {
    let mut text = format!(
        "no interleaving explains {}\n  none reproduces the recorded decisions and the recorded end\n",
        report.run
    );
    if !report.reads.is_empty() {
        let (reads, values) =
            if report.reads.len() == 1 { ("this read", "its value") } else { ("all of these reads", "their values") };
        let minimal = if report.smallest { "the smallest set" } else { "perhaps not the smallest set" };
        text += &format!("  no interleaving gives {reads} {values} ({minimal}):\n");
    }
    for read in &report.reads {
        let object = if read.object.is_empty() { String::new() } else { format!(" `{}`", read.object) };
        let at = read.at.place().map_or(String::new(), |at| format!(" at {}:{}", at.file, at.line));
        text += &format!("    T{} reads{object}{at}\n", read.thread());
    }
    text += "  the processor's memory model may be weaker than sequential consistency,\n";
    text += "  or something outside the program wrote there\n";
    text
}
