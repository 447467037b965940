use std::sync::Arc;

use entracte_domain::dollars::Dollars;
use entracte_domain::id::{RoundAttempt, SessionId, WorkspaceKey};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Input, JournalNote, LogAppend, ModelSelection, SummaryMethod};
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;

use super::read_session::session_not_found;
use super::{ReadLog, UseCaseError};
use crate::journal::JournalEntry;
use crate::ports::{LogReader, SessionFilter, SessionListRow};
use crate::prompt::changed_voice;
use crate::protocol::relay;

/// One attempt of a model call with its usage and cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptCost {
    /// The session that made the call.
    pub session: SessionId,
    /// Display name of the session.
    pub name: String,
    /// The automation, if the session is a run.
    pub automation: Option<String>,
    /// The called provider.
    pub provider: String,
    /// The requested model; empty for the provider's default.
    pub model: String,
    /// Its number within the session.
    pub number: RoundAttempt,
    /// When it started.
    pub at: Timestamp,
    /// The usage. Its cost is either known or unknown, never partial; an attempt without reported usage has unknown
    /// cost, unless the provider was never reached or refused the request unread.
    pub usage: Usage,
}

/// The sum over attempts with the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CostTotal<Key> {
    /// The common key.
    pub key: Key,
    /// Number of attempts.
    pub attempts: u64,
    /// The total usage and cost.
    pub usage: Usage,
}

/// Sums attempts with equal keys, in the order of first occurrence.
pub fn group_by<Key: PartialEq>(
    attempts: &[AttemptCost],
    key: impl Fn(&AttemptCost) -> Key,
) -> Vec<CostTotal<Key>> {
    let mut found: Vec<CostTotal<Key>> = Vec::new();
    for attempt in attempts {
        let key = key(attempt);
        // Equal keys mostly follow one another.
        let place = found.iter().rposition(|sum| sum.key == key);
        let place = place.unwrap_or_else(|| {
            found.push(CostTotal { key, attempts: 0, usage: Usage::default() });
            found.len() - 1
        });
        found[place].attempts += 1;
        found[place].usage.add(attempt.usage);
    }
    found
}

use_case! {
    /// Lists the usage and cost of a workspace's model calls, at the prices of the time they were made. Entries copied
    /// from another session count for that session only; deleted sessions are not included.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut log = MockLogReader::new();
    /// log.expect_session_list().returning(|_| Ok(vec![]));
    /// let attempts = ReportCosts::new(Arc::new(log)).run(&samples::workspace(), None).await?;
    /// assert_eq!(attempts, [], "nothing was called yet");
    /// # Ok(()) });
    /// ```
    pub struct ReportCosts reads (log: dyn LogReader)
}

impl ReportCosts {
    /// All attempts of a workspace, or of one session of it, oldest first.
    ///
    /// # Errors
    /// When there is no such session, or a row cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        only: Option<&SessionId>,
    ) -> Result<Vec<AttemptCost>, UseCaseError> {
        let here = SessionFilter { workspace: Some(workspace.clone()), ..SessionFilter::default() };
        let mut sessions = self.log.session_list(&here).await?;
        if let Some(only) = only {
            sessions.retain(|line| line.id == *only);
            if sessions.is_empty() {
                return Err(session_not_found(only));
            }
        }
        let mut found = Vec::new();
        for line in sessions {
            let entries = ReadLog::new(self.log.clone()).entries(workspace, &line.id, 0).await?;
            found.extend(attempts(&line, &entries));
        }
        found.sort_by_key(|attempt| attempt.at);
        Ok(found)
    }
}

/// A session's own usage: for a copy, since it was copied.
pub(super) fn total_usage(line: &SessionListRow, entries: &[JournalEntry]) -> Usage {
    let mut all = Usage::default();
    attempts(line, entries).iter().for_each(|attempt| all.add(attempt.usage));
    all
}

/// The attempts recorded in a session's log, in order.
fn attempts(line: &SessionListRow, entries: &[JournalEntry]) -> Vec<AttemptCost> {
    let mut walk = AttemptCostCollector::new(line);
    for entry in entries {
        walk.input(entry);
        for appended in &entry.appended {
            if let LogAppend::Note(JournalNote::AttemptStarted { round, attempt }) = appended {
                walk.begin(RoundAttempt { round: *round, attempt: *attempt }, entry.at);
            }
        }
    }
    walk.found
}

struct AttemptCostCollector<'a> {
    line: &'a SessionListRow,
    automation: Option<String>,
    provider: String,
    model: String,
    found: Vec<AttemptCost>,
}

impl<'a> AttemptCostCollector<'a> {
    fn new(line: &'a SessionListRow) -> Self {
        let (provider, model) = (String::new(), String::new());
        Self { line, automation: None, provider, model, found: Vec::new() }
    }

    /// Records the start of an attempt; its usage is unknown until its answer arrives. Rounds that only repeat calls
    /// make no model call.
    fn begin(&mut self, number: RoundAttempt, at: Timestamp) {
        if relay::is_relay(&self.provider) {
            return;
        }
        self.found.push(AttemptCost {
            session: self.line.id.clone(),
            name: self.line.name.clone(),
            automation: self.automation.clone(),
            provider: self.provider.clone(),
            model: self.model.clone(),
            number,
            at,
            usage: Usage { unknown_attempts: 1, ..Usage::default() },
        });
    }

    /// Records the end of an attempt. A summary has no entry for its start.
    fn end(&mut self, entry: &JournalEntry, number: RoundAttempt, usage: Option<Usage>) {
        let is_it = |found: &AttemptCost| found.number == number;
        if !self.found.iter().any(is_it) {
            self.begin(number, entry.at);
        }
        let (Some(found), Some(usage)) = (self.found.iter_mut().rev().find(|one| is_it(one)), usage) else {
            return;
        };
        found.usage = usage;
    }

    fn input(&mut self, entry: &JournalEntry) {
        match &entry.input {
            Input::SessionCreated(creation) => self.automation.clone_from(&creation.automation),
            // Earlier entries were paid for by the session they were copied from.
            Input::SessionCopied { .. } => self.found.clear(),
            Input::AiResponseReceived(reply) => self.end(entry, reply.number(), reply.usage),
            // The request was not sent.
            Input::BudgetReached { round, attempt, .. } => {
                let number = RoundAttempt { round: *round, attempt: *attempt };
                self.found.retain(|found| found.number != number);
            }
            Input::ContextCompacted { round, attempt, summary, usage, .. }
                if usage.is_some() || asks_model(summary.method) =>
            {
                self.end(entry, RoundAttempt { round: *round, attempt: *attempt }, *usage);
            }
            Input::CompactionFailed { round, attempt, usage, .. } => {
                self.end(entry, RoundAttempt { round: *round, attempt: *attempt }, *usage);
            }
            Input::NetworkErrorOccurred { round, attempt, .. } => {
                self.end(entry, RoundAttempt { round: *round, attempt: *attempt }, Some(Usage::default()));
            }
            Input::ProviderErrorOccurred { round, attempt, failure, usage } => {
                let usage = usage.unwrap_or_default();
                // Usage reported before an answer broke off is not the whole usage billed.
                let usage = match failure.class {
                    FailureClass::Lost => {
                        Usage { unknown_attempts: 1, cost: Dollars::ZERO, priced: 0, ..usage }
                    }
                    _ => usage,
                };
                self.end(entry, RoundAttempt { round: *round, attempt: *attempt }, Some(usage));
            }
            _ => {}
        }
        // The failed attempt was sent to the previous model.
        if let Some(ModelSelection { provider, model, .. }) = changed_voice(entry) {
            (self.provider, self.model) = (provider, model);
        }
    }
}

/// Whether a summary of this kind costs a model call.
pub(super) const fn asks_model(method: SummaryMethod) -> bool {
    match method {
        SummaryMethod::Patch | SummaryMethod::Words => true,
        SummaryMethod::Mechanical => false,
    }
}
