//! The papers' tables: a heading line and rows, separated by tabs.

use std::collections::HashMap;
use std::path::Path;

#[derive(Default)]
pub struct Table {
    rows: HashMap<String, HashMap<String, String>>,
}

impl Table {
    fn read(file: &Path) -> Table {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let heading: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        let row = |line: &str| {
            let cells: HashMap<String, String> = heading
                .iter()
                .zip(line.split('\t'))
                .map(|(name, cell)| ((*name).to_owned(), cell.to_owned()))
                .collect();
            (line.split('\t').next().unwrap_or_default().to_owned(), cells)
        };
        Table { rows: lines.map(row).collect() }
    }

    /// The paper's value; a dash if there is none.
    pub fn cell(&self, row: Option<&str>, column: &str) -> String {
        let cell = row.and_then(|row| self.rows.get(row)?.get(column));
        cell.filter(|cell| !cell.is_empty()).cloned().unwrap_or_else(|| "–".to_owned())
    }
}

pub struct Papers {
    pub symbiosis: Table,
    pub cortex: Table,
    pub maxsmt: Table,
}

impl Papers {
    pub fn read(folder: &Path) -> Papers {
        let table = |name: &str| Table::read(&folder.join(name));
        Papers { symbiosis: table("symbiosis.tsv"), cortex: table("cortex.tsv"), maxsmt: table("maxsmt.tsv") }
    }
}
