use std::sync::Arc;

use entracte_domain::dollars::Dollars;
use entracte_domain::id::{SessionId, WorkspaceKey};
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

/// One attempt of a model call, and what it used and cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptCost {
    /// The session that made it.
    pub session: SessionId,
    /// The session's name.
    pub name: String,
    /// The automation that the session is a run of.
    pub automation: Option<String>,
    /// The provider that was called.
    pub provider: String,
    /// The model that was asked; empty for the provider's default.
    pub model: String,
    /// The round.
    pub round: u32,
    /// The attempt, from 1.
    pub attempt: u32,
    /// When it was started.
    pub at: Timestamp,
    /// What it used. Its cost is known or not known, never partly; an attempt without an answer that tells its usage is an
    /// unknown one, unless the provider was never reached or refused the request unread.
    pub usage: Usage,
}

/// Attempts that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CostTotal<Key> {
    /// What they have in common.
    pub key: Key,
    /// How many they are.
    pub attempts: u64,
    /// What they used and cost together.
    pub usage: Usage,
}

/// The sums of attempts with equal keys, in the order in which a key comes first.
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
    /// Lists what the model calls of a workspace used and cost, at the prices of when they were made. What a copy took over
    /// from another session is that session's; what was deleted is gone.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut log = MockLogReader::new();
    /// log.expect_lines().returning(|_| Ok(vec![]));
    /// let attempts = CostReport::new(Arc::new(log)).run(&samples::workspace(), None).await?;
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

/// What a session used by itself: in a copy, since it was copied.
pub(super) fn total_usage(line: &SessionListRow, entries: &[JournalEntry]) -> Usage {
    let mut all = Usage::default();
    attempts(line, entries).iter().for_each(|attempt| all.add(attempt.usage));
    all
}

/// The attempts that a session's log tells of, in order.
fn attempts(line: &SessionListRow, entries: &[JournalEntry]) -> Vec<AttemptCost> {
    let mut walk = AttemptCostCollector::new(line);
    for entry in entries {
        walk.input(entry);
        for appended in &entry.appended {
            if let LogAppend::Note(JournalNote::AttemptStarted { round, attempt }) = appended {
                walk.begin(*round, *attempt, entry.at);
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

    /// An attempt was started; its usage is not known before its answer comes. Where calls are only repeated, no model is
    /// called.
    fn begin(&mut self, round: u32, attempt: u32, at: Timestamp) {
        if relay::is_relay(&self.provider) {
            return;
        }
        self.found.push(AttemptCost {
            session: self.line.id.clone(),
            name: self.line.name.clone(),
            automation: self.automation.clone(),
            provider: self.provider.clone(),
            model: self.model.clone(),
            round,
            attempt,
            at,
            usage: Usage { unknown_attempts: 1, ..Usage::default() },
        });
    }

    /// An attempt came to this. A summary has no entry that says when it was started.
    fn end(&mut self, entry: &JournalEntry, (round, attempt): (u32, u32), usage: Option<Usage>) {
        let is_it = |found: &AttemptCost| (found.round, found.attempt) == (round, attempt);
        if !self.found.iter().any(is_it) {
            self.begin(round, attempt, entry.at);
        }
        let (Some(found), Some(usage)) = (self.found.iter_mut().rev().find(|one| is_it(one)), usage) else {
            return;
        };
        found.usage = usage;
    }

    fn input(&mut self, entry: &JournalEntry) {
        match &entry.input {
            Input::SessionCreated(creation) => self.automation.clone_from(&creation.automation),
            // What came before was called, and paid for, by the session that was copied.
            Input::SessionCopied { .. } => self.found.clear(),
            Input::AiResponseReceived(reply) => self.end(entry, (reply.round, reply.attempt), reply.usage),
            // It was not sent.
            Input::BudgetReached { round, attempt, .. } => {
                self.found.retain(|found| (found.round, found.attempt) != (*round, *attempt));
            }
            Input::ContextCompacted { round, attempt, summary, usage, .. }
                if usage.is_some() || asks_model(summary.method) =>
            {
                self.end(entry, (*round, *attempt), *usage);
            }
            Input::CompactionFailed { round, attempt, usage, .. } => {
                self.end(entry, (*round, *attempt), *usage);
            }
            Input::NetworkErrorOccurred { round, attempt, .. } => {
                self.end(entry, (*round, *attempt), Some(Usage::default()));
            }
            Input::ProviderErrorOccurred { round, attempt, failure, usage } => {
                let usage = usage.unwrap_or_default();
                // What was told before an answer broke off is not all that is on the bill.
                let usage = match failure.class {
                    FailureClass::Lost => {
                        Usage { unknown_attempts: 1, cost: Dollars::ZERO, priced: 0, ..usage }
                    }
                    _ => usage,
                };
                self.end(entry, (*round, *attempt), Some(usage));
            }
            _ => {}
        }
        // What failed was sent to the one before.
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
