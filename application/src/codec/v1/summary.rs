//! Summaries of the context.

use entracte_domain::id::CallId;
use entracte_domain::session::{self as domain, SummaryItemKind, SummaryMethod};
use serde::{Deserialize, Serialize};

use super::leaf::HashV1;
use super::shape::shape;
use super::words::WordV1;
use super::{domains, is_default, shapes};

/// The parts of a summary beside its text. Journals of earlier versions have the text only.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CarriedV1 {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    items: Vec<ItemV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept_from: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    folded: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    files_from: Option<u64>,
    #[serde(default, skip_serializing_if = "is_default")]
    covers_to: u64,
    method: WordV1<SummaryMethod>,
}

shape! {
    #[derive(PartialEq, Eq)]
    struct ItemV1 = domain::SummaryItem {
        key: u32,
        kind: WordV1<SummaryItemKind>,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<String>,
    }
}

/// The key of the only item of a summary from an earlier version.
const WHOLE: u32 = 1;

/// Converts a summary of an earlier version: its whole text becomes one fact.
fn of_before(text: String) -> domain::ContextSummary {
    let whole = domain::SummaryItem { key: WHOLE, kind: SummaryItemKind::Fact, text: text.clone(), to: None };
    domain::ContextSummary {
        text,
        items: vec![whole],
        kept_from: None,
        folded: Vec::new(),
        files_from: None,
        covers_to: 0,
        method: SummaryMethod::Words,
    }
}

/// Splits a summary into its text and its other parts.
pub(super) fn written(summary: &domain::ContextSummary) -> (String, Option<CarriedV1>) {
    if *summary == of_before(summary.text.clone()) {
        return (summary.text.clone(), None);
    }
    let domain::ContextSummary { text, items, kept_from, folded, files_from, covers_to, method } = summary;
    let carried = CarriedV1 {
        items: shapes(items),
        kept_from: *kept_from,
        folded: folded.iter().map(|call| call.as_str().to_owned()).collect(),
        files_from: *files_from,
        covers_to: *covers_to,
        method: method.into(),
    };
    (text.clone(), Some(carried))
}

/// Rebuilds a summary from its text and its other parts.
pub(super) fn read(text: String, carried: Option<CarriedV1>) -> domain::ContextSummary {
    let Some(carried) = carried else { return of_before(text) };
    domain::ContextSummary {
        text,
        items: domains(carried.items),
        kept_from: carried.kept_from,
        folded: carried.folded.into_iter().map(CallId::new).collect(),
        files_from: carried.files_from,
        covers_to: carried.covers_to,
        method: carried.method.0,
    }
}

shape! {
    /// A summary in progress.
    #[derive(PartialEq, Eq)]
    pub(super) struct SummingV1 = domain::SummaryProgress {
        method: WordV1<SummaryMethod>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<u64>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        faults: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        piece: Option<PieceV1>,
    }
}

shape! {
    /// The part of a conversation that was summarised so far.
    #[derive(PartialEq, Eq)]
    pub(super) struct PieceV1 = domain::SummaryPiece {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        items: Vec<ItemV1>,
        read: u64,
    }
}

/// The behaviour before the method was configurable.
impl Default for SummingV1 {
    fn default() -> Self {
        Self { method: WordV1(SummaryMethod::Words), budget: None, faults: Vec::new(), piece: None }
    }
}

shape! {
    pub(super) struct SummaryRequestV1 = domain::SummaryRequest {
        ask: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_words: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turns: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body: Option<HashV1>,
    }
}

shape! {
    #[derive(Default, PartialEq, Eq)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum SummaryFaultV1 = domain::SummaryFault {
        Faulty(faults: Vec<String>),
        Unfinished(piece: PieceV1),
        NoAnswer,
        Died(found_by_start: i64),
        #[default]Final,
    }
}
