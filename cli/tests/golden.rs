//! `heddle explain` answers for every failing program of the corpus as in `explained.txt` and `explained.json` beside its
//! source. With `HEDDLE_BLESS=1` the files are rewritten with the present answers instead.
//!
//! A text depends on the program alone, because its run is in a folder of its own. Of the JSON, fields that depend on the
//! machine or on the length of the models, and whole executions, are left out ([`LEFT_OUT`]).

mod command;
mod programs;

use std::fs;
use std::path::Path;
use std::thread;

use command::heddle_with_input;
use libtest_mimic::{Arguments, Failed, Trial};
use programs::{Outcome, Program, corpus};
use serde_json::Value;

/// More than every answer needs, also on a machine with other work: none may depend on the time.
const SECONDS: &str = "900";

/// The formats with the names of their files.
const FORMATS: [(&str, &str); 2] = [("text", "explained.txt"), ("json", "explained.json")];

/// Fields of the JSON that are not compared.
const LEFT_OUT: &[&str] = &[
    "/version",
    // Costs, and sizes of formulas.
    "/stats",
    // Steps count the instructions of the models.
    "/bounds/steps",
    "/failing/inputs",
    // The frames in the models; `at` and `function` name the user's.
    "/failure/stack",
    // The projection and the causes have the relevant events.
    "/failing/events",
    "/alternate/events",
];

/// Of longer lists, this many elements are compared, and the number of the others.
const LONGEST: usize = 40;

/// Wider values are broken into lines.
const WIDTH: usize = 140;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for (folder, program) in corpus() {
        if program.outcome == Outcome::Failure {
            trials.push(Trial::test(program.file.clone(), move || check(&folder, &program)));
        }
    }
    trials.push(Trial::test("every file has its program", every_file_has_its_program));
    libtest_mimic::run(&arguments, trials).exit();
}

fn check(folder: &Path, program: &Program) -> Result<(), Failed> {
    // At the same time: one program takes as long as all others together.
    let judged = thread::scope(|scope| {
        let judges = FORMATS.map(|(format, name)| scope.spawn(move || judge(folder, program, format, name)));
        judges.map(|judge| judge.join().map_err(|_| Failed::from("it panicked")))
    });
    judged.into_iter().try_for_each(|judged| judged?)
}

fn judge(folder: &Path, program: &Program, format: &str, name: &str) -> Result<(), Failed> {
    let told = explain(folder, program, format)?;
    let file = folder.join(name);
    let kept = fs::read_to_string(&file).unwrap_or_default();
    if told == kept {
        return Ok(());
    }
    if std::env::var_os("HEDDLE_BLESS").is_none() {
        return Err(difference(&file, &kept, &told).into());
    }
    fs::write(&file, told)?;
    Ok(())
}

/// The answer in a format, without the parts that are not compared.
fn explain(folder: &Path, program: &Program, format: &str) -> Result<String, Failed> {
    // In a folder of their own, so that no path in the answer depends on the machine.
    let scratch = tempfile::tempdir()?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        fs::copy(entry.path(), scratch.path().join(entry.file_name()))?;
    }
    let mut arguments: Vec<String> = vec!["explain".into(), program.file.clone(), program.standard().into()];
    arguments.extend(["-pthread", "--schedule", "failing.schedule"].map(str::to_owned));
    arguments.extend(["--time", SECONDS, "--format", format].map(str::to_owned));
    arguments.extend(program.explained_with());
    let answer = heddle_with_input(scratch.path(), &arguments, program.stdin.as_bytes());
    if answer.status != 1 {
        return Err(format!("it ends with {}\n{}\n{}", answer.status, answer.stdout, answer.stderr).into());
    }
    if format == "text" {
        return Ok(answer.stdout);
    }
    let mut json = answer.json();
    for field in LEFT_OUT {
        let (parent, name) = field.rsplit_once('/').ok_or("it is a path")?;
        if let Some(Value::Object(fields)) = json.pointer_mut(parent) {
            fields.remove(name);
        }
    }
    shorten(&mut json);
    let mut text = String::new();
    write(&json, 0, &mut text);
    Ok(text + "\n")
}

/// Without ids, which number the events of the whole execution, and without the ends of long lists.
fn shorten(json: &mut Value) {
    match json {
        Value::Object(fields) => {
            fields.remove("id");
            fields.values_mut().for_each(shorten);
        }
        Value::Array(values) => {
            if let Some(more) = values.len().checked_sub(LONGEST).filter(|&more| more > 0) {
                values.truncate(LONGEST);
                values.push(format!("{more} more").into());
            }
            values.iter_mut().for_each(shorten);
        }
        _ => {}
    }
}

/// On one line if there is room, so that a difference is a few lines and the files stay small.
fn write(json: &Value, depth: usize, text: &mut String) {
    let line = json.to_string();
    let indent = " ".repeat(depth + 1);
    let parts: Vec<(String, &Value)> = match json {
        _ if line.len() + depth <= WIDTH => Vec::new(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (format!("\"{name}\": "), value)).collect(),
        Value::Array(values) => values.iter().map(|value| (String::new(), value)).collect(),
        _ => Vec::new(),
    };
    if parts.is_empty() {
        text.push_str(&line);
        return;
    }
    let (open, close) = if json.is_array() { ('[', ']') } else { ('{', '}') };
    text.push(open);
    for (number, (name, value)) in parts.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        text.push_str(&format!("{comma}\n{indent}{name}"));
        write(value, depth + 1, text);
    }
    text.push_str(&format!("\n{}{close}", " ".repeat(depth)));
}

/// The first line that differs.
fn difference(file: &Path, kept: &str, told: &str) -> String {
    let same = kept.lines().zip(told.lines()).take_while(|(kept, told)| kept == told).count();
    let line = |text: &str| text.lines().nth(same).unwrap_or("(the end)").to_owned();
    format!(
        "{}:{} differs; `make bless` accepts the answer\nexpected: {}\nanswered: {}\n{told}",
        file.display(),
        same + 1,
        line(kept),
        line(told)
    )
}

/// No file is left over from a program that no longer fails.
fn every_file_has_its_program() -> Result<(), Failed> {
    let corpus = corpus();
    let fails =
        |folder: &Path| corpus.iter().any(|(other, program)| *other == *folder && program.outcome == Outcome::Failure);
    for (folder, _) in corpus.iter().filter(|(folder, _)| !fails(folder)) {
        for (_, name) in FORMATS {
            if folder.join(name).exists() {
                return Err(format!("{} belongs to no failing program", folder.join(name).display()).into());
            }
        }
    }
    Ok(())
}
