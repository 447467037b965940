//! What each attempt of a model call used and cost, as the log tells it: read entry by entry, and kept as rows by each
//! commit, which are the same.

use std::collections::{BTreeMap, BTreeSet};

use entracte_domain::dollars::Dollars;
use entracte_domain::id::{MessageId, RoundAttempt, SessionId};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{CallLookup, Input, JournalNote, LogAppend, ModelSelection, SummaryMethod};
use entracte_domain::usage::Usage;
use entracte_domain::validation::ExchangePrincipal;

use crate::journal::JournalEntry;
use crate::ports::AttemptCostRow;
use crate::prompt::changed_voice;
use crate::protocol::relay;

/// What an input says about an attempt that began before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptCostEvent {
    /// The attempt ended; `None` if nothing is known of its usage. A summary has no entry for its start.
    Ended(RoundAttempt, Option<Usage>),
    /// The request of the attempt was not sent.
    NotSent(RoundAttempt),
    /// Earlier entries were paid for by the session they were copied from.
    Copied,
}

/// Usage of an attempt of which nothing is known: perhaps billed.
pub(crate) const UNKNOWN: Usage = Usage {
    input: 0,
    cache_read: 0,
    cache_write: 0,
    output: 0,
    unknown_attempts: 1,
    cost: Dollars::ZERO,
    priced: 0,
};

/// What an input says about an attempt, if anything.
pub(crate) fn cost_event(input: &Input) -> Option<AttemptCostEvent> {
    let number = |round: &u32, attempt: &u32| RoundAttempt { round: *round, attempt: *attempt };
    let ended =
        |round: &u32, attempt: &u32, usage| Some(AttemptCostEvent::Ended(number(round, attempt), usage));
    match input {
        Input::SessionCopied { .. } => Some(AttemptCostEvent::Copied),
        Input::AiResponseReceived(reply) => Some(AttemptCostEvent::Ended(reply.number(), reply.usage)),
        Input::BudgetReached { round, attempt, .. } | Input::SpendingRefused { round, attempt, .. } => {
            Some(AttemptCostEvent::NotSent(number(round, attempt)))
        }
        Input::UsageSettled { round, attempt, usage, .. } => ended(round, attempt, Some(*usage)),
        Input::ContextCompacted { round, attempt, summary, usage, .. } => {
            match usage.is_some() || asks_model(summary.method) {
                true => ended(round, attempt, *usage),
                // Code made the summary alone, whatever the method that was chosen first.
                false => Some(AttemptCostEvent::NotSent(number(round, attempt))),
            }
        }
        Input::CompactionFailed { round, attempt, usage, .. } => ended(round, attempt, *usage),
        Input::NetworkErrorOccurred { round, attempt, .. } => ended(round, attempt, Some(Usage::default())),
        Input::ProviderErrorOccurred { round, attempt, failure, usage } => {
            ended(round, attempt, Some(usage_of_failure(failure.class, *usage).unwrap_or(UNKNOWN)))
        }
        _ => None,
    }
}

/// The usage of a call that failed and told this one; `None` if nothing is known of it.
pub(crate) fn usage_of_failure(class: FailureClass, told: Option<Usage>) -> Option<Usage> {
    match class {
        // Usage reported before an answer broke off is not the whole usage billed.
        FailureClass::Lost => {
            told.map(|told| Usage { unknown_attempts: 1, cost: Dollars::ZERO, priced: 0, ..told })
        }
        // The provider was never reached, or refused the request unread.
        FailureClass::Unreachable
        | FailureClass::Throttled
        | FailureClass::Overloaded
        | FailureClass::Exhausted
        | FailureClass::Refused
        | FailureClass::ContextTooLong
        | FailureClass::Repairable
        | FailureClass::Misconfigured => Some(told.unwrap_or_default()),
    }
}

/// The attempts that an entry starts.
pub(crate) fn started_attempts(appended: &[LogAppend]) -> impl Iterator<Item = RoundAttempt> + '_ {
    appended.iter().filter_map(|appended| match appended {
        LogAppend::Note(JournalNote::AttemptStarted { round, attempt }) => {
            Some(RoundAttempt { round: *round, attempt: *attempt })
        }
        _ => None,
    })
}

/// The known commands that a reply asks for, as [`AttemptCostRow::commands`]; empty for other inputs.
pub(crate) fn requested_commands(input: &Input) -> String {
    let Input::AiResponseReceived(reply) = input else { return String::new() };
    let known = reply.calls.iter().filter(|call| matches!(call.lookup, CallLookup::Known { .. }));
    let names: BTreeSet<&str> = known.map(|call| call.command.name.as_str()).collect();
    names.into_iter().collect::<Vec<_>>().join("\n")
}

/// The person who began an exchange; empty if unknown.
pub(crate) fn first_person(asked_by: &ExchangePrincipal) -> String {
    asked_by.people.first().cloned().unwrap_or_default()
}

/// Whether a summary of this kind costs a model call.
pub(crate) const fn asks_model(method: SummaryMethod) -> bool {
    match method {
        SummaryMethod::Patch | SummaryMethod::Words => true,
        SummaryMethod::Mechanical => false,
    }
}

/// Reads the attempts of one session off its entries, from the first on.
#[derive(Clone, Debug)]
pub struct AttemptCostCollector {
    session: SessionId,
    automation: Option<String>,
    person: String,
    /// The authors of messages that wait for a round, by the sequences of their inputs.
    waiting: BTreeMap<u64, String>,
    provider: String,
    model: String,
    found: Vec<AttemptCostRow>,
}

impl AttemptCostCollector {
    /// Begins with no attempts of this session.
    pub fn new(session: SessionId) -> Self {
        Self {
            session,
            automation: None,
            person: String::new(),
            waiting: BTreeMap::new(),
            provider: String::new(),
            model: String::new(),
            found: Vec::new(),
        }
    }

    /// Reads the next entry.
    pub fn add(&mut self, entry: &JournalEntry) {
        if let Input::SessionCreated(creation) = &entry.input {
            self.automation.clone_from(&creation.automation);
            let run = creation.run.as_ref().map(|run| &run.asked_by);
            let asked_by = creation.agent.as_ref().map(|start| &start.asked_by).or(run);
            self.person = asked_by.map(first_person).unwrap_or_default();
        }
        match cost_event(&entry.input) {
            Some(AttemptCostEvent::Ended(number, usage)) => self.end(entry, number, usage),
            Some(AttemptCostEvent::NotSent(number)) => self.found.retain(|found| found.number != number),
            Some(AttemptCostEvent::Copied) => {
                self.found.clear();
                // A copy is no run, and nobody whose words it has asked for its work.
                self.automation = None;
                self.person.clear();
                self.waiting.clear();
            }
            None => {}
        }
        self.note_person(entry);
        // The failed attempt was sent to the previous model.
        if let Some(ModelSelection { provider, model, .. }) = changed_voice(entry) {
            (self.provider, self.model) = (provider, model);
        }
        for number in started_attempts(&entry.appended) {
            self.begin(entry, number);
        }
    }

    /// The attempts so far, in order.
    pub fn into_rows(self) -> Vec<AttemptCostRow> {
        self.found
    }

    /// Notes the person who asks for the work: until the first attempt the author of the first message that joined its
    /// exchange.
    fn note_person(&mut self, entry: &JournalEntry) {
        if let Input::UserMessageSent(sent) = &entry.input
            && sent.asks
        {
            self.waiting.insert(entry.sequence, sent.author.clone());
        }
        let joined = entry.appended.iter().filter_map(|appended| match appended {
            LogAppend::Note(JournalNote::MessagesJoined(ids)) => Some(ids),
            _ => None,
        });
        let sequences: Vec<u64> = joined.flatten().filter_map(MessageId::sequence).collect();
        let authors: Vec<String> =
            sequences.iter().filter_map(|sequence| self.waiting.remove(sequence)).collect();
        let Some(first) = authors.into_iter().next() else { return };
        // A message that begins a round alone begins an exchange. The first attempt decides for all.
        let begins = sequences == [entry.sequence] && self.automation.is_none();
        if self.found.is_empty() && (self.person.is_empty() || begins) {
            self.person = first;
        }
    }

    /// The person of the next attempt.
    fn initiator(&self) -> String {
        match (&self.automation, self.found.first()) {
            (Some(_), _) => String::new(),
            (None, Some(first)) => first.person.clone(),
            (None, None) => self.person.clone(),
        }
    }

    /// Records the start of an attempt; its usage is unknown until its answer arrives. Rounds that only repeat calls
    /// make no model call.
    fn begin(&mut self, entry: &JournalEntry, number: RoundAttempt) {
        if relay::is_relay(&self.provider) {
            return;
        }
        self.found.push(AttemptCostRow {
            session: self.session.clone(),
            number,
            at: entry.at,
            automation: self.automation.clone(),
            provider: self.provider.clone(),
            model: self.model.clone(),
            person: self.initiator(),
            commands: String::new(),
            usage: UNKNOWN,
            reservation: None,
        });
    }

    fn end(&mut self, entry: &JournalEntry, number: RoundAttempt, usage: Option<Usage>) {
        let is_it = |found: &AttemptCostRow| found.number == number;
        if !self.found.iter().rev().any(is_it) {
            self.begin(entry, number);
        }
        if let Some(found) = self.found.iter_mut().rev().find(|one| is_it(one)) {
            found.usage = usage.unwrap_or(found.usage);
            // Usage that is stated later leaves the commands of the reply.
            let commands = requested_commands(&entry.input);
            if !commands.is_empty() {
                found.commands = commands;
            }
        }
    }
}

/// The attempts that the entries of a session record, in order.
pub fn attempt_costs<'a>(
    session: &SessionId,
    entries: impl IntoIterator<Item = &'a JournalEntry>,
) -> Vec<AttemptCostRow> {
    let mut collector = AttemptCostCollector::new(session.clone());
    entries.into_iter().for_each(|entry| collector.add(entry));
    collector.into_rows()
}
