//! A list of fixed length with cheap copies: copies share the pages in which they do not differ.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

const PAGE: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pages<T> {
    pages: Vec<Arc<[T; PAGE]>>,
}

impl<T: Copy> Pages<T> {
    pub fn new(length: usize, value: T) -> Pages<T> {
        // All pages are shared until they are written.
        let page = Arc::new([value; PAGE]);
        Pages { pages: vec![page; length.div_ceil(PAGE)] }
    }

    pub fn get(&self, index: usize) -> T {
        self.pages[index / PAGE][index % PAGE]
    }

    pub fn set(&mut self, index: usize, value: T) {
        Arc::make_mut(&mut self.pages[index / PAGE])[index % PAGE] = value;
    }
}

impl<T: Hash> Hash for Pages<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pages.iter().for_each(|page| page.hash(state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_do_not_see_each_other() {
        let one = Pages::new(PAGE + 3, 0);
        let mut other = one.clone();
        other.set(PAGE + 1, 5);
        assert_eq!((one.get(PAGE + 1), other.get(PAGE + 1), other.get(0)), (0, 5, 0));
        assert_ne!(one, other);
    }
}
