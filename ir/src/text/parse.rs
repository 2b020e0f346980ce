//! Parses the text form: the header, the tables, globals, and the frames of functions. [`super::body`] parses the
//! bodies.
//!
//! Functions and globals may be used before their definition, so their names are collected first. The grammar does not
//! nest, so there is no recursion, and every allocation is bounded by the text: registers, spans and layouts are
//! numbered without gaps.

use std::collections::HashMap;

use super::VERSION;
use super::cursor::Cursor;
use super::error::ParseError;
use super::lex::{Kind, unescape};
use crate::ids::{FunctionId, GlobalId, LayoutId, TextId};
use crate::program::{Function, Global, Layout, Member, Origin, Program, Relocation, Symbol};
use crate::span::{FileId, Span, SpanId};
use crate::types::Type;

/// Parses a program. The result is complete, but not verified.
pub fn parse(source: &str) -> Result<Program, ParseError> {
    let mut parser = Parser::new(Cursor::new(source)?)?;
    parser.header()?;
    while parser.cursor.peek() != Kind::End {
        parser.item()?;
    }
    parser.finish()
}

pub(super) struct Parser<'a> {
    pub cursor: Cursor<'a>,
    program: Program,
    entry: Option<FunctionId>,
    functions: HashMap<String, FunctionId>,
    globals: HashMap<String, GlobalId>,
    /// The first of equal texts.
    texts: HashMap<String, TextId>,
    files: HashMap<String, FileId>,
    spans: HashMap<Span, SpanId>,
}

impl<'a> Parser<'a> {
    fn new(cursor: Cursor<'a>) -> Result<Parser<'a>, ParseError> {
        let program = Program {
            name: String::new(),
            files: Vec::new(),
            spans: Vec::new(),
            texts: Vec::new(),
            layouts: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            constructors: Vec::new(),
            entry: FunctionId(0),
        };
        let mut functions = HashMap::new();
        let mut globals = HashMap::new();
        let mut at_line_start = true;
        for window in cursor.tokens().windows(3) {
            let kinds = (window[0].kind, window[1].kind);
            let defined = at_line_start
                && match kinds {
                    (Kind::Word("function"), Kind::Mark('@')) => {
                        let id = FunctionId(index(functions.len()));
                        name_of(window[2].kind).is_none_or(|name| functions.insert(name, id).is_none())
                    }
                    (Kind::Word("global"), Kind::Mark('$')) => {
                        let id = GlobalId(index(globals.len()));
                        name_of(window[2].kind).is_none_or(|name| globals.insert(name, id).is_none())
                    }
                    _ => true,
                };
            if at_line_start && !defined {
                let kind = if kinds.1 == Kind::Mark('@') { "function" } else { "global" };
                let message = format!("expected a new name, found that of another {kind}");
                return Err(cursor.error_at(window[2].offset, message));
            }
            at_line_start = kinds.0 == Kind::LineEnd;
        }
        let (texts, files, spans) = (HashMap::new(), HashMap::new(), HashMap::new());
        Ok(Parser { cursor, program, entry: None, functions, globals, texts, files, spans })
    }

    fn header(&mut self) -> Result<(), ParseError> {
        let first = format!("`heddle ir {VERSION}`, the first line of every program");
        for word in ["heddle", "ir"] {
            if !self.cursor.eat_word(word) {
                return Err(self.cursor.expected(&first));
            }
        }
        if !self.cursor.eat_word(&VERSION.to_string()) {
            let what = format!("version {VERSION}, the only one that this heddle reads");
            return Err(self.cursor.expected(&what));
        }
        self.cursor.line_end()
    }

    fn finish(mut self) -> Result<Program, ParseError> {
        let Some(entry) = self.entry else {
            return Err(self.cursor.expected("a line `entry @function` somewhere"));
        };
        self.program.entry = entry;
        self.first_span();
        Ok(self.program)
    }

    fn item(&mut self) -> Result<(), ParseError> {
        const ITEMS: &str = "an item (program, entry, constructor, file, span, text, layout, global or function)";
        let Kind::Word(word) = self.cursor.peek() else { return Err(self.cursor.expected(ITEMS)) };
        if !matches!(
            word,
            "program" | "entry" | "constructor" | "file" | "span" | "text" | "layout" | "global" | "function"
        ) {
            return Err(self.cursor.expected(ITEMS));
        }
        self.cursor.advance();
        match word {
            "program" => self.program.name = self.cursor.text("the program's name in quotes")?,
            "entry" => self.entry = Some(self.function_use()?),
            "constructor" => {
                let constructor = self.function_use()?;
                self.program.constructors.push(constructor);
            }
            "file" => self.file()?,
            "span" => self.span()?,
            "text" => {
                let text = self.cursor.text("a text in quotes")?;
                self.add_text(text);
            }
            "layout" => self.layout()?,
            "global" => self.global()?,
            _ => self.function()?,
        }
        self.cursor.line_end()
    }

    fn file(&mut self) -> Result<(), ParseError> {
        let file = self.cursor.text("a file's name in quotes")?;
        let id = FileId(index(self.program.files.len()));
        self.files.entry(file.clone()).or_insert(id);
        self.program.files.push(file);
        Ok(())
    }

    /// Every program has a first span, whether or not its text contains it.
    fn first_span(&mut self) {
        if self.program.spans.is_empty() {
            self.program.spans.push(Span { file: FileId(0), line: 0, column: 0, inlined_at: None });
        }
    }

    fn span(&mut self) -> Result<(), ParseError> {
        self.cursor.mark('!')?;
        let offset = self.cursor.offset();
        let number: usize = self.cursor.number("the span's number")?;
        if number > 0 {
            self.first_span();
        }
        let next = self.program.spans.len();
        if number != next {
            return Err(self.cursor.error_at(offset, format!("expected `{next}`, the next span, found `{number}`")));
        }
        let file = FileId(self.cursor.number("the number of a file")?);
        let (line, column) = self.line_and_column()?;
        let inlined_at = if self.cursor.eat_word("from") {
            self.cursor.mark('!')?;
            Some(SpanId(self.cursor.number("the number of a span")?))
        } else {
            None
        };
        self.add_span(Span { file, line, column, inlined_at });
        Ok(())
    }

    fn line_and_column(&mut self) -> Result<(u32, u32), ParseError> {
        self.cursor.mark(':')?;
        let line = self.cursor.number("a line's number")?;
        self.cursor.mark(':')?;
        Ok((line, self.cursor.number("a column's number")?))
    }

    fn add_span(&mut self, span: Span) -> SpanId {
        let id = SpanId(index(self.program.spans.len()));
        self.program.spans.push(span);
        self.spans.entry(span).or_insert(id);
        id
    }

    /// `!3`, or `!"bank.c":34:9` if no table has it, or nothing.
    pub fn place(&mut self) -> Result<SpanId, ParseError> {
        if !self.cursor.eat_mark('!') {
            return Ok(SpanId::NONE);
        }
        if !matches!(self.cursor.peek(), Kind::Text(_)) {
            return Ok(SpanId(self.cursor.number("the number of a span, or a file's name in quotes")?));
        }
        let name = self.cursor.text("a file's name in quotes")?;
        let (line, column) = self.line_and_column()?;
        let file = match self.files.get(&name) {
            Some(file) => *file,
            None => {
                let file = FileId(index(self.program.files.len()));
                self.files.insert(name.clone(), file);
                self.program.files.push(name);
                file
            }
        };
        self.first_span();
        let span = Span { file, line, column, inlined_at: None };
        Ok(self.spans.get(&span).copied().unwrap_or_else(|| self.add_span(span)))
    }

    fn add_text(&mut self, text: String) -> TextId {
        let id = TextId(index(self.program.texts.len()));
        self.texts.entry(text.clone()).or_insert(id);
        self.program.texts.push(text);
        id
    }

    /// `"q->filled"`, or `t5`, or nothing.
    pub fn optional_text(&mut self) -> Result<Option<TextId>, ParseError> {
        if let Some(number) = self.cursor.peek_indexed('t') {
            self.cursor.advance();
            return Ok(Some(TextId(number)));
        }
        if !matches!(self.cursor.peek(), Kind::Text(_)) {
            return Ok(None);
        }
        let text = self.cursor.text("a text in quotes")?;
        let id = self.texts.get(&text).copied().unwrap_or_else(|| self.add_text(text));
        Ok(Some(id))
    }

    pub fn optional_layout(&mut self) -> Result<Option<LayoutId>, ParseError> {
        if self.cursor.eat_word("layout") { self.layout_use().map(Some) } else { Ok(None) }
    }

    fn layout_use(&mut self) -> Result<LayoutId, ParseError> {
        self.cursor.mark('#')?;
        Ok(LayoutId(self.cursor.number("the number of a layout")?))
    }

    pub fn function_use(&mut self) -> Result<FunctionId, ParseError> {
        self.cursor.mark('@')?;
        let offset = self.cursor.offset();
        let name = self.cursor.name("a function's name")?;
        let missing = || self.cursor.error_at(offset, format!("no function is named `@{name}`"));
        self.functions.get(&name).copied().ok_or_else(missing)
    }

    pub fn global_use(&mut self) -> Result<GlobalId, ParseError> {
        self.cursor.mark('$')?;
        let offset = self.cursor.offset();
        let name = self.cursor.name("a global's name")?;
        let missing = || self.cursor.error_at(offset, format!("no global is named `${name}`"));
        self.globals.get(&name).copied().ok_or_else(missing)
    }

    /// ` + 8`, ` - 8`, or nothing.
    pub fn addend(&mut self) -> Result<i64, ParseError> {
        match self.cursor.peek() {
            Kind::Mark(sign @ ('+' | '-')) => {
                self.cursor.advance();
                self.cursor.after_sign(sign == '-', "a 64-bit offset")
            }
            _ => Ok(0),
        }
    }

    pub fn ty(&mut self) -> Result<Type, ParseError> {
        const TYPES: &str = "a type (i1 to i128, f32, f64, f80, ptr)";
        self.optional_type().ok_or_else(|| self.cursor.expected(TYPES))
    }

    pub fn optional_type(&mut self) -> Option<Type> {
        let Kind::Word(word) = self.cursor.peek() else { return None };
        let ty = type_from_name(word)?;
        self.cursor.advance();
        Some(ty)
    }

    fn layout(&mut self) -> Result<(), ParseError> {
        self.cursor.mark('#')?;
        let offset = self.cursor.offset();
        let number: usize = self.cursor.number("the layout's number")?;
        let next = self.program.layouts.len();
        if number != next {
            return Err(self.cursor.error_at(offset, format!("expected `{next}`, the next layout, found `{number}`")));
        }
        const KINDS: &str =
            "a layout (signed, unsigned, boolean, character, float, pointer, array, struct, enum or opaque)";
        let offset = self.cursor.offset();
        let layout = match self.cursor.word(KINDS)? {
            "signed" => Layout::Signed { name: self.layout_name()?, bytes: self.layout_bytes()? },
            "unsigned" => Layout::Unsigned { name: self.layout_name()?, bytes: self.layout_bytes()? },
            "boolean" => Layout::Boolean { bytes: self.layout_bytes()? },
            "character" => Layout::Character { bytes: self.layout_bytes()? },
            "float" => Layout::Float { name: self.layout_name()?, bytes: self.layout_bytes()? },
            "pointer" if self.cursor.peek() == Kind::Mark('#') => Layout::Pointer { to: Some(self.layout_use()?) },
            "pointer" => Layout::Pointer { to: None },
            "array" => Layout::Array { element: self.layout_use()?, count: self.cursor.number("a count")? },
            "struct" => {
                let (name, bytes) = (self.layout_name()?, self.layout_bytes()?);
                Layout::Struct { name, bytes, members: self.listed('{', '}', Parser::member)? }
            }
            "enum" => {
                let (name, bytes) = (self.layout_name()?, self.layout_bytes()?);
                Layout::Enum { name, bytes, variants: self.listed('{', '}', Parser::variant)? }
            }
            "opaque" => Layout::Opaque { name: self.layout_name()?, bytes: self.layout_bytes()? },
            other => return Err(self.cursor.expected_at(offset, KINDS, other)),
        };
        self.program.layouts.push(layout);
        Ok(())
    }

    fn layout_name(&mut self) -> Result<String, ParseError> {
        self.cursor.text("the type's name in quotes")
    }

    fn layout_bytes(&mut self) -> Result<u64, ParseError> {
        self.cursor.number("the size in bytes")
    }

    fn member(&mut self) -> Result<Member, ParseError> {
        let name = self.cursor.text("a member's name in quotes")?;
        self.cursor.keyword("at")?;
        let offset_bits = self.cursor.number("the offset in bits")?;
        self.cursor.keyword("size")?;
        let size_bits = self.cursor.number("the size in bits")?;
        Ok(Member { name, offset_bits, size_bits, layout: self.layout_use()? })
    }

    fn variant(&mut self) -> Result<(String, i128), ParseError> {
        Ok((self.cursor.text("a variant's name in quotes")?, self.cursor.signed("the variant's value")?))
    }

    /// Items separated by commas, inside brackets, on one line.
    pub fn listed<T>(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Parser<'a>) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        self.cursor.mark(open)?;
        let mut items = Vec::new();
        if self.cursor.eat_mark(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.cursor.eat_mark(close) {
                return Ok(items);
            }
            if !self.cursor.eat_mark(',') {
                return Err(self.cursor.expected(&format!("`,` or `{close}`")));
            }
        }
    }

    fn global(&mut self) -> Result<(), ParseError> {
        self.cursor.mark('$')?;
        let name = self.cursor.name("a global's name")?;
        self.cursor.keyword("size")?;
        let size = self.cursor.number("the size in bytes")?;
        self.cursor.keyword("align")?;
        let align = self.cursor.number("the alignment in bytes")?;
        let constant = self.cursor.eat_word("constant");
        let thread_local = self.cursor.eat_word("thread_local");
        let external = self.cursor.eat_word("external");
        let origin = self.origin();
        let layout = self.optional_layout()?;
        let span = self.place()?;
        let (bytes, relocations) = (Vec::new(), Vec::new());
        let mut global =
            Global { name, size, align, constant, thread_local, external, bytes, relocations, layout, span, origin };
        if self.cursor.eat_mark('{') {
            self.cursor.line_end()?;
            while !self.cursor.eat_mark('}') {
                if self.cursor.eat_word("bytes") {
                    self.bytes(&mut global.bytes)?;
                } else if self.cursor.eat_word("at") {
                    global.relocations.push(self.relocation()?);
                } else {
                    return Err(self.cursor.expected("`bytes`, `at` or `}`"));
                }
                self.cursor.line_end()?;
            }
        }
        self.program.globals.push(global);
        Ok(())
    }

    fn origin(&mut self) -> Origin {
        if self.cursor.eat_word("library") {
            Origin::Library
        } else if self.cursor.eat_word("model") {
            Origin::Model
        } else {
            Origin::User
        }
    }

    fn bytes(&mut self, bytes: &mut Vec<u8>) -> Result<(), ParseError> {
        while let Kind::Word(word) = self.cursor.peek() {
            let digits: Option<Vec<u8>> =
                word.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
            match digits {
                Some(digits) if digits.len() % 2 == 0 => {
                    bytes.extend(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]));
                }
                _ => return Err(self.cursor.expected("pairs of hexadecimal digits")),
            }
            self.cursor.advance();
        }
        Ok(())
    }

    fn relocation(&mut self) -> Result<Relocation, ParseError> {
        let offset = self.cursor.number("an offset in bytes")?;
        let symbol = match self.cursor.peek() {
            Kind::Mark('$') => Symbol::Global(self.global_use()?),
            Kind::Mark('@') => Symbol::Function(self.function_use()?),
            _ => return Err(self.cursor.expected("`$global` or `@function`")),
        };
        Ok(Relocation { offset, symbol, addend: self.addend()? })
    }

    fn function(&mut self) -> Result<(), ParseError> {
        self.cursor.mark('@')?;
        let name = self.cursor.name("a function's name")?;
        let returns = if self.cursor.eat_mark('-') {
            self.cursor.mark('>')?;
            self.listed('(', ')', Parser::ty)?
        } else {
            Vec::new()
        };
        let variadic = self.cursor.eat_word("variadic");
        let atomic = self.cursor.eat_word("atomic");
        let origin = self.origin();
        let display = match self.cursor.eat_word("display") {
            true => self.cursor.text("the name for people, in quotes")?,
            false => name.clone(),
        };
        let span = self.place()?;
        let (blocks, registers) = if self.cursor.eat_mark('{') { self.body()? } else { (Vec::new(), Vec::new()) };
        let function = Function { name, display, origin, blocks, variadic, atomic, returns, registers, span };
        self.program.functions.push(function);
        Ok(())
    }
}

/// Tables that exceed an index would need a text of many gigabytes.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn name_of(kind: Kind<'_>) -> Option<String> {
    match kind {
        Kind::Word(word) => Some(word.to_owned()),
        Kind::Text(raw) => unescape(raw).ok(),
        _ => None,
    }
}

fn type_from_name(name: &str) -> Option<Type> {
    match name {
        "f32" => Some(Type::F32),
        "f64" => Some(Type::F64),
        "f80" => Some(Type::F80),
        "ptr" => Some(Type::Ptr),
        _ => {
            let digits = name.strip_prefix('i')?;
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
            let width = digits.parse().ok().filter(|width| plain && (1..=128).contains(width))?;
            Some(Type::Int(width))
        }
    }
}
