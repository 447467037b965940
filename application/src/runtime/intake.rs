//! Turns requests into inputs: what a transition cannot look up by itself is looked up here.

use entracte_domain::command::{CallState, Command};
use entracte_domain::id::{CallId, MessageId, SessionId};
use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::session::{Creation, Ignored, Input, Phase, SessionFacts, SessionKind, UserMessageSent};
use entracte_domain::validation::{Decision, Edit, Verdict};

use super::draft::{Draft, Drafted};
use super::workspace::{Fault, Workspace};
use crate::codec::{Mail, MailAnswer, MailDecision, MailRequest, MailVerdict, NewSession, decode_call};
use crate::system::sha256;

impl Workspace {
    /// Takes one request into the draft and answers it. A refused one adds nothing to the draft but what the
    /// session had to know anyway: rules or flags that changed.
    pub(super) async fn take_request(&mut self, draft: &mut Draft, mail: &Mail) -> Result<MailAnswer, Fault> {
        if let MailRequest::StartSession(new) = &mail.request {
            return self.start_session(draft, new).await;
        }
        let Some(session) = &mail.session else {
            return Ok(refused("invalid", "the request names no session"));
        };
        if !self.draft_session(draft, session).await? {
            let text = format!("there is no session {session}; list them: entracte session list");
            return Ok(refused("not_found", &text));
        }
        self.refresh(draft, session).await?;
        let input = match self.input_of(draft, session, &mail.request).await? {
            Ok(input) => input,
            Err(answer) => return Ok(answer),
        };
        let is_message =
            matches!(input, Input::UserMessageSent(_) | Input::CommunicationResponseReceived { .. });
        let settled = match &input {
            Input::CallSettled { call, happened, .. } => Some((call.clone(), *happened)),
            _ => None,
        };
        if let Some(ignored) = draft.feed(session, input, &self.house.rules)? {
            return Ok(answer_to_ignored(ignored, session));
        }
        if let Some((call, happened)) = settled {
            self.mark_settled(draft, &call, happened).await?;
        }
        let sequence = draft.sessions.get(session).map_or(0, |drafted| drafted.facts.sequence);
        let message = is_message.then(|| session.message(sequence, 0));
        Ok(MailAnswer::Accepted { message, session: session.clone() })
    }

    async fn start_session(&mut self, draft: &mut Draft, new: &NewSession) -> Result<MailAnswer, Fault> {
        let accepted = MailAnswer::Accepted { message: None, session: new.id.clone() };
        if self.draft_session(draft, &new.id).await? {
            return Ok(accepted);
        }
        let facts = SessionFacts::new(new.id.clone(), self.key().clone(), new.kind, draft.now);
        let prefix = self.prefixes.current(&self.house, new.kind, new.dialect, &self.settings, draft);
        draft.sessions.insert(new.id.clone(), Drafted { facts, phase: Phase::Idle, stored: None });
        let creation = Creation {
            name: new.name.clone(),
            require_validation: new.require_validation,
            automation: None,
            scheduled_at: None,
            parent: None,
            provider: new.provider.clone(),
            model: new.model.clone(),
            dialect: new.dialect,
            prefix,
        };
        draft.feed(&new.id, Input::SessionCreated(Box::new(creation)), &self.house.rules)?;
        Ok(accepted)
    }

    /// What happened since the session was last touched and the machine should know before the next input:
    /// flags or commands changed under calls that wait, or the frozen prefix is no longer the current one.
    async fn refresh(&mut self, draft: &mut Draft, session: &SessionId) -> Result<(), Fault> {
        self.recheck(draft, session).await?;
        let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
        let (kind, dialect, known) =
            (drafted.facts.kind, drafted.facts.dialect, drafted.facts.prefix.clone());
        // A generation begins at a user turn only, never while a reply's calls are open.
        let at_user_turn = matches!(drafted.phase, Phase::Idle);
        if !at_user_turn || drafted.facts.end_reason.is_some() || kind == SessionKind::Seed {
            return Ok(());
        }
        let current = self.prefixes.current(&self.house, kind, dialect, &self.settings, draft);
        if known.as_ref() != Some(&current) {
            let input = Input::RulesChanged { notice: None, rechecks: Vec::new(), prefix: Some(current) };
            draft.feed(session, input, &self.house.rules)?;
        }
        Ok(())
    }

    async fn input_of(
        &mut self,
        draft: &Draft,
        session: &SessionId,
        request: &MailRequest,
    ) -> Result<Result<Input, MailAnswer>, Fault> {
        Ok(match request {
            MailRequest::StartSession(_) => Err(refused("invalid", "the session exists")),
            MailRequest::SendMessage { author, message, client_key } => {
                return self.message_input(draft, session, author, message, client_key.as_deref()).await;
            }
            MailRequest::Decide { author, decisions } => {
                return self.decision_input(draft, session, author, decisions).await;
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
                let Some(row) = self.house.log.call(call).await? else {
                    let text = format!("there is no call {call}; list them: entracte inbox");
                    return Ok(Err(refused("not_found", &text)));
                };
                Ok(Input::CallSettled {
                    call: call.clone(),
                    command: row.command,
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

    async fn message_input(
        &self,
        draft: &Draft,
        session: &SessionId,
        author: &str,
        message: &UserMessage,
        client_key: Option<&str>,
    ) -> Result<Result<Input, MailAnswer>, Fault> {
        if let Some(key) = client_key
            && let Some(message) = self.message_by_key(draft, session, key).await?
        {
            return Ok(Err(MailAnswer::Accepted { message: Some(message), session: session.clone() }));
        }
        if let Some(refusal) = self.message_fault(message) {
            return Ok(Err(refusal));
        }
        Ok(Ok(Input::UserMessageSent(UserMessageSent {
            author: author.to_owned(),
            message: message.clone(),
            client_key: client_key.map(str::to_owned),
            enrichments: Vec::new(),
        })))
    }

    /// The message that was sent with this key before.
    async fn message_by_key(
        &self,
        draft: &Draft,
        session: &SessionId,
        key: &str,
    ) -> Result<Option<MessageId>, Fault> {
        let drafted =
            draft.log.iter().find(|row| row.session == *session && row.client_key.as_deref() == Some(key));
        let sequence = match drafted {
            Some(row) => Some(row.sequence),
            None => self.house.log.entry_by_client_key(session, key).await?.map(|row| row.sequence),
        };
        Ok(sequence.map(|sequence| session.message(sequence, 0)))
    }

    fn message_fault(&self, message: &UserMessage) -> Option<MailAnswer> {
        let most = self.house.settings.message_max_chars;
        let length: usize = message
            .segments
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) => text.chars().count(),
                Segment::Enrichment(enrichment) => enrichment.summary.chars().count(),
            })
            .sum();
        if message.linear_text().trim().is_empty() {
            return Some(refused("invalid", "the message is empty; write something"));
        }
        (length > most).then(|| {
            let text = format!(
                "the message has {length} characters, at most {most} are taken (message.max_chars); \
                 shorten it or raise the setting"
            );
            refused("invalid", &text)
        })
    }

    async fn decision_input(
        &self,
        draft: &Draft,
        session: &SessionId,
        author: &str,
        decisions: &[MailDecision],
    ) -> Result<Result<Input, MailAnswer>, Fault> {
        let Some(drafted) = draft.sessions.get(session) else {
            return Ok(Err(refused("not_found", "the session is gone")));
        };
        let mut checked = Vec::with_capacity(decisions.len());
        for decision in decisions {
            let open = drafted.phase.batch().and_then(|batch| batch.call(&decision.call));
            let Some(call) = open else {
                match self.decided_before(session, decision).await? {
                    MailAnswer::Accepted { .. } => continue,
                    refusal @ MailAnswer::Refused { .. } => return Ok(Err(refusal)),
                }
            };
            match self.verdict_of(&call.command, &decision.verdict) {
                Ok(verdict) => checked.push(Decision { call: decision.call.clone(), verdict }),
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
        if checked.is_empty() && !decisions.is_empty() {
            return Ok(Err(MailAnswer::Accepted { message: None, session: session.clone() }));
        }
        Ok(Ok(Input::ValidationReceived { author: author.to_owned(), decisions: checked }))
    }

    fn verdict_of(&self, command: &Command, verdict: &MailVerdict) -> Result<Verdict, MailAnswer> {
        match verdict {
            MailVerdict::Approve => Ok(Verdict::Approve { edited: None }),
            MailVerdict::Reject { reason } => Ok(Verdict::Reject { reason: reason.clone() }),
            MailVerdict::Edit { arguments } => {
                let faults = self.pipeline.edit_faults(&command.name, arguments);
                if !faults.is_empty() {
                    let all: Vec<String> = faults.iter().map(|fault| fault.sentence()).collect();
                    let text = format!("the new arguments of {} are wrong: {}", command.name, all.join("; "));
                    return Err(refused("invalid", &text));
                }
                let command = Command { name: command.name.clone(), arguments: arguments.clone() };
                let command_id = sha256(command.canonical().as_bytes());
                Ok(Verdict::Approve { edited: Some(Edit { command, command_id }) })
            }
        }
    }

    /// A decision on a call that is no longer open: the same answer again is the same answer.
    async fn decided_before(
        &self,
        session: &SessionId,
        decision: &MailDecision,
    ) -> Result<MailAnswer, Fault> {
        let Some(row) = self.house.log.call(&decision.call).await? else {
            let text = format!("there is no call {}; list what is open: entracte inbox", decision.call);
            return Ok(refused("not_found", &text));
        };
        let call = decode_call(&row)?;
        let taken = call.decision();
        let same = match &decision.verdict {
            MailVerdict::Approve => taken.is_some_and(|taken| taken.edited.is_none()),
            MailVerdict::Edit { arguments } => taken
                .and_then(|taken| taken.edited.as_ref())
                .is_some_and(|edit| edit.command.arguments == *arguments),
            MailVerdict::Reject { .. } => row.state == "rejected",
        };
        if same {
            return Ok(MailAnswer::Accepted { message: None, session: session.clone() });
        }
        let by = taken.map(|taken| format!(" (decided by {})", taken.author)).unwrap_or_default();
        let what = match &call.state {
            CallState::Finished { result, .. } => result.status.word(),
            _ => call.state_word(),
        };
        let text = format!("the call {} is no longer open: it is {what}{by}", decision.call);
        Ok(refused("conflict", &text))
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
            return Err(refused("not_applicable", "the session asks no question now"));
        };
        match question.read_answer(text) {
            Ok(answer) => Ok(Input::CommunicationResponseReceived { author: author.to_owned(), answer }),
            Err(fault) => Err(refused("invalid", &answer_fault(fault))),
        }
    }

    /// The ledger keeps the result that the call got, and says what a person found.
    async fn mark_settled(&self, draft: &mut Draft, call: &CallId, happened: bool) -> Result<(), Fault> {
        if let Some(mut row) = self.house.log.call(call).await? {
            row.state = if happened { "settled_happened" } else { "settled_absent" }.to_owned();
            draft.calls.insert(call.clone(), row);
        }
        Ok(())
    }
}

fn answer_fault(fault: entracte_domain::question::AnswerFault) -> String {
    use entracte_domain::question::AnswerFault;
    match fault {
        AnswerFault::NotAnOption { given, options } => {
            let list: Vec<String> =
                options.iter().enumerate().map(|(index, option)| format!("{} {option}", index + 1)).collect();
            format!("“{given}” is none of the options: {}", list.join(", "))
        }
        AnswerFault::NotYesOrNo { given } => format!("“{given}” is neither yes nor no"),
    }
}

fn answer_to_ignored(ignored: Ignored, session: &SessionId) -> MailAnswer {
    match ignored {
        Ignored::Duplicate => MailAnswer::Accepted { message: None, session: session.clone() },
        Ignored::Conflict => refused("conflict", &format!("another decision of {session} was taken first")),
        Ignored::Ended => {
            let text = format!(
                "the session {session} has ended and takes nothing in; begin a new one: entracte chat"
            );
            refused("ended", &text)
        }
        Ignored::QueueFull => refused("queue_full", "as many messages wait as may (limits.message_queue)"),
        Ignored::NeverRun => refused("not_applicable", "a seed is never run"),
        Ignored::Stale | Ignored::NotApplicable | Ignored::NotDue => {
            let text = format!("there is nothing in {session} that this could apply to now");
            refused("not_applicable", &text)
        }
    }
}

/// A refusal.
pub(super) fn refused(code: &str, text: &str) -> MailAnswer {
    MailAnswer::Refused { code: code.to_owned(), text: text.to_owned() }
}
