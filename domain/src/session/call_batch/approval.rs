//! Approval of calls: which calls need it, unattended policies, and the recording of approvals.

use crate::call::{Call, CallState, CallStatus};
use crate::localizable_text::sentences;
use crate::message::SystemKind;
use crate::plan::PlanCommand;
use crate::session::start_gate::{StartClearance, start_clearance};
use crate::session::{
    AllowPolicyCoverage, CallBatch, ClockSetbackPolicy, JournalNote, Phase, TransitionContext,
    UnattendedPolicy,
};
use crate::time::{Deadline, Millis};
use crate::validation::{Approval, PolicyGrant, is_four_eyes, needs_person};

use super::end_call;

/// Marks the calls that need a person's decision.
pub(crate) fn mark_calls_needing_approval(step: &mut TransitionContext<'_>, batch: &mut CallBatch) {
    let mut newly = false;
    for call in &mut batch.calls {
        match start_clearance(call, step.rules.set_back, step.now) {
            StartClearance::AskFirst => {
                if let CallState::Approved(approval) = &call.state {
                    step.record.add_note(JournalNote::ApprovalAskedAgain { call: call.id.clone() });
                    report_discarded_approval(step, call, approval);
                    // The approval expired before it was spent; the new one gets a new id. Journals of v0.1 have no
                    // cards, and one approval id per call.
                    call.withdrawn = call.withdrawn.saturating_add(u32::from(call.card.is_some()));
                }
                call.approvals.clear();
                call.state = CallState::WaitingDecision;
                step.record.record_call(call);
                newly = true;
            }
            StartClearance::Free | StartClearance::Spend(_) | StartClearance::NotItsTurn => {}
        }
    }
    if newly && !batch.waits_for_all_decisions() {
        batch.asked_until = Some(approval_deadline(step));
    }
}

/// Tells the model that an approval was discarded and is asked again; edited arguments of the old approval are dropped.
fn report_discarded_approval(step: &mut TransitionContext<'_>, call: &Call, approval: &Approval) {
    // Journals of earlier versions contain no such message.
    if step.rules.set_back == ClockSetbackPolicy::EndsWaits {
        return;
    }
    let (id, command) = (call.approval_id(), call.command.name.as_str());
    let text = match &approval.edited {
        None => sentences::approval_unused(id.as_str(), command, &approval.author),
        Some(_) => sentences::approval_unused_edited(id.as_str(), command, &approval.author),
    };
    step.append_system_text(SystemKind::ValidationCancelled, text);
}

/// The unattended policy for the open decisions; `None` if a person's decision is awaited.
pub(super) fn unattended_policy(step: &TransitionContext<'_>, batch: &CallBatch) -> Option<UnattendedPolicy> {
    if step.facts.kind.is_run() {
        let own = step.facts.agent.as_ref().map(|agent| agent.rights.unattended());
        match own.unwrap_or(step.rules.unattended) {
            UnattendedPolicy::Park => None,
            UnattendedPolicy::Refuse => Some(UnattendedPolicy::Refuse),
            // It cannot replace the second person of four eyes, those whom the policy hook or the workspace demands, or
            // the one who approves a plan.
            UnattendedPolicy::Allow => batch
                .undecided()
                .any(|call| allow_policy_covers(step, call))
                .then_some(UnattendedPolicy::Allow),
        }
    } else {
        None
    }
}

/// Whether the policy `allow` covers this call. It was given for the words of certain people; calls that follow other
/// people's words need an approval.
fn allow_policy_covers(step: &TransitionContext<'_>, call: &Call) -> bool {
    let covers =
        |grant: &PolicyGrant| grant.covers_work_of(&call.asked_by, step.facts.prompt_authors.as_ref());
    let is_covered = match step.rules.allow_covers {
        AllowPolicyCoverage::Anything => true,
        AllowPolicyCoverage::Granted => step.facts.grant.as_ref().is_some_and(covers),
    };
    let needs_person = is_four_eyes(&call.reasons) || needs_person(&call.reasons);
    is_covered && !needs_person && PlanCommand::from_command(&call.command).is_none()
}

pub(super) fn wait_for_approval(step: &mut TransitionContext<'_>, mut batch: CallBatch) -> Phase {
    if step.facts.kind.is_run() {
        step.record.add_note(JournalNote::SessionParked);
    }
    let expires = batch.asked_until.unwrap_or_else(|| approval_deadline(step));
    batch.asked_until = (!batch.waits_for_all_decisions()).then_some(expires);
    Phase::WaitingValidation { batch, expires }
}

pub(super) fn apply_unattended_policy(
    policy: UnattendedPolicy,
    step: &mut TransitionContext<'_>,
    batch: &mut CallBatch,
) {
    for call in &mut batch.calls {
        if !matches!(call.state, CallState::WaitingDecision) {
            continue;
        }
        match policy {
            UnattendedPolicy::Allow if !allow_policy_covers(step, call) => {}
            UnattendedPolicy::Allow => approve_by_policy(step, call),
            UnattendedPolicy::Refuse | UnattendedPolicy::Park => {
                end_call(step, call, CallStatus::Rejected, sentences::nobody_to_approve());
            }
        }
    }
}

/// Records the author of the policy that approves a call, in journal and ledger.
fn approve_by_policy(step: &mut TransitionContext<'_>, call: &mut Call) {
    let by = match step.rules.allow_covers {
        AllowPolicyCoverage::Anything => None,
        AllowPolicyCoverage::Granted => step.facts.grant.as_ref().map(|grant| grant.author.clone()),
    };
    step.record.add_note(JournalNote::ApprovedByPolicy { call: call.id.clone(), by: by.clone() });
    let person = by.as_ref().and_then(|by| by.person.clone());
    approve(step, call, person.as_deref().unwrap_or("policy"), None);
    if let (CallState::Approved(approval), Some(by)) = (&mut call.state, by) {
        approval.policy_at = Some(by.at);
        step.record.record_call(call);
    }
}

/// Ends undecided calls after their deadline while other calls of the batch run, and cancels the actions that depend on
/// them, as in an idle batch.
pub(crate) fn expire_undecided(step: &mut TransitionContext<'_>, batch: &mut CallBatch) {
    let mut waits = false;
    for call in &mut batch.calls {
        let is_undecided = matches!(call.state, CallState::WaitingDecision);
        waits |= is_undecided;
        let comes_after =
            waits && call.is_ordered() && matches!(call.state, CallState::Proposed | CallState::Approved(_));
        if is_undecided || comes_after {
            end_call(step, call, CallStatus::Expired, sentences::undecided_in_time());
        }
    }
}

/// Deadline to give and to spend an approval. 0 means no limit: a hundred years.
fn approval_deadline(step: &TransitionContext<'_>) -> Deadline {
    let span = step.rules.validation_expires;
    Deadline::after(step.now, if span.0 > 0 { span } else { Millis::hours(24 * 36_525) })
}

/// Records a person's approval: the call is approved once enough different people have approved this card.
pub(crate) fn approve_as_person(
    step: &mut TransitionContext<'_>,
    call: &mut Call,
    author: &str,
    edited: Option<crate::validation::ArgumentEdit>,
) {
    call.record_approval(author, step.now);
    if call.has_enough_approvals() {
        approve(step, call, author, edited);
    } else {
        step.record.record_call(call);
    }
}

/// Records the approval of a person or policy, bound to the exact command, its version and its card.
fn approve(
    step: &mut TransitionContext<'_>,
    call: &mut Call,
    author: &str,
    edited: Option<crate::validation::ArgumentEdit>,
) {
    let Some(terms) = &call.terms else { return };
    let command_id = edited.as_ref().map_or(&call.command_id, |edit| &edit.command_id).clone();
    if let Some(edit) = &edited {
        call.card.clone_from(&edit.card);
    }
    call.state = CallState::Approved(Approval {
        author: author.to_owned(),
        at: step.now,
        expires: approval_deadline(step),
        version: terms.version.clone(),
        command_id,
        card: call.card.clone(),
        edited,
        policy_at: None,
    });
    step.record.record_call(call);
}
