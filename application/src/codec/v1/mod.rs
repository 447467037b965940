//! Version 1 of all stored objects: one shape per domain type, declared once (`shape!`), which generates serde's form
//! and both conversions.
//!
//! Two rules keep shapes complete. The conversion to a shape destructures the domain type with a pattern that names
//! every field or variant; the conversion to the domain constructs it from all of them. So a new field or variant of
//! the domain does not compile until this module defines how it is stored. Hand-written conversions follow the same
//! rules; the test `a_shape_is_declared_once` lists them, with the reasons.
//!
//! Enums are externally tagged, and nothing is flattened: raw JSON cannot pass through serde's buffers.

mod agent;
mod ai;
mod approval;
mod approvers;
mod automation;
mod call;
mod counters;
mod decision;
mod deletion;
mod entry;
mod facts;
mod file;
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
mod policy;
mod restriction;
mod retention;
mod rights;
mod rule;
mod rules;
mod session_requests;
mod shape;
mod snapshot;
mod speech;
mod spending;
mod summary;
mod system;
mod target;
mod task;
mod triage;
mod words;
mod workspace_requests;

pub(super) use automation::{AutomationV1, OccurrenceV1};
pub(super) use call::LedgerCallV1;
pub(super) use deletion::DeletionV1;
pub(super) use entry::EntryV1;
pub(super) use mail::MailV1;
pub(super) use mail_answer::MailAnswerV1;
pub(super) use retention::RetentionHoldV1;
pub(super) use rule::AlwaysRuleV1;
pub(super) use rules::RulesV1;
pub(super) use snapshot::SnapshotV1;
pub(super) use spending::RaisedSpendingLineV1;
pub(super) use target::TargetV1;
pub(super) use task::TaskV1;

/// Whether a field is omitted because it equals the default that its absence means.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Converts domain values to shapes.
fn shapes<'a, D, S: From<&'a D>>(items: &'a [D]) -> Vec<S> {
    items.iter().map(S::from).collect()
}

/// Converts shapes to domain values.
fn domains<S, D: From<S>>(shapes: Vec<S>) -> Vec<D> {
    shapes.into_iter().map(D::from).collect()
}
