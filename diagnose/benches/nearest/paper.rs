//! The paper's tables: a heading line and rows, separated by tabs.

use std::path::Path;

pub struct Paper {
    heading: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Paper {
    pub fn read(file: &Path) -> Paper {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let cells = |line: &str| -> Vec<String> { line.split('\t').map(str::to_owned).collect() };
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(cells);
        Paper { heading: lines.next().unwrap_or_default(), rows: lines.collect() }
    }

    pub fn rows(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| row.first()).map(String::as_str)
    }

    /// The paper's value; a dash if there is none.
    pub fn cell(&self, row: &str, column: &str) -> &str {
        let row = self.rows.iter().find(|cells| cells.first().is_some_and(|name| name == row));
        let column = self.heading.iter().position(|name| name == column);
        row.zip(column).and_then(|(row, column)| row.get(column)).map_or("–", String::as_str)
    }
}
