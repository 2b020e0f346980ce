//! Generated programs that read their arguments, stdin and a file: checking with all of these as symbols agrees with
//! exploration with every input of a few letters.
//!
//! Programs only test whether bytes are among these letters, so one more letter stands for all others.
//!
//! `HEDDLE_CASES` is the number of programs, `HEDDLE_FIRST_SEED` the first seed.

#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::rc::Rc;

use diagnose::{CutReached, End, Heard, Sought, cut_reachable, every};
use events::{EventId, Execution, Extent};
use frontend_llvm::Inputs;
use solve::Budget;
use symex::bounded::{Arguments, Bounds, Reason, Symbolic, Unrolled, perform, unroll};
use vm::explore::{Hashing, Settings, explore};
use vm::{Code, Failure, FailureKind, Options, Outcome, Site};

const CASES: u64 = 120;
/// The programs are dealt to this many tests, which run side by side.
const HANDS: u64 = 2;

const LETTERS: &[u8] = b"ab\nz";
const ARGUMENT_LETTERS: &[u8] = b"a1z";

const ABOUT_STDIN: &[&str] = &[
    "{ int c = getchar(); V = c == 'a' ? 1 : c == EOF ? 2 : 0; }",
    "{ int c = getchar(); if (c == 'b') V++; else if (c == 'a') ungetc('b', stdin); }",
    "{ char c = 'z'; if (read(0, &c, 1) == 1 && c == 'b') V++; }",
    "{ char two[2] = {0}; long n = read(0, two, 2); V = (int)n; if (n == 2 && two[1] == 'a') V = 5; }",
    "{ char line[3]; if (fgets(line, 3, stdin) && line[1] == '\\n') V = 3; }",
    "{ char *line = 0; size_t room = 0; if (getline(&line, &room, stdin) == 2) V++; free(line); }",
    "while (getchar() == 'a') V++;",
];

const ABOUT_ARGUMENTS: &[&str] = &[
    "if (count > 1 && words[1][0] == 'a') V++;",
    "if (count > 1) V = (int)strlen(words[1]);",
    "if (count > 1 && strcmp(words[1], \"1a\") == 0) V = 4;",
    "if (count == 2) V = atoi(words[1]) == 1 ? 3 : V;",
    "if (count > 1 && words[1][1] == 'a') V++;",
    "if (words[2] != 0) V++;",
    "if (words[count] != 0) abort();",
    "for (int i = 1; i < count; i++) V += words[i][0] == '1';",
];

const ABOUT_FILES: &[&str] = &[
    "V = fgetc(file);",
    "{ char c = 'z'; if (read(fileno(file), &c, 1) == 1 && c == 'b') V++; }",
    "if (fgetc(file) == EOF) rewind(file);",
    "{ FILE *own = fopen(\"ab\", \"r\"); if (own) { V = fgetc(own) == 'a'; fclose(own); } }",
    "{ FILE *out = fopen(\"new\", \"w\"); fputc('b', out); fclose(out); }",
    "{ int in = open(\"new\", O_RDONLY); char c = 'z'; if (in >= 0 && read(in, &c, 1) == 0) V = 6; }",
    "if (remove(\"ab\") == 0) V++;",
];

const ABOUT_OTHERS: &[&str] =
    &["V++;", "x = y;", "y = x;", "if (x == 1) y = 2;", "pthread_mutex_lock(&m); V++; pthread_mutex_unlock(&m);"];

/// SplitMix64, as the generator of the other programs.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % bound as u64) as usize
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// The input that a program reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Stdin(u32),
    Arguments { count: u32, length: u32 },
    Both,
    Files,
}

struct Generated {
    source: String,
    about: About,
}

fn generated(seed: u64) -> Generated {
    let mut random = Random(seed);
    let about = match random.below(8) {
        0 | 1 => About::Stdin(2),
        2 => About::Stdin(3),
        3 | 4 => About::Arguments { count: 1, length: 2 },
        5 => About::Arguments { count: 2, length: 1 },
        6 => About::Both,
        _ => About::Files,
    };
    let statement = |random: &mut Random, inputs: usize| {
        let list = match (random.below(100) < inputs, about) {
            (false, _) => ABOUT_OTHERS,
            (true, About::Stdin(_)) => ABOUT_STDIN,
            (true, About::Arguments { .. }) => ABOUT_ARGUMENTS,
            (true, About::Both) if random.below(2) == 0 => ABOUT_STDIN,
            (true, About::Both) => ABOUT_ARGUMENTS,
            (true, About::Files) => ABOUT_FILES,
        };
        let variable = random.pick(&["x", "y"]);
        format!("    {}\n", random.pick(list).replace('V', variable))
    };
    let some = |random: &mut Random, most: usize, inputs: usize| -> String {
        (0..random.below(most + 1)).map(|_| statement(random, inputs)).collect()
    };
    let (before, mut beside, mut after) =
        (some(&mut random, 1, 50), some(&mut random, 2, 50), some(&mut random, 2, 50));
    beside.push_str(&statement(&mut random, 60));
    after.push_str(&statement(&mut random, 30));
    let (first, second, third) = (random.below(6), random.below(4), random.below(4));
    let source = format!(
        "#include <assert.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         #include <string.h>\n#include <unistd.h>\nstatic int x, y, count;\nstatic char **words;\nstatic FILE *file;\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic void *work(void *argument)\n{{\n{beside}    \
         return argument;\n}}\nint main(int argc, char **argv)\n{{\n    count = argc;\n    words = argv;\n    {}\n{before}    \
         pthread_t other;\n    pthread_create(&other, 0, work, 0);\n{after}    pthread_join(other, 0);\n    \
         assert(x != {first});\n    assert(x != {second} || y != {third});\n    return 0;\n}}\n",
        if about == About::Files { "file = fopen(\"ab\", \"r\");" } else { "" }
    );
    Generated { source, about }
}

/// All texts of at most `most` of the letters.
fn texts(letters: &[u8], most: u32) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..most {
        let longer = |text: &Vec<u8>| letters.iter().map(|&letter| [&text[..], &[letter]].concat()).collect::<Vec<_>>();
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn lists(count: u32, length: u32) -> Vec<Vec<Vec<u8>>> {
    let texts = texts(ARGUMENT_LETTERS, length);
    let mut all = vec![Vec::new()];
    let mut last: Vec<Vec<Vec<u8>>> = all.clone();
    for _ in 0..count {
        let longer = |list: &Vec<Vec<u8>>| {
            texts.iter().map(|text| [&list[..], std::slice::from_ref(text)].concat()).collect::<Vec<_>>()
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn options(arguments: &[Vec<u8>], stdin: &[u8]) -> Options {
    Options {
        arguments: std::iter::once(b"program".to_vec()).chain(arguments.iter().cloned()).collect(),
        stdin: stdin.to_vec(),
        files: Rc::new(|name| (name == "ab").then(|| b"ab".to_vec())),
        ..Options::default()
    }
}

impl About {
    fn symbolic(self) -> Symbolic {
        match self {
            About::Stdin(bytes) => Symbolic { stdin: Some(bytes), arguments: None },
            About::Arguments { count, length } => {
                Symbolic { stdin: None, arguments: Some(Arguments { count, length }) }
            }
            About::Both => Symbolic { stdin: Some(1), arguments: Some(Arguments { count: 1, length: 1 }) },
            About::Files => Symbolic::default(),
        }
    }

    fn inputs(self) -> Vec<Options> {
        match self {
            About::Stdin(bytes) => texts(LETTERS, bytes).iter().map(|stdin| options(&[], stdin)).collect(),
            About::Arguments { count, length } => {
                lists(count, length).iter().map(|arguments| options(arguments, &[])).collect()
            }
            About::Both => {
                let (lists, texts) = (lists(1, 1), texts(LETTERS, 1));
                lists.iter().flat_map(|list| texts.iter().map(|stdin| options(list, stdin))).collect()
            }
            About::Files => vec![options(&[], &[])],
        }
    }
}

fn load(folder: &Path, source: &str, seed: u64) -> Rc<Code> {
    let file = folder.join(format!("generated-{seed}.c"));
    fs::write(&file, source).expect("a file can be written");
    let inputs = Inputs { files: vec![file], flags: vec!["-w".into()], color: false };
    let loaded = frontend_llvm::load(&inputs).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{source}"));
    Rc::new(Code::new(&loaded.program))
}

fn place(site: &Site) -> String {
    site.frames.iter().map(|frame| format!("{}.{}", frame.function.0, frame.span.0)).collect::<Vec<_>>().join("<")
}

fn name(failure: &Failure) -> String {
    format!("{} at {}", failure.kind.name(), place(&failure.site))
}

/// All outcomes of exploration with any of the inputs, if it completes.
fn tried(code: &Rc<Code>, about: About) -> Option<BTreeSet<String>> {
    let settings = Settings { hashing: Hashing::On, executions: Some(50_000), all: true, ..Settings::default() };
    let mut found = BTreeSet::new();
    for options in about.inputs() {
        let exploration = explore(code, &options, &settings, &mut |_| true);
        if !exploration.cuts.is_empty() {
            return None;
        }
        found.extend(exploration.failures.iter().map(|failure| name(&failure.failure)));
    }
    Some(found)
}

fn sites(unrolled: &Unrolled) -> BTreeMap<EventId, u32> {
    let mut numbers: BTreeMap<(FailureKind, String), u32> = BTreeMap::new();
    let mut sites = BTreeMap::new();
    for (&event, wrong) in &unrolled.wrongs {
        let frames = format!("{:?}", unrolled.frames(event));
        let next = numbers.len() as u32;
        sites.insert(event, *numbers.entry((wrong.kind, frames)).or_insert(next));
    }
    sites
}

/// The program with the inputs of an execution, in its order; returns the failure.
fn performed(code: &Rc<Code>, unrolled: &Unrolled, execution: &Execution) -> Result<String, String> {
    let outcome = events::replay(&unrolled.graph, execution, Extent::Prefix).map_err(|wrong| wrong.to_string())?;
    let given = unrolled.given(execution);
    let options = options(&given.arguments.unwrap_or_default(), &given.stdin.unwrap_or_default());
    let performed = perform(code, &options, unrolled, execution, &outcome).map_err(|astray| astray.to_string())?;
    match performed.execution.outcome {
        Outcome::Failed(failure) => Ok(name(&failure)),
        other => Err(format!("{other:?}")),
    }
}

enum Checked {
    Complete(BTreeSet<String>),
    NotFollowed(String),
    Wrong(String),
}

fn checked(code: &Rc<Code>, about: About) -> Checked {
    for rounds in [2, 4, 8, 16, 32] {
        let bounds = Bounds { unroll: rounds, symbolic: about.symbolic(), ..Bounds::default() };
        let unrolled = match unroll(code, &options(&[], &[]), &bounds) {
            Ok(unrolled) => unrolled,
            Err(error) => return Checked::NotFollowed(error.to_string()),
        };
        match cut_reachable(&unrolled.graph, &Budget::default()) {
            Ok(CutReached::Never) => {}
            Ok(CutReached::Cut { cut, .. }) => {
                let cut = unrolled.cuts.iter().find(|known| known.event == cut);
                match cut.map(|cut| &cut.reason) {
                    Some(Reason::Unsupported(what)) => return Checked::NotFollowed(what.clone()),
                    _ => continue,
                }
            }
            other => return Checked::NotFollowed(format!("{other:?}")),
        }
        let sites = sites(&unrolled);
        let mut found = BTreeSet::new();
        let sought = Sought {
            graph: &unrolled.graph,
            site: &|event| sites.get(&event).copied(),
            assertions: true,
            deadlocks: true,
            all: true,
            budget: Budget::default(),
        };
        let mut confirm = |execution: &Execution, _: &diagnose::Wrong| match performed(code, &unrolled, execution) {
            Ok(failure) => {
                found.insert(failure);
                Heard::Confirmed
            }
            Err(why) => Heard::Refuted(why),
        };
        return match every(&sought, &mut confirm, &mut |_| {}) {
            Ok(everything) => match everything.end {
                End::Exhausted => Checked::Complete(found),
                end => Checked::Wrong(format!("{end:?}")),
            },
            Err(error) => Checked::Wrong(error.to_string()),
        };
    }
    Checked::NotFollowed("loops that never end".to_owned())
}

fn play(hand: u64) {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut agreed, mut failing, mut too_large) = (0, 0, 0);
    let (mut left, mut wrong) = (Vec::new(), Vec::new());
    let seeds: Vec<u64> = (first..first + cases).filter(|seed| seed % HANDS == hand).collect();
    for &seed in &seeds {
        let Generated { source, about } = generated(seed);
        let code = load(folder.path(), &source, seed);
        let Some(expected) = tried(&code, about) else {
            too_large += 1;
            continue;
        };
        match checked(&code, about) {
            Checked::Complete(found) if found == expected => {
                agreed += 1;
                failing += u64::from(!found.is_empty());
            }
            Checked::Complete(found) => {
                wrong.push(format!("{source}\nseed {seed}, {about:?}: tried {expected:?}, found {found:?}"));
            }
            Checked::Wrong(why) => wrong.push(format!("{source}\nseed {seed}, {about:?}: {why}")),
            Checked::NotFollowed(what) => left.push(format!("{what} (seed {seed}, {about:?})")),
        }
    }
    println!(
        "{} programs from seed {first}: {agreed} agree, {failing} of them fail; {too_large} are too large to try every \
         schedule, {} are not followed",
        seeds.len(),
        left.len()
    );
    assert!(wrong.is_empty(), "{} disagree:\n{}", wrong.len(), wrong.join("\n"));
    assert!(left.len() * 20 <= seeds.len(), "not followed: {left:#?}");
    assert!(too_large * 20 <= seeds.len(), "{too_large} of {} were not tried", seeds.len());
}

#[test]
fn programs_1() {
    play(0);
}

#[test]
fn programs_2() {
    play(1);
}
