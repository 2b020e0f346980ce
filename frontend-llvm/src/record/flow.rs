//! The minimum cut between source and sink of a network (Dinic's algorithm).

use std::collections::VecDeque;

pub type Node = usize;

/// More than all costs together.
pub const UNLIMITED: u64 = u64::MAX / 4;

#[derive(Clone, Copy, Debug)]
struct Edge {
    to: Node,
    room: u64,
}

/// Edges are in pairs: an edge and its reverse.
#[derive(Debug)]
pub struct Network {
    edges: Vec<Edge>,
    leaving: Vec<Vec<usize>>,
}

impl Network {
    pub const BEGIN: Node = 0;
    pub const END: Node = 1;

    pub fn new() -> Network {
        Network { edges: Vec::new(), leaving: vec![Vec::new(); 2] }
    }

    pub fn node(&mut self) -> Node {
        self.leaving.push(Vec::new());
        self.leaving.len() - 1
    }

    pub fn connect(&mut self, from: Node, to: Node, cost: u64) {
        self.leaving[from].push(self.edges.len());
        self.edges.push(Edge { to, room: cost });
        self.leaving[to].push(self.edges.len());
        self.edges.push(Edge { to: from, room: 0 });
    }

    /// For each node whether it is on the sink's side of the minimum cut that is nearest to the sink.
    pub fn cut(mut self) -> Vec<bool> {
        while let Some(levels) = self.levels() {
            let mut next = vec![0; self.leaving.len()];
            while self.push(&levels, &mut next) {}
        }
        self.reaching_end()
    }

    /// The distance of each node from the source, as long as the sink is reachable.
    fn levels(&self) -> Option<Vec<u32>> {
        let mut levels = vec![u32::MAX; self.leaving.len()];
        levels[Network::BEGIN] = 0;
        let mut queue = VecDeque::from([Network::BEGIN]);
        while let Some(node) = queue.pop_front() {
            for &edge in &self.leaving[node] {
                let Edge { to, room } = self.edges[edge];
                if room > 0 && levels[to] == u32::MAX {
                    levels[to] = levels[node] + 1;
                    queue.push_back(to);
                }
            }
        }
        (levels[Network::END] != u32::MAX).then_some(levels)
    }

    /// Sends as much flow as possible along one path of the level graph.
    fn push(&mut self, levels: &[u32], next: &mut [usize]) -> bool {
        let mut way: Vec<usize> = Vec::new();
        let mut node = Network::BEGIN;
        loop {
            if node == Network::END {
                let least = way.iter().map(|&edge| self.edges[edge].room).min().unwrap_or(0);
                for &edge in &way {
                    self.edges[edge].room -= least;
                    self.edges[edge ^ 1].room += least;
                }
                return least > 0;
            }
            let found = self.leaving[node].get(next[node]).copied();
            match found {
                Some(edge) => {
                    let Edge { to, room } = self.edges[edge];
                    if room > 0 && levels[to] == levels[node] + 1 {
                        way.push(edge);
                        node = to;
                    } else {
                        next[node] += 1;
                    }
                }
                None => {
                    let Some(edge) = way.pop() else { return false };
                    node = self.edges[edge ^ 1].to;
                    next[node] += 1;
                }
            }
        }
    }

    fn reaching_end(&self) -> Vec<bool> {
        let mut reaching = vec![false; self.leaving.len()];
        reaching[Network::END] = true;
        let mut pending = vec![Network::END];
        while let Some(node) = pending.pop() {
            for &edge in &self.leaving[node] {
                // The reverse of this edge leads here.
                let from = self.edges[edge].to;
                if self.edges[edge ^ 1].room > 0 && !reaching[from] {
                    reaching[from] = true;
                    pending.push(from);
                }
            }
        }
        reaching
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One number decides three loops: it is cheaper than the three, until it costs more.
    #[test]
    fn the_cheaper_side_is_cut() {
        for (cost, at_number) in [(2, true), (3, false), (9, false)] {
            let mut network = Network::new();
            let (read, number) = (network.node(), network.node());
            network.connect(Network::BEGIN, read, UNLIMITED);
            network.connect(read, number, cost);
            for _ in 0..3 {
                let branch = network.node();
                network.connect(number, branch, UNLIMITED);
                network.connect(branch, Network::END, 1);
            }
            let sides = network.cut();
            assert_eq!(!sides[read] && sides[number], at_number, "cost {cost}");
        }
    }
}
