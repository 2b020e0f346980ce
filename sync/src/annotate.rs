//! Annotations for ThreadSanitizer: it does not know home-made synchronisation, and reports races on the variables of a
//! construct and on the data that it orders.
//!
//! Each region becomes a scope: on the way in a role that lets others pass releases, on the way out a role that waits
//! acquires, and in between plain accesses are not looked at. A function gets one line behind its opening brace, whose
//! destructor (`cleanup` attribute) runs on every return; lines of a thread's own function are framed by two. Without
//! the sanitizer the lines are empty.
//!
//! One variable stands for the construct. If several objects use the same functions, they are told apart by the address
//! of the first parameter, if every one of the functions has a pointer there; otherwise races between what two such
//! objects protect can be missed.

use std::collections::{BTreeMap, BTreeSet};

use report::{Sync, SyncKind, SyncRole, Synced};

/// The edits of one file, as texts to insert before offsets.
type Edits = BTreeMap<usize, String>;

/// Files with annotations, and the constructs without.
#[derive(Clone, Debug, Default)]
pub struct Annotated {
    /// By file, its new text.
    pub files: BTreeMap<String, String>,
    pub left_out: Vec<String>,
}

/// Annotates the proven constructs. `read` gives the text of a file of the user.
pub fn annotate(synced: &Synced, read: &dyn Fn(&str) -> Option<String>) -> Annotated {
    let mut texts: BTreeMap<String, Source> = BTreeMap::new();
    let mut edits: BTreeMap<String, Edits> = BTreeMap::new();
    let mut left_out = Vec::new();
    for (number, sync) in synced.syncs.iter().enumerate() {
        if sync.proven_for.is_empty() || sync.broken.is_some() {
            continue;
        }
        for role in &sync.roles {
            let file = &role.region.file;
            if !texts.contains_key(file)
                && let Some(text) = read(file)
            {
                texts.insert(file.clone(), Source::new(text));
            }
        }
        match of_construct(sync, number + 1, &texts) {
            Ok(new) => {
                for (file, offset, text) in new {
                    let here = edits.entry(file).or_default().entry(offset).or_default();
                    // Constructs that share a function need its line once.
                    if !here.contains(&text) {
                        here.push_str(&text);
                    }
                }
            }
            Err(why) => left_out.push(format!(
                "{} at {}:{}: {why}",
                sync.kind.name(),
                sync.region.file.rsplit('/').next().unwrap_or(&sync.region.file),
                sync.region.line
            )),
        }
    }
    let files = edits.into_iter().filter_map(|(file, edits)| {
        let source = texts.get(&file)?;
        Some((file, source.with(&edits)))
    });
    Annotated { files: files.collect(), left_out }
}

/// The insertions for one construct: all of its roles or none.
fn of_construct(
    sync: &Sync,
    number: usize,
    texts: &BTreeMap<String, Source>,
) -> Result<Vec<(String, usize, String)>, String> {
    let source =
        |role: &SyncRole| texts.get(&role.region.file).ok_or_else(|| format!("{} cannot be read", role.region.file));
    let mut functions = Vec::new();
    for role in sync.roles.iter().filter(|role| role.is_function) {
        functions.push((role, source(role)?.function(role)?));
    }
    let has_objects = functions.len() == sync.roles.len() && functions.iter().all(|(_, found)| found.first.is_some());
    let is_told_apart = sync.instances > 1 && has_objects;
    let variable = format!("heddle_sync_{number}");
    let mut edits = Vec::new();
    for (role, found) in &functions {
        let object = found.first.as_ref().filter(|_| is_told_apart);
        let object = object.map_or_else(|| format!("&{variable}"), Clone::clone);
        let [releases, acquires] = ways(sync.kind, role);
        let line = format!("HEDDLE_SYNC({object}, {releases}, {acquires});");
        let text = match &found.indent {
            Some(indent) => format!("\n{indent}{line}"),
            None => format!(" {line}"),
        };
        edits.push((role.region.file.clone(), found.open + 1, text));
    }
    for role in sync.roles.iter().filter(|role| !role.is_function) {
        let Stretch { begin, end, indent, is_single } = source(role)?.stretch(role)?;
        let [releases, acquires] = ways(sync.kind, role);
        let (open, close) = if is_single { ("{ ", " }") } else { ("", "") };
        edits.push((
            role.region.file.clone(),
            begin,
            format!("{indent}{open}HEDDLE_SYNC_BEGIN(&{variable}, {releases});\n"),
        ));
        edits.push((
            role.region.file.clone(),
            end,
            format!("{indent}HEDDLE_SYNC_END(&{variable}, {acquires});{close}\n"),
        ));
    }
    let files: BTreeSet<&String> = sync.roles.iter().map(|role| &role.region.file).collect();
    if !is_told_apart {
        for file in &files {
            edits.push(((*file).clone(), 0, format!("HEDDLE_SYNC_OBJECT({variable})\n")));
        }
    }
    Ok(edits)
}

/// Whether a role releases on its way in, and acquires on its way out.
fn ways(kind: SyncKind, role: &SyncRole) -> [u8; 2] {
    match (kind, role.role) {
        (SyncKind::Barrier | SyncKind::Once | SyncKind::Handshake, _) => [1, 1],
        (_, "unlock" | "write-unlock" | "read-unlock" | "release" | "set" | "post" | "write") => [1, 0],
        _ => [0, 1],
    }
}

/// A file of the user, with its comments and texts blanked.
struct Source {
    text: String,
    blank: String,
    /// The offset of each line.
    lines: Vec<usize>,
}

struct Function {
    /// The offset of the opening brace.
    open: usize,
    /// The indentation of a line behind it; `None` if the function stands on one line.
    indent: Option<String>,
    /// The first parameter as an address, if it is a pointer or a reference, or the object of a method.
    first: Option<String>,
}

struct Stretch {
    begin: usize,
    end: usize,
    indent: String,
    /// It is the only statement of a loop or a condition.
    is_single: bool,
}

impl Source {
    fn new(text: String) -> Source {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Source { blank: blanked(&text), text, lines }
    }

    fn line(&self, line: u32) -> Option<usize> {
        self.lines.get((line as usize).checked_sub(1)?).copied()
    }

    fn indent(&self, at: usize) -> String {
        let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        self.text[start..].chars().take_while(|letter| *letter == ' ' || *letter == '\t').collect()
    }

    fn function(&self, role: &SyncRole) -> Result<Function, String> {
        let lost = || format!("the function {} is not found in the source", role.function);
        let name = role.function.split('<').next().unwrap_or(&role.function);
        let name = name.rsplit("::").next().unwrap_or(name);
        let from = self.line(role.region.line).ok_or_else(lost)?;
        let to = self.line(role.region.line + 4).unwrap_or(self.text.len());
        let at = from + word_in(&self.blank[from..to], name).ok_or_else(lost)?;
        let parameters = at + self.blank[at..].find('(').ok_or_else(lost)?;
        let end = closing(&self.blank, parameters).ok_or_else(lost)?;
        let open = end + self.blank[end..].find('{').ok_or_else(lost)?;
        let rest = self.blank[open + 1..].lines().next().unwrap_or("");
        let indent = rest.trim().is_empty().then(|| {
            let next = self.blank[open + 1..].find(|letter: char| !letter.is_whitespace()).map(|next| open + 1 + next);
            next.map_or_else(|| self.indent(open), |next| self.indent(next))
        });
        let is_method = role.function.contains("::");
        let first = if is_method { Some("this".to_owned()) } else { pointer(&self.blank[parameters + 1..end]) };
        Ok(Function { open, indent, first })
    }

    fn stretch(&self, role: &SyncRole) -> Result<Stretch, String> {
        let lines = format!("lines {} to {}", role.region.line, role.region.end_line);
        let lost = || format!("{lines} are not statements of their own");
        let begin = self.line(role.region.line).ok_or_else(lost)?;
        let before = self.blank[..begin].trim_end();
        let is_single = before.ends_with(')') || before.ends_with("else") || before.ends_with("do");
        if !is_single && !before.ends_with([';', '{', '}', ':']) && !last_line(before).starts_with('#') {
            return Err(lost());
        }
        let least = self.line(role.region.end_line + 1).unwrap_or(self.text.len());
        let (mut depth, mut end) = (0_i32, None);
        for (at, letter) in self.blank[begin..].char_indices() {
            match letter {
                '(' | '{' | '[' => depth += 1,
                ')' | '}' | ']' => depth -= 1,
                '\n' if depth == 0 && begin + at + 1 >= least => {
                    let so_far = self.blank[begin..begin + at].trim_end();
                    // A macro is a statement without a semicolon.
                    if so_far.ends_with([';', '}']) || so_far.ends_with(')') && !self.goes_on(begin + at) {
                        end = Some(begin + at + 1);
                        break;
                    }
                }
                _ => {}
            }
            if depth < 0 {
                return Err(lost());
            }
        }
        let end = end.ok_or_else(lost)?;
        let inside = &self.blank[begin..end];
        if ["return", "goto"].iter().any(|word| word_in(inside, word).is_some()) {
            return Err(format!("{lines} can be left in between"));
        }
        Ok(Stretch { begin, end, indent: self.indent(begin + leading(inside)), is_single })
    }

    /// Whether a line that ends with a parenthesis is the head of a statement, whose body follows.
    fn goes_on(&self, end: usize) -> bool {
        let line = last_line(&self.blank[..end]).trim_start().to_owned();
        ["while", "for", "if"].iter().any(|word| line.starts_with(word)) || line.starts_with('}')
    }

    fn with(&self, edits: &Edits) -> String {
        let mut text = self.text.clone();
        for (&at, new) in edits.iter().rev() {
            text.insert_str(at, new);
        }
        // The macros come before the variables, which stand at the beginning of the file.
        text.insert_str(0, MACROS);
        text
    }
}

fn last_line(text: &str) -> &str {
    text.rsplit('\n').next().unwrap_or("")
}

fn leading(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Where a word begins.
fn word_in(text: &str, word: &str) -> Option<usize> {
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let mut found = text.match_indices(word).map(|(at, _)| at);
    found.find(|&at| !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next()))
}

/// The parenthesis that closes the one at an offset.
fn closing(blank: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in blank[open..].char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + at);
        }
    }
    None
}

/// The first parameter as an address, if it is a pointer, an array or a reference.
fn pointer(parameters: &str) -> Option<String> {
    let first = parameters.split(',').next()?;
    let name = first.split('[').next()?.trim_end();
    let start = name.rfind(|letter: char| !(letter.is_alphanumeric() || letter == '_')).map_or(0, |at| at + 1);
    let (of, name) = name.split_at(start);
    if name.is_empty() || of.trim().is_empty() {
        return None;
    }
    match (of.contains('*') || first.contains('['), of.contains('&')) {
        (true, false) => Some(name.to_owned()),
        (false, true) => Some(format!("&{name}")),
        _ => None,
    }
}

/// The text with spaces in place of comments, characters and strings. Offsets stay.
fn blanked(text: &str) -> String {
    let mut blank = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else if letter == '"' || letter == '\'' {
            quoted(rest, letter)
        } else {
            blank.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        };
        let (away, after) = rest.split_at(length);
        blank.extend(away.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = after;
    }
    blank
}

/// The length of a quotation, to the end of its line if it is open.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Empty without the sanitizer.
const MACROS: &str = r#"/* Annotations for ThreadSanitizer, made by heddle sync. */
#ifndef HEDDLE_SYNC
#if defined(__SANITIZE_THREAD__)
#define HEDDLE_SANITIZES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_SANITIZES 1
#endif
#endif
#ifdef HEDDLE_SANITIZES
#ifdef __cplusplus
extern "C" {
#endif
void __tsan_acquire(void *);
void __tsan_release(void *);
void AnnotateIgnoreReadsBegin(const char *, int);
void AnnotateIgnoreReadsEnd(const char *, int);
void AnnotateIgnoreWritesBegin(const char *, int);
void AnnotateIgnoreWritesEnd(const char *, int);
#ifdef __cplusplus
}
#endif
struct heddle_sync {
    void *object;
    int acquires;
};
__attribute__((unused, no_sanitize("thread")))
static struct heddle_sync heddle_sync_enter(const volatile void *object, int releases, int acquires) {
    struct heddle_sync sync = {(void *)object, acquires};
    if (releases) __tsan_release(sync.object);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    return sync;
}
__attribute__((unused, no_sanitize("thread")))
static void heddle_sync_leave(struct heddle_sync *sync) {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    if (sync->acquires) __tsan_acquire(sync->object);
}
#define HEDDLE_SYNC(object, releases, acquires) \
    struct heddle_sync heddle_sync_here __attribute__((cleanup(heddle_sync_leave), unused)) = \
        heddle_sync_enter(object, releases, acquires)
#define HEDDLE_SYNC_BEGIN(object, releases) heddle_sync_enter(object, releases, 0)
#define HEDDLE_SYNC_END(object, acquires) \
    do { struct heddle_sync heddle_sync_end = {(void *)(object), acquires}; heddle_sync_leave(&heddle_sync_end); } while (0)
#define HEDDLE_SYNC_OBJECT(name) __attribute__((weak)) char name;
#else
#define HEDDLE_SYNC(object, releases, acquires)
#define HEDDLE_SYNC_BEGIN(object, releases)
#define HEDDLE_SYNC_END(object, acquires)
#define HEDDLE_SYNC_OBJECT(name)
#endif
#endif
"#;

#[cfg(test)]
mod tests {
    use report::{Extent, ProvenFor};

    use super::*;

    fn role(role: &'static str, function: &str, line: u32, end_line: u32, is_function: bool) -> SyncRole {
        let region = Extent { file: "a.c".to_owned(), line, end_line };
        SyncRole { role, function: function.to_owned(), region, is_function }
    }

    fn annotated(text: &str, kind: SyncKind, objects: usize, roles: Vec<SyncRole>) -> Annotated {
        let sync = Sync {
            kind,
            proven_for: vec![ProvenFor { threads: 2, rounds: 1 }],
            region: roles[0].region.clone(),
            roles,
            waits: Vec::new(),
            writes: Vec::new(),
            objects: Vec::new(),
            broken: None,
            assumptions: Vec::new(),
            unknown: None,
            participants: 2,
            capacity: None,
            fifo: None,
            instances: objects,
            states: 0,
        };
        annotate(&Synced { syncs: vec![sync], ..Synced::default() }, &|_| Some(text.to_owned()))
    }

    fn added(text: &str, kind: SyncKind, objects: usize, roles: Vec<SyncRole>) -> String {
        let annotated = annotated(text, kind, objects, roles);
        assert_eq!(annotated.left_out, [""; 0]);
        annotated.files["a.c"].strip_prefix(MACROS).expect("the macros come first").to_owned()
    }

    #[test]
    fn functions_are_told_apart_by_their_object() {
        let text =
            "void lock(lock_t *l /* { */)\n{\n    while (l->held) ;\n}\nvoid unlock(lock_t *l) { l->held = 0; }\n";
        let roles = vec![role("lock", "lock", 1, 3, true), role("unlock", "unlock", 5, 5, true)];
        let expected = "void lock(lock_t *l /* { */)\n{\n    HEDDLE_SYNC(l, 0, 1);\n    while (l->held) ;\n}\n\
                        void unlock(lock_t *l) { HEDDLE_SYNC(l, 1, 0); l->held = 0; }\n";
        assert_eq!(added(text, SyncKind::Mutex, 2, roles), expected);
    }

    #[test]
    fn one_variable_stands_for_functions_without_an_object() {
        let text = "void meet(int n) {\n  count++;\n}\n";
        let expected = "HEDDLE_SYNC_OBJECT(heddle_sync_1)\nvoid meet(int n) {\n  HEDDLE_SYNC(&heddle_sync_1, 1, 1);\n  count++;\n}\n";
        assert_eq!(added(text, SyncKind::Barrier, 2, vec![role("arrive", "meet", 1, 2, true)]), expected);
    }

    #[test]
    fn lines_are_framed_to_the_end_of_their_statement() {
        let text = "void f(void) {\n    go = 1;\n    while (!ready) {\n        pause();\n    }\n    use();\n}\n";
        let expected = "HEDDLE_SYNC_OBJECT(heddle_sync_1)\nvoid f(void) {\n    go = 1;\n    HEDDLE_SYNC_BEGIN(&heddle_sync_1, 0);\n    while (!ready) {\n        pause();\n    }\n    HEDDLE_SYNC_END(&heddle_sync_1, 1);\n    use();\n}\n";
        assert_eq!(added(text, SyncKind::Event, 1, vec![role("wait", "f", 3, 4, false)]), expected);
        let single = "void f(void) {\n    for (;;)\n        BARRIER(x)\n}\n";
        let framed = added(single, SyncKind::Barrier, 1, vec![role("arrive", "f", 3, 3, false)]);
        assert!(framed.contains("        { HEDDLE_SYNC_BEGIN(&heddle_sync_1, 1);\n        BARRIER(x)\n        HEDDLE_SYNC_END(&heddle_sync_1, 1); }\n"), "{framed}");
    }

    #[test]
    fn lines_that_are_left_in_between_are_left_out() {
        let text = "void f(void) {\n    while (!ready)\n        if (late) return;\n}\n";
        let found = annotated(text, SyncKind::Event, 1, vec![role("wait", "f", 2, 3, false)]);
        assert_eq!((found.files.len(), found.left_out.len()), (0, 1));
        assert!(found.left_out[0].ends_with("lines 2 to 3 can be left in between"), "{:?}", found.left_out);
    }
}
