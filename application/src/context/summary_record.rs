//! The facts that code collects from a session's log for its summaries: the objective, completed and open work,
//! and the identifiers with the reason why each is kept.

mod identifiers;

use std::collections::HashMap;

use entracte_domain::call::{CallOutcome, CallStatus};
use entracte_domain::command::{Command, CommandKind};
use entracte_domain::file::FileReference;
use entracte_domain::id::{CallId, MessageId, TaskId};
use entracte_domain::message::{AiMessage, Author, CommandResult, Message, MessageBody, SystemKind};
use entracte_domain::session::{AiResponse, Input};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{Decision, DecisionVerdict};

use super::identifiers::{identifiers as identifiers_in, identifiers_of};
use crate::journal::JournalEntry;
pub(super) use identifiers::{IdentifierOrigin, IdentifierRegistry};

/// Maximum actions, and maximum rejections, listed in a summary.
const TOLD_MAX: usize = 20;
/// Maximum remembered ones: some stay in the prompt, and are not listed.
const REMEMBERED_MAX: usize = 100;
/// Number of first messages remembered, in case the first ones are withdrawn.
const FIRST_MAX: usize = 8;

/// The parts of a session's log that a summary carries word for word. Processes every entry of the session in
/// order; its memory grows by one number for each message.
#[derive(Clone, Debug, Default)]
pub struct SummaryRecord {
    /// The trigger of a run.
    pub(super) trigger: Option<String>,
    /// All seed messages of a run; the first message of a chat and some after it.
    first: Vec<(MessageId, String)>,
    /// Actions without a result.
    asked: HashMap<CallId, Command>,
    done: Vec<CompletedAction>,
    rejected: Vec<RejectedAction>,
    /// Actions of unknown outcome.
    pub(super) unknown: Vec<(CallId, Command)>,
    /// Actions whose task is under way.
    pub(super) tasks: Vec<(TaskId, Command)>,
    pub(super) identifiers: IdentifierRegistry,
    /// Sequences of the entries with people's messages, with replies, and with results, one for each.
    messages: Vec<u64>,
    replies: Vec<u64>,
    results: Vec<u64>,
    /// Number of completed actions that are remembered no more.
    forgotten: usize,
}

/// Numbers of messages, replies and results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EntryCounts {
    /// People's messages.
    pub(super) messages: usize,
    /// The model's replies.
    pub(super) replies: usize,
    /// Results of commands.
    pub(super) results: usize,
}

/// An action that a person rejected.
#[derive(Clone, Debug)]
pub(super) struct RejectedAction {
    sequence: u64,
    pub(super) command: Command,
    pub(super) reason: Option<String>,
}

/// An action with its result.
#[derive(Clone, Debug)]
pub(super) struct CompletedAction {
    sequence: u64,
    pub(super) command: Command,
    pub(super) status: CallStatus,
    pub(super) at: Timestamp,
    /// Identifiers in the result.
    pub(super) identifiers: Vec<String>,
}

impl SummaryRecord {
    /// An empty record.
    pub fn new() -> Self {
        Self::default()
    }

    /// Processes the session's next entry.
    pub fn push(&mut self, entry: &JournalEntry) {
        self.identifiers.at(entry.sequence);
        self.input(entry);
        for message in entry.messages() {
            self.message(&message, entry.sequence);
        }
    }

    /// The session's sequence of the last processed entry; 0 before the first.
    pub(crate) fn sequence(&self) -> u64 {
        self.identifiers.sequence()
    }

    /// The messages with the task: those of a run's seed, the mission of an agent, or the first message.
    pub(super) fn objective(&self) -> &[(MessageId, String)] {
        let count = if self.trigger.is_some() { self.first.len() } else { self.first.len().min(1) };
        self.first.get(..count).unwrap_or_default()
    }

    /// The latest actions whose results do not stay in the prompt, newest last.
    pub(super) fn done(&self, kept_from: Option<u64>) -> &[CompletedAction] {
        latest(&self.done, |done| leaves_prompt(done.sequence, kept_from))
    }

    /// The latest rejected actions that do not stay in the prompt, newest last.
    pub(super) fn rejected(&self, kept_from: Option<u64>) -> &[RejectedAction] {
        latest(&self.rejected, |rejected| leaves_prompt(rejected.sequence, kept_from))
    }

    /// Number of actions whose results do not stay in the prompt.
    pub(super) fn done_count(&self, kept_from: Option<u64>) -> usize {
        self.forgotten + self.done.partition_point(|done| leaves_prompt(done.sequence, kept_from))
    }

    /// The numbers of what does not stay in the prompt.
    pub(super) fn left_out(&self, kept_from: Option<u64>) -> EntryCounts {
        let count =
            |sequences: &[u64]| sequences.partition_point(|sequence| leaves_prompt(*sequence, kept_from));
        EntryCounts {
            messages: count(&self.messages),
            replies: count(&self.replies),
            results: count(&self.results),
        }
    }

    /// Number of the replies up to a sequence.
    pub(super) fn replies_until(&self, sequence: u64) -> usize {
        self.replies.partition_point(|reply| *reply <= sequence)
    }

    fn input(&mut self, entry: &JournalEntry) {
        match &entry.input {
            Input::AiResponseReceived(response) => self.reply(entry, response),
            Input::StopRequested { reply: Some(_), .. } | Input::RoundInterrupted { reply: Some(_), .. } => {
                self.replies.push(entry.sequence);
            }
            Input::ValidationReceived { decisions, .. } => {
                Decision::effective_decisions(decisions)
                    .for_each(|decision| self.decision(decision, entry.sequence));
            }
            Input::UserMessageSent(sent) => {
                sent.instead_of.iter().for_each(|call| self.answered_call(call, entry.sequence));
            }
            Input::CallFinished { call, outcome: CallOutcome::Accepted { task, .. }, .. } => {
                if let Some(command) = self.asked.get(call) {
                    self.tasks.push((task.clone(), command.clone()));
                }
            }
            Input::TaskFinished { task, .. } => self.tasks.retain(|(open, _)| open != task),
            Input::CallSettled { call, .. } => self.unknown.retain(|(open, _)| open != call),
            Input::MessageWithdrawn { message, .. } => self.first.retain(|(id, _)| id != message),
            // Their texts arrive as messages, or are not shown to the model.
            _ => {}
        }
    }

    fn reply(&mut self, entry: &JournalEntry, response: &AiResponse) {
        self.replies.push(entry.sequence);
        for (ordinal, call) in response.calls.iter().enumerate() {
            let origin = match call.kind {
                CommandKind::Query => IdentifierOrigin::Use,
                CommandKind::Action => {
                    let id = entry.session.call_id(entry.sequence, ordinal);
                    self.asked.insert(id, call.command.clone());
                    IdentifierOrigin::Action
                }
            };
            self.identifiers.mention(identifiers_of(&call.command.arguments), origin);
        }
    }

    fn decision(&mut self, decision: &Decision, sequence: u64) {
        let Some(command) = self.asked.get_mut(&decision.call) else { return };
        match &decision.verdict {
            DecisionVerdict::Approve { edited: Some(edit) } => {
                *command = edit.command.clone();
                self.identifiers.mention(identifiers_of(&edit.command.arguments), IdentifierOrigin::Person);
            }
            DecisionVerdict::Approve { edited: None } => {}
            DecisionVerdict::Reject { reason } => {
                if let Some(reason) = reason {
                    self.identifiers.mention(identifiers_in(reason), IdentifierOrigin::Person);
                }
                let command = command.clone();
                self.reject(RejectedAction { sequence, command, reason: reason.clone() });
            }
        }
    }

    /// A call that a person answered in words. They are a message, so it has no reason of its own.
    fn answered_call(&mut self, call: &CallId, sequence: u64) {
        let Some(command) = self.asked.get(call).cloned() else { return };
        self.reject(RejectedAction { sequence, command, reason: None });
    }

    fn reject(&mut self, action: RejectedAction) {
        self.rejected.push(action);
        keep_last(&mut self.rejected);
    }

    fn message(&mut self, message: &Message, sequence: u64) {
        if message.exclude_from_prompt {
            return;
        }
        if matches!(
            (&message.body, &message.author),
            (MessageBody::Rich(_) | MessageBody::Text(_), Author::Person(_))
        ) {
            self.messages.push(sequence);
        }
        match (&message.body, &message.author) {
            (MessageBody::Rich(said), Author::Person(_)) => {
                self.identifiers.mention(identifiers_in(&said.written_text()), IdentifierOrigin::Person);
                self.files(said.files(), IdentifierOrigin::Person);
                if self.first.len() < FIRST_MAX {
                    self.first.push((message.id.clone(), said.linear_text()));
                }
            }
            (MessageBody::Text(text), Author::Person(_)) => {
                self.identifiers.mention(identifiers_in(&text.to_plain_text()), IdentifierOrigin::Person);
            }
            (MessageBody::Ai(said), _) => {
                self.identifiers.mention(reply_identifiers(said), IdentifierOrigin::Use)
            }
            (MessageBody::Execution(metadata), _) => self.trigger = Some(metadata.trigger.clone()),
            (MessageBody::System(system), _) => {
                for result in &system.results {
                    self.result(result, message.at, sequence);
                }
                if system.kind == SystemKind::Mission
                    && let Some(mission) = &system.formatted_data
                {
                    // An agent works towards its mission, however much of its conversation is left out.
                    let mission = mission.to_plain_text().into_owned();
                    self.identifiers.mention(identifiers_in(&mission), IdentifierOrigin::Use);
                    self.first.push((message.id.clone(), mission));
                }
                let brings = matches!(system.kind, SystemKind::EventPayload | SystemKind::TaskResult);
                if brings && let Some(data) = &system.formatted_data {
                    self.identifiers.mention(identifiers_in(&data.to_plain_text()), IdentifierOrigin::Action);
                }
            }
            (MessageBody::Rich(_) | MessageBody::Text(_), _) => {}
        }
    }

    /// Keeps the lines of files, each with name and digest: without them nothing could ask for a file again.
    fn files<'a>(&mut self, files: impl Iterator<Item = &'a FileReference>, origin: IdentifierOrigin) {
        self.identifiers.mention(files.map(FileReference::line), origin);
    }

    fn result(&mut self, result: &CommandResult, at: Timestamp, sequence: u64) {
        self.results.push(sequence);
        self.files(result.files.iter(), IdentifierOrigin::Action);
        let identifiers = identifiers_in(&result.content.to_plain_text());
        let Some(command) = self.asked.remove(&result.call) else {
            self.identifiers.offer(identifiers);
            return;
        };
        self.identifiers.mention(identifiers.iter().cloned(), IdentifierOrigin::Action);
        match result.status {
            CallStatus::Rejected => {}
            CallStatus::Unknown => self.unknown.push((result.call.clone(), command)),
            status => {
                self.done.push(CompletedAction { sequence, command, status, at, identifiers });
                self.forgotten += keep_last(&mut self.done);
            }
        }
    }
}

/// Whether an entry leaves the prompt.
pub(super) fn leaves_prompt(sequence: u64, kept_from: Option<u64>) -> bool {
    kept_from.is_none_or(|from| sequence < from)
}

/// The last elements that leave the prompt; these precede the others.
fn latest<T>(all: &[T], leaves: impl Fn(&T) -> bool) -> &[T] {
    let end = all.partition_point(leaves);
    all.get(end.saturating_sub(TOLD_MAX)..end).unwrap_or_default()
}

/// The identifiers in a model's text for people.
fn reply_identifiers(said: &AiMessage) -> Vec<String> {
    let texts = [Some(&said.pre_text), said.post_text.as_ref()].into_iter().flatten().chain(&said.plan);
    texts.flat_map(|text| identifiers_in(text)).collect()
}

/// Drops the oldest elements beyond the maximum, and returns how many.
fn keep_last<T>(list: &mut Vec<T>) -> usize {
    let over = list.len().saturating_sub(REMEMBERED_MAX);
    list.drain(..over);
    over
}
