//! Rust source without its comments and literals, so that rules about code do not match text.

/// The source with all comments, strings and characters replaced by spaces. Line numbers stay the same.
pub fn without_words(source: &str) -> String {
    let mut blanked = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = word_length(rest, blanked.chars().next_back());
        let (piece, after) = rest.split_at(length.unwrap_or(first.len_utf8()));
        match length {
            Some(_) => blanked.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' })),
            None => blanked.push_str(piece),
        }
        rest = after;
    }
    blanked
}

/// The same without the modules that only tests have, which become empty lines.
pub fn without_tests(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        let after = &rest[at..];
        let length = after.find([';', '{']).map_or(after.len(), |end| match after.as_bytes()[end] {
            b'{' => end + braces_length(&after[end..]),
            _ => end + 1,
        });
        kept.push_str(&rest[..at]);
        kept.extend(after[..length].chars().filter(|c| *c == '\n'));
        rest = &after[length..];
    }
    kept.push_str(rest);
    kept
}

/// The length of a piece of blanked code in brackets of any kind, which begins with the first of them.
pub fn braces_length(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    code.len()
}

/// The number of the line in which this byte stands, counted from 1.
pub fn line_at(code: &str, at: usize) -> usize {
    1 + code[..at].matches('\n').count()
}

/// The places where `word` stands as a whole word in blanked code.
pub fn places_of<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = code[..*at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(is_inside) && !after.is_some_and(is_inside)
    })
}

/// The name that begins here, after spaces.
pub fn name_at(code: &str) -> &str {
    let code = code.trim_start();
    &code[..code.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(code.len())]
}

/// The length of the comment or literal that begins here, if one does.
fn word_length(rest: &str, before: Option<char>) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(block_comment_length(rest));
    }
    if rest.starts_with('"') {
        return Some(quoted_length(rest, '"'));
    }
    if rest.starts_with('\'') {
        return character_length(rest);
    }
    let in_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if rest.starts_with('r') && !in_name { raw_string_length(rest) } else { None }
}

fn block_comment_length(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

fn quoted_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// `'a'` and `'\n'` are characters, `'a` is a lifetime.
fn character_length(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices().skip(1);
    let (_, first) = chars.next()?;
    let (at, second) = chars.next()?;
    match (first, second) {
        ('\\', _) => Some(quoted_length(rest, '\'')),
        (_, '\'') => Some(at + 1),
        _ => None,
    }
}

fn raw_string_length(rest: &str) -> Option<usize> {
    let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
    let inside = rest[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = inside.find(&end).map_or(inside.len(), |at| at + end.len());
    Some(2 + hashes + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_spaces() {
        for (source, expected) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            ("f(\"x\\\"y\", 'z', '\\'', 'a)", "f(      ,    ,     , 'a)"),
            ("r#\"a\"b\"# c", "         c"),
            ("for\"a\"", "for   "),
            ("'\"' x", "    x"),
            ("\"open", "     "),
            ("/* open", "       "),
            ("größe // ü", "größe     "),
        ] {
            assert_eq!(without_words(source), expected, "{source}");
        }
    }

    #[test]
    fn modules_of_tests_become_empty_lines() {
        for (source, expected) in [
            ("a\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\nc", "a\n\n\n\n\nc"),
            ("#[cfg(test)]\nmod tests;\nmod b;", "\n\nmod b;"),
            ("a #[cfg(test)] mod open {", "a "),
        ] {
            assert_eq!(without_tests(source), expected, "{source}");
        }
    }

    #[test]
    fn words_and_names() {
        assert_eq!(places_of("fn a(); often fn_ fn", "fn").collect::<Vec<_>>(), [0, 18]);
        assert_eq!(name_at("  abc_1<T>"), "abc_1");
        assert_eq!((line_at("a\nb", 0), line_at("a\nb", 2)), (1, 2));
    }
}
