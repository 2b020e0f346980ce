//! The shared objects of a concurrent program: their kinds, storage, names, initialisation and output.

use crate::random::Random;
use crate::source::c;

/// Where shared objects live.
#[derive(Clone, Copy, PartialEq)]
pub enum Style {
    /// Each is a global variable.
    Globals,
    /// They are members of one global struct.
    Record,
    /// They are members of a struct on the heap that threads get as their argument.
    Argument,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Waiting {
    /// A flag, a mutex and a condition variable.
    Condition,
    /// A semaphore that starts at zero.
    Signal,
    /// A semaphore that starts at one and guards a section.
    Guard,
    Barrier {
        extra: bool,
    },
}

/// The pointers that any thread may read and write.
pub struct Pointers {
    /// One to one of the cells.
    pub to_cell: bool,
    /// One to a heap object that threads take; atomic or plain.
    pub boxed: Option<bool>,
}

/// The increments of the counter.
#[derive(Default)]
pub struct Increments {
    /// There are at most so many.
    pub most: usize,
    /// There may be fewer.
    pub may_be_skipped: bool,
}

pub struct Shared {
    pub style: Style,
    pub workers: usize,
    /// Whether the main thread does more than create and join the others.
    pub main_works: bool,
    /// Whether a thread returns the values it has read; otherwise it writes them to a shared array.
    pub returned: bool,
    /// Plain integers that any thread may write.
    pub cells: Vec<&'static str>,
    pub atomics: Vec<&'static str>,
    pub mutexes: Vec<&'static str>,
    pub waiting: Option<Waiting>,
    /// A counter that is only ever incremented; atomic or plain.
    pub counter: Option<bool>,
    pub pointers: Pointers,
    pub increments: Increments,
    touched: Vec<&'static str>,
}

impl Shared {
    pub fn draw(random: &mut Random, workers: usize) -> Shared {
        let cells = random.pick(&[1, 1, 1, 2, 2, 3]);
        let waiting = match random.below(8) {
            0 | 1 => Some(Waiting::Condition),
            2 => Some(Waiting::Signal),
            3 => Some(Waiting::Guard),
            4 if workers > 1 => Some(Waiting::Barrier { extra: random.chance(10) }),
            _ => None,
        };
        let least = usize::from(waiting == Some(Waiting::Condition));
        let mutexes = random.pick(&[0, 1, 1, 2, 2]).max(least);
        Shared {
            style: random.pick(&[Style::Globals, Style::Globals, Style::Record, Style::Argument]),
            workers,
            main_works: workers == 1 || random.chance(if workers == 2 { 25 } else { 3 }),
            returned: random.chance(if workers == 3 { 80 } else { 40 }),
            cells: ["x", "y", "z"][..cells].to_vec(),
            atomics: ["a", "b"][..random.pick(&[0, 0, 1, 1, 2])].to_vec(),
            mutexes: ["m", "n"][..mutexes].to_vec(),
            waiting,
            counter: if random.chance(50) { Some(random.chance(25)) } else { None },
            pointers: Pointers {
                to_cell: random.chance(20),
                boxed: if random.chance(25) { Some(random.chance(35)) } else { None },
            },
            increments: Increments::default(),
            touched: Vec::new(),
        }
    }

    /// How code names a shared object.
    pub fn name(&self, object: &str) -> String {
        match self.style {
            _ if self.returned && object.starts_with("seen") => object.to_string(),
            Style::Globals => object.to_string(),
            Style::Record => format!("state.{object}"),
            Style::Argument => format!("s->{object}"),
        }
    }

    /// Names an object in code that uses it.
    pub fn touch(&mut self, object: &'static str) -> String {
        self.touched.push(object);
        self.name(object)
    }

    /// Removes unused objects.
    pub fn prune(&mut self) {
        let touched = std::mem::take(&mut self.touched);
        let is_used = |object: &&'static str| touched.contains(object);
        self.pointers.to_cell &= is_used(&"p");
        let target = self.cells[0];
        let pointer = self.pointers.to_cell;
        self.cells.retain(|cell| is_used(cell) || (pointer && *cell == target));
        self.atomics.retain(is_used);
        self.mutexes.retain(is_used);
        self.counter = self.counter.filter(|_| is_used(&"count"));
        self.pointers.boxed = self.pointers.boxed.filter(|_| is_used(&"box"));
        self.waiting = self.waiting.filter(|waiting| *waiting != Waiting::Guard || is_used(&"semaphore"));
    }

    fn declared(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let joined = |names: &[&str]| names.join(", ");
        if !self.cells.is_empty() {
            lines.push(format!("int {};", joined(&self.cells)));
        }
        if !self.atomics.is_empty() {
            lines.push(format!("atomic_int {};", joined(&self.atomics)));
        }
        if let Some(atomic) = self.counter {
            lines.push(format!("{} count;", if atomic { "atomic_int" } else { "int" }));
        }
        if self.pointers.to_cell {
            lines.push("int *p;".to_string());
        }
        if let Some(atomic) = self.pointers.boxed {
            let pointer = if atomic { "_Atomic(struct box *) box;" } else { "struct box *box;" };
            lines.push(pointer.to_string());
        }
        lines.extend(self.mutexes.iter().map(|mutex| format!("pthread_mutex_t {mutex};")));
        match self.waiting {
            Some(Waiting::Condition) => lines.push("pthread_cond_t changed;\nint ready;".to_string()),
            Some(Waiting::Signal | Waiting::Guard) => lines.push("sem_t semaphore;".to_string()),
            Some(Waiting::Barrier { .. }) => lines.push("pthread_barrier_t barrier;".to_string()),
            None => {}
        }
        if !self.returned {
            lines.push("int seen[4];".to_string());
        }
        lines
    }

    pub fn declarations(&self) -> String {
        let mut text = String::new();
        if self.pointers.boxed.is_some() {
            text.push_str("struct box {\nint value;\n};\n");
        }
        let lines = self.declared();
        if self.style == Style::Globals {
            let lines: Vec<String> =
                lines.iter().flat_map(|line| line.lines()).map(|line| format!("static {line}")).collect();
            return text + &lines.join("\n");
        }
        text.push_str(&format!("struct state {{\n{}\n}};\n", lines.join("\n")));
        if self.style == Style::Record {
            text.push_str("static struct state state;\n");
        }
        text
    }

    /// The first line of a thread that does `body`.
    pub fn opening(&self, body: &str) -> &'static str {
        match self.style {
            Style::Argument => "struct state *s = argument;",
            _ if body.contains("*own") => "int *own = argument;",
            _ => "(void)argument;",
        }
    }

    /// The argument of the thread with this index.
    pub fn argument(&self, index: usize) -> String {
        match self.style {
            Style::Argument => "s".to_string(),
            _ if self.returned => "NULL".to_string(),
            _ => format!("&{}", self.name(&format!("seen[{index}]"))),
        }
    }

    /// The statements of main before it creates the threads.
    pub fn preparation(&self) -> String {
        let mut lines = Vec::new();
        if self.returned {
            lines.push("int seen[4] = {0};".to_string());
        }
        if self.style == Style::Argument {
            lines.push("struct state *s = calloc(1, sizeof *s);\nif (!s) abort();".to_string());
        }
        for mutex in &self.mutexes {
            lines.push(format!("pthread_mutex_init(&{}, NULL);", self.name(mutex)));
        }
        match self.waiting {
            Some(Waiting::Condition) => lines.push(format!("pthread_cond_init(&{}, NULL);", self.name("changed"))),
            Some(Waiting::Signal) => lines.push(format!("sem_init(&{}, 0, 0);", self.name("semaphore"))),
            Some(Waiting::Guard) => lines.push(format!("sem_init(&{}, 0, 1);", self.name("semaphore"))),
            Some(Waiting::Barrier { extra }) => {
                let parties = self.workers + extra as usize;
                lines.push(format!("pthread_barrier_init(&{}, NULL, {parties});", self.name("barrier")));
            }
            None => {}
        }
        if self.pointers.to_cell {
            lines.push(format!("{} = &{};", self.name("p"), self.name(self.cells[0])));
        }
        if self.pointers.boxed.is_some() {
            lines.push(c!(
                r"struct box *made = malloc(sizeof *made);
                if (!made) abort();
                made->value = 1;
                $b = made;",
                b = self.name("box")
            ));
        }
        lines.join("\n")
    }

    /// Whether two threads can run the same function.
    pub fn bodies_can_be_shared(&self) -> bool {
        self.style != Style::Argument || self.returned
    }

    /// Waits for the thread with this index, which did `body`.
    pub fn join(&self, index: usize, body: &str) -> String {
        if self.returned && body.contains("intptr_t") {
            return c!(
                "{\nvoid *result;\npthread_join(threads[$i], &result);\nseen[$i] = (int)(intptr_t)result;\n}",
                i = index
            );
        }
        c!("pthread_join(threads[$i], NULL);", i = index)
    }

    /// Prints every shared value.
    pub fn report(&self) -> String {
        let mut format = String::new();
        let mut values = Vec::new();
        let mut add = |name: &str, value: String| {
            format.push_str(&format!("{name}=%d "));
            values.push(value);
        };
        for cell in self.cells.iter().chain(&self.atomics) {
            add(cell, self.name(cell));
        }
        if self.counter.is_some() {
            add("count", self.name("count"));
        }
        if self.waiting == Some(Waiting::Condition) {
            add("ready", self.name("ready"));
        }
        if self.pointers.to_cell {
            add("p", format!("(int)({} == &{})", self.name("p"), self.name(self.cells[0])));
        }
        if self.pointers.boxed.is_some() {
            add("box", format!("(int)({} != NULL)", self.name("box")));
        }
        for index in (0..self.workers).chain(self.main_works.then_some(3)) {
            add(&format!("seen{index}"), self.name(&format!("seen[{index}]")));
        }
        format!("printf(\"{}\\n\", {});", format.trim_end(), values.join(", "))
    }

    /// The statements of main before it returns.
    pub fn clearing(&self) -> String {
        let mut lines = Vec::new();
        if self.pointers.boxed.is_some() {
            lines.push(format!("free({});", self.name("box")));
        }
        if self.style == Style::Argument {
            lines.push("free(s);".to_string());
        }
        lines.join("\n")
    }
}
