//! Rules of instructions: the operands and results of each operation.

use super::Errors;
use super::context::Context;
use crate::ids::{FunctionId, LayoutId, TextId};
use crate::instr::{BinaryOp, Callee, CastOp, Instr, Op, Operand, Ordering, RmwOp, UnaryOp};
use crate::text::ordering_name;
use crate::types::Type;

pub(super) fn verify(context: &Context<'_>, instr: &Instr, errors: &mut Errors) {
    let rules = Rules { context, instr };
    match &instr.op {
        Op::Unary { op, arg } => rules.unary(*op, *arg, errors),
        Op::Binary { op, left, right } => {
            let kind = if is_float_binary(*op) { Kind::Float } else { Kind::Int };
            let ty = rules.same(&[*left, *right], kind, errors);
            rules.results(&[ty], errors);
        }
        Op::Overflowing { left, right, .. } => {
            let ty = rules.same(&[*left, *right], Kind::Int, errors);
            rules.results(&[ty, Some(Type::I1)], errors);
        }
        Op::Compare { left, right, .. } => {
            rules.same(&[*left, *right], Kind::IntOrPtr, errors);
            rules.results(&[Some(Type::I1)], errors);
        }
        Op::FloatCompare { left, right, .. } => {
            rules.same(&[*left, *right], Kind::Float, errors);
            rules.results(&[Some(Type::I1)], errors);
        }
        Op::Cast { op, arg } => rules.cast(*op, *arg, errors),
        Op::FusedMultiplyAdd { left, right, addend } => {
            let ty = rules.same(&[*left, *right, *addend], Kind::Float, errors);
            rules.results(&[ty], errors);
        }
        Op::Select { cond, then, otherwise } => {
            context.typed(*cond, Type::I1, "the condition", errors);
            let ty = rules.same(&[*then, *otherwise], Kind::Any, errors);
            rules.results(&[ty], errors);
        }
        Op::Address { base, indices, .. } => {
            context.typed(*base, Type::Ptr, "the base", errors);
            for (index, _) in indices {
                if let Some(ty) = context.operand(*index, errors) {
                    let narrow = ty.is_int() && ty.bits() <= 64;
                    errors.require(narrow, || format!("an index must be an integer of at most 64 bits, and is {ty}"));
                }
            }
            rules.results(&[Some(Type::Ptr)], errors);
        }
        Op::Call { callee, args } => {
            call(context, *callee, args, errors);
            if let Callee::Direct(id) = callee
                && let Some(callee) = context.program.functions.get(id.index()).filter(|callee| callee.is_defined())
            {
                rules.results_are(&callee.returns, errors);
            }
        }
        Op::VariadicArguments => {
            errors.require(context.function.variadic, || "this function is not variadic".to_owned());
            rules.results(&[Some(Type::Ptr)], errors);
        }
        Op::Primitive { primitive, args } => {
            arguments(context, primitive.name(), args, primitive.arguments(), errors);
            rules.results_are(primitive.results(), errors);
        }
        Op::Unsupported { .. } => {}
        Op::ThreadLocal { .. }
        | Op::Local { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Rmw { .. }
        | Op::CompareExchange { .. }
        | Op::Fence { .. } => rules.memory(errors),
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Int,
    Float,
    IntOrPtr,
    Any,
}

impl Kind {
    fn has(self, ty: Type) -> bool {
        match self {
            Kind::Int => ty.is_int(),
            Kind::Float => ty.is_float(),
            Kind::IntOrPtr => ty.is_int() || ty == Type::Ptr,
            Kind::Any => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Int => "an integer",
            Kind::Float => "a float",
            Kind::IntOrPtr => "an integer or a pointer",
            Kind::Any => "a value",
        }
    }
}

fn is_float_binary(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::UnsignedDiv
        | BinaryOp::SignedDiv
        | BinaryOp::UnsignedRem
        | BinaryOp::SignedRem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::LogicalShiftRight
        | BinaryOp::ArithmeticShiftRight => false,
        BinaryOp::FloatAdd
        | BinaryOp::FloatSub
        | BinaryOp::FloatMul
        | BinaryOp::FloatDiv
        | BinaryOp::FloatRem
        | BinaryOp::CopySign
        | BinaryOp::FloatMin
        | BinaryOp::FloatMax
        | BinaryOp::Pow
        | BinaryOp::Atan2
        | BinaryOp::Hypot => true,
    }
}

struct Rules<'a> {
    context: &'a Context<'a>,
    instr: &'a Instr,
}

impl Rules<'_> {
    /// Checks operands of one type and kind. Returns the type, if known.
    fn same(&self, operands: &[Operand], kind: Kind, errors: &mut Errors) -> Option<Type> {
        let mut first = None;
        for operand in operands {
            let Some(ty) = self.context.operand(*operand, errors) else { continue };
            match first {
                None => first = Some(ty),
                Some(first) => errors.require(first == ty, || format!("{first} and {ty} must be the same type")),
            }
        }
        if let Some(ty) = first {
            errors.require(kind.has(ty), || format!("{} is needed, and {ty} is given", kind.name()));
        }
        first
    }

    /// Checks the result registers; an unknown type fits every register.
    fn results(&self, expected: &[Option<Type>], errors: &mut Errors) {
        let found = &self.instr.results;
        errors.require(found.len() == expected.len(), || {
            format!("there are {} results, and {} registers for them", expected.len(), found.len())
        });
        for (reg, expected) in found.iter().zip(expected) {
            if let (Some(found), Some(expected)) = (self.context.register(*reg), expected) {
                errors.require(found == *expected, || format!("v{} must be {expected}, and is {found}", reg.0));
            }
        }
    }

    fn results_are(&self, expected: &[Type], errors: &mut Errors) {
        let expected: Vec<_> = expected.iter().copied().map(Some).collect();
        self.results(&expected, errors);
    }

    fn unary(&self, op: UnaryOp, arg: Operand, errors: &mut Errors) {
        let kind = match op {
            UnaryOp::ByteSwap
            | UnaryOp::BitReverse
            | UnaryOp::PopCount
            | UnaryOp::LeadingZeros
            | UnaryOp::TrailingZeros => Kind::Int,
            _ => Kind::Float,
        };
        let ty = self.same(&[arg], kind, errors);
        let whole = op != UnaryOp::ByteSwap || ty.is_none_or(|ty| ty.bits().is_multiple_of(8));
        errors.require(whole, || "only whole bytes can be swapped".to_owned());
        self.results(&[ty], errors);
    }

    fn cast(&self, op: CastOp, arg: Operand, errors: &mut Errors) {
        let from = self.context.operand(arg, errors);
        self.results(&[None], errors);
        let to = self.instr.results.first().and_then(|reg| self.context.register(*reg));
        let (Some(from), Some(to)) = (from, to) else { return };
        let right = match op {
            CastOp::Truncate => from.is_int() && to.is_int() && to.bits() < from.bits(),
            CastOp::ZeroExtend | CastOp::SignExtend => from.is_int() && to.is_int() && to.bits() > from.bits(),
            CastOp::Bits => from.bits() == to.bits(),
            CastOp::FloatToSigned | CastOp::FloatToUnsigned => from.is_float() && to.is_int(),
            CastOp::SignedToFloat | CastOp::UnsignedToFloat => from.is_int() && to.is_float(),
            CastOp::FloatToFloat => from.is_float() && to.is_float(),
        };
        errors.require(right, || format!("{} does not lead from {from} to {to}", op.name()));
    }

    fn memory(&self, errors: &mut Errors) {
        let context = self.context;
        match &self.instr.op {
            Op::ThreadLocal { global } => {
                match context.program.globals.get(global.index()) {
                    None => errors.add(format!("there is no global {}", global.0)),
                    Some(global) => {
                        errors.require(global.thread_local, || format!("${} is not thread-local", global.name));
                    }
                }
                self.results(&[Some(Type::Ptr)], errors);
            }
            Op::Local { size, align, name, layout } => {
                context.typed(*size, Type::I64, "the size", errors);
                errors.require(align.is_power_of_two(), || format!("{align} is no alignment"));
                self.names(*name, *layout, errors);
                self.results(&[Some(Type::Ptr)], errors);
            }
            Op::Load { address, ordering, place } => {
                self.address(*address, *place, errors);
                self.ordering(*ordering, &[Ordering::Release, Ordering::AcquireRelease], "load", errors);
                self.results(&[None], errors);
            }
            Op::Store { address, value, ordering, place } => {
                self.address(*address, *place, errors);
                context.operand(*value, errors);
                self.ordering(*ordering, &[Ordering::Acquire, Ordering::AcquireRelease], "store", errors);
                self.results(&[], errors);
            }
            Op::Rmw { op, address, value, place, .. } => {
                self.address(*address, *place, errors);
                let kind = match op {
                    RmwOp::Exchange => Kind::Any,
                    RmwOp::FloatAdd | RmwOp::FloatSub => Kind::Float,
                    _ => Kind::Int,
                };
                let ty = self.same(&[*value], kind, errors);
                self.results(&[ty], errors);
            }
            Op::CompareExchange { address, expected, new, failure, place, .. } => {
                self.address(*address, *place, errors);
                let ty = self.same(&[*expected, *new], Kind::IntOrPtr, errors);
                let no_writes = [Ordering::Release, Ordering::AcquireRelease];
                self.ordering(Some(*failure), &no_writes, "failed compare-exchange", errors);
                self.results(&[ty, Some(Type::I1)], errors);
            }
            Op::Fence { ordering } => {
                self.ordering(Some(*ordering), &[Ordering::Relaxed], "fence", errors);
                self.results(&[], errors);
            }
            _ => {}
        }
    }

    fn address(&self, address: Operand, place: Option<TextId>, errors: &mut Errors) {
        self.context.typed(address, Type::Ptr, "the address", errors);
        self.names(place, None, errors);
    }

    fn names(&self, text: Option<TextId>, layout: Option<LayoutId>, errors: &mut Errors) {
        let program = self.context.program;
        let text = text.filter(|text| text.index() >= program.texts.len());
        errors.require(text.is_none(), || "it names a text that does not exist".to_owned());
        let layout = layout.filter(|layout| layout.index() >= program.layouts.len());
        errors.require(layout.is_none(), || "it names a layout that does not exist".to_owned());
    }

    fn ordering(&self, ordering: Option<Ordering>, refused: &[Ordering], what: &str, errors: &mut Errors) {
        if let Some(ordering) = ordering.filter(|ordering| refused.contains(ordering)) {
            errors.add(format!("a {what} cannot be {}", ordering_name(ordering)));
        }
    }
}

/// Checks the arguments of a call against the called function.
pub(super) fn call(context: &Context<'_>, callee: Callee, args: &[Operand], errors: &mut Errors) {
    match callee {
        Callee::Direct(id) => direct_call(context, id, args, errors),
        Callee::Indirect(address) => {
            context.typed(address, Type::Ptr, "the address of a function", errors);
            for arg in args {
                context.operand(*arg, errors);
            }
        }
    }
}

fn direct_call(context: &Context<'_>, id: FunctionId, args: &[Operand], errors: &mut Errors) {
    let function = context.program.functions.get(id.index());
    errors.require(function.is_some(), || format!("there is no function {}", id.0));
    let Some((function, first)) = function.and_then(|function| Some((function, function.blocks.first()?))) else {
        // The parameters of a declared function are unknown.
        for arg in args {
            context.operand(*arg, errors);
        }
        return;
    };
    let types = first.params.iter().map(|param| function.registers.get(param.index()).map(|register| register.ty));
    let Some(expected) = types.collect::<Option<Vec<Type>>>() else { return };
    let fixed = if function.variadic { args.len().min(expected.len()) } else { args.len() };
    let (fixed, more) = args.split_at(fixed);
    arguments(context, &format!("@{}", function.name), fixed, &expected, errors);
    for arg in more {
        context.operand(*arg, errors);
    }
}

fn arguments(context: &Context<'_>, callee: &str, args: &[Operand], expected: &[Type], errors: &mut Errors) {
    errors.require(args.len() == expected.len(), || {
        format!("{callee} takes {} arguments, not {}", expected.len(), args.len())
    });
    for (index, arg) in args.iter().enumerate() {
        match expected.get(index) {
            Some(ty) => context.typed(*arg, *ty, &format!("argument {index} of {callee}"), errors),
            None => drop(context.operand(*arg, errors)),
        }
    }
}
