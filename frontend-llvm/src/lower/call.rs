//! Calls: arguments as scalars, structs by value as copies, variadic arguments in the callee's layout.

use ir::{Callee, FunctionId, Op, Operand, Type};

use crate::llvm::{self, Opcode, TypeKind, Value, ValueKind};

use super::bytes::Place;
use super::state::{FunctionLowering, Refusal};
use super::types::scalars;
use super::{library, resolve_function};

impl<'m> FunctionLowering<'_, 'm> {
    pub fn call(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let callee = value.callee().ok_or("a call of nothing")?;
        if callee.kind() == ValueKind::InlineAssembly {
            return self.assembly(value, callee);
        }
        let Some(function) = resolve_function(callee) else { return self.call_indirectly(value, callee) };
        let name = function.name();
        if name.starts_with("llvm.") {
            return self.intrinsic(value, &name);
        }
        if function.is_declaration()
            && let Some(results) = self.library_call(value, &name)?
        {
            return Ok(results);
        }
        let called = value.called_type().ok_or("a call without type")?;
        let args = self.arguments(value, called)?;
        let id = self.program.function_id(function);
        self.call_directly(id, function, args, called)
    }

    fn call_indirectly(&mut self, value: Value<'m>, callee: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let called = value.called_type().ok_or("a call without type")?;
        let types = scalars(called.result().ok_or("a call without type")?)?;
        let callee = Callee::Indirect(self.operand(callee)?);
        let args = self.arguments(value, called)?;
        Ok(self.emit_many(Op::Call { callee, args: args.into_iter().flatten().collect() }, &types))
    }

    /// Calls a function whose definition may disagree with the call, as old declarations without parameters allow:
    /// missing arguments are undefined, extra ones are dropped, and integers and pointers are resized.
    fn call_directly(
        &mut self,
        id: FunctionId,
        function: Value<'m>,
        args: Vec<Vec<Operand>>,
        called: llvm::Type<'m>,
    ) -> Result<Vec<Operand>, Refusal> {
        let callee = Callee::Direct(id);
        let wanted = scalars(called.result().ok_or("a call without type")?)?;
        let defined = function.value_type().ok_or("a call without type")?;
        let args: Vec<Operand> = args.into_iter().flatten().collect();
        let has_body = !function.is_declaration() || library::is_operation(&function.name());
        if defined == called || !has_body {
            return Ok(self.emit_many(Op::Call { callee, args }, &wanted));
        }
        let mut parameters = Vec::new();
        for parameter in defined.parameters() {
            parameters.extend(scalars(parameter)?);
        }
        let mut given = args.into_iter();
        let mut fitted = Vec::new();
        for ty in parameters {
            fitted.push(match given.next() {
                Some(arg) => self.fit(arg, ty),
                None => Operand::Undef(ty),
            });
        }
        if defined.is_variadic() {
            fitted.extend(given);
        }
        let returned = scalars(defined.result().ok_or("a call without type")?)?;
        let results = self.emit_many(Op::Call { callee, args: fitted }, &returned);
        let mut results = results.into_iter();
        Ok(wanted
            .into_iter()
            .map(|ty| match results.next() {
                Some(result) => self.fit(result, ty),
                None => Operand::Undef(ty),
            })
            .collect())
    }

    /// The same value in another register type, as passing it on the machine would convert it.
    fn fit(&mut self, operand: Operand, ty: Type) -> Operand {
        let from = self.type_of(operand);
        match (from.is_float(), ty.is_float()) {
            (false, false) => self.resize(operand, ty),
            _ if from == ty => operand,
            _ => Operand::Undef(ty),
        }
    }

    /// The scalars of each argument.
    fn arguments(&mut self, value: Value<'m>, called: llvm::Type<'m>) -> Result<Vec<Vec<Operand>>, Refusal> {
        let fixed = called.parameters().len();
        let mut list = Vec::new();
        let mut variadic_end = 0;
        for (index, argument) in value.arguments().into_iter().enumerate() {
            for refused in ["inalloca", "preallocated"] {
                if value.argument_type_attribute(index, refused).is_some() {
                    return Err(format!("an argument that is passed as `{refused}`"));
                }
            }
            let is_variadic = called.is_variadic() && index >= fixed;
            let by_value = value.argument_type_attribute(index, "byval");
            let scalars = match by_value {
                Some(ty) if is_variadic => self.pieces(argument, ty, value, index, variadic_end)?,
                Some(ty) => vec![self.copy_of(argument, ty, value, index)?],
                None if is_variadic => self.variadic(argument)?,
                None => {
                    let operands = self.operands(argument)?;
                    self.named_address(argument, operands)
                }
            };
            if is_variadic {
                variadic_end = scalars.iter().fold(variadic_end, |end, &scalar| {
                    let ty = self.type_of(scalar);
                    let align = if ty.bits() > 64 { 16 } else { 8 };
                    u64::next_multiple_of(end, align) + u64::from(ty.bytes())
                });
            }
            list.push(scalars);
        }
        Ok(list)
    }

    /// Gives the address of a member or element the name `&q->lock`, so that a report can name the object of a library
    /// call. Variables are known by their layout; a first member has its struct's address, and gets its own register.
    fn named_address(&mut self, argument: Value<'m>, operands: Vec<Operand>) -> Vec<Operand> {
        let is_member = argument.opcode() == Some(Opcode::LLVMGetElementPtr);
        let ([Operand::Reg(reg)], Some(base), true) = (&operands[..], argument.operand(0), is_member) else {
            return operands;
        };
        let is_base = self.values.get(&base) == Some(&operands);
        let is_variable = is_base && base.opcode() == Some(Opcode::LLVMAlloca);
        if is_variable || !is_base && self.registers[reg.index()].name.is_some() {
            return operands;
        }
        let Some(text) = self.program.debug.pointed(&self.variables, self.program.layout, argument) else {
            return operands;
        };
        let mut reg = *reg;
        if is_base {
            let op = Op::Address { base: Operand::Reg(reg), offset: 0, indices: Vec::new() };
            let Operand::Reg(fresh) = self.emit(op, Type::Ptr) else { return operands };
            reg = fresh;
        }
        self.registers[reg.index()].name = Some(self.program.text(&format!("&{text}")));
        vec![Operand::Reg(reg)]
    }

    /// A copy owned by the caller, to which the callee gets a pointer.
    fn copy_of(
        &mut self,
        pointer: Value<'m>,
        ty: llvm::Type<'m>,
        call: Value<'m>,
        index: usize,
    ) -> Result<Operand, Refusal> {
        let bytes = self.program.layout.size(ty);
        let align = self.by_value_alignment(ty, call, index);
        let from = self.operand(pointer)?;
        let local = Op::Local { size: Operand::int(64, u128::from(bytes)), align, name: None, layout: None };
        let to = self.emit(local, Type::Ptr);
        let known = self.program.layout.alignment(ty).min(align);
        let (target, source) = (Place { address: to, pointer: None }, Place { address: from, pointer: Some(pointer) });
        self.copy_bytes(target, source, bytes, known)?;
        Ok(to)
    }

    fn by_value_alignment(&self, ty: llvm::Type<'m>, call: Value<'m>, index: usize) -> u64 {
        call.argument_number_attribute(index, "align").unwrap_or_else(|| self.program.layout.alignment(ty)).max(8)
    }

    /// A struct among variadic arguments: its bytes in consecutive pieces of 8.
    fn pieces(
        &mut self,
        pointer: Value<'m>,
        ty: llvm::Type<'m>,
        call: Value<'m>,
        index: usize,
        end: u64,
    ) -> Result<Vec<Operand>, Refusal> {
        let bytes = self.program.layout.size(ty);
        let align = self.by_value_alignment(ty, call, index);
        let base = Place { address: self.operand(pointer)?, pointer: Some(pointer) };
        let mut pieces = Vec::new();
        if align > 8 && !end.next_multiple_of(8).is_multiple_of(16) {
            pieces.push(Operand::int(64, 0));
        }
        let mut offset = 0;
        while offset < bytes {
            let mut piece = Operand::int(64, 0);
            let mut filled = 0;
            while filled < 8 && offset + filled < bytes {
                let left = bytes - offset - filled;
                let width = [8, 4, 2, 1].into_iter().find(|&width| width <= left && filled % width == 0).unwrap_or(1);
                let part = self.load_piece(base, offset + filled, width);
                let wide = self.resize(part, Type::I64);
                piece = if filled == 0 {
                    wide
                } else {
                    let shift = Operand::int(64, u128::from(filled * 8));
                    let placed = self.binary(ir::BinaryOp::ShiftLeft, wide, shift);
                    self.binary(ir::BinaryOp::Or, piece, placed)
                };
                filled += width;
            }
            pieces.push(piece);
            offset += 8;
        }
        Ok(pieces)
    }

    /// A variadic argument other than a struct in memory. A vector is one value there.
    fn variadic(&mut self, argument: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let operands = self.operands(argument)?;
        if argument.ty().kind() != TypeKind::Vector {
            return Ok(operands);
        }
        let bits = operands.iter().map(|&lane| self.type_of(lane).bits()).sum::<u32>();
        if bits > 128 {
            return Err(format!("a variadic argument of type {}", argument.ty().text()));
        }
        Ok(vec![self.join(&operands, Type::Int(bits as u8))])
    }

    /// Calls a function of the C library, by its name.
    pub fn call_named(&mut self, name: &str, args: Vec<Operand>, results: &[Type]) -> Result<Vec<Operand>, Refusal> {
        let function = self.program.model(name).ok_or_else(|| format!("no model for function `{name}`"))?;
        let id = self.program.function_id(function);
        Ok(self.emit_many(Op::Call { callee: Callee::Direct(id), args }, results))
    }

    /// Functions that are operations of the IR; `None` for all others, and for calls that do not fit.
    fn library_call(&mut self, value: Value<'m>, name: &str) -> Result<Option<Vec<Operand>>, Refusal> {
        let (primitive, math) = (library::primitive(name), library::math(name));
        if primitive.is_none() && math.is_none() {
            return Ok(None);
        }
        let results = scalars(value.ty())?;
        let mut args = Vec::new();
        for argument in value.arguments() {
            args.extend(self.operands(argument)?);
        }
        let types: Vec<Type> = args.iter().map(|&arg| self.type_of(arg)).collect();
        if let Some(primitive) = primitive {
            let fits = primitive.arguments() == types && primitive.results() == results;
            return Ok(fits.then(|| self.emit_many(Op::Primitive { primitive, args }, &results)));
        }
        let fits = |math: &library::Math| types.iter().chain(&results).all(|&ty| math.fits(ty));
        let op = math.filter(fits).and_then(|math| math.op(&args));
        Ok(op.map(|op| self.emit_many(op, &results)))
    }
}
