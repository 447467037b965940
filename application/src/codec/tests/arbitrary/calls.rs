use entracte_domain::call::{Call, CallFailure, CallOutcome, CallResult, CallState, CallStatus, CallStep};
use entracte_domain::command::{Command, CommandKind, CommandTerms, EffectClass};
use entracte_domain::session::{CallLookup, IdenticalCall, RequestedCall};
use entracte_domain::time::Millis;
use entracte_domain::validation::{
    Approval, ApprovalReason, Approver, ApproverRequirement, ApproverSeat, ArgumentEdit, ExchangePrincipal,
    GivenApproval, PolicyAnswer, PolicyAuthor, PolicyCheck, PolicyDecision, PolicyGrant, PromptAuthors,
    StandIn, ValidationLevel,
};
use proptest::prelude::*;
use proptest::sample::select;

use super::agents::{agent_terms, report};
use super::scalars::*;
use super::tasks::{task_handle, task_of_call};

pub(super) fn command() -> BoxedStrategy<Command> {
    (text(), value()).prop_map(|(name, arguments)| Command { name, arguments }).boxed()
}

pub(super) fn kind() -> BoxedStrategy<CommandKind> {
    select(vec![CommandKind::Query, CommandKind::Action]).boxed()
}

pub(super) fn status() -> BoxedStrategy<CallStatus> {
    select(CallStatus::ALL.to_vec()).boxed()
}

pub(super) fn terms() -> BoxedStrategy<CommandTerms> {
    let effect = select(vec![
        EffectClass::Read,
        EffectClass::Local,
        EffectClass::Idempotent,
        EffectClass::Probe,
        EffectClass::Once,
        EffectClass::Child,
    ]);
    let agent = proptest::option::weighted(0.1, agent_terms());
    let shows = (few(digest()), agent, some(task_of_call()), few(text()));
    (digest(), effect, any::<bool>(), any::<[bool; 2]>(), (any::<i64>(), any::<i64>()), shows)
        .prop_map(
            |(
                version,
                effect,
                independent,
                [destructive, asks],
                (settle_ms, key_lifetime_ms),
                (shows, agent, task, state_scopes),
            )| {
                let agent = agent.map(Box::new);
                CommandTerms {
                    version,
                    effect,
                    independent,
                    state_scopes,
                    destructive,
                    asks,
                    settle_ms,
                    key_lifetime_ms,
                    shows,
                    agent,
                    task,
                }
            },
        )
        .boxed()
}

fn approver() -> BoxedStrategy<Approver> {
    prop_oneof![text().prop_map(Approver::Role), text().prop_map(Approver::Person)].boxed()
}

fn approver_requirement() -> BoxedStrategy<ApproverRequirement> {
    let stand_in = (text(), time()).prop_map(|(person, until)| StandIn { person, until });
    let seat = (text(), few(stand_in), any::<i64>()).prop_map(|(person, stand_ins, after)| ApproverSeat {
        person,
        stand_ins,
        after: Millis(after),
    });
    (few(approver()), few(seat), any::<u32>())
        .prop_map(|(named, seats, quorum)| ApproverRequirement { named, seats, quorum })
        .boxed()
}

fn given_approval() -> BoxedStrategy<GivenApproval> {
    (text(), time()).prop_map(|(author, at)| GivenApproval { author, at }).boxed()
}

pub(super) fn reason() -> BoxedStrategy<ApprovalReason> {
    (select(ValidationLevel::ALL.to_vec()), some(text()), speech(), some(approver_requirement()))
        .prop_map(|(level, about, text, approvers)| ApprovalReason {
            level,
            about,
            text,
            approvers: approvers.map(Box::new),
        })
        .boxed()
}

pub(super) fn asked_by() -> BoxedStrategy<ExchangePrincipal> {
    (few(text()), some(text())).prop_map(|(people, acts_as)| ExchangePrincipal { people, acts_as }).boxed()
}

pub(super) fn prompt_authors() -> BoxedStrategy<PromptAuthors> {
    (few(text()), any::<bool>())
        .prop_map(|(people, has_unknown)| PromptAuthors { people, has_unknown })
        .boxed()
}

pub(super) fn policy_author() -> BoxedStrategy<PolicyAuthor> {
    (some(text()), time()).prop_map(|(person, at)| PolicyAuthor { person, at }).boxed()
}

pub(super) fn grant() -> BoxedStrategy<PolicyGrant> {
    (policy_author(), few(text())).prop_map(|(author, covers)| PolicyGrant { author, covers }).boxed()
}

pub(super) fn edit() -> BoxedStrategy<ArgumentEdit> {
    (command(), digest(), some(digest()))
        .prop_map(|(command, command_id, card)| ArgumentEdit { command, command_id, card })
        .boxed()
}

pub(super) fn policy_answer() -> BoxedStrategy<PolicyAnswer> {
    let decision = select(PolicyDecision::ALL.to_vec());
    (decision, some(text()), some(text()), few(approver()), any::<u32>(), digest(), time())
        .prop_map(|(decision, reason, version, approvers, quorum, command_id, at)| PolicyAnswer {
            decision,
            reason,
            version,
            approvers,
            quorum,
            command_id,
            at,
        })
        .boxed()
}

fn policy_check() -> BoxedStrategy<PolicyCheck> {
    prop_oneof![Just(PolicyCheck::Pending), policy_answer().prop_map(PolicyCheck::Answered)].boxed()
}

fn approval() -> BoxedStrategy<Approval> {
    (text(), time(), deadline(), digest(), digest(), some(digest()), some(edit()), some(time()))
        .prop_map(|(author, at, expires, version, command_id, card, edited, policy_at)| Approval {
            author,
            at,
            expires,
            version,
            command_id,
            card,
            edited,
            policy_at,
        })
        .boxed()
}

fn result() -> BoxedStrategy<CallResult> {
    (status(), some(text()), speech(), few(file()), some(text()), some(digest()), time())
        .prop_map(|(status, code, content, files, path, digest, at)| CallResult {
            status,
            code,
            content,
            files,
            path,
            digest,
            at,
        })
        .boxed()
}

fn state() -> BoxedStrategy<CallState> {
    let step = || select(vec![CallStep::Run, CallStep::Ask]);
    prop_oneof![
        Just(CallState::Proposed),
        call_id().prop_map(CallState::Follows),
        Just(CallState::WaitingDecision),
        approval().prop_map(CallState::Approved),
        (time(), step(), some(approval())).prop_map(|(at, step, spent)| CallState::Started {
            at,
            step,
            spent
        }),
        (deadline(), step(), some(approval())).prop_map(|(until, step, spent)| CallState::Delayed {
            until,
            step,
            spent
        }),
        (result(), some(approval())).prop_map(|(result, decision)| CallState::Finished { result, decision }),
    ]
    .boxed()
}

pub(in crate::codec) fn call() -> BoxedStrategy<Call> {
    let asked = (call_id(), some(text()), command(), digest(), kind());
    let approved = (any::<u32>(), few(given_approval()));
    let known = (some(terms()), few(reason()), some(digest()), some(policy_check()), approved, asked_by());
    let stands = (state(), any::<u32>(), time(), any::<u64>(), some(time()));
    (asked, known, stands)
        .prop_map(
            |(
                (id, provider_call_id, command, command_id, kind),
                (terms, reasons, card, policy, (withdrawn, approvals), asked_by),
                (state, attempt, requested_at, exchange, first_started_at),
            )| Call {
                id,
                provider_call_id,
                command,
                command_id,
                kind,
                terms,
                reasons,
                card,
                policy,
                asked_by,
                withdrawn,
                approvals,
                state,
                attempt,
                requested_at,
                exchange,
                first_started_at,
            },
        )
        .boxed()
}

pub(super) fn outcome() -> BoxedStrategy<CallOutcome> {
    let failure = (text(), text(), some(text()), any::<bool>())
        .prop_map(|(code, message, path, retryable)| CallFailure { code, message, path, retryable });
    prop_oneof![
        (text(), few(file()), digest()).prop_map(|(content, files, digest)| CallOutcome::Succeeded {
            content,
            files,
            digest
        }),
        (task_id(), text(), task_handle()).prop_map(|(task, content, handle)| CallOutcome::Accepted {
            task,
            content,
            handle
        }),
        failure.prop_map(CallOutcome::Failed),
        Just(CallOutcome::TimedOut),
        (some(time()), some(time()))
            .prop_map(|(found_by_start, lands_by)| CallOutcome::Lost { found_by_start, lands_by }),
        (some(any::<bool>()), text(), digest())
            .prop_map(|(happened, content, digest)| { CallOutcome::Probed { happened, content, digest } }),
        (report(), digest())
            .prop_map(|(report, digest)| CallOutcome::Reported { report: Box::new(report), digest }),
    ]
    .boxed()
}

fn lookup() -> BoxedStrategy<CallLookup> {
    let twin = (call_id(), time(), text(), few(file()), any::<bool>()).prop_map(
        |(call, finished_at, content, files, fresh)| IdenticalCall {
            call,
            finished_at,
            content,
            files,
            fresh,
        },
    );
    prop_oneof![
        (terms(), few(reason()), some(twin), some(text()), some(digest()), any::<bool>()).prop_map(
            |(terms, reasons, twin, rule, card, policy)| CallLookup::Known {
                terms,
                reasons,
                twin,
                rule,
                card,
                policy
            }
        ),
        (status(), text(), some(text()), some(digest())).prop_map(|(status, message, path, shows)| {
            CallLookup::Refused { status, message, path, shows }
        }),
    ]
    .boxed()
}

pub(super) fn requested() -> BoxedStrategy<RequestedCall> {
    (some(text()), command(), digest(), kind(), lookup())
        .prop_map(|(provider_call_id, command, command_id, kind, lookup)| RequestedCall {
            provider_call_id,
            command,
            command_id,
            kind,
            lookup,
        })
        .boxed()
}
