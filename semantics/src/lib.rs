//! The semantics of instructions and of the runtime's operations, once.
//!
//! [`code::Code`] is a program prepared for execution. [`execute::run`] is the only interpreter: it is generic over the
//! value domain ([`domain::Domain`]: machine words, or symbolic terms beside them) and over the world of memory,
//! decisions and the runtime ([`execute::World`]). [`primitives`] has a script for each operation on a lock or another
//! synchronisation object, generic over the engine that executes its steps.

pub mod address;
pub mod messages;
pub mod int;
mod functions;
pub mod extended;
pub mod float;
pub mod digits;
pub mod domain;
pub mod concrete;
pub mod code;
pub mod liveness;
mod decode;
pub mod execute;
pub mod primitives;
