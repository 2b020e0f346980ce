//! Indented lines of C. Indentation follows the braces of the text, so that generated programs are readable.

#[derive(Clone, Default)]
pub struct Source {
    text: String,
    depth: usize,
}

impl Source {
    pub fn new() -> Source {
        Source::default()
    }

    /// Adds lines; a line's closing braces at its start and its open braces at its end move the indentation.
    pub fn add(&mut self, lines: impl AsRef<str>) {
        for line in lines.as_ref().lines() {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let leading = line.chars().take_while(|c| *c == '}').count();
            self.depth = self.depth.saturating_sub(leading);
            let is_label = line.ends_with(':') && !line.starts_with("case") && !line.starts_with("default");
            let depth = if is_label { self.depth.saturating_sub(1) } else { self.depth };
            for _ in 0..depth {
                self.text.push_str("    ");
            }
            self.text.push_str(line);
            self.text.push('\n');
            if opens_more_than_it_closes(line, leading) {
                self.depth += 1;
            }
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

fn opens_more_than_it_closes(line: &str, leading: usize) -> bool {
    let opened = line.matches('{').count();
    let closed = line.matches('}').count() - leading;
    opened > closed && line.ends_with('{')
}

/// C text in which `$name` and `${name}` are replaced by values; C's own braces need no escape, unlike with `format!`.
macro_rules! c {
    ($template:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::source::fill($template, &[$((stringify!($name), ($value).to_string())),*])
    };
}
pub(crate) use c;

/// Replaces the names in `template`; a name without a value stays, and the C compiler will complain about it.
pub fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut pieces = template.split('$');
    let mut text = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let (name, rest) = match piece.strip_prefix('{').and_then(|braced| braced.split_once('}')) {
            Some(split) => split,
            None => piece.split_at(piece.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(piece.len())),
        };
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => text.push_str(value),
            None => text.push_str(&format!("${name}")),
        }
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn names_in_a_template_are_replaced() {
        assert_eq!(c!("if ($x) { ${x}_y = $n; $z }", x = "a", n = 3), "if (a) { a_y = 3; $z }");
    }

    #[test]
    fn indentation_follows_braces() {
        let mut source = Source::new();
        source.add("int f(void) {\nif (x) {\ny = 1;\n} else {\nint a[2] = {1, 2};\n}\nout:\nreturn y;\n}");
        assert_eq!(
            source.text(),
            "int f(void) {\n    if (x) {\n        y = 1;\n    } else {\n        int a[2] = {1, 2};\n    }\n\
             out:\n    return y;\n}\n"
        );
    }
}
