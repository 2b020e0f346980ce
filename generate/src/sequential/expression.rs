//! Integer expressions without side effects. Each has its C type and the range of its values, so that an operator is
//! used directly where it is defined; otherwise its operands are narrowed, converted to unsigned, or passed to a
//! guarded operation.

use super::integer::Integer;
use super::program::Program;
use super::range::Range;

#[derive(Clone)]
pub struct Expression {
    pub text: String,
    pub ty: Integer,
    pub range: Range,
}

/// An object that can be read, and written where `writable`.
#[derive(Clone)]
pub struct Place {
    /// How it is written.
    pub text: String,
    /// How it is read: a cast where compilers disagree on the type of the bare name, as with wide bit-fields.
    pub read: String,
    pub ty: Integer,
    pub range: Range,
    pub writable: bool,
}

#[derive(Clone)]
pub struct Array {
    pub text: String,
    pub ty: Integer,
    pub length: usize,
    pub writable: bool,
}

/// A function without side effects.
#[derive(Clone)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<Integer>,
    pub result: Integer,
    /// About how many operations a call takes.
    pub cost: usize,
}

/// The names that an expression may use.
#[derive(Clone, Default)]
pub struct Scope {
    pub places: Vec<Place>,
    pub arrays: Vec<Array>,
    pub functions: Vec<Function>,
    /// The dearest call that may be written here.
    pub affordable: usize,
}

impl Place {
    pub fn new(text: impl Into<String>, ty: Integer) -> Place {
        let text = text.into();
        Place { read: text.clone(), text, ty, range: Range::of(ty), writable: true }
    }

    pub fn value(&self) -> Expression {
        Expression { text: self.read.clone(), ty: self.ty, range: self.range }
    }
}

impl Expression {
    pub fn constant(program: &mut Program, ty: Integer) -> Expression {
        let value = ty.interesting(&mut program.random);
        Expression::number(program, ty, value)
    }

    pub fn number(program: &mut Program, ty: Integer, value: i128) -> Expression {
        let text = ty.literal(value, &mut program.random);
        let text = if text.starts_with("(") && !text.ends_with(')') { format!("({text})") } else { text };
        Expression { text, ty, range: Range::exactly(value) }
    }

    pub fn cast(self, ty: Integer, spelling: &str) -> Expression {
        let range = if ty == Integer::Bool { Range::new(0, 1) } else { self.range.converted(self.ty, ty) };
        Expression { text: format!("({spelling}){}", self.text), ty, range }
    }

    fn promoted(&self) -> (Integer, Range) {
        let ty = self.ty.promoted();
        (ty, self.range.converted(self.ty, ty))
    }

    /// The operation `self operator other`, unless some values make it undefined.
    pub fn plain(&self, operator: &'static str, other: &Expression) -> Option<Expression> {
        let shift = matches!(operator, "<<" | ">>");
        let ty = if shift { self.ty.promoted() } else { Integer::common(self.ty, other.ty) };
        let a = self.range.converted(self.ty, ty);
        let b = if shift { other.range } else { other.range.converted(other.ty, ty) };
        let unbounded = ty == Integer::Unsigned128 && (a.high == i128::MAX || b.high == i128::MAX);
        let range = match operator {
            "+" | "-" | "*" => {
                let exact = Range::arithmetic(operator, a, b).filter(|r| !unbounded && r.within(Range::of(ty)));
                if ty.signed() { exact? } else { exact.unwrap_or(Range::of(ty)) }
            }
            "/" | "%" => Range::division(operator, a, b, ty)?,
            "<<" => a.left_shift(b, ty)?,
            ">>" => a.right_shift(b, ty)?,
            "&" | "|" | "^" => Range::bitwise(operator, a, b),
            _ => Range::new(0, 1),
        };
        let truth = matches!(operator, "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||");
        let ty = if truth { Integer::Int } else { ty };
        Some(Expression { text: format!("({} {operator} {})", self.text, other.text), ty, range })
    }

    /// An expression derived from this one whose magnitude is below two to the power `bits`.
    pub fn narrowed(self, program: &mut Program, bits: u32) -> Expression {
        let limit = 1i128 << bits.min(120);
        if self.range.within(Range::new(1 - limit, limit - 1)) {
            return self;
        }
        let ty = self.ty.promoted();
        let value = limit - 1 - program.random.below(3).min(limit as usize / 4) as i128;
        let value = value.min(ty.max()).max(1);
        if bits >= 8 && program.random.chance(25) {
            let small = program.random.pick(&[Integer::SignedChar, Integer::UnsignedChar, Integer::Char]);
            let spelling = small.spelling(&mut program.random);
            let cast = self.cast(small, spelling);
            return Expression { text: format!("({})", cast.text), ..cast };
        }
        let operator = program.random.pick(&["%", "&"]);
        let literal = ty.promoted().literal(value, &mut program.random);
        let (_, range) = self.promoted();
        let bound = Range::exactly(value);
        let range = match operator {
            "&" => Range::new(0, value),
            _ => Range::division("%", range, bound, ty).unwrap_or(Range::of(ty)),
        };
        Expression { text: format!("({} {operator} {literal})", self.text), ty, range }
    }

    /// A count that a shift of `ty` allows.
    fn count(self, program: &mut Program, ty: Integer) -> Expression {
        let bits = ty.bits() as i128;
        if self.range.low >= 0 && self.range.high < bits {
            return self;
        }
        if self.ty.bits() >= 8 && program.random.chance(60) {
            return Expression {
                text: format!("({} & {})", self.text, bits - 1),
                ty: self.ty.promoted(),
                range: Range::new(0, bits - 1),
            };
        }
        let value = program.random.below(bits as usize) as i128;
        Expression::number(program, Integer::Int, value)
    }

    /// `a operator b`, guarded where it must be.
    pub fn binary(program: &mut Program, operator: &'static str, a: Expression, b: Expression) -> Expression {
        if let Some(plain) = a.plain(operator, &b) {
            return plain;
        }
        match operator {
            "<<" | ">>" => Expression::shift(program, operator, a, b),
            "/" | "%" => Expression::division(program, operator, a, b),
            _ => Expression::overflowing(program, operator, a, b),
        }
    }

    fn shift(program: &mut Program, operator: &'static str, a: Expression, b: Expression) -> Expression {
        let b = b.count(program, a.ty.promoted());
        if let Some(plain) = a.plain(operator, &b) {
            return plain;
        }
        let unsigned = a.ty.promoted().unsigned();
        let shifted = a.cast(unsigned, unsigned.name());
        let text = format!("({} {operator} {})", shifted.text, b.text);
        Expression { text, ty: unsigned, range: Range::of(unsigned) }
    }

    fn division(program: &mut Program, operator: &'static str, a: Expression, b: Expression) -> Expression {
        let ty = Integer::common(a.ty, b.ty);
        if program.random.chance(50) {
            return Expression::guarded(program, operator, ty, a, b);
        }
        let small = b.narrowed(program, 6);
        let (_, range) = small.promoted();
        let offset = if range.low < 0 { 65 } else { 1 };
        let text = format!("({} + {offset})", small.text);
        let range = Range::new(range.low + offset, range.high + offset);
        let divisor = Expression { text, ty: small.ty.promoted(), range };
        match a.plain(operator, &divisor) {
            Some(plain) => plain,
            None => Expression::guarded(program, operator, ty, a, divisor),
        }
    }

    fn overflowing(program: &mut Program, operator: &'static str, a: Expression, b: Expression) -> Expression {
        let ty = Integer::common(a.ty, b.ty);
        match program.random.below(4) {
            0 | 1 => {
                let bits = if operator == "*" { (ty.bits() - 2) / 2 } else { ty.bits() - 3 };
                let (a, b) = (a.narrowed(program, bits), b.narrowed(program, bits));
                if let Some(plain) = a.plain(operator, &b) {
                    return plain;
                }
                Expression::wrapping(operator, ty, &a, &b)
            }
            2 if ty != Integer::Int128 => Expression::guarded(program, operator, ty, a, b),
            _ => Expression::wrapping(operator, ty, &a, &b),
        }
    }

    fn wrapping(operator: &'static str, ty: Integer, a: &Expression, b: &Expression) -> Expression {
        let unsigned = ty.unsigned().name();
        let text = format!("(({})(({unsigned}){} {operator} ({unsigned}){}))", ty.name(), a.text, b.text);
        Expression { text, ty, range: Range::of(ty) }
    }

    fn guarded(program: &mut Program, operator: &'static str, ty: Integer, a: Expression, b: Expression) -> Expression {
        let name = program.guarded(operator, ty);
        Expression { text: format!("{name}({}, {})", a.text, b.text), ty, range: Range::of(ty) }
    }

    fn unary(self, program: &mut Program) -> Expression {
        let (ty, range) = self.promoted();
        let (operator, range) = match program.random.below(4) {
            0 if !ty.signed() => ("-", Range::of(ty)),
            0 if range.low > ty.min() => ("-", Range::new(-range.high, -range.low)),
            1 => ("~", if ty.signed() { Range::new(!range.high, !range.low) } else { Range::of(ty) }),
            2 => return Expression { text: format!("(!{})", self.text), ty: Integer::Int, range: Range::new(0, 1) },
            _ => ("+", range),
        };
        Expression { text: format!("({operator}{})", self.text), ty, range }
    }
}

const OPERATORS: [&str; 24] = [
    "+", "+", "-", "-", "*", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||",
    "+", "-", "^",
];

impl Scope {
    /// A name of `place` that is in scope, or an element of an array.
    fn leaf(&self, program: &mut Program) -> Expression {
        if !self.arrays.is_empty() && program.random.chance(25) {
            return self.element(program, false).value();
        }
        if self.places.is_empty() || program.random.chance(25) {
            let ty = Integer::any(&mut program.random);
            return Expression::constant(program, ty);
        }
        program.random.pick(&self.places).value()
    }

    /// An element of some array, at an index that is in bounds for all values of the variables.
    pub fn element(&self, program: &mut Program, writable: bool) -> Place {
        let arrays: Vec<&Array> = self.arrays.iter().filter(|array| array.writable || !writable).collect();
        let array = program.random.pick(&arrays);
        let index = self.index(program, array.length);
        let text = format!("{}[{index}]", array.text);
        Place { writable: array.writable, ..Place::new(text, array.ty) }
    }

    fn index(&self, program: &mut Program, length: usize) -> String {
        let counters: Vec<&Place> =
            self.places.iter().filter(|place| place.range.low >= 0 && place.range.high < length as i128).collect();
        if !counters.is_empty() && program.random.chance(60) {
            return program.random.pick(&counters).text.clone();
        }
        if self.places.is_empty() || program.random.chance(25) {
            return program.random.below(length).to_string();
        }
        let place = program.random.pick(&self.places);
        format!("(unsigned){} % {length}", place.read)
    }

    pub fn expression(&self, program: &mut Program, depth: usize) -> Expression {
        if depth == 0 || program.random.chance(10) {
            return self.leaf(program);
        }
        match program.random.below(20) {
            0 | 1 => self.expression(program, depth - 1).unary(program),
            2..=4 => {
                let ty = Integer::any(&mut program.random);
                let spelling = ty.spelling(&mut program.random);
                let cast = self.expression(program, depth - 1).cast(ty, spelling);
                Expression { text: format!("({})", cast.text), ..cast }
            }
            5 => self.conditional(program, depth),
            6 => self.call(program, depth),
            7 => {
                let size = self.expression(program, 1);
                let bytes = size.ty.promoted().bits() as i128 / 8;
                Expression {
                    text: format!("sizeof(+{})", size.text),
                    ty: Integer::UnsignedLong,
                    range: Range::exactly(bytes),
                }
            }
            _ => {
                let operator = program.random.pick(&OPERATORS);
                let a = self.expression(program, depth - 1);
                let b = self.expression(program, depth - 1);
                Expression::binary(program, operator, a, b)
            }
        }
    }

    fn conditional(&self, program: &mut Program, depth: usize) -> Expression {
        let condition = self.condition(program, depth - 1);
        let a = self.expression(program, depth - 1);
        let b = self.expression(program, depth - 1);
        let ty = Integer::common(a.ty, b.ty);
        let range = a.range.converted(a.ty, ty).union(b.range.converted(b.ty, ty));
        Expression { text: format!("({condition} ? {} : {})", a.text, b.text), ty, range }
    }

    fn call(&self, program: &mut Program, depth: usize) -> Expression {
        let affordable: Vec<&Function> = self.functions.iter().filter(|f| f.cost <= self.affordable).collect();
        if affordable.is_empty() {
            return self.leaf(program);
        }
        let function = program.random.pick(&affordable);
        let arguments: Vec<String> =
            function.parameters.iter().map(|_| self.expression(program, depth.min(2) - 1).text).collect();
        let text = format!("{}({})", function.name, arguments.join(", "));
        Expression { text, ty: function.result, range: Range::of(function.result) }
    }

    /// The text of a branch condition.
    pub fn condition(&self, program: &mut Program, depth: usize) -> String {
        if program.random.chance(20) {
            return self.expression(program, depth).text;
        }
        let operator = program.random.pick(&["==", "!=", "<", "<=", ">", ">=", "&&", "||"]);
        let a = self.expression(program, depth);
        let b = self.expression(program, depth);
        Expression::binary(program, operator, a, b).text
    }
}
