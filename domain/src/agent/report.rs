use crate::id::SessionId;
use crate::rights::Budget;
use crate::usage::Usage;
use crate::value::JsonValue;

use super::MissionExit;

crate::words! {
    /// How far an agent came, as whoever called it reads it.
    pub enum MissionStatus {
        /// It ended its mission with a result.
        MissionCompleted = "MISSION_COMPLETED",
        /// It said or asked something and rests until it is answered.
        TextOutput = "TEXT_OUTPUT",
        /// Its rounds or its time are used up.
        MaxTurnsReached = "MAX_TURNS_REACHED",
        /// It said nothing, twice in a row.
        NoIaAction = "NO_IA_ACTION",
        /// Its model, or something of ours, failed.
        Error = "ERROR",
        /// Somebody stopped it.
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

/// Where an agent stands: what it said last, and what its last calls brought. Each text is cut to a length that a session
/// can carry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AgentLastState {
    /// What it said last.
    pub said: String,
    /// What its last calls brought.
    pub results: Vec<LastCallResult>,
    /// The long tasks that it has begun and that have not ended.
    pub open: Vec<String>,
}

/// What a call of an agent brought.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LastCallResult {
    /// Name of the command.
    pub command: String,
    /// What became of it, in the word of its status.
    pub status: String,
    /// The beginning of what it answered.
    pub content: String,
}

/// What an agent tells whoever called it. Data: whatever its texts say, they decide nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentReport {
    /// How far it came.
    pub status: MissionStatus,
    /// The name of its declaration.
    pub agent: String,
    /// Its session.
    pub child: SessionId,
    /// What it asks, where it rests.
    pub question: Option<String>,
    /// How it ended its mission, where it did so by itself.
    pub exit: Option<MissionExit>,
    /// Where it stood, where it was cut short.
    pub last: AgentLastState,
    /// Rounds that it made itself.
    pub rounds: u32,
    /// Tokens and cost, of itself and of all below it.
    pub usage: Usage,
    /// What it and all below it used of its budget.
    pub spent: Budget,
}

impl AgentReport {
    /// What the model of its caller reads.
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
    /// How many results of it are kept, and how many letters of each text.
    const RESULTS: usize = 10;
    const LETTERS: usize = 500;

    /// What it said, cut to length.
    pub(crate) fn set_last_text(&mut self, said: &str) {
        if !said.trim().is_empty() {
            self.said = truncate_text(said);
        }
    }

    /// What the calls of its last reply brought, the last of them, each cut to length.
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
