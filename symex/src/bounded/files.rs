//! Files as memory: an entry for each descriptor, a cell for each name that holds the address of its file, and for each
//! file its length and bytes. So files are treated as memory is: one used by a single thread is known to it, and one
//! shared by several threads is read and written in some order. `vm::files` defines the operations.

use std::collections::{BTreeSet, HashSet};

use formula::Term;
use ir::Primitive;
use vm::files::{APPEND, CREATE, EXCLUSIVE, READ, TRUNCATE, WRITE};

use crate::bounded::objects::{Maker, Object, ObjectId, Objects, Surrounding};
use crate::bounded::place::Key;
use crate::bounded::sets::Element;
use crate::bounded::sync::{Performed, plain};
use crate::bounded::value::Value;
use crate::bounded::walk::{Reason, Role, Walk};
use crate::bounded::world::{Stop, Walker, blank};
use crate::output::{Told, is_user_stream, told};
use crate::terms;

/// The number of descriptors.
const DESCRIPTORS: u32 = 64;
/// An entry: the address of the file, or 0 if it is closed, the position, and the flags.
const ENTRY: u64 = 24;
const POSITION: u64 = 8;
const FLAGS: u64 = 16;
/// A flag beside the machine's: a standard stream, whose position the program cannot query.
const STREAM: u64 = 64;
/// The offset of a file's bytes, behind its length.
pub const BYTES: u64 = 8;
/// The number of bytes that a program may append to a file, at first and at most.
const ROOM: u64 = 64;
const MOST_ROOM: u64 = 1 << 20;
/// Positions are below this.
const LARGEST: u128 = 1 << 32;

/// Facts about files that are kept from one round of walking to the next.
#[derive(Debug, Default)]
pub struct Files {
    /// Calls that open a file; their number bounds the number of open files.
    opens: HashSet<(usize, Key)>,
    /// Files opened for writing. If there are any, printing may write to one.
    written: BTreeSet<String>,
    /// The number of bytes that may be appended to a file.
    room: u64,
    /// Whether the program may close standard output or standard error.
    pub hides: bool,
    /// Whether a thread reads the standard input.
    pub reads_stdin: bool,
    /// The names of files that are looked up.
    pub names: BTreeSet<String>,
}

impl Files {
    /// Forgets uses that an earlier round saw and that may no longer occur.
    pub fn look_again(&mut self) {
        self.reads_stdin = false;
        self.names.clear();
    }
}

/// The standard streams, open at the start. Output streams need no file.
pub fn open_streams(objects: &mut Objects, stdin: u64) {
    for (descriptor, (file, flags)) in [(stdin, READ), (1, WRITE), (1, WRITE)].into_iter().enumerate() {
        let mut image = file.to_le_bytes().to_vec();
        image.extend_from_slice(&[0; 8]);
        image.extend_from_slice(&(flags as u64 | STREAM).to_le_bytes());
        let name = ["position in stdin", "stdout", "stderr"][descriptor].to_owned();
        let maker = Maker::Surrounding(Surrounding::Descriptor(descriptor as u32));
        objects.make(maker, || Object { image: image.into(), ..blank(ENTRY, false, Some(name)) });
    }
}

/// A file with its bytes and room for more.
pub fn file(bytes: &[u8], room: u64, name: String) -> Object {
    let mut image = (bytes.len() as u64).to_le_bytes().to_vec();
    image.extend_from_slice(bytes);
    image.resize(image.len() + room as usize, 0);
    Object { size: image.len() as u64, image: image.into(), ..blank(0, false, Some(name)) }
}

impl Walk<'_> {
    /// Whether a call of this function only prints to the user and writes no file.
    pub fn tells_the_user(&self, function: &str, argument: impl Fn(usize) -> Option<Value>) -> bool {
        if self.known.files.hides {
            return false;
        }
        let word = |number| argument(number).and_then(Value::as_word);
        let object = |number| {
            let (object, _) = self.known.objects.resolve(word(number)? as u64)?;
            Some(self.known.objects.get(object))
        };
        let told = told(function);
        if self.known.files.written.is_empty() && !matches!(told, Told::Inserted | Told::Nobody) {
            return true;
        }
        match told {
            Told::User => true,
            Told::Inserted => object(0).and_then(|object| object.name.as_deref()).is_some_and(is_user_stream),
            Told::Nobody => false,
            Told::Descriptor(number) => matches!(word(number), Some(1 | 2)),
            // The standard output streams are constants.
            Told::Stream(number) => object(number).is_some_and(|object| object.constant),
        }
    }
}

fn number(value: i64) -> Value {
    Value::word(64, value as u64 as u128)
}

fn small(value: i32) -> Value {
    Value::word(32, value as u32 as u128)
}

impl Walker<'_, '_> {
    pub fn file(&mut self, primitive: Primitive, args: &[Value]) -> Performed {
        match primitive {
            Primitive::FileOpen => self.open(args).map(Some),
            Primitive::FileRemove => self.remove(args).map(Some),
            Primitive::FileWrite if self.goes_to_the_user(args[0]) => {
                self.read_output(args[1], args[2])?;
                Ok(Some(args[2]))
            }
            _ => {
                let descriptor = self.one(args[0], "a descriptor")? as u32;
                let closes = primitive == Primitive::FileClose;
                if descriptor >= DESCRIPTORS {
                    return Ok(Some(if closes { small(-1) } else { number(-1) }));
                }
                let entry = self.entry_of(descriptor);
                if closes && matches!(descriptor, 1 | 2) {
                    let files = &mut self.walk.known.files;
                    self.walk.known.news += u64::from(!std::mem::replace(&mut files.hides, true));
                }
                match primitive {
                    Primitive::FileClose => self.as_one_step(|own| own.close(entry)).map(Some),
                    Primitive::FileRead => {
                        let length = self.one(args[2], "the length of a read")?;
                        self.as_one_step(|own| own.read_file(entry, args[1], length)).map(Some)
                    }
                    Primitive::FileWrite => {
                        let length = self.one(args[2], "the length of a write")?;
                        self.as_one_step(|own| own.write_file(entry, args[1], length)).map(Some)
                    }
                    Primitive::FileSeek => {
                        let offset = self.one(args[1], "a position in a file")?;
                        let whence = self.one(args[2], "the origin of a file position")? as u32;
                        self.as_one_step(|own| own.seek(entry, offset, whence)).map(Some)
                    }
                    other => Err(self.give_up(format!("`{}` in a program that is checked", other.name()))),
                }
            }
        }
    }

    /// Performs accesses as one atomic step.
    fn as_one_step<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        let live = self.rest.live;
        if live {
            self.section(true);
        }
        let done = act(self)?;
        if live {
            self.section(false);
        }
        Ok(done)
    }

    /// Performs an action under the condition. Its effects exist only where the condition holds.
    fn under(
        &mut self,
        condition: Term,
        act: impl FnOnce(&mut Walker<'_, '_>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        match self.terms().as_bool(condition) {
            Some(true) => return act(self),
            Some(false) => return Ok(()),
            None => {}
        }
        let mut there = self.rest.clone();
        there.guard.push(self.walk.builder.terms(), condition);
        let done = act(&mut Walker { walk: self.walk, rest: &mut there });
        let otherwise = self.terms().not(condition);
        match done {
            Ok(()) => {
                let (terms, objects) = (self.walk.builder.terms(), &self.walk.known.objects);
                self.rest.memory.join(terms, objects, otherwise, &there.memory);
                Ok(())
            }
            Err(Stop::Ended) => {
                self.rest.guard.push(self.walk.builder.terms(), otherwise);
                Ok(())
            }
            Err(stop) => Err(stop),
        }
    }

    fn word(&mut self, at: Term) -> Result<Term, Stop> {
        let at = self.value(at);
        let found = self.read(plain(8), at)?;
        Ok(found.term(self.terms(), 64))
    }

    fn put(&mut self, at: Term, bytes: u8, value: Term) -> Result<(), Stop> {
        let (at, value) = (self.value(at), self.value(value));
        self.write(plain(bytes), at, value, Role::Part)
    }

    fn fixed(&mut self, value: u64) -> Term {
        self.terms().bits(64, u128::from(value))
    }

    fn plus(&mut self, base: Term, by: u64) -> Term {
        let by = self.fixed(by);
        self.terms().add(base, by)
    }

    fn has_flag(&mut self, flags: Term, flag: u64) -> Term {
        let bit = flag.trailing_zeros();
        let set = self.terms().extract(flags, bit, bit);
        terms::is_set(self.terms(), set)
    }

    /// The address of the entry of a descriptor.
    fn entry_of(&mut self, descriptor: u32) -> u64 {
        let maker = Maker::Surrounding(Surrounding::Descriptor(descriptor));
        let name = || Some(format!("open file {descriptor}"));
        let id = self.walk.known.objects.make(maker, || blank(ENTRY, false, name()));
        self.walk.known.objects.get(id).base
    }

    /// The contents of an entry: its file and flags.
    fn entry(&mut self, entry: u64) -> Result<(Term, Term), Stop> {
        let (at, flags_at) = (self.fixed(entry), self.fixed(entry + FLAGS));
        Ok((self.word(at)?, self.word(flags_at)?))
    }

    /// Whether a descriptor is open with this flag.
    fn is_open(&mut self, file: Term, flags: Term, flag: i32) -> Term {
        let zero = self.fixed(0);
        let open = self.terms().ne(file, zero);
        let allowed = self.has_flag(flags, flag as u64);
        self.terms().and2(open, allowed)
    }

    /// Whether the descriptor is a standard output stream that has not been closed. The program cannot read its output.
    fn goes_to_the_user(&mut self, descriptor: Value) -> bool {
        let Some(descriptor @ (1 | 2)) = descriptor.as_word() else { return false };
        let entry = self.entry_of(descriptor as u32);
        let Some((object, _)) = self.walk.known.objects.resolve(entry) else { return true };
        if self.rest.live && self.walk.known.sharing.is_shared(object.into(), 0, ENTRY) {
            return false;
        }
        let terms = self.walk.builder.terms();
        let mut word = |at| self.rest.memory.read(terms, &self.walk.known.objects, object, at, 8).as_word();
        word(0) != Some(0) && word(FLAGS) == Some(u128::from(WRITE as u64 | STREAM))
    }

    /// Counts a system call, so that a loop round that makes it counts as a change.
    fn count_call(&mut self) -> Result<(), Stop> {
        let maker = Maker::Surrounding(Surrounding::Calls(self.rest.thread));
        let id = self.walk.known.objects.make(maker, || blank(8, false, None));
        let at = self.base(id).term(self.terms(), 64);
        let count = self.word(at)?;
        let more = self.plus(count, 1);
        self.put(at, 8, more)
    }

    /// The size of the largest file that the address may denote.
    fn largest(&self, file: Term) -> u64 {
        let objects = &self.walk.known.objects;
        let set = self.walk.values(&self.rest.refined, file);
        let size = |element: Element| match element {
            Element::Word(word) => objects.resolve(word).map(|(object, _)| object),
            Element::Within(object) => Some(object),
        };
        let sizes = set.known().filter_map(size).map(|object| objects.get(object).size.saturating_sub(BYTES));
        sizes.max().unwrap_or(0)
    }

    fn read_file(&mut self, entry: u64, buffer: Value, length: u64) -> Result<Value, Stop> {
        let (file, flags) = self.entry(entry)?;
        let stdin = self.walk.known.objects.surrounding(&Surrounding::Stdin);
        if stdin.is_some_and(|stdin| self.walk.values(&self.rest.refined, file).contains(Element::Word(stdin))) {
            self.walk.known.files.reads_stdin = true;
        }
        let readable = self.is_open(file, flags, READ);
        let stream = self.has_flag(flags, STREAM);
        let mut count = self.fixed(0);
        self.under(readable, |own| {
            let position_at = own.fixed(entry + POSITION);
            let (position, size) = (own.word(position_at)?, own.word(file)?);
            let known = own.terms().as_bits(position).map_or(0, |position| position as u64);
            let most = own.largest(file).saturating_sub(known).min(length);
            let mut there = Vec::new();
            for byte in 0..most {
                let at = own.plus(position, byte);
                let within = own.terms().ult(at, size);
                if own.terms().as_bool(within) == Some(false) {
                    break;
                }
                there.push((at, within));
            }
            let first = own.plus(file, BYTES);
            let to = buffer.term(own.terms(), 64);
            count = own.fixed(there.len() as u64);
            for (byte, &(_, within)) in there.iter().enumerate().rev() {
                let shorter = own.fixed(byte as u64);
                count = own.terms().ite(within, count, shorter);
            }
            for (byte, &(at, within)) in there.iter().enumerate() {
                own.under(within, |own| {
                    let (from, to) = (own.terms().add(first, at), own.plus(to, byte as u64));
                    let from = own.value(from);
                    let found = own.read(plain(1), from)?.term(own.terms(), 8);
                    own.put(to, 1, found)
                })?;
            }
            // The position of a stream cannot be queried, and its contents do not grow.
            let (past, after) = (own.plus(position, length), own.terms().add(position, count));
            let next = own.terms().ite(stream, past, after);
            own.put(position_at, 8, next)
        })?;
        self.count_unless(stream)?;
        let none = self.fixed(-1i64 as u64);
        let result = self.terms().ite(readable, count, none);
        Ok(self.value(result))
    }

    fn count_unless(&mut self, stream: Term) -> Result<(), Stop> {
        match self.terms().as_bool(stream) {
            Some(true) => Ok(()),
            _ => self.count_call(),
        }
    }

    fn write_file(&mut self, entry: u64, buffer: Value, length: u64) -> Result<Value, Stop> {
        let mut bytes = Vec::new();
        let from = buffer.term(self.terms(), 64);
        for byte in 0..length {
            let at = self.plus(from, byte);
            let at = self.value(at);
            bytes.push(self.read(plain(1), at)?.term(self.terms(), 8));
        }
        let (file, flags) = self.entry(entry)?;
        let writable = self.is_open(file, flags, WRITE);
        let (stream, appends) = (self.has_flag(flags, STREAM), self.has_flag(flags, APPEND as u64));
        let plain_file = self.terms().not(stream);
        let writes = self.terms().and2(writable, plain_file);
        self.under(writes, |own| {
            let position_at = own.fixed(entry + POSITION);
            let (position, size) = (own.word(position_at)?, own.word(file)?);
            let begin = own.terms().ite(appends, size, position);
            let end = own.plus(begin, length);
            let largest = own.largest(file);
            let room = own.fixed(largest);
            let fits = own.terms().ule(end, room);
            if own.terms().as_bool(fits) != Some(true) {
                own.make_room(end, length);
            }
            own.only_if(fits, "a large file")?;
            let follows = own.terms().ule(begin, size);
            own.only_if(follows, "a file written beyond its end")?;
            let first = own.plus(file, BYTES);
            let first = own.terms().add(first, begin);
            for (byte, &value) in bytes.iter().enumerate() {
                let at = own.plus(first, byte as u64);
                own.put(at, 1, value)?;
            }
            let grows = own.terms().ult(size, end);
            let size = own.terms().ite(grows, end, size);
            own.put(file, 8, size)?;
            own.put(position_at, 8, end)
        })?;
        self.count_call()?;
        let (all, none) = (self.fixed(length), self.fixed(-1i64 as u64));
        let result = self.terms().ite(writable, all, none);
        Ok(self.value(result))
    }

    /// Gives files more room in the next round of walking.
    fn make_room(&mut self, end: Term, length: u64) {
        let files = &mut self.walk.known.files;
        let wanted = match self.walk.builder.terms().as_bits(end) {
            Some(end) => (end as u64).max(ROOM).next_power_of_two().min(MOST_ROOM),
            None => ROOM.max(files.room).max(length.next_power_of_two()).min(8 * ROOM),
        };
        if wanted > files.room {
            files.room = wanted;
            self.walk.known.news += 1;
        }
    }

    /// Cuts the paths on which the condition does not hold.
    fn only_if(&mut self, condition: Term, what: &str) -> Result<(), Stop> {
        match self.terms().as_bool(condition) {
            Some(true) => return Ok(()),
            Some(false) => return Err(self.give_up(what)),
            None => {}
        }
        let mut there = self.rest.clone();
        let otherwise = self.terms().not(condition);
        there.guard.push(self.walk.builder.terms(), otherwise);
        self.walk.cut(&there, Reason::Unsupported(what.to_owned()));
        self.rest.guard.push(self.walk.builder.terms(), condition);
        Ok(())
    }

    fn seek(&mut self, entry: u64, offset: u64, whence: u32) -> Result<Value, Stop> {
        let (file, flags) = self.entry(entry)?;
        let zero = self.fixed(0);
        let (open, stream) = (self.terms().ne(file, zero), self.has_flag(flags, STREAM));
        let plain_file = self.terms().not(stream);
        let allowed = self.terms().and2(open, plain_file);
        let none = self.fixed(-1i64 as u64);
        let mut result = none;
        self.under(allowed, |own| {
            let position_at = own.fixed(entry + POSITION);
            let base = match whence {
                0 => zero,
                1 => own.word(position_at)?,
                2 => own.word(file)?,
                _ => return Ok(()),
            };
            let position = own.plus(base, offset);
            let largest = own.terms().bits(64, LARGEST);
            let fits = own.terms().ult(position, largest);
            own.under(fits, |own| own.put(position_at, 8, position))?;
            result = own.terms().ite(fits, position, none);
            Ok(())
        })?;
        self.count_call()?;
        let result = self.terms().ite(allowed, result, none);
        Ok(self.value(result))
    }

    fn close(&mut self, entry: u64) -> Result<Value, Stop> {
        let at = self.fixed(entry);
        let file = self.word(at)?;
        let zero = self.fixed(0);
        let open = self.terms().ne(file, zero);
        self.under(open, |own| own.put(at, 8, zero))?;
        self.count_call()?;
        self.code_if(open, 0)
    }

    /// The code if the condition holds, otherwise -1.
    fn code_if(&mut self, condition: Term, code: u32) -> Result<Value, Stop> {
        let (fine, none) = (self.terms().bits(32, u128::from(code)), self.terms().bits(32, u128::from(u32::MAX)));
        let result = self.terms().ite(condition, fine, none);
        Ok(self.value(result))
    }

    /// The address of the cell that holds the file of a name.
    fn named(&mut self, name: &str) -> Term {
        self.walk.known.files.names.insert(name.to_owned());
        let bytes = (self.walk.options.files)(name);
        let room = self.room(name);
        let objects = &mut self.walk.known.objects;
        let file = bytes.map(|bytes| {
            let maker = Maker::Surrounding(Surrounding::File(name.to_owned(), room));
            let id = objects.make(maker, || file(&bytes, room, format!("file {name}")));
            objects.get(id).base
        });
        let maker = Maker::Surrounding(Surrounding::Name(name.to_owned(), room));
        let id = objects.make(maker, || {
            let image = file.unwrap_or(0).to_le_bytes().to_vec();
            Object { image: image.into(), ..blank(8, false, Some(format!("name {name}"))) }
        });
        self.base(id).term(self.terms(), 64)
    }

    /// The number of bytes that may be appended to a file.
    fn room(&self, name: &str) -> u64 {
        let files = &self.walk.known.files;
        if files.written.contains(name) { files.room.max(ROOM) } else { 0 }
    }

    fn open(&mut self, args: &[Value]) -> Result<Value, Stop> {
        let flags = self.one(args[1], "the mode of an opened file")? as u32 as i32 & (2 * EXCLUSIVE - 1);
        let name = self.known_text(args[0], "a file whose name depends on other threads or inputs")?;
        let key = self.rest.place.key(self.walk.code, self.walk.shapes);
        let files = &mut self.walk.known.files;
        let is_new = files.opens.insert((self.rest.thread, key));
        let first_written = flags & WRITE != 0 && files.written.insert(name.clone());
        self.walk.known.news += u64::from(is_new) + u64::from(first_written);
        let size = BYTES + self.room(&name);
        let made = (flags & CREATE != 0).then(|| self.make(size, false, Some(format!("file {name}"))));
        self.as_one_step(|own| own.open_named(&name, flags, made))
    }

    fn open_named(&mut self, name: &str, flags: i32, made: Option<ObjectId>) -> Result<Value, Stop> {
        let name_at = self.named(name);
        let existing = self.word(name_at)?;
        let zero = self.fixed(0);
        let exists = self.terms().ne(existing, zero);
        let opened = match (flags & CREATE != 0, flags & EXCLUSIVE != 0) {
            (false, _) => exists,
            (true, true) => self.terms().not(exists),
            (true, false) => self.terms().truth(),
        };
        let mut descriptor = zero;
        self.under(opened, |own| {
            let mut file = existing;
            if let Some(made) = made {
                let base = own.base(made).term(own.terms(), 64);
                let missing = own.terms().not(exists);
                own.under(missing, |own| own.put(name_at, 8, base))?;
                file = own.terms().ite(exists, existing, base);
            }
            if flags & TRUNCATE != 0 {
                own.under(exists, |own| own.put(existing, 8, zero))?;
            }
            let entry;
            (descriptor, entry) = own.free_entry()?;
            own.put(entry, 8, file)?;
            for (offset, value) in [(POSITION, 0), (FLAGS, flags as u64)] {
                let (at, value) = (own.plus(entry, offset), own.fixed(value));
                own.put(at, 8, value)?;
            }
            Ok(())
        })?;
        self.count_call()?;
        let low = self.terms().extract(descriptor, 31, 0);
        let none = self.terms().bits(32, u128::from(u32::MAX));
        let result = self.terms().ite(opened, low, none);
        Ok(self.value(result))
    }

    /// The lowest closed descriptor, and its entry.
    fn free_entry(&mut self) -> Result<(Term, Term), Stop> {
        let last = 2 + self.walk.known.files.opens.len() as u32;
        if last >= DESCRIPTORS {
            return Err(self.give_up(format!("more than {DESCRIPTORS} files that may be open at once")));
        }
        let zero = self.fixed(0);
        let mut closed = Vec::new();
        for descriptor in 0..=last {
            let at = self.entry_of(descriptor);
            let at = self.fixed(at);
            let file = self.word(at)?;
            let free = self.terms().eq(file, zero);
            closed.push((descriptor, at, free));
            if self.terms().as_bool(free) == Some(true) {
                break;
            }
        }
        // One of them is closed: there are more descriptors than files that may be open.
        let mut chosen = (zero, zero);
        for (descriptor, at, free) in closed.into_iter().rev() {
            let number = self.fixed(u64::from(descriptor));
            chosen = match chosen == (zero, zero) {
                true => (number, at),
                false => (self.terms().ite(free, number, chosen.0), self.terms().ite(free, at, chosen.1)),
            };
        }
        Ok(chosen)
    }

    fn remove(&mut self, args: &[Value]) -> Result<Value, Stop> {
        let name = self.known_text(args[0], "a file whose name depends on other threads or inputs")?;
        self.as_one_step(|own| {
            let name_at = own.named(&name);
            let existing = own.word(name_at)?;
            let zero = own.fixed(0);
            let exists = own.terms().ne(existing, zero);
            own.under(exists, |own| own.put(name_at, 8, zero))?;
            own.count_call()?;
            own.code_if(exists, 0)
        })
    }
}
