//! Small programs in C and C++ that call the hooks by hand are linked with the recorder, run, and their spools read back.

mod program;
mod spool;
mod births;
mod ends;
mod handlers;
mod processes;
mod loss;
mod transparency;
