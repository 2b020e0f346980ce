//! The violations that stand today, in `tidy/standing.toml`: each with its size and a reason, so that none grows, and one
//! that is gone leaves the list. The list only gets shorter.

use toml::{Table, Value};

use crate::{Finding, Tree};

const LIST: &str = "tidy/standing.toml";

/// A cycle of modules.
#[derive(Clone, Debug)]
pub struct Circle {
    /// The crate, and the module that holds these.
    pub within: String,
    pub modules: Vec<String>,
}

/// A function or a type that is larger than the rule says.
#[derive(Clone, Debug)]
pub struct Large {
    pub path: String,
    pub name: String,
    /// Lines or fields.
    pub size: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Standing {
    pub cycles: Vec<Circle>,
    pub functions: Vec<Large>,
    pub types: Vec<Large>,
}

impl Standing {
    /// The list; nothing stands where there is none.
    pub fn read(tree: &Tree) -> Result<Standing, Finding> {
        let Some(file) = tree.file(LIST) else { return Ok(Standing::default()) };
        let table: Table = file.text.parse().map_err(|error| Finding::in_file(LIST, format!("not TOML: {error}")))?;
        let mut standing = Standing::default();
        for entry in entries(&table, "cycle") {
            let modules = entry.get("modules").and_then(Value::as_array).into_iter().flatten();
            let modules = modules.filter_map(Value::as_str).map(str::to_owned).collect();
            standing.cycles.push(Circle { within: text(entry, "within")?, modules });
        }
        for entry in entries(&table, "function") {
            standing.functions.push(large(entry, "lines")?);
        }
        for entry in entries(&table, "type") {
            standing.types.push(large(entry, "fields")?);
        }
        Ok(standing)
    }

    /// The list names a violation that is gone.
    pub fn outdated(&self, what: &str) -> Finding {
        Finding::in_file(LIST, format!("{what}: take it out of the list"))
    }
}

fn entries<'t>(table: &'t Table, kind: &str) -> impl Iterator<Item = &'t Table> {
    table.get(kind).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
}

fn large(entry: &Table, size: &str) -> Result<Large, Finding> {
    let number = entry.get(size).and_then(Value::as_integer).and_then(|number| usize::try_from(number).ok());
    let number = number.ok_or_else(|| Finding::in_file(LIST, format!("an entry without `{size}`")))?;
    Ok(Large { path: text(entry, "path")?, name: text(entry, "name")?, size: number })
}

/// A text of an entry, which has a reason too.
fn text(entry: &Table, key: &str) -> Result<String, Finding> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let found = text(key).ok_or_else(|| Finding::in_file(LIST, format!("an entry without `{key}`")))?;
    match text("reason") {
        Some(_) => Ok(found.to_owned()),
        None => Err(Finding::in_file(LIST, format!("the entry of `{found}` has no reason"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Standing, String> {
        Standing::read(&Tree::of(&[(LIST, text)])).map_err(|finding| finding.to_string())
    }

    #[test]
    fn entries_have_reasons() {
        let good = "[[function]]\npath = \"a.rs\"\nname = \"a\"\nlines = 90\nreason = \"a table\"\n";
        assert_eq!(read(good).map(|standing| standing.functions[0].size), Ok(90));
        let bad = "[[type]]\npath = \"a.rs\"\nname = \"A\"\nfields = 20\n";
        assert_eq!(read(bad).err().as_deref(), Some("tidy/standing.toml: the entry of `a.rs` has no reason"));
    }
}
