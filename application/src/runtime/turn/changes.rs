//! Records what a turn changed besides sessions, so that readers of the workspace see it under the numbers of the
//! log.

use std::collections::BTreeMap;

use super::draft::TurnDraft;
use crate::codec::WorkspaceBody;
use crate::ports::{BuiltinChangeKind, ChangeKind, ResourceChange, ResourceChangeRow, TriageChange};
use crate::settings::{SETTINGS, SettingKey};

/// Records the changes of a turn that belong to no session; `before` is the workspace body before the turn. Their
/// numbers follow those of the turn's entries.
pub(super) fn record_changes(draft: &mut TurnDraft, before: &WorkspaceBody) {
    let mut all = settings_changes(before, &draft.body);
    if before.holds != draft.body.holds {
        all.push(change_row(BuiltinChangeKind::Setting, HOLDS, None, false));
    }
    if draft.triage.iter().any(TriageChange::is_of_item) {
        all.push(change_row(BuiltinChangeKind::Inbox, INBOX, None, false));
    }
    all.extend(rule_changes(before, &draft.body));
    all.extend(draft.resources.iter().map(resource_change));
    all.extend(draft.automations.iter().map(|(id, kept)| {
        let revision = kept.revision.map_or(1, |revision| revision + 1);
        change_row(BuiltinChangeKind::Automation, id.as_str(), Some(revision), false)
    }));
    let gone = draft.deleted_automations.iter().filter(|(_, revision)| revision.is_some());
    all.extend(
        gone.map(|(id, revision)| change_row(BuiltinChangeKind::Automation, id.as_str(), *revision, true)),
    );
    all.extend(draft.instructions.iter().map(|told| {
        change_row(BuiltinChangeKind::Instructions, told.scope.name(), Some(told.version), told.is_cleared())
    }));
    all.extend(draft.tasks.keys().map(|id| change_row(BuiltinChangeKind::Task, id.as_str(), None, false)));
    all.extend(
        draft.deleted.iter().map(|(id, _)| change_row(BuiltinChangeKind::Session, id.as_str(), None, true)),
    );
    for row in &mut all {
        draft.workspace.seq += 1;
        row.seq = draft.workspace.seq;
    }
    draft.changes = all;
}

/// The key under which changed holds are told, beside those of settings.
const HOLDS: &str = "retention_holds";

/// The id under which snoozes and assignments of inbox items are told: a list shows them anew, whichever they are.
const INBOX: &str = "inbox";

/// A change row without its number.
fn change_row(kind: impl Into<ChangeKind>, id: &str, revision: Option<u64>, gone: bool) -> ResourceChangeRow {
    ResourceChangeRow { seq: 0, kind: kind.into(), id: id.to_owned(), revision, gone }
}

fn settings_changes(before: &WorkspaceBody, now: &WorkspaceBody) -> Vec<ResourceChangeRow> {
    if before.settings == now.settings {
        return Vec::new();
    }
    let is_other = |key: &&SettingKey| key.value(&before.settings) != key.value(&now.settings);
    SETTINGS
        .iter()
        .filter(is_other)
        .map(|key| change_row(BuiltinChangeKind::Setting, key.name, None, false))
        .collect()
}

fn rule_changes(before: &WorkspaceBody, now: &WorkspaceBody) -> Vec<ResourceChangeRow> {
    if before.rules == now.rules {
        return Vec::new();
    }
    let known: BTreeMap<&str, _> = before.rules.iter().map(|rule| (rule.id.as_str(), rule)).collect();
    let other = now.rules.iter().filter(|rule| known.get(rule.id.as_str()) != Some(rule));
    let gone = known.keys().filter(|id| now.rules.iter().all(|rule| rule.id != **id));
    let other = other.map(|rule| change_row(BuiltinChangeKind::Rule, &rule.id, None, false));
    other.chain(gone.map(|id| change_row(BuiltinChangeKind::Rule, id, None, true))).collect()
}

fn resource_change(change: &ResourceChange) -> ResourceChangeRow {
    match change {
        ResourceChange::Create(row) | ResourceChange::Update { row, .. } => {
            change_row(ChangeKind::Resource(row.kind.clone()), &row.id, Some(row.version), false)
        }
        ResourceChange::Delete { kind, id, expected } => {
            change_row(ChangeKind::Resource(kind.clone()), id, Some(*expected), true)
        }
    }
}
