//! Plans notifications: the rows to write, the messages to send, and the rows after an attempt.

use std::collections::{BTreeMap, BTreeSet};

use entracte_domain::time::{Millis, Timestamp};
use jiff::tz::TimeZone;

use super::timing::gather_end;
use super::{NotificationItem, NotificationKind, NotificationTarget, next_try, quiet_until};
use crate::ports::{DeliveryOutcome, OutboxRow, OutboxState, TARGET_GONE};
use crate::settings::NotifySettings;

/// The rows of the items a target wants. The store skips those it has already. `id` generates row ids.
pub fn new_rows(
    target: &NotificationTarget,
    items: &[NotificationItem],
    now: Timestamp,
    settings: &NotifySettings,
    mut id: impl FnMut() -> String,
) -> Vec<OutboxRow> {
    // A reminder is written together with its item: if both are late, they are not sent together.
    let due = |item: &NotificationItem| {
        let is_late = item.kind == NotificationKind::Waits && item.due_at <= now;
        if is_late { now.plus(item.due_at.since(item.since)) } else { item.due_at.max(now) }
    };
    let is_addressed = |item: &NotificationItem| {
        item.assigned.as_ref().is_none_or(|assigned| assigned.person == target.person)
            && item.audience.as_ref().is_none_or(|people| people.contains(&target.person))
    };
    let is_told = |item: &&NotificationItem| {
        target.wants(item.kind) && is_addressed(item) && now.since(item.since) < settings.kept
    };
    let row = |item: &NotificationItem| OutboxRow {
        id: id(),
        workspace: target.workspace.clone(),
        target: target.id.clone(),
        item: item.id.clone(),
        kind: item.kind.word().to_owned(),
        session: item.session.clone(),
        message: None,
        created_at: now,
        due_at: gather_end(target.wants.gather, due(item)),
        tried_at: None,
        attempts: 0,
        state: OutboxState::Pending,
        error: None,
    };
    items.iter().filter(is_told).map(row).collect()
}

/// One message with its rows, all of one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationBatch {
    /// The id of the message, the same in each attempt.
    pub id: String,
    /// The id of its target.
    pub target: String,
    /// The rows of the message, as they will be before it is sent.
    pub rows: Vec<OutboxRow>,
}

/// The plan for the due rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotificationPlan {
    /// The messages to send. They are recorded before sending, with their next attempt: after a crash they are sent
    /// again with the same id.
    pub messages: Vec<NotificationBatch>,
    /// The rows that are not sent: the item is settled, its target is gone or in quiet hours.
    pub changed: Vec<OutboxRow>,
}

/// The context of the due rows.
#[derive(Clone, Copy, Debug)]
pub struct NotificationPlanContext<'a> {
    /// The enabled targets.
    pub targets: &'a BTreeMap<String, NotificationTarget>,
    /// The ids of the items whose state still exists.
    pub standing: &'a BTreeSet<String>,
    /// The time zone of the workspace.
    pub zone: &'a TimeZone,
    /// The current time.
    pub now: Timestamp,
    /// The settings of notifications.
    pub settings: &'a NotifySettings,
}

/// Groups the due rows of one workspace into messages. `id` generates ids, `jitter` a span up to its argument.
pub fn plan(
    due: Vec<OutboxRow>,
    known: NotificationPlanContext<'_>,
    mut id: impl FnMut() -> String,
    mut jitter: impl FnMut(Millis) -> Millis,
) -> NotificationPlan {
    let NotificationPlanContext { targets, standing, zone, now, settings } = known;
    let mut planned = NotificationPlan::default();
    let mut groups: BTreeMap<(String, Option<String>), Vec<OutboxRow>> = BTreeMap::new();
    for row in due {
        let Some(target) = targets.get(&row.target) else {
            planned.changed.push(OutboxRow { state: OutboxState::Dropped, ..row });
            continue;
        };
        let must_stand =
            NotificationKind::from_word(&row.kind).is_some_and(NotificationKind::requires_open_state);
        if must_stand && !standing.contains(&row.item) {
            planned.changed.push(OutboxRow { state: OutboxState::Dropped, ..row });
        } else if let Some(end) = quiet_until(target.wants.quiet, zone, now) {
            planned.changed.push(OutboxRow { due_at: end, ..row });
        } else {
            groups.entry((row.target.clone(), row.message.clone())).or_default().push(row);
        }
    }
    for ((target, message), rows) in groups {
        let gathers = targets.get(&target).is_some_and(|target| target.wants.gather.0 > 0);
        let is_together =
            message.is_some() || rows.len() >= settings.together.max(2) || (gathers && rows.len() > 1);
        let groups: Vec<Vec<OutboxRow>> =
            if is_together { vec![rows] } else { rows.into_iter().map(|row| vec![row]).collect() };
        for rows in groups {
            let own = match rows.as_slice() {
                [only] => only.id.clone(),
                _ => id(),
            };
            let id = message.clone().unwrap_or(own);
            let attempts = rows.iter().map(|row| row.attempts).max().unwrap_or(0);
            let due_at = now.plus(next_try(settings, attempts, &mut jitter));
            let claimed = |row: OutboxRow| OutboxRow {
                message: Some(id.clone()),
                attempts: row.attempts.saturating_add(1),
                tried_at: row.tried_at.or(Some(now)),
                due_at,
                ..row
            };
            let rows = rows.into_iter().map(claimed).collect();
            planned.messages.push(NotificationBatch { id: id.clone(), target: target.clone(), rows });
        }
    }
    planned
}

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationSendOutcome {
    /// The updated rows of its message.
    pub rows: Vec<OutboxRow>,
    /// Whether the target is gone and gets no more notifications.
    pub is_gone: bool,
}

/// Updates the rows of a message after an attempt.
pub fn rows_after_attempt(
    message: NotificationBatch,
    delivery: &DeliveryOutcome,
    now: Timestamp,
    settings: &NotifySettings,
) -> NotificationSendOutcome {
    let after = |row: OutboxRow| match delivery {
        DeliveryOutcome::Taken => OutboxRow { state: OutboxState::Sent, error: None, ..row },
        DeliveryOutcome::Gone => {
            OutboxRow { state: OutboxState::Dead, error: Some(TARGET_GONE.to_owned()), ..row }
        }
        DeliveryOutcome::Refused(why) => {
            let is_over = row.tried_at.is_some_and(|first| now.since(first) >= settings.give_up);
            let state = if is_over { OutboxState::Dead } else { OutboxState::Pending };
            OutboxRow { state, error: Some(why.clone()), ..row }
        }
    };
    NotificationSendOutcome {
        rows: message.rows.into_iter().map(after).collect(),
        is_gone: *delivery == DeliveryOutcome::Gone,
    }
}
