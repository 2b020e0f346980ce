//! What a script needs of the engine that executes it.
//!
//! The machine executes the steps on numbers; the symbolic engine emits them as events over terms. A script never sees
//! which: it computes with [`Arithmetic`], and everything else is a step of [`Engine`].

use ir::{Code, MutexKind};

/// Words of 32 bits and conditions over them: numbers and booleans, or terms.
pub trait Arithmetic {
    type Word: Copy;
    type Truth: Copy;

    fn word(&mut self, value: u32) -> Self::Word;
    fn truth(&mut self, value: bool) -> Self::Truth;
    /// Modulo 2^32, as all operations.
    fn plus(&mut self, left: Self::Word, right: Self::Word) -> Self::Word;
    fn minus(&mut self, left: Self::Word, right: Self::Word) -> Self::Word;
    fn times(&mut self, left: Self::Word, right: Self::Word) -> Self::Word;
    /// Unsigned; the divisor is never zero.
    fn quotient(&mut self, left: Self::Word, right: Self::Word) -> Self::Word;
    fn remainder(&mut self, left: Self::Word, right: Self::Word) -> Self::Word;
    fn equal(&mut self, left: Self::Word, right: Self::Word) -> Self::Truth;
    fn differ(&mut self, left: Self::Word, right: Self::Word) -> Self::Truth;
    /// Unsigned.
    fn at_most(&mut self, left: Self::Word, right: Self::Word) -> Self::Truth;
    fn choose(&mut self, condition: Self::Truth, then: Self::Word, otherwise: Self::Word) -> Self::Word;

    /// A result code.
    fn code(&mut self, code: Code) -> Self::Word {
        self.word(code as u32)
    }

    fn either(&mut self, condition: Self::Truth, yes: Code, no: Code) -> Self::Word {
        let (yes, no) = (self.word(yes as u32), self.word(no as u32));
        self.choose(condition, yes, no)
    }

    /// 1 or 0, as a result.
    fn bit(&mut self, condition: Self::Truth) -> Self::Word {
        let (one, zero) = (self.word(1), self.word(0));
        self.choose(condition, one, zero)
    }

    /// The result of an operation that took what it wanted, or was refused.
    fn taken(&mut self, patience: Patience, taken: Self::Truth) -> Self::Word {
        match patience {
            Patience::Waits => self.code(Code::Ok),
            _ => self.either(taken, Code::Ok, patience.refusal()),
        }
    }
}

/// An engine that computes with numbers.
pub trait Concrete {}

impl<T: Concrete> Arithmetic for T {
    type Word = u32;
    type Truth = bool;

    #[inline(always)]
    fn word(&mut self, value: u32) -> u32 {
        value
    }

    #[inline(always)]
    fn truth(&mut self, value: bool) -> bool {
        value
    }

    #[inline(always)]
    fn plus(&mut self, left: u32, right: u32) -> u32 {
        left.wrapping_add(right)
    }

    #[inline(always)]
    fn minus(&mut self, left: u32, right: u32) -> u32 {
        left.wrapping_sub(right)
    }

    #[inline(always)]
    fn times(&mut self, left: u32, right: u32) -> u32 {
        left.wrapping_mul(right)
    }

    #[inline(always)]
    fn quotient(&mut self, left: u32, right: u32) -> u32 {
        left.checked_div(right).unwrap_or(u32::MAX)
    }

    #[inline(always)]
    fn remainder(&mut self, left: u32, right: u32) -> u32 {
        left.checked_rem(right).unwrap_or(left)
    }

    #[inline(always)]
    fn equal(&mut self, left: u32, right: u32) -> bool {
        left == right
    }

    #[inline(always)]
    fn differ(&mut self, left: u32, right: u32) -> bool {
        left != right
    }

    #[inline(always)]
    fn at_most(&mut self, left: u32, right: u32) -> bool {
        left <= right
    }

    #[inline(always)]
    fn choose(&mut self, condition: bool, then: u32, otherwise: u32) -> u32 {
        if condition { then } else { otherwise }
    }
}

/// Numbers without an engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers;

impl Concrete for Numbers {}

/// One atomic access to the state word of an object: waits until `enabled`, and then writes `new` if `writes`.
#[derive(Clone, Copy, Debug)]
pub struct Change<A: Arithmetic + ?Sized> {
    pub enabled: A::Truth,
    pub writes: A::Truth,
    pub new: A::Word,
}

/// The name of an access in an event graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    SemWait,
    SemTryWait,
    SemPost,
    ReadLock,
    TryReadLock,
    WriteLock,
    TryWriteLock,
    RwUnlock,
    BarrierArrive,
    BarrierLeave,
    Once,
    /// Any other read of the word.
    Read,
    /// Any other wait for the word.
    Await,
    /// Any other update of the word.
    Update,
}

/// What an operation does while it cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    Waits,
    /// It is refused with [`Code::Busy`].
    Tries,
    /// It is refused with [`Code::TimedOut`]. It may time out whenever it cannot go on.
    Timed,
}

impl Patience {
    pub fn refusal(self) -> Code {
        if self == Patience::Tries { Code::Busy } else { Code::TimedOut }
    }
}

/// How a thread sleeps on a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sleep {
    /// Whether the wait may time out.
    pub timed: bool,
    /// Whether all levels of a recursive mutex are released and taken again, rather than one.
    pub whole: bool,
}

/// How a thread holds an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// With others, any number of times.
    Shared,
    /// Alone.
    Alone,
    /// It runs what others wait for. The state word alone tells; the thread itself does not look at it.
    Runs,
}

/// The steps of a script, on the object that the operation is about. It was checked already that the object lies in live
/// memory, is of the operation's kind and was not destroyed, or the engine checks it with the first access.
pub trait Engine: Arithmetic {
    type Stop;

    /// A further argument of the operation.
    fn number(&mut self, index: usize) -> Result<Self::Word, Self::Stop>;
    /// The number that the object was made with; the operation fails if it was never made.
    fn parameter(&mut self) -> Result<u32, Self::Stop>;
    /// The kind of the mutex.
    fn mutex_kind(&mut self) -> Result<MutexKind, Self::Stop>;

    /// One access to the state word; returns the word before it.
    fn access(
        &mut self,
        act: Act,
        change: impl FnOnce(&mut Self, Self::Word) -> Change<Self>,
    ) -> Result<Self::Word, Self::Stop>;
    /// Writes the state word, whatever it was.
    fn write(&mut self, act: Act, word: Self::Word) -> Result<(), Self::Stop>;
    /// The first step of an operation that has a second one. Its word is kept while the second one waits.
    fn first(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<Self::Word, Self::Stop>,
    ) -> Result<Self::Word, Self::Stop>;

    /// Whether the calling thread holds the object.
    fn holds(&mut self) -> Result<Self::Truth, Self::Stop>;
    /// Whether the calling thread holds the object alone.
    fn holds_alone(&mut self) -> Result<Self::Truth, Self::Stop>;
    /// The thread holds the object from now on, where the condition is true.
    fn hold(&mut self, taken: Self::Truth, how: Hold);
    fn let_go(&mut self, how: Hold);

    /// Enters the section of a mutex; returns whether it did.
    fn enter(&mut self, kind: MutexKind, patience: Patience) -> Result<Self::Truth, Self::Stop>;
    /// Leaves the section of a mutex, one level of a recursive one. Any thread may leave that of a plain mutex; it is an
    /// error if no thread is in it.
    fn leave(&mut self, kind: MutexKind, otherwise: &'static str) -> Result<(), Self::Stop>;
    /// Looks at a mutex and leaves it as it is.
    fn pass_by(&mut self) -> Result<(), Self::Stop>;

    /// Whether the calling thread holds the mutex of a wait, the operation's second argument.
    fn holds_mutex(&mut self) -> Result<Self::Truth, Self::Stop>;
    /// Whether another thread has interrupted this one since it last asked.
    fn was_interrupted(&mut self) -> Self::Truth;
    /// Releases the mutex and falls asleep, in one step.
    fn fall_asleep(&mut self, sleep: Sleep) -> Result<(), Self::Stop>;
    /// Waits for a signal, a time-out or a spurious wake-up, and takes the mutex again. Returns the code of the wait.
    fn wake_up(&mut self, sleep: Sleep) -> Result<Self::Word, Self::Stop>;
    /// Wakes one sleeper, which the environment chooses, or all.
    fn wake(&mut self, all: bool) -> Result<(), Self::Stop>;

    /// Which way a script goes that does different things.
    fn decide(&mut self, condition: Self::Truth) -> Result<bool, Self::Stop>;
    /// The operation is an error unless the condition is true.
    fn demand(&mut self, condition: Self::Truth, otherwise: &'static str) -> Result<(), Self::Stop>;
    /// The operation is shown to the user although it makes no access, or fails before it.
    fn show(&mut self);

    /// What other threads did before they released the object happens before this, where `condition` is `is`.
    fn acquire(&mut self, condition: Self::Truth, is: bool);
    fn release(&mut self);

    /// Whether a count may come near to this limit. If not, posts need not look at it.
    fn comes_near(&mut self, limit: u32) -> bool;
}
