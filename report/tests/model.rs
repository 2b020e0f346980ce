//! Values of the model can be parsed from their names in the JSON form.

use report::{Answer, Assumption, Command, Consequence, CutWhat, Escape, EventKind, Presence, Verdict, WeakOrder};

macro_rules! found_by_name {
    ($($name:ident),*) => {
        $(for &value in $name::ALL {
            assert_eq!($name::named(value.name()), Some(value));
        }
        assert_eq!($name::named("no such name"), None);)*
    };
}

#[test]
fn names_are_read_back() {
    found_by_name!(Answer, Assumption, Command, Consequence, CutWhat, Escape, EventKind, Presence, Verdict, WeakOrder);
}
