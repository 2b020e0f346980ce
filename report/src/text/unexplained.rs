//! A recorded run that no interleaving explains.

use crate::model::Unexplained;

pub fn unexplained(report: &Unexplained) -> String {
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
        let object = if read.object.is_empty() { String::new() } else { format!(" `{}`", read.object) };
        let at = read.at.place().map_or(String::new(), |at| format!(" at {}:{}", at.file, at.line));
        text += &format!("    T{} reads{object}{at}\n", read.thread());
    }
    text += "  the processor's memory may be weaker than an order of steps,\n";
    text += "  or something outside of the program wrote there\n";
    text
}
