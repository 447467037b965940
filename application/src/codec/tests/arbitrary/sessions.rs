use entracte_domain::automation::RunPolicy;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::plan::{Plan, PlanMode, PlanStep, PlanStepState};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    ActionFailurePolicy, AllowPolicyCoverage, BatchHalt, BatchOrigin, CallBatch, ClockSetbackPolicy,
    CompletionCheck, CrashRecoveryPolicy, CrashStreak, Dialect, EmptyReplyPolicy, EndCausePolicy, EndReason,
    FailedApproval, FailedProvider, FailureNoticePolicy, FailureStreak, LimitProfile, LostReadPolicy,
    NetworkPolicy, ParkReason, Phase, PlanOnlyReplyPolicy, QueuedMessage, RelaunchCommandPolicy,
    ResultFingerprint, Round, RoundReason, RunReportPolicy, SessionAttachment, SessionCounters, SessionFacts,
    SessionKind, SessionRules, Slot, SummaryProgress, TextOnlyEndPolicy, UnattendedPolicy,
    UnknownOutcomePolicy,
};
use proptest::prelude::*;
use proptest::sample::select;

use super::agents::{agent, below, child};
use super::calls::{asked_by, call, grant, prompt_authors, requested};
use super::inputs::{spending_question, told};
use super::messages::question;
use super::scalars::*;
use crate::journal::Snapshot;

pub(super) fn end_reason() -> BoxedStrategy<EndReason> {
    select(EndReason::ALL.to_vec()).boxed()
}

pub(super) fn round_reason() -> BoxedStrategy<RoundReason> {
    select(RoundReason::ALL.to_vec()).boxed()
}

pub(super) fn dialect() -> BoxedStrategy<Dialect> {
    select(vec![Dialect::Envelope, Dialect::Tools]).boxed()
}

pub(super) fn session_kind() -> BoxedStrategy<SessionKind> {
    select(vec![SessionKind::Chat, SessionKind::Seed, SessionKind::Automation, SessionKind::Agent]).boxed()
}

pub(super) fn run_policy() -> BoxedStrategy<RunPolicy> {
    let profile = some(select(vec![LimitProfile::Autonomous, LimitProfile::Strict]));
    let unattended =
        some(select(vec![UnattendedPolicy::Park, UnattendedPolicy::Refuse, UnattendedPolicy::Allow]));
    let completion = some(select(vec![CompletionCheck::Trust, CompletionCheck::AskOnce]));
    (profile, unattended, completion, some(mode()))
        .prop_map(|(profile, unattended, completion, mode)| RunPolicy {
            profile,
            unattended,
            completion,
            mode,
        })
        .boxed()
}

pub(super) fn mode() -> BoxedStrategy<PlanMode> {
    select(PlanMode::ALL.to_vec()).boxed()
}

pub(super) fn plan() -> BoxedStrategy<Plan> {
    (digest(), text(), few(plan_step()), some(text()))
        .prop_map(|(digest, title, steps, approved_by)| Plan { digest, title, steps, approved_by })
        .boxed()
}

pub(super) fn plan_step() -> BoxedStrategy<PlanStep> {
    (text(), text(), select(PlanStepState::ALL.to_vec()), some(text()))
        .prop_map(|(id, text, state, note)| PlanStep { id, text, state, note })
        .boxed()
}

pub(super) fn slot() -> BoxedStrategy<Slot> {
    prop_oneof![
        Just(Slot::None),
        Just(Slot::Held),
        time().prop_map(Slot::Queued),
        time().prop_map(Slot::Suspended),
    ]
    .boxed()
}

fn round() -> BoxedStrategy<Round> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let left = (text(), select(FailureClass::ALL.to_vec()));
    let left = few(left.prop_map(|(provider, class)| FailedProvider { provider, class }).boxed());
    (any::<u32>(), round_reason(), any::<u32>(), some(time()), flags, any::<u32>(), left)
        .prop_map(|(number, reason, attempt, started_at, flags, waits, left)| {
            let (closing, lost, compacted, repaired) = flags;
            let words_only = !closing && number.is_multiple_of(3);
            Round {
                number,
                reason,
                attempt,
                started_at,
                closing,
                words_only,
                lost,
                compacted,
                repaired,
                waits,
                left,
            }
        })
        .boxed()
}

fn batch() -> BoxedStrategy<CallBatch> {
    halted(prop_oneof![Just(BatchHalt::Rest), end_reason().prop_map(BatchHalt::End)].boxed())
}

fn halted(halt: BoxedStrategy<BatchHalt>) -> BoxedStrategy<CallBatch> {
    let origin = prop_oneof![Just(BatchOrigin::Reply), round_reason().prop_map(BatchOrigin::Enrichments)];
    (
        origin,
        few(call()),
        some(text()),
        any::<bool>(),
        few(speech()),
        any::<bool>(),
        (some(deadline()), some(halt)),
    )
        .prop_map(
            |(origin, calls, post_text, keep_control, remarks, refused_with_reason, (asked_until, halt))| {
                CallBatch {
                    origin,
                    calls,
                    post_text,
                    keep_control,
                    remarks,
                    refused_with_reason,
                    asked_until,
                    halt,
                }
            },
        )
        .boxed()
}

fn summing() -> impl Strategy<Value = SummaryProgress> {
    let piece = some(super::inputs::piece().prop_map(Box::new));
    (super::inputs::method(), some(any::<u64>()), few(text()), piece)
        .prop_map(|(method, budget, faults, piece)| SummaryProgress { method, budget, faults, piece })
}

pub(in crate::codec) fn phase() -> BoxedStrategy<Phase> {
    prop_oneof![
        Just(Phase::Idle),
        parked().prop_map(Phase::Parked),
        batch().prop_map(Phase::ExecutingEnrichments),
        round().prop_map(Phase::CallingAi),
        (batch(), deadline()).prop_map(|(batch, expires)| Phase::WaitingValidation { batch, expires }),
        (question(), some(deadline()))
            .prop_map(|(question, expires)| Phase::WaitingCommunicationResponse { question, expires }),
        batch().prop_map(Phase::ExecutingDataQueries),
        batch().prop_map(Phase::ExecutingActions),
        halted(Just(BatchHalt::Quarantine).boxed()).prop_map(Phase::ExecutingActions),
        deadline().prop_map(|confirm| Phase::WaitingCompletionConfirmation { confirm }),
        (round(), deadline()).prop_map(|(round, retry)| Phase::WaitingNetworkRetry { round, retry }),
        (end_reason(), deadline())
            .prop_map(|(reason, close)| Phase::AwaitingSessionClosure { reason, close }),
        end_reason().prop_map(|reason| Phase::Completed { reason }),
        Just(Phase::WaitingTask),
        (round(), summing()).prop_map(|(round, summing)| Phase::CompactingContext { round, summing }),
    ]
    .boxed()
}

fn sighting() -> impl Strategy<Value = ResultFingerprint> {
    (digest(), digest()).prop_map(|(command, result)| ResultFingerprint::from_digests(&command, &result))
}

fn counters() -> BoxedStrategy<SessionCounters> {
    let count = || prop_oneof![Just(0), any::<u32>()];
    let equal = (speech(), any::<u32>()).prop_map(|(signature, count)| FailureStreak { signature, count });
    let first = (count(), count(), count(), count(), count(), count(), count());
    (first, some(equal), count(), any::<bool>())
        .prop_map(|((a, b, c, d, e, f, g), equal_failures, calls_total, closing_done)| SessionCounters {
            rounds_total: a,
            rounds_since_human: b,
            query_rounds: c,
            failed_action_rounds: d,
            format_errors: e,
            relaunches: f,
            without_progress: g,
            equal_failures,
            calls_total,
            closing_done,
        })
        .boxed()
}

fn parked() -> BoxedStrategy<ParkReason> {
    prop_oneof![
        text().prop_map(ParkReason::Exhausted),
        Just(ParkReason::Interrupted),
        Just(ParkReason::Quarantined),
        spending_question().prop_map(ParkReason::Spending),
    ]
    .boxed()
}

fn facts() -> BoxedStrategy<SessionFacts> {
    let queued = (message_id(), some(text()), few(requested()))
        .prop_map(|(message, author, enrichments)| QueuedMessage { message, author, enrichments });
    let crashes =
        (any::<u32>(), some(time())).prop_map(|(count, last_start)| CrashStreak { count, last_start });
    let made = (
        text(),
        text(),
        session_kind(),
        text(),
        (any::<bool>(), restriction(), some(mode()), some(plan())),
        some(text()),
        some(time()),
    );
    let model = (some(call_id()), text(), text(), dialect(), any::<u32>(), some(digest()));
    let work = (any::<u64>(), slot(), counters(), few(sighting()), few(queued), few(task_id()));
    let failure = (call_id(), text(), any::<u64>()).prop_map(|(call, approver, sequence)| FailedApproval {
        call,
        approver,
        sequence,
    });
    let rest = (few(call_id()), any::<u64>(), crashes, usage(), few(failure));
    let times = (time(), time(), time(), some(time()), span());
    let attachment =
        (text(), text(), deadline()).prop_map(|(id, author, lease)| SessionAttachment { id, author, lease });
    let family = (proptest::option::weighted(0.2, agent()), few(child()), below());
    let counted = (asked_by(), some(prompt_authors()), some(grant()));
    let open = (few(attachment), some(deadline()), any::<bool>(), counted, family);
    let known = (few(digest()), few(told()), few((text(), any::<u64>())), run_policy(), open);
    (made, model, work, rest, times, known)
        .prop_map(|(made, model, work, rest, times, known)| SessionFacts {
            id: SessionId::new(made.0),
            workspace: WorkspaceKey::new(made.1),
            kind: made.2,
            name: made.3,
            require_validation: made.4.0,
            restriction: made.4.1,
            mode: made.4.2,
            plan: made.4.3,
            automation: made.5,
            scheduled_at: made.6,
            policy: known.3,
            parent: model.0,
            agent: known.4.4.0.map(Box::new),
            children: known.4.4.1,
            below: known.4.4.2,
            provider: model.1,
            model: model.2,
            dialect: model.3,
            generation: model.4,
            prefix: model.5,
            sequence: work.0,
            slot: work.1,
            counters: work.2,
            seen: work.3,
            queue: work.4,
            overdue: work.5.iter().take(2).cloned().collect(),
            tasks: work.5,
            expired: rest.0.clone(),
            unsettled: rest.0,
            is_end_seen: work.0 % 2 == 1,
            failed: rest.4,
            exchange: rest.1,
            asked_by: known.4.3.0,
            prompt_authors: known.4.3.1,
            grant: known.4.3.2,
            crashes: rest.2,
            usage: rest.3,
            created_at: times.0,
            last_event_at: times.1,
            last_human_at: times.2,
            acted: rest.1 / 2,
            lined_up: rest.1 / 3,
            active_since: times.3,
            active_before: times.4,
            schemas: known.0,
            told: known.1,
            read: known.2,
            attached: known.4.0,
            asks_slot: known.4.1,
            owes_round: known.4.2,
        })
        .boxed()
}

pub(in crate::codec) fn snapshot() -> BoxedStrategy<Snapshot> {
    (facts(), phase()).prop_map(|(facts, phase)| Snapshot { facts, phase }).boxed()
}

pub(in crate::codec) fn rules() -> BoxedStrategy<SessionRules> {
    let base = (session_kind(), select(vec![LimitProfile::Autonomous, LimitProfile::Strict]));
    let policies = (
        select(vec![ActionFailurePolicy::Stop, ActionFailurePolicy::Continue]),
        select(vec![CompletionCheck::Trust, CompletionCheck::AskOnce]),
        select(vec![UnattendedPolicy::Park, UnattendedPolicy::Refuse, UnattendedPolicy::Allow]),
        select(vec![NetworkPolicy::Forever, NetworkPolicy::Backoff]),
        select(vec![UnknownOutcomePolicy::Continue, UnknownOutcomePolicy::Stop]),
        select(vec![RelaunchCommandPolicy::Always, RelaunchCommandPolicy::OnError]),
        select(vec![TextOnlyEndPolicy::Never, TextOnlyEndPolicy::AskOnce]),
        select(vec![EmptyReplyPolicy::Rest, EmptyReplyPolicy::AskOnce]),
        select(vec![PlanOnlyReplyPolicy::GoOn, PlanOnlyReplyPolicy::Rest]),
        (
            mode(),
            select(CrashRecoveryPolicy::ALL.to_vec()),
            select(ClockSetbackPolicy::ALL.to_vec()),
            select(EndCausePolicy::ALL.to_vec()),
            select(LostReadPolicy::ALL.to_vec()),
            select(FailureNoticePolicy::ALL.to_vec()),
            select(RunReportPolicy::ALL.to_vec()),
        ),
    );
    let covers = select(AllowPolicyCoverage::ALL.to_vec());
    (base, policies, any::<u32>(), span(), covers)
        .prop_map(|((kind, profile), policies, number, span, allow_covers)| SessionRules {
            allow_covers,
            actions_on_failure: policies.0,
            completion_check: policies.1,
            unattended: policies.2,
            network: policies.3,
            on_unknown: policies.4,
            relaunch_commands: policies.5,
            words_end_run: policies.6,
            empty_reply: policies.7,
            plan_alone: policies.8,
            mode: policies.9.0,
            own_crash: policies.9.1,
            set_back: policies.9.2,
            end_cause: policies.9.3,
            lost_read: policies.9.4,
            failure_notice: policies.9.5,
            run_report: policies.9.6,
            rounds: number,
            watchdog: span,
            ..SessionRules::new(kind, profile)
        })
        .boxed()
}
