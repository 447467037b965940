//! Turns requests into inputs: what a transition cannot look up by itself is looked up here.

mod automation;
mod copy;
mod decision;
mod deletion;
mod instructions;
mod message;
mod receipt;
mod rename;
mod rule;
mod rule_by_hand;
mod session;
mod settings;

use entracte_domain::id::{CallId, SessionId};
use entracte_domain::question::AnswerFault;
use entracte_domain::session::{Ignored, Input, Opening, Phase, SessionKind};
use entracte_domain::validation::Objection;

use self::decision::Deciding;
use self::instructions::Telling;
use self::session::Wanted;
use super::{Stop, Turn};
use crate::codec::decode_call;
use crate::mail::{Mail, MailAnswer, MailRequest};
use crate::ports::CallRow;
use crate::runtime::draft::Draft;
pub(super) use crate::runtime::draft::texts;
use crate::texts::{Texts, say};

impl Turn<'_> {
    /// Takes one request into the draft and answers it. A refused one adds nothing to the draft but what the
    /// session had to know anyway: rules or flags that changed.
    pub(super) fn take_request(&self, draft: &mut Draft, mail: &Mail) -> Result<MailAnswer, Stop> {
        match &mail.request {
            MailRequest::StartSession(new) => return self.start_session(draft, new),
            MailRequest::Import { author, id, document } => {
                return self.import(draft, author, id, document);
            }
            MailRequest::ChangeSettings { author, changes } => {
                return self.change_settings(draft, author, changes);
            }
            MailRequest::SetInstructions { author, scope, text, source, expected } => {
                let (text, expected) = (text.as_deref(), *expected);
                return self.set_instructions(draft, &Telling { author, scope, text, source, expected });
            }
            MailRequest::AddRule { author, new } => return self.add_rule(draft, author, new),
            MailRequest::RevokeRule { author, rule } => return self.revoke_rule(draft, author, rule),
            MailRequest::CreateAutomation { author, new } => {
                return self.create_automation(draft, author, new);
            }
            MailRequest::EditAutomation { author, automation, change } => {
                return self.edit_automation(draft, author, automation, change);
            }
            MailRequest::DeleteAutomation { automation, .. } => {
                return self.delete_automation(draft, automation);
            }
            MailRequest::RunAutomation { author, automation, session, event } => {
                return self.run_automation(draft, author, automation, session, event.as_deref());
            }
            MailRequest::Task { task, mail } => return self.take_task_mail(draft, task, mail),
            _ => {}
        }
        let Some(session) = &mail.session else {
            return Ok(refused("invalid", &say!(texts(draft), "request-no-session-named")));
        };
        if !self.draft_session(draft, session)? {
            let text = say!(texts(draft), "request-no-session", session = session.as_str());
            return Ok(refused("not_found", &text));
        }
        match &mail.request {
            MailRequest::Fork { author, id, name, at } => {
                return self.fork(draft, session, &copy::Branch { author, id, name, at: *at });
            }
            MailRequest::Delete { author } => {
                return match self.seed_fault(draft, session)? {
                    Some(refusal) => Ok(refusal),
                    None => self.delete_session(draft, session, author),
                };
            }
            MailRequest::SendMessage { .. } if is_seed(draft, session) => {
                let text = say!(texts(draft), "request-seed-message", session = session.as_str());
                return Ok(refused("conflict", &text));
            }
            // Who only reads along changes nothing that the model would have to know.
            MailRequest::MarkRead { .. }
            | MailRequest::MarkSeen { .. }
            | MailRequest::Withdraw { .. }
            | MailRequest::Open { .. }
            | MailRequest::Leave { .. } => {}
            _ => self.refresh(draft, session)?,
        }
        if let MailRequest::Decide { author, decisions, link } = &mail.request {
            return self.decide(draft, &Deciding { session, author, decisions, link: link.as_ref() });
        }
        let input = match self.input_of(draft, session, &mail.request)? {
            Ok(input) => input,
            Err(answer) => return Ok(answer),
        };
        let is_message =
            matches!(input, Input::UserMessageSent(_) | Input::CommunicationResponseReceived { .. });
        let settled = match &input {
            Input::CallSettled { call, happened, .. } => Some((call.clone(), *happened)),
            _ => None,
        };
        if let Some(ignored) = draft.feed(session, input, self.memory.rules)? {
            let halts = matches!(mail.request, MailRequest::Stop { .. } | MailRequest::Interrupt { .. });
            let key = match &mail.request {
                MailRequest::Open { .. } => "request-no-chat",
                MailRequest::MarkSeen { .. } => "request-nothing-to-see",
                MailRequest::Withdraw { .. } => "request-not-waiting",
                _ if halts => "request-already-idle",
                _ => "request-not-applicable",
            };
            return Ok(answer_to_ignored(texts(draft), ignored, key, session));
        }
        if let Some((call, happened)) = settled {
            self.mark_settled(draft, &call, happened)?;
            self.follow_settled(draft, &call, happened)?;
        }
        let sequence = draft.sessions.get(session).map_or(0, |drafted| drafted.facts.sequence);
        let message = is_message.then(|| session.message(sequence, 0));
        Ok(MailAnswer::taken(message, session))
    }

    fn input_of(
        &self,
        draft: &mut Draft,
        session: &SessionId,
        request: &MailRequest,
    ) -> Result<Result<Input, MailAnswer>, Stop> {
        Ok(match request {
            MailRequest::StartSession(_)
            | MailRequest::Fork { .. }
            | MailRequest::Import { .. }
            | MailRequest::Delete { .. }
            | MailRequest::Decide { .. }
            | MailRequest::ChangeSettings { .. }
            | MailRequest::SetInstructions { .. }
            | MailRequest::AddRule { .. }
            | MailRequest::RevokeRule { .. }
            | MailRequest::CreateAutomation { .. }
            | MailRequest::EditAutomation { .. }
            | MailRequest::DeleteAutomation { .. }
            | MailRequest::RunAutomation { .. }
            | MailRequest::Task { .. } => Err(refused("invalid", &say!(texts(draft), "request-wrong-way"))),
            MailRequest::ChangeSession { author, require_validation, mode, restriction, voice, name } => {
                let wanted = Wanted {
                    require_validation: *require_validation,
                    mode: *mode,
                    restriction: restriction.as_ref(),
                    voice: voice.as_ref(),
                    name: name.as_deref().map(|name| (author.as_str(), name)),
                };
                return self.session_change(draft, session, wanted);
            }
            MailRequest::MarkRead { reader, sequence } => {
                Ok(Input::MessagesRead { reader: reader.clone(), sequence: *sequence })
            }
            MailRequest::Withdraw { author, message } => {
                Ok(Input::MessageWithdrawn { author: author.clone(), message: message.clone() })
            }
            MailRequest::MarkSeen { author } => Ok(Input::EndSeen { author: author.clone() }),
            MailRequest::Open { author, attachment, asks_slot } => {
                let until = draft.now.plus(self.memory.runtime.attachment_lease);
                let (author, attachment) = (author.clone(), attachment.clone());
                Ok(Input::SessionOpened(Opening { author, attachment, until, asks_slot: *asks_slot }))
            }
            MailRequest::Leave { author, attachment } => {
                Ok(Input::SessionLeft { author: author.clone(), attachment: attachment.clone() })
            }
            MailRequest::SendMessage { author, message, client_key } => {
                return self.message_input(draft, session, author, message, client_key.as_deref());
            }
            MailRequest::Answer { author, text } => self.answer_input(draft, session, author, text),
            MailRequest::Interrupt { author } => Ok(Input::RoundInterrupted { author: author.clone() }),
            MailRequest::Stop { author, end } => {
                Ok(Input::StopRequested { author: author.clone(), end: *end })
            }
            MailRequest::Resume { author } => {
                Ok(Input::SessionActivationRequested { author: author.clone() })
            }
            MailRequest::Settle { author, call, happened, note } => {
                let Some(row) = self.call_row(call)?.filter(|row| row.session == *session) else {
                    let text = say!(texts(draft), "request-no-call", call = call.as_str());
                    return Ok(Err(refused("not_found", &text)));
                };
                if let Some(objection) = self.settling_objection(row, author)? {
                    return Ok(Err(four_eyes(texts(draft), objection)));
                }
                Ok(Input::CallSettled {
                    call: call.clone(),
                    command: row.command.clone(),
                    happened: *happened,
                    note: note.clone(),
                    author: author.clone(),
                })
            }
            MailRequest::ConfirmCompletion { author } => {
                Ok(Input::CompletionConfirmed { author: author.clone() })
            }
            MailRequest::RejectCompletion { author, reason } => {
                Ok(Input::CompletionRejected { author: author.clone(), reason: reason.clone() })
            }
        })
    }

    /// Why this person may not say what became of a call. Whoever may not approve it may not say so either: “it did not
    /// happen” asks for it again, and “it did” hides it.
    fn settling_objection(&self, row: &CallRow, author: &str) -> Result<Option<Objection>, Stop> {
        Ok(decode_call(row)?.objection(author, false))
    }

    fn answer_input(
        &self,
        draft: &Draft,
        session: &SessionId,
        author: &str,
        text: &str,
    ) -> Result<Input, MailAnswer> {
        let phase = draft.sessions.get(session).map(|drafted| &drafted.phase);
        let Some(Phase::WaitingCommunicationResponse { question, .. }) = phase else {
            return Err(refused("not_applicable", &say!(texts(draft), "request-no-question")));
        };
        match question.read_answer(text) {
            Ok(answer) => {
                let answer = texts(draft).speak(&answer);
                Ok(Input::CommunicationResponseReceived { author: author.to_owned(), answer })
            }
            Err(fault) => Err(refused("invalid", &answer_fault(texts(draft), fault))),
        }
    }

    /// The ledger keeps the result that the call got, and says what a person found.
    pub(in crate::runtime::turn) fn mark_settled(
        &self,
        draft: &mut Draft,
        call: &CallId,
        happened: bool,
    ) -> Result<(), Stop> {
        if let Some(row) = self.call_row(call)? {
            let mut row = row.clone();
            row.state = settled_word(happened).to_owned();
            draft.calls.insert(call.clone(), row);
        }
        Ok(())
    }
}

/// Whether the session is the template of runs, which converses with nobody.
fn is_seed(draft: &Draft, session: &SessionId) -> bool {
    draft.sessions.get(session).is_some_and(|drafted| drafted.facts.kind == SessionKind::Seed)
}

/// The state of a call that a person settled, in the ledger.
fn settled_word(happened: bool) -> &'static str {
    if happened { "settled_happened" } else { "settled_absent" }
}

fn answer_fault(texts: &Texts, fault: AnswerFault) -> String {
    match fault {
        AnswerFault::NotAnOption { given, options } => {
            let list: Vec<String> =
                options.iter().enumerate().map(|(index, option)| format!("{} {option}", index + 1)).collect();
            say!(texts, "request-no-option", given = given, options = list.join(", "))
        }
        AnswerFault::NotYesOrNo { given } => say!(texts, "request-not-yes-or-no", given = given),
    }
}

/// What is told when the machine ignored a request; `not_applicable` is the key of the text for a request that
/// does not fit the state of the session.
fn answer_to_ignored(
    texts: &Texts,
    ignored: Ignored,
    not_applicable: &'static str,
    session: &SessionId,
) -> MailAnswer {
    let (code, key) = match ignored {
        Ignored::Duplicate => {
            return MailAnswer::taken(None, session);
        }
        Ignored::Conflict => ("conflict", "request-conflict"),
        Ignored::FourEyes(objection) => return four_eyes(texts, objection),
        Ignored::Ended => ("ended", "request-session-ended"),
        Ignored::QueueFull => ("queue_full", "request-queue-full"),
        Ignored::NeverRun => ("not_applicable", "request-never-run"),
        Ignored::Stale | Ignored::NotApplicable | Ignored::NotDue => ("not_applicable", not_applicable),
    };
    refused(code, &say!(texts, key, session = session.as_str()))
}

/// The refusal of a yes that does not count under four eyes.
pub(super) fn four_eyes(texts: &Texts, objection: Objection) -> MailAnswer {
    refused("four_eyes", &texts.say(&format!("request-four-eyes-{}", objection.word()), &[]))
}

/// A refusal.
pub(super) fn refused(code: &str, text: &str) -> MailAnswer {
    MailAnswer::Refused { code: code.to_owned(), text: text.to_owned() }
}
