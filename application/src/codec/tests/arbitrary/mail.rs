use entracte_domain::automation::{AutomationPolicies, CatchUpPolicy, OverlapPolicy, Trigger};
use entracte_domain::id::{AutomationId, SessionId, TaskId};
use entracte_domain::session::ModelSelection;
use entracte_domain::workspace::ActivationResult;
use proptest::prelude::*;
use proptest::sample::select;

use super::calls::command;
use super::inputs::spending_amount;
use super::messages::user_message;
use super::scalars::*;
use super::sessions::{dialect, mode, run_policy, session_kind};
use super::tasks::{task_request, verdict};
use crate::instructions::{InstructionScope, InstructionSource};
use crate::mail::{
    AnswerQuestionRequest, AnswerSpendingRequest, ApplyRetentionRequest, AssignItemsRequest,
    AutomationChangeRequest, CancelQuestionRequest, ChangeSessionRequest, CompactContextRequest,
    ConfirmCompletionRequest, CreateAutomationRequest, DecideCallsRequest, DeleteAutomationRequest,
    EditAutomationRequest, HoldRetentionRequest, InterruptRoundRequest, ItemSnooze, LeaveSessionRequest,
    Mail, MailAnswer, MailDecision, MailRequest, MailVerdict, ManualCallRequest, MarkEndSeenRequest,
    NewAutomationRequest, NewSeedRequest, NewSessionRequest, OpenSessionRequest, Receipt, RefusalCode,
    RejectCompletionRequest, ReleaseRetentionRequest, ResumeSessionRequest, RunAutomationRequest,
    SendMessageRequest, SessionRequest, SetInstructionsRequest, SettleCallRequest, SettleUsageRequest,
    SnoozeItemsRequest, StartWithMessageRequest, StopSessionRequest, TriageItem, WakeItemsRequest,
    WithdrawMessageRequest, WorkspaceRequest,
};
use crate::retention::{EntrySpan, RetentionStep};
use crate::texts::{Language, RefusalTopic};

fn session() -> impl Strategy<Value = SessionId> {
    text().prop_map(SessionId::new)
}

fn new_session() -> impl Strategy<Value = NewSessionRequest> {
    let guarded = (any::<bool>(), some(mode()), restriction());
    (session(), session_kind(), text(), text(), text(), dialect(), guarded).prop_map(
        |(id, kind, name, provider, model, dialect, (require_validation, mode, restriction))| {
            NewSessionRequest {
                id,
                kind,
                name,
                provider,
                model,
                dialect,
                require_validation,
                mode,
                restriction,
            }
        },
    )
}

fn automation_id() -> impl Strategy<Value = AutomationId> {
    text().prop_map(AutomationId::new)
}

fn activation() -> impl Strategy<Value = ActivationResult> {
    prop_oneof![
        Just(ActivationResult::Activated),
        Just(ActivationResult::AlreadyActive),
        any::<u32>().prop_map(|position| ActivationResult::Queued { position }),
    ]
}

pub(in crate::codec) fn trigger() -> impl Strategy<Value = Trigger> {
    prop_oneof![
        (text(), text()).prop_map(|(expression, zone)| Trigger::Cron { expression, zone }),
        (span(), time()).prop_map(|(interval, anchor)| Trigger::Every { interval, anchor }),
        time().prop_map(|at| Trigger::Once { at }),
        Just(Trigger::Manual),
        Just(Trigger::Event),
    ]
}

pub(in crate::codec) fn policies() -> impl Strategy<Value = AutomationPolicies> {
    let overlap = select(OverlapPolicy::ALL.to_vec());
    (some(span()), any::<bool>(), overlap, run_policy()).prop_map(|(window, latest_only, overlap, run)| {
        AutomationPolicies { catch_up: CatchUpPolicy { window, latest_only }, overlap, run }
    })
}

fn automation() -> impl Strategy<Value = NewAutomationRequest> {
    let voice = (text(), text(), dialect()).prop_map(|(provider, model, dialect)| ModelSelection {
        provider,
        model,
        dialect,
    });
    let seed = (session(), user_message(), voice, (any::<bool>(), restriction())).prop_map(
        |(id, message, voice, (require_validation, restriction))| NewSeedRequest {
            id,
            message,
            voice,
            require_validation,
            restriction,
        },
    );
    (automation_id(), text(), trigger(), policies(), any::<bool>(), seed).prop_map(
        |(id, name, trigger, policies, enabled, seed)| NewAutomationRequest {
            id,
            name,
            trigger,
            policies,
            enabled,
            seed,
        },
    )
}

fn decision() -> impl Strategy<Value = MailDecision> {
    let verdict = prop_oneof![
        Just(MailVerdict::Approve),
        value().prop_map(|arguments| MailVerdict::Edit { arguments }),
        some(text()).prop_map(|reason| MailVerdict::Reject { reason }),
        text().prop_map(|text| MailVerdict::Answer { text }),
    ];
    (call_id(), some(digest()), verdict).prop_map(|(call, card, verdict)| MailDecision {
        call,
        card,
        verdict,
    })
}

fn scope() -> impl Strategy<Value = InstructionScope> {
    prop_oneof![
        Just(InstructionScope::Workspace),
        automation_id().prop_map(InstructionScope::Automation),
        session().prop_map(InstructionScope::Session),
    ]
}

fn item_snooze() -> impl Strategy<Value = ItemSnooze> {
    (session(), text(), text(), time()).prop_map(|(session, item, version, until)| ItemSnooze {
        session,
        item,
        version,
        until,
    })
}

fn triage_item() -> impl Strategy<Value = TriageItem> {
    (session(), text()).prop_map(|(session, item)| TriageItem { session, item })
}

fn retention_step() -> impl Strategy<Value = RetentionStep> {
    let span = (any::<u64>(), any::<u64>()).prop_map(|(first, last)| EntrySpan { first, last });
    prop_oneof![
        (session(), time()).prop_map(|(session, before)| RetentionStep::DeleteSession { session, before }),
        (session(), time(), any::<u64>()).prop_map(|(session, before, through)| {
            RetentionStep::TrimSession { session, before, through }
        }),
        (session(), time(), any::<u32>()).prop_map(|(session, before, attempts)| {
            RetentionStep::DetachCosts { session, before, attempts }
        }),
        (session(), time(), span).prop_map(|(session, before, entries)| {
            RetentionStep::RemoveResults { session, before, entries }
        }),
        (session(), any::<u64>())
            .prop_map(|(session, through)| RetentionStep::KeepResults { session, through }),
        (session(), time(), few(call_id()), some(any::<u64>())).prop_map(
            |(session, before, calls, last_at)| RetentionStep::RemoveCalls {
                session,
                before,
                calls,
                last_at
            }
        ),
    ]
}

fn source() -> impl Strategy<Value = InstructionSource> {
    prop_oneof![
        Just(InstructionSource::Written),
        text().prop_map(InstructionSource::File),
        session().prop_map(InstructionSource::Copy),
    ]
}

fn workspace_request() -> impl Strategy<Value = WorkspaceRequest> {
    prop_oneof![
        new_session().prop_map(WorkspaceRequest::from),
        (new_session(), text(), user_message(), some(text())).prop_map(
            |(new, author, message, client_key)| WorkspaceRequest::from(StartWithMessageRequest {
                new,
                author,
                message,
                client_key
            })
        ),
        (text(), automation())
            .prop_map(|(author, new)| WorkspaceRequest::from(CreateAutomationRequest { author, new })),
        (text(), automation_id(), automation()).prop_map(|(author, automation, new)| {
            let change = AutomationChangeRequest {
                grants: new.enabled,
                name: Some(new.name),
                trigger: Some(new.trigger),
                policies: Some(new.policies),
                enabled: Some(new.enabled),
                seed: Some(new.seed),
            };
            WorkspaceRequest::from(EditAutomationRequest { author, automation, change })
        }),
        (text(), automation_id()).prop_map(|(author, automation)| {
            WorkspaceRequest::from(DeleteAutomationRequest { author, automation })
        }),
        (text(), scope(), some(text()), source(), some(any::<u64>())).prop_map(
            |(author, scope, text, source, expected)| {
                WorkspaceRequest::from(SetInstructionsRequest { author, scope, text, source, expected })
            }
        ),
        (text(), automation_id(), session(), some(text())).prop_map(
            |(author, automation, session, event)| {
                WorkspaceRequest::from(RunAutomationRequest { author, automation, session, event })
            }
        ),
        (text(), scope(), text()).prop_map(|(author, scope, reason)| {
            WorkspaceRequest::from(HoldRetentionRequest { author, scope, reason })
        }),
        (text(), scope()).prop_map(|(author, scope)| {
            WorkspaceRequest::from(ReleaseRetentionRequest { author, scope })
        }),
        (few(retention_step()), text())
            .prop_map(|(steps, limits)| { WorkspaceRequest::from(ApplyRetentionRequest { steps, limits }) }),
        (text(), few(item_snooze()))
            .prop_map(|(author, items)| { WorkspaceRequest::from(SnoozeItemsRequest { author, items }) }),
        (text(), few(triage_item()))
            .prop_map(|(author, items)| WorkspaceRequest::from(WakeItemsRequest { author, items })),
        (text(), some(text()), few(triage_item())).prop_map(|(author, person, items)| {
            WorkspaceRequest::from(AssignItemsRequest { author, person, items })
        }),
    ]
}

fn session_request() -> impl Strategy<Value = SessionRequest> {
    prop_oneof![
        (text(), user_message(), some(text())).prop_map(|(author, message, client_key)| {
            SessionRequest::from(SendMessageRequest { author, message, client_key })
        }),
        (text(), command(), some(text())).prop_map(|(author, command, client_key)| {
            SessionRequest::from(ManualCallRequest { author, command, client_key })
        }),
        (text(), few(decision()), some(digest())).prop_map(|(author, decisions, link)| SessionRequest::from(
            DecideCallsRequest { author, decisions, link }
        )),
        (text(), text(), some(message_id())).prop_map(|(author, text, question)| SessionRequest::from(
            AnswerQuestionRequest { author, text, question }
        )),
        (text(), message_id())
            .prop_map(|(author, question)| SessionRequest::from(CancelQuestionRequest { author, question })),
        text().prop_map(|author| SessionRequest::from(InterruptRoundRequest { author })),
        text().prop_map(|author| SessionRequest::from(CompactContextRequest { author })),
        (text(), any::<bool>())
            .prop_map(|(author, end)| SessionRequest::from(StopSessionRequest { author, end })),
        text().prop_map(|author| SessionRequest::from(ResumeSessionRequest { author })),
        (text(), call_id(), any::<bool>(), some(text())).prop_map(|(author, call, happened, note)| {
            SessionRequest::from(SettleCallRequest { author, call, happened, note })
        }),
        (text(), any::<bool>(), some(spending_amount())).prop_map(|(author, goes_on, extra)| {
            SessionRequest::from(AnswerSpendingRequest { author, goes_on, extra })
        }),
        (text(), any::<u32>(), any::<u32>(), any::<u64>(), dollars()).prop_map(
            |(author, round, attempt, tokens, cost)| {
                SessionRequest::from(SettleUsageRequest { author, round, attempt, tokens, cost })
            }
        ),
        (text(), some(any::<bool>()), some(mode()), some(restriction()), some(text())).prop_map(
            |(author, require_validation, mode, restriction, name)| {
                SessionRequest::from(ChangeSessionRequest {
                    author,
                    require_validation,
                    mode,
                    restriction,
                    voice: None,
                    name,
                })
            }
        ),
        text().prop_map(|author| SessionRequest::from(ConfirmCompletionRequest { author })),
        (text(), message_id())
            .prop_map(|(author, message)| SessionRequest::from(WithdrawMessageRequest { author, message })),
        text().prop_map(|author| SessionRequest::from(MarkEndSeenRequest { author })),
        (text(), some(text()))
            .prop_map(|(author, reason)| SessionRequest::from(RejectCompletionRequest { author, reason })),
        (text(), text(), any::<bool>()).prop_map(|(author, attachment, asks_slot)| SessionRequest::from(
            OpenSessionRequest { author, attachment, asks_slot }
        )),
        (text(), text()).prop_map(|(author, attachment)| SessionRequest::from(LeaveSessionRequest {
            author,
            attachment
        })),
    ]
}

fn request() -> impl Strategy<Value = MailRequest> {
    prop_oneof![
        workspace_request().prop_map(MailRequest::Workspace),
        (session(), session_request()).prop_map(|(session, request)| MailRequest::Session(session, request)),
        (text(), task_request()).prop_map(|(task, request)| MailRequest::Task(TaskId::new(task), request)),
    ]
}

pub(in crate::codec) fn mail() -> impl Strategy<Value = Mail> {
    let receipt = (text(), text(), digest()).prop_map(|(person, key, fingerprint)| Receipt {
        person,
        key,
        fingerprint,
    });
    let reader = select(vec![None, Some(Language::En), Some(Language::Fr)]);
    (any::<bool>(), reader, request(), some(receipt)).prop_map(|(may_approve, reader, request, receipt)| {
        Mail { request, receipt, may_approve, reader: reader.into() }
    })
}

fn topic() -> impl Strategy<Value = RefusalTopic> {
    (text(), proptest::collection::vec((text(), text()), 0..3))
        .prop_map(|(key, values)| RefusalTopic { key, values })
}

pub(in crate::codec) fn mail_answer() -> impl Strategy<Value = MailAnswer> {
    prop_oneof![
        (some(message_id()), session())
            .prop_map(|(message, session)| MailAnswer::accept_message(message, &session)),
        (session(), activation()).prop_map(|(session, activation)| MailAnswer::Accepted {
            message: None,
            session,
            activation: Some(activation)
        }),
        (select(RefusalCode::ALL.to_vec()), text(), some(topic()))
            .prop_map(|(code, text, topic)| MailAnswer::Refused { code, text, topic }),
        Just(MailAnswer::Done),
        text().prop_map(|id| MailAnswer::Made { id }),
        verdict().prop_map(|verdict| MailAnswer::Heard { verdict }),
        few(any::<u32>()).prop_map(|steps| MailAnswer::Applied { steps }),
        text().prop_map(|id| MailAnswer::Replayed(Box::new(MailAnswer::Made { id }))),
    ]
}
