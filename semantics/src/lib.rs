//! What an instruction does, once.
//!
//! [`code::Code`] is a program made ready to run. [`execute::run`] is the only interpreter: it is generic over the value
//! domain ([`domain::Domain`]: machine words today, symbolic terms beside them) and over the world that answers for memory,
//! decisions and the runtime ([`execute::World`]).

pub mod address;
pub mod int;
pub mod float;
pub mod extended;
pub mod digits;
pub mod domain;
pub mod concrete;
pub mod code;
pub mod liveness;
mod decode;
pub mod execute;
