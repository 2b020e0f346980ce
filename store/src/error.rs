//! The errors of a database. None of them changes the file.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum StoreError {
    #[error("{file}: the path database is damaged: {what}; it was left as it is: move it away to begin a new one", file = file.display())]
    Damaged { file: PathBuf, what: String },
    #[error("{file}: this is not a path database of heddle", file = file.display())]
    Foreign { file: PathBuf },
    #[error("{file}: the path database has version {found}, and this heddle knows versions up to {known}", file = file.display())]
    Newer { file: PathBuf, found: i64, known: i64 },
    #[error("{file}: another process uses the path database", file = file.display())]
    Busy { file: PathBuf },
    #[error("{file}: the disk is full; nothing was changed", file = file.display())]
    Full { file: PathBuf },
    #[error("a run of {bytes} bytes is too large to be stored: at most {most} bytes are")]
    TooLarge { bytes: usize, most: usize },
    #[error("cannot use {file}: {source}", file = file.display())]
    Unusable { file: PathBuf, source: io::Error },
    #[error("cannot use {file}: {what}", file = file.display())]
    Refused { file: PathBuf, what: String },
}

pub(crate) type Result<T> = std::result::Result<T, StoreError>;

/// SQLite's message, with the file.
pub(crate) fn of_sqlite(file: &Path, error: &rusqlite::Error) -> StoreError {
    let file = file.to_owned();
    let code = match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure.code,
        rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::QueryReturnedNoRows
        | rusqlite::Error::Utf8Error(..) => {
            return StoreError::Damaged { file, what: format!("a row cannot be read ({error})") };
        }
        _ => return StoreError::Refused { file, what: error.to_string() },
    };
    match code {
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::ConstraintViolation | ErrorCode::TooBig => {
            StoreError::Damaged { file, what: error.to_string() }
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy { file },
        ErrorCode::DiskFull => StoreError::Full { file },
        _ => StoreError::Refused { file, what: error.to_string() },
    }
}
