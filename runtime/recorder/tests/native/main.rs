//! Small programs in C and C++ that call the hooks explicitly are linked with the recorder and run, and their spools
//! are checked.

mod program;
mod spool;
mod births;
mod ends;
mod handlers;
mod processes;
mod loss;
mod transparency;
