//! Logic gates over literals, as clauses (Tseitin encoding). Constants are folded, and equal gates are shared.

use std::collections::HashMap;

use crate::theory::{Lit, TRUE};

/// Creates variables and clauses; clauses are buffered until a caller takes them.
#[derive(Debug)]
pub(crate) struct Gates {
    last: Lit,
    /// All clauses in a row, each terminated by zero.
    clauses: Vec<Lit>,
    count: u64,
    ands: HashMap<(Lit, Lit), Lit>,
    xors: HashMap<(Lit, Lit), Lit>,
    majorities: HashMap<[Lit; 3], Lit>,
}

const FALSE: Lit = -TRUE;

impl Gates {
    pub fn new() -> Gates {
        let mut gates = Gates {
            last: TRUE,
            clauses: Vec::new(),
            count: 0,
            ands: HashMap::new(),
            xors: HashMap::new(),
            majorities: HashMap::new(),
        };
        gates.raw(&[TRUE]);
        gates
    }

    pub fn fresh(&mut self) -> Lit {
        self.last += 1;
        self.last
    }

    pub fn last(&self) -> Lit {
        self.last
    }

    /// The number of clauses created so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Passes the buffered clauses on, literal by literal, if they have more than `most` literals.
    pub fn hand_over(&mut self, most: usize, mut add: impl FnMut(Lit)) {
        if self.clauses.len() > most {
            self.clauses.drain(..).for_each(&mut add);
            self.clauses.shrink_to(most);
        }
    }

    fn raw(&mut self, lits: &[Lit]) {
        self.clauses.extend_from_slice(lits);
        self.clauses.push(0);
        self.count += 1;
    }

    pub fn clause(&mut self, lits: &[Lit]) {
        if lits.contains(&TRUE) {
            return;
        }
        let begin = self.clauses.len();
        self.clauses.extend(lits.iter().filter(|&&lit| lit != FALSE));
        if self.clauses.len() == begin {
            // All literals are false: the clause is a contradiction.
            self.clauses.push(FALSE);
        }
        self.clauses.push(0);
        self.count += 1;
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (FALSE, _) | (_, FALSE) => return FALSE,
            (TRUE, other) | (other, TRUE) => return other,
            _ if a == b => return a,
            _ if a == -b => return FALSE,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(&gate) = self.ands.get(&key) {
            return gate;
        }
        let gate = self.fresh();
        self.raw(&[-gate, a]);
        self.raw(&[-gate, b]);
        self.raw(&[gate, -a, -b]);
        self.ands.insert(key, gate);
        gate
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        -self.and(-a, -b)
    }

    pub fn and_all(&mut self, lits: &[Lit]) -> Lit {
        let mut kept: Vec<Lit> = lits.iter().copied().filter(|&lit| lit != TRUE).collect();
        kept.sort_unstable();
        kept.dedup();
        if kept.iter().any(|&lit| lit == FALSE || kept.binary_search(&-lit).is_ok()) {
            return FALSE;
        }
        match kept[..] {
            [] => TRUE,
            [only] => only,
            [a, b] => self.and(a, b),
            _ => {
                let gate = self.fresh();
                kept.iter().for_each(|&lit| self.raw(&[-gate, lit]));
                let mut last: Vec<Lit> = kept.iter().map(|lit| -lit).collect();
                last.push(gate);
                self.raw(&last);
                gate
            }
        }
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (FALSE, other) | (other, FALSE) => return other,
            (TRUE, other) | (other, TRUE) => return -other,
            _ if a == b => return FALSE,
            _ if a == -b => return TRUE,
            _ => {}
        }
        let negative = (a < 0) != (b < 0);
        let (a, b) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
        let gate = match self.xors.get(&(a, b)) {
            Some(&gate) => gate,
            None => {
                let gate = self.fresh();
                self.raw(&[-gate, a, b]);
                self.raw(&[-gate, -a, -b]);
                self.raw(&[gate, -a, b]);
                self.raw(&[gate, a, -b]);
                self.xors.insert((a, b), gate);
                gate
            }
        };
        if negative { -gate } else { gate }
    }

    pub fn ite(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        match (condition, then, otherwise) {
            (TRUE, _, _) => then,
            (FALSE, _, _) => otherwise,
            _ if then == otherwise => then,
            _ if then == -otherwise => -self.xor(condition, then),
            (_, TRUE, _) => self.or(condition, otherwise),
            (_, FALSE, _) => self.and(-condition, otherwise),
            (_, _, TRUE) => self.or(-condition, then),
            (_, _, FALSE) => self.and(condition, then),
            _ if condition == then => self.or(condition, otherwise),
            _ if condition == -then => self.and(-condition, otherwise),
            _ if condition == otherwise => self.and(condition, then),
            _ if condition == -otherwise => self.or(-condition, then),
            _ => {
                let gate = self.fresh();
                self.raw(&[-condition, -then, gate]);
                self.raw(&[-condition, then, -gate]);
                self.raw(&[condition, -otherwise, gate]);
                self.raw(&[condition, otherwise, -gate]);
                self.raw(&[-then, -otherwise, gate]);
                self.raw(&[then, otherwise, -gate]);
                gate
            }
        }
    }

    /// True if at least two of the three are.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut key = [a, b, c];
        key.sort_unstable_by_key(|lit| (lit.abs(), *lit));
        let [a, b, c] = key;
        match () {
            () if a == TRUE => return self.or(b, c),
            () if a == FALSE => return self.and(b, c),
            () if a == b => return a,
            () if a == -b => return c,
            () if b == c => return b,
            () if b == -c => return a,
            () => {}
        }
        if let Some(&gate) = self.majorities.get(&key) {
            return gate;
        }
        let gate = self.fresh();
        for (one, other) in [(a, b), (a, c), (b, c)] {
            self.raw(&[-one, -other, gate]);
            self.raw(&[one, other, -gate]);
        }
        self.majorities.insert(key, gate);
        gate
    }
}
