//! Small concurrent programs in IR text, given or at random.

mod blocks;

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The declarations that programs use besides their own variables.
const SHARED: &str = "global $m size 40 align 8\nglobal $n size 40 align 8\nglobal $o size 40 align 8\nglobal $c size 48 align 8\nglobal $s size 32 align 8\nglobal $r size 56 align 8\nglobal $q size 32 align 8\nglobal $p size 8 align 8";

/// A program whose main starts one thread for each text, joins them and prints all variables. In the texts, `$1`, `$2`
/// … are the thread's registers.
pub fn with_threads(variables: &[&str], texts: &[&str]) -> String {
    let mut functions = String::new();
    for (index, text) in texts.iter().enumerate() {
        // The first two registers are the parameters.
        let mut body = text.to_string();
        for register in (1..=9).rev() {
            body = body.replace(&format!("${register}"), &format!("v{}", register + 1));
        }
        let body: String = body.lines().map(|line| format!("  {line}\n")).collect();
        functions
            .push_str(&format!("function @t{index} -> (ptr) {{\nb0(v0: ptr, v1: ptr):\n{body}  return null\n}}\n"));
    }
    assemble(variables, &functions, texts.len())
}

/// Globals, functions `@t0` … and a main.
pub fn assemble(variables: &[&str], functions: &str, threads: usize) -> String {
    let mut globals = String::new();
    for name in variables {
        globals.push_str(&format!("global ${name} size 8 align 8\n"));
    }
    let mut main = String::from("b0:\n  sem.init($s, i32 0)\n");
    main.push_str(&format!("  barrier.init($q, i32 {})\n  v0: ptr = local i64 {} align 8\n", threads, 8 * threads));
    let mut next = 1;
    for thread in 0..threads {
        main.push_str(&format!(
            "  v{}: ptr = address v0, {}\n  v{}: i32 = thread.create(v{}, @t{thread}, null, null)\n",
            next,
            8 * thread,
            next + 1,
            next
        ));
        next += 2;
    }
    for thread in 0..threads {
        main.push_str(&format!(
            "  v{}: ptr = address v0, {}\n  v{}: i64 = load v{}\n  v{}: i32 = thread.join(v{}, null)\n",
            next,
            8 * thread,
            next + 1,
            next,
            next + 2,
            next + 1
        ));
        next += 3;
    }
    for name in variables {
        main.push_str(&format!("  v{next}: i64 = file.write(i32 1, ${name}, i64 4)\n"));
        next += 1;
    }
    format!(
        "heddle ir 1\nentry @main\n{globals}{SHARED}\n{functions}function @main {{\n{main}  process.exit(i32 0)\n  unreachable\n}}\n"
    )
}

/// How large a random program is.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub threads: u64,
    pub operations: u64,
}

impl Shape {
    pub fn of(seed: u64) -> Shape {
        match seed % 6 {
            0 | 1 => Shape { threads: 2, operations: 4 },
            2 | 3 => Shape { threads: 3, operations: 2 },
            4 => Shape { threads: 3, operations: 3 },
            _ => Shape { threads: 4, operations: 2 },
        }
    }
}

/// One thread's text under construction.
struct Writer {
    generator: Pcg64Mcg,
    text: String,
    next_register: u32,
    next_block: u32,
}

const VARIABLES: &[&str] = &["x", "y", "z"];

pub fn random_program(seed: u64, shape: Shape) -> String {
    program_of(seed, shape, "", |writer| writer.operation(2))
}

/// A program whose threads access and free a block that all of them know.
pub fn random_program_with_blocks(seed: u64, shape: Shape) -> String {
    program_of(seed, shape, blocks::LEND, Writer::block_operation)
}

fn program_of(seed: u64, shape: Shape, helpers: &str, operation: fn(&mut Writer)) -> String {
    let mut functions = helpers.to_owned();
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    for thread in 0..shape.threads {
        let mut writer = Writer {
            generator: Pcg64Mcg::seed_from_u64(generator.next_u64()),
            text: String::new(),
            next_register: 2,
            next_block: 1,
        };
        let operations = 1 + writer.below(shape.operations);
        for _ in 0..operations {
            operation(&mut writer);
        }
        let body = number_blocks(&writer.text);
        functions
            .push_str(&format!("function @t{thread} -> (ptr) {{\nb0(v0: ptr, v1: ptr):\n{body}  return null\n}}\n"));
    }
    assemble(VARIABLES, &functions, shape.threads as usize)
}

/// Blocks are numbered in the order of the text: `<7>` becomes `b1` where it is the first label.
fn number_blocks(text: &str) -> String {
    let mut numbered = text.to_owned();
    let labels = text.lines().filter(|line| line.starts_with('<'));
    for (index, line) in labels.enumerate() {
        let label: String = line.chars().take_while(|&c| c != '(' && c != ':').collect();
        numbered = numbered.replace(&label, &format!("b{}", index + 1));
    }
    numbered
}

impl Writer {
    fn below(&mut self, count: u64) -> u64 {
        self.generator.next_u64() % count
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(&format!("  {line}\n"));
    }

    fn register(&mut self) -> String {
        self.next_register += 1;
        format!("v{}", self.next_register - 1)
    }

    fn block(&mut self) -> String {
        self.next_block += 1;
        format!("<{}>", self.next_block - 1)
    }

    fn variable(&mut self) -> &'static str {
        VARIABLES[self.below(VARIABLES.len() as u64) as usize]
    }

    fn begin(&mut self, block: &str) {
        self.text.push_str(&format!("{block}:\n"));
    }

    /// `result = primitive(…)` with an `i32` result that is not used.
    fn call(&mut self, call: &str) -> String {
        let result = self.register();
        self.line(&format!("{result}: i32 = {call}"));
        result
    }

    fn load(&mut self) -> String {
        let (result, variable) = (self.register(), self.variable());
        self.line(&format!("{result}: i32 = load ${variable}"));
        result
    }

    fn condition(&mut self) -> String {
        let value = self.load();
        let limit = self.below(3);
        let predicate = ["eq", "ne", "ult"][self.below(3) as usize];
        let result = self.register();
        self.line(&format!("{result}: i1 = compare {predicate} {value}, i32 {limit}"));
        result
    }

    fn operation(&mut self, depth: u32) {
        match self.below(if depth == 0 { 10 } else { 22 }) {
            0 => {
                let (variable, value) = (self.variable(), self.below(3));
                self.line(&format!("store i32 {value} to ${variable}"));
            }
            1 => {
                let value = self.load();
                let (sum, variable) = (self.register(), self.variable());
                self.line(&format!("{sum}: i32 = add {value}, i32 1"));
                self.line(&format!("store {sum} to ${variable}"));
            }
            2 => {
                let (variable, result) = (self.variable(), self.register());
                self.line(&format!("{result}: i32 = rmw add ${variable}, i32 1 seqcst"));
            }
            3 => {
                let (variable, old, flag) = (self.variable(), self.register(), self.register());
                let (expected, new) = (self.below(2), self.below(3));
                self.line(&format!(
                    "{old}: i32, {flag}: i1 = cmpxchg strong ${variable}, i32 {expected}, i32 {new} seqcst seqcst"
                ));
            }
            4 => {
                self.call("sem.post($s)");
            }
            5 => {
                let wait = ["sem.wait($s)", "sem.trywait($s)", "sem.timedwait($s)"][self.below(3) as usize];
                self.call(wait);
            }
            6 => self.line("cond.signal($c)"),
            7 => self.line("cond.broadcast($c)"),
            8 => self.line("thread.yield()"),
            9 => self.heap(),
            10 | 11 => self.section("m", depth),
            12 => self.section("n", depth),
            13 => self.try_section(depth),
            14 => self.assertion(),
            15 => self.branch(depth),
            16 => self.wait(),
            17 => self.spin(),
            18 => self.read_section(depth),
            19 | 20 => self.two_locks(),
            _ => self.bounded_loop(depth),
        }
    }

    fn section(&mut self, mutex: &str, depth: u32) {
        self.call(&format!("mutex.lock(${mutex}, null)"));
        self.operation(depth - 1);
        self.call(&format!("mutex.unlock(${mutex}, null)"));
    }

    /// Takes two of three locks, in any order, and leaves a mark.
    fn two_locks(&mut self) {
        let locks = ["m", "n", "o"];
        let first = self.below(3) as usize;
        let second = (first + 1 + self.below(2) as usize) % 3;
        self.call(&format!("mutex.lock(${}, null)", locks[first]));
        self.call(&format!("mutex.lock(${}, null)", locks[second]));
        let (variable, value) = (self.variable(), self.below(3));
        self.line(&format!("store i32 {value} to ${variable}"));
        self.call(&format!("mutex.unlock(${}, null)", locks[second]));
        self.call(&format!("mutex.unlock(${}, null)", locks[first]));
    }

    fn read_section(&mut self, depth: u32) {
        let how = ["rwlock.read($r)", "rwlock.write($r)"][self.below(2) as usize];
        self.call(how);
        self.operation(depth - 1);
        self.call("rwlock.unlock($r)");
    }

    fn try_section(&mut self, depth: u32) {
        let how = ["mutex.trylock($m, null)", "mutex.timedlock($m, null)"][self.below(2) as usize];
        let code = self.call(how);
        let flag = self.register();
        self.line(&format!("{flag}: i1 = compare eq {code}, i32 0"));
        let (inside, after) = (self.block(), self.block());
        self.line(&format!("branch {flag}, {inside}, {after}"));
        self.begin(&inside);
        self.operation(depth - 1);
        self.call("mutex.unlock($m, null)");
        self.line(&format!("jump {after}"));
        self.begin(&after);
    }

    fn assertion(&mut self) {
        let flag = self.condition();
        let (fails, after) = (self.block(), self.block());
        self.line(&format!("branch {flag}, {fails}, {after}"));
        self.begin(&fails);
        self.line("process.fail(null, null, i32 0, null)");
        self.line("unreachable");
        self.begin(&after);
    }

    fn branch(&mut self, depth: u32) {
        let flag = self.condition();
        let (inside, after) = (self.block(), self.block());
        self.line(&format!("branch {flag}, {inside}, {after}"));
        self.begin(&inside);
        self.operation(depth - 1);
        self.line(&format!("jump {after}"));
        self.begin(&after);
    }

    /// Waits once, or until a variable is set.
    fn wait(&mut self) {
        let wait = ["cond.wait($c, $m, null)", "cond.timedwait($c, $m, null)"][self.below(4) as usize / 3];
        self.call("mutex.lock($m, null)");
        if self.below(2) == 0 {
            self.call(wait);
        } else {
            let (head, body, after) = (self.block(), self.block(), self.block());
            self.line(&format!("jump {head}"));
            self.begin(&head);
            let flag = self.condition();
            self.line(&format!("branch {flag}, {body}, {after}"));
            self.begin(&body);
            self.call("cond.wait($c, $m, null)");
            self.line(&format!("jump {head}"));
            self.begin(&after);
        }
        self.call("mutex.unlock($m, null)");
    }

    fn spin(&mut self) {
        let (head, after) = (self.block(), self.block());
        self.line(&format!("jump {head}"));
        self.begin(&head);
        let flag = self.condition();
        self.line(&format!("branch {flag}, {head}, {after}"));
        self.begin(&after);
    }

    /// A block that is published through a variable, or taken from it and freed.
    fn heap(&mut self) {
        let (block, old) = (self.register(), self.register());
        self.line(&format!("{block}: ptr = memory.alloc(i64 8, i64 8, i32 1)"));
        self.line(&format!("store i32 1 to {block}"));
        self.line(&format!("{old}: ptr = rmw xchg $p, {block} seqcst"));
        let flag = self.register();
        self.line(&format!("{flag}: i1 = compare eq {old}, null"));
        let (some, after) = (self.block(), self.block());
        self.line(&format!("branch {flag}, {after}, {some}"));
        self.begin(&some);
        let value = self.register();
        self.line(&format!("{value}: i32 = load {old}"));
        if self.below(2) == 0 {
            self.line(&format!("memory.free({old})"));
        }
        self.line(&format!("jump {after}"));
        self.begin(&after);
    }

    fn bounded_loop(&mut self, depth: u32) {
        let (head, body, after) = (self.block(), self.block(), self.block());
        let (counter, flag) = (self.register(), self.register());
        self.line(&format!("jump {head}(i32 0)"));
        self.text.push_str(&format!("{head}({counter}: i32):\n"));
        self.line(&format!("{flag}: i1 = compare ult {counter}, i32 2"));
        self.line(&format!("branch {flag}, {body}, {after}"));
        self.begin(&body);
        self.operation(depth.saturating_sub(2));
        let next = self.register();
        self.line(&format!("{next}: i32 = add {counter}, i32 1"));
        self.line(&format!("jump {head}({next})"));
        self.begin(&after);
    }
}
