//! Runs in the database: adding runs, and reading the distinct ones.

use std::cell::Cell;
use std::path::Path;

use run::{RecordedRun, ThreadName};
use rusqlite::{Connection, OptionalExtension, params};

use crate::MOST_RUN_BYTES;
use crate::digest::{InputGroup, Origin, RunDigest};
use crate::error::{Result, StoreError, of_sqlite};
use crate::schema::{Database, RunId};
use crate::trie::{Continuation, Prefix, Trees};

/// The path database of one folder.
pub struct Store {
    pub(crate) database: Database,
    pub(crate) rows: Cell<u64>,
}

/// The result of adding a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is the first of its kind.
    New(RunId),
    /// An equal run is stored, and its count was increased.
    Counted(RunId),
    /// It was imported before, and is not counted again.
    Known(RunId),
}

/// A program version, known by the identity of its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredProgram {
    pub identity: String,
    pub distinct: u64,
    /// All runs, equal ones counted as often as there were.
    pub runs: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRun {
    pub id: RunId,
    pub input: InputGroup,
    /// How many equal runs there were.
    pub count: u64,
    pub failed: bool,
    /// The file name of the first of them; empty if it came from none.
    pub name: String,
    /// The run file of the first of them.
    pub bytes: Vec<u8>,
}

impl Added {
    pub fn run(self) -> RunId {
        match self {
            Added::New(run) | Added::Counted(run) | Added::Known(run) => run,
        }
    }
}

impl Store {
    /// Opens the database of a folder, and makes both where they are not there.
    pub fn open(folder: &Path) -> Result<Store> {
        Ok(Store { database: Database::open(folder)?, rows: Cell::new(0) })
    }

    pub fn file(&self) -> &Path {
        &self.database.file
    }

    /// How many rows were read and written through this value: the work, independent of the machine.
    pub fn rows_touched(&self) -> u64 {
        self.rows.get()
    }

    /// Adds a run that was recorded here, with its file.
    pub fn add(&mut self, run: &RecordedRun, bytes: &[u8]) -> Result<Added> {
        let added = self.add_all([(run, bytes)])?;
        let nothing = || StoreError::Damaged { file: self.file().to_owned(), what: "a run was not kept".to_owned() };
        added.first().copied().ok_or_else(nothing)
    }

    /// Adds many at once, which takes much less time: all of them, or on an error none.
    pub fn add_all<'a>(&mut self, runs: impl IntoIterator<Item = (&'a RecordedRun, &'a [u8])>) -> Result<Vec<Added>> {
        let tally = Tally { origin: self.database.origin, more: 1, at_most: None };
        let rows = &self.rows;
        let (transaction, file) = self.database.begin()?;
        let adding = Adding { connection: &transaction, file, rows };
        let added =
            runs.into_iter().map(|(run, bytes)| adding.add("", run, bytes, tally)).collect::<Result<Vec<_>>>()?;
        transaction.commit().map_err(|error| of_sqlite(file, &error))?;
        Ok(added)
    }

    /// The program versions, in the order of their identities.
    pub fn programs(&self) -> Result<Vec<StoredProgram>> {
        let sql = "SELECT program.identity, count(*), sum(run.count) FROM program JOIN run ON run.program = program.id
                   GROUP BY program.id ORDER BY program.identity";
        let fail = |error: rusqlite::Error| self.database.fail(&error);
        let mut statement = self.database.connection.prepare_cached(sql).map_err(fail)?;
        let rows = statement
            .query_map([], |row| Ok(StoredProgram { identity: row.get(0)?, distinct: row.get(1)?, runs: row.get(2)? }))
            .map_err(fail)?;
        let programs = rows.collect::<rusqlite::Result<Vec<_>>>().map_err(fail)?;
        self.rows.set(self.rows.get() + programs.iter().map(|program| program.distinct).sum::<u64>());
        Ok(programs)
    }

    /// The distinct runs of a program version, grouped by input, oldest first. Each is read on demand.
    pub fn distinct_runs(&self, identity: &str) -> Result<DistinctRuns<'_>> {
        let program = program_id(&self.database.connection, self.file(), &self.rows, identity)?;
        Ok(DistinctRuns { store: self, program, after: None })
    }

    /// A run's file.
    pub fn bytes_of(&self, run: RunId) -> Result<Vec<u8>> {
        let fail = |error: rusqlite::Error| self.database.fail(&error);
        let mut statement =
            self.database.connection.prepare_cached("SELECT bytes FROM run WHERE id = ?1").map_err(fail)?;
        self.rows.set(self.rows.get() + 1);
        statement.query_row([run.0], |row| row.get(0)).map_err(fail)
    }

    /// The stored paths of a thread with this prefix, shortest first, at most `most`.
    pub fn continuations(
        &self,
        identity: &str,
        thread: &ThreadName,
        prefix: Prefix<'_>,
        limit: usize,
    ) -> Result<Vec<Continuation>> {
        let connection = &self.database.connection;
        let Some(program) = program_id(connection, self.file(), &self.rows, identity)? else { return Ok(Vec::new()) };
        let trees = Trees { connection, file: self.file(), rows: &self.rows };
        trees.continuations(program, &thread.to_string(), prefix, limit)
    }
}

/// Reads the distinct runs of a program one by one.
pub struct DistinctRuns<'a> {
    store: &'a Store,
    program: Option<i64>,
    after: Option<(InputGroup, RunId)>,
}

impl DistinctRuns<'_> {
    fn read(&self, program: i64) -> rusqlite::Result<Option<StoredRun>> {
        let sql = "SELECT id, input, count, failed, name, bytes FROM run
                   WHERE program = ?1 AND (input, id) > (?2, ?3) ORDER BY input, id LIMIT 1";
        let mut statement = self.store.database.connection.prepare_cached(sql)?;
        let (input, id) = self.after.map_or((Vec::new(), -1), |(input, run)| (input.0.to_vec(), run.0));
        let row = statement.query_row(params![program, input, id], |row| {
            Ok(StoredRun {
                id: RunId(row.get(0)?),
                input: InputGroup(row.get(1)?),
                count: row.get(2)?,
                failed: row.get(3)?,
                name: row.get(4)?,
                bytes: row.get(5)?,
            })
        });
        row.optional()
    }
}

impl Iterator for DistinctRuns<'_> {
    type Item = Result<StoredRun>;

    fn next(&mut self) -> Option<Result<StoredRun>> {
        let program = self.program?;
        self.store.rows.set(self.store.rows.get() + 1);
        match self.read(program) {
            Ok(Some(run)) => {
                self.after = Some((run.input, run.id));
                Some(Ok(run))
            }
            Ok(None) => None,
            Err(error) => {
                self.program = None;
                Some(Err(self.store.database.fail(&error)))
            }
        }
    }
}

fn program_id(connection: &Connection, file: &Path, rows: &Cell<u64>, identity: &str) -> Result<Option<i64>> {
    let fail = |error: rusqlite::Error| of_sqlite(file, &error);
    let mut statement = connection.prepare_cached("SELECT id FROM program WHERE identity = ?1").map_err(fail)?;
    rows.set(rows.get() + 1);
    statement.query_row([identity], |row| row.get(0)).optional().map_err(fail)
}

/// How a run counts: an increment for this origin, or the total of another origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    pub origin: Origin,
    pub more: u64,
    pub at_most: Option<u64>,
}

/// Adds runs within a transaction.
pub(crate) struct Adding<'a> {
    pub connection: &'a Connection,
    pub file: &'a Path,
    pub rows: &'a Cell<u64>,
}

impl Adding<'_> {
    fn fail(&self, error: &rusqlite::Error) -> StoreError {
        of_sqlite(self.file, error)
    }

    fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result<()> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.fail(&error))?;
        statement.execute(values).map_err(|error| self.fail(&error))?;
        self.rows.set(self.rows.get() + 1);
        Ok(())
    }

    pub fn add(&self, name: &str, run: &RecordedRun, bytes: &[u8], tally: Tally) -> Result<Added> {
        if bytes.len() > MOST_RUN_BYTES {
            return Err(StoreError::TooLarge { bytes: bytes.len(), most: MOST_RUN_BYTES });
        }
        if let Some(long) = run.threads.iter().map(|thread| thread.bits.len() / 8).find(|&bytes| bytes > MOST_RUN_BYTES)
        {
            return Err(StoreError::TooLarge { bytes: long, most: MOST_RUN_BYTES });
        }
        let digest = RunDigest::of(run);
        if let Some(known) = self.known(&run.module, digest)? {
            return self.count(known, tally);
        }
        let program = self.program(&run.module)?;
        self.execute(
            "INSERT INTO run (program, digest, input, failed, count, name, bytes) VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6)",
            params![program, digest.0, InputGroup::of(run).0, run.end.is_failure(), name, bytes],
        )?;
        let id = self.connection.last_insert_rowid();
        let trees = Trees { connection: self.connection, file: self.file, rows: self.rows };
        for thread in &run.threads {
            trees.insert(program, &thread.name.to_string(), &thread.bits, &thread.callees, id)?;
        }
        self.count(RunId(id), tally)?;
        Ok(Added::New(RunId(id)))
    }

    /// The run of a program version with this content.
    pub fn known(&self, identity: &str, digest: RunDigest) -> Result<Option<RunId>> {
        let Some(program) = program_id(self.connection, self.file, self.rows, identity)? else { return Ok(None) };
        let sql = "SELECT id FROM run WHERE program = ?1 AND digest = ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.fail(&error))?;
        self.rows.set(self.rows.get() + 1);
        let id = statement.query_row(params![program, digest.0], |row| row.get(0)).optional();
        Ok(id.map_err(|error| self.fail(&error))?.map(RunId))
    }

    /// The run that this origin has counted, if it has counted one.
    pub fn counted_by(&self, origin: Origin) -> Result<Option<RunId>> {
        let sql = "SELECT run FROM tally WHERE origin = ?1 LIMIT 1";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.fail(&error))?;
        self.rows.set(self.rows.get() + 1);
        let id = statement.query_row([origin.0], |row| row.get(0)).optional();
        Ok(id.map_err(|error| self.fail(&error))?.map(RunId))
    }

    fn program(&self, identity: &str) -> Result<i64> {
        self.execute("INSERT OR IGNORE INTO program (identity) VALUES (?1)", [identity])?;
        let id = program_id(self.connection, self.file, self.rows, identity)?;
        id.ok_or_else(|| StoreError::Damaged { file: self.file.to_owned(), what: "a program was not kept".to_owned() })
    }

    /// Increases the count of a stored run.
    pub fn count(&self, run: RunId, tally: Tally) -> Result<Added> {
        let sql = "SELECT count FROM tally WHERE run = ?1 AND origin = ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.fail(&error))?;
        self.rows.set(self.rows.get() + 1);
        let before: Option<u64> = statement
            .query_row(params![run.0, tally.origin.0], |row| row.get(0))
            .optional()
            .map_err(|error| self.fail(&error))?;
        let before = before.unwrap_or(0);
        let after =
            tally.at_most.map_or(before.saturating_add(tally.more), |most| most.max(before)).min(i64::MAX as u64);
        if after == before {
            return Ok(Added::Known(run));
        }
        self.execute(
            "INSERT INTO tally VALUES (?1, ?2, ?3) ON CONFLICT (run, origin) DO UPDATE SET count = ?3",
            params![run.0, tally.origin.0, after],
        )?;
        self.execute("UPDATE run SET count = count + ?2 WHERE id = ?1", params![run.0, after - before])?;
        Ok(Added::Counted(run))
    }
}

#[cfg(test)]
mod tests {
    use run::{ProcessEnd, ThreadRecord, write_run};

    use super::*;

    #[test]
    fn a_full_disk_loses_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(folder.path()).expect("it opens");
        let run = |number: u64| {
            let mut thread = ThreadRecord::new(ThreadName::main(), "main");
            (0..200).for_each(|at| {
                thread.push_value((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(at + 1)), 64)
            });
            let end = ProcessEnd::Exited { status: 0 };
            RecordedRun { module: "0".repeat(32), threads: vec![thread], end, cut: None }
        };
        let pages: i64 =
            store.database.connection.pragma_query_value(None, "page_count", |row| row.get(0)).expect("a number");
        store.database.connection.pragma_update(None, "max_page_count", pages + 20).expect("it is set");
        let mut added = 0;
        let error = loop {
            match store.add(&run(added), &write_run(&run(added))) {
                Ok(_) => added += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        assert!(added > 3, "{added}");
        drop(store);
        let mut store = Store::open(folder.path()).expect("it opens");
        let kept: Vec<StoredRun> =
            store.distinct_runs(&"0".repeat(32)).expect("no error").collect::<Result<_>>().expect("no error");
        assert_eq!(kept.len() as u64, added);
        assert!(kept.iter().all(|run| run.count == 1 && run::read_run(&run.bytes).is_ok()));
        assert!(matches!(store.add(&run(added), &write_run(&run(added))), Ok(Added::New(_))), "with room it goes on");
    }
}
