//! Compiles changed sources without modifying the originals: the compiler's overlay file system presents the changed
//! contents under the original names, so that flags, headers and source locations remain valid.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::Instant;

use analysis::Loaded;
use repair::{Compiled, Compiler};

use crate::load;

pub struct Overlay<'a> {
    /// The original's files, as they were compiled.
    pub units: &'a frontend_llvm::Units,
    pub files: &'a [PathBuf],
    pub flags: &'a [String],
    pub folder: &'a Path,
}

impl Overlay<'_> {
    /// Writes the changed files and the description of the overlay, and names the latter.
    pub fn written(&self, changed: &BTreeMap<String, String>) -> std::io::Result<PathBuf> {
        let mut roots = Vec::new();
        for (number, (file, text)) in changed.iter().enumerate() {
            let content = self.folder.join(number.to_string());
            fs::write(&content, text)?;
            roots.push(serde_json::json!({
                "type": "file",
                "name": normal(&std::path::absolute(file)?),
                "external-contents": content,
            }));
        }
        let overlay = serde_json::json!({
            "version": 0,
            "case-sensitive": true,
            "use-external-names": false,
            "roots": roots,
        });
        let file = self.folder.join("overlay.yaml");
        fs::write(&file, overlay.to_string())?;
        Ok(file)
    }
}

impl Compiler for Overlay<'_> {
    fn compile(&self, changed: &BTreeMap<String, String>, sources: &[String]) -> Result<Compiled, String> {
        let started = Instant::now();
        let overlay = self.written(changed).map_err(|error| error.to_string())?;
        let flag = format!("-ivfsoverlay{}", overlay.display());
        let files: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
        let units = self.units.again(&files, &[flag]).map_err(|error| error.to_string())?;
        let loaded = units.load().map_err(|error| error.to_string())?;
        let warnings = count_warnings(&loaded.warnings);
        let loaded: Loaded = load::of_frontend(loaded, self.files, self.flags, started);
        Ok(Compiled { loaded, warnings })
    }

    fn read(&self, file: &str) -> Option<String> {
        if is_of_system(file) {
            return None;
        }
        String::from_utf8(load::read_source(file)?).ok()
    }

    fn arguments(&self, file: &Path) -> Vec<String> {
        let flags = frontend_llvm::compile::flags_of_file(file, self.files, self.flags);
        frontend_llvm::compile::meaningful_flags(&flags)
    }
}

pub fn is_of_system(file: &str) -> bool {
    file.starts_with("/usr/")
}

pub fn count_warnings(said: &str) -> usize {
    said.matches("warning: ").count()
}

/// A path without `.` and `..`, as far as names tell.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}
