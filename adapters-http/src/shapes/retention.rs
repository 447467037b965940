//! Shapes of retention: limits, holds, and what goes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use entracte_application::retention::RetentionTotals;
use entracte_application::retention_planner::RetentionRun;
use entracte_application::settings::RetentionSubject;
use entracte_application::use_cases::{RetentionHoldView, RetentionView};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::iso;

/// What a workspace retains, and what people hold in it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RetentionShape {
    /// The limit in force of each subject: `forever`, an age like `30d`, `latest 200`, or both.
    pub limits: BTreeMap<String, String>,
    /// The limits that the workspace sets itself, as its setting `retention` has them.
    pub own: String,
    /// The holds, oldest first.
    pub holds: Vec<RetentionHoldShape>,
}

impl From<&RetentionView> for RetentionShape {
    fn from(view: &RetentionView) -> Self {
        let limit =
            |subject: RetentionSubject| (subject.word().to_owned(), view.policy.limit(subject).text());
        Self {
            limits: RetentionSubject::ALL.into_iter().map(limit).collect(),
            own: view.own.text(),
            holds: view.holds.iter().map(RetentionHoldShape::from).collect(),
        }
    }
}

/// A hold: nothing of what it names goes until it is released.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RetentionHoldShape {
    /// `workspace`, `automation` or `session`.
    pub kind: Cow<'static, str>,
    /// `workspace`, or the id of the automation or the session.
    pub held: String,
    /// Who holds it.
    pub author: String,
    /// Why.
    pub reason: String,
    /// Since when.
    pub at: String,
    /// Whether a part of the held session, or an agent below it, is gone: it was going already when it was held.
    pub partial: bool,
}

impl From<&RetentionHoldView> for RetentionHoldShape {
    fn from(RetentionHoldView { hold, is_partial, .. }: &RetentionHoldView) -> Self {
        Self {
            kind: hold.scope.kind().into(),
            held: hold.scope.name().to_owned(),
            author: hold.author.clone(),
            reason: hold.reason.clone(),
            at: iso(hold.at),
            partial: *is_partial,
        }
    }
}

/// Why something is held.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRetentionHoldShape {
    /// The reason, at most 500 characters.
    pub reason: String,
}

/// What is held from now on.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RetentionHeldShape {
    /// `workspace`, or the id of the automation or the session.
    pub held: String,
    /// Whether a part of the held session, or an agent below it, is gone: it was going already.
    pub partial: bool,
}

/// What goes of one table.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RetentionCountShape {
    /// `sessions`, `entries`, `calls`, `results` or `documents`.
    pub table: Cow<'static, str>,
    /// How many rows, results or documents.
    pub rows: u64,
    /// Their bytes, without indexes.
    pub bytes: u64,
}

/// What goes, or went.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RetentionTotalsShape {
    /// By table; empty if nothing goes.
    pub tables: Vec<RetentionCountShape>,
    /// The bytes of all of them.
    pub bytes: u64,
    /// Whether a run that was to make so many commits left something that goes; false of a preview.
    pub more: bool,
}

impl From<&RetentionTotals> for RetentionTotalsShape {
    fn from(totals: &RetentionTotals) -> Self {
        let tables = totals.iter().map(|(table, count)| RetentionCountShape {
            table: table.word().into(),
            rows: count.rows,
            bytes: count.bytes,
        });
        Self { tables: tables.collect(), bytes: totals.bytes(), more: false }
    }
}

impl From<&RetentionRun> for RetentionTotalsShape {
    fn from(run: &RetentionRun) -> Self {
        Self { more: !run.is_complete, ..Self::from(&run.removed) }
    }
}
