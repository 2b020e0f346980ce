//! Home-made synchronisation as text: a paragraph for each construct.

use super::Page;
use super::style::paint;
use crate::model::{Extent, ProvenFor, Sync, SyncKind, Synced};
use crate::words::counted;

impl Page<'_> {
    pub(super) fn synced(&mut self, name: &str, synced: &Synced) {
        for note in &synced.notes {
            self.note(note);
        }
        if synced.syncs.is_empty() && synced.runs > 0 {
            let runs = counted(synced.runs, "run");
            self.line(format!("no home-made synchronisation was recognised in {name} ({runs})"));
        }
        for sync in &synced.syncs {
            self.sync(sync);
        }
        if !synced.other_waits.is_empty() {
            let places: Vec<String> =
                synced.other_waits.iter().map(|place| format!("{}:{}", place.file_name(), place.line)).collect();
            self.note(&format!(
                "threads also wait at {}; no kind of synchronisation was recognised there",
                places.join(", ")
            ));
        }
        if let Some(annotation) = &synced.annotation {
            self.gap();
            match &annotation.patch {
                Some(patch) => self.note(&format!("annotations for {}: patch -p1 < {patch}", annotation.tool)),
                None => self.note(&format!("nothing was annotated for {}", annotation.tool)),
            }
            for left_out in &annotation.left_out {
                self.note(&format!("not annotated: {left_out}"));
            }
        }
    }

    fn sync(&mut self, sync: &Sync) {
        self.gap();
        let kind = sync.kind.name();
        let extent = lines(&sync.region);
        let tag = match (&sync.broken, sync.proven_for.is_empty()) {
            (Some(_), _) => paint(self.palette.error, format!("broken[{kind}]")),
            (None, false) => paint(self.palette.good, format!("proven[{kind}]")),
            (None, true) => paint(self.palette.strong, format!("unknown[{kind}]")),
        };
        let of: &[String] = &sync.objects;
        let of = if of.is_empty() { String::new() } else { format!(", made of {}", of.join(", ")) };
        self.line(format!("{tag}: {extent}{of}"));
        if let Some(broken) = &sync.broken {
            let threads = counted(broken.threads as u64, "thread");
            self.line(format!("  {}, with {threads}", broken.what));
            if let Some(place) = &broken.at {
                self.line(format!("  at {}:{}", place.file_name(), place.line));
            }
            self.replay_command(&broken.schedule);
        }
        let proven: Vec<String> = sync.proven_for.iter().map(proven).collect();
        if !proven.is_empty() {
            let order = match (sync.kind, sync.fifo) {
                (SyncKind::Mutex, Some(true)) => "; first come, first served",
                (SyncKind::Mutex, Some(false)) => "; not in order of arrival",
                _ => "",
            };
            let states = counted(sync.states, "state");
            self.note(&format!("every order with {} ({states}); sequential consistency{order}", proven.join(", ")));
        }
        if let Some(capacity) = sync.capacity {
            self.note(&format!("capacity {capacity}"));
        }
        if let Some(unknown) = &sync.unknown {
            self.note(unknown);
        }
        for assumption in &sync.assumptions {
            self.note(&format!("assumes that {assumption}"));
        }
        if self.options.quiet {
            return;
        }
        for role in &sync.roles {
            self.line(format!("  {:<12} {}  {}", role.role, lines(&role.region), role.function));
        }
        let places = |places: &[crate::model::Place]| -> Vec<String> {
            places.iter().map(|place| format!("{}:{}", place.file_name(), place.line)).collect()
        };
        self.line(format!("  {:<12} {}", "waits", places(&sync.waits).join(", ")));
        if !sync.writes.is_empty() {
            self.line(format!("  {:<12} {}", "written", places(&sync.writes).join(", ")));
        }
        if sync.instances > 1 {
            self.note(&format!("{} use this code", counted(sync.instances as u64, "object")));
        }
    }
}

fn proven(proven: &ProvenFor) -> String {
    let (threads, rounds) = (proven.threads as u64, u64::from(proven.rounds));
    format!("{} and {}", counted(threads, "thread"), counted(rounds, "round"))
}

fn lines(extent: &Extent) -> String {
    let file = extent.file.rsplit('/').next().unwrap_or(&extent.file);
    match extent.end_line {
        end if end == extent.line => format!("{file}:{}", extent.line),
        end => format!("{file}:{}-{end}", extent.line),
    }
}
