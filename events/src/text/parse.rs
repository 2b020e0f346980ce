//! Parses a graph from its text. Conditions that are evaluated at the end may name symbols before the event that
//! defines them, so a first pass over the lines collects the symbols.

use std::collections::HashMap;

use formula::{Sort, Term};
use run::ThreadName;

use super::lex::{Line, Token, lex};
use super::names::{Name, name_of};
use super::print::LABELS;
use super::term::{Known, parse_term};
use super::{HEADER, ParseError};
use crate::graph::{
    Access, Address, Event, EventGraph, EventId, Initial, Kind, Label, Object, ObjectId, Place, Thread, ThreadId,
};

/// Reads the output of [`EventGraph`]'s `Display`, and texts written by hand. The graph may still be ill-formed.
pub fn parse_graph(text: &str) -> Result<EventGraph, ParseError> {
    let lines = lex(text)?;
    let header: Vec<Token> = HEADER.split(' ').map(|word| Token::Word(word.to_owned())).collect();
    match lines.first() {
        Some(first) if first.tokens == header => {}
        first => {
            let line = first.map_or(1, |line| line.number);
            return Err(ParseError { line, message: format!("a graph begins with `{HEADER}`") });
        }
    }
    let mut parser = Parser::default();
    let body = &lines[1..];
    for line in body {
        parser.declare(line).map_err(|message| ParseError { line: line.number, message })?;
    }
    for line in body {
        parser.line(line).map_err(|message| ParseError { line: line.number, message })?;
    }
    parser.finish(lines.last().map_or(1, |line| line.number))
}

#[derive(Default)]
struct Parser {
    graph: EventGraph,
    known: Known,
    objects: HashMap<Name, ObjectId>,
    threads: HashMap<ThreadName, ThreadId>,
    /// Events with their numbers and lines, in the order of the text.
    events: Vec<(u32, u32, Event)>,
    /// The thread of the current line.
    current: Option<ThreadId>,
    /// The object of the current initial values.
    object: Option<ObjectId>,
}

/// The remaining tokens of a line.
struct Rest<'t> {
    tokens: &'t [Token],
}

impl<'t> Rest<'t> {
    fn next(&mut self, expected: &str) -> Result<&'t Token, String> {
        let (first, rest) = self.tokens.split_first().ok_or_else(|| format!("{expected} is missing"))?;
        self.tokens = rest;
        Ok(first)
    }

    /// Consumes the next word if it equals `word`.
    fn take(&mut self, word: &str) -> bool {
        match self.tokens.split_first() {
            Some((Token::Word(found), rest)) if found == word => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.take(word) { Ok(()) } else { Err(format!("`{word}` was expected")) }
    }

    fn number(&mut self, what: &str) -> Result<u32, String> {
        match self.next(what)? {
            Token::Word(word) => word.parse().map_err(|_| format!("{what} is not a number: `{word}`")),
            _ => Err(format!("{what} is not a number")),
        }
    }

    fn bracket(&mut self, bracket: char) -> Result<(), String> {
        match self.next("a bracket")? {
            Token::Bracket(found) if *found == bracket => Ok(()),
            _ => Err(format!("`{bracket}` was expected")),
        }
    }

    fn symbol(&mut self) -> Result<Name, String> {
        name_of(self.next("a symbol")?, Some('%')).ok_or_else(|| "a symbol was expected".to_owned())
    }

    fn end(&self) -> Result<(), String> {
        match self.tokens.first() {
            None => Ok(()),
            Some(Token::Word(word)) => Err(format!("`{word}` is out of place")),
            Some(Token::Bracket(bracket)) => Err(format!("`{bracket}` is out of place")),
            Some(Token::Quoted { text, .. }) => Err(format!("\"{text}\" is out of place")),
        }
    }
}

impl Parser {
    /// The first pass: declares threads, objects and symbols.
    fn declare(&mut self, line: &Line) -> Result<(), String> {
        let mut rest = Rest { tokens: &line.tokens };
        if rest.take("thread") {
            let Token::Word(name) = rest.next("the thread's name")? else {
                return Err("a thread's name was expected".to_owned());
            };
            let name: ThreadName = name.parse().map_err(|error| format!("{error}"))?;
            let id = ThreadId(self.graph.threads.len() as u32);
            if self.threads.insert(name.clone(), id).is_some() {
                return Err(format!("there is another thread {name}"));
            }
            self.graph.threads.push(Thread { name, events: Vec::new() });
        } else if rest.take("object") {
            let name = name_of(rest.next("the object's name")?, None).ok_or("an object's name was expected")?;
            let bytes = rest.number("the object's size")?;
            let id = ObjectId(self.graph.objects.len() as u32);
            self.graph.objects.push(Object { name: name.0.clone(), bytes, initial: Vec::new() });
            if self.objects.insert(name, id).is_some() {
                return Err("there is another object of this name: give it a number, as in `x~2`".to_owned());
            }
        } else if rest.take("input") {
            let name = rest.symbol()?;
            let sort = match rest.take("bool") {
                true => Sort::Bool,
                false => {
                    rest.expect("bits")?;
                    let width = rest.number("the width")?;
                    if !(1..=128).contains(&width) {
                        return Err("an input has 1 to 128 bits".to_owned());
                    }
                    Sort::Bits(width)
                }
            };
            let symbol = self.define(name, sort)?;
            self.graph.inputs.push(symbol);
        } else if !rest.take("let") {
            self.declare_results(line)?;
        }
        Ok(())
    }

    /// Symbols follow the words `old`, `taken` and `timedout`.
    fn declare_results(&mut self, line: &Line) -> Result<(), String> {
        let mut bytes: Option<u32> = None;
        for pair in line.tokens.windows(2) {
            let Token::Word(word) = &pair[0] else { continue };
            match (word.as_str(), &pair[1]) {
                ("@", _) => break,
                ("bytes", Token::Word(number)) => {
                    bytes = number.parse().ok().filter(|bytes| (1..=16).contains(bytes));
                }
                ("old" | "taken" | "timedout", token) => {
                    let Some(name) = name_of(token, Some('%')) else { continue };
                    let sort = match (word.as_str(), bytes) {
                        ("old", Some(bytes)) => Sort::Bits(8 * bytes),
                        ("old", None) => return Err("an access is 1 to 16 bytes wide, and says so first".to_owned()),
                        _ => Sort::Bool,
                    };
                    self.define(name, sort)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn define(&mut self, name: Name, sort: Sort) -> Result<Term, String> {
        let symbol = self.graph.terms.symbol(name.0.clone(), sort);
        if self.known.symbols.insert(name, symbol).is_some() {
            return Err("the symbol is defined twice: give one of them a number, as in `%x~2`".to_owned());
        }
        Ok(symbol)
    }

    /// The second pass: reads everything else.
    fn line(&mut self, line: &Line) -> Result<(), String> {
        let mut rest = Rest { tokens: &line.tokens };
        if rest.take("thread") {
            self.current = Some(ThreadId(self.current.map_or(0, |current| current.0 + 1)));
            self.object = None;
            rest.next("the thread's name")?;
        } else if rest.take("object") {
            self.object = Some(ObjectId(self.object.map_or(0, |object| object.0 + 1)));
            rest.next("the object's name")?;
            rest.number("the object's size")?;
            if self.current.is_some() {
                return Err("objects stand before threads".to_owned());
            }
        } else if rest.take("input") {
            rest.symbol()?;
            if !rest.take("bool") {
                rest.expect("bits")?;
                rest.number("the width")?;
            }
        } else if rest.take("initial") {
            let object = self.object.ok_or("an initial value belongs to an object")?;
            let offset = rest.number("the offset")?;
            let value = self.term(&mut rest)?;
            self.graph.objects[object.index()].initial.push(Initial { offset, value });
        } else if rest.take("let") {
            let Token::Word(name) = rest.next("a name")? else { return Err("a name was expected".to_owned()) };
            let name = name.strip_prefix('$').ok_or("the name of a term begins with `$`")?;
            rest.expect("=")?;
            let term = self.term(&mut rest)?;
            if self.known.named.insert(name.to_owned(), term).is_some() {
                return Err(format!("`${name}` has a meaning already"));
            }
        } else {
            self.event(&mut rest, line.number)?;
        }
        rest.end()
    }

    fn term(&mut self, rest: &mut Rest<'_>) -> Result<Term, String> {
        let (term, length) = parse_term(&mut self.graph.terms, &self.known, rest.tokens)?;
        rest.tokens = &rest.tokens[length..];
        Ok(term)
    }

    fn event(&mut self, rest: &mut Rest<'_>, line: u32) -> Result<(), String> {
        let thread = self.current.ok_or("an event belongs to a thread")?;
        let mut number = self.events.len() as u32;
        if rest.tokens.first().is_some_and(is_number) {
            number = rest.number("the number of the event")?;
        }
        let guard = if rest.take("if") { self.term(rest)? } else { self.graph.terms.truth() };
        let kind = self.kind(rest)?;
        let place = if rest.take("@") {
            let (file, _) = match rest.next("the file")? {
                Token::Word(word) => (word.clone(), 1),
                token => name_of(token, None).ok_or("a file's name was expected")?,
            };
            Some(Place { file, line: rest.number("the line")? })
        } else {
            None
        };
        self.events.push((number, line, Event { thread, guard, kind, place }));
        Ok(())
    }

    fn kind(&mut self, rest: &mut Rest<'_>) -> Result<Kind, String> {
        let Token::Word(word) = rest.next("an event")? else { return Err("an event was expected".to_owned()) };
        let kind = match word.as_str() {
            "start" => Kind::Start,
            "exit" => Kind::Exit,
            "fork" => Kind::Fork { child: self.thread(rest)? },
            "join" => Kind::Join { child: self.thread(rest)? },
            "lock" => Kind::Lock { mutex: self.address(rest)?, recursive: rest.take("recursive") },
            "unlock" => {
                let (mutex, recursive) = (self.address(rest)?, rest.take("recursive"));
                Kind::Unlock { mutex, recursive, foreign: rest.take("foreign") }
            }
            "trylock" => {
                let (mutex, recursive) = (self.address(rest)?, rest.take("recursive"));
                rest.expect("taken")?;
                Kind::TryLock { mutex, recursive, taken: self.result(rest)? }
            }
            "sleep" => {
                let (condition, mutex) = (self.address(rest)?, self.address(rest)?);
                Kind::Sleep { condition, mutex, recursive: rest.take("recursive") }
            }
            "wake" => {
                let sleep = EventId(rest.number("the number of the sleep")?);
                let timed_out = if rest.take("timedout") { Some(self.result(rest)?) } else { None };
                Kind::Wake { sleep, timed_out, spurious: rest.take("spurious") }
            }
            "signal" => Kind::Signal { condition: self.address(rest)? },
            "broadcast" => Kind::Broadcast { condition: self.address(rest)? },
            "atomic" if rest.take("begin") => Kind::AtomicBegin,
            "atomic" if rest.take("end") => Kind::AtomicEnd,
            "assume" => Kind::Assume { condition: self.term(rest)? },
            "assert" => Kind::Assert { condition: self.term(rest)? },
            "await" => {
                let mut round = Vec::new();
                while rest.tokens.first().is_some_and(is_number) {
                    round.push(EventId(rest.number("the number of an event")?));
                }
                Kind::Await { round }
            }
            "cut" => Kind::Cut,
            "end" => Kind::End,
            word => match LABELS.iter().find(|(name, _)| *name == word) {
                Some((_, label)) => Kind::Access(self.access(*label, rest)?),
                None => return Err(format!("`{word}` is no event")),
            },
        };
        Ok(kind)
    }

    fn access(&mut self, label: Label, rest: &mut Rest<'_>) -> Result<Access, String> {
        let address = self.address(rest)?;
        rest.expect("bytes")?;
        let bytes = rest.number("the width in bytes")?;
        let old = if rest.take("old") { Some(self.result(rest)?) } else { None };
        let enabled = if rest.take("enabled") { self.term(rest)? } else { self.graph.terms.truth() };
        let new = if rest.take("new") { Some(self.term(rest)?) } else { None };
        let writes = if rest.take("writes") { self.term(rest)? } else { self.graph.terms.bool(new.is_some()) };
        Ok(Access { label, address, bytes, old, enabled, new, writes })
    }

    /// The symbol that the event defines.
    fn result(&mut self, rest: &mut Rest<'_>) -> Result<Term, String> {
        let name = rest.symbol()?;
        self.known.symbols.get(&name).copied().ok_or_else(|| format!("nothing defines the symbol `{}`", name.0))
    }

    fn thread(&mut self, rest: &mut Rest<'_>) -> Result<ThreadId, String> {
        let Token::Word(word) = rest.next("a thread")? else { return Err("a thread was expected".to_owned()) };
        let name: ThreadName = word.parse().map_err(|error| format!("{error}"))?;
        self.threads.get(&name).copied().ok_or_else(|| format!("there is no thread {name}"))
    }

    /// `object[offset]`, or `[term][offset]` if the object is symbolic.
    fn address(&mut self, rest: &mut Rest<'_>) -> Result<Address, String> {
        let object = match rest.tokens.first() {
            Some(Token::Bracket('[')) => {
                rest.bracket('[')?;
                let object = self.term(rest)?;
                rest.bracket(']')?;
                object
            }
            _ => {
                let name = name_of(rest.next("an address")?, None).ok_or("an object's name was expected")?;
                let object = self.objects.get(&name).ok_or_else(|| format!("there is no object `{}`", name.0))?;
                self.graph.terms.bits(32, u128::from(object.0))
            }
        };
        rest.bracket('[')?;
        let offset = match rest.tokens.first() {
            Some(Token::Word(word)) if word.bytes().all(|byte| byte.is_ascii_digit()) => {
                let offset = rest.number("the offset")?;
                self.graph.terms.bits(32, u128::from(offset))
            }
            _ => self.term(rest)?,
        };
        rest.bracket(']')?;
        Ok(Address { object, offset })
    }

    /// Sorts the events by their numbers.
    fn finish(mut self, last: u32) -> Result<EventGraph, ParseError> {
        let count = self.events.len();
        let mut placed: Vec<Option<Event>> = vec![None; count];
        for (number, line, event) in self.events {
            let thread = event.thread;
            match placed.get_mut(number as usize) {
                Some(place @ None) => *place = Some(event),
                Some(Some(_)) => {
                    return Err(ParseError { line, message: format!("there is another event {number}") });
                }
                None => {
                    let message = format!("the {count} events have the numbers from 0 on, without a gap");
                    return Err(ParseError { line, message });
                }
            }
            self.graph.threads[thread.index()].events.push(EventId(number));
        }
        self.graph.events = placed.into_iter().flatten().collect();
        if self.graph.threads.is_empty() {
            return Err(ParseError { line: last, message: "there is no thread".to_owned() });
        }
        Ok(self.graph)
    }
}

fn is_number(token: &Token) -> bool {
    matches!(token, Token::Word(word) if word.bytes().all(|byte| byte.is_ascii_digit()))
}
