//! Enums whose values have names. A name is the value's form in JSON and can be parsed back.

macro_rules! named {
    ($(#[$doc:meta])* pub enum $name:ident { $($(#[$note:meta])* $value:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$note])* $value,)* }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$value),*];

            pub fn name(self) -> &'static str {
                match self { $($name::$value => $text,)* }
            }

            /// The value with this name.
            pub fn named(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$value),)* _ => None }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

pub(crate) use named;
