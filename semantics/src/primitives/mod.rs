//! The meaning of the runtime's operations on synchronisation objects, once.
//!
//! Each kind of object is a module with a script per operation: a function over the steps of an [`Engine`]. The machine
//! executes the steps on its state, the symbolic engine emits them as events. An object is a word of 32 bits and the
//! threads that hold it; a mutex is a section in the theory of order, and a condition a set of sleepers.
//!
//! A new kind is a module and a line in `kinds!`.

mod engine;
pub mod mutex;
pub mod condition;
pub mod rwlock;
pub mod semaphore;
pub mod barrier;
pub mod once;
mod latch;
pub mod thread;

use ir::Primitive;

pub use engine::{Act, Arithmetic, Change, Concrete, Engine, Hold, Numbers, Patience, Sleep};

/// The result of an operation: a number of 32 bits, or nothing.
pub type Performed<E> = Result<Option<<E as Arithmetic>::Word>, <E as Engine>::Stop>;

/// The static properties of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    pub role: Role,
    /// What happens to the object, in words: "locked".
    pub what: &'static str,
    /// The kind of the event that shows it.
    pub shown: &'static str,
    /// Whether it waits for other threads.
    pub waits: bool,
    /// Whether the object is known by its address only: if its memory has ended, nothing happens.
    pub by_address: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Makes the object.
    Init,
    /// Ends it.
    Destroy,
    /// Has a script.
    Use,
}

impl Operation {
    fn init() -> Operation {
        Operation { role: Role::Init, ..Operation::of("initialised", "init") }
    }

    fn destroy() -> Operation {
        Operation { role: Role::Destroy, ..Operation::of("destroyed", "destroy") }
    }

    fn of(what: &'static str, shown: &'static str) -> Operation {
        Operation { role: Role::Use, what, shown, waits: false, by_address: false }
    }

    fn waits(what: &'static str, shown: &'static str) -> Operation {
        Operation { waits: true, ..Operation::of(what, shown) }
    }
}

/// A kind of synchronisation object. Words are zero until the object is made or used for the first time.
pub trait Object {
    const NOUN: &'static str;
    /// Whether it cannot be used before it was made.
    const MUST_BE_MADE: bool = false;
    /// Whether its word begins with the number that it is made with.
    const BEGINS_WITH_NUMBER: bool = false;
    /// Whether its word counts, so that an engine may tell in the word that the object was destroyed.
    const COUNTS: bool = true;

    /// `None` if the operation is about another kind.
    fn operation(primitive: Primitive) -> Option<Operation>;

    /// Executes an operation that is neither the making nor the end of an object.
    fn perform<E: Engine>(engine: &mut E, primitive: Primitive) -> Performed<E>;

    /// Whether it is in use, so that it is not destroyed.
    fn is_busy<A: Arithmetic>(words: &mut A, _word: A::Word, _parameter: u32) -> A::Truth {
        words.truth(false)
    }

    /// The word of an object that is made, where there was one before.
    fn anew<A: Arithmetic>(words: &mut A, _old: A::Word, given: u32) -> A::Word {
        words.word(if Self::BEGINS_WITH_NUMBER { given } else { 0 })
    }

    /// The word as far as it decides what operations do.
    fn normal(word: u32, _parameter: u32) -> u32 {
        word
    }

    /// Whether two of these operations on the same object have the same effect in both orders.
    fn commutes(_primitive: Primitive, _word: impl FnOnce() -> u32) -> bool {
        false
    }
}

macro_rules! kinds {
    ($($module:ident::$kind:ident,)*) => {
        /// The kinds of synchronisation objects.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $($kind,)* }

        impl Kind {
            pub fn noun(self) -> &'static str {
                match self { $(Kind::$kind => $module::$kind::NOUN,)* }
            }

            pub fn must_be_made(self) -> bool {
                match self { $(Kind::$kind => $module::$kind::MUST_BE_MADE,)* }
            }

            pub fn counts(self) -> bool {
                match self { $(Kind::$kind => $module::$kind::COUNTS,)* }
            }

            pub fn begins_with_number(self) -> bool {
                match self { $(Kind::$kind => $module::$kind::BEGINS_WITH_NUMBER,)* }
            }

            /// Executes an operation on an object of this kind.
            pub fn perform<E: Engine>(self, engine: &mut E, primitive: Primitive) -> Performed<E> {
                match self { $(Kind::$kind => $module::$kind::perform(engine, primitive),)* }
            }

            pub fn is_busy<A: Arithmetic>(self, words: &mut A, word: A::Word, parameter: u32) -> A::Truth {
                match self { $(Kind::$kind => $module::$kind::is_busy(words, word, parameter),)* }
            }

            pub fn anew<A: Arithmetic>(self, words: &mut A, old: A::Word, given: u32) -> A::Word {
                match self { $(Kind::$kind => $module::$kind::anew(words, old, given),)* }
            }

            pub fn normal(self, word: u32, parameter: u32) -> u32 {
                match self { $(Kind::$kind => $module::$kind::normal(word, parameter),)* }
            }

            pub fn commutes(self, primitive: Primitive, word: impl FnOnce() -> u32) -> bool {
                match self { $(Kind::$kind => $module::$kind::commutes(primitive, word),)* }
            }
        }

        /// The kind of object that an operation is about, and its static properties.
        pub fn operation(primitive: Primitive) -> Option<(Kind, Operation)> {
            $(if let Some(operation) = $module::$kind::operation(primitive) {
                return Some((Kind::$kind, operation));
            })*
            None
        }
    };
}

kinds! {
    mutex::Mutex,
    condition::Condition,
    rwlock::ReadWrite,
    semaphore::Semaphore,
    barrier::Barrier,
    once::Once,
    latch::Latch,
}
