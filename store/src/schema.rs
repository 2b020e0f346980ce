//! The database file, its tables, and the checks before its use.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::MOST_RUN_BYTES;
use crate::digest::Origin;
use crate::error::{Result, StoreError, of_sqlite};

/// A run in this database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub(crate) i64);

/// The database in its folder.
pub const FILE_NAME: &str = "paths.sqlite";

/// The version that is written. Newer ones are refused.
pub(crate) const VERSION: i64 = 1;

/// `hdlp`, in the header of the file.
const APPLICATION: i64 = 0x6864_6c70;

/// How long one process waits for another.
const PATIENCE: Duration = Duration::from_secs(60);

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// `run.count` is the sum of the run's tallies. A `node` of a tree holds the bits between its parent and itself; `first` is
/// the first of them, and `shortest` the length of the shortest whole path that ends in it or below it.
const TABLES: &str = "
    CREATE TABLE origin (only INTEGER PRIMARY KEY CHECK (only = 1), id BLOB NOT NULL);
    INSERT INTO origin VALUES (1, randomblob(16));
    CREATE TABLE program (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE);
    CREATE TABLE run (
        id INTEGER PRIMARY KEY, program INTEGER NOT NULL, digest BLOB NOT NULL, input BLOB NOT NULL,
        failed INTEGER NOT NULL, count INTEGER NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL,
        UNIQUE (program, digest));
    CREATE INDEX run_by_input ON run (program, input, id);
    CREATE TABLE tally (
        run INTEGER NOT NULL, origin BLOB NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (run, origin)) WITHOUT ROWID;
    CREATE INDEX tally_by_origin ON tally (origin);
    CREATE TABLE tree (
        program INTEGER NOT NULL, thread TEXT NOT NULL, root INTEGER NOT NULL, PRIMARY KEY (program, thread)) WITHOUT ROWID;
    CREATE TABLE node (
        id INTEGER PRIMARY KEY, parent INTEGER, first INTEGER, bits BLOB NOT NULL, length INTEGER NOT NULL,
        shortest INTEGER NOT NULL, UNIQUE (parent, first));
    CREATE TABLE path (
        id INTEGER PRIMARY KEY, node INTEGER NOT NULL, callees BLOB NOT NULL, run INTEGER NOT NULL, UNIQUE (node, callees));
";

/// An open database of a known version.
pub(crate) struct Database {
    pub connection: Connection,
    pub file: PathBuf,
    pub origin: Origin,
}

impl Database {
    /// Opens the database of a folder, and makes both where they are not there.
    pub fn open(folder: &Path) -> Result<Database> {
        let file = folder.join(FILE_NAME);
        fs::create_dir_all(folder).map_err(|source| StoreError::Unusable { file: folder.to_owned(), source })?;
        check_magic(&file)?;
        let connection = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        make_tables(&connection, &file)?;
        Database::checked(connection, file)
    }

    /// Opens another machine's database read-only.
    pub fn open_to_read(file: &Path) -> Result<Database> {
        check_magic(file)?;
        let connection = connect(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        Database::checked(connection, file.to_owned())
    }

    fn checked(connection: Connection, file: PathBuf) -> Result<Database> {
        let sql = |error: &rusqlite::Error| of_sqlite(&file, error);
        check_version(&connection, &file)?;
        let checked: String =
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(|error| sql(&error))?;
        if checked != "ok" {
            return Err(StoreError::Damaged { file, what: checked.lines().last().unwrap_or_default().to_owned() });
        }
        let origin =
            connection.query_row("SELECT id FROM origin", [], |row| row.get(0)).map_err(|error| sql(&error))?;
        Ok(Database { connection, file, origin: Origin(origin) })
    }

    pub fn fail(&self, error: &rusqlite::Error) -> StoreError {
        of_sqlite(&self.file, error)
    }

    /// A transaction that no other process can come between.
    pub fn begin(&mut self) -> Result<(Transaction<'_>, &Path)> {
        let file = &self.file;
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        Ok((begun.map_err(|error| of_sqlite(file, &error))?, file))
    }
}

/// An empty file is a database without tables; anything else begins as all SQLite files do.
fn check_magic(file: &Path) -> Result<()> {
    let mut first = Vec::new();
    let read = File::open(file).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut first));
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(StoreError::Unusable { file: file.to_owned(), source }),
        Ok(_) if first.is_empty() || first == MAGIC => Ok(()),
        Ok(_) => {
            Err(StoreError::Damaged { file: file.to_owned(), what: "it does not begin as a database does".to_owned() })
        }
    }
}

fn connect(file: &Path, flags: OpenFlags) -> Result<Connection> {
    let sql = |error: rusqlite::Error| of_sqlite(file, &error);
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags).map_err(sql)?;
    connection.busy_timeout(PATIENCE).map_err(sql)?;
    // Bounds the memory for a value, whatever the file contains.
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, (MOST_RUN_BYTES + (1 << 20)) as i32).map_err(sql)?;
    // Files are not trusted: no views, triggers or functions of theirs are run.
    connection.pragma_update(None, "trusted_schema", false).map_err(sql)?;
    Ok(connection)
}

fn number(connection: &Connection, file: &Path, pragma: &str) -> Result<i64> {
    connection.pragma_query_value(None, pragma, |row| row.get(0)).map_err(|error| of_sqlite(file, &error))
}

fn make_tables(connection: &Connection, file: &Path) -> Result<()> {
    let sql = |error: rusqlite::Error| of_sqlite(file, &error);
    if !is_empty(connection, file)? {
        return Ok(());
    }
    connection.execute_batch("BEGIN IMMEDIATE").map_err(sql)?;
    // Another process may have been faster.
    let made = match is_empty(connection, file) {
        Ok(true) => {
            let header = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};");
            connection.execute_batch(&header).and_then(|()| connection.execute_batch(TABLES)).map_err(sql)
        }
        Ok(false) => Ok(()),
        Err(error) => Err(error),
    };
    let end = if made.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = connection.execute_batch(end).map_err(sql);
    made.and(ended)
}

/// Whether the database is new.
fn is_empty(connection: &Connection, file: &Path) -> Result<bool> {
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|error| of_sqlite(file, &error))?;
    Ok(tables == 0
        && number(connection, file, "application_id")? == 0
        && number(connection, file, "user_version")? == 0)
}

fn check_version(connection: &Connection, file: &Path) -> Result<()> {
    if number(connection, file, "application_id")? != APPLICATION {
        return Err(StoreError::Foreign { file: file.to_owned() });
    }
    let found = number(connection, file, "user_version")?;
    if found > VERSION {
        return Err(StoreError::Newer { file: file.to_owned(), found, known: VERSION });
    }
    if found < 1 {
        return Err(StoreError::Damaged { file: file.to_owned(), what: format!("there is no version {found}") });
    }
    Ok(())
}
