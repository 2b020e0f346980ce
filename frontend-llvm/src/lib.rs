//! C sources and LLVM bitcode to heddle IR.
