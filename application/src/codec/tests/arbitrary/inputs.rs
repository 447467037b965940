use entracte_domain::automation::RunCause;
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::{FailureClass, FallbackModel, ModelFailure};
use entracte_domain::session::{
    AiResponse, AlwaysSendSection, ApprovalRecheck, CallRefusal, CardRefresh, ContextSummary, FormatFault,
    Input, JournalNote, LogAppend, ModelSelection, ReplyEnd, RulesChange, RunStart, SessionCopyOrigin,
    SessionCreation, SessionLimit, SessionOpening, SessionRename, StoppedReply, SummaryFault, SummaryItem,
    SummaryItemKind, SummaryMethod, SummaryPiece, SummaryRequest, TransientPhase, UserMessageSent,
};
use entracte_domain::spending::{
    SpendingAmount, SpendingAnswer, SpendingExcess, SpendingExcessNumbers, SpendingQuestion, SpendingRefusal,
    SpendingScope, SpendingShare,
};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{Decision, DecisionVerdict};
use proptest::prelude::*;
use proptest::sample::select;

use super::agents::{agent_start, of_families};
use super::calls::{
    asked_by, edit, grant, outcome, policy_answer, policy_author, prompt_authors, reason, requested, status,
    terms,
};
use super::messages::{ai_message, message, user_message};
use super::scalars::*;
use super::sessions::{dialect, end_reason, mode, plan, plan_step, round_reason, run_policy, slot};
use super::tasks::task_outcome;
use crate::journal::JournalEntry;

fn creation() -> BoxedStrategy<SessionCreation> {
    let run = (some(text()), some(time()), some(call_id()));
    let guarded = (any::<bool>(), restriction(), some(mode()));
    let counted = (some(prompt_authors()), some(grant()));
    let begins = (some(run_start()), some(agent_start()), run_policy(), counted);
    let known = (digest(), few(told()), begins);
    (text(), guarded, run, (text(), text()), dialect(), known)
        .prop_map(
            |(
                name,
                guarded,
                run,
                (provider, model),
                dialect,
                (prefix, told, (start, agent, policy, counted)),
            )| {
                SessionCreation {
                    name,
                    require_validation: guarded.0,
                    mode: guarded.2,
                    restriction: guarded.1,
                    automation: run.0,
                    scheduled_at: run.1,
                    parent: run.2,
                    provider,
                    model,
                    dialect,
                    prefix,
                    told,
                    run: start,
                    agent: agent.map(Box::new),
                    policy,
                    prompt_authors: counted.0,
                    grant: counted.1,
                }
            },
        )
        .boxed()
}

fn run_start() -> BoxedStrategy<RunStart> {
    let began = (select(RunCause::ALL.to_vec()), any::<u32>(), few((text(), user_message())));
    (began, few(requested()), some(text()), run_policy(), asked_by())
        .prop_map(|((cause, version, messages), enrichments, event, policy, asked_by)| RunStart {
            cause,
            version,
            messages,
            enrichments,
            event,
            policy,
            asked_by,
        })
        .boxed()
}

fn sent() -> BoxedStrategy<UserMessageSent> {
    let said = (text(), user_message(), some(text()), few(requested()), some(text()), any::<bool>());
    (said, few(call_id()))
        .prop_map(|((author, message, client_key, enrichments, title, asks), instead_of)| UserMessageSent {
            author,
            message,
            client_key,
            enrichments,
            title,
            asks,
            instead_of,
        })
        .boxed()
}

fn response() -> BoxedStrategy<AiResponse> {
    let fault = (text(), some(text()), text());
    let fault = fault.prop_map(|(code, place, text)| FormatFault { code, place, text });
    let said = (ai_message(), few(requested()), any::<bool>()).prop_map(|(mut message, calls, as_called)| {
        if as_called {
            let of = |kind| calls.iter().filter(move |c| c.kind == kind).map(|c| c.command.clone()).collect();
            message.queries = of(entracte_domain::command::CommandKind::Query);
            message.actions = of(entracte_domain::command::CommandKind::Action);
            message.original.clone_from(&message.pre_text);
        }
        (message, calls)
    });
    let end = prop_oneof![
        6 => Just(ReplyEnd::Done),
        1 => some(any::<u32>()).prop_map(|limit| ReplyEnd::OutputLimit { limit }),
        1 => Just(ReplyEnd::Paused),
        1 => text().prop_map(ReplyEnd::Unknown),
    ];
    let end = (end, any::<bool>());
    let sent = (some(usage()), some(digest()), some(text()));
    (any::<u32>(), any::<u32>(), said, end, few(fault), sent)
        .prop_map(
            |(round, attempt, (message, calls), (end, asks_at_limit), faults, (usage, request, handle))| {
                AiResponse {
                    round,
                    attempt,
                    message,
                    end,
                    asks_at_limit,
                    faults,
                    calls,
                    usage,
                    request,
                    handle,
                }
            },
        )
        .boxed()
}

fn failure() -> BoxedStrategy<ModelFailure> {
    let instead = (voice(), digest(), few(told()));
    let instead = instead.prop_map(|(voice, prefix, told)| Box::new(FallbackModel { voice, prefix, told }));
    (select(FailureClass::ALL.to_vec()), text(), some(span()), span(), some(time()), some(instead))
        .prop_map(|(class, message, retry_after, jitter, found_by_start, instead)| ModelFailure {
            class,
            message,
            retry_after,
            jitter,
            found_by_start,
            instead,
        })
        .boxed()
}

fn decision() -> BoxedStrategy<Decision> {
    let verdict = prop_oneof![
        some(edit()).prop_map(|edited| DecisionVerdict::Approve { edited }),
        some(text()).prop_map(|reason| DecisionVerdict::Reject { reason }),
    ];
    (call_id(), some(digest()), verdict, some(text()))
        .prop_map(|(call, card, verdict, rule)| Decision { call, card, verdict, rule })
        .boxed()
}

fn voice() -> BoxedStrategy<ModelSelection> {
    (text(), text(), dialect())
        .prop_map(|(provider, model, dialect)| ModelSelection { provider, model, dialect })
        .boxed()
}

fn rules_change() -> BoxedStrategy<RulesChange> {
    let guarded = (some(any::<bool>()), some(mode()), some(restriction()));
    let name = (text(), text()).prop_map(|(author, name)| SessionRename { author, name });
    let begun = (some(digest()), some(few(told())), some(prompt_authors()));
    (some(text()), few(recheck()), begun, guarded, some(voice()), some(name))
        .prop_map(|(notice, rechecks, begun, (require_validation, mode, restriction), voice, name)| {
            let (prefix, told, prompt_authors) = begun;
            RulesChange {
                notice,
                rechecks,
                prefix,
                told,
                require_validation,
                mode,
                restriction,
                voice,
                name,
                prompt_authors,
            }
        })
        .boxed()
}

pub(super) fn told() -> BoxedStrategy<AlwaysSendSection> {
    (text(), digest()).prop_map(|(section, digest)| AlwaysSendSection { section, digest }).boxed()
}

fn copying() -> BoxedStrategy<SessionCopyOrigin> {
    prop_oneof![Just(SessionCopyOrigin::Fork), Just(SessionCopyOrigin::Import)].boxed()
}

pub(super) fn session_id() -> BoxedStrategy<SessionId> {
    text().prop_map(SessionId::new).boxed()
}

fn recheck() -> BoxedStrategy<ApprovalRecheck> {
    let refusal = (status(), text(), some(text())).prop_map(|(status, message, path)| CallRefusal {
        status,
        message,
        path,
    });
    let now = (terms(), some(digest()), some(refusal)).prop_map(|(terms, card, refusal)| CardRefresh {
        terms,
        card,
        refusal,
    });
    (call_id(), some(digest()), few(reason()), some(now))
        .prop_map(|(call, version, reasons, now)| ApprovalRecheck { call, version, reasons, now })
        .boxed()
}

fn stopped_reply() -> BoxedStrategy<Option<StoppedReply>> {
    some(
        (any::<u32>(), any::<u32>(), text(), text())
            .prop_map(|(round, attempt, text, original)| StoppedReply { round, attempt, text, original }),
    )
    .boxed()
}

fn of_people() -> BoxedStrategy<Input> {
    prop_oneof![
        creation().prop_map(|creation| Input::SessionCreated(Box::new(creation))),
        text().prop_map(|author| Input::SessionActivationRequested { author }),
        sent().prop_map(Input::UserMessageSent),
        (text(), few(decision()))
            .prop_map(|(author, decisions)| Input::ValidationReceived { author, decisions }),
        (text(), text()).prop_map(|(author, answer)| Input::CommunicationResponseReceived { author, answer }),
        (call_id(), text(), any::<bool>(), some(text()), text()).prop_map(
            |(call, command, happened, note, author)| Input::CallSettled {
                call,
                command,
                happened,
                note,
                author
            }
        ),
        text().prop_map(|author| Input::CompletionConfirmed { author }),
        (text(), some(text())).prop_map(|(author, reason)| Input::CompletionRejected { author, reason }),
        (text(), any::<bool>(), stopped_reply()).prop_map(|(author, end, reply)| Input::StopRequested {
            author,
            end,
            reply
        }),
        (text(), stopped_reply()).prop_map(|(author, reply)| Input::RoundInterrupted { author, reply }),
        text().prop_map(|author| Input::CompactionRequested { author }),
    ]
    .boxed()
}

fn of_models() -> BoxedStrategy<Input> {
    let at = || (any::<u32>(), any::<u32>());
    prop_oneof![
        3 => response().prop_map(|response| Input::AiResponseReceived(Box::new(response))),
        1 => (at(), failure()).prop_map(|((round, attempt), failure)| {
            Input::NetworkErrorOccurred { round, attempt, failure }
        }),
        1 => (at(), failure(), some(usage())).prop_map(|((round, attempt), failure, usage)| {
            Input::ProviderErrorOccurred { round, attempt, failure, usage }
        }),
        1 => (at(), any::<u64>(), any::<u64>(), method(), some(any::<u64>())).prop_map(
            |((round, attempt), size, budget, method, files_from)| {
                Input::BudgetReached { round, attempt, size, budget, method, files_from }
            },
        ),
        1 => (at(), spending_refusal()).prop_map(|((round, attempt), why)| {
            Input::SpendingRefused { round, attempt, why }
        }),
        1 => (text(), some(spending_amount())).prop_map(|(author, extra)| {
            let answer = extra.map_or(SpendingAnswer::Stop, SpendingAnswer::Continue);
            Input::SpendingAnswered { author, answer }
        }),
        1 => (text(), at(), usage()).prop_map(|(author, (round, attempt), usage)| {
            Input::UsageSettled { author, round, attempt, usage }
        }),
        1 => (at(), summary(), some(asked()), some(usage()), some((digest(), few(told())))).prop_map(
            |((round, attempt), summary, asked, usage, prefix)| {
                let (summary, asked) = (Box::new(summary), asked.map(Box::new));
                Input::ContextCompacted { round, attempt, summary, asked, usage, prefix }
            },
        ),
        1 => (at(), text(), fault(), some(asked()), some(usage())).prop_map(
            |((round, attempt), message, fault, asked, usage)| {
                let asked = asked.map(Box::new);
                Input::CompactionFailed { round, attempt, message, fault, asked, usage }
            },
        ),
    ]
    .boxed()
}

pub(super) fn method() -> impl Strategy<Value = SummaryMethod> {
    select(SummaryMethod::ALL.to_vec())
}

fn item() -> impl Strategy<Value = SummaryItem> {
    (any::<u32>(), select(SummaryItemKind::ALL.to_vec()), text(), some(text()))
        .prop_map(|(key, kind, text, to)| SummaryItem { key, kind, text, to })
}

fn summary() -> BoxedStrategy<ContextSummary> {
    let files_from = some(any::<u64>());
    (text(), few(item()), some(any::<u64>()), few(call_id()), files_from, any::<u64>(), method())
        .prop_map(|(text, items, kept_from, folded, files_from, covers_to, method)| ContextSummary {
            text,
            items,
            kept_from,
            folded,
            files_from,
            covers_to,
            method,
        })
        .boxed()
}

pub(super) fn piece() -> BoxedStrategy<SummaryPiece> {
    (few(item()), any::<u64>()).prop_map(|(items, read)| SummaryPiece { items, read }).boxed()
}

fn asked() -> BoxedStrategy<SummaryRequest> {
    (text(), some(any::<u64>()), some(any::<u64>()), some(any::<u64>()), some(digest()))
        .prop_map(|(ask, in_words, from, turns, body)| SummaryRequest { ask, in_words, from, turns, body })
        .boxed()
}

fn fault() -> BoxedStrategy<SummaryFault> {
    prop_oneof![
        few(text()).prop_map(SummaryFault::Faulty),
        piece().prop_map(|piece| SummaryFault::Unfinished(Box::new(piece))),
        Just(SummaryFault::NoAnswer),
        time().prop_map(SummaryFault::Died),
        Just(SummaryFault::Final),
    ]
    .boxed()
}

fn of_the_house() -> BoxedStrategy<Input> {
    prop_oneof![
        slot().prop_map(|slot| Input::StandingChanged { slot }),
        (call_id(), any::<u32>(), outcome()).prop_map(|(call, attempt, outcome)| Input::CallFinished {
            call,
            attempt,
            outcome
        }),
        (call_id(), policy_answer(), few(reason()), some(digest())).prop_map(
            |(call, answer, reasons, card)| Input::PolicyAnswered {
                call,
                answer: Box::new(answer),
                reasons,
                card
            }
        ),
        Just(Input::NetworkAvailable),
        text().prop_map(|message| Input::SystemErrorOccurred { message }),
        Just(Input::TimeReached),
        (task_id(), task_outcome(), any::<bool>(), text()).prop_map(|(task, outcome, late, content)| {
            Input::TaskFinished { task, outcome, late, content }
        }),
        rules_change().prop_map(|change| Input::RulesChanged(Box::new(change))),
        (
            session_id(),
            any::<u64>(),
            copying(),
            text(),
            some(super::sessions::run_policy()),
            any::<bool>(),
            some(call_id())
        )
            .prop_map(|(from, at, how, author, policy, counts_authors, call)| Input::SessionCopied {
                from,
                at,
                how,
                author,
                policy,
                counts_authors,
                call
            }),
        (text(), any::<u64>()).prop_map(|(reader, sequence)| Input::MessagesRead { reader, sequence }),
        (text(), message_id()).prop_map(|(author, message)| Input::MessageWithdrawn { author, message }),
        text().prop_map(|author| Input::EndSeen { author }),
        (text(), call_id(), text()).prop_map(|(author, call, comment)| Input::DecisionCommented {
            author,
            call,
            comment
        }),
        Just(Input::SchedulerHeartbeat),
        (text(), text(), time(), any::<bool>()).prop_map(|(author, attachment, until, asks_slot)| {
            Input::SessionOpened(SessionOpening { author, attachment, until, asks_slot })
        }),
        (text(), text()).prop_map(|(author, attachment)| Input::SessionLeft { author, attachment }),
    ]
    .boxed()
}

pub(in crate::codec) fn input() -> BoxedStrategy<Input> {
    prop_oneof![4 => of_people(), 4 => of_models(), 4 => of_the_house(), 1 => of_families()].boxed()
}

fn spending_excess() -> BoxedStrategy<SpendingExcess> {
    let cost = (dollars(), dollars(), dollars())
        .prop_map(|(cap, used, needed)| SpendingExcessNumbers::Cost { cap, used, needed });
    let tokens = (any::<u64>(), any::<u64>(), any::<u64>())
        .prop_map(|(cap, used, needed)| SpendingExcessNumbers::Tokens { cap, used, needed });
    (select(SpendingScope::ALL.to_vec()), prop_oneof![cost, tokens])
        .prop_map(|(scope, numbers)| SpendingExcess { scope, numbers })
        .boxed()
}

fn spending_refusal() -> BoxedStrategy<SpendingRefusal> {
    let unknown_price =
        (any::<bool>(), text()).prop_map(|(asks, message)| SpendingRefusal::UnknownPrice { asks, message });
    let soft_line = spending_question().prop_map(SpendingRefusal::SoftLine);
    prop_oneof![spending_excess().prop_map(SpendingRefusal::Cap), soft_line, unknown_price].boxed()
}

pub(super) fn spending_amount() -> BoxedStrategy<SpendingAmount> {
    (any::<u64>(), dollars()).prop_map(|(tokens, cost)| SpendingAmount { tokens, cost }).boxed()
}

pub(super) fn spending_question() -> BoxedStrategy<SpendingQuestion> {
    let share = (text(), spending_amount()).prop_map(|(command, amount)| SpendingShare { command, amount });
    (spending_excess(), spending_amount(), time(), few(share))
        .prop_map(|(excess, extra, since, spent_for)| SpendingQuestion { excess, extra, since, spent_for })
        .boxed()
}

fn limit() -> BoxedStrategy<SessionLimit> {
    prop_oneof![
        Just(SessionLimit::Rounds),
        Just(SessionLimit::QueryRounds),
        Just(SessionLimit::FailedActionRounds),
        Just(SessionLimit::FormatErrors),
        speech().prop_map(|failure| SessionLimit::EqualFailures { failure }),
        Just(SessionLimit::Relaunches),
        Just(SessionLimit::WithoutProgress),
        (any::<u64>(), any::<u64>()).prop_map(|(size, budget)| SessionLimit::Context { size, budget }),
        spending_excess().prop_map(SessionLimit::Spending),
    ]
    .boxed()
}

fn note() -> BoxedStrategy<JournalNote> {
    let passed = select(vec![
        TransientPhase::ParsingAiResponse,
        TransientPhase::RetryingAfterFormatError,
        TransientPhase::RetryingAfterActionFailure,
    ]);
    let words = select(vec![
        JournalNote::EnrichmentsExecuted,
        JournalNote::AiResponseParsed,
        JournalNote::DataQueriesExecuted,
        JournalNote::ActionsExecuted,
        JournalNote::ActionFailureOccurred,
        JournalNote::WaitExpired,
        JournalNote::SessionSuspended,
        JournalNote::SessionResumed,
        JournalNote::SessionParked,
        JournalNote::ReplacedInQueue,
        JournalNote::Quarantined,
        JournalNote::ClosureDelayElapsed,
    ]);
    let with_calls = prop_oneof![
        (call_id(), time()).prop_map(|(call, at)| JournalNote::RetryScheduled { call, at }),
        (call_id(), some(policy_author())).prop_map(|(call, by)| JournalNote::ApprovedByPolicy { call, by }),
        call_id().prop_map(|call| JournalNote::ApprovalAskedAgain { call }),
    ];
    prop_oneof![
        6 => words,
        3 => with_calls,
        1 => few(message_id()).prop_map(JournalNote::MessagesJoined),
        1 => (any::<u32>(), round_reason(), any::<bool>())
            .prop_map(|(round, reason, closing)| JournalNote::RoundStarted {
                round,
                reason,
                closing,
                words_only: !closing && round.is_multiple_of(3),
            }),
        1 => (any::<u32>(), any::<u32>())
            .prop_map(|(round, attempt)| JournalNote::AttemptStarted { round, attempt }),
        1 => few(text()).prop_map(|faults| JournalNote::ParseErrorOccurred { faults }),
        1 => time().prop_map(|at| JournalNote::NetworkRetryScheduled { at }),
        1 => passed.prop_map(JournalNote::PassedThrough),
        1 => limit().prop_map(JournalNote::LimitReached),
        1 => any::<u32>().prop_map(JournalNote::GenerationBegun),
        1 => plan().prop_map(JournalNote::PlanApproved),
        1 => (digest(), plan_step()).prop_map(|(digest, step)| JournalNote::PlanStepped { digest, step }),
        1 => (text(), text(), select(FailureClass::ALL.to_vec()))
            .prop_map(|(from, to, class)| JournalNote::FellBack { from, to, class }),
        1 => end_reason().prop_map(|reason| JournalNote::SessionCompleted { reason }),
    ]
    .boxed()
}

/// Gives half of the messages the id and time that their position implies, and the content of the input's answer.
fn at_home(appended: &mut [LogAppend], session: &SessionId, sequence: u64, at: Timestamp, input: &Input) {
    use entracte_domain::call::CallOutcome;
    use entracte_domain::message::MessageBody;
    let mut ordinal = 0;
    for appended in appended {
        let LogAppend::Message(message) = appended else { continue };
        ordinal += 1;
        if ordinal % 2 == 0 {
            continue;
        }
        message.id = session.message_id(sequence, ordinal);
        message.at = at;
        if let (MessageBody::System(told), Input::CallFinished { outcome, .. }) = (&mut message.body, input)
            && let CallOutcome::Succeeded { content, .. } = outcome
        {
            told.results.iter_mut().for_each(|result| result.content = content.as_str().into());
        }
    }
}

pub(in crate::codec) fn entry() -> BoxedStrategy<JournalEntry> {
    let appended = few(prop_oneof![
        message().prop_map(|message| LogAppend::Message(Box::new(message))),
        note().prop_map(LogAppend::Note),
    ]);
    let columns = (any::<u64>(), matching("ses_[a-z]{0,4}"), any::<u64>(), time());
    (columns, digest(), input(), appended)
        .prop_map(|((seq, session, sequence, at), rules, input, mut appended)| {
            let session = SessionId::new(session);
            at_home(&mut appended, &session, sequence, at, &input);
            JournalEntry { seq, session, sequence, at, rules, input, appended }
        })
        .boxed()
}
