//! The files of a link, from the linker's output with `--trace`.

use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Took {
    File(PathBuf),
    Member { archive: PathBuf, member: String },
}

/// The files, in order, and the rest of the output, which belongs to the user.
///
/// The GNU linker writes `(libx.a)member.o`, and members only with a repeated option; the others write
/// `libx.a(member.o)`.
pub fn read(said: &str, exists: impl Fn(&Path) -> bool) -> (Vec<Took>, String) {
    let mut took = Vec::new();
    let mut rest = String::new();
    for line in said.lines() {
        match member(line) {
            Some((archive, member)) if exists(Path::new(archive)) => {
                took.push(Took::Member { archive: archive.into(), member: member.to_owned() });
            }
            // Temporary objects of clang are deleted by now.
            _ if exists(Path::new(line)) || line.ends_with(".o") => took.push(Took::File(line.into())),
            // Older linkers print where they found a library.
            _ if line.starts_with("-l") => {}
            _ => rest.extend([line, "\n"]),
        }
    }
    (took, rest)
}

fn member(line: &str) -> Option<(&str, &str)> {
    if let Some((archive, member)) = line.strip_prefix('(').and_then(|line| line.split_once(')')) {
        return Some((archive, member));
    }
    line.strip_suffix(')')?.split_once('(')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_several_linkers() {
        let said =
            "/lib/crt1.o\na.o\nlibx.a\n(libx.a)f.o\nd/liby.a(b.o)\n/tmp/a-12.o\n-lc (/lib/libc.so)\nlibc.so.6\nhello\n";
        let known = ["/lib/crt1.o", "a.o", "libx.a", "d/liby.a", "libc.so.6"];
        let (took, rest) = read(said, |path| known.iter().any(|known| Path::new(known) == path));
        let file = |name: &str| Took::File(name.into());
        let member = |archive: &str, name: &str| Took::Member { archive: archive.into(), member: name.to_owned() };
        let wanted = [
            file("/lib/crt1.o"),
            file("a.o"),
            file("libx.a"),
            member("libx.a", "f.o"),
            member("d/liby.a", "b.o"),
            file("/tmp/a-12.o"),
            file("libc.so.6"),
        ];
        assert_eq!((took, rest.as_str()), (wanted.to_vec(), "hello\n"));
    }
}
