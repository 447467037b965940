//! Version 1 of everything that is stored: one shape per domain type, declared once (`shape!`), from which serde's form and both
//! conversions come.
//!
//! Two rules keep them whole. Towards the shape, a domain type is taken apart with a pattern that names every
//! field or variant; towards the domain, it is built with all of them. So a new field or variant of the domain
//! does not compile until this module says how it is stored. What is converted by hand obeys them too; the test
//! `a_shape_is_declared_once` lists it, with why.
//!
//! Enums are tagged from outside, and nothing is flattened: raw JSON cannot pass through serde's buffers.

mod agent;
mod ai;
mod approval;
mod automation;
mod call;
mod counters;
mod decision;
mod deletion;
mod entry;
mod facts;
mod input;
mod instructions;
mod leaf;
mod lookup;
mod mail;
mod mail_answer;
mod message;
mod note;
mod origin;
mod outcome;
mod phase;
mod plan;
mod restriction;
mod rights;
mod rule;
mod rules;
mod shape;
mod snapshot;
mod speech;
mod summary;
mod system;
mod target;
mod task;
mod words;

pub(super) use automation::{AutomationV1, OccurrenceV1};
pub(super) use call::{LedgerCallV1, kind_word};
pub(super) use deletion::DeletionV1;
pub(super) use entry::EntryV1;
pub(super) use mail::MailV1;
pub(super) use mail_answer::MailAnswerV1;
pub(super) use rule::AlwaysRuleV1;
pub(super) use rules::RulesV1;
pub(super) use snapshot::SnapshotV1;
pub(super) use target::TargetV1;
pub(super) use task::TaskV1;

/// Whether a field is left out because it holds what its absence means.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The shapes of many.
fn shapes<'a, D, S: From<&'a D>>(items: &'a [D]) -> Vec<S> {
    items.iter().map(S::from).collect()
}

/// Many of the domain from their shapes.
fn domains<S, D: From<S>>(shapes: Vec<S>) -> Vec<D> {
    shapes.into_iter().map(D::from).collect()
}
