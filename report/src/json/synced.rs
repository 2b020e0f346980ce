//! Home-made synchronisation as JSON.

use serde::Serialize;

use crate::model::{self, Annotation, Extent, Place, ProvenFor, SyncKind, SyncRole};

#[derive(Serialize, Default)]
pub(super) struct Synced<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    syncs: Option<Vec<Sync<'a>>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    other_waits: &'a [Place],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    annotation: Option<&'a Annotation>,
}

// Many fields: one object of the JSON report, whose schema is flat.
#[derive(Serialize)]
struct Sync<'a> {
    kind: SyncKind,
    proven_for: &'a [ProvenFor],
    region: &'a Extent,
    roles: &'a [SyncRole],
    waits: &'a [Place],
    writes: &'a [Place],
    objects: &'a [String],
    participants: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fifo: Option<bool>,
    instances: usize,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    assumptions: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<Broken<'a>>,
}

#[derive(Serialize)]
struct Broken<'a> {
    threads: usize,
    what: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<&'a str>,
    replayed: bool,
}

pub(super) fn synced(synced: &model::Synced) -> Synced<'_> {
    Synced {
        syncs: Some(synced.syncs.iter().map(sync).collect()),
        other_waits: &synced.other_waits,
        notes: &synced.notes,
        annotation: synced.annotation.as_ref(),
    }
}

fn sync(sync: &model::Sync) -> Sync<'_> {
    Sync {
        kind: sync.kind,
        proven_for: &sync.proven_for,
        region: &sync.region,
        roles: &sync.roles,
        waits: &sync.waits,
        writes: &sync.writes,
        objects: &sync.objects,
        participants: sync.participants,
        capacity: sync.capacity,
        fifo: sync.fifo,
        instances: sync.instances,
        assumptions: &sync.assumptions,
        unknown: sync.unknown.as_deref(),
        broken: sync.broken.as_ref().map(|broken| Broken {
            threads: broken.threads,
            what: &broken.what,
            at: broken.at.as_ref(),
            schedule: broken.schedule.as_ref().map(|(file, _)| file.as_str()),
            replay: broken.schedule.as_ref().map(|(_, command)| command.as_str()),
            replayed: broken.replayed,
        }),
    }
}
