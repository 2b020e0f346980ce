//! A barrier: its word counts all arrivals since the start of the program. A thread leaves when the count reaches the end
//! of its round.

use ir::Primitive;

use super::engine::{Act, Arithmetic, Change, Engine};
use super::{Object, Operation, Performed};

pub struct Barrier;

impl Object for Barrier {
    const NOUN: &'static str = "barrier";
    const MUST_BE_MADE: bool = true;

    fn operation(primitive: Primitive) -> Option<Operation> {
        Some(match primitive {
            Primitive::BarrierInit => Operation::init(),
            Primitive::BarrierDestroy => Operation::destroy(),
            Primitive::BarrierWait => Operation::waits("waited for", "barrier"),
            _ => return None,
        })
    }

    /// Arrives and leaves. Returns 1 to the last thread of the round, 0 to the others.
    fn perform<E: Engine>(engine: &mut E, _: Primitive) -> Performed<E> {
        let parties = engine.parameter()?.max(1);
        let before = engine.first(|engine| {
            engine.release();
            engine.access(Act::BarrierArrive, arrive)
        })?;
        engine.access(Act::BarrierLeave, |engine, total| leave(engine, total, before, parties))?;
        let always = engine.truth(true);
        engine.acquire(always, true);
        let (parties, last) = (engine.word(parties), engine.word(parties - 1));
        let place = engine.remainder(before, parties);
        let is_last = engine.equal(place, last);
        Ok(Some(engine.bit(is_last)))
    }

    /// Whether threads wait in an unfinished round.
    fn is_busy<A: Arithmetic>(words: &mut A, word: A::Word, parties: u32) -> A::Truth {
        let (zero, parties) = (words.word(0), words.word(parties.max(1)));
        let arrived = words.remainder(word, parties);
        words.differ(arrived, zero)
    }

    /// The count goes on at the begin of a round: threads of the last one may not have left.
    fn anew<A: Arithmetic>(words: &mut A, old: A::Word, parties: u32) -> A::Word {
        let (parties, rest) = (words.word(parties.max(1)), words.word(parties.max(1) - 1));
        let end = words.plus(old, rest);
        let rounds = words.quotient(end, parties);
        words.times(rounds, parties)
    }

    /// Only the arrivals of the current round matter.
    fn normal(word: u32, parties: u32) -> u32 {
        word % parties.max(1)
    }
}

pub fn arrive<A: Arithmetic>(words: &mut A, total: A::Word) -> Change<A> {
    let one = words.word(1);
    Change { enabled: words.truth(true), new: words.plus(total, one), writes: words.truth(true) }
}

/// Waits until all parties of the round have arrived that began with the arrivals `before`.
pub fn leave<A: Arithmetic>(words: &mut A, total: A::Word, before: A::Word, parties: u32) -> Change<A> {
    let (one, parties) = (words.word(1), words.word(parties));
    let round = words.quotient(before, parties);
    let next = words.plus(round, one);
    let enough = words.times(next, parties);
    Change { enabled: words.at_most(enough, total), new: total, writes: words.truth(false) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::Numbers;

    #[test]
    fn the_last_of_a_round_lets_the_others_leave() {
        let is_open = |before, total| leave(&mut Numbers, total, before, 3).enabled;
        assert_eq!([1, 2, 3].map(|total| is_open(0, total)), [false, false, true]);
        assert_eq!([4, 5, 6].map(|total| is_open(3, total)), [false, false, true], "the second round");
    }

    #[test]
    fn a_barrier_that_is_made_anew_begins_a_round_and_lets_those_leave_who_were_let_go() {
        for (old, parties) in [(4, 2), (4, 3), (3, 7)] {
            let new = Barrier::anew(&mut Numbers, old, parties);
            assert_eq!((Barrier::normal(new, parties), Barrier::is_busy(&mut Numbers, new, parties)), (0, false));
            assert!(leave(&mut Numbers, new, old - 1, parties).enabled);
        }
    }
}
