use crate::id::SessionId;
use crate::rights::Budget;
use crate::usage::Usage;
use crate::value::JsonValue;

use super::{AgentEndCause, MissionExit};

crate::words! {
    /// The status of a mission, as the caller reads it.
    pub enum MissionStatus {
        /// The agent ended its mission with a result.
        MissionCompleted = "MISSION_COMPLETED",
        /// The agent sent text or a question and rests until it is answered.
        TextOutput = "TEXT_OUTPUT",
        /// The agent's rounds or time are used up.
        MaxTurnsReached = "MAX_TURNS_REACHED",
        /// The agent sent two empty replies in a row.
        NoIaAction = "NO_IA_ACTION",
        /// The agent's model or Entracte itself failed.
        Error = "ERROR",
        /// A person stopped the agent.
        Terminated = "TERMINATED",
    }
}

impl MissionStatus {
    /// Whether the agent can still be answered.
    pub const fn can_be_answered(self) -> bool {
        match self {
            MissionStatus::TextOutput => true,
            MissionStatus::MissionCompleted
            | MissionStatus::MaxTurnsReached
            | MissionStatus::NoIaAction
            | MissionStatus::Error
            | MissionStatus::Terminated => false,
        }
    }
}

/// The last known state of an agent: its last text and the results of its last calls. Each text is truncated to a
/// length that a session can carry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AgentLastState {
    /// The last text of the agent.
    pub said: String,
    /// Results of the agent's last calls.
    pub results: Vec<LastCallResult>,
    /// Long tasks that the agent began and that have not ended.
    pub open: Vec<String>,
}

/// The result of one call of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LastCallResult {
    /// Name of the command.
    pub command: String,
    /// The word of the call's status.
    pub status: String,
    /// The beginning of the result's content.
    pub content: String,
}

/// The report of an agent to its caller. Its texts are data and decide nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentReport {
    /// Status of the mission.
    pub status: MissionStatus,
    /// Name of the agent declaration.
    pub agent: String,
    /// The agent's session.
    pub child: SessionId,
    /// The agent's question, if it rests.
    pub question: Option<String>,
    /// The agent's exit, if it ended its mission by itself.
    pub exit: Option<MissionExit>,
    /// Last known state, if the agent was cut short.
    pub last: AgentLastState,
    /// Why the agent ended, if it was cut short. Its text is words in the report that a caller reads.
    pub cause: Option<AgentEndCause>,
    /// Rounds of the agent itself, without its descendants.
    pub rounds: u32,
    /// Tokens and cost of the agent and all its descendants.
    pub usage: Usage,
    /// Budget spent by the agent and all its descendants.
    pub spent: Budget,
}

impl AgentReport {
    /// The JSON object that the caller's model reads.
    pub fn to_model_content(&self) -> JsonValue {
        let text = |text: &str| JsonValue::from(text);
        let number = |number: u64| JsonValue::Number(number.to_string());
        let mut fields = vec![
            ("status", text(self.status.word())),
            ("agent", text(&self.agent)),
            ("child", text(self.child.as_str())),
        ];
        if let Some(question) = &self.question {
            fields.push(("question", text(question)));
        }
        if let Some(MissionExit { reason, result, conclusion }) = &self.exit {
            fields.extend([
                ("reason", text(reason)),
                ("result", result.clone()),
                ("conclusion", text(conclusion)),
            ]);
        } else if self.question.is_none() {
            fields.extend([("result", self.last.result()), ("conclusion", text(&self.last.said))]);
        }
        if let Some(AgentEndCause { class, text: why }) = &self.cause {
            fields.extend([("reason", text(class.word())), ("explanation", text(&why.to_plain_text()))]);
        }
        let usage = [
            ("input", number(self.usage.all_input())),
            ("output", number(self.usage.output)),
            ("agents", number(u64::from(self.spent.agents))),
        ];
        fields.extend([
            ("rounds", number(u64::from(self.rounds))),
            ("usage", JsonValue::Object(usage.map(|(name, value)| (name.to_owned(), value)).to_vec())),
        ]);
        JsonValue::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

impl AgentLastState {
    /// How many results are kept, and how many characters of each text.
    const RESULTS: usize = 10;
    const LETTERS: usize = 500;

    /// Stores the agent's last text, truncated.
    pub(crate) fn set_last_text(&mut self, said: &str) {
        if !said.trim().is_empty() {
            self.said = truncate_text(said);
        }
    }

    /// Stores the last results of the agent's last reply, each truncated.
    pub(crate) fn set_last_results(&mut self, results: impl Iterator<Item = LastCallResult>) {
        self.results =
            results.map(|one| LastCallResult { content: truncate_text(&one.content), ..one }).collect();
        let over = self.results.len().saturating_sub(Self::RESULTS);
        self.results.drain(..over);
    }

    fn result(&self) -> JsonValue {
        let text = |text: &str| JsonValue::from(text);
        let one = |one: &LastCallResult| {
            JsonValue::from([
                ("command", text(&one.command)),
                ("status", text(&one.status)),
                ("content", text(&one.content)),
            ])
        };
        let open = self.open.iter().map(|task| text(task)).collect();
        JsonValue::from([
            ("last_results", JsonValue::List(self.results.iter().map(one).collect())),
            ("open", JsonValue::List(open)),
        ])
    }
}

fn truncate_text(words: &str) -> String {
    words.chars().take(AgentLastState::LETTERS).collect()
}
