//! Symbolic execution: each thread of a recorded run on its own along its recorded path, into one event graph.
