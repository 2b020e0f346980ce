//! Replaces expensive operations on reads with small value sets by tables: a product costs thousands of clauses, a
//! choice between five numbers next to none. A floating-point computation is a large circuit of such operations, and
//! becomes one table as a whole. So do addresses that depend on one read, which then have a small points-to set.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use events::{Address, EventGraph, Kind};
use formula::{Op, Sort, Term, Terms};

use crate::value_sets::ValueSets;
use crate::value_tables::{Support, ValueTables};

/// The same graph, with tables.
pub fn tabulated<'g>(graph: &'g EventGraph, value_sets: &ValueSets) -> Cow<'g, EventGraph> {
    if !graph.events.iter().any(|event| matches!(event.kind, Kind::Access(_))) {
        return Cow::Borrowed(graph);
    }
    let addresses = addresses(graph);
    let roots: Vec<Term> = graph.events.iter().flat_map(|event| event.terms()).collect();
    let all = graph.terms.reachable(&roots);
    let gains = |term: &Term| is_hard(&graph.terms, *term) || addresses.contains(term);
    if !all.iter().any(gains) {
        return Cow::Borrowed(graph);
    }
    let value_tables = ValueTables::new(value_sets);
    if value_tables.of.is_empty() {
        return Cow::Borrowed(graph);
    }
    let supports = value_tables.supports(&graph.terms, &all);
    let mut hard: HashSet<Term> = HashSet::new();
    for &term in &all {
        if is_hard(&graph.terms, term) || graph.terms.op(term).operands().any(|operand| hard.contains(&operand)) {
            hard.insert(term);
        }
    }
    let mut wanted: HashSet<Term> = roots.iter().copied().collect();
    let mut chosen: BTreeMap<&Support, Vec<Term>> = BTreeMap::new();
    for &term in all.iter().rev().filter(|term| !matches!(graph.terms.op(**term), Op::Symbol(_))) {
        if !wanted.contains(&term) {
            continue;
        }
        match supports.get(&term) {
            Some(support) if hard.contains(&term) || support.len() <= 1 && addresses.contains(&term) => {
                chosen.entry(support).or_default().push(term);
            }
            _ => wanted.extend(graph.terms.op(term).operands()),
        }
    }
    let mut own = graph.clone();
    let mut tables: HashMap<Term, Term> = HashMap::new();
    for (support, chosen) in chosen {
        let columns = value_tables.columns(&graph.terms, support, &chosen);
        for (term, column) in chosen.into_iter().zip(columns) {
            tables.insert(term, table(&mut own.terms, &value_tables, graph.terms.sort(term), support, &column));
        }
    }
    if tables.is_empty() {
        return Cow::Borrowed(graph);
    }
    let replaced = own.terms.substitute_all(&roots, &tables);
    let all = own.events.iter_mut().flat_map(|event| event.terms_mut());
    for (term, new) in all.zip(replaced) {
        *term = new;
    }
    Cow::Owned(own)
}

/// All symbolic parts of addresses.
fn addresses(graph: &EventGraph) -> HashSet<Term> {
    let mut found = HashSet::new();
    let mut add = |address: &Address| found.extend([address.object, address.offset]);
    for event in &graph.events {
        match &event.kind {
            Kind::Access(access) => add(&access.address),
            Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } | Kind::TryLock { mutex, .. } => add(mutex),
            Kind::Sleep { condition, mutex, .. } => {
                add(condition);
                add(mutex);
            }
            Kind::Signal { condition } | Kind::Broadcast { condition } => add(condition),
            _ => {}
        }
    }
    found.retain(|&term| graph.terms.as_bits(term).is_none());
    found
}

/// Whether the operation takes many clauses.
fn is_hard(terms: &Terms, term: Term) -> bool {
    let constant = |term: Term| terms.as_bits(term);
    match *terms.op(term) {
        Op::Mul(a, b) => !constant(a).or(constant(b)).is_some_and(u128::is_power_of_two),
        Op::Udiv(_, by) | Op::Urem(_, by) => !constant(by).is_some_and(u128::is_power_of_two),
        Op::Sdiv(..) | Op::Srem(..) => true,
        Op::Shl(_, by) | Op::Lshr(_, by) | Op::Ashr(_, by) => constant(by).is_none(),
        _ => false,
    }
}

/// A choice between the values of a column by the values of the symbols, the last of which changes fastest.
fn table(terms: &mut Terms, value_tables: &ValueTables, sort: Sort, symbols: &[Term], column: &[u128]) -> Term {
    let first = column.first().copied().unwrap_or(0);
    let constant = match sort {
        Sort::Bool => terms.bool(first == 1),
        Sort::Bits(width) => terms.bits(width, first),
    };
    let Some((&symbol, others)) = symbols.split_first() else { return constant };
    let values = &value_tables.of[&symbol];
    let mut by_result: BTreeMap<Term, Vec<u128>> = BTreeMap::new();
    for (&at, rows) in values.iter().zip(column.chunks((column.len() / values.len()).max(1))) {
        let result = table(terms, value_tables, sort, others, rows);
        by_result.entry(result).or_default().push(at);
    }
    // The most frequent result is the default and needs no rows.
    let common = by_result.iter().max_by_key(|(_, at)| at.len()).map_or(constant, |(&result, _)| result);
    let mut chosen = common;
    for (result, at) in by_result.into_iter().filter(|(result, _)| *result != common) {
        let wide = terms.width(symbol);
        let mut matches = Vec::new();
        for at in at {
            let number = terms.bits(wide, at);
            matches.push(terms.eq(symbol, number));
        }
        let one = terms.or(&matches);
        chosen = terms.ite(one, result, chosen);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use events::Builder;
    use run::ThreadName;

    use super::*;
    use crate::initial_writes::InitialWrites;
    use crate::static_order::StaticOrder;
    use crate::value_analysis::value_sets;

    fn sets(graph: &EventGraph) -> ValueSets {
        value_sets(graph, &InitialWrites::new(graph, &StaticOrder::new(graph)))
    }

    #[test]
    fn a_table_says_the_same_for_every_value_that_can_be_read() {
        let mut builder = Builder::new();
        let main = builder.thread(ThreadName::main());
        let other = builder.thread(ThreadName::main().child(1));
        builder.fork(main, other);
        let (index, list) = (builder.object("index", 4), builder.object("list", 40));
        let at = builder.address(index, 0);
        for value in [3, 7] {
            let value = builder.constant(4, value);
            builder.write(main, at, value);
        }
        let read = builder.read(other, at, 4);
        let (four, seven) = (builder.constant(4, 4), builder.constant(4, 7));
        let (product, place) = (builder.terms().mul(read, read), builder.terms().mul(read, four));
        let hashed = builder.terms().urem(product, seven);
        let object = builder.address(list, 0).object;
        builder.write(other, Address { object, offset: place }, hashed);
        let graph = builder.finish();
        let new = tabulated(&graph, &sets(&graph));
        let written = |graph: &EventGraph| {
            let write =
                graph.threads[1].events.iter().rev().find_map(|event| match &graph.events[event.index()].kind {
                    Kind::Access(access) => Some((access.address.offset, access.new)),
                    _ => None,
                });
            write.expect("it writes")
        };
        let (before, after) = (written(&graph), written(&new));
        assert_ne!(before, after);
        assert!(!new.terms.reachable(&[after.0]).iter().any(|&term| matches!(new.terms.op(term), Op::Mul(..))));
        let mut terms = new.terms.clone();
        for value in [0, 3, 7] {
            let value = terms.bits(32, value);
            let map = HashMap::from([(read, value)]);
            for (one, other) in [(before.0, after.0), (before.1.expect("a value"), after.1.expect("a value"))] {
                assert_eq!(terms.substitute(one, &map), terms.substitute(other, &map));
            }
        }
    }

    #[test]
    fn a_table_of_two_symbols_says_the_same_for_every_pair() {
        let mut terms = Terms::new();
        let (x, y) = (terms.symbol("x", Sort::Bits(32)), terms.symbol("y", Sort::Bits(32)));
        let product = terms.mul(x, y);
        let quotient = terms.udiv(product, x);
        let value_tables =
            ValueTables { of: HashMap::from([(x, BTreeSet::from([0, 3, 7])), (y, BTreeSet::from([0, 5, 6, 90]))]) };
        let support = value_tables.supports(&terms, &terms.reachable(&[quotient]))[&quotient].clone();
        let column = value_tables.columns(&terms, &support, &[quotient]);
        let new = table(&mut terms, &value_tables, Sort::Bits(32), &support, &column[0]);
        assert!(!terms.reachable(&[new]).iter().any(|&term| is_hard(&terms, term)));
        for (a, b) in [0, 3, 7].into_iter().flat_map(|a| [0, 5, 6, 90].map(|b| (a, b))) {
            let map = HashMap::from([(x, terms.bits(32, a)), (y, terms.bits(32, b))]);
            assert_eq!(terms.substitute(quotient, &map), terms.substitute(new, &map), "{a} and {b}");
        }
    }

    #[test]
    fn what_is_written_in_part_can_be_anything() {
        let mut builder = Builder::new();
        let main = builder.thread(ThreadName::main());
        let other = builder.thread(ThreadName::main().child(1));
        builder.fork(main, other);
        let object = builder.object("word", 4);
        let (whole, part) = (builder.address(object, 0), builder.address(object, 1));
        let byte = builder.constant(1, 5);
        builder.write(other, part, byte);
        let read = builder.read(main, whole, 4);
        let graph = builder.finish();
        let value_tables = ValueTables::new(&sets(&graph));
        assert!(!value_tables.of.contains_key(&read));
    }
}
