//! Indented lines of C. Indentation follows the braces of what is written, so that generated programs can be read when
//! one of them finds a bug.

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

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn indentation_follows_braces() {
        let mut source = Source::new();
        source.add("int f(void) {\nif (x) {\ny = 1;\n} else {\nint a[2] = {1, 2};\n}\nout:\nreturn y;\n}");
        assert_eq!(
            source.text(),
            "int f(void) {\n    if (x) {\n        y = 1;\n    } else {\n        int a[2] = {1, 2};\n    }\nout:\n    return y;\n}\n"
        );
    }
}
