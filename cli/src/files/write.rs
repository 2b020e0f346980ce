//! Writing a file atomically: a temporary file in the same folder, then `fsync`, then `rename`. A full disk or any
//! other error leaves the old file unchanged and no temporary file.
//!
//! Devices, pipes and sockets have no old contents that could be lost. They are written directly. A symbolic link to a
//! regular file is refused: its target may be a file that the user did not name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};

use crate::exit::Problem;

/// The kind of file at an output path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A regular file, existing or not.
    Whole,
    /// A file that is written directly: a device, a pipe, a socket, a descriptor of this process.
    Stream,
    Folder,
    /// A symbolic link to a regular file or to nothing; its target.
    Link(PathBuf),
}

impl Target {
    pub fn of(file: &Path) -> Target {
        if is_descriptor(file) {
            return Target::Stream;
        }
        let Ok(own) = fs::symlink_metadata(file) else { return Target::Whole };
        let kind = own.file_type();
        if kind.is_symlink() {
            return match fs::metadata(file) {
                Ok(target) if target.is_dir() => Target::Folder,
                Ok(target) if !target.is_file() => Target::Stream,
                _ => Target::Link(fs::read_link(file).unwrap_or_default()),
            };
        }
        match (kind.is_file(), kind.is_dir()) {
            (true, _) => Target::Whole,
            (_, true) => Target::Folder,
            _ => Target::Stream,
        }
    }

    /// Why writing there is refused.
    pub fn refused(&self, file: &Path) -> Option<anyhow::Error> {
        match self {
            Target::Whole | Target::Stream => None,
            Target::Folder => {
                Some(Problem::error(format!("{} is a folder", file.display()), "name a file in it instead"))
            }
            Target::Link(target) => Some(Problem::error(
                format!("{} is a symbolic link, and heddle does not write through links", file.display()),
                format!("name the file itself ({}), or remove the link", target.display()),
            )),
        }
    }
}

/// Whether a path leads to a file that is written directly.
pub fn is_stream(file: &Path) -> bool {
    Target::of(file) == Target::Stream
}

/// Names of open descriptors. They are links to the descriptor's file.
fn is_descriptor(file: &Path) -> bool {
    let standard = ["/dev/stdout", "/dev/stderr"].iter().any(|name| file == Path::new(name));
    standard || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| file.parent() == Some(Path::new(folder)))
}

/// Writes a file as a whole.
pub fn write(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let target = Target::of(file);
    if let Some(refused) = target.refused(file) {
        return Err(refused);
    }
    let written = match target {
        Target::Stream => write_stream(file, bytes),
        _ => write_beside(file, bytes).and_then(|temporary| {
            fs::rename(&temporary, file).inspect_err(|_| _ = fs::remove_file(&temporary))?;
            keep_name(file);
            Ok(())
        }),
    };
    written.map_err(|error| cannot_write(file, &error))
}

/// Writes a file that does not exist yet. False: it does exist, and is as it was.
pub fn write_new(file: &Path, bytes: &[u8]) -> anyhow::Result<bool> {
    if fs::symlink_metadata(file).is_ok() {
        return Ok(false);
    }
    let put = |temporary: PathBuf| match rename_new(&temporary, file) {
        Ok(()) => {
            keep_name(file);
            Ok(true)
        }
        Err(error) => {
            _ = fs::remove_file(&temporary);
            if error.kind() == ErrorKind::AlreadyExists { Ok(false) } else { Err(error) }
        }
    };
    write_beside(file, bytes).and_then(put).map_err(|error| cannot_write(file, &error))
}

fn cannot_write(file: &Path, error: &io::Error) -> anyhow::Error {
    let help = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room, or name a file on another disk",
        ErrorKind::NotFound => "the folder must exist",
        _ => "",
    };
    Problem::error(format!("cannot write {}: {error}", file.display()), help)
}

fn write_stream(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let written = if file == Path::new("/dev/stdout") {
        // Opened anew, a file behind stdout would be overwritten from its beginning.
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes).and_then(|()| stdout.flush())
    } else if file == Path::new("/dev/stderr") {
        io::stderr().lock().write_all(bytes)
    } else {
        OpenOptions::new().append(true).open(file).and_then(|mut open| open.write_all(bytes))
    };
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// The bytes in a new file in the same folder, on the disk.
fn write_beside(file: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let (temporary, mut open) = new_beside(file)?;
    let written = open.write_all(bytes).and_then(|()| {
        if let Ok(old) = fs::metadata(file) {
            // Failing to set permissions must not lose the contents.
            _ = open.set_permissions(old.permissions());
        }
        open.sync_all()
    });
    match written {
        Ok(()) => Ok(temporary),
        Err(error) => {
            _ = fs::remove_file(&temporary);
            Err(error)
        }
    }
}

fn new_beside(file: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    // The name must fit where the file's own name does.
    let name: String = file.file_name().unwrap_or_default().to_string_lossy().chars().take(32).collect();
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let temporary = file.with_file_name(format!(".{name}.{}-{number}.heddle", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            result => return result.map(|open| (temporary, open)),
        }
    }
}

/// Whether the name is that of a temporary file left by a killed process.
pub fn is_left_over(name: &str) -> bool {
    let parts = || {
        let (_, numbers) = name.strip_prefix('.')?.strip_suffix(".heddle")?.rsplit_once('.')?;
        let (process, number) = numbers.split_once('-')?;
        number.parse::<u32>().ok()?;
        process.parse::<u32>().ok()
    };
    parts().is_some_and(|process| !Path::new("/proc").join(process.to_string()).exists())
}

/// Renames unless the new name exists. File systems without an atomic operation for this check first.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match renameat2(AT_FDCWD, from, AT_FDCWD, to, RenameFlags::RENAME_NOREPLACE) {
        Err(Errno::EINVAL | Errno::ENOSYS) if fs::symlink_metadata(to).is_ok() => Err(ErrorKind::AlreadyExists.into()),
        Err(Errno::EINVAL | Errno::ENOSYS) => fs::rename(from, to),
        result => result.map_err(io::Error::from),
    }
}

/// A renamed file survives a power failure only once its folder is on the disk. Some file systems cannot do that.
fn keep_name(file: &Path) {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("it is there");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_with_its_permissions() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        write(&file, b"one").expect("it can be written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
        write(&file, b"two").expect("it can be written");
        assert_eq!(fs::read(&file).expect("it is there"), b"two");
        assert_eq!(fs::metadata(&file).expect("it is there").permissions().mode() & 0o777, 0o640);
        assert!(!write_new(&file, b"three").expect("it is looked for"));
        assert_eq!(fs::read(&file).expect("it is there"), b"two");
        assert!(write_new(&folder.path().join("b"), b"four").expect("it can be written"));
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn links_and_folders_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("real"), "kept").expect("it can be written");
        symlink("real", at("link")).expect("a link can be made");
        symlink("nowhere", at("dangling")).expect("a link can be made");
        for name in ["link", "dangling"] {
            assert!(write(&at(name), b"lost").is_err(), "{name}");
            assert!(!write_new(&at(name), b"lost").expect("it is looked for"), "{name}");
        }
        assert!(write(folder.path(), b"lost").is_err());
        assert!(write(&at("no/such/folder"), b"lost").is_err());
        assert_eq!(fs::read(at("real")).expect("it is there"), b"kept");
        assert_eq!(names(folder.path()), ["dangling", "link", "real"]);
    }

    #[test]
    fn temporary_files_are_known_by_their_names() {
        // No process has this number: it is larger than the kernel allows.
        assert!(is_left_over(".a.schedule.4194305-0.heddle"));
        let running = format!(".a.schedule.{}-0.heddle", std::process::id());
        for other in [running.as_str(), ".a.schedule.4194305.heddle", "a.4194305-0.heddle", ".x.heddle", "a.schedule"] {
            assert!(!is_left_over(other), "{other}");
        }
    }

    #[test]
    fn devices_are_written_directly() {
        write(Path::new("/dev/null"), b"gone").expect("it takes everything");
        assert!(write(Path::new("/dev/full"), b"too much").is_err());
        let folder = tempfile::tempdir().expect("a folder");
        symlink("/dev/null", folder.path().join("link")).expect("a link can be made");
        write(&folder.path().join("link"), b"gone").expect("it takes everything");
    }
}
