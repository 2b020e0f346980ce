//! What an instruction does, once, over any value domain.
