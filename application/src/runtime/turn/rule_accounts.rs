//! What the calls of an entry use of standing approvals with limits. The same commit stores the entry and the uses.

use entracte_domain::call::{Call, CallState, CallStatus};
use entracte_domain::id::SessionId;
use entracte_domain::period::PeriodUnit;
use entracte_domain::session::{JournalNote, LogAppend, Phase};
use entracte_domain::validation::{RuleUses, StandingApprovalRule, UseClaim};

use crate::calendar::Calendar;
use crate::codec::WorkspaceBody;
use crate::journal::JournalEntry;

/// Counts what the calls of an entry use: a use is reserved for a call that a rule approves, counted when the call
/// starts, and given back if it ends without having started. Returns whether a rule changed.
pub(super) fn count_rule_uses(body: &mut WorkspaceBody, entry: &JournalEntry, calls: &[Call]) -> bool {
    if calls.is_empty() || body.rules.iter().all(|rule| rule.uses.is_none()) {
        return false;
    }
    let (run, now) = (entry.session.tree_root(), entry.at);
    let day = Calendar::from_locale(&body.settings.locale()).period_start(PeriodUnit::Day, now);
    let mut is_changed = false;
    for appended in &entry.appended {
        let LogAppend::Note(JournalNote::ApprovedByRule { call, rule }) = appended else { continue };
        let approved = calls.iter().find(|known| known.id == *call);
        let rule = body.rules.iter_mut().find(|known| known.id == *rule && known.uses.is_some());
        let (Some(approved), Some(rule)) = (approved, rule) else { continue };
        let arguments = &approved.command.arguments;
        if !rule.reserve_use(&UseClaim { call, arguments, run: &run, day, now }) {
            // The lookup of the same turn found the use; the call asks when it is checked again.
            tracing::error!(rule = %rule.id, call = %call, "a standing approval has no use left for its call");
        }
        is_changed = true;
    }
    for uses in uses_of(&mut body.rules) {
        for call in calls {
            is_changed |= match fate_of_use(call) {
                UseFate::Waits => false,
                UseFate::Starts => uses.start(&call.id, day, now),
                UseFate::Lapses => uses.release(&call.id, &run),
            };
        }
    }
    is_changed
}

/// Forgets what a session used that has ended; returns whether a rule changed.
pub(super) fn forget_run(rules: &mut [StandingApprovalRule], run: &SessionId) -> bool {
    let mut is_changed = false;
    for uses in uses_of(rules) {
        is_changed |= uses.forget_run(run);
    }
    is_changed
}

/// Gives back what the calls of a session reserved that is deleted, because they never start, and forgets what it used;
/// returns whether a rule changed.
pub(super) fn release_uses(rules: &mut [StandingApprovalRule], session: &SessionId, phase: &Phase) -> bool {
    let run = session.tree_root();
    let mut is_changed = false;
    for uses in uses_of(rules) {
        for call in phase.batch().into_iter().flat_map(|batch| &batch.calls) {
            is_changed |= uses.release(&call.id, &run);
        }
    }
    is_changed | forget_run(rules, session)
}

fn uses_of(rules: &mut [StandingApprovalRule]) -> impl Iterator<Item = &mut RuleUses> {
    rules.iter_mut().filter_map(|rule| rule.uses.as_mut())
}

/// What becomes of the use that a call reserved.
enum UseFate {
    /// The call has not started.
    Waits,
    /// The call has started, so it may have had an effect.
    Starts,
    /// The call surely has no effect by this approval: it ended before it started, or a person was asked instead.
    Lapses,
}

fn fate_of_use(call: &Call) -> UseFate {
    match &call.state {
        // It lost its approval, so a person is asked.
        CallState::Proposed if !call.reasons.is_empty() => UseFate::Lapses,
        CallState::Proposed | CallState::Follows(_) => UseFate::Waits,
        CallState::WaitingDecision | CallState::Approved(_) => UseFate::Lapses,
        CallState::Started { spent: Some(_), .. }
        | CallState::Delayed { spent: Some(_), .. }
        | CallState::Finished { decision: Some(_), .. } => UseFate::Lapses,
        CallState::Started { spent: None, .. } | CallState::Delayed { spent: None, .. } => UseFate::Starts,
        CallState::Finished { .. } if call.attempt > 0 => UseFate::Starts,
        CallState::Finished { result, decision: None } => match result.status {
            // A local action is never marked as started; it ran if it succeeded.
            CallStatus::Succeeded | CallStatus::Accepted | CallStatus::TimedOut | CallStatus::Unknown => {
                UseFate::Starts
            }
            CallStatus::Cached
            | CallStatus::Duplicate
            | CallStatus::Failed
            | CallStatus::InvalidArguments
            | CallStatus::UnknownCommand
            | CallStatus::Malformed
            | CallStatus::SchemaRequired
            | CallStatus::Forbidden
            | CallStatus::PlanFirst
            | CallStatus::OverLimit
            | CallStatus::Repeated
            | CallStatus::RepeatedReply
            | CallStatus::Rejected
            | CallStatus::Expired
            | CallStatus::Cancelled => UseFate::Lapses,
        },
    }
}
