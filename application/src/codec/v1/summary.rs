//! Summaries of the context.

use entracte_domain::id::CallId;
use entracte_domain::session::{self as domain, ItemKind, SummaryMethod};
use serde::{Deserialize, Serialize};

use super::leaf::Hash;
use super::words::Word;
use super::{domains, is_default, shapes};

/// What a summary keeps beside its text. Journals of before have the text alone.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Carried {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    items: Vec<Item>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept_from: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    folded: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    covers_to: u64,
    method: Word<SummaryMethod>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    key: u32,
    kind: Word<ItemKind>,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<String>,
}

/// The key of the one item that a summary of before is.
const WHOLE: u32 = 1;

/// A summary that is its text alone: the text is one fact.
fn of_before(text: String) -> domain::ContextSummary {
    let whole = domain::SummaryItem { key: WHOLE, kind: ItemKind::Fact, text: text.clone(), to: None };
    domain::ContextSummary {
        text,
        items: vec![whole],
        kept_from: None,
        folded: Vec::new(),
        covers_to: 0,
        method: SummaryMethod::Words,
    }
}

/// The text of a summary, and what it keeps beside it.
pub(super) fn written(summary: &domain::ContextSummary) -> (String, Option<Carried>) {
    if *summary == of_before(summary.text.clone()) {
        return (summary.text.clone(), None);
    }
    let domain::ContextSummary { text, items, kept_from, folded, covers_to, method } = summary;
    let carried = Carried {
        items: shapes(items),
        kept_from: *kept_from,
        folded: folded.iter().map(|call| call.as_str().to_owned()).collect(),
        covers_to: *covers_to,
        method: method.into(),
    };
    (text.clone(), Some(carried))
}

/// The summary that was written so.
pub(super) fn read(text: String, carried: Option<Carried>) -> domain::ContextSummary {
    let Some(carried) = carried else { return of_before(text) };
    domain::ContextSummary {
        text,
        items: domains(carried.items),
        kept_from: carried.kept_from,
        folded: carried.folded.into_iter().map(CallId::new).collect(),
        covers_to: carried.covers_to,
        method: carried.method.0,
    }
}

impl From<&domain::SummaryItem> for Item {
    fn from(item: &domain::SummaryItem) -> Self {
        let domain::SummaryItem { key, kind, text, to } = item;
        Self { key: *key, kind: kind.into(), text: text.clone(), to: to.clone() }
    }
}

impl From<Item> for domain::SummaryItem {
    fn from(item: Item) -> Self {
        Self { key: item.key, kind: item.kind.0, text: item.text, to: item.to }
    }
}

/// A summary that is under way.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Summing {
    method: Word<SummaryMethod>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    faults: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    piece: Option<Piece>,
}

/// How far a conversation was read.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Piece {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    items: Vec<Item>,
    read: u64,
}

impl From<&domain::SummaryPiece> for Piece {
    fn from(piece: &domain::SummaryPiece) -> Self {
        let domain::SummaryPiece { items, read } = piece;
        Self { items: items.iter().map(Into::into).collect(), read: *read }
    }
}

impl From<Piece> for domain::SummaryPiece {
    fn from(piece: Piece) -> Self {
        Self { items: piece.items.into_iter().map(Into::into).collect(), read: piece.read }
    }
}

/// As it was before there was a choice.
impl Default for Summing {
    fn default() -> Self {
        Self { method: Word(SummaryMethod::Words), budget: None, faults: Vec::new(), piece: None }
    }
}

impl From<&domain::Summing> for Summing {
    fn from(summing: &domain::Summing) -> Self {
        let domain::Summing { method, budget, faults, piece } = summing;
        let piece = piece.as_deref().map(Into::into);
        Self { method: method.into(), budget: *budget, faults: faults.clone(), piece }
    }
}

impl From<Summing> for domain::Summing {
    fn from(summing: Summing) -> Self {
        let piece = summing.piece.map(|piece| Box::new(piece.into()));
        Self { method: summing.method.0, budget: summing.budget, faults: summing.faults, piece }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SummaryRequest {
    ask: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    in_words: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Hash>,
}

impl From<&domain::SummaryRequest> for SummaryRequest {
    fn from(asked: &domain::SummaryRequest) -> Self {
        let domain::SummaryRequest { ask, in_words, from, body } = asked;
        Self { ask: ask.clone(), in_words: *in_words, from: *from, body: body.as_ref().map(Into::into) }
    }
}

impl From<SummaryRequest> for domain::SummaryRequest {
    fn from(asked: SummaryRequest) -> Self {
        let SummaryRequest { ask, in_words, from, body } = asked;
        Self { ask, in_words, from, body: body.map(Into::into) }
    }
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SummaryFault {
    Faulty(Vec<String>),
    Unfinished(Piece),
    NoAnswer,
    #[default]
    Final,
}

impl From<&domain::SummaryFault> for SummaryFault {
    fn from(fault: &domain::SummaryFault) -> Self {
        match fault {
            domain::SummaryFault::Faulty(faults) => Self::Faulty(faults.clone()),
            domain::SummaryFault::Unfinished(piece) => Self::Unfinished((&**piece).into()),
            domain::SummaryFault::NoAnswer => Self::NoAnswer,
            domain::SummaryFault::Final => Self::Final,
        }
    }
}

impl From<SummaryFault> for domain::SummaryFault {
    fn from(fault: SummaryFault) -> Self {
        match fault {
            SummaryFault::Faulty(faults) => Self::Faulty(faults),
            SummaryFault::Unfinished(piece) => Self::Unfinished(Box::new(piece.into())),
            SummaryFault::NoAnswer => Self::NoAnswer,
            SummaryFault::Final => Self::Final,
        }
    }
}
