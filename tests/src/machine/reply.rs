//! A model reply in short words.

use entracte_domain::message::AiMessage;
use entracte_domain::question::Question;
use entracte_domain::session::FormatFault;

use super::agent::AgentReplyKind;
use super::command_request::MachineCommandRequest;

/// A model reply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MachineModelReply {
    /// The requested calls.
    pub calls: Vec<MachineCommandRequest>,
    /// Code of its format fault.
    pub fault: Option<&'static str>,
    /// Asks a question.
    pub question: bool,
    /// Reports completion.
    pub completed: bool,
    /// Wants another round.
    pub keep_control: bool,
    /// Requests the decision of a person.
    pub validation_request: bool,
    /// Contains a text to show after its actions.
    pub post_text: bool,
    /// Contains no text.
    pub silent: bool,
    /// Its message as an agent, if any.
    pub upwards: Option<AgentReplyKind>,
}

/// A reply of text alone.
pub fn text() -> MachineModelReply {
    MachineModelReply::default()
}

/// A reply that requests these calls.
pub fn calls(calls: impl Into<Vec<MachineCommandRequest>>) -> MachineModelReply {
    MachineModelReply { calls: calls.into(), ..text() }
}

/// A reply without content.
pub fn empty_reply() -> MachineModelReply {
    MachineModelReply { silent: true, ..text() }
}

/// A reply that reports completion.
pub fn completed() -> MachineModelReply {
    MachineModelReply { completed: true, ..text() }
}

/// A reply that asks the user a question.
pub fn question() -> MachineModelReply {
    MachineModelReply { question: true, ..text() }
}

/// A reply that cannot be parsed, for a fault with this code, or `code@place`.
pub fn malformed(code: &'static str) -> MachineModelReply {
    MachineModelReply { fault: Some(code), ..text() }
}

impl MachineModelReply {
    /// Requests another round after its actions.
    pub fn keep_control(mut self) -> Self {
        self.keep_control = true;
        self
    }

    /// Requests the decision of a person.
    pub fn validation_request(mut self) -> Self {
        self.validation_request = true;
        self
    }

    /// Reports completion.
    pub fn completed(mut self) -> Self {
        self.completed = true;
        self
    }

    /// Adds this message as an agent.
    pub fn with_agent_reply(mut self, upwards: AgentReplyKind) -> Self {
        self.upwards = Some(upwards);
        self
    }

    /// Adds a text to show after its actions.
    pub fn post_text(mut self) -> Self {
        self.post_text = true;
        self
    }

    /// Its format faults.
    pub fn faults(&self) -> Vec<FormatFault> {
        let fault = |code: &&str| {
            let (code, place) = code.split_once('@').map_or((*code, None), |(code, at)| (code, Some(at)));
            let place = place.map(str::to_owned);
            FormatFault { code: code.to_owned(), place, text: "unreadable".into() }
        };
        self.fault.iter().map(fault).collect()
    }

    /// The message of the model.
    pub fn message(&self) -> AiMessage {
        let said = if self.silent { "" } else { "said" };
        AiMessage {
            pre_text: said.into(),
            validation_request: self.validation_request,
            post_text: self.post_text.then(|| "all done".to_owned()),
            keep_control: self.keep_control,
            question: self.question.then(|| Question::Validation { message: "Go?".into() }),
            completed: self.completed,
            exit: self.upwards.and_then(AgentReplyKind::exit),
            asks: self.upwards.and_then(AgentReplyKind::asks),
            original: said.into(),
            ..AiMessage::default()
        }
    }
}
