//! `heddle record --recover`: converts the spool that a killed `heddle record` has left into a run file.
//!
//! The end of the process is known only as far as it recorded it itself. Its initial inputs are beside the spool,
//! unless they are lost: then the command has to be given.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use run::{ProcessEnd, RecordedRun, Tables};

use super::program::{self, Program};
use super::store::{self, Mark, Store};
use super::{Given, child, cut_in_words, ending};
use crate::args::{General, RecordArgs};
use crate::exit::{ExitStatus, Problem};
use crate::files::{self, Limit};
use crate::terminal;

pub fn recover(general: &General, args: &RecordArgs, spool: &Path) -> anyhow::Result<ExitCode> {
    let bytes = files::read_given(spool, Limit::Run).with_context(|| format!("cannot read {}", spool.display()))?;
    let not_a_spool = |error: run::SpoolError| {
        Problem::error(
            format!("{}: {error}", spool.display()),
            "a spool is the file .NAME-PROCESS-NUMBER.spool that `heddle record` writes beside its runs",
        )
    };
    let identity = run::spool_identity(&bytes).map_err(not_a_spool)?;
    if child::is_recording(&std::path::absolute(spool)?) {
        return Err(Problem::error(
            format!("{} is still being written", spool.display()),
            "wait until the program has ended",
        ));
    }
    let program = named_program(args)?;
    let folder = spool.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let tables = match &program {
        Some(program) => program.tables.clone(),
        None => kept_tables(folder, &identity, spool)?,
    };
    let read = run::read_spool(&bytes, &tables).map_err(not_a_spool)?;
    let mut run = read.run;
    give(args, spool, &mut run);
    run.end = ending::with_place(run.end, || program.as_ref()?.place(read.end_address?));
    if let Some(cut) = &run.cut {
        terminal::note(general, &format!("the record ends before the program does: {}", cut_in_words(cut)));
    }
    let name = store::spool_of(spool).map(|(name, _)| name).or_else(|| program.as_ref().map(|one| one.name.clone()));
    let mut store = Store::open(folder, name.as_deref().unwrap_or("recovered"))?;
    if let Some(program) = &program {
        store.keep_program(program)?;
    }
    let mark = match &run.end {
        ProcessEnd::Unknown => Mark::Interrupted,
        end if end.is_failure() => Mark::Failed,
        _ => Mark::Passed,
    };
    let kept = store.keep(mark, &run::write_run(&run))?;
    fs::remove_file(spool).with_context(|| format!("cannot remove {}", spool.display()))?;
    // Other runs of the series may have left spools too.
    let given = store::given_beside(spool);
    if !has_spools(folder, &given) {
        _ = fs::remove_file(&given);
    }
    let file = kept.file_name().map_or(kept.clone(), |name| folder.join(name));
    terminal::write_result(
        general.output.as_deref(),
        &format!("{}: {}\n", file.display(), ending::in_words(&run.end)),
    )?;
    Ok(ExitStatus::NothingFound.into())
}

/// The program given by the user, which may no longer exist.
fn named_program(args: &RecordArgs) -> anyhow::Result<Option<Program>> {
    match (&args.program, args.command.first()) {
        (Some(file), _) => Program::read(file.clone(), false).map(Some),
        (None, Some(name)) => Program::read(program::find_command(name)?, true).map(Some),
        (None, None) => Ok(None),
    }
}

/// The tables that were stored when the recording started.
fn kept_tables(folder: &Path, identity: &str, spool: &Path) -> anyhow::Result<Tables> {
    let file = folder.join("modules").join(identity).join("tables");
    let missing = |why: String| {
        Problem::error(
            format!("the program of {} cannot be read: {}: {why}", spool.display(), file.display()),
            "name the program: heddle record --recover SPOOL -- PROGRAM ARGUMENTS",
        )
    };
    let bytes = files::read_named(&file, Limit::Run).map_err(|error| missing(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| missing(error.to_string()))?;
    run::parse_tables(&text).map_err(|error| missing(error.to_string()))
}

/// Puts the initial inputs before those that the program read.
fn give(args: &RecordArgs, spool: &Path, run: &mut RecordedRun) {
    let Some(main) = run.threads.first_mut() else { return };
    let kept = files::read_named(&store::given_beside(spool), Limit::Run).ok();
    let kept = kept.and_then(|bytes| run::read_run(&bytes).ok()).and_then(|read| read.run.threads.into_iter().next());
    let inputs = match (kept, args.command.split_first()) {
        (Some(given), _) => given.inputs,
        (None, Some((name, arguments))) => Given { command: name.as_bytes(), arguments, stdin: None }.inputs(),
        (None, None) => Vec::new(),
    };
    main.inputs.splice(0..0, inputs);
}

fn has_spools(folder: &Path, given: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|path| store::spool_of(&path).is_some() && store::given_beside(&path) == given)
}

/// Whether a file is a spool without a writer.
pub fn is_left_spool(file: &Path) -> bool {
    let begun = files::read_named(file, Limit::Run).map(|bytes| match run::spool_identity(&bytes) {
        Ok(_) | Err(run::SpoolError::NotBegun) => true,
        Err(_) => false,
    });
    let is_named = store::spool_of(file).is_some();
    is_named && begun.unwrap_or(false) && std::path::absolute(file).is_ok_and(|file| !child::is_recording(&file))
}
