//! Source files, by the user's names.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use ir::FileId;

use crate::llvm::{Metadata, Module};

/// The directory that the models claim to be compiled in.
const MODELS: &str = "<heddle>";

pub struct Files {
    names: Vec<String>,
    ids: HashMap<String, FileId>,
    /// By absolute path, the user's name of a file.
    spelled: HashMap<PathBuf, String>,
    here: PathBuf,
    /// Where compilers ran.
    directories: HashSet<String>,
}

impl Files {
    pub fn new(module: &Module<'_>, inputs: &[PathBuf]) -> Files {
        let here = std::env::current_dir().unwrap_or_default();
        let spelled =
            inputs.iter().map(|file| (normal(&here.join(file)), file.to_string_lossy().into_owned())).collect();
        let units = module.named_metadata("llvm.dbg.cu").into_iter();
        let directories = units
            .filter_map(|unit| unit.file()?.file_name().map(|(_, directory)| directory))
            .filter(|directory| directory != MODELS)
            .collect();
        Files { names: Vec::new(), ids: HashMap::new(), spelled, here, directories }
    }

    /// The number of a file that debug information names.
    pub fn id(&mut self, file: Metadata<'_>) -> FileId {
        let (name, directory) = file.file_name().unwrap_or_default();
        let name = self.shown(&name, &directory);
        if let Some(&id) = self.ids.get(&name) {
            return id;
        }
        let id = FileId(self.names.len() as u32);
        self.names.push(name.clone());
        self.ids.insert(name, id);
        id
    }

    /// The user's own spelling of an input; else relative to the current folder, if it is below; else the path given to
    /// a compiler in another folder; else the full path.
    fn shown(&self, name: &str, directory: &str) -> String {
        let path = normal(&Path::new(directory).join(name));
        if let Some(spelled) = self.spelled.get(&path) {
            return spelled.clone();
        }
        match path.strip_prefix(&self.here) {
            Ok(below) if !self.here.as_os_str().is_empty() => below.to_string_lossy().into_owned(),
            _ if !name.starts_with('/') && self.directories.contains(directory) => name.to_owned(),
            _ => path.to_string_lossy().into_owned(),
        }
    }

    pub fn into_names(self) -> Vec<String> {
        self.names
    }
}

/// A path without `.` and without `..` after a name.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(normal.components().next_back(), Some(Component::Normal(_))) => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
