//! A loaded program with its environment.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use report::{Finding, Input, Place, Unsupported};
use vm::Execution;

use crate::properties::Properties;

/// A program with its sources and identity.
pub struct Loaded {
    pub sources: Vec<String>,
    /// The compiler flags on which the program's meaning depends.
    pub flags: Vec<String>,
    /// (file, fingerprint of its contents): the files of the program.
    pub contents: Vec<(String, String)>,
    /// Shared with the threads of a search. They each create their own code.
    pub program: Arc<ir::Program>,
    pub code: Rc<vm::Code>,
    pub fingerprint: String,
    /// Constructs in the program that would end an analysis that reaches them.
    pub unsupported: Vec<Unsupported>,
    /// The seconds for loading.
    pub seconds: f64,
}

impl Loaded {
    /// The name that the user gave.
    pub fn title(&self) -> String {
        self.sources.join(" ")
    }

    /// All files with code in the program, headers too, as debug information names them.
    pub fn files(&self) -> Vec<PathBuf> {
        self.program.files.iter().map(PathBuf::from).collect()
    }

    /// Reached constructs, each with the other places in the user's code that have the same; with `all`, also unreached
    /// ones.
    pub(crate) fn unsupported(&self, reached: &[Unsupported], all: bool) -> Vec<Unsupported> {
        let mut unsupported: Vec<Unsupported> =
            reached.iter().map(|reached| self.with_other_places(reached.clone())).collect();
        if all {
            let is_new = |place: &&Unsupported| !reached.iter().any(|reached| reached.at == place.at);
            unsupported.extend(self.unsupported.iter().filter(is_new).cloned());
        }
        unsupported
    }

    fn with_other_places(&self, mut reached: Unsupported) -> Unsupported {
        let alike = |place: &&Unsupported| place.what == reached.what && place.at != reached.at;
        let mut places: Vec<Place> =
            self.unsupported.iter().filter(alike).filter_map(|place| place.at.clone()).collect();
        places.sort();
        places.dedup();
        reached.elsewhere = places;
        reached
    }
}

/// The environment of the program, and the kinds of failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The program's own name, its argument number 0.
    pub name: String,
    pub arguments: Vec<Vec<u8>>,
    pub stdin: Vec<u8>,
    pub variables: Vec<(String, String)>,
    pub files: Files,
    pub steps: Option<u64>,
    pub reuse: bool,
    pub spurious: bool,
    pub properties: Properties,
}

/// The contents of the files that the program opens, by name. None by default.
#[derive(Clone)]
pub struct Files {
    /// Files recorded with a run. Other names are looked up in the file system.
    pub recorded: Arc<RecordedFiles>,
    pub system: fn(&str) -> Option<Vec<u8>>,
    /// Files of the file system as they were first read: all runs of an analysis see the same contents.
    read: Arc<Mutex<RecordedFiles>>,
}

/// By name: the contents of a file, if it existed.
pub type RecordedFiles = BTreeMap<String, Option<Vec<u8>>>;

impl Files {
    pub fn of_system(system: fn(&str) -> Option<Vec<u8>>) -> Files {
        Files { recorded: Arc::default(), system, read: Arc::default() }
    }

    /// Only the recorded files.
    pub fn of_recorded(recorded: RecordedFiles) -> Files {
        Files { recorded: Arc::new(recorded), ..Files::default() }
    }

    /// With another file system behind the recorded files.
    pub fn with_system(&self, system: fn(&str) -> Option<Vec<u8>>) -> Files {
        Files { recorded: Arc::clone(&self.recorded), ..Files::of_system(system) }
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        if let Some(recorded) = self.recorded.get(name) {
            return recorded.clone();
        }
        if is_of_a_process(name) {
            return None;
        }
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.entry(name.to_owned()).or_insert_with(|| (self.system)(name)).clone()
    }
}

/// Whether a file describes a process: the one that would be described is heddle, and not the program. Test frameworks
/// look there for a debugger.
fn is_of_a_process(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("/proc/") else { return false };
    let process = rest.split('/').next().unwrap_or(rest);
    matches!(process, "self" | "thread-self") || process.bytes().all(|byte| byte.is_ascii_digit())
}

impl Default for Files {
    fn default() -> Files {
        fn none(_name: &str) -> Option<Vec<u8>> {
            None
        }
        Files::of_system(none)
    }
}

impl PartialEq for Files {
    fn eq(&self, other: &Files) -> bool {
        self.recorded == other.recorded && std::ptr::fn_addr_eq(self.system, other.system)
    }
}

impl Eq for Files {}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Files")
    }
}

impl Settings {
    /// Options are created where they are used, since they contain a function that cannot be sent between threads.
    pub fn options(&self, events: bool) -> vm::Options {
        let defaults = vm::Options::default();
        vm::Options {
            arguments: [self.name.clone().into_bytes()].into_iter().chain(self.arguments.iter().cloned()).collect(),
            stdin: self.stdin.clone(),
            variables: self.variables.clone(),
            files: {
                let files = self.files.clone();
                Rc::new(move |name: &str| files.read(name))
            },
            step_limit: self.steps.unwrap_or(defaults.step_limit),
            reuse: self.reuse,
            spurious: self.spurious,
            properties: self.properties.kinds().to_vec(),
            events,
            ..defaults
        }
    }

    fn inputs(&self) -> Vec<Input> {
        let arguments = self.arguments.iter().map(|argument| Input::Argument(argument.clone()));
        let variables =
            self.variables.iter().map(|(name, value)| Input::Variable { name: name.clone(), value: value.clone() });
        let stdin = (!self.stdin.is_empty()).then(|| Input::Stdin(self.stdin.clone()));
        arguments.chain(variables).chain(stdin).collect()
    }
}

/// The finding of a replayed execution, with the program's inputs.
pub(crate) fn finding(loaded: &Loaded, settings: &Settings, execution: &Execution) -> Option<Finding> {
    let mut finding = Finding::new(&loaded.program, execution)?;
    let mut inputs = settings.inputs();
    inputs.append(&mut finding.inputs);
    finding.inputs = inputs;
    Some(finding)
}

/// The program's output to all its descriptors, in order.
pub fn joined(output: &[(i32, Vec<u8>)]) -> Vec<u8> {
    output.iter().flat_map(|(_, bytes)| bytes).copied().collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::*;

    #[test]
    fn a_file_is_read_once_and_processes_are_not_described() {
        static READ: AtomicU8 = AtomicU8::new(0);
        let files = Files::of_system(|_| Some(vec![READ.fetch_add(1, Ordering::Relaxed)]));
        assert_eq!(
            (files.read("a"), files.clone().read("a"), files.read("b")),
            (Some(vec![0]), Some(vec![0]), Some(vec![1]))
        );
        for name in ["/proc/self/status", "/proc/thread-self/stat", "/proc/17/maps"] {
            assert_eq!(files.read(name), None, "{name}");
        }
        assert!(files.read("/proc/cpuinfo").is_some());
    }
}
