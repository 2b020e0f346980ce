//! Imports runs from other machines: merges their databases and folders of run files.
//!
//! Counts are kept per origin and merged by maximum, as in a grow-only counter: importing is idempotent and
//! commutative. A database is an origin, identified by a number from its creation. A run file is one too, identified by
//! its name and contents: the same folder counts once, wherever it was copied, and files added since count at the next
//! import. Files of two machines with the same name and contents count once.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::params;

use crate::MOST_RUN_BYTES;
use crate::digest::{Origin, RunDigest};
use crate::error::{Result, StoreError, of_sqlite};
use crate::runs::{Added, Adding, Store, Tally};
use crate::schema::RunId;
use crate::schema::{Database, FILE_NAME};

/// How run files end.
const RUN_SUFFIX: &str = ".run";

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Runs that were not there.
    pub new: u64,
    /// Equal runs that were counted.
    pub counted: u64,
    /// Runs that were imported before.
    pub known: u64,
    pub skipped: Vec<Skipped>,
}

/// A file that could not be imported, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    pub file: PathBuf,
    pub why: String,
}

impl Imported {
    fn note(&mut self, added: Added) {
        match added {
            Added::New(_) => self.new += 1,
            Added::Counted(_) => self.counted += 1,
            Added::Known(_) => self.known += 1,
        }
    }
}

impl Store {
    /// Merges the database and the run files of a folder. Unreadable runs are listed and skipped; an error imports no
    /// run.
    pub fn import(&mut self, folder: &Path) -> Result<Imported> {
        let unusable = |source| StoreError::Unusable { file: folder.to_owned(), source };
        let entries = fs::read_dir(folder).map_err(unusable)?;
        let mut files =
            entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>().map_err(unusable)?;
        files.sort();
        let other = folder.join(FILE_NAME);
        let other = if other.is_file() && !self.is_own(&other) { Some(Database::open_to_read(&other)?) } else { None };
        let mut imported = Imported::default();
        let rows = &self.rows;
        let (transaction, file) = self.database.begin()?;
        let adding = Adding { connection: &transaction, file, rows };
        if let Some(other) = other {
            merge(&adding, &other, &mut imported)?;
        }
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let runs = files.iter().filter(|path| name(path).ends_with(RUN_SUFFIX) && !name(path).starts_with('.'));
        let mut decoded = HashMap::new();
        for path in runs.filter(|path| path.is_file()) {
            match read(path) {
                Err(why) => imported.skipped.push(Skipped { file: path.clone(), why }),
                Ok(bytes) => match add_file(&adding, &name(path), &bytes, &mut decoded)? {
                    Ok(added) => imported.note(added),
                    Err(why) => imported.skipped.push(Skipped { file: path.clone(), why }),
                },
            }
        }
        transaction.commit().map_err(|error| of_sqlite(file, &error))?;
        Ok(imported)
    }

    fn is_own(&self, other: &Path) -> bool {
        matches!((fs::canonicalize(other), fs::canonicalize(self.file())), (Ok(a), Ok(b)) if a == b)
    }
}

/// Adds a run file. Files that were imported before, and equal ones of the same import, are not decoded again.
fn add_file(
    adding: &Adding<'_>,
    name: &str,
    bytes: &[u8],
    decoded: &mut HashMap<Origin, RunId>,
) -> Result<std::result::Result<Added, String>> {
    let origin = Origin::of_file(name, bytes);
    if let Some(known) = adding.counted_by(origin)? {
        return Ok(Ok(Added::Known(known)));
    }
    let tally = Tally { origin, more: 0, at_most: Some(1) };
    let contents = Origin::of_file("", bytes);
    if let Some(&known) = decoded.get(&contents) {
        return adding.count(known, tally).map(Ok);
    }
    match decode(bytes) {
        Err(why) => Ok(Err(why)),
        Ok(run) => {
            let added = adding.add(name, &run, bytes, tally)?;
            decoded.insert(contents, added.run());
            Ok(Ok(added))
        }
    }
}

/// The bytes of a run file, unless they are too many.
fn read(path: &Path) -> std::result::Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let most = MOST_RUN_BYTES as u64 + 1;
    let opened = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    opened.map_err(|error| error.to_string())?;
    if bytes.len() > MOST_RUN_BYTES {
        return Err(format!("it has more than {MOST_RUN_BYTES} bytes"));
    }
    Ok(bytes)
}

/// A run that is whole.
fn decode(bytes: &[u8]) -> std::result::Result<run::RecordedRun, String> {
    let read = run::read_run(bytes).map_err(|error| error.to_string())?;
    read.damage.map_or(Ok(read.run), Err)
}

/// Merges the runs and counts of another database. Its digest of a run is trusted only if the run is known here; other
/// runs are decoded.
fn merge(adding: &Adding<'_>, other: &Database, imported: &mut Imported) -> Result<()> {
    let fail = |error: rusqlite::Error| other.fail(&error);
    let sql = "SELECT run.id, identity, digest FROM run JOIN program ON program.id = run.program ORDER BY run.id";
    let mut runs = other.connection.prepare(sql).map_err(fail)?;
    let mut rows = runs.query([]).map_err(fail)?;
    while let Some(row) = rows.next().map_err(fail)? {
        let (id, identity, digest): (i64, String, [u8; 16]) =
            (row.get(0).map_err(fail)?, row.get(1).map_err(fail)?, row.get(2).map_err(fail)?);
        let mut decoded = None;
        if adding.known(&identity, RunDigest(digest))?.is_none() {
            let (name, bytes): (String, Vec<u8>) = other
                .connection
                .query_row("SELECT name, bytes FROM run WHERE id = ?1", params![id], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .map_err(fail)?;
            match decode(&bytes) {
                Ok(run) => decoded = Some((name, run, bytes)),
                Err(why) => {
                    imported.skipped.push(Skipped { file: other.file.clone(), why: format!("run {id}: {why}") });
                    continue;
                }
            }
        }
        merge_tallies(adding, other, id, (&identity, RunDigest(digest)), decoded.as_ref(), imported)?;
    }
    Ok(())
}

fn merge_tallies(
    adding: &Adding<'_>,
    other: &Database,
    id: i64,
    (identity, digest): (&str, RunDigest),
    decoded: Option<&(String, run::RecordedRun, Vec<u8>)>,
    imported: &mut Imported,
) -> Result<()> {
    let fail = |error: rusqlite::Error| other.fail(&error);
    let mut tallies =
        other.connection.prepare_cached("SELECT origin, count FROM tally WHERE run = ?1").map_err(fail)?;
    let mut rows = tallies.query([id]).map_err(fail)?;
    while let Some(row) = rows.next().map_err(fail)? {
        let (origin, count): ([u8; 16], u64) = (row.get(0).map_err(fail)?, row.get(1).map_err(fail)?);
        let tally = Tally { origin: Origin(origin), more: 0, at_most: Some(count) };
        let added = match (decoded, adding.known(identity, digest)?) {
            (Some((name, run, bytes)), _) => adding.add(name, run, bytes, tally)?,
            (None, Some(known)) => adding.count(known, tally)?,
            (None, None) => continue,
        };
        imported.note(added);
    }
    Ok(())
}
