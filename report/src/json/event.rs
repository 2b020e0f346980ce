//! Events and places in schema 1.

use serde::Serialize;

use crate::model::{Event, Place};

#[derive(Serialize)]
pub(super) struct At<'a> {
    pub(super) file: &'a str,
    pub(super) line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<u32>,
}

#[derive(Serialize)]
pub(super) struct JsonEvent<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    thread: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    object: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
}

pub(super) fn at(place: &Place) -> At<'_> {
    At { file: &place.file, line: place.line, column: (place.column != 0).then_some(place.column) }
}

pub(super) fn event(event: &Event) -> JsonEvent<'_> {
    JsonEvent {
        id: event.id,
        thread: event.thread().to_string(),
        kind: event.kind.name(),
        object: &event.object,
        value: &event.value,
        at: event.at.user_place().map(at),
    }
}

pub(super) fn events(events: &[Event]) -> Vec<JsonEvent<'_>> {
    events.iter().map(event).collect()
}
