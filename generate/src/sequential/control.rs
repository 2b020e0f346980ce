//! Control statements: branches, loops, switches, jumps. Every loop has a counter that its body cannot write, and
//! multiplications in loops stay within a bound.

use super::expression::Place;
use super::integer::Integer;
use super::range::Range;
use super::statement::{Block, Inside, MOST_REPEATS, unwrapped};

impl Block<'_> {
    pub(super) fn branch(&mut self, depth: usize) {
        let condition = self.scope.condition(self.program, 2);
        let condition = if self.program.random.chance(10) {
            format!("__builtin_expect(!!{condition}, {})", self.program.random.below(2))
        } else {
            unwrapped(&condition).to_string()
        };
        self.out.add(format!("if ({condition}) {{"));
        self.some(depth - 1);
        if self.program.random.chance(50) {
            self.out.add("} else {");
            self.some(depth - 1);
        }
        self.out.add("}");
    }

    fn some(&mut self, depth: usize) {
        let count = 1 + self.program.random.below(3);
        self.statements(count, depth);
    }

    /// The statements of a loop that runs at most `times` times, in which `counter` can be read.
    fn body(&mut self, counter: &str, times: usize, depth: usize) {
        let before = self.scope.places.len();
        let range = Range::new(0, times as i128 - 1);
        self.scope.places.push(Place { range, writable: false, ..Place::new(counter, Integer::Int) });
        self.repeats *= times;
        self.scope.affordable = self.limit / self.repeats;
        self.some(depth - 1);
        self.repeats /= times;
        self.scope.affordable = self.limit / self.repeats;
        self.scope.places.truncate(before);
    }

    fn times(&mut self) -> usize {
        (1 + self.program.random.below(8)).min((MOST_REPEATS / self.repeats).max(1))
    }

    pub(super) fn counted(&mut self, depth: usize) {
        let times = self.times();
        let counter = self.program.fresh("i");
        self.inside.push(Inside::Loop);
        match self.program.random.below(4) {
            0 => {
                self.out.add(format!("for (int {counter} = {}; {counter} >= 0; {counter}--) {{", times - 1));
                self.body(&counter, times, depth);
                self.out.add("}");
            }
            1 => {
                self.out.add(format!("for (int {counter} = 0; {counter} < {times}; ++{counter}) {{"));
                self.body(&counter, times, depth);
                self.out.add("}");
            }
            2 => {
                let extra = self.scope.condition(self.program, 1);
                self.out.add(format!("for (int {counter} = {times}; {counter} > 0 && {extra}; ) {{"));
                self.out.add(format!("{counter}--;"));
                self.body(&counter, times, depth);
                self.out.add("}");
            }
            _ => {
                self.out.add(format!("{{\nint {counter} = 0;\ndo {{"));
                self.body(&counter, times, depth);
                self.out.add(format!("}} while (++{counter} < {times});\n}}"));
            }
        }
        self.inside.pop();
    }

    pub(super) fn switch(&mut self, depth: usize) {
        let subject = self.scope.expression(self.program, 2).narrowed(self.program, 4);
        self.out.add(format!("switch ({}) {{", unwrapped(&subject.text)));
        self.inside.push(Inside::Switch);
        let mut next = subject.range.low.max(-16);
        let last = subject.range.high.min(16);
        let mut cases = 0;
        while next <= last && cases < 5 {
            let end = next + self.program.random.below(4) as i128;
            if end > next && self.program.random.chance(50) {
                self.out.add(format!("case {next} ... {end}:"));
            } else {
                self.out.add(format!("case {next}:"));
            }
            self.some(depth - 1);
            if self.program.random.chance(60) {
                self.out.add("break;");
            }
            cases += 1;
            next = end + 1 + self.program.random.below(3) as i128;
        }
        if self.program.random.chance(80) || cases == 0 {
            self.out.add("default:");
            self.some(depth - 1);
        }
        self.inside.pop();
        self.out.add("}");
    }

    pub(super) fn jump_back(&mut self, depth: usize) {
        let times = self.times();
        let (counter, label) = (self.program.fresh("n"), self.program.fresh("again"));
        self.out.add(format!("{{\nint {counter} = 0;\n{label}:\n;"));
        let outer = std::mem::take(&mut self.inside);
        self.body(&counter, times, depth);
        self.inside = outer;
        let condition = self.scope.condition(self.program, 1);
        self.out.add(format!("if (++{counter} < {times} && {condition}) goto {label};\n}}"));
    }

    pub(super) fn jump_out(&mut self, depth: usize) {
        let times = self.times();
        let (counter, label) = (self.program.fresh("i"), self.program.fresh("out"));
        self.out.add(format!("for (int {counter} = 0; {counter} < {times}; {counter}++) {{"));
        self.inside.push(Inside::Loop);
        self.body(&counter, times, depth);
        let condition = self.scope.condition(self.program, 2);
        self.out.add(format!("while ({condition}) {{\ngoto {label};\n}}"));
        self.assign();
        self.inside.pop();
        self.out.add(format!("}}\n{label}:\n;"));
    }
}
