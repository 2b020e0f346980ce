//! Stateless exploration: plain enumeration, or dynamic partial-order reduction with sleep sets.
//!
//! C. Flanagan, P. Godefroid: "Dynamic partial-order reduction for model checking software", POPL 2005, with the sleep
//! sets of Godefroid's thesis and the source sets of P. Abdulla, S. Aronsson, B. Jonsson, K. Sagonas: "Optimal dynamic
//! partial order reduction", POPL 2014. In each state and for each thread, also blocked ones, every step that races
//! with the thread's next one is a backtracking point: an initial of the sequence without that step must be explored
//! there. The racing thread itself or one in its causal past does not suffice: it may be in the sleep set.
//!
//! Deviations: whether two steps can be enabled together is not checked (they count as such), and a thread's step with
//! all choices of the environment counts as one.

use crate::explore::path::Path;
use crate::explore::touches::Touches;
use crate::explore::{Cut, Hashing, LONG, Search, Transition};
use crate::machine::Machine;

/// A state on the current path, before the last step.
struct Node {
    /// Gone with the last step that can be taken from here.
    machine: Option<Machine>,
    threads: usize,
    transitions: Vec<Transition>,
    done: Vec<bool>,
    /// Threads that must be tried here.
    wanted: Vec<bool>,
    sleep: Vec<Transition>,
    /// The step that leads to the next node.
    taken: usize,
}

impl Node {
    /// The number of alternatives, and of those explored so far.
    fn progress(&self) -> (usize, usize) {
        let ways = self.transitions.iter().filter(|transition| self.wanted[transition.thread]).count();
        (ways, self.done.iter().filter(|done| **done).count())
    }
}

/// A step on the current path, with all steps that happen before it.
struct Event {
    thread: usize,
    touches: std::rc::Rc<Touches>,
    /// For each thread, how many of its steps come before this one or are it.
    clock: Vec<u32>,
    /// Which step of its thread it is, from 1.
    number: u32,
}

pub fn search(machine: Machine, search: &mut Search<'_, '_>) {
    let mut explorer =
        Explorer { search, nodes: Vec::new(), events: Vec::new(), births: vec![Vec::new()], path: Path::default() };
    explorer.arrive(machine, Vec::new());
    while !explorer.nodes.is_empty() {
        let way = explorer.nodes.iter().map(Node::progress);
        if explorer.search.is_over(way) {
            return;
        }
        explorer.advance();
    }
    explorer.search.result.share = 1.0;
}

struct Explorer<'a, 'b, 'p> {
    search: &'a mut Search<'b, 'p>,
    nodes: Vec<Node>,
    /// One for each node but the last: the step taken from it.
    events: Vec<Event>,
    /// By thread: the steps before its birth.
    births: Vec<Vec<u32>>,
    path: Path,
}

impl Explorer<'_, '_, '_> {
    /// Takes the next step that the last node wants, or leaves it.
    fn advance(&mut self) {
        let Some(node) = self.nodes.last_mut() else { return };
        let next = (0..node.transitions.len()).find(|&index| {
            let transition = &node.transitions[index];
            !node.done[index] && node.wanted[transition.thread] && !node.sleep.iter().any(|other| other.is(transition))
        });
        let Some(index) = next else {
            self.nodes.pop();
            self.events.pop();
            self.path.pop();
            return;
        };
        let transition = node.transitions[index].clone();
        // Steps that were explored here before, and the sleep set, remain asleep if they are independent of this step.
        let reduction = self.search.settings.reduction;
        let mut sleep: Vec<Transition> = Vec::new();
        if reduction {
            let tried = node.transitions.iter().zip(&node.done).filter(|(_, done)| **done).map(|(tried, _)| tried);
            for other in node.sleep.iter().chain(tried) {
                if other.thread != transition.thread && !other.touches.conflicts(&transition.touches) {
                    sleep.push(other.clone());
                }
            }
        }
        node.done[index] = true;
        node.taken = index;
        let is_last = !reduction && node.done.iter().all(|done| *done);
        let machine = if is_last { node.machine.take() } else { node.machine.clone() };
        let Some(mut machine) = machine else { return };
        let from = machine.thread(transition.thread).steps;
        let goes_on = self.search.take(&mut machine, &transition, &self.path);
        self.path.push(&transition, from, &machine);
        if reduction {
            self.push_event(&machine, &transition);
        } else {
            self.events.push(Event { thread: 0, touches: transition.touches.clone(), clock: Vec::new(), number: 0 });
        }
        if goes_on {
            self.arrive(machine, sleep);
        } else {
            self.mark_reversals(&machine);
            self.events.pop();
            self.path.pop();
        }
    }

    /// A new state: determines its steps, or ends the execution.
    fn arrive(&mut self, machine: Machine, sleep: Vec<Transition>) {
        let transitions = self.search.transitions(&machine);
        self.mark_reversals(&machine);
        if transitions.is_empty() {
            let last = self.nodes.last().map(|node| &node.transitions[node.taken]);
            match last {
                Some(last) => {
                    // The path already holds the last step.
                    self.path.pop();
                    let last = last.clone();
                    self.search.at_rest(&machine, Some((&last, &self.path)));
                }
                None => self.search.at_rest(&machine, None),
            }
            self.events.pop();
            return;
        }
        let threads = machine.thread_count();
        let everyone = !self.search.settings.reduction || self.search.settings.sleep_only;
        let mut wanted = vec![everyone; threads];
        if self.search.settings.reduction {
            let awake = |transition: &&Transition| !sleep.iter().any(|other| other.is(transition));
            let first = transitions
                .iter()
                .filter(awake)
                .find(|transition| transition.touches.is_empty())
                .or_else(|| transitions.iter().find(awake));
            match first {
                Some(first) => wanted[first.thread] = true,
                None => self.search.result.redundant += 1,
            }
        }
        if self.nodes.len() >= LONG {
            match self.search.settings.hashing {
                Hashing::WhenLong => self.search.too_long = true,
                Hashing::UntilLong => self.search.cut(Cut::Long),
                Hashing::Off | Hashing::On => {}
            }
        }
        let done = vec![false; transitions.len()];
        self.nodes.push(Node { machine: Some(machine), threads, transitions, done, wanted, sleep, taken: 0 });
    }

    fn push_event(&mut self, machine: &Machine, transition: &Transition) {
        let thread = transition.thread;
        let mut clock = self.births[thread].clone();
        let mut number = 1;
        for event in self.events.iter() {
            let own = event.thread == thread;
            if own {
                number = event.number + 1;
            }
            if own || event.touches.conflicts(&transition.touches) {
                merge(&mut clock, &event.clock);
            }
        }
        set(&mut clock, thread, number);
        // Threads born in this step, or in one that was taken back and is now taken again.
        self.births.truncate(machine.thread_count());
        while self.births.len() < machine.thread_count() {
            self.births.push(Vec::new());
        }
        let known = self.nodes.last().map_or(1, |node| node.threads);
        for birth in &mut self.births[known..] {
            birth.clone_from(&clock);
        }
        self.events.push(Event { thread, touches: transition.touches.clone(), clock, number });
    }

    /// For every thread: where must its next step also be tried? Every step that it races with counts, and not only the last.
    fn mark_reversals(&mut self, machine: &Machine) {
        if !self.search.settings.reduction {
            return;
        }
        for thread in 0..machine.thread_count() {
            let status = &machine.shared.status[thread];
            if status.finished || status.crashed {
                continue;
            }
            let touches = Touches::of(machine, thread);
            if touches.is_empty() {
                continue;
            }
            let before = self.clock_of(thread);
            // Steps that happen before the next step through those already examined do not race with it.
            let mut ordered = before.clone();
            for position in (0..self.events.len()).rev() {
                let event = &self.events[position];
                if event.thread == thread || !event.touches.conflicts(&touches) {
                    continue;
                }
                let races = get(&ordered, event.thread) < event.number;
                merge(&mut ordered, &event.clock);
                if races {
                    self.want(position, thread, &touches, &before);
                }
            }
        }
    }

    /// All that comes before a thread's next step by its own past.
    fn clock_of(&self, thread: usize) -> Vec<u32> {
        let last = self.events.iter().rev().find(|event| event.thread == thread);
        last.map_or_else(|| self.births.get(thread).cloned().unwrap_or_default(), |event| event.clock.clone())
    }

    /// Adds a backtracking point before the event: an initial of the sequence without it up to the thread's next step.
    fn want(&mut self, position: usize, thread: usize, touches: &Touches, before: &[u32]) {
        let beginners = self.beginners(position, thread, touches, before);
        let node = &mut self.nodes[position];
        if beginners.iter().any(|&beginner| node.wanted[beginner]) {
            return;
        }
        let is_enabled = |thread: &usize| node.transitions.iter().any(|transition| transition.thread == *thread);
        match beginners.into_iter().find(is_enabled) {
            Some(beginner) => node.wanted[beginner] = true,
            None => node.wanted.fill(true),
        }
    }

    /// The initials of the steps after an event that do not happen after it, followed by the thread's next step.
    fn beginners(&self, position: usize, thread: usize, touches: &Touches, before: &[u32]) -> Vec<usize> {
        let removed = &self.events[position];
        // For each thread, the number of its first step that stays.
        let mut firsts: Vec<(usize, u32)> = Vec::new();
        let mut beginners = Vec::new();
        let follows =
            |clock: &[u32], firsts: &[(usize, u32)]| firsts.iter().any(|&(first, number)| get(clock, first) >= number);
        let mut conflicts = false;
        for event in &self.events[position + 1..] {
            if get(&event.clock, removed.thread) >= removed.number {
                continue;
            }
            conflicts |= event.touches.conflicts(touches);
            if firsts.iter().any(|&(first, _)| first == event.thread) {
                continue;
            }
            if !follows(&event.clock, &firsts) {
                beginners.push(event.thread);
            }
            firsts.push((event.thread, event.number));
        }
        if !conflicts && !follows(before, &firsts) {
            beginners.push(thread);
        }
        beginners
    }
}

fn get(clock: &[u32], thread: usize) -> u32 {
    clock.get(thread).copied().unwrap_or(0)
}

fn set(clock: &mut Vec<u32>, thread: usize, value: u32) {
    if clock.len() <= thread {
        clock.resize(thread + 1, 0);
    }
    clock[thread] = value;
}

fn merge(clock: &mut Vec<u32>, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}
