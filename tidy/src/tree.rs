//! The repository's text files, read once.

use std::fs;
use std::io;
use std::path::Path;

/// A text file. Files that are not text are left out of a tree.
#[derive(Clone, Debug)]
pub struct File {
    /// From the root of the repository, with `/` between the parts.
    pub path: String,
    pub text: String,
}

impl File {
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub fn extension(&self) -> &str {
        self.name().rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Sorted by path.
    pub files: Vec<File>,
    /// Every directory and every file, text or not, from the root.
    pub paths: Vec<String>,
}

impl Tree {
    /// Reads everything below the root that its `.gitignore` does not name.
    pub fn read(root: &Path) -> io::Result<Tree> {
        let ignored = Ignored::new(&fs::read_to_string(root.join(".gitignore")).unwrap_or_default());
        let mut tree = Tree::default();
        let mut waiting = vec![String::new()];
        while let Some(directory) = waiting.pop() {
            for entry in fs::read_dir(root.join(&directory))? {
                let entry = entry?;
                let Ok(name) = entry.file_name().into_string() else { continue };
                let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
                if path == ".git" || ignored.has(&path) {
                    continue;
                }
                if entry.file_type()?.is_dir() {
                    waiting.push(path.clone());
                } else if let Ok(text) = fs::read_to_string(root.join(&path)) {
                    tree.files.push(File { path: path.clone(), text });
                }
                tree.paths.push(path);
            }
        }
        tree.files.sort_by(|left, right| left.path.cmp(&right.path));
        tree.paths.sort();
        Ok(tree)
    }

    /// A tree of the given files, for tests.
    pub fn of(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (path, text) in files {
            tree.files.push(File { path: (*path).to_owned(), text: (*text).to_owned() });
            let ends = path.char_indices().filter(|(_, c)| *c == '/').map(|(end, _)| end).chain([path.len()]);
            tree.paths.extend(ends.map(|end| path[..end].to_owned()));
        }
        tree.files.sort_by(|left, right| left.path.cmp(&right.path));
        tree.paths.sort();
        tree.paths.dedup();
        tree
    }

    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|index| &self.files[index])
    }

    pub fn exists(&self, path: &str) -> bool {
        self.paths.binary_search_by(|known| known.as_str().cmp(path)).is_ok()
    }

    pub fn with_extension<'a>(&'a self, extension: &'a str) -> impl Iterator<Item = &'a File> {
        self.files.iter().filter(move |file| file.extension() == extension)
    }
}

/// The two kinds of patterns that our `.gitignore` has: `/from/the/root` and `*.ending`.
struct Ignored {
    rooted: Vec<String>,
    endings: Vec<String>,
}

impl Ignored {
    fn new(text: &str) -> Ignored {
        let lines = || text.lines().map(str::trim);
        let rooted =
            lines().filter_map(|line| line.strip_prefix('/')).map(|path| path.trim_end_matches('/').to_owned());
        let endings = lines().filter_map(|line| line.strip_prefix('*')).map(str::to_owned);
        Ignored { rooted: rooted.collect(), endings: endings.collect() }
    }

    fn has(&self, path: &str) -> bool {
        self.rooted.iter().any(|rooted| rooted == path) || self.endings.iter().any(|ending| path.ends_with(ending))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_know_files_and_folders() {
        let tree = Tree::of(&[("b/c.rs", "//! c"), ("a.md", "")]);
        assert!(tree.exists("b") && tree.exists("b/c.rs") && !tree.exists("c.rs"));
        assert_eq!(tree.file("b/c.rs").map(|file| (file.name(), file.extension())), Some(("c.rs", "rs")));
    }

    #[test]
    fn ignored_paths() {
        let ignored = Ignored::new("/target\n/fuzz/corpus/\n*.run\n");
        assert!(ignored.has("target") && ignored.has("fuzz/corpus") && ignored.has("a/b.run"));
        assert!(!ignored.has("fuzz") && !ignored.has("a/target"));
    }
}
