//! The errors of loading a program.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no input files")]
    NoInput,
    #[error("cannot read {}: {reason}", file.display())]
    Read { file: PathBuf, reason: std::io::Error },
    #[error("{}: not a C or C++ file, LLVM bitcode (.bc) or LLVM text (.ll)", file.display())]
    UnknownKind { file: PathBuf },
    #[error("{} was not built with `heddle cc` or `heddle c++`", file.display())]
    NotRecordable { file: PathBuf },
    #[error("cannot run the compiler `{program}` ({reason}); install the package `clang-22`, or set HEDDLE_CLANG")]
    NoCompiler { program: String, reason: std::io::Error },
    /// `stderr` is the compiler's own text.
    #[error("{} does not compile:\n{}", file.display(), stderr.trim_end())]
    Compile { file: PathBuf, stderr: String },
    #[error("{}: not a module that LLVM 22 can read: {message}", file.display())]
    BadModule { file: PathBuf, message: String },
    #[error("{}: made for `{target}`; heddle reads modules for 64-bit x86 (compile for x86_64)", file.display())]
    Target { file: PathBuf, target: String },
    #[error("{}: cannot be linked with the other files: {message}", file.display())]
    Link { file: PathBuf, message: String },
    /// Special flags made the program incompatible with the models, or its module is damaged.
    #[error("the program cannot be linked with heddle's models of its libraries: {0}")]
    Models(String),
    #[error("{0}")]
    BadPredicate(String),
    #[error("{}:{line}: {message}", file.display())]
    Predicate { file: PathBuf, line: usize, message: String },
    #[error("the program has no function `main`")]
    NoMain,
    /// A defect of heddle, not of the program.
    #[error("internal error: {0}")]
    Internal(String),
}
