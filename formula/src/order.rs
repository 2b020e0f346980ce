//! The theory section of a formula: nodes that a model puts into one total order, and what that order must respect.
//!
//! By definition every node has a position, no two the same, and
//! - the nodes of a chain stand in its order, whether they happen or not (one that does not happen has no other duties);
//! - `before(a, b)` is true iff the position of `a` is smaller;
//! - an active read has exactly one chosen source, an inactive one has none. A chosen source implies its term. If it is
//!   a writer, that one writes, stands before the read, and every other writer of the cell that writes (the read's own
//!   node apart) stands before it or after the read; if it is the initial value, every such writer stands after the read;
//! - of two active sections of a lock, one is closed and its `leave` stands before the `enter` of the other;
//! - if a block's literal holds, every node outside of it that happens stands before all of its nodes that happen, or
//!   after all of them;
//! - if a stretch's literal holds, its first node is its last or stands before it, and every other node that happens and
//!   that the stretch minds stands before the first or after the last. It does not mind bystanders, nor, if it is of one
//!   chain, the nodes of that chain.

use crate::term::Term;

/// A point in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

/// What is to be ordered, and how.
#[derive(Clone, Debug, Default)]
pub struct Order {
    pub nodes: Vec<NodeInfo>,
    /// Each node stands in exactly one chain.
    pub chains: Vec<Vec<Node>>,
    pub cells: Vec<Cell>,
    pub reads: Vec<Read>,
    /// Per lock, its sections.
    pub locks: Vec<Vec<Section>>,
    pub blocks: Vec<Block>,
    pub stretches: Vec<Stretch>,
    /// Nodes that may stand inside of any stretch.
    pub bystanders: Vec<Node>,
}

#[derive(Clone, Debug)]
pub struct NodeInfo {
    /// For printing.
    pub name: String,
    pub happens: Term,
}

/// Something that is written and read.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    pub writers: Vec<Writer>,
}

#[derive(Clone, Copy, Debug)]
pub struct Writer {
    pub node: Node,
    /// Whether it happens and writes this cell.
    pub writes: Term,
}

#[derive(Clone, Debug)]
pub struct Read {
    pub node: Node,
    /// An index into [`Order::cells`].
    pub cell: usize,
    /// Whether it happens and reads this cell.
    pub active: Term,
    /// Where its value can come from; what is not listed is not possible.
    pub sources: Vec<Source>,
}

#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// An index into the cell's writers; none for the initial value.
    pub writer: Option<usize>,
    /// A boolean symbol of its own.
    pub chosen: Term,
    /// What follows from the choice: that the values are equal.
    pub implies: Term,
}

/// A stretch of a thread in which it holds a lock.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    pub enter: Node,
    /// None if nothing ever ends it.
    pub leave: Option<Node>,
    /// Whether `enter` happens.
    pub active: Term,
    /// Whether `leave` happens; it implies `active`.
    pub closed: Term,
}

/// Nodes with nothing between them when the literal holds.
#[derive(Clone, Debug)]
pub struct Block {
    pub literal: Term,
    pub nodes: Vec<Node>,
}

/// Two nodes with nothing that matters between them when the literal holds.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub literal: Term,
    pub first: Node,
    pub last: Node,
    /// Whether further nodes of the first one's chain may stand inside.
    pub of_chain: bool,
}
