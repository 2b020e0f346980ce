//! Statements over the variables of a scope. Each side effect is in a statement of its own, so that the order of
//! evaluation does not matter.

use super::expression::{Array, Expression, Function, Place, Scope};
use super::integer::Integer;
use super::program::Program;
use super::range::Range;
use crate::source::Source;

pub struct Block<'p> {
    pub program: &'p mut Program,
    pub scope: Scope,
    pub out: Source,
    /// Functions with side effects; they are called as whole statements only.
    pub actions: Vec<Function>,
    /// Whether results may be reported from here: not in a function without side effects.
    pub reports: bool,
    /// How many operations the calls of one statement may add to one call of this function.
    pub(super) limit: usize,
    /// How often the current statement may run per call of the function.
    pub(super) repeats: usize,
    /// The targets of `break` and `continue`.
    pub(super) inside: Vec<Inside>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Inside {
    Loop,
    Switch,
}

pub(super) const MOST_REPEATS: usize = 300;
const MOST_OPERATIONS: usize = 20_000;
const MOST_OPERATIONS_IN_FUNCTION: usize = 1_000;

impl<'p> Block<'p> {
    pub fn new(program: &'p mut Program, scope: Scope) -> Block<'p> {
        let mut block = Block {
            program,
            scope,
            out: Source::new(),
            actions: Vec::new(),
            reports: true,
            limit: MOST_OPERATIONS,
            repeats: 1,
            inside: Vec::new(),
        };
        block.scope.affordable = MOST_OPERATIONS;
        block
    }

    /// Declares `count` variables of any types, and arrays now and then.
    pub fn declare(&mut self, count: usize) {
        for _ in 0..count {
            let ty = Integer::any(&mut self.program.random);
            let spelling = ty.spelling(&mut self.program.random);
            let qualifier = if self.program.random.chance(10) { "volatile " } else { "" };
            if self.program.random.chance(20) {
                self.declare_array(ty, spelling);
                continue;
            }
            let name = self.program.fresh("v");
            let value = Expression::constant(self.program, ty);
            self.out.add(format!("{qualifier}{spelling} {name} = {};", value.text));
            if self.program.random.chance(15) {
                let pointer = self.program.fresh("p");
                self.out.add(format!("{qualifier}{} *{pointer} = &{name};", ty.name()));
                self.scope.places.push(Place::new(format!("*{pointer}"), ty));
            }
            self.scope.places.push(Place::new(name, ty));
        }
    }

    fn declare_array(&mut self, ty: Integer, spelling: &str) {
        let name = self.program.fresh("a");
        let length = 2 + self.program.random.below(7);
        let given = 1 + self.program.random.below(length);
        let values: Vec<String> = (0..given).map(|_| Expression::constant(self.program, ty).text).collect();
        self.out.add(format!("{spelling} {name}[{length}] = {{{}}};", values.join(", ")));
        self.scope.arrays.push(Array { text: name, ty, length, writable: true });
    }

    pub fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        let kinds = if depth == 0 { 12 } else { 22 };
        match self.program.random.below(kinds) {
            0..=3 => self.assign(),
            4..=6 => self.compound(),
            7 => self.step(),
            8 => self.comma(),
            9 => self.act(),
            10 => self.leave(),
            11 => self.report(),
            12..=14 => self.branch(depth),
            15..=17 => self.counted(depth),
            18 | 19 => self.switch(depth),
            20 => self.jump_back(depth),
            _ => self.jump_out(depth),
        }
    }

    /// A place to write to, if there is one.
    fn target(&mut self) -> Option<Place> {
        let places: Vec<Place> = self.scope.places.iter().filter(|place| place.writable).cloned().collect();
        let arrays = self.scope.arrays.iter().any(|array| array.writable);
        if arrays && (places.is_empty() || self.program.random.chance(25)) {
            return Some(self.scope.element(self.program, true));
        }
        if places.is_empty() { None } else { Some(self.program.random.pick(&places)) }
    }

    /// A variable that only its own name reaches.
    fn variable(&mut self) -> Option<Place> {
        let is_name = |place: &&Place| place.writable && place.text.chars().all(|c| c.is_ascii_alphanumeric());
        let places: Vec<Place> = self.scope.places.iter().filter(is_name).cloned().collect();
        if places.is_empty() { None } else { Some(self.program.random.pick(&places)) }
    }

    pub(super) fn assign(&mut self) {
        let Some(target) = self.target() else { return };
        let value = self.scope.expression(self.program, 3);
        self.out.add(format!("{} = {};", target.text, unwrapped(&value.text)));
    }

    fn compound(&mut self) {
        let Some(target) = self.target().filter(|target| target.read == target.text) else { return self.assign() };
        let operator = self.program.random.pick(&["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]);
        let mut value = self.scope.expression(self.program, 2);
        let mut current = target.value();
        let divisor = matches!(operator, "/" | "%");
        if divisor && (value.range.contains(0) || value.range.contains(-1)) {
            value = Expression::number(self.program, Integer::Int, 3);
        }
        if matches!(operator, "<<" | ">>") {
            let count = self.program.random.below(target.ty.promoted().bits() as usize / 2) as i128;
            value = Expression::number(self.program, Integer::Int, count);
        }
        if is_defined(operator, &current, &value) {
            self.out.add(format!("{} {operator}= {};", target.text, unwrapped(&value.text)));
            return;
        }
        let narrow = (target.ty.promoted().bits() - 2) / 2;
        if current.range.high < 0x3f {
            return;
        } else if operator == "<<" {
            self.out.add(format!("{} &= 0x3f;", target.text));
            current.range = Range::new(0, 0x3f);
        } else {
            self.out.add(format!("{} %= 10007;", target.text));
            current.range = Range::new(current.range.low.max(-10006), current.range.high.min(10006));
            value = value.narrowed(self.program, narrow.min(13));
        }
        if is_defined(operator, &current, &value) {
            self.out.add(format!("{} {operator}= {};", target.text, unwrapped(&value.text)));
        }
    }

    fn step(&mut self) {
        let Some(target) = self.variable() else { return };
        let (operator, guard) = self.program.random.pick(&[("++", "< 100"), ("--", "> -100")]);
        let step = match self.program.random.chance(50) {
            true => format!("{operator}{}", target.text),
            false => format!("{}{operator}", target.text),
        };
        let step = match self.variable() {
            Some(other) if other.text != target.text => format!("{} = {step}", other.text),
            _ => step,
        };
        if target.ty.signed() && target.ty.promoted() == target.ty {
            self.out.add(format!("if ({} {guard}) {step};", target.text));
        } else {
            self.out.add(format!("{step};"));
        }
    }

    fn comma(&mut self) {
        let (Some(first), Some(second)) = (self.variable(), self.variable()) else { return };
        if first.text == second.text {
            return self.assign();
        }
        let a = self.scope.expression(self.program, 2).text;
        let b = self.scope.expression(self.program, 2).text;
        self.out.add(format!("{} = ({} = {a}, {b});", first.text, second.text));
    }

    fn act(&mut self) {
        self.scope.affordable = self.limit / self.repeats;
        let affordable: Vec<Function> =
            self.actions.iter().filter(|f| f.cost <= self.scope.affordable).cloned().collect();
        if affordable.is_empty() {
            return self.assign();
        }
        let action = self.program.random.pick(&affordable);
        let arguments: Vec<String> =
            action.parameters.iter().map(|_| self.scope.expression(self.program, 1).text).collect();
        let call = format!("{}({})", action.name, arguments.join(", "));
        match self.variable() {
            Some(target) => self.out.add(format!("{} = {call};", target.text)),
            None => self.out.add(format!("{call};")),
        }
    }

    fn leave(&mut self) {
        let condition = self.scope.condition(self.program, 1);
        let word = match self.inside.last() {
            Some(Inside::Loop) => self.program.random.pick(&["break", "continue"]),
            Some(Inside::Switch) => "break",
            None => return self.assign(),
        };
        self.out.add(format!("if ({}) {word};", unwrapped(&condition)));
    }

    fn report(&mut self) {
        if !self.reports {
            return self.assign();
        }
        let value = self.scope.expression(self.program, 2);
        let wide = value.ty.bits() > 64;
        if self.repeats > 3 || self.program.random.chance(50) {
            let verb = if wide { "mix_wide" } else { "mix" };
            self.out.add(format!("{verb}({});", unwrapped(&value.text)));
        } else if wide {
            self.out.add(format!("show_wide(\"{}\", {});", self.program.fresh("w"), unwrapped(&value.text)));
        } else {
            let (length, conversion) = value.ty.conversion();
            self.out.add(format!("printf(\"%{length}{conversion}\\n\", {});", unwrapped(&value.text)));
        }
    }

    /// Prints all values that the scope can read.
    pub fn show_all(&mut self) {
        for place in self.scope.places.clone() {
            let verb = if place.ty.bits() > 64 { "show_wide" } else { "show" };
            let value = if place.ty.bits() > 64 { place.read } else { format!("(long long){}", place.read) };
            self.out.add(format!("{verb}(\"{}\", {value});", place.text));
        }
        for array in self.scope.arrays.clone() {
            let index = self.program.fresh("i");
            let verb = if array.ty.bits() > 64 { "mix_wide" } else { "mix" };
            self.out.add(format!(
                "for (int {index} = 0; {index} < {}; {index}++) {verb}({}[{index}]);",
                array.length, array.text
            ));
        }
    }

    /// About how many operations the block takes; how often each line runs is not tracked, so that it is a high guess.
    pub fn cost(&self) -> usize {
        let calls: usize =
            self.scope.functions.iter().map(|f| self.out.text().matches(&format!("{}(", f.name)).count()).sum();
        let lines = self.out.text().lines().count();
        let loops = self.out.text().matches("for (").count() + self.out.text().matches("while (").count();
        lines * 10 * if loops == 0 { 1 } else { MOST_REPEATS / 8 } + calls * self.limit
    }
}

fn is_defined(operator: &'static str, a: &Expression, b: &Expression) -> bool {
    a.plain(operator, b).is_some()
}

/// The text without the parentheses around all of it.
pub fn unwrapped(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0i32;
    let mut quoted = false;
    for c in inner.chars() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return text;
        }
    }
    inner
}

/// A function of a few integers without side effects.
pub fn pure_function(program: &mut Program, visible: &Scope) -> Function {
    let name = program.fresh("f");
    let result = Integer::any(&mut program.random);
    let count = 1 + program.random.below(4);
    let parameters: Vec<Integer> = (0..count).map(|_| Integer::any(&mut program.random)).collect();
    let mut scope = visible.clone();
    scope.places.iter_mut().for_each(|place| place.writable = false);
    scope.arrays.iter_mut().for_each(|array| array.writable = false);
    let mut declared = Vec::new();
    for ty in &parameters {
        let parameter = program.fresh("x");
        declared.push(format!("{} {parameter}", ty.spelling(&mut program.random)));
        scope.places.push(Place::new(parameter, *ty));
    }
    let head = format!("static {} {name}({}) {{", result.spelling(&mut program.random), declared.join(", "));
    let mut block = Block::new(program, scope);
    block.reports = false;
    block.limit = MOST_OPERATIONS_IN_FUNCTION;
    block.scope.affordable = MOST_OPERATIONS_IN_FUNCTION;
    let locals = block.program.random.below(3);
    block.declare(locals);
    let (count, depth) = (block.program.random.below(4), block.program.random.below(3));
    block.statements(count, depth);
    let value = block.scope.expression(block.program, 3).text;
    let cost = block.cost();
    let out = block.out;
    program.functions.add(head);
    program.functions.add(out.text());
    program.functions.add(format!("return {};\n}}", unwrapped(&value)));
    Function { name, parameters, result, cost }
}
