//! Operations on a block that all threads know: they access it, read its size, resize it, synchronise on it and free
//! it, without agreement. Sometimes it is a local of a function that returns. They also destroy objects that others
//! synchronise on.

use super::Writer;

/// Publishes a local until it returns.
pub const LEND: &str = "function @lend {\nb0:\n  v0: ptr = local i64 8 align 8\n  store i32 2 to v0\n  store v0 to $p\n  v1: i32 = load $x\n  store v1 to v0\n  return\n}\n";

impl Writer {
    pub fn block_operation(&mut self) {
        match self.below(12) {
            0 | 1 => self.publish(),
            2 => self.line("call @lend()"),
            3 => self.destroy(),
            4 | 5 => self.operation(1),
            _ => self.with_block(),
        }
    }

    fn publish(&mut self) {
        let block = self.register();
        let size = 8 + 8 * self.below(2);
        self.line(&format!("{block}: ptr = memory.alloc(i64 {size}, i64 8, i32 1)"));
        self.line(&format!("store i32 1 to {block}"));
        self.line(&format!("store {block} to $p"));
    }

    fn destroy(&mut self) {
        let what = ["mutex.destroy($m)", "sem.destroy($s)", "cond.destroy($c)", "rwlock.destroy($r)"];
        let what = what[self.below(4) as usize];
        self.call(what);
    }

    fn with_block(&mut self) {
        let (block, is_null) = (self.register(), self.register());
        self.line(&format!("{block}: ptr = load $p"));
        self.line(&format!("{is_null}: i1 = compare eq {block}, null"));
        let (some, after) = (self.block(), self.block());
        self.line(&format!("branch {is_null}, {after}, {some}"));
        self.begin(&some);
        for _ in 0..=self.below(2) {
            self.use_of(&block);
        }
        self.line(&format!("jump {after}"));
        self.begin(&after);
    }

    fn use_of(&mut self, block: &str) {
        match self.below(11) {
            0 => {
                let (value, variable) = (self.register(), self.variable());
                self.line(&format!("{value}: i32 = load {block}"));
                self.line(&format!("store {value} to ${variable}"));
            }
            1 => self.line(&format!("store i32 2 to {block}")),
            2 | 3 => self.line(&format!("memory.free({block})")),
            4 => {
                self.line("store null to $p");
                self.line(&format!("memory.free({block})"));
            }
            5 => {
                let (size, variable) = (self.register(), self.variable());
                self.line(&format!("{size}: i64 = memory.size({block})"));
                self.line(&format!("store {size} to ${variable}"));
            }
            6 => self.resize(block),
            7 => {
                let at = self.register();
                self.line(&format!("{at}: ptr = address {block}, 8"));
                self.line(&format!("store i32 1 to {at}"));
            }
            8 => {
                self.call(&format!("mutex.lock({block}, null)"));
                self.call(&format!("mutex.unlock({block}, null)"));
            }
            _ => {
                // Not at the mutex: a former mutex there is not part of hashed states.
                let (at, what) = (self.register(), ["sem.post", "sem.wait", "sem.trywait"][self.below(3) as usize]);
                self.line(&format!("{at}: ptr = address {block}, 4"));
                self.call(&format!("{what}({at})"));
            }
        }
    }

    /// As the C library does it: measures, copies, frees.
    fn resize(&mut self, block: &str) {
        let (size, moved, value) = (self.register(), self.register(), self.register());
        self.line(&format!("{size}: i64 = memory.size({block})"));
        self.line(&format!("{moved}: ptr = memory.alloc(i64 16, i64 8, i32 1)"));
        self.line(&format!("{value}: i32 = load {block}"));
        self.line(&format!("store {value} to {moved}"));
        self.line(&format!("memory.free({block})"));
        self.line(&format!("store {moved} to $p"));
    }
}
