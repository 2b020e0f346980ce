//! The command line of a compiler driver: its inputs and its product, and the reconstruction of the line with a few
//! words changed.
//!
//! No line is rejected here. Errors are left to clang; a line that is not understood is passed on.

use std::collections::HashMap;
use std::path::Path;

use super::Driver;

/// One argument, with a value that is an argument of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    Input(Input),
    Output(String),
    /// `-x` and the language of the inputs after it.
    Language(String),
    Flag(String),
    FlagWithValue(String, String),
}

/// A file that is compiled or linked; `-` is stdin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub file: String,
    /// The language of the last `-x` before it, unless that was `none`.
    pub language: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Without a program as product: `--version`, `-E`, no inputs, …
    Other,
    Compile,
    Link,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    pub words: Vec<Word>,
    /// Whether words came from response files: together they may be too long for a command line.
    pub has_response_files: bool,
    /// `-fheddle-every-branch`
    pub every_branch: bool,
    /// `-fheddle-hooks`
    pub hooks: bool,
    /// Whether it contains unsupported words.
    is_strange: bool,
}

/// Options whose value may be the next word. Determined by trying all options of clang 22.
const WITH_VALUE: &[&str] = &[
    "--CLASSPATH",
    "--analyzer-output",
    "--assert",
    "--bootclasspath",
    "--config",
    "--define-macro",
    "--dyld-prefix",
    "--for-linker",
    "--force-link",
    "--imacros",
    "--include",
    "--include-directory",
    "--include-directory-after",
    "--include-with-prefix",
    "--include-with-prefix-after",
    "--include-with-prefix-before",
    "--library-directory",
    "--output-class-directory",
    "--param",
    "--prefix",
    "--rtlib",
    "--serialize-diagnostics",
    "--specs",
    "--std",
    "--sysroot",
    "--system-header-prefix",
    "--undefine-macro",
    "--vfsoverlay",
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-V",
    "-Xanalyzer",
    "-Xarch_device",
    "-Xarch_host",
    "-Xassembler",
    "-Xclang",
    "-Xclangas",
    "-Xcuda-fatbinary",
    "-Xcuda-ptxas",
    "-Xlinker",
    "-Xoffload-linker",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-ccc-gcc-name",
    "-ccc-install-dir",
    "-cxx-isystem",
    "-dependency-dot",
    "-dependency-file",
    "-dumpdir",
    "-e",
    "-fdebug-compilation-dir",
    "-fmodules-user-build-path",
    "-ftrapv-handler",
    "-gen-cdb-fragment-path",
    "-idirafter",
    "-iframework",
    "-iframeworkwithsysroot",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-meabi",
    "-mllvm",
    "-mmlir",
    "-module-dependency-dir",
    "-mthread-model",
    "-resource-dir",
    "-rpath",
    "-serialize-diagnostics",
    "-specs",
    "-stdlib++-isystem",
    "-target",
    "-u",
    "-undefined",
    "-vfsoverlay",
    "-working-directory",
    "-z",
];

/// Options for other products than an object or a program.
const OTHER_PRODUCTS: &[&str] = &[
    "-###",
    "--analyze",
    "--assemble",
    "--dependencies",
    "--help",
    "--help-hidden",
    "--precompile",
    "--preprocess",
    "--user-dependencies",
    "--version",
    "-E",
    "-M",
    "-MM",
    "-S",
    "-cc1",
    "-cc1as",
    "-dumpmachine",
    "-dumpspecs",
    "-dumpversion",
    "-emit-ast",
    "-emit-llvm",
    "-emit-interface-stubs",
    "-extract-api",
    "-fsyntax-only",
    "-help",
    "-module-file-info",
    "-rewrite-legacy-objc",
    "-rewrite-objc",
    "-verify-pch",
];

const OTHER_PRODUCT_BEGINNINGS: &[&str] = &["-print-", "--print-", "--autocomplete", "-ccc-print", "--driver-mode="];

/// Link-time optimisation leaves objects without code. heddle optimises whole programs itself.
const LINK_TIME_OPTIMISATION: &[&str] = &[
    "-flto",
    "-ffat-lto-objects",
    "-fwhole-program-vtables",
    "-fvirtual-function-elimination",
    "-fsplit-lto-unit",
    "-funified-lto",
    "-fthinlto-index",
];

impl CommandLine {
    pub fn parse(arguments: &[String]) -> CommandLine {
        let mut line = CommandLine::default();
        let mut words = Vec::new();
        expand(arguments, &mut words, &mut line.has_response_files, 0);
        let mut language = None;
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--" => line.is_strange = true,
                "-" => line.words.push(Word::Input(Input { file: word, language: language.clone() })),
                "-fheddle-every-branch" => line.every_branch = true,
                "-fheddle-hooks" => line.hooks = true,
                "-o" | "--output" => line.words.push(words.next().map_or(Word::Flag(word), Word::Output)),
                "-x" | "--language" => match words.next() {
                    Some(value) => {
                        language = Some(value.clone()).filter(|value| value != "none");
                        line.words.push(Word::Language(value));
                    }
                    None => line.words.push(Word::Flag(word)),
                },
                flag if WITH_VALUE.contains(&flag) => match words.next() {
                    Some(value) => line.words.push(Word::FlagWithValue(word, value)),
                    None => line.words.push(Word::Flag(word)),
                },
                _ if !word.starts_with('-') => {
                    line.words.push(Word::Input(Input { file: word, language: language.clone() }));
                }
                _ => {
                    if let Some(value) = word.strip_prefix("-x").or_else(|| word.strip_prefix("--language=")) {
                        language = Some(value.to_owned()).filter(|value| value != "none");
                        line.words.push(Word::Language(value.to_owned()));
                    } else if let Some(file) = output(&word) {
                        line.words.push(Word::Output(file.to_owned()));
                    } else {
                        line.words.push(Word::Flag(word));
                    }
                }
            }
        }
        line.drop_link_time_optimisation();
        line
    }

    /// Control-flow integrity cannot do without it, and programs with that are not recorded anyway.
    fn drop_link_time_optimisation(&mut self) {
        if self.flags().any(|flag| flag.starts_with("-fsanitize=") && flag.contains("cfi")) {
            return;
        }
        let belongs = |flag: &str| LINK_TIME_OPTIMISATION.iter().any(|beginning| flag.starts_with(beginning));
        self.words.retain(|word| !matches!(word, Word::Flag(flag) if belongs(flag)));
    }

    pub fn task(&self) -> Task {
        let other = |flag: &str| {
            OTHER_PRODUCTS.contains(&flag) || OTHER_PRODUCT_BEGINNINGS.iter().any(|start| flag.starts_with(start))
        };
        if self.is_strange
            || self.flags().any(other)
            || !self.inputs().any(Input::exists)
            || self.inputs().any(Input::is_header)
        {
            Task::Other
        } else if self.flags().any(|flag| flag == "-c" || flag == "--compile") {
            Task::Compile
        } else {
            Task::Link
        }
    }

    /// Whether it contains unsupported words.
    pub fn is_strange(&self) -> bool {
        self.is_strange
    }

    /// Options, without values that are separate words.
    pub fn flags(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter_map(|word| match word {
            Word::Flag(flag) | Word::FlagWithValue(flag, _) => Some(flag.as_str()),
            Word::Input(_) | Word::Output(_) | Word::Language(_) => None,
        })
    }

    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.words.iter().filter_map(|word| match word {
            Word::Input(input) => Some(input),
            _ => None,
        })
    }

    /// The last one counts.
    pub fn output(&self) -> Option<&str> {
        self.words.iter().rev().find_map(|word| match word {
            Word::Output(file) => Some(file.as_str()),
            _ => None,
        })
    }

    /// All flags for the compilation of a single file.
    pub fn compile_flags(&self) -> Vec<String> {
        let is_flag = |word: &&Word| matches!(word, Word::Flag(_) | Word::FlagWithValue(..));
        self.words.iter().filter(is_flag).flat_map(Word::arguments).collect()
    }

    pub fn arguments(&self) -> Vec<String> {
        self.words.iter().flat_map(Word::arguments).collect()
    }

    /// Whether `--whole-archive` holds before the word with this index.
    pub fn is_whole_archive(&self, index: usize) -> bool {
        let options = self.words.iter().take(index).flat_map(Word::linker_options);
        let mut said = options.filter_map(|option| match option.trim_start_matches('-') {
            "whole-archive" => Some(true),
            "no-whole-archive" => Some(false),
            _ => None,
        });
        said.next_back().unwrap_or(false)
    }

    /// The linker's words, in order.
    pub fn linker_options(&self) -> impl Iterator<Item = &str> {
        self.words.iter().flat_map(Word::linker_options)
    }

    /// The same command with other inputs: `replaced` replaces words by index, and `added` is inserted before the word
    /// with its index.
    pub fn with_inputs(
        &self,
        replaced: &HashMap<usize, Vec<String>>,
        added: (usize, &[String]),
        output: &str,
    ) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut said: Option<String> = None;
        for (index, word) in self.words.iter().enumerate() {
            if index == added.0 {
                say_language(&mut arguments, &mut said, None);
                arguments.extend(added.1.iter().cloned());
            }
            match (word, replaced.get(&index)) {
                (Word::Language(_) | Word::Output(_), _) => {}
                (_, Some(files)) => {
                    if !files.is_empty() {
                        say_language(&mut arguments, &mut said, None);
                    }
                    arguments.extend(files.iter().cloned());
                }
                (Word::Input(input), None) => {
                    say_language(&mut arguments, &mut said, input.language.as_ref());
                    arguments.push(input.file.clone());
                }
                (Word::Flag(_) | Word::FlagWithValue(..), None) => arguments.extend(word.without_side_products()),
            }
        }
        say_language(&mut arguments, &mut said, None);
        arguments.extend(["-o".to_owned(), output.to_owned()]);
        arguments
    }
}

fn say_language(arguments: &mut Vec<String>, said: &mut Option<String>, wanted: Option<&String>) {
    if said.as_ref() != wanted {
        arguments.extend(["-x".to_owned(), wanted.map_or("none".to_owned(), String::clone)]);
        *said = wanted.cloned();
    }
}

/// `-oFILE`, but not other options with that prefix.
fn output(word: &str) -> Option<&str> {
    if word.starts_with("-object") || word.starts_with("-offload") {
        return None;
    }
    word.strip_prefix("--output=").or_else(|| word.strip_prefix("-o"))
}

impl Word {
    pub fn arguments(&self) -> Vec<String> {
        match self {
            Word::Input(input) => vec![input.file.clone()],
            Word::Output(file) => vec!["-o".to_owned(), file.clone()],
            Word::Language(language) => vec!["-x".to_owned(), language.clone()],
            Word::Flag(flag) => vec![flag.clone()],
            Word::FlagWithValue(flag, value) => vec![flag.clone(), value.clone()],
        }
    }

    pub fn linker_options(&self) -> Vec<&str> {
        match self {
            Word::Flag(flag) => flag.strip_prefix("-Wl,").map_or(Vec::new(), |options| options.split(',').collect()),
            Word::FlagWithValue(flag, value) if flag == "-Xlinker" || flag == "--for-linker" => vec![value],
            _ => Vec::new(),
        }
    }

    /// Without options for additional output files. Those were created before, and would now have the wrong names.
    fn without_side_products(&self) -> Vec<String> {
        let of_linker = |option: &str| option.trim_start_matches('-').starts_with("dependency-file");
        let of_compiler =
            |flag: &str| (flag.starts_with("-M") && flag != "-Mach") || flag.starts_with("-save-temps") || flag == "-v";
        match self {
            Word::Flag(flag) if of_compiler(flag) => Vec::new(),
            Word::Flag(flag) if flag.starts_with("-Wl,") => {
                let options: Vec<&str> =
                    self.linker_options().into_iter().filter(|option| !of_linker(option)).collect();
                if options.is_empty() { Vec::new() } else { vec![format!("-Wl,{}", options.join(","))] }
            }
            Word::FlagWithValue(flag, _) if of_compiler(flag) => Vec::new(),
            Word::FlagWithValue(_, value) if !self.linker_options().is_empty() && of_linker(value) => Vec::new(),
            _ => self.arguments(),
        }
    }

    /// The name of `-lNAME`.
    pub fn library(&self) -> Option<&str> {
        match self {
            Word::Flag(flag) => flag.strip_prefix("-l").filter(|name| !name.is_empty()),
            Word::FlagWithValue(flag, name) if flag == "-l" => Some(name),
            _ => None,
        }
    }
}

/// The languages that can be compiled to bitcode, in terms of `-x`.
const LANGUAGES: &[&str] = &["c", "c++", "cpp-output", "c++-cpp-output"];

impl Input {
    fn exists(&self) -> bool {
        self.file == "-" || Path::new(&self.file).exists()
    }

    /// Headers are precompiled, whatever the other options are.
    fn is_header(&self) -> bool {
        match &self.language {
            Some(language) => language.ends_with("-header"),
            None => matches!(
                Path::new(&self.file).extension().and_then(|ending| ending.to_str()),
                Some("h" | "hh" | "hpp" | "hxx" | "H" | "hp" | "h++")
            ),
        }
    }

    /// Its language in terms of `-x`, if it is a source that can be compiled to bitcode.
    pub fn source_language(&self, driver: Driver) -> Option<&'static str> {
        let from_ending = || match (Path::new(&self.file).extension()?.to_str()?, driver) {
            ("c", Driver::C) => Some("c"),
            ("i", Driver::C) => Some("cpp-output"),
            ("c" | "cc" | "cp" | "cpp" | "cxx" | "c++" | "CPP" | "CC" | "CXX" | "C++" | "C", _) => Some("c++"),
            ("i" | "ii", _) => Some("c++-cpp-output"),
            _ => None,
        };
        match &self.language {
            Some(language) => LANGUAGES.iter().copied().find(|known| known == language),
            None => from_ending(),
        }
    }
}

/// Files that name themselves would never end.
const DEEPEST: usize = 64;

/// Replaces `@FILE` by the words in it.
fn expand(arguments: &[String], words: &mut Vec<String>, found: &mut bool, depth: usize) {
    for argument in arguments {
        let text = match argument.strip_prefix('@') {
            Some(file) if depth < DEEPEST => std::fs::read_to_string(file).ok(),
            _ => None,
        };
        match text {
            Some(text) => {
                *found = true;
                expand(&split(&text), words, found, depth + 1);
            }
            None => words.push(argument.clone()),
        }
    }
}

/// The words of a response file: quotes protect spaces, a backslash protects the next character.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', _) => word.get_or_insert_default().extend(characters.next()),
            (closing, Some(open)) if closing == open => quote = None,
            (inside, Some(_)) => word.get_or_insert_default().push(inside),
            (open @ ('"' | '\''), None) => {
                quote = Some(open);
                word.get_or_insert_default();
            }
            (space, None) if space.is_ascii_whitespace() => words.extend(word.take()),
            (other, None) => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

/// The text of a response file with these words.
pub fn response_file(arguments: &[String]) -> String {
    let quoted = |argument: &String| format!("\"{}\"\n", argument.replace('\\', "\\\\").replace('"', "\\\""));
    arguments.iter().map(quoted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> CommandLine {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        CommandLine::parse(&words)
    }

    fn inputs(line: &CommandLine) -> Vec<&str> {
        line.inputs().map(|input| input.file.as_str()).collect()
    }

    #[test]
    fn values_of_options_are_no_inputs() {
        let text =
            "-I inc -Iinc -D N -o out.o -c a.c -MF a.d -Xlinker -z -include x.h -l m -target x86_64-linux-gnu b.c";
        let line = parse(text);
        assert_eq!(inputs(&line), ["a.c", "b.c"]);
        assert_eq!(line.output(), Some("out.o"));
        assert_eq!(line.arguments().join(" "), text);
    }

    #[test]
    fn tasks() {
        for other in
            ["--version", "-v", "-E -", "-c -emit-llvm -", "-print-search-dirs", "-M -", "", "- -- b.c", "no.c"]
        {
            assert_eq!(parse(other).task(), Task::Other, "{other}");
        }
        assert_eq!(parse("-v - a.c").task(), Task::Link);
        assert_eq!(parse("-MD -c -").task(), Task::Compile);
    }

    #[test]
    fn languages() {
        let line = parse("a.c -x c++ b.c -xnone c.cc d.s -x assembler e.c -");
        let of = |driver| line.inputs().map(|input| input.source_language(driver)).collect::<Vec<_>>();
        assert_eq!(of(Driver::C), [Some("c"), Some("c++"), Some("c++"), None, None, None]);
        assert_eq!(of(Driver::CPlusPlus)[0], Some("c++"));
    }

    #[test]
    fn flags_of_heddle_and_of_link_time_optimisation_are_taken_out() {
        let line = parse("-fheddle-hooks -flto=thin -O2 -fheddle-every-branch -fwhole-program-vtables a.c -flto");
        assert!(line.hooks && line.every_branch);
        assert_eq!(line.arguments(), ["-O2", "a.c"]);
        assert_eq!(parse("-flto -fsanitize=cfi a.c").arguments().len(), 3);
    }

    #[test]
    fn inputs_are_replaced_where_they_stood() {
        let line = parse("-pthread a.o -x c b -x none -L. -lx c.o -o p");
        let index = |file: &str| {
            line.words.iter().position(|word| matches!(word, Word::Input(input) if input.file == file)).expect("input")
        };
        let replaced = HashMap::from([(index("a.o"), vec!["new.o".to_owned()]), (index("c.o"), Vec::new())]);
        let added = ["first.o".to_owned()];
        assert_eq!(
            line.with_inputs(&replaced, (index("a.o"), &added), "q").join(" "),
            "-pthread first.o new.o -x c b -L. -lx -x none -o q"
        );
        assert_eq!(
            line.with_inputs(&replaced, (index("c.o"), &added), "q").join(" "),
            "-pthread new.o -x c b -L. -lx -x none first.o -o q"
        );
    }

    #[test]
    fn files_beside_the_product_are_made_once() {
        let line = parse("-MD -MF a.d -O2 a.o -Wl,-z,now,--dependency-file=x -Xlinker --dependency-file=y -Wl,-E -o p");
        assert_eq!(
            line.with_inputs(&HashMap::new(), (usize::MAX, &[]), "q").join(" "),
            "-O2 a.o -Wl,-z,now -Wl,-E -o q"
        );
    }

    #[test]
    fn response_files_are_split_as_they_are_written() {
        let words = ["a b", "", "x\\y", "\"q\"", "plain", "-DX='1 2'"].map(str::to_owned).to_vec();
        assert_eq!(split(&response_file(&words)), words);
        assert_eq!(split("a 'b c'd\\ e \"f\\\"\"\n"), ["a", "b cd e", "f\""]);
    }
}
