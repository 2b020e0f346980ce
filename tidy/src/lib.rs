//! The rules of this repository, checked.
