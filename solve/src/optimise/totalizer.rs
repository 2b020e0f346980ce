//! A totalizer counts the terms that hold (Bailleux, Boufkhad, CP 2003), incrementally: outputs are created on demand
//! (Martins, Joshi, Manquinho, Lynce, CP 2014). One direction only: if at least this many hold, the output does.

use formula::{Sort, Term};

use crate::solver::Solver;

#[derive(Debug)]
pub(super) struct Totalizer {
    /// Children before parents; the last is the root.
    nodes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    children: Option<(usize, usize)>,
    size: usize,
    /// The first output holds if at least one input does.
    outputs: Vec<Term>,
}

impl Totalizer {
    pub fn new(inputs: &[Term]) -> Totalizer {
        let leaf = |&input: &Term| Node { children: None, size: 1, outputs: vec![input] };
        let mut nodes: Vec<Node> = inputs.iter().map(leaf).collect();
        let mut row: Vec<usize> = (0..nodes.len()).collect();
        while row.len() > 1 {
            let mut next = Vec::with_capacity(row.len().div_ceil(2));
            for pair in row.chunks(2) {
                match *pair {
                    [left, right] => {
                        let size = nodes[left].size + nodes[right].size;
                        nodes.push(Node { children: Some((left, right)), size, outputs: Vec::new() });
                        next.push(nodes.len() - 1);
                    }
                    [alone] => next.push(alone),
                    _ => {}
                }
            }
            row = next;
        }
        Totalizer { nodes }
    }

    pub fn size(&self) -> usize {
        self.nodes.last().map_or(0, |root| root.size)
    }

    /// A term that holds if at least `count` of the inputs do, from 1 to their number.
    pub fn at_least(&mut self, solver: &mut dyn Solver, count: usize) -> Term {
        let root = self.nodes.len() - 1;
        self.extend(solver, root, count);
        self.nodes[root].outputs[count - 1]
    }

    fn extend(&mut self, solver: &mut dyn Solver, node: usize, count: usize) {
        let Some((left, right)) = self.nodes[node].children else { return };
        let count = count.min(self.nodes[node].size);
        let made = self.nodes[node].outputs.len();
        if made >= count {
            return;
        }
        self.extend(solver, left, count);
        self.extend(solver, right, count);
        for sum in made + 1..=count {
            let output = solver.terms().symbol("", Sort::Bool);
            for from_left in 0..=sum.min(self.nodes[left].size) {
                let from_right = sum - from_left;
                if from_right > self.nodes[right].size {
                    continue;
                }
                let parts = [(left, from_left), (right, from_right)].into_iter().filter(|&(_, count)| count > 0);
                let parts: Vec<Term> = parts.map(|(node, count)| self.nodes[node].outputs[count - 1]).collect();
                let so_many = solver.terms().and(&parts);
                let clause = solver.terms().implies(so_many, output);
                solver.assert(clause);
            }
            self.nodes[node].outputs.push(output);
        }
    }
}
