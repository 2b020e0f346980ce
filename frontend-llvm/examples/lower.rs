//! Prints the IR of C files and bitcode: `cargo run -p frontend-llvm --example lower -- [FLAGS] FILES…`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let (flags, files) = std::env::args().skip(1).partition::<Vec<_>, _>(|word| word.starts_with('-'));
    let inputs =
        frontend_llvm::Inputs { files: files.into_iter().map(Into::into).collect(), flags, ..Default::default() };
    match frontend_llvm::load(&inputs) {
        Ok(loaded) => {
            eprint!("{}", loaded.warnings);
            for unsupported in &loaded.unsupported {
                eprintln!("unsupported in `{}`: {}", unsupported.function, unsupported.what);
            }
            println!("{}", loaded.program);
            if let Err(errors) = ir::verify(&loaded.program) {
                for error in errors {
                    eprintln!("verify: {error}");
                }
                return ExitCode::FAILURE;
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
