//! Parses function bodies: blocks, instructions, operands.

use super::error::ParseError;
use super::lex::Kind;
use super::ordering_from_name;
use super::parse::Parser;
use crate::ids::{BlockId, Reg};
use crate::instr::{
    BinaryOp, Callee, CastOp, FloatPredicate, Instr, IntPredicate, Op, Operand, Ordering, OverflowOp, RmwOp, Target,
    Terminator, TerminatorKind, UnaryOp,
};
use crate::primitive::Primitive;
use crate::program::{Block, Register};
use crate::types::Type;

const BLOCK: &str = "a block such as `b2`";

const ORDERINGS: &str = "an ordering (relaxed, acquire, release, acqrel or seqcst)";

/// The definition of a register.
struct Definition {
    reg: Reg,
    register: Register,
    offset: usize,
}

enum Line {
    Instr(Instr),
    Terminator(Terminator),
}

impl Parser<'_> {
    /// The body after the `{` of a function, and its `}`.
    pub fn body(&mut self) -> Result<(Vec<Block>, Vec<Register>), ParseError> {
        self.cursor.line_end()?;
        let mut definitions = Vec::new();
        let mut blocks = Vec::new();
        while self.cursor.eat_word("unassigned") {
            let definition = self.definition()?;
            definitions.push(definition);
            self.cursor.line_end()?;
        }
        while !self.cursor.eat_mark('}') {
            let block = self.block(blocks.len(), &mut definitions)?;
            blocks.push(block);
        }
        Ok((blocks, self.registers(definitions)?))
    }

    /// Registers are numbered from 0 without gaps, each assigned once.
    fn registers(&self, mut definitions: Vec<Definition>) -> Result<Vec<Register>, ParseError> {
        definitions.sort_by_key(|definition| (definition.reg, definition.offset));
        let mut registers = Vec::with_capacity(definitions.len());
        for definition in definitions {
            let (found, next) = (definition.reg.index(), registers.len());
            if found != next {
                let message = match found < next {
                    true => format!("v{found} is assigned a second time here"),
                    false => {
                        format!("v{found} is assigned here, and v{next} nowhere: registers are numbered without gaps")
                    }
                };
                return Err(self.cursor.error_at(definition.offset, message));
            }
            registers.push(definition.register);
        }
        Ok(registers)
    }

    fn definition(&mut self) -> Result<Definition, ParseError> {
        let offset = self.cursor.offset();
        let reg = Reg(self.cursor.indexed('v', "a register such as `v3`")?);
        let name = self.optional_text()?;
        self.cursor.mark(':')?;
        Ok(Definition { reg, register: Register { ty: self.ty()?, name }, offset })
    }

    fn block(&mut self, index: usize, definitions: &mut Vec<Definition>) -> Result<Block, ParseError> {
        if self.cursor.peek_indexed('b').is_none_or(|found| found as usize != index) {
            return Err(self.cursor.expected(&format!("the label `b{index}` or `}}`")));
        }
        self.cursor.advance();
        let mut params = Vec::new();
        if self.cursor.peek() == Kind::Mark('(') {
            for definition in self.listed('(', ')', Parser::definition)? {
                params.push(definition.reg);
                definitions.push(definition);
            }
        }
        self.cursor.mark(':')?;
        self.cursor.line_end()?;
        let mut instrs = Vec::new();
        loop {
            let line = self.line(definitions)?;
            self.cursor.line_end()?;
            match line {
                Line::Instr(instr) => instrs.push(instr),
                Line::Terminator(terminator) => return Ok(Block { params, instrs, terminator }),
            }
        }
    }

    fn line(&mut self, definitions: &mut Vec<Definition>) -> Result<Line, ParseError> {
        let mut results = Vec::new();
        if self.cursor.peek_indexed('v').is_some() {
            loop {
                let definition = self.definition()?;
                results.push(definition.reg);
                definitions.push(definition);
                if !self.cursor.eat_mark(',') {
                    break;
                }
            }
            self.cursor.mark('=')?;
        } else if let Some(kind) = self.terminator()? {
            return Ok(Line::Terminator(Terminator { kind, span: self.place()? }));
        }
        let op = self.op()?;
        Ok(Line::Instr(Instr { results, op, span: self.place()? }))
    }

    fn terminator(&mut self) -> Result<Option<TerminatorKind>, ParseError> {
        let Kind::Word(word) = self.cursor.peek() else { return Ok(None) };
        if !matches!(word, "jump" | "branch" | "switch" | "invoke" | "return" | "unreachable") {
            return Ok(None);
        }
        self.cursor.advance();
        Ok(Some(match word {
            "jump" => TerminatorKind::Jump(self.target()?),
            "branch" => {
                let cond = self.operand()?;
                self.cursor.mark(',')?;
                let then = self.target()?;
                self.cursor.mark(',')?;
                let otherwise = self.target()?;
                TerminatorKind::Branch { cond, then, otherwise, quiet: self.cursor.eat_word("quiet") }
            }
            "switch" => {
                let value = self.operand()?;
                let cases = self.listed('[', ']', |parser| {
                    let case = parser.cursor.number("a case's value")?;
                    parser.cursor.mark(':')?;
                    Ok((case, parser.target()?))
                })?;
                self.cursor.keyword("else")?;
                let default = self.target()?;
                TerminatorKind::Switch { value, cases, default, quiet: self.cursor.eat_word("quiet") }
            }
            "invoke" => {
                let (callee, args) = self.call()?;
                self.cursor.keyword("to")?;
                let next = BlockId(self.cursor.indexed('b', BLOCK)?);
                self.cursor.keyword("unwind")?;
                let unwind = BlockId(self.cursor.indexed('b', BLOCK)?);
                TerminatorKind::Invoke { callee, args, table: self.operand()?, next, unwind }
            }
            "return" if matches!(self.cursor.peek(), Kind::LineEnd | Kind::End | Kind::Mark('!')) => {
                TerminatorKind::Return(Vec::new())
            }
            "return" => {
                let mut values = vec![self.operand()?];
                while self.cursor.eat_mark(',') {
                    values.push(self.operand()?);
                }
                TerminatorKind::Return(values)
            }
            _ => TerminatorKind::Unreachable,
        }))
    }

    fn target(&mut self) -> Result<Target, ParseError> {
        let block = BlockId(self.cursor.indexed('b', BLOCK)?);
        let args = if self.cursor.peek() == Kind::Mark('(') { self.arguments()? } else { Vec::new() };
        Ok(Target { block, args })
    }

    fn call(&mut self) -> Result<(Callee, Vec<Operand>), ParseError> {
        let callee = match self.cursor.eat_word("indirect") {
            true => Callee::Indirect(self.operand()?),
            false => Callee::Direct(self.function_use()?),
        };
        Ok((callee, self.arguments()?))
    }

    fn arguments(&mut self) -> Result<Vec<Operand>, ParseError> {
        self.listed('(', ')', Parser::operand)
    }

    fn op(&mut self) -> Result<Op, ParseError> {
        const INSTRUCTION: &str = "an instruction or a terminator (jump, branch, switch, invoke, return, unreachable)";
        let Kind::Word(word) = self.cursor.peek() else { return Err(self.cursor.expected(INSTRUCTION)) };
        let start = self.cursor.offset();
        self.cursor.advance();
        Ok(match word {
            "compare" => {
                let predicate = self.named(IntPredicate::from_name, "a predicate such as `ult`")?;
                let [left, right] = self.operands()?;
                Op::Compare { predicate, left, right }
            }
            "fcompare" => {
                let predicate = self.named(FloatPredicate::from_name, "a predicate such as `olt`")?;
                let [left, right] = self.operands()?;
                Op::FloatCompare { predicate, left, right }
            }
            "fma" => {
                let [left, right, addend] = self.operands()?;
                Op::FusedMultiplyAdd { left, right, addend }
            }
            "select" => {
                let [cond, then, otherwise] = self.operands()?;
                Op::Select { cond, then, otherwise }
            }
            "address" => {
                let base = self.operand()?;
                self.cursor.mark(',')?;
                let offset = self.cursor.signed("a 64-bit offset")?;
                let mut indices = Vec::new();
                while self.cursor.eat_mark(',') {
                    let index = self.operand()?;
                    self.cursor.mark('*')?;
                    indices.push((index, self.cursor.signed("a 64-bit scale")?));
                }
                Op::Address { base, offset, indices }
            }
            "call" => {
                let (callee, args) = self.call()?;
                Op::Call { callee, args }
            }
            "variadic_arguments" => Op::VariadicArguments,
            "unsupported" => Op::Unsupported { what: self.cursor.text("what is not supported, in quotes")? },
            "thread_local" | "local" | "load" | "store" | "rmw" | "cmpxchg" | "fence" => self.memory_op(word)?,
            _ => match self.plain_op(word)? {
                Some(op) => op,
                None => return Err(self.cursor.expected_at(start, INSTRUCTION, word)),
            },
        })
    }

    /// Operations that consist of their name and operands.
    fn plain_op(&mut self, word: &str) -> Result<Option<Op>, ParseError> {
        Ok(Some(if let Some(op) = BinaryOp::from_name(word) {
            let [left, right] = self.operands()?;
            Op::Binary { op, left, right }
        } else if let Some(op) = UnaryOp::from_name(word) {
            Op::Unary { op, arg: self.operand()? }
        } else if let Some(op) = CastOp::from_name(word) {
            Op::Cast { op, arg: self.operand()? }
        } else if let Some(op) = OverflowOp::from_name(word) {
            let [left, right] = self.operands()?;
            Op::Overflowing { op, left, right }
        } else if let Some(primitive) = Primitive::from_name(word) {
            Op::Primitive { primitive, args: self.arguments()? }
        } else {
            return Ok(None);
        }))
    }

    fn memory_op(&mut self, word: &str) -> Result<Op, ParseError> {
        Ok(match word {
            "thread_local" => Op::ThreadLocal { global: self.global_use()? },
            "local" => {
                let size = self.operand()?;
                self.cursor.keyword("align")?;
                let align = self.cursor.number("the alignment in bytes")?;
                Op::Local { size, align, name: self.optional_text()?, layout: self.optional_layout()? }
            }
            "load" => {
                Op::Load { address: self.operand()?, ordering: self.optional_ordering(), place: self.optional_text()? }
            }
            "store" => {
                let value = self.operand()?;
                self.cursor.keyword("to")?;
                let address = self.operand()?;
                Op::Store { address, value, ordering: self.optional_ordering(), place: self.optional_text()? }
            }
            "rmw" => {
                let op = self.named(RmwOp::from_name, "an operation such as `xchg` or `add`")?;
                let [address, value] = self.operands()?;
                let ordering = self.named(ordering_from_name, ORDERINGS)?;
                Op::Rmw { op, address, value, ordering, place: self.optional_text()? }
            }
            "cmpxchg" => {
                let weak = match self.cursor.eat_word("weak") {
                    true => true,
                    false => self.cursor.keyword("strong").map(|()| false)?,
                };
                let [address, expected, new] = self.operands()?;
                let success = self.named(ordering_from_name, ORDERINGS)?;
                let failure = self.named(ordering_from_name, ORDERINGS)?;
                let place = self.optional_text()?;
                Op::CompareExchange { address, expected, new, weak, success, failure, place }
            }
            _ => Op::Fence { ordering: self.named(ordering_from_name, ORDERINGS)? },
        })
    }

    fn named<T>(&mut self, from_name: impl Fn(&str) -> Option<T>, what: &str) -> Result<T, ParseError> {
        let value = match self.cursor.peek() {
            Kind::Word(word) => from_name(word),
            _ => None,
        };
        let value = value.ok_or_else(|| self.cursor.expected(what))?;
        self.cursor.advance();
        Ok(value)
    }

    fn optional_ordering(&mut self) -> Option<Ordering> {
        let Kind::Word(word) = self.cursor.peek() else { return None };
        let ordering = ordering_from_name(word)?;
        self.cursor.advance();
        Some(ordering)
    }

    /// As many operands as the caller takes, separated by commas.
    fn operands<const N: usize>(&mut self) -> Result<[Operand; N], ParseError> {
        let mut operands = [Operand::NULL; N];
        for (index, operand) in operands.iter_mut().enumerate() {
            if index > 0 {
                self.cursor.mark(',')?;
            }
            *operand = self.operand()?;
        }
        Ok(operands)
    }

    fn operand(&mut self) -> Result<Operand, ParseError> {
        const OPERAND: &str = "an operand (a register, a constant such as `i32 5`, null, undef, $global or @function)";
        match self.cursor.peek() {
            Kind::Mark('$') => {
                let global = self.global_use()?;
                Ok(Operand::Global { global, offset: self.addend()? })
            }
            Kind::Mark('@') => Ok(Operand::Function(self.function_use()?)),
            Kind::Word("null") => {
                self.cursor.advance();
                Ok(Operand::NULL)
            }
            Kind::Word("undef") => {
                self.cursor.advance();
                Ok(Operand::Undef(self.ty()?))
            }
            Kind::Word(_) => {
                if let Some(number) = self.cursor.peek_indexed('v') {
                    self.cursor.advance();
                    return Ok(Operand::Reg(Reg(number)));
                }
                match self.optional_type() {
                    Some(ty) => self.constant(ty),
                    None => Err(self.cursor.expected(OPERAND)),
                }
            }
            _ => Err(self.cursor.expected(OPERAND)),
        }
    }

    fn constant(&mut self, ty: Type) -> Result<Operand, ParseError> {
        let what = format!("a number of {} bits", ty.bits());
        let mask = u128::MAX >> (128 - ty.bits());
        if ty.is_int() && self.cursor.peek() == Kind::Mark('-') {
            let offset = self.cursor.offset();
            let value: i128 = self.cursor.signed(&what)?;
            let least = -1_i128 << (ty.bits() - 1);
            if value < least {
                return Err(self.cursor.error_at(offset, format!("expected {what}, found `{value}`")));
            }
            return Ok(Operand::Const { ty, bits: value as u128 & mask });
        }
        let offset = self.cursor.offset();
        let bits: u128 = self.cursor.number(&what)?;
        if bits > mask {
            return Err(self.cursor.error_at(offset, format!("expected {what}, found `{bits}`")));
        }
        Ok(Operand::Const { ty, bits })
    }
}
