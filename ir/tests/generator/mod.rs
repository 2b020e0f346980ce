//! Generates well-formed programs from a list of numbers, so that proptest can generate and shrink them.
//!
//! An operand comes from the same block or from the first one, which dominates all others, or is a constant. All kinds
//! of instructions, terminators, layouts and table entries occur.

use ir::{
    BinaryOp, Block, BlockId, Callee, CastOp, FileId, FloatPredicate, Function, FunctionId, Global, GlobalId, Instr,
    IntPredicate, Layout, LayoutId, Member, Op, Operand, Ordering, Origin, OverflowOp, Primitive, Program, Reg,
    Register, Relocation, RmwOp, Span, SpanId, Symbol, Target, Terminator, TerminatorKind, TextId, Type, UnaryOp,
};

const INTS: [Type; 7] = [Type::I1, Type::I8, Type::I32, Type::I64, Type::I128, Type::Int(24), Type::Int(77)];
const FLOATS: [Type; 3] = [Type::F32, Type::F64, Type::F80];
const NAMES: [&str; 8] =
    ["main", "a.b", "_Z3foov", "with space", "", "quote\"d", "line\nend", "größe \\ \u{7}\u{2028}"];
const TEXTS: [&str; 5] = ["i", "q->filled", "accounts[2].balance", "i", "\"\\\t"];

pub fn program(numbers: &[u32]) -> Program {
    let mut choices = Choices { numbers, at: 0 };
    let files: Vec<String> =
        (0..choices.below(3) + 1).map(|index| format!("{}{index}.c", choices.of(&NAMES))).collect();
    let mut spans = vec![Span { file: FileId(0), line: 0, column: 0, inlined_at: None }];
    for index in 1..choices.below(6) + 1 {
        let inlined_at = choices.flag().then(|| SpanId(choices.below(index)));
        let file = FileId(choices.below(files.len() as u32));
        spans.push(Span { file, line: choices.next(), column: choices.below(200), inlined_at });
    }
    let texts = (0..choices.below(6)).map(|_| choices.of(&TEXTS).to_owned()).collect();
    let layouts = (0..choices.below(6)).map(|index| layout(&mut choices, index)).collect();
    let mut program = Program {
        name: choices.of(&NAMES).to_owned(),
        files,
        spans,
        texts,
        layouts,
        globals: Vec::new(),
        functions: Vec::new(),
        constructors: Vec::new(),
        entry: FunctionId(0),
    };
    let (globals, functions) = (choices.below(4), choices.below(3) + 1);
    for index in 0..globals {
        let global = global(&mut choices, &program, index, globals, functions);
        program.globals.push(global);
    }
    // The frames come first, so that calls can choose a callee.
    for index in 0..functions {
        let function = frame(&mut choices, &program, index);
        program.functions.push(function);
    }
    for index in 0..functions as usize {
        if program.functions[index].is_defined() {
            let function = Body::new(&mut choices, &program, index).build();
            program.functions[index] = function;
        }
    }
    program
}

struct Choices<'a> {
    numbers: &'a [u32],
    at: usize,
}

impl Choices<'_> {
    fn next(&mut self) -> u32 {
        self.at += 1;
        self.numbers.get(self.at - 1).copied().unwrap_or(0)
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.next() % bound.max(1)
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    fn bits(&mut self) -> u128 {
        match self.below(4) {
            0 => 0,
            1 => u128::MAX,
            2 => u128::from(self.next()),
            _ => (0..4).fold(0, |bits, _| bits << 32 | u128::from(self.next())),
        }
    }

    fn offset(&mut self) -> i64 {
        match self.below(4) {
            0 => 0,
            1 => i64::MIN,
            2 => i64::from(self.next()),
            _ => -i64::from(self.next()),
        }
    }

    fn constant(&mut self, ty: Type) -> Operand {
        Operand::Const { ty, bits: self.bits() & (u128::MAX >> (128 - ty.bits())) }
    }

    fn ty(&mut self) -> Type {
        match self.below(3) {
            0 => self.of(&INTS),
            1 => self.of(&FLOATS),
            _ => Type::Ptr,
        }
    }

    fn span(&mut self, program: &Program) -> SpanId {
        SpanId(self.below(program.spans.len() as u32))
    }

    fn text(&mut self, program: &Program) -> Option<TextId> {
        let count = program.texts.len() as u32;
        (count > 0 && self.flag()).then(|| TextId(self.below(count)))
    }

    fn layout(&mut self, program: &Program) -> Option<LayoutId> {
        let count = program.layouts.len() as u32;
        (count > 0 && self.flag()).then(|| LayoutId(self.below(count)))
    }

    fn origin(&mut self) -> Origin {
        [Origin::User, Origin::Library, Origin::Model][self.below(3) as usize]
    }

    fn ordering(&mut self, refused: &[Ordering]) -> Ordering {
        use Ordering::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
        let all = [Relaxed, Acquire, Release, AcquireRelease, SequentiallyConsistent];
        let allowed: Vec<Ordering> = all.into_iter().filter(|ordering| !refused.contains(ordering)).collect();
        self.of(&allowed)
    }
}

fn layout(choices: &mut Choices<'_>, index: u32) -> Layout {
    let (name, bytes) = (choices.of(&NAMES).to_owned(), u64::from(choices.below(100)));
    // A layout only contains earlier ones, so that there is no cycle; pointers may refer to any.
    let earlier = (index > 0).then(|| LayoutId(choices.below(index)));
    match (choices.below(10), earlier) {
        (0, _) => Layout::Signed { name, bytes },
        (1, _) => Layout::Unsigned { name, bytes },
        (2, _) => Layout::Boolean { bytes },
        (3, _) => Layout::Character { bytes },
        (4, _) => Layout::Float { name, bytes },
        (5, _) => Layout::Pointer { to: choices.flag().then_some(LayoutId(index)) },
        (6, Some(element)) => Layout::Array { element, count: bytes },
        (7, Some(layout)) => {
            let member = |place: u32| Member {
                name: format!("m{place}"),
                offset_bits: u64::from(place) * 3,
                size_bits: bytes,
                layout,
            };
            Layout::Struct { name, bytes, members: (0..choices.below(3)).map(member).collect() }
        }
        (8, _) => {
            let variants = (0..choices.below(3)).map(|_| (name.clone(), choices.bits() as i128)).collect();
            Layout::Enum { name, bytes, variants }
        }
        _ => Layout::Opaque { name, bytes },
    }
}

fn global(choices: &mut Choices<'_>, program: &Program, index: u32, globals: u32, functions: u32) -> Global {
    let external = choices.below(5) == 0;
    let bytes: Vec<u8> = (0..if external { 0 } else { choices.below(80) }).map(|_| choices.below(256) as u8).collect();
    let mut relocations = Vec::new();
    for slot in 0..if external { 0 } else { choices.below(3) } {
        // The first global is never thread-local.
        let symbol = if choices.flag() && globals > 0 {
            Symbol::Global(GlobalId(0))
        } else {
            Symbol::Function(FunctionId(choices.below(functions)))
        };
        relocations.push(Relocation { offset: u64::from(slot) * 11, symbol, addend: choices.offset() });
    }
    Global {
        name: format!("{}{index}", choices.of(&NAMES)),
        size: 100 + u64::from(choices.below(1000)),
        align: 1 << choices.below(10),
        constant: choices.flag(),
        thread_local: index > 0 && choices.flag(),
        external,
        bytes,
        relocations,
        layout: choices.layout(program),
        span: choices.span(program),
        origin: choices.origin(),
    }
}

/// A function whose blocks only have parameters. The entry has none.
fn frame(choices: &mut Choices<'_>, program: &Program, index: u32) -> Function {
    let name = format!("{}{index}", choices.of(&NAMES));
    let display = if choices.flag() { name.clone() } else { choices.of(&NAMES).to_owned() };
    let mut registers = Vec::new();
    let mut blocks = Vec::new();
    let count = if index == 0 { 1 + choices.below(4) } else { choices.below(5) };
    for block in 0..count {
        let params = if block == 0 && index == 0 { 0 } else { choices.below(3) };
        let mut regs = Vec::new();
        for _ in 0..params {
            regs.push(Reg(registers.len() as u32));
            registers.push(Register { ty: choices.ty(), name: choices.text(program) });
        }
        let terminator = Terminator { kind: TerminatorKind::Unreachable, span: SpanId::NONE };
        blocks.push(Block { params: regs, instrs: Vec::new(), terminator });
    }
    if choices.below(8) == 0 {
        registers.push(Register { ty: choices.ty(), name: None });
    }
    let returns = (0..choices.below(3)).map(|_| choices.ty()).collect();
    Function {
        name,
        display,
        origin: choices.origin(),
        blocks,
        variadic: choices.flag(),
        atomic: choices.flag(),
        returns,
        registers,
        span: choices.span(program),
    }
}

struct Body<'a, 'b> {
    choices: &'a mut Choices<'b>,
    program: &'a Program,
    function: Function,
    /// The registers in scope: those of the first block, then those of this one.
    known: Vec<Reg>,
}

impl<'a, 'b> Body<'a, 'b> {
    fn new(choices: &'a mut Choices<'b>, program: &'a Program, index: usize) -> Body<'a, 'b> {
        Body { choices, program, function: program.functions[index].clone(), known: Vec::new() }
    }

    fn build(mut self) -> Function {
        let mut of_first = 0;
        for index in 0..self.function.blocks.len() {
            self.known.truncate(of_first);
            self.known.extend_from_slice(&self.function.blocks[index].params);
            let mut instrs = Vec::new();
            for _ in 0..self.choices.below(6) {
                let instr = self.instr();
                self.known.extend_from_slice(&instr.results);
                instrs.push(instr);
            }
            let terminator = Terminator { kind: self.terminator(), span: self.choices.span(self.program) };
            self.function.blocks[index].instrs = instrs;
            self.function.blocks[index].terminator = terminator;
            if index == 0 {
                of_first = self.known.len();
            }
        }
        self.function
    }

    fn operand(&mut self, ty: Type) -> Operand {
        let fitting: Vec<Reg> =
            self.known.iter().copied().filter(|reg| self.function.registers[reg.index()].ty == ty).collect();
        match self.choices.below(4) {
            0 | 1 if !fitting.is_empty() => Operand::Reg(self.choices.of(&fitting)),
            2 if ty == Type::Ptr && !self.program.globals.is_empty() => {
                Operand::Global { global: GlobalId(0), offset: self.choices.offset() }
            }
            3 if ty == Type::Ptr => {
                Operand::Function(FunctionId(self.choices.below(self.program.functions.len() as u32)))
            }
            2 => Operand::Undef(ty),
            _ => self.choices.constant(ty),
        }
    }

    fn operands(&mut self, types: &[Type]) -> Vec<Operand> {
        types.iter().map(|ty| self.operand(*ty)).collect()
    }

    fn some_operands(&mut self) -> Vec<Operand> {
        (0..self.choices.below(3))
            .map(|_| {
                let ty = self.choices.ty();
                self.operand(ty)
            })
            .collect()
    }

    fn instr(&mut self) -> Instr {
        let (op, types) = if self.choices.flag() { self.value_op() } else { self.effect_op() };
        let mut results = Vec::new();
        for ty in types {
            results.push(Reg(self.function.registers.len() as u32));
            let name = self.choices.text(self.program);
            self.function.registers.push(Register { ty, name });
        }
        Instr { results, op, span: self.choices.span(self.program) }
    }

    fn value_op(&mut self) -> (Op, Vec<Type>) {
        let (int, float, any) = (self.choices.of(&INTS), self.choices.of(&FLOATS), self.choices.ty());
        match self.choices.below(10) {
            0 => {
                let op = self.choices.of(UnaryOp::ALL);
                let ty = match op {
                    UnaryOp::ByteSwap => Type::I32,
                    UnaryOp::BitReverse | UnaryOp::PopCount | UnaryOp::LeadingZeros | UnaryOp::TrailingZeros => int,
                    _ => float,
                };
                (Op::Unary { op, arg: self.operand(ty) }, vec![ty])
            }
            1 => {
                let op = self.choices.of(BinaryOp::ALL);
                let ty = if op >= BinaryOp::FloatAdd { float } else { int };
                (Op::Binary { op, left: self.operand(ty), right: self.operand(ty) }, vec![ty])
            }
            2 => {
                let op = self.choices.of(OverflowOp::ALL);
                (Op::Overflowing { op, left: self.operand(int), right: self.operand(int) }, vec![int, Type::I1])
            }
            3 => {
                let ty = if self.choices.flag() { Type::Ptr } else { int };
                let predicate = self.choices.of(IntPredicate::ALL);
                (Op::Compare { predicate, left: self.operand(ty), right: self.operand(ty) }, vec![Type::I1])
            }
            4 => {
                let predicate = self.choices.of(FloatPredicate::ALL);
                (Op::FloatCompare { predicate, left: self.operand(float), right: self.operand(float) }, vec![Type::I1])
            }
            5 => {
                let op = self.choices.of(CastOp::ALL);
                let (from, to) = match op {
                    CastOp::Truncate => (Type::I128, Type::I32),
                    CastOp::ZeroExtend | CastOp::SignExtend => (Type::I8, Type::Int(24)),
                    CastOp::Bits => (Type::Ptr, Type::F64),
                    CastOp::FloatToSigned | CastOp::FloatToUnsigned => (float, int),
                    CastOp::SignedToFloat | CastOp::UnsignedToFloat => (int, float),
                    CastOp::FloatToFloat => (Type::F32, float),
                };
                (Op::Cast { op, arg: self.operand(from) }, vec![to])
            }
            6 => {
                let [left, right, addend] = [(); 3].map(|()| self.operand(float));
                (Op::FusedMultiplyAdd { left, right, addend }, vec![float])
            }
            7 => {
                let cond = self.operand(Type::I1);
                (Op::Select { cond, then: self.operand(any), otherwise: self.operand(any) }, vec![any])
            }
            8 => {
                let (base, offset) = (self.operand(Type::Ptr), self.choices.offset());
                let indices = (0..self.choices.below(3)).map(|_| (self.operand(Type::I32), self.choices.offset()));
                let indices = indices.collect();
                (Op::Address { base, offset, indices }, vec![Type::Ptr])
            }
            _ if self.function.variadic => (Op::VariadicArguments, vec![Type::Ptr]),
            _ => (Op::Unsupported { what: self.choices.of(&NAMES).to_owned() }, vec![any]),
        }
    }

    fn effect_op(&mut self) -> (Op, Vec<Type>) {
        use Ordering::{Acquire, AcquireRelease, Relaxed, Release};
        let (int, any) = (self.choices.of(&INTS), self.choices.ty());
        let (address, place) = (self.operand(Type::Ptr), self.choices.text(self.program));
        match self.choices.below(9) {
            0 => {
                let ordering = self.choices.flag().then(|| self.choices.ordering(&[Release, AcquireRelease]));
                (Op::Load { address, ordering, place }, vec![any])
            }
            1 => {
                let ordering = self.choices.flag().then(|| self.choices.ordering(&[Acquire, AcquireRelease]));
                (Op::Store { address, value: self.operand(any), ordering, place }, vec![])
            }
            2 => {
                let op = self.choices.of(RmwOp::ALL);
                let ty = match op {
                    RmwOp::Exchange => any,
                    RmwOp::FloatAdd | RmwOp::FloatSub => Type::F64,
                    _ => int,
                };
                let ordering = self.choices.ordering(&[]);
                (Op::Rmw { op, address, value: self.operand(ty), ordering, place }, vec![ty])
            }
            3 => {
                let (expected, new, weak) = (self.operand(int), self.operand(int), self.choices.flag());
                let (success, failure) =
                    (self.choices.ordering(&[]), self.choices.ordering(&[Release, AcquireRelease]));
                let op = Op::CompareExchange { address, expected, new, weak, success, failure, place };
                (op, vec![int, Type::I1])
            }
            4 => (Op::Fence { ordering: self.choices.ordering(&[Relaxed]) }, vec![]),
            5 => {
                let (size, align) = (self.operand(Type::I64), 1 << self.choices.below(64));
                (Op::Local { size, align, name: place, layout: self.choices.layout(self.program) }, vec![Type::Ptr])
            }
            6 => {
                let primitive = self.choices.of(Primitive::ALL);
                let args = self.operands(primitive.arguments());
                (Op::Primitive { primitive, args }, primitive.results().to_vec())
            }
            7 => self.call(address),
            _ => match self.program.globals.iter().position(|global| global.thread_local) {
                Some(global) => (Op::ThreadLocal { global: GlobalId(global as u32) }, vec![Type::Ptr]),
                None => (Op::Unsupported { what: "thread-locals".to_owned() }, vec![]),
            },
        }
    }

    fn call(&mut self, address: Operand) -> (Op, Vec<Type>) {
        if self.choices.flag() {
            let args = self.some_operands();
            return (Op::Call { callee: Callee::Indirect(address), args }, vec![self.choices.ty()]);
        }
        let id = FunctionId(self.choices.below(self.program.functions.len() as u32));
        let callee = &self.program.functions[id.index()];
        let Some(first) = callee.blocks.first() else {
            return (Op::Call { callee: Callee::Direct(id), args: self.some_operands() }, vec![]);
        };
        let types: Vec<Type> = first.params.iter().map(|param| callee.registers[param.index()].ty).collect();
        let mut args = self.operands(&types);
        if callee.variadic {
            args.extend(self.some_operands());
        }
        (Op::Call { callee: Callee::Direct(id), args }, callee.returns.clone())
    }

    fn target(&mut self) -> Target {
        let block = BlockId(self.choices.below(self.function.blocks.len() as u32));
        let params = self.function.blocks[block.index()].params.clone();
        let types: Vec<Type> = params.iter().map(|param| self.function.registers[param.index()].ty).collect();
        Target { block, args: self.operands(&types) }
    }

    /// An indirect invoke, with a new landing block.
    fn invoke(&mut self) -> TerminatorKind {
        let callee = Callee::Indirect(self.operand(Type::Ptr));
        let args = self.some_operands();
        let next = BlockId(self.choices.below(self.function.blocks.len() as u32));
        let params = [Type::Ptr, Type::I32].map(|ty| {
            self.function.registers.push(Register { ty, name: None });
            Reg(self.function.registers.len() as u32 - 1)
        });
        let terminator = Terminator { kind: TerminatorKind::Unreachable, span: SpanId::NONE };
        self.function.blocks.push(Block { params: params.to_vec(), instrs: Vec::new(), terminator });
        let unwind = BlockId(self.function.blocks.len() as u32 - 1);
        TerminatorKind::Invoke { callee, args, table: Operand::NULL, next, unwind }
    }

    fn terminator(&mut self) -> TerminatorKind {
        match self.choices.below(6) {
            0 => TerminatorKind::Jump(self.target()),
            1 => {
                let cond = self.operand(Type::I1);
                TerminatorKind::Branch {
                    cond,
                    then: self.target(),
                    otherwise: self.target(),
                    quiet: self.choices.flag(),
                }
            }
            2 => {
                let value = self.operand(Type::I128);
                let cases =
                    (0..self.choices.below(4)).map(|case| (u128::MAX - u128::from(case), self.target())).collect();
                TerminatorKind::Switch { value, cases, default: self.target(), quiet: self.choices.flag() }
            }
            3 => self.invoke(),
            4 => {
                let returns = self.function.returns.clone();
                TerminatorKind::Return(self.operands(&returns))
            }
            _ => TerminatorKind::Unreachable,
        }
    }
}
