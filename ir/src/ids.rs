//! The ids of a program and of a function: each is an index into one table.

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index! {
    /// An index into [`crate::Program::functions`].
    FunctionId;
    /// An index into [`crate::Program::globals`].
    GlobalId;
    /// An index into [`crate::Program::layouts`].
    LayoutId;
    /// An index into [`crate::Program::texts`].
    TextId;
    /// An index into [`crate::Function::blocks`]; block 0 is the entry.
    BlockId;
    /// An index into [`crate::Function::registers`].
    Reg;
}
