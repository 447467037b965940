//! Turns requests into inputs: resolves what a pure transition cannot look up itself.

mod automation;
mod decision;
mod deletion;
mod instructions;
mod manual_rule;
mod message;
mod receipt;
mod rule;
mod session;
mod session_copy;
mod session_id_renamer;
mod settings;

use std::ops::ControlFlow;

use entracte_domain::id::{CallId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::question::AnswerFault;
use entracte_domain::session::{IgnoreReason, Input, Phase, PhaseLabel, SessionKind, SessionOpening};
use entracte_domain::validation::FourEyesObjection;

use self::decision::ApprovalDecisionBatch;
use self::instructions::InstructionsWriteRequest;
use self::session::{FirstMessage, SessionChangeRequest};
use self::session_copy::SessionForkRequest;
use super::{RequestNotApplied, TurnStop, WorkspaceTurn};
use crate::codec::decode_call;
use crate::mail::{
    AddRuleRequest, AnswerQuestionRequest, ChangeSessionRequest, ChangeSettingsRequest,
    CompactContextRequest, ConfirmCompletionRequest, CreateAutomationRequest, DecideCallsRequest,
    DeleteAutomationRequest, DeleteSessionRequest, EditAutomationRequest, ForkSessionRequest,
    ImportSessionRequest, InterruptRoundRequest, LeaveSessionRequest, Mail, MailAnswer, MailRefusal,
    MailRequest, ManualCallRequest, MarkEndSeenRequest, MarkReadRequest, OpenSessionRequest,
    RejectCompletionRequest, ResumeSessionRequest, RevokeRuleRequest, RunAutomationRequest,
    SendMessageRequest, SessionRequest, SetInstructionsRequest, SettleCallRequest, StartWithMessageRequest,
    StopSessionRequest, WithdrawMessageRequest, WorkspaceRequest,
};
use crate::permissions::ChangeRequester;
use crate::ports::CallRow;
use crate::protocol::relay;
use crate::runtime::turn_draft::TurnDraft;
use crate::runtime::turn_draft::texts;
use crate::texts::{LocalizedMessage, saying};

impl WorkspaceTurn<'_> {
    /// Applies one request to the draft and answers it. A refused one adds nothing to the draft except what the
    /// session had to receive anyway: changed rules or flags.
    pub(super) fn take_request(
        &self,
        draft: &mut TurnDraft,
        mail: &Mail,
    ) -> Result<MailAnswer, RequestNotApplied> {
        match &mail.request {
            MailRequest::Workspace(request) => self.take_workspace_request(draft, request, mail.may_approve),
            MailRequest::Task(task, request) => self.take_task_request(draft, task, request),
            MailRequest::Session(session, request) => {
                self.take_session_request(draft, session, request, mail.may_approve)
            }
        }
    }

    fn take_workspace_request(
        &self,
        draft: &mut TurnDraft,
        request: &WorkspaceRequest,
        may_approve: bool,
    ) -> Result<MailAnswer, RequestNotApplied> {
        match request {
            WorkspaceRequest::StartSession(new) => {
                self.check_new_session(new, may_approve)?;
                self.start_session(draft, new)
            }
            WorkspaceRequest::StartWithMessage(StartWithMessageRequest {
                new,
                author,
                message,
                client_key,
            }) => {
                self.check_new_session(new, may_approve)?;
                let first = FirstMessage { author, message, client_key: client_key.as_deref() };
                self.start_with_message(draft, new, &first)
            }
            WorkspaceRequest::ImportSession(ImportSessionRequest { author, id, document }) => {
                self.import(draft, author, id, document)
            }
            WorkspaceRequest::ChangeSettings(ChangeSettingsRequest { author, changes }) => {
                self.change_settings(draft, author, may_approve, changes)
            }
            WorkspaceRequest::SetInstructions(SetInstructionsRequest {
                author,
                scope,
                text,
                source,
                expected,
            }) => {
                let (text, expected) = (text.as_deref(), *expected);
                let written = InstructionsWriteRequest { author, scope, text, source, expected };
                self.set_instructions(draft, &written)
            }
            WorkspaceRequest::AddRule(_) | WorkspaceRequest::RevokeRule(_) if !may_approve => {
                Err(MailRefusal::NeedsApprove.into())
            }
            WorkspaceRequest::AddRule(AddRuleRequest { author, new }) => self.add_rule(draft, author, new),
            WorkspaceRequest::RevokeRule(RevokeRuleRequest { author, rule }) => {
                self.revoke_rule(draft, author, rule)
            }
            WorkspaceRequest::CreateAutomation(CreateAutomationRequest { author, new }) => {
                self.create_automation(draft, ChangeRequester { person: author, may_approve }, new)
            }
            WorkspaceRequest::EditAutomation(EditAutomationRequest { author, automation, change }) => {
                let asker = ChangeRequester { person: author, may_approve };
                self.edit_automation(draft, asker, automation, change)
            }
            WorkspaceRequest::DeleteAutomation(DeleteAutomationRequest { automation, .. }) => {
                self.delete_automation(draft, automation)
            }
            WorkspaceRequest::RunAutomation(RunAutomationRequest { author, automation, session, event }) => {
                self.run_automation(draft, author, automation, session, event.as_deref())
            }
        }
    }

    fn take_session_request(
        &self,
        draft: &mut TurnDraft,
        session: &SessionId,
        request: &SessionRequest,
        may_approve: bool,
    ) -> Result<MailAnswer, RequestNotApplied> {
        if !self.draft_session(draft, session)? {
            return Err(MailRefusal::no_session(session).into());
        }
        match request {
            SessionRequest::SendMessage(_) if is_seed(draft, session) => {
                let what = saying!("request-seed-message", session = session.as_str());
                return Err(MailRefusal::Conflict(what).into());
            }
            // Its relay model repeats every message as a call; otherwise a chat-only token could act with the owner's
            // rights.
            SessionRequest::SendMessage(_) | SessionRequest::AnswerQuestion(_)
                if is_manual_call_session(draft, session) =>
            {
                return Err(MailRefusal::manual_calls_only(session).into());
            }
            SessionRequest::RequestCall(_) if !is_manual_call_session(draft, session) => {
                let what = saying!("request-not-of-calls", session = session.as_str());
                return Err(MailRefusal::Conflict(what).into());
            }
            // They change nothing that the model needs to know.
            SessionRequest::Fork(_)
            | SessionRequest::Delete(_)
            | SessionRequest::MarkRead(_)
            | SessionRequest::MarkEndSeen(_)
            | SessionRequest::WithdrawMessage(_)
            | SessionRequest::Open(_)
            | SessionRequest::Leave(_) => {}
            _ => self.refresh(draft, session)?,
        }
        if let Some(message) = self.find_repeated_message(draft, session, request)? {
            return Ok(MailAnswer::accept_message(Some(message), session));
        }
        if matches!(request, SessionRequest::RequestCall(_)) && is_busy(draft, session) {
            let what = saying!("request-call-under-way", session = session.as_str());
            return Err(MailRefusal::Conflict(what).into());
        }
        let input = match self.input_of(draft, session, request, may_approve)? {
            ControlFlow::Continue(input) => input,
            ControlFlow::Break(answer) => return Ok(answer),
        };
        if matches!(&input, Input::RulesChanged(change) if change.is_empty()) {
            return Ok(MailAnswer::accept_message(None, session));
        }
        let is_message =
            matches!(input, Input::UserMessageSent(_) | Input::CommunicationResponseReceived { .. });
        let settled = match &input {
            Input::CallSettled { call, happened, .. } => Some((call.clone(), *happened)),
            _ => None,
        };
        if let Input::StopRequested { author, .. } | Input::RoundInterrupted { author } = &input {
            self.stop_agents_below(draft, session, author)?;
        }
        if let Some(ignored) = draft.apply_input(session, input, self.memory.rules)? {
            let halts = matches!(request, SessionRequest::Stop(_) | SessionRequest::InterruptRound(_));
            let key = match request {
                SessionRequest::Open(_) => "request-no-chat",
                SessionRequest::MarkEndSeen(_) => "request-nothing-to-see",
                SessionRequest::CompactContext(_) => "request-no-compaction",
                SessionRequest::WithdrawMessage(_) => "request-not-waiting",
                _ if halts => "request-already-idle",
                _ => "request-not-applicable",
            };
            return Ok(ignored_request_answer(ignored, key, session)?);
        }
        if let Some((call, happened)) = settled {
            self.mark_settled(draft, &call, happened)?;
            self.follow_settled(draft, &call, happened)?;
        }
        let sequence = draft.sessions.get(session).map_or(0, |drafted| drafted.facts.sequence);
        let message = is_message.then(|| session.message_id(sequence, 0));
        Ok(MailAnswer::accept_message(message, session))
    }

    /// The input that applies the request, or the answer to a request that is applied without one.
    fn input_of(
        &self,
        draft: &mut TurnDraft,
        session: &SessionId,
        request: &SessionRequest,
        may_approve: bool,
    ) -> Result<ControlFlow<MailAnswer, Input>, RequestNotApplied> {
        Ok(ControlFlow::Continue(match request {
            SessionRequest::Fork(ForkSessionRequest { author, id, name, at }) => {
                let branch = SessionForkRequest { author, id, name, at: *at };
                return self.fork(draft, session, &branch).map(ControlFlow::Break);
            }
            SessionRequest::Delete(DeleteSessionRequest { author }) => {
                self.check_seed_is_free(draft, session)?;
                return self.delete_session(draft, session, author).map(ControlFlow::Break);
            }
            SessionRequest::DecideCalls(DecideCallsRequest { author, decisions, link }) => {
                let deciding = ApprovalDecisionBatch { session, author, decisions, link: link.as_ref() };
                return self.decide(draft, &deciding).map(ControlFlow::Break);
            }
            SessionRequest::Change(ChangeSessionRequest {
                author,
                require_validation,
                mode,
                restriction,
                voice,
                name,
            }) => {
                let wanted = SessionChangeRequest {
                    require_validation: *require_validation,
                    mode: *mode,
                    restriction: restriction.as_ref(),
                    voice: voice.as_ref(),
                    name: name.as_deref().map(|name| (author.as_str(), name)),
                    may_approve,
                };
                self.session_change(draft, session, wanted)?
            }
            SessionRequest::MarkRead(MarkReadRequest { reader, sequence }) => {
                Input::MessagesRead { reader: reader.clone(), sequence: *sequence }
            }
            SessionRequest::WithdrawMessage(WithdrawMessageRequest { author, message }) => {
                Input::MessageWithdrawn { author: author.clone(), message: message.clone() }
            }
            SessionRequest::MarkEndSeen(MarkEndSeenRequest { author }) => {
                Input::EndSeen { author: author.clone() }
            }
            SessionRequest::Open(OpenSessionRequest { author, attachment, asks_slot }) => {
                let until = draft.now.plus(self.memory.runtime.attachment_lease);
                let (author, attachment) = (author.clone(), attachment.clone());
                Input::SessionOpened(SessionOpening { author, attachment, until, asks_slot: *asks_slot })
            }
            SessionRequest::Leave(LeaveSessionRequest { author, attachment }) => {
                Input::SessionLeft { author: author.clone(), attachment: attachment.clone() }
            }
            SessionRequest::SendMessage(SendMessageRequest { author, message, client_key }) => {
                self.message_input(draft, session, author, message, client_key.as_deref())?
            }
            SessionRequest::RequestCall(ManualCallRequest { author, command, client_key }) => {
                let message = UserMessage::text(relay::relay_message(command));
                self.message_input(draft, session, author, &message, client_key.as_deref())?
            }
            SessionRequest::AnswerQuestion(AnswerQuestionRequest { author, text }) => {
                answer_input(draft, session, author, text)?
            }
            SessionRequest::CompactContext(CompactContextRequest { author }) => {
                Input::CompactionRequested { author: author.clone() }
            }
            SessionRequest::InterruptRound(InterruptRoundRequest { author }) => {
                Input::RoundInterrupted { author: author.clone() }
            }
            SessionRequest::Stop(StopSessionRequest { author, end }) => {
                Input::StopRequested { author: author.clone(), end: *end }
            }
            SessionRequest::Resume(ResumeSessionRequest { author }) => {
                Input::SessionActivationRequested { author: author.clone() }
            }
            SessionRequest::SettleCall(SettleCallRequest { author, call, happened, note }) => {
                let Some(row) = self.call_row(call)?.filter(|row| row.session == *session) else {
                    return Err(MailRefusal::no_call(call).into());
                };
                if let Some(objection) = self.settling_objection(row, author)? {
                    return Err(MailRefusal::FourEyes(objection).into());
                }
                Input::CallSettled {
                    call: call.clone(),
                    command: row.command.clone(),
                    happened: *happened,
                    note: note.clone(),
                    author: author.clone(),
                }
            }
            SessionRequest::ConfirmCompletion(ConfirmCompletionRequest { author }) => {
                Input::CompletionConfirmed { author: author.clone() }
            }
            SessionRequest::RejectCompletion(RejectCompletionRequest { author, reason }) => {
                Input::CompletionRejected { author: author.clone(), reason: reason.clone() }
            }
        }))
    }

    /// Why this person may not settle a call of unknown outcome. A person who may not approve it may not settle it
    /// either: "it did not happen" requests it again, and "it did" hides it.
    fn settling_objection(&self, row: &CallRow, author: &str) -> Result<Option<FourEyesObjection>, TurnStop> {
        Ok(decode_call(row)?.four_eyes_objection(author, false))
    }

    /// Stores a person's finding in the ledger row, which keeps the result that the call got.
    pub(in crate::runtime::turn) fn mark_settled(
        &self,
        draft: &mut TurnDraft,
        call: &CallId,
        happened: bool,
    ) -> Result<(), TurnStop> {
        if let Some(row) = self.call_row(call)? {
            let mut row = row.clone();
            row.state = settled_word(happened).to_owned();
            draft.calls.insert(call.clone(), row);
        }
        Ok(())
    }
}

fn answer_input(
    draft: &TurnDraft,
    session: &SessionId,
    author: &str,
    text: &str,
) -> Result<Input, MailRefusal> {
    let phase = draft.sessions.get(session).map(|drafted| &drafted.phase);
    let Some(Phase::WaitingCommunicationResponse { question, .. }) = phase else {
        return Err(MailRefusal::NotApplicable(saying!("request-no-question")));
    };
    let answer = question.read_answer(text).map_err(|fault| MailRefusal::Invalid(answer_fault(fault)))?;
    let answer = texts(draft).render_speech(&answer);
    Ok(Input::CommunicationResponseReceived { author: author.to_owned(), answer })
}

/// Whether the session is the template of runs, which has no conversation.
fn is_seed(draft: &TurnDraft, session: &SessionId) -> bool {
    draft.sessions.get(session).is_some_and(|drafted| drafted.facts.kind == SessionKind::Seed)
}

/// Whether the session runs people's manual calls, and so has no conversation either.
fn is_manual_call_session(draft: &TurnDraft, session: &SessionId) -> bool {
    draft.sessions.get(session).is_some_and(|drafted| relay::is_model_of(&drafted.facts))
}

/// Whether a call is under way in a session of manual calls, or waits there for its turn or an approval. Its
/// relay model repeats the last message, so of two concurrent requests one would be lost.
fn is_busy(draft: &TurnDraft, session: &SessionId) -> bool {
    draft.sessions.get(session).is_some_and(|drafted| drafted.phase.label() != PhaseLabel::Idle)
}

/// The ledger state of a call that a person settled.
fn settled_word(happened: bool) -> &'static str {
    if happened { "settled_happened" } else { "settled_absent" }
}

fn answer_fault(fault: AnswerFault) -> LocalizedMessage {
    match fault {
        AnswerFault::NotAnOption { given, options } => {
            let list: Vec<String> =
                options.iter().enumerate().map(|(index, option)| format!("{} {option}", index + 1)).collect();
            saying!("request-no-option", given = given, options = list.join(", "))
        }
        AnswerFault::NotYesOrNo { given } => saying!("request-not-yes-or-no", given = given),
        AnswerFault::Empty => saying!("request-empty-answer"),
    }
}

/// The reply sent when the state machine ignores a request; `not_applicable` is the text key for a request that
/// does not fit the state of the session.
fn ignored_request_answer(
    ignored: IgnoreReason,
    not_applicable: &'static str,
    session: &SessionId,
) -> Result<MailAnswer, MailRefusal> {
    Err(match ignored {
        IgnoreReason::Duplicate => return Ok(MailAnswer::accept_message(None, session)),
        IgnoreReason::Conflict => {
            MailRefusal::Conflict(saying!("request-conflict", session = session.as_str()))
        }
        IgnoreReason::FourEyes(objection) => MailRefusal::FourEyes(objection),
        IgnoreReason::Ended => MailRefusal::Ended(session.clone()),
        IgnoreReason::QueueFull => MailRefusal::QueueFull,
        IgnoreReason::NeverRun => MailRefusal::NotApplicable(saying!("request-never-run")),
        IgnoreReason::Stale | IgnoreReason::NotApplicable | IgnoreReason::NotDue => {
            let session = session.as_str().into();
            MailRefusal::NotApplicable(LocalizedMessage::new(not_applicable, vec![("session", session)]))
        }
    })
}
