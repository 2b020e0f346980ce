//! `heddle man`: the manual pages, one for the whole and one for each command.

use std::path::Path;

use clap::Command;
use clap_mangen::Man;

use crate::args::{self, General, ManArgs};
use crate::exit::{ExitStatus, Problem};
use crate::files;
use crate::terminal;

pub fn man(general: &General, args: &ManArgs) -> anyhow::Result<ExitStatus> {
    let mut whole = args::command().disable_help_subcommand(true);
    whole.build();
    if let Some(folder) = &args.all {
        return write_all(general, &whole, folder);
    }
    let command = match &args.command {
        None => whole,
        Some(name) => {
            let known = || {
                let names: Vec<&str> = pages(&whole).map(Command::get_name).collect();
                Problem::error(format!("there is no command `{name}`"), format!("commands: {}", names.join(", ")))
            };
            whole.find_subcommand(name).ok_or_else(known)?.clone()
        }
    };
    terminal::write_result(general.output.as_deref(), &page(command)?.1)?;
    Ok(ExitStatus::NothingFound)
}

/// The commands that have a page.
fn pages(whole: &Command) -> impl Iterator<Item = &Command> {
    whole.get_subcommands().filter(|command| !command.is_hide_set())
}

/// The file name and the text of a page.
fn page(command: Command) -> anyhow::Result<(String, String)> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok((format!("{name}.1"), String::from_utf8_lossy(&text).into_owned()))
}

fn write_all(general: &General, whole: &Command, folder: &Path) -> anyhow::Result<ExitStatus> {
    let mut names = String::new();
    for command in std::iter::once(whole).chain(pages(whole)) {
        let (name, text) = page(command.clone())?;
        let file = folder.join(name);
        files::write(&file, text.as_bytes())?;
        names.push_str(&format!("{}\n", file.display()));
    }
    terminal::write_result(general.output.as_deref(), &names)?;
    Ok(ExitStatus::NothingFound)
}
