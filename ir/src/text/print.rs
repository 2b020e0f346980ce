//! Prints programs as text.
//!
//! This never fails for ill-formed programs: an invalid index is printed as it is, and the parser or the verifier
//! refuses it.

use std::collections::HashSet;
use std::fmt::{self, Write};

use super::{VERSION, is_bare, ordering_name};
use crate::ids::{FunctionId, GlobalId, LayoutId, Reg, TextId};
use crate::instr::{Callee, Instr, Op, Operand, Ordering, Target, Terminator, TerminatorKind};
use crate::program::{Function, Global, Layout, Origin, Program, Symbol};
use crate::span::SpanId;
use crate::types::Type;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer::new(self, f, Detail::Everything).program()
    }
}

/// The parts of a program to print.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    Everything,
    /// Only the parts that affect behaviour: no places, no source names, no layouts.
    Behaviour,
}

/// Prints only the parts that affect behaviour.
pub(crate) fn print_behaviour(program: &Program, out: &mut dyn Write) -> fmt::Result {
    Printer::new(program, out, Detail::Behaviour).program()
}

/// The depth up to which a chain of inlined calls is shown in a comment; the table has all of it.
const COMMENT_DEPTH: usize = 4;

const BYTES_PER_LINE: usize = 32;

struct Printer<'a> {
    program: &'a Program,
    out: &'a mut dyn Write,
    detail: Detail,
    /// For each text, whether it is the first of equal ones, so that it needs no index.
    stands_for_itself: Vec<bool>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, out: &'a mut dyn Write, detail: Detail) -> Printer<'a> {
        let mut seen = HashSet::new();
        let stands_for_itself = program.texts.iter().map(|text| seen.insert(text.as_str())).collect();
        Printer { program, out, detail, stands_for_itself }
    }

    fn everything(&self) -> bool {
        self.detail == Detail::Everything
    }

    fn program(&mut self) -> fmt::Result {
        let program = self.program;
        writeln!(self.out, "heddle ir {VERSION}")?;
        if self.everything() {
            writeln!(self.out, "program {}", Quoted(&program.name))?;
        }
        self.out.write_str("entry ")?;
        self.function_name(program.entry)?;
        for constructor in &program.constructors {
            self.out.write_str("\nconstructor ")?;
            self.function_name(*constructor)?;
        }
        self.out.write_str("\n")?;
        if self.everything() {
            self.tables()?;
        }
        for global in &program.globals {
            self.global(global)?;
        }
        for function in &program.functions {
            self.function(function)?;
        }
        Ok(())
    }

    fn tables(&mut self) -> fmt::Result {
        for file in &self.program.files {
            writeln!(self.out, "file {}", Quoted(file))?;
        }
        for (index, span) in self.program.spans.iter().enumerate() {
            write!(self.out, "span !{index} {}:{}:{}", span.file.0, span.line, span.column)?;
            if let Some(at) = span.inlined_at {
                write!(self.out, " from !{}", at.0)?;
            }
            self.out.write_str("\n")?;
        }
        for text in &self.program.texts {
            writeln!(self.out, "text {}", Quoted(text))?;
        }
        for (index, layout) in self.program.layouts.iter().enumerate() {
            write!(self.out, "layout #{index} ")?;
            self.layout(layout)?;
            self.out.write_str("\n")?;
        }
        Ok(())
    }

    fn layout(&mut self, layout: &Layout) -> fmt::Result {
        match layout {
            Layout::Signed { name, bytes } => write!(self.out, "signed {} {bytes}", Quoted(name)),
            Layout::Unsigned { name, bytes } => write!(self.out, "unsigned {} {bytes}", Quoted(name)),
            Layout::Boolean { bytes } => write!(self.out, "boolean {bytes}"),
            Layout::Character { bytes } => write!(self.out, "character {bytes}"),
            Layout::Float { name, bytes } => write!(self.out, "float {} {bytes}", Quoted(name)),
            Layout::Pointer { to: None } => self.out.write_str("pointer"),
            Layout::Pointer { to: Some(LayoutId(to)) } => write!(self.out, "pointer #{to}"),
            Layout::Array { element, count } => write!(self.out, "array #{} {count}", element.0),
            Layout::Struct { name, bytes, members } => {
                write!(self.out, "struct {} {bytes} {{", Quoted(name))?;
                for (index, member) in members.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    let (offset, size, layout) = (member.offset_bits, member.size_bits, member.layout.0);
                    write!(self.out, "{comma} {} at {offset} size {size} #{layout}", Quoted(&member.name))?;
                }
                self.out.write_str(" }")
            }
            Layout::Enum { name, bytes, variants } => {
                write!(self.out, "enum {} {bytes} {{", Quoted(name))?;
                for (index, (variant, value)) in variants.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(self.out, "{comma} {} {value}", Quoted(variant))?;
                }
                self.out.write_str(" }")
            }
            Layout::Opaque { name, bytes } => write!(self.out, "opaque {} {bytes}", Quoted(name)),
        }
    }

    fn global(&mut self, global: &Global) -> fmt::Result {
        write!(self.out, "\nglobal ${} size {} align {}", Name(&global.name), global.size, global.align)?;
        for (set, word) in [
            (global.constant, " constant"),
            (global.thread_local, " thread_local"),
            (global.external, " external"),
            (self.everything() && global.origin == Origin::Library, " library"),
            (self.everything() && global.origin == Origin::Model, " model"),
        ] {
            if set {
                self.out.write_str(word)?;
            }
        }
        if self.everything() {
            self.layout_of(global.layout)?;
        }
        self.place(global.span)?;
        if global.bytes.is_empty() && global.relocations.is_empty() {
            self.comment(global.span)?;
            return self.out.write_str("\n");
        }
        self.out.write_str(" {")?;
        self.comment(global.span)?;
        for line in global.bytes.chunks(BYTES_PER_LINE) {
            self.out.write_str("\n  bytes ")?;
            for byte in line {
                write!(self.out, "{byte:02x}")?;
            }
        }
        for relocation in &global.relocations {
            write!(self.out, "\n  at {} ", relocation.offset)?;
            match relocation.symbol {
                Symbol::Global(global) => self.global_name(global)?,
                Symbol::Function(function) => self.function_name(function)?,
            }
            self.addend(relocation.addend)?;
        }
        self.out.write_str("\n}\n")
    }

    fn function(&mut self, function: &Function) -> fmt::Result {
        write!(self.out, "\nfunction @{}", Name(&function.name))?;
        if !function.returns.is_empty() {
            self.out.write_str(" -> (")?;
            for (index, ty) in function.returns.iter().enumerate() {
                write!(self.out, "{}{ty}", if index == 0 { "" } else { ", " })?;
            }
            self.out.write_str(")")?;
        }
        for (set, word) in [
            (function.variadic, " variadic"),
            (function.atomic, " atomic"),
            (self.everything() && function.origin == Origin::Library, " library"),
            (self.everything() && function.origin == Origin::Model, " model"),
        ] {
            if set {
                self.out.write_str(word)?;
            }
        }
        if self.everything() && function.display != function.name {
            write!(self.out, " display {}", Quoted(&function.display))?;
        }
        self.place(function.span)?;
        let unassigned = unassigned_registers(function);
        if function.blocks.is_empty() && unassigned.is_empty() {
            self.comment(function.span)?;
            return self.out.write_str("\n");
        }
        self.out.write_str(" {")?;
        self.comment(function.span)?;
        self.out.write_str("\n")?;
        if self.everything() {
            for reg in unassigned {
                self.out.write_str("  unassigned ")?;
                self.definition(function, reg)?;
                self.out.write_str("\n")?;
            }
        }
        for (index, block) in function.blocks.iter().enumerate() {
            write!(self.out, "b{index}")?;
            if !block.params.is_empty() {
                self.out.write_str("(")?;
                self.definitions(function, &block.params)?;
                self.out.write_str(")")?;
            }
            self.out.write_str(":\n")?;
            for instr in &block.instrs {
                self.instr(function, instr)?;
            }
            self.terminator(&block.terminator)?;
        }
        self.out.write_str("}\n")
    }

    fn definitions(&mut self, function: &Function, regs: &[Reg]) -> fmt::Result {
        for (index, reg) in regs.iter().enumerate() {
            if index > 0 {
                self.out.write_str(", ")?;
            }
            self.definition(function, *reg)?;
        }
        Ok(())
    }

    fn definition(&mut self, function: &Function, reg: Reg) -> fmt::Result {
        write!(self.out, "v{}", reg.0)?;
        let Some(register) = function.registers.get(reg.index()) else { return self.out.write_str(": ?") };
        if self.everything() {
            self.text(register.name)?;
        }
        write!(self.out, ": {}", register.ty)
    }

    fn instr(&mut self, function: &Function, instr: &Instr) -> fmt::Result {
        self.out.write_str("  ")?;
        if !instr.results.is_empty() {
            self.definitions(function, &instr.results)?;
            self.out.write_str(" = ")?;
        }
        self.op(&instr.op)?;
        self.place(instr.span)?;
        self.comment(instr.span)?;
        self.out.write_str("\n")
    }

    fn op(&mut self, op: &Op) -> fmt::Result {
        match op {
            Op::Unary { op, arg } => self.operation(op.name(), &[*arg]),
            Op::Binary { op, left, right } => self.operation(op.name(), &[*left, *right]),
            Op::Overflowing { op, left, right } => self.operation(op.name(), &[*left, *right]),
            Op::Compare { predicate, left, right } => {
                self.out.write_str("compare ")?;
                self.operation(predicate.name(), &[*left, *right])
            }
            Op::FloatCompare { predicate, left, right } => {
                self.out.write_str("fcompare ")?;
                self.operation(predicate.name(), &[*left, *right])
            }
            Op::Cast { op, arg } => self.operation(op.name(), &[*arg]),
            Op::FusedMultiplyAdd { left, right, addend } => self.operation("fma", &[*left, *right, *addend]),
            Op::Select { cond, then, otherwise } => self.operation("select", &[*cond, *then, *otherwise]),
            Op::Address { base, offset, indices } => {
                self.operation("address", &[*base])?;
                write!(self.out, ", {offset}")?;
                for (index, scale) in indices {
                    self.out.write_str(", ")?;
                    self.operand(*index)?;
                    write!(self.out, " * {scale}")?;
                }
                Ok(())
            }
            Op::Call { callee, args } => {
                self.callee("call", *callee)?;
                self.arguments(args)
            }
            Op::VariadicArguments => self.out.write_str("variadic_arguments"),
            Op::Primitive { primitive, args } => {
                self.out.write_str(primitive.name())?;
                self.arguments(args)
            }
            Op::Unsupported { what } => write!(self.out, "unsupported {}", Quoted(what)),
            Op::ThreadLocal { .. }
            | Op::Local { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::CompareExchange { .. }
            | Op::Fence { .. } => self.memory_op(op),
        }
    }

    fn callee(&mut self, verb: &str, callee: Callee) -> fmt::Result {
        match callee {
            Callee::Direct(function) => {
                write!(self.out, "{verb} ")?;
                self.function_name(function)
            }
            Callee::Indirect(address) => self.operation(&format!("{verb} indirect"), &[address]),
        }
    }

    fn memory_op(&mut self, op: &Op) -> fmt::Result {
        match op {
            Op::ThreadLocal { global } => {
                self.out.write_str("thread_local ")?;
                self.global_name(*global)
            }
            Op::Local { size, align, name, layout } => {
                self.operation("local", &[*size])?;
                write!(self.out, " align {align}")?;
                if self.everything() {
                    self.text(*name)?;
                    self.layout_of(*layout)?;
                }
                Ok(())
            }
            Op::Load { address, ordering, place } => {
                self.operation("load", &[*address])?;
                self.access(ordering.as_slice(), *place)
            }
            Op::Store { address, value, ordering, place } => {
                self.operation("store", &[*value])?;
                self.out.write_str(" to ")?;
                self.operand(*address)?;
                self.access(ordering.as_slice(), *place)
            }
            Op::Rmw { op, address, value, ordering, place } => {
                self.out.write_str("rmw ")?;
                self.operation(op.name(), &[*address, *value])?;
                self.access(&[*ordering], *place)
            }
            Op::CompareExchange { address, expected, new, weak, success, failure, place } => {
                self.out.write_str("cmpxchg ")?;
                self.operation(if *weak { "weak" } else { "strong" }, &[*address, *expected, *new])?;
                self.access(&[*success, *failure], *place)
            }
            Op::Fence { ordering } => write!(self.out, "fence {}", ordering_name(*ordering)),
            _ => Ok(()),
        }
    }

    fn access(&mut self, orderings: &[Ordering], place: Option<TextId>) -> fmt::Result {
        for ordering in orderings {
            write!(self.out, " {}", ordering_name(*ordering))?;
        }
        if self.everything() { self.text(place) } else { Ok(()) }
    }

    fn quiet(&mut self, quiet: bool) -> fmt::Result {
        if quiet && self.everything() { self.out.write_str(" quiet") } else { Ok(()) }
    }

    fn terminator(&mut self, terminator: &Terminator) -> fmt::Result {
        self.out.write_str("  ")?;
        match &terminator.kind {
            TerminatorKind::Jump(target) => {
                self.out.write_str("jump ")?;
                self.target(target)?;
            }
            TerminatorKind::Branch { cond, then, otherwise, quiet } => {
                self.operation("branch", &[*cond])?;
                self.out.write_str(", ")?;
                self.target(then)?;
                self.out.write_str(", ")?;
                self.target(otherwise)?;
                self.quiet(*quiet)?;
            }
            TerminatorKind::Switch { value, cases, default, quiet } => {
                self.operation("switch", &[*value])?;
                self.out.write_str(" [")?;
                for (index, (case, target)) in cases.iter().enumerate() {
                    write!(self.out, "{}{case}: ", if index == 0 { "" } else { ", " })?;
                    self.target(target)?;
                }
                self.out.write_str("] else ")?;
                self.target(default)?;
                self.quiet(*quiet)?;
            }
            TerminatorKind::Invoke { callee, args, table, next, unwind } => {
                self.callee("invoke", *callee)?;
                self.arguments(args)?;
                write!(self.out, " to b{} unwind b{} ", next.0, unwind.0)?;
                self.operand(*table)?;
            }
            TerminatorKind::Return(values) if values.is_empty() => self.out.write_str("return")?,
            TerminatorKind::Return(values) => self.operation("return", values)?,
            TerminatorKind::Unreachable => self.out.write_str("unreachable")?,
        }
        self.place(terminator.span)?;
        self.comment(terminator.span)?;
        self.out.write_str("\n")
    }

    fn target(&mut self, target: &Target) -> fmt::Result {
        write!(self.out, "b{}", target.block.0)?;
        if target.args.is_empty() { Ok(()) } else { self.arguments(&target.args) }
    }

    fn arguments(&mut self, args: &[Operand]) -> fmt::Result {
        self.out.write_str("(")?;
        self.operands(args)?;
        self.out.write_str(")")
    }

    fn operation(&mut self, name: &str, operands: &[Operand]) -> fmt::Result {
        self.out.write_str(name)?;
        self.out.write_str(" ")?;
        self.operands(operands)
    }

    fn operands(&mut self, operands: &[Operand]) -> fmt::Result {
        for (index, operand) in operands.iter().enumerate() {
            if index > 0 {
                self.out.write_str(", ")?;
            }
            self.operand(*operand)?;
        }
        Ok(())
    }

    fn operand(&mut self, operand: Operand) -> fmt::Result {
        match operand {
            Operand::Reg(reg) => write!(self.out, "v{}", reg.0),
            Operand::Const { ty: Type::Ptr, bits: 0 } => self.out.write_str("null"),
            Operand::Const { ty: ty @ Type::Int(width), bits } => match negative(width, bits) {
                Some(value) => write!(self.out, "{ty} {value}"),
                None => write!(self.out, "{ty} {bits}"),
            },
            Operand::Const { ty, bits } => write!(self.out, "{ty} {bits:#x}"),
            Operand::Global { global, offset } => {
                self.global_name(global)?;
                self.addend(offset)
            }
            Operand::Function(function) => self.function_name(function),
            Operand::Undef(ty) => write!(self.out, "undef {ty}"),
        }
    }

    fn addend(&mut self, addend: i64) -> fmt::Result {
        match addend {
            0 => Ok(()),
            1.. => write!(self.out, " + {addend}"),
            _ => write!(self.out, " - {}", addend.unsigned_abs()),
        }
    }

    fn function_name(&mut self, id: FunctionId) -> fmt::Result {
        match self.program.functions.get(id.index()) {
            Some(function) => write!(self.out, "@{}", Name(&function.name)),
            None => write!(self.out, "@?{}", id.0),
        }
    }

    fn global_name(&mut self, id: GlobalId) -> fmt::Result {
        match self.program.globals.get(id.index()) {
            Some(global) => write!(self.out, "${}", Name(&global.name)),
            None => write!(self.out, "$?{}", id.0),
        }
    }

    fn text(&mut self, text: Option<TextId>) -> fmt::Result {
        let Some(id) = text else { return Ok(()) };
        match self.program.texts.get(id.index()) {
            Some(text) if self.stands_for_itself[id.index()] => write!(self.out, " {}", Quoted(text)),
            _ => write!(self.out, " t{}", id.0),
        }
    }

    fn layout_of(&mut self, layout: Option<LayoutId>) -> fmt::Result {
        layout.map_or(Ok(()), |id| write!(self.out, " layout #{}", id.0))
    }

    fn place(&mut self, span: SpanId) -> fmt::Result {
        if span == SpanId::NONE || !self.everything() { Ok(()) } else { write!(self.out, " !{}", span.0) }
    }

    /// The place in words, as a comment for readers.
    fn comment(&mut self, id: SpanId) -> fmt::Result {
        if id == SpanId::NONE || !self.everything() {
            return Ok(());
        }
        let mut next = Some(id);
        let mut before = "  ; ";
        for _ in 0..COMMENT_DEPTH {
            let Some(span) = next.and_then(|id| self.program.spans.get(id.0 as usize)) else { return Ok(()) };
            let file = self.program.files.get(span.file.0 as usize).map_or("?", |file| file.as_str());
            let file: String = file.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
            write!(self.out, "{before}{file}:{}:{}", span.line, span.column)?;
            before = ", inlined at ";
            next = span.inlined_at;
        }
        if next.is_some() { self.out.write_str(", …") } else { Ok(()) }
    }
}

fn unassigned_registers(function: &Function) -> Vec<Reg> {
    let mut assigned = vec![false; function.registers.len()];
    for block in &function.blocks {
        for reg in block.params.iter().chain(block.instrs.iter().flat_map(|instr| &instr.results)) {
            if let Some(assigned) = assigned.get_mut(reg.index()) {
                *assigned = true;
            }
        }
    }
    (0..).zip(assigned).filter(|(_, assigned)| !assigned).map(|(index, _)| Reg(index)).collect()
}

/// The value of an integer whose highest bit is set: -1 is more readable than 18446744073709551615. A single bit is 0
/// or 1.
fn negative(width: u8, bits: u128) -> Option<i128> {
    let unused = 128_u32.checked_sub(u32::from(width))?;
    let fits = width == 128 || bits >> width == 0;
    (width > 1 && fits && bits >> (width - 1) == 1).then(|| ((bits << unused) as i128) >> unused)
}

/// A name after its sigil.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_bare(self.0) { f.write_str(self.0) } else { Quoted(self.0).fmt(f) }
    }
}

/// A string in quotes, on one line.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                c if c.is_control() || c == '\u{2028}' || c == '\u{2029}' => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_str("\"")
    }
}
