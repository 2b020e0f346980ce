//! Parses inline assembly: constraints, and templates in AT&T syntax.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Output,
    Input,
    Clobber,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    pub role: Role,
    /// The operand is a pointer to the value.
    pub indirect: bool,
    /// The output that an input shares its register with.
    pub tied: Option<usize>,
    /// The machine register or flag that the constraint names, such as `ax` or `@ccz`.
    pub register: Option<String>,
}

/// The constraints of an assembly in LLVM's notation; `None` if one is unknown.
pub fn constraints(text: &str) -> Option<Vec<Constraint>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split(',').map(constraint).collect()
}

fn constraint(text: &str) -> Option<Constraint> {
    let (role, rest) = match text.as_bytes().first()? {
        b'=' => (Role::Output, &text[1..]),
        b'~' => (Role::Clobber, &text[1..]),
        b'!' => return None,
        _ => (Role::Input, text),
    };
    let rest = rest.trim_start_matches(['&', '%']);
    let (indirect, rest) = match rest.strip_prefix('*') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    // An input that shares its register with an output may name that register too: `0{ax}`.
    let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let (number, rest) = rest.split_at(if role == Role::Input { digits } else { 0 });
    let tied = number.parse().ok();
    let braced = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    Some(Constraint { role, indirect, tied, register: braced.map(register_name) })
}

/// The name of a machine register without its width: `eax`, `rax` and `al` are all `ax`.
fn register_name(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "al" => "ax".into(),
        "bl" => "bx".into(),
        "cl" => "cx".into(),
        "dl" => "dx".into(),
        "sil" => "si".into(),
        "dil" => "di".into(),
        name if name.len() == 3 && (name.starts_with('e') || name.starts_with('r')) && !is_numbered(name) => {
            name[1..].to_owned()
        }
        name if is_numbered(name) => name.trim_end_matches(['d', 'w', 'b']).to_owned(),
        name => name.to_owned(),
    }
}

fn is_numbered(name: &str) -> bool {
    name.starts_with('r') && name.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// An operand of the template, with the width that its modifier asks for.
    Slot(usize, Option<u32>),
    Immediate(i64),
    /// A machine register, with its width.
    Register(String, u32),
    /// Memory at a displacement from an operand.
    Through {
        slot: usize,
        displacement: i64,
    },
    /// Memory at a displacement from a machine register.
    ThroughRegister {
        name: String,
        displacement: i64,
    },
    /// Memory at the stack pointer, which is private to the thread.
    Stack,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub locked: bool,
    pub mnemonic: String,
    /// The source comes first.
    pub operands: Vec<Location>,
}

/// The instructions of a template; `None` for a syntax error.
pub fn statements(template: &str) -> Option<Vec<Statement>> {
    let mut list = Vec::new();
    let mut locked = false;
    for text in template.split([';', '\n']) {
        let text = text.split('#').next().unwrap_or_default().trim().replace('\t', " ");
        let mut words = text.split_whitespace().peekable();
        while let Some(&word) = words.peek() {
            match word.to_ascii_lowercase().as_str() {
                "lock" => locked = true,
                // `rep; nop` is the old notation of a pause.
                "rep" => {}
                _ => break,
            }
            words.next();
        }
        let Some(mnemonic) = words.next() else { continue };
        let rest = words.collect::<Vec<_>>().join(" ");
        let operands = split_operands(&rest).into_iter().map(|text| location(&text)).collect::<Option<Vec<_>>>()?;
        list.push(Statement { locked, mnemonic: mnemonic.to_ascii_lowercase(), operands });
        locked = false;
    }
    Some(list)
}

/// Operands are separated by commas outside of brackets.
fn split_operands(text: &str) -> Vec<String> {
    let mut list = Vec::new();
    let mut depth = 0;
    let mut current = String::new();
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                list.push(std::mem::take(&mut current));
                continue;
            }
            _ => {}
        }
        current.push(character);
    }
    list.push(current);
    list.into_iter().map(|operand| operand.trim().to_owned()).filter(|operand| !operand.is_empty()).collect()
}

fn location(text: &str) -> Option<Location> {
    if let Some(number) = text.strip_prefix("$$") {
        return integer(number).map(Location::Immediate);
    }
    if let Some((slot, width)) = slot(text) {
        return Some(Location::Slot(slot, width));
    }
    if let Some(name) = text.strip_prefix('%') {
        return Some(Location::Register(register_name(name), register_width(name)?));
    }
    let (displacement, base) = text.strip_suffix(')')?.split_once('(')?;
    let displacement = if displacement.is_empty() { 0 } else { integer(displacement)? };
    if let Some((slot, _)) = slot(base) {
        return Some(Location::Through { slot, displacement });
    }
    match register_name(base.strip_prefix('%')?).as_str() {
        "sp" => Some(Location::Stack),
        name => Some(Location::ThroughRegister { name: name.to_owned(), displacement }),
    }
}

/// `$1`, or `${1:b}` with a width.
fn slot(text: &str) -> Option<(usize, Option<u32>)> {
    let rest = text.strip_prefix('$')?;
    let Some(inner) = rest.strip_prefix('{') else { return rest.parse().ok().map(|slot| (slot, None)) };
    let (number, modifier) = inner.strip_suffix('}')?.split_once(':')?;
    let width = match modifier {
        "b" | "h" => Some(8),
        "w" => Some(16),
        "k" => Some(32),
        "q" => Some(64),
        "a" | "c" | "P" => None,
        _ => return None,
    };
    number.parse().ok().map(|slot| (slot, width))
}

fn register_width(name: &str) -> Option<u32> {
    Some(match name.as_bytes() {
        [b'a'..=b'd', b'l'] | b"sil" | b"dil" => 8,
        [b'e', _, _] => 32,
        [b'r', first, ..] if first.is_ascii_digit() => match name.as_bytes().last() {
            Some(b'd') => 32,
            Some(b'w') => 16,
            Some(b'b') => 8,
            _ => 64,
        },
        [b'r', _, _] => 64,
        [b'a'..=b'd', b'x'] | b"si" | b"di" => 16,
        _ => return None,
    })
}

fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let magnitude = match digits.strip_prefix("0x") {
        Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_exchange_is_read() {
        let list = statements("lock; cmpxchgl $2, $1\n\tsetz ${0:b}").expect("it parses");
        assert!(list[0].locked && !list[1].locked);
        assert_eq!(list[0].mnemonic, "cmpxchgl");
        assert_eq!(list[0].operands, [Location::Slot(2, None), Location::Slot(1, None)]);
        assert_eq!(list[1].operands, [Location::Slot(0, Some(8))]);
    }

    #[test]
    fn memory_operands_are_read() {
        let list = statements("lock addl $$0, 0(%rsp)").expect("it parses");
        assert_eq!(list[0].operands, [Location::Immediate(0), Location::Stack]);
        let list = statements("movl 8($1), %eax").expect("it parses");
        let through = Location::Through { slot: 1, displacement: 8 };
        assert_eq!(list[0].operands, [through, Location::Register("ax".into(), 32)]);
        let list = statements("lock; cmpxchgl %ecx, 4(%rdx)").expect("it parses");
        let through = Location::ThroughRegister { name: "dx".into(), displacement: 4 };
        assert_eq!(list[0].operands, [Location::Register("cx".into(), 32), through]);
    }

    #[test]
    fn constraints_are_read() {
        let list = constraints("={ax},=*m,r,0,*m,~{memory}").expect("it parses");
        assert_eq!(list[0].register.as_deref(), Some("ax"));
        assert!(list[1].indirect && list[4].indirect);
        assert_eq!(list[3].tied, Some(0));
        assert_eq!(list[5].role, Role::Clobber);
        let list = constraints("={ax},r,*m,0{ax},r").expect("it parses");
        assert_eq!((list[3].tied, list[3].register.as_deref()), (Some(0), Some("ax")));
        assert_eq!((list[4].tied, list[4].register.as_deref()), (None, None));
    }
}
