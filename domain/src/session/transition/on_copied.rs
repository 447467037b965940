//! `SessionCopied`: from here on the session is independent. Unfinished work of the original does not continue here:
//! its calls end, its waits leave their trace, and the copy rests until a person acts.

use crate::agent::DescendantUsage;
use crate::call::CallStatus;
use crate::id::CallId;
use crate::localizable_text::sentences;
use crate::message::SystemKind;
use crate::plan::PlanMode;
use crate::session::RunPolicy;
use crate::session::call_batch::{self, BatchHalt, CallBatch};
use crate::session::{CrashStreak, Phase, SessionCopyOrigin, Slot, TransitionContext};
use crate::validation::{ExchangePrincipal, PromptAuthors};

use super::on_user_message::cancel_wait;

pub(super) fn on(
    step: &mut TransitionContext<'_>,
    phase: Phase,
    how: SessionCopyOrigin,
    counts_authors: bool,
    policy: Option<RunPolicy>,
    call: Option<CallId>,
) -> Phase {
    let facts = &mut *step.facts;
    facts.policy = policy.unwrap_or(facts.policy);
    facts.slot = Slot::None;
    facts.tasks.clear();
    facts.overdue.clear();
    // The queries were looked up elsewhere: the content of a file is no approval to run a call, and its record of
    // requesters gives the copy no person's rights.
    facts.queue.iter_mut().for_each(|waiting| {
        waiting.enrichments.clear();
        waiting.author = None;
    });
    facts.asked_by = ExchangePrincipal::default();
    facts.grant = None;
    if counts_authors {
        let known = facts.prompt_authors.take().filter(|_| how == SessionCopyOrigin::Fork);
        // The authors in a file are not trusted, and sessions of earlier versions did not count them.
        let unknown = PromptAuthors { has_unknown: true, ..PromptAuthors::default() };
        facts.prompt_authors = Some(known.unwrap_or(unknown));
    }
    facts.unsettled.clear();
    facts.expired.clear();
    facts.failed.clear();
    facts.is_end_seen = false;
    facts.crashes = CrashStreak::default();
    if how == SessionCopyOrigin::Import {
        // A file's record of sent data is shown, but never sent again as ours: a new generation begins.
        facts.prefix = None;
        facts.told.clear();
    }
    // The approval of the plan does not hold here, and the copy has the plan mode of its workspace.
    if let Some(plan) = &mut facts.plan {
        plan.approved_by = None;
    }
    facts.mode = facts.mode.filter(|mode| match mode {
        PlanMode::Plan => true,
        PlanMode::Free => false,
    });
    facts.automation = None;
    // The copy has neither parent nor children, and keeps at most the rights of the agent it was. The call says only
    // where it stands in a copied tree: nobody waits for a report of it.
    facts.parent = call;
    facts.agent = None;
    facts.children.clear();
    facts.below = DescendantUsage::default();
    // Attachments belong to the original session.
    facts.attached.clear();
    facts.asks_slot = None;
    // The time between the last entry and the copy is not active time.
    facts.active_since = None;
    match phase {
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => give_up(step, batch),
        Phase::WaitingValidation { batch, .. } => {
            cancel_wait(step, batch, CallStatus::Cancelled, &sentences::not_in_copy());
            step.finish_round_keeping_queue()
        }
        Phase::WaitingCommunicationResponse { question, .. } => {
            step.append_system_text(
                SystemKind::CommunicationCancelled,
                sentences::question_unanswered(question.text()),
            );
            step.finish_round_keeping_queue()
        }
        Phase::Idle
        | Phase::Parked(_)
        | Phase::CallingAi(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => step.finish_round_keeping_queue(),
    }
}

fn give_up(step: &mut TransitionContext<'_>, mut batch: CallBatch) -> Phase {
    for call in batch.calls.iter_mut().filter(|call| !call.is_finished()) {
        call_batch::end_call(step, call, CallStatus::Cancelled, sentences::not_in_copy());
    }
    batch.halt = Some(BatchHalt::Rest);
    call_batch::advance(step, batch)
}

#[cfg(test)]
mod tests {
    use crate::command::{Command, CommandKind, CommandTerms, EffectClass};
    use crate::id::{Digest, SessionId, WorkspaceKey};
    use crate::message::UserMessage;
    use crate::restriction::Restriction;
    use crate::session::RunPolicy;
    use crate::session::{
        CallLookup, Dialect, Input, LimitProfile, Phase, RequestedCall, SessionCopyOrigin, SessionCreation,
        SessionFacts, SessionKind, SessionRules, Slot, UserMessageSent, transition,
    };
    use crate::time::Timestamp;
    use crate::value::JsonValue;

    fn message(enrichments: Vec<RequestedCall>) -> Input {
        let message = UserMessage::text("Hello");
        Input::UserMessageSent(UserMessageSent {
            author: "ann".into(),
            message,
            client_key: None,
            enrichments,
            title: None,
            asks: true,
            instead_of: Vec::new(),
        })
    }

    /// Input that a file may contain: an action disguised as a query that needs no approval.
    fn smuggled() -> RequestedCall {
        let command = Command { name: "mail.send".into(), arguments: JsonValue::Object(Vec::new()) };
        let terms = CommandTerms {
            version: Digest::new("v1"),
            effect: EffectClass::Once,
            independent: false,
            state_scopes: Vec::new(),
            destructive: false,
            asks: false,
            settle_ms: 0,
            key_lifetime_ms: 0,
            shows: Vec::new(),
            agent: None,
            task: None,
        };
        RequestedCall {
            provider_call_id: None,
            command_id: Digest::new("c1"),
            command,
            kind: CommandKind::Query,
            lookup: CallLookup::Known {
                terms,
                reasons: Vec::new(),
                twin: None,
                rule: None,
                card: None,
                policy: false,
            },
        }
    }

    #[test]
    fn queued_enrichment_calls_do_not_run_in_copy() {
        let created = Input::SessionCreated(Box::new(SessionCreation {
            name: "trip".into(),
            require_validation: false,
            mode: None,
            restriction: Restriction::Open,
            automation: None,
            scheduled_at: None,
            parent: None,
            provider: "claude".into(),
            model: "sonnet".into(),
            dialect: Dialect::Envelope,
            prefix: Digest::new("p1"),
            told: Vec::new(),
            run: None,
            agent: None,
            policy: RunPolicy::default(),
            prompt_authors: None,
            grant: None,
        }));
        let held = || Input::StandingChanged { slot: Slot::Held };
        let (from, how) = (SessionId::new("ses_a"), SessionCopyOrigin::Import);
        let copied = Input::SessionCopied {
            from,
            at: 4,
            how,
            author: "ann".into(),
            policy: None,
            counts_authors: true,
            call: None,
        };
        let before = [created, message(Vec::new()), held(), message(vec![smuggled()])];
        let rules = SessionRules::new(SessionKind::Chat, LimitProfile::Autonomous);
        let (id, workspace) = (SessionId::new("ses_b"), WorkspaceKey::new("ann:home"));
        let mut facts = SessionFacts::new(id, workspace, SessionKind::Chat, Timestamp(0));
        let (mut phase, mut calls) = (Phase::Idle, Vec::new());
        for input in before.into_iter().chain([copied, message(Vec::new()), held()]) {
            let taken = transition(&mut facts, &mut phase, input, Timestamp(1), &rules);
            calls.extend(taken.expect("it counts").calls);
        }
        assert_eq!(calls, []);
        assert!(matches!(phase, Phase::CallingAi(_)), "{phase:?}");
    }
}
