//! The files of a program: its standard streams, and a file system in memory whose initial contents are those of the
//! real one. The real file system is never written.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Returns the contents of a file that the program opens, or none if it does not exist.
pub type Source = Rc<dyn Fn(&str) -> Option<Vec<u8>>>;

pub const READ: i32 = 1;
pub const WRITE: i32 = 2;
pub const APPEND: i32 = 4;
pub const CREATE: i32 = 8;
pub const TRUNCATE: i32 = 16;
pub const EXCLUSIVE: i32 = 32;

#[derive(Clone)]
pub struct Files {
    source: Source,
    stdin: Rc<[u8]>,
    /// Contents that the program changed; `None` for a file that it removed.
    changed: Rc<BTreeMap<String, Option<Vec<u8>>>>,
    open: Rc<Vec<Option<Open>>>,
    /// The output to descriptors 1 and 2, in order.
    pub output: Rc<Vec<(i32, Vec<u8>)>>,
}

#[derive(Clone, Debug, Hash)]
struct Open {
    /// None for a standard stream.
    path: Option<String>,
    position: u64,
    flags: i32,
}

impl Files {
    pub fn new(source: Source, stdin: &[u8]) -> Files {
        let stream = |flags| Some(Open { path: None, position: 0, flags });
        Files {
            source,
            stdin: stdin.into(),
            changed: Rc::default(),
            open: Rc::new(vec![stream(READ), stream(WRITE), stream(WRITE)]),
            output: Rc::default(),
        }
    }

    /// Hashes all that later reads can observe: changes, and the positions of open files.
    pub fn add_to(&self, hasher: &mut impl Hasher) {
        for (path, contents) in self.changed.iter() {
            path.hash(hasher);
            contents.hash(hasher);
        }
        self.open.hash(hasher);
    }

    fn contents(&self, path: &str) -> Option<Vec<u8>> {
        match self.changed.get(path) {
            Some(contents) => contents.clone(),
            None => (self.source)(path),
        }
    }

    pub fn open(&mut self, path: &str, flags: i32) -> i32 {
        let existing = self.contents(path);
        let refused = match &existing {
            Some(_) => flags & CREATE != 0 && flags & EXCLUSIVE != 0,
            None => flags & CREATE == 0,
        };
        if refused {
            return -1;
        }
        if existing.is_none() || flags & TRUNCATE != 0 {
            Rc::make_mut(&mut self.changed).insert(path.to_owned(), Some(Vec::new()));
        }
        let open = Some(Open { path: Some(path.to_owned()), position: 0, flags });
        let table = Rc::make_mut(&mut self.open);
        let descriptor = table.iter().position(Option::is_none).unwrap_or_else(|| {
            table.push(None);
            table.len() - 1
        });
        table[descriptor] = open;
        descriptor as i32
    }

    fn entry(&self, descriptor: i32) -> Option<&Open> {
        self.open.get(usize::try_from(descriptor).ok()?)?.as_ref()
    }

    fn seek_to(&mut self, descriptor: i32, position: u64) {
        if let Some(Some(open)) = Rc::make_mut(&mut self.open).get_mut(descriptor as usize) {
            open.position = position;
        }
    }

    pub fn close(&mut self, descriptor: i32) -> i32 {
        if self.entry(descriptor).is_none() {
            return -1;
        }
        Rc::make_mut(&mut self.open)[descriptor as usize] = None;
        0
    }

    pub fn read(&mut self, descriptor: i32, length: u64) -> Option<Vec<u8>> {
        let open = self.entry(descriptor)?;
        if open.flags & READ == 0 {
            return None;
        }
        let contents: Rc<[u8]> = match &open.path {
            None => self.stdin.clone(),
            Some(path) => self.contents(path)?.into(),
        };
        let begin = open.position.min(contents.len() as u64);
        let end = begin.saturating_add(length).min(contents.len() as u64);
        self.seek_to(descriptor, end);
        Some(contents[begin as usize..end as usize].to_vec())
    }

    pub fn write(&mut self, descriptor: i32, bytes: &[u8]) -> i64 {
        let Some(open) = self.entry(descriptor) else { return -1 };
        if open.flags & WRITE == 0 {
            return -1;
        }
        let Some(path) = open.path.clone() else {
            Rc::make_mut(&mut self.output).push((descriptor, bytes.to_vec()));
            return bytes.len() as i64;
        };
        let Some(mut contents) = self.contents(&path) else { return -1 };
        let at = if open.flags & APPEND != 0 { contents.len() } else { open.position as usize };
        let end = at + bytes.len();
        if contents.len() < end {
            contents.resize(end, 0);
        }
        contents[at..end].copy_from_slice(bytes);
        Rc::make_mut(&mut self.changed).insert(path, Some(contents));
        self.seek_to(descriptor, end as u64);
        bytes.len() as i64
    }

    pub fn seek(&mut self, descriptor: i32, offset: i64, whence: i32) -> i64 {
        let Some(open) = self.entry(descriptor) else { return -1 };
        let Some(path) = &open.path else { return -1 };
        let base = match whence {
            0 => 0,
            1 => open.position as i64,
            2 => self.contents(path).map_or(0, |contents| contents.len() as i64),
            _ => return -1,
        };
        // A position that no file has would let one byte written there claim all the memory before it.
        match base.checked_add(offset) {
            Some(position) if (0..1 << 32).contains(&position) => {
                self.seek_to(descriptor, position as u64);
                position
            }
            _ => -1,
        }
    }

    /// Threads that have the file open keep it, under a name that no program can use.
    pub fn remove(&mut self, path: &str) -> i32 {
        let Some(contents) = self.contents(path) else { return -1 };
        let hidden = format!("\0{}", self.changed.len());
        let mut is_open = false;
        for open in Rc::make_mut(&mut self.open).iter_mut().flatten() {
            if open.path.as_deref() == Some(path) {
                open.path = Some(hidden.clone());
                is_open = true;
            }
        }
        let changed = Rc::make_mut(&mut self.changed);
        if is_open {
            changed.insert(hidden, Some(contents));
        }
        changed.insert(path.to_owned(), None);
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Files {
        Files::new(Rc::new(|path| (path == "there").then(|| b"hello".to_vec())), b"input")
    }

    #[test]
    fn files_are_read_written_and_removed() {
        let mut files = files();
        let there = files.open("there", READ);
        assert_eq!(files.read(there, 3).as_deref(), Some(&b"hel"[..]));
        assert_eq!(files.read(there, 9).as_deref(), Some(&b"lo"[..]));
        assert_eq!(files.open("absent", READ), -1);
        let new = files.open("new", READ | WRITE | CREATE);
        assert_eq!(files.write(new, b"abc"), 3);
        assert_eq!(files.seek(new, -2, 2), 1);
        assert_eq!(files.read(new, 9).as_deref(), Some(&b"bc"[..]));
        assert_eq!(files.remove("there"), 0);
        assert_eq!(files.open("there", READ), -1);
        assert_eq!(files.remove("new"), 0);
        assert_eq!(files.seek(new, 0, 0), 0);
        assert_eq!(files.read(new, 9).as_deref(), Some(&b"abc"[..]));
        assert_eq!(files.close(new), 0);
        assert_eq!(files.close(new), -1);
    }

    #[test]
    fn streams_are_what_they_are() {
        let mut files = files();
        assert_eq!(files.read(0, 2).as_deref(), Some(&b"in"[..]));
        assert_eq!(files.read(1, 2), None);
        assert_eq!(files.write(2, b"oops"), 4);
        assert_eq!(*files.output, vec![(2, b"oops".to_vec())]);
    }
}
