//! The items of a workspace that a person may want to know, from committed rows.

use std::collections::BTreeSet;

use entracte_domain::automation::{Automation, SkipReason, Trigger};
use entracte_domain::call::Call;
use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::session::SessionKind;
use entracte_domain::task::TaskNotice;
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::{ApproverRequirement, StandingApprovalRule};

use super::NotifierPorts;
use crate::codec::{WorkspaceBody, decode_automation, decode_occurrence};
use crate::journal::{AwaitedAct, OccurrenceOutcome};
use crate::notify::{BlockingRun, NotificationCard, NotificationItem, NotificationKind};
use crate::ports::{AutomationRow, OccurrenceRow, SecretOwner, TriageRows};
use crate::settings::NotifySettings;
use crate::system::sha256;
use crate::terminal_text::is_invisible;
use crate::texts::ReaderLanguage;
use crate::use_cases::{
    ApprovalView, InboxItem, InboxKind, ReadInbox, SessionView, UseCaseError, parked_word,
};

/// The maximum number of occurrences examined per automation.
const OCCURRENCES: u32 = 20;
/// An occurrence or an input may be committed a moment after its instant, so this much of the past is examined again.
const OVERLAP: Millis = Millis::minutes(10);

/// The sessions whose items are read. Items that are in no row of a session are read in any case.
#[derive(Clone, Debug)]
pub(super) enum WaitingSessions {
    /// All that wait.
    All,
    /// Those with an input or an assignment that may have been committed since this instant.
    ChangedSince(Timestamp),
    /// These.
    These(BTreeSet<SessionId>),
}

impl WaitingSessions {
    /// Those that may have changed since everything was looked at.
    pub(super) fn changed_since(looked_at: Timestamp) -> Self {
        Self::ChangedSince(looked_at.plus(Millis(-OVERLAP.0)))
    }
}

/// The items that wait for a person in these sessions of a workspace, their assignments, and their reminders, for this
/// reader. Their ids are the same in every language.
pub(super) async fn waiting_items(
    ports: &NotifierPorts,
    workspace: &WorkspaceKey,
    sessions: &WaitingSessions,
    settings: &NotifySettings,
    reader: ReaderLanguage,
) -> Result<Vec<NotificationItem>, UseCaseError> {
    let inbox = ReadInbox::new(
        ports.store.clone(),
        ports.log.clone(),
        ports.rows.clone(),
        ports.catalog.get(),
        ports.clock.clone(),
    )
    .with_tasks(ports.tasks.clone())
    .for_reader(reader);
    let triage = ports.log.inbox_triage(workspace).await?;
    let found_items = read_items(&inbox, workspace, sessions, &triage).await?;
    let now = ports.clock.now();
    let items = found_items.iter().map(|found| {
        let item = item_of(found, settings, now);
        let acts_as = item.card.as_ref().and_then(|card| card.acts_as.clone());
        let holder = acts_as.map(|person| SecretOwner { workspace: workspace.clone(), person });
        let scrubber = ports.secrets.scrubber(holder.as_slice());
        item.scrub(|text| scrubber.scrub_text(text))
    });
    let items: Vec<NotificationItem> = items.collect();
    let assigned = found_items.iter().zip(&items).filter_map(|(found, item)| {
        let row = triage.assignment(&found.session, &found.id())?;
        // Whoever takes an item themselves knows it.
        let is_news = row.person != row.author;
        is_news.then(|| item.assigned(&row.person, &row.author, row.at))
    });
    let assigned: Vec<NotificationItem> = assigned.collect();
    let reminders: Vec<NotificationItem> =
        items.iter().filter_map(|item| item.reminder(settings.reminder)).collect();
    let escalated = found_items.iter().zip(&items).flat_map(|(found, item)| escalations(found, item, now));
    let escalated: Vec<NotificationItem> = escalated.collect();
    Ok(items.into_iter().chain(assigned).chain(reminders).chain(escalated).collect())
}

async fn read_items(
    inbox: &ReadInbox,
    workspace: &WorkspaceKey,
    sessions: &WaitingSessions,
    triage: &TriageRows,
) -> Result<Vec<InboxItem>, UseCaseError> {
    match sessions {
        WaitingSessions::All => inbox.run(workspace).await,
        WaitingSessions::ChangedSince(since) => {
            let mut items = inbox.items_since(workspace, *since).await?;
            let mut assigned: BTreeSet<SessionId> = triage
                .assignments
                .iter()
                .filter(|row| row.at >= *since)
                .map(|row| row.session.clone())
                .collect();
            assigned.retain(|session| items.iter().all(|item| item.session != *session));
            items.extend(inbox.items_of_sessions(workspace, &assigned).await?);
            Ok(items)
        }
        WaitingSessions::These(sessions) => {
            let mut items = inbox.items_of_sessions(workspace, sessions).await?;
            items.extend(inbox.items_besides_sessions(workspace).await?);
            Ok(items)
        }
    }
}

fn item_of(found: &InboxItem, settings: &NotifySettings, now: Timestamp) -> NotificationItem {
    let session = found.session.as_str();
    let item = |id: String, kind: NotificationKind| NotificationItem {
        session: Some(found.session.clone()),
        has_message_name: found.session_kind == SessionKind::Chat,
        ..NotificationItem::new(id, kind, found.asked_at, &found.name)
    };
    match &found.kind {
        InboxKind::Approval(approval) => {
            let digest = approval.digest.as_ref().map_or("", |digest| digest.as_str());
            let id = format!("{}@{digest}", approval.id);
            NotificationItem {
                card: Some(card(approval, settings)),
                audience: people_from(&approval.call, Millis(0), now),
                ..item(id, NotificationKind::Approval)
            }
        }
        InboxKind::Question(_) => {
            // Two questions of a session are two items.
            item(format!("question:{session}:{}", found.asked_at.0), NotificationKind::Question)
        }
        InboxKind::Unsettled(row) => NotificationItem {
            word: row.command.clone(),
            of: row.id.to_string(),
            ..item(format!("unknown:{}", row.id), NotificationKind::Unknown)
        },
        InboxKind::Failed { row, approver, .. } => NotificationItem {
            word: row.command.clone(),
            of: row.id.to_string(),
            person: Some(approver.clone()),
            ..item(format!("failed:{}", row.id), NotificationKind::Failure)
        },
        InboxKind::Parked(why) => {
            let word = parked_word(why);
            let id = format!("run:{session}:{word}:{}", found.asked_at.0);
            NotificationItem { word: word.to_owned(), ..item(id, NotificationKind::Run) }
        }
        InboxKind::Task { task, why: TaskNotice::Asks } => {
            // Another question is another item.
            let question = sha256(task.question.as_deref().unwrap_or_default().as_bytes());
            item(format!("task:{}:asks:{}", task.id, question.short()), NotificationKind::Question)
        }
        InboxKind::Task { task, why } => NotificationItem {
            word: why.word().to_owned(),
            of: task.id.to_string(),
            // Another contradiction is another item.
            ..item(format!("task:{}:{}:{}", task.id, why.word(), task.contradicted), NotificationKind::Task)
        },
        InboxKind::Ungranted { automation } => NotificationItem {
            word: "ungranted".to_owned(),
            of: automation.to_string(),
            ..item(format!("policy:{automation}:{}", found.asked_at.0), NotificationKind::Run)
        },
        InboxKind::Ended { why, .. } => NotificationItem {
            word: why.word().to_owned(),
            ..item(format!("run:{session}:{}", why.word()), NotificationKind::Run)
        },
    }
}

/// The people who may approve a call from this time after its request on; `None` if everybody may, for one of its reasons.
fn people_from(call: &Call, after: Millis, now: Timestamp) -> Option<Vec<String>> {
    let mut people = Vec::new();
    for required in call.approver_requirements() {
        people.extend(required.people_from(after, now)?.into_iter().map(str::to_owned));
    }
    // Without a demand everybody is asked.
    call.approver_requirements().next().is_some().then_some(people)
}

/// The news of an approval to those to whom it escalates, each at its time.
fn escalations(found: &InboxItem, item: &NotificationItem, now: Timestamp) -> Vec<NotificationItem> {
    let InboxKind::Approval(approval) = &found.kind else { return Vec::new() };
    let call = &approval.call;
    let mut times: Vec<Millis> =
        call.approver_requirements().filter_map(ApproverRequirement::escalates_after).collect();
    times.sort_unstable();
    times.dedup();
    let escalated =
        |after: Millis| item.escalated(people_from(call, after, now)?, call.requested_at.plus(after));
    times.into_iter().filter_map(escalated).collect()
}

fn card(approval: &ApprovalView, settings: &NotifySettings) -> NotificationCard {
    let command = approval.call.effective_command();
    let arguments = command.arguments.canonical();
    let is_grave = approval.call.terms.as_ref().is_none_or(|terms| terms.destructive || terms.asks);
    let texts = [arguments.as_str(), approval.description.says.as_str()];
    let is_seen = texts
        .iter()
        .all(|text| text.chars().count() <= settings.link_max_chars && !text.chars().any(is_invisible));
    NotificationCard {
        approval: approval.id.clone(),
        digest: approval.digest.clone(),
        command: command.name.clone(),
        says: approval.description.says.clone(),
        arguments,
        acts_as: approval.call.principal().map(str::to_owned),
        warnings: approval.description.warnings.clone(),
        is_plain: !is_grave && is_seen && !approval.is_changed && approval.digest.is_some(),
        expires_at: approval.expires_at,
    }
}

/// The occurrences that were skipped since an instant.
pub(super) async fn missed_occurrence_items(
    ports: &NotifierPorts,
    workspace: &WorkspaceKey,
    since: Timestamp,
) -> Result<Vec<NotificationItem>, UseCaseError> {
    let mut items = Vec::new();
    let since = since.plus(Millis(-OVERLAP.0));
    for row in ports.automations.automations(workspace).await? {
        let rows = ports.automations.occurrences(workspace, &row.id, None, OCCURRENCES).await?;
        for occurrence in rows.iter().filter(|occurrence| occurrence.decided_at >= since) {
            items.extend(missed_occurrence_item(ports, &row, occurrence).await?);
        }
    }
    Ok(items)
}

/// Rebuilds the item of a skipped occurrence from its id.
pub(super) async fn find_missed_occurrence(
    ports: &NotifierPorts,
    workspace: &WorkspaceKey,
    id: &str,
) -> Result<Option<NotificationItem>, UseCaseError> {
    let Some((automation, at)) = id.strip_prefix("missed:").and_then(|rest| rest.split_once('@')) else {
        return Ok(None);
    };
    let (automation, at) = (AutomationId::new(automation), Timestamp(at.parse().unwrap_or(0)));
    let Some(row) = ports.automations.automation(workspace, &automation).await? else { return Ok(None) };
    let after = Timestamp(at.0.saturating_add(1));
    let found = ports.automations.occurrences(workspace, &automation, Some(after), 1).await?;
    match found.first().filter(|occurrence| occurrence.at == at) {
        Some(occurrence) => missed_occurrence_item(ports, &row, occurrence).await,
        None => Ok(None),
    }
}

/// The item of a skipped occurrence; `None` if a later occurrence ran instead.
async fn missed_occurrence_item(
    ports: &NotifierPorts,
    row: &AutomationRow,
    occurrence: &OccurrenceRow,
) -> Result<Option<NotificationItem>, UseCaseError> {
    let decided = decode_occurrence(occurrence)?;
    let word = match decided.outcome {
        OccurrenceOutcome::Run(_) | OccurrenceOutcome::Skipped(SkipReason::Superseded) => return Ok(None),
        // The person who caused this knows it already.
        OccurrenceOutcome::Skipped(
            SkipReason::SwitchedOff | SkipReason::Deleted | SkipReason::Rescheduled,
        ) => return Ok(None),
        OccurrenceOutcome::Skipped(skip) => skip.word(),
    };
    let (name, zone) = match decode_automation(row) {
        Ok(Automation { name, trigger: Trigger::Cron { zone, .. }, .. }) => (name, Some(zone)),
        Ok(automation) => (automation.name, None),
        Err(_) => (row.name.clone(), None),
    };
    let id = format!("missed:{}@{}", row.id, occurrence.at.0);
    let made = NotificationItem::new(id, NotificationKind::Missed, occurrence.decided_at, &name);
    Ok(Some(NotificationItem {
        at: occurrence.at,
        zone,
        word: word.to_owned(),
        of: row.id.to_string(),
        blocked_by: match decided.blocked_by {
            Some(session) => Some(blocking_run(ports, &row.workspace, session).await?),
            None => None,
        },
        ..made
    }))
}

/// A run because of which an occurrence was skipped, as it stands now.
async fn blocking_run(
    ports: &NotifierPorts,
    workspace: &WorkspaceKey,
    session: SessionId,
) -> Result<BlockingRun, UseCaseError> {
    let row = ports.store.session(workspace, &session).await?;
    let run = row.as_ref().map(SessionView::from_row).transpose()?;
    Ok(BlockingRun { session, awaits: run.and_then(|run| AwaitedAct::in_phase(&run.phase)) })
}

/// The standing approvals that expire soon, except those with a shorter total validity, whose author knows.
pub(super) fn expiring_rule_items(
    body: &WorkspaceBody,
    now: Timestamp,
    settings: &NotifySettings,
) -> Vec<NotificationItem> {
    let ahead = settings.rule_ahead;
    let ends = |rule: &&StandingApprovalRule| {
        let lasts = rule.expires.due_at.since(rule.expires.armed_at);
        let is_near = rule.expires.due_at.since(now) <= ahead;
        ahead.0 > 0 && lasts > ahead && is_near && rule.is_open(now) && rule.denies.is_none()
    };
    let item = |rule: &StandingApprovalRule| {
        let told = rule.expires.due_at.plus(Millis(-ahead.0));
        let made = NotificationItem::new(
            format!("rule:{}:expiring", rule.id),
            NotificationKind::Rule,
            told,
            &rule.command,
        );
        NotificationItem { at: rule.expires.due_at, of: rule.id.clone(), ..made }
    };
    body.rules.iter().filter(ends).map(item).collect()
}
