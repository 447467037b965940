//! An answer of the model, in short words.

use entracte_domain::message::AiMessage;
use entracte_domain::question::Question;
use entracte_domain::session::FormatFault;

use super::agent::AgentReplyKind;
use super::command_request::MachineCommandRequest;

/// An answer of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MachineModelReply {
    /// What it asks for.
    pub calls: Vec<MachineCommandRequest>,
    /// Code of what is wrong with it.
    pub fault: Option<&'static str>,
    /// A question.
    pub question: bool,
    /// The work is done.
    pub completed: bool,
    /// Wants to speak again.
    pub keep_control: bool,
    /// Wants a person to be asked.
    pub validation_request: bool,
    /// Text for after its actions.
    pub post_text: bool,
    /// It says nothing at all.
    pub silent: bool,
    /// What it says as an agent.
    pub upwards: Option<AgentReplyKind>,
}

/// An answer of text alone.
pub fn text() -> MachineModelReply {
    MachineModelReply::default()
}

/// An answer that asks for these calls.
pub fn calls(calls: impl Into<Vec<MachineCommandRequest>>) -> MachineModelReply {
    MachineModelReply { calls: calls.into(), ..text() }
}

/// An answer that says nothing.
pub fn empty_reply() -> MachineModelReply {
    MachineModelReply { silent: true, ..text() }
}

/// An answer that says the work is done.
pub fn completed() -> MachineModelReply {
    MachineModelReply { completed: true, ..text() }
}

/// An answer that asks the user something.
pub fn question() -> MachineModelReply {
    MachineModelReply { question: true, ..text() }
}

/// An answer that cannot be read.
pub fn malformed(code: &'static str) -> MachineModelReply {
    MachineModelReply { fault: Some(code), ..text() }
}

impl MachineModelReply {
    /// Wants to speak again after its actions.
    pub fn keep_control(mut self) -> Self {
        self.keep_control = true;
        self
    }

    /// Wants a person to be asked.
    pub fn validation_request(mut self) -> Self {
        self.validation_request = true;
        self
    }

    /// Says the work is done.
    pub fn completed(mut self) -> Self {
        self.completed = true;
        self
    }

    /// Says this as an agent.
    pub fn with_agent_reply(mut self, upwards: AgentReplyKind) -> Self {
        self.upwards = Some(upwards);
        self
    }

    /// With a text for after its actions.
    pub fn post_text(mut self) -> Self {
        self.post_text = true;
        self
    }

    /// Its faults.
    pub fn faults(&self) -> Vec<FormatFault> {
        let fault = |code: &&str| FormatFault { code: (*code).to_owned(), text: "unreadable".into() };
        self.fault.iter().map(fault).collect()
    }

    /// What was said.
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
