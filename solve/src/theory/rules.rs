//! The derivation rules of the theory: consequences of a literal or of a new order.

use super::hidden::Implied;
use super::{Lit, NONE, Role, Span, TRUE, Theory, Why};
use crate::reach::Added;

impl Theory {
    pub(super) fn apply(&mut self, lit: Lit, role: Role) {
        match role {
            Role::Before { a, b } => self.derived.pending.push((a, b, Why::lits([lit, TRUE, TRUE, TRUE]))),
            Role::Chosen { read, source } => self.choose(lit, read, source),
            Role::Writes { cell, writer } => self.begin_to_write(cell, writer),
            Role::Section { lock, section } => self.open_section(lock, section),
            Role::Block { block } => self.close_ranks(block),
            Role::Stretch { stretch } => self.tighten(stretch),
            Role::Happens { node } => {
                self.join_ranks(node);
                self.keep_clear(node);
            }
        }
    }

    /// Adds edges and their consequences until a fixpoint, or until a cycle closes.
    pub(super) fn settle(&mut self) {
        while self.derived.conflict.is_none() {
            let Some((from, to, why)) = self.derived.pending.pop() else { return };
            match self.reach.add(from, to) {
                Added::Known => {}
                Added::Cycle => {
                    self.derived.pending.clear();
                    self.derived.conflict = Some(self.explain_cycle(from, to, why));
                }
                Added::New { changes } => {
                    self.why.push(why);
                    for number in changes {
                        self.react(number);
                    }
                }
            }
        }
    }

    /// The consequences of a node coming before an earlier index of a chain than so far.
    fn react(&mut self, number: usize) {
        let (node, chain, change) = self.reach.change(number);
        let (new, old) = (change.new, change.old);
        let key = node as usize * self.reach.chains().len() + chain;
        let watches = &self.constraints.watches[key];
        if !watches.is_empty() {
            let begin = watches.partition_point(|&(index, _)| index < new);
            for &(index, lit) in watches[begin..].iter().take_while(|&&(index, _)| index < old) {
                if !self.holds(lit) {
                    let to = self.reach.chains()[chain][index as usize];
                    self.derived.implied.push(Implied { lit, from: node, to, through: None });
                }
            }
        }
        let state = &self.constraints.nodes[node as usize];
        let (writes, readers, enters) = (!state.writes.is_empty(), !state.readers.is_empty(), state.enters);
        let in_blocks = !self.constraints.nodes[node as usize].blocks.is_empty();
        if readers {
            self.read_order(node, chain, new, old);
        }
        if writes {
            self.write_order(node, chain, new, old);
        }
        if let Some((lock, section)) = enters {
            self.section_order(lock, section, chain);
        }
        if in_blocks || !self.constraints.blocks.is_empty() {
            self.block_order(node, chain, new, old);
        }
        if !self.constraints.stretches.all.is_empty() {
            if writes {
                self.hide(node, chain, new, old);
            }
            self.stretch_order(node, chain, new, old);
        }
    }

    /// The first writer at or after the index of the chain that writes the cell, other than the given nodes.
    pub(super) fn first_rival(&self, cell: u32, chain: usize, index: u32, but: [u32; 2]) -> Option<(u32, Lit)> {
        if index == NONE {
            return None;
        }
        let cell = &self.constraints.cells[cell as usize];
        let list = &cell.by_chain[chain];
        let begin = list.partition_point(|&writer| self.reach.index(cell.writers[writer as usize].node) < index);
        list[begin..].iter().find_map(|&writer| {
            let writer = cell.writers[writer as usize];
            (self.holds(writer.writes) && !but.contains(&writer.node)).then_some((writer.node, writer.writes))
        })
    }

    /// The last writer at or before the index of the chain that writes the cell, other than the given nodes.
    fn last_rival(&self, cell: u32, chain: usize, index: u32, but: [u32; 2]) -> Option<(u32, Lit)> {
        let cell = &self.constraints.cells[cell as usize];
        let list = &cell.by_chain[chain];
        let end = list.partition_point(|&writer| self.reach.index(cell.writers[writer as usize].node) <= index);
        list[..end].iter().rev().find_map(|&writer| {
            let writer = cell.writers[writer as usize];
            (self.holds(writer.writes) && !but.contains(&writer.node)).then_some((writer.node, writer.writes))
        })
    }

    pub(super) fn need(&mut self, from: u32, to: u32, why: Why) {
        if from == to || !self.reach.reaches(from, to) {
            self.derived.pending.push((from, to, why));
        }
    }

    /// The node that the read reads from, and the literal of the choice.
    pub(super) fn fed_by(&self, read: u32) -> Option<(Option<u32>, Lit)> {
        let read = &self.constraints.reads[read as usize];
        let source = read.sources[read.current? as usize];
        let node = source.writer.map(|writer| self.constraints.cells[read.cell as usize].writers[writer as usize].node);
        Some((node, source.chosen))
    }

    fn choose(&mut self, lit: Lit, read: u32, source: u32) {
        let state = &self.constraints.reads[read as usize];
        if let Some(other) = state.current {
            let other = state.sources[other as usize].chosen;
            self.derived.conflict = Some(vec![-lit, -other]);
            return;
        }
        let (node, cell) = (state.node, state.cell);
        self.constraints.reads[read as usize].current = Some(source);
        self.chosen.push(read);
        let Some((writer, _)) = self.fed_by(read) else { return };
        match writer {
            Some(writer) => {
                self.constraints.nodes[writer as usize].readers.push(read);
                self.need(writer, node, Why::lits([lit, TRUE, TRUE, TRUE]));
            }
            None => self.initial_readers[cell as usize].push(read),
        }
        let but = [node, writer.unwrap_or(node)];
        for chain in 0..self.reach.chains().len() {
            match writer {
                Some(writer) => {
                    let index = self.reach.earliest(writer, chain);
                    if let Some((rival, writes)) = self.first_rival(cell, chain, index, but) {
                        self.need(node, rival, Why::path([lit, writes, TRUE, TRUE], writer, rival));
                    }
                    let index = self.reach.latest_before(node, chain);
                    if let Some((rival, writes)) = index.and_then(|index| self.last_rival(cell, chain, index, but)) {
                        self.need(rival, writer, Why::path([lit, writes, TRUE, TRUE], rival, node));
                    }
                }
                None => {
                    if let Some((rival, writes)) = self.first_rival(cell, chain, 0, but) {
                        self.need(node, rival, Why::lits([lit, writes, TRUE, TRUE]));
                    }
                }
            }
        }
    }

    /// From-read: the node feeds reads and now comes before the chain's index `new`, so those reads come before the
    /// next writer there.
    fn read_order(&mut self, node: u32, chain: usize, new: u32, old: u32) {
        for position in 0..self.constraints.nodes[node as usize].readers.len() {
            let read = self.constraints.nodes[node as usize].readers[position];
            let (reader, cell) =
                (self.constraints.reads[read as usize].node, self.constraints.reads[read as usize].cell);
            let Some((_, lit)) = self.fed_by(read) else { continue };
            if let Some((rival, writes)) = self.first_rival(cell, chain, new, [reader, node])
                && self.reach.index(rival) < old
            {
                self.need(reader, rival, Why::path([lit, writes, TRUE, TRUE], node, rival));
            }
        }
    }

    /// Write order: the node writes and now comes before the chain's index `new`, so it comes before the sources of the
    /// reads there.
    fn write_order(&mut self, node: u32, chain: usize, new: u32, old: u32) {
        for position in 0..self.constraints.nodes[node as usize].writes.len() {
            let (cell, writer) = self.constraints.nodes[node as usize].writes[position];
            let writes = self.constraints.cells[cell as usize].writers[writer as usize].writes;
            if !self.holds(writes) {
                continue;
            }
            let list = &self.constraints.cells[cell as usize].reads_by_chain[chain];
            let begin =
                list.partition_point(|&read| self.reach.index(self.constraints.reads[read as usize].node) < new);
            for at in begin..self.constraints.cells[cell as usize].reads_by_chain[chain].len() {
                let read = self.constraints.cells[cell as usize].reads_by_chain[chain][at];
                let reader = self.constraints.reads[read as usize].node;
                if self.reach.index(reader) >= old {
                    break;
                }
                match self.fed_by(read) {
                    Some((Some(feeder), lit)) if feeder != node && reader != node => {
                        self.need(node, feeder, Why::path([lit, writes, TRUE, TRUE], node, reader));
                    }
                    // The read has the initial value, so its edge to this writer closes the cycle.
                    Some((None, lit)) if reader != node => {
                        self.derived.pending.push((reader, node, Why::lits([lit, writes, TRUE, TRUE])));
                    }
                    _ => {}
                }
            }
        }
    }

    /// A writer of the cell was found to write.
    fn begin_to_write(&mut self, cell: u32, writer: u32) {
        let writer = self.constraints.cells[cell as usize].writers[writer as usize];
        for chain in 0..self.reach.chains().len() {
            for at in 0..self.constraints.cells[cell as usize].reads_by_chain[chain].len() {
                let read = self.constraints.cells[cell as usize].reads_by_chain[chain][at];
                let reader = self.constraints.reads[read as usize].node;
                let Some((feeder, lit)) = self.fed_by(read) else { continue };
                if reader == writer.node || feeder == Some(writer.node) {
                    continue;
                }
                match feeder {
                    None => self.need(reader, writer.node, Why::lits([lit, writer.writes, TRUE, TRUE])),
                    Some(feeder) => {
                        if self.reach.reaches(feeder, writer.node) {
                            let why = Why::path([lit, writer.writes, TRUE, TRUE], feeder, writer.node);
                            self.need(reader, writer.node, why);
                        }
                        if self.reach.reaches(writer.node, reader) {
                            let why = Why::path([lit, writer.writes, TRUE, TRUE], writer.node, reader);
                            self.need(writer.node, feeder, why);
                        }
                    }
                }
            }
        }
    }

    /// The section now begins before an earlier index of the chain: of the sections there before whose end it begins,
    /// the first must come after it, and so must all later ones.
    fn section_order(&mut self, lock: u32, section: u32, chain: usize) {
        let one = self.constraints.locks[lock as usize].sections[section as usize];
        if !self.holds(one.active) || chain == self.reach.chain(one.enter) {
            return;
        }
        let earliest = self.reach.earliest(one.enter, chain);
        let lock = &self.constraints.locks[lock as usize];
        let begin = lock.ends[chain].partition_point(|&end| end < earliest);
        let found = lock.by_chain[chain][begin..].iter().find_map(|&other| {
            let other = lock.sections[other as usize];
            let leave = other.leave?;
            (self.holds(other.active) && self.reach.index(leave) >= earliest).then_some((other, leave))
        });
        if let Some((other, leave)) = found {
            let why = |closed| Why::path([one.active, other.active, closed, TRUE], one.enter, leave);
            match one.leave {
                Some(end) if self.holds(one.closed) => self.need(end, other.enter, why(one.closed)),
                // It never ends, so it must not begin before the other one ends: an edge that closes the cycle.
                None => self.derived.pending.push((leave, one.enter, why(TRUE))),
                Some(_) if self.holds(-one.closed) => self.derived.pending.push((leave, one.enter, why(-one.closed))),
                Some(_) => {}
            }
        }
    }

    fn open_section(&mut self, lock: u32, section: u32) {
        for chain in 0..self.reach.chains().len() {
            self.section_order(lock, section, chain);
        }
        self.section_after_others(lock, section);
    }

    /// The section was found to happen: it comes after those of other chains that begin before its end. Those that begin
    /// before the end of an earlier section of its chain come after that one already.
    fn section_after_others(&mut self, lock: u32, section: u32) {
        let state = &self.constraints.locks[lock as usize];
        let one = state.sections[section as usize];
        let Some(leave) = one.leave.filter(|_| self.holds(one.active)) else { return };
        let own = self.reach.chain(one.enter);
        let list = &state.by_chain[own];
        let at = list.partition_point(|&other| {
            self.reach.index(state.sections[other as usize].enter) < self.reach.index(one.enter)
        });
        let earlier = list[..at].iter().rev().find_map(|&other| {
            let other = state.sections[other as usize];
            other.leave.filter(|_| self.holds(other.active))
        });
        let (end, earlier) = (self.reach.index(leave), earlier.map(|leave| self.reach.index(leave)));
        for chain in (0..self.reach.chains().len()).filter(|&chain| chain != own) {
            let state = &self.constraints.locks[lock as usize];
            let earliest = |other: &u32| self.reach.earliest(state.sections[*other as usize].enter, own);
            let first = state.by_chain[chain].partition_point(|other| Some(earliest(other)) <= earlier);
            let last = state.by_chain[chain].partition_point(|other| earliest(other) <= end);
            for position in first..last {
                let other = self.constraints.locks[lock as usize].by_chain[chain][position];
                self.section_order(lock, other, own);
            }
        }
    }

    /// A block whose literal just became true: order before or after one of its nodes extends to all its nodes.
    fn close_ranks(&mut self, block: u32) {
        for own in 0..self.reach.chains().len() {
            // Nodes after one member of a chain come after its first, nodes before a member before its last.
            let members = self.constraints.blocks[block as usize].nodes.iter();
            let mut members = members.copied().filter(|&node| self.reach.chain(node) == own && self.happens(node));
            let Some(first) = members.next() else { continue };
            let last = members.next_back().unwrap_or(first);
            for chain in 0..self.reach.chains().len() {
                self.follow_block(block, first, chain);
                self.precede_block(block, last, chain);
            }
        }
    }

    /// A node was found to happen: it may be in some blocks and outside of others.
    fn join_ranks(&mut self, node: u32) {
        for block in 0..self.constraints.blocks.len() as u32 {
            if self.is_member(block, node) {
                self.close_ranks(block);
                continue;
            }
            for position in 0..self.constraints.blocks[block as usize].nodes.len() {
                let member = self.constraints.blocks[block as usize].nodes[position];
                if self.reach.reaches(node, member) {
                    self.keep_out(block, member, node, true);
                }
                if self.reach.reaches(member, node) {
                    self.keep_out(block, member, node, false);
                }
            }
        }
    }

    /// The node now comes before the chain's indices from `new` up to `old`.
    fn block_order(&mut self, node: u32, chain: usize, new: u32, old: u32) {
        for position in 0..self.constraints.nodes[node as usize].blocks.len() {
            let block = self.constraints.nodes[node as usize].blocks[position];
            if self.holds(self.constraints.blocks[block as usize].literal) {
                self.follow_block(block, node, chain);
            }
        }
        for position in 0..self.constraints.spans[chain].len() {
            let Span { first, last, block } = self.constraints.spans[chain][position];
            if first >= old {
                break;
            }
            if last < new || self.is_member(block, node) || !self.holds(self.constraints.blocks[block as usize].literal)
            {
                continue;
            }
            let reached = self.constraints.blocks[block as usize].nodes.iter().copied().find(|&member| {
                let index = self.reach.index(member);
                self.reach.chain(member) == chain && index >= new && index < old && self.happens(member)
            });
            if let Some(member) = reached {
                self.keep_out(block, member, node, true);
            }
        }
    }

    pub(super) fn happens(&self, node: u32) -> bool {
        self.holds(self.constraints.nodes[node as usize].happens)
    }

    fn is_member(&self, block: u32, node: u32) -> bool {
        self.constraints.nodes[node as usize].blocks.contains(&block)
    }

    /// The whole block comes before the first outsider of the chain that its member comes before.
    fn follow_block(&mut self, block: u32, member: u32, chain: usize) {
        let begin = self.reach.earliest(member, chain);
        let Some(rest) = self.reach.chains()[chain].get(begin as usize..) else { return };
        if let Some(&outsider) = rest.iter().find(|&&node| self.happens(node) && !self.is_member(block, node)) {
            self.keep_out(block, member, outsider, false);
        }
    }

    /// The last outsider of the chain that comes before the member comes before the whole block.
    fn precede_block(&mut self, block: u32, member: u32, chain: usize) {
        let Some(last) = self.reach.latest_before(member, chain) else { return };
        let nodes = &self.reach.chains()[chain][..=last as usize];
        if let Some(&outsider) = nodes.iter().rev().find(|&&node| self.happens(node) && !self.is_member(block, node)) {
            self.keep_out(block, member, outsider, true);
        }
    }

    /// The outsider comes before the member, or after it: the same then holds for the whole block. Per chain, edges to
    /// the first and from the last member suffice.
    fn keep_out(&mut self, block: u32, member: u32, outsider: u32, before: bool) {
        let literal = self.constraints.blocks[block as usize].literal;
        let happens = |theory: &Theory, node: u32| theory.constraints.nodes[node as usize].happens;
        if !self.holds(literal) || !self.happens(member) || !self.happens(outsider) {
            return;
        }
        let count = self.constraints.blocks[block as usize].nodes.len();
        let mut told = None;
        for position in 0..count {
            let position = if before { position } else { count - 1 - position };
            let other = self.constraints.blocks[block as usize].nodes[position];
            if told == Some(self.reach.chain(other)) || !self.happens(other) {
                continue;
            }
            told = Some(self.reach.chain(other));
            if other == member {
                continue;
            }
            let lits = [literal, happens(self, member), happens(self, outsider), happens(self, other)];
            match before {
                true => self.need(outsider, other, Why::path(lits, outsider, member)),
                false => self.need(other, outsider, Why::path(lits, member, outsider)),
            }
        }
    }
}
