//! Turns outcomes of effects into inputs: a reply is read and its calls are looked up here.

use entracte_domain::command::CommandKind;
use entracte_domain::id::{Digest, SessionId};
use entracte_domain::message::AiMessage;
use entracte_domain::session::failure::{FailureClass, ModelFailure};
use entracte_domain::session::{AiResponse, Dialect, FormatFault, Input, Told};

use super::draft::Draft;
use super::intake::voice_of;
use super::letter::Outcome;
use super::native;
use super::workspace::{Fault, Workspace};
use crate::commands::{Asked, Catalog, Setting};
use crate::ports::{ModelReply, ProviderFailure, ReplyEnd};
use crate::protocol::envelope;

impl Workspace {
    /// Takes one outcome into the draft. A late one changes nothing.
    pub(super) async fn take_outcome(
        &mut self,
        draft: &mut Draft,
        session: &SessionId,
        outcome: &Outcome,
    ) -> Result<(), Fault> {
        if !self.draft_session(draft, session).await? {
            return Ok(());
        }
        self.recheck(draft, session).await?;
        if leads_on(outcome) {
            self.tell_now(draft, session).await?;
        }
        let input = match outcome {
            Outcome::Model { round, attempt, result: Ok(reply) } => {
                self.reply_input(draft, session, *round, *attempt, reply).await?
            }
            Outcome::Model { round, attempt, result: Err(failure) } => {
                self.failure_input(*round, *attempt, failure)
            }
            Outcome::Call { call, attempt, outcome } => {
                Input::CallFinished { call: call.clone(), attempt: *attempt, outcome: outcome.clone() }
            }
            Outcome::Broken(message) => Input::SystemErrorOccurred { message: message.clone() },
            Outcome::Compaction { round, attempt, result: Ok((summary, usage)) } => Input::ContextCompacted {
                round: *round,
                attempt: *attempt,
                summary: summary.clone(),
                usage: *usage,
                prefix: self.prefix_after_compaction(draft, session).await?,
            },
            Outcome::Compaction { round, attempt, result: Err(message) } => {
                Input::CompactionFailed { round: *round, attempt: *attempt, message: message.clone() }
            }
        };
        if let Some(why) = draft.feed(session, input, &self.rules)? {
            tracing::debug!(%session, ?why, "an outcome came too late and changed nothing");
        }
        Ok(())
    }

    /// The generation that begins with a summary has the prefix of now.
    async fn prefix_after_compaction(
        &mut self,
        draft: &mut Draft,
        session: &SessionId,
    ) -> Result<Option<(Digest, Vec<Told>)>, Fault> {
        let sections = self.sections(draft).await?;
        let Some(drafted) = draft.sessions.get(session) else { return Ok(None) };
        let (kind, voice) = (drafted.facts.kind, voice_of(&drafted.facts));
        Ok(Some(self.begin_generation(draft, kind, &voice, &sections)))
    }

    async fn reply_input(
        &self,
        draft: &Draft,
        session: &SessionId,
        round: u32,
        attempt: u32,
        reply: &ModelReply,
    ) -> Result<Input, Fault> {
        let Some(drafted) = draft.sessions.get(session) else { return Err(Fault::gone(session)) };
        let (mut message, faults) = read(drafted.facts.dialect, reply);
        message.provider_turn = reply.raw.clone();
        let asked = if faults.is_empty() {
            asked(&self.house.catalog, drafted.facts.dialect, &message, reply)
        } else {
            Vec::new()
        };
        let setting = Setting {
            facts: &drafted.facts,
            settings: &self.settings,
            rules: &draft.body.rules,
            last_action_at: draft.body.last_action_at,
            ai_request: message.validation_request,
            now: draft.now,
        };
        let calls = self.pipeline.look_up(setting, asked).await?;
        Ok(Input::AiResponseReceived(Box::new(AiResponse {
            round,
            attempt,
            message,
            faults,
            calls,
            usage: reply.usage,
            request: reply.body_digest.clone().map(Digest::new),
        })))
    }

    fn failure_input(&self, round: u32, attempt: u32, failure: &ProviderFailure) -> Input {
        let usage = failure.usage;
        let failure = ModelFailure {
            class: failure.class,
            message: failure.message.clone(),
            retry_after: failure.retry_after,
            jitter: self.house.ids.jitter(self.house.settings.jitter),
            found_by_start: None,
        };
        match failure.class {
            FailureClass::Unreachable => Input::NetworkErrorOccurred { round, attempt, failure },
            FailureClass::Lost
            | FailureClass::Throttled
            | FailureClass::Overloaded
            | FailureClass::Exhausted
            | FailureClass::Refused
            | FailureClass::ContextTooLong
            | FailureClass::Repairable
            | FailureClass::Misconfigured => Input::ProviderErrorOccurred { round, attempt, failure, usage },
        }
    }
}

/// Whether another round may come of an outcome, so that the session has to know what changed. A failed attempt is
/// made again with the same request, and after a summary the new prefix holds the data of now.
fn leads_on(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Model { result, .. } => result.is_ok(),
        Outcome::Call { .. } => true,
        Outcome::Compaction { .. } | Outcome::Broken(_) => false,
    }
}

/// The reply in the words of the domain, and what was wrong with it.
fn read(dialect: Dialect, reply: &ModelReply) -> (AiMessage, Vec<FormatFault>) {
    if reply.end == ReplyEnd::Cut {
        let message = AiMessage { original: reply.text.clone(), ..AiMessage::default() };
        let text = "the reply was cut by the output limit; answer more briefly".to_owned();
        return (message, vec![FormatFault { code: "cut".into(), text }]);
    }
    match dialect {
        Dialect::Envelope => {
            let reading = envelope::read(&reply.text);
            (reading.message, reading.faults)
        }
        Dialect::Tools => {
            let message = AiMessage {
                pre_text: reply.text.clone(),
                original: reply.text.clone(),
                ..AiMessage::default()
            };
            (message, Vec::new())
        }
    }
}

/// The calls that a reply asks for, in its order.
fn asked(catalog: &Catalog, dialect: Dialect, message: &AiMessage, reply: &ModelReply) -> Vec<Asked> {
    match dialect {
        Dialect::Envelope => {
            let listed = |kind: CommandKind| {
                move |command: &entracte_domain::command::Command| Asked {
                    provider_call_id: None,
                    command: command.clone(),
                    listed_as: Some(kind),
                }
            };
            let queries = message.queries.iter().map(listed(CommandKind::Query));
            queries.chain(message.actions.iter().map(listed(CommandKind::Action))).collect()
        }
        Dialect::Tools => reply.calls.iter().map(|call| native::asked(catalog, call)).collect(),
    }
}
