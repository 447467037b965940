use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;
use jiff::tz::TimeZone;

use super::UseCaseError;
use super::read_session::session_not_found;
use crate::attempt_costs::attempt_costs;
use crate::journal::JournalEntry;
use crate::ports::{
    CostCursor, CostFilter, CostInitiator, CostSum, CostSumBy, CostSumKey, LogReader, ReservationSums,
    StoreError,
};

entracte_domain::words! {
    /// What a row of a cost report stands for.
    pub enum CostReportGrouping {
        /// A session with all agents below it. Agents have rows of their own, too, so the rows overlap.
        Session = "session",
        /// One round of a session with all its attempts.
        Round = "round",
        /// One attempt of a model call.
        Attempt = "attempt",
        /// A day in the time zone of the report.
        Day = "day",
        /// A model of a provider.
        Model = "model",
        /// A provider.
        Provider = "provider",
        /// An automation with all its runs.
        Automation = "automation",
        /// A session that no other one called, with all agents below it. The rows do not overlap.
        Tree = "tree",
        /// The person who began the work, or the automation that did.
        Person = "person",
        /// A command that replies asked for. The usage of a reply that asked for several is split into equal shares.
        Command = "command",
    }
}

/// Which costs to report.
#[derive(Clone, Debug)]
pub struct CostReportQuery {
    /// What each row stands for.
    pub by: CostReportGrouping,
    /// Only attempts of this session and of the agents below it.
    pub session: Option<SessionId>,
    /// Only attempts that started at this instant or later.
    pub since: Option<Timestamp>,
    /// Only attempts that started before this instant.
    pub until: Option<Timestamp>,
    /// The time zone of days.
    pub zone: TimeZone,
    /// Only the rows after this place: [`CostReport::next`] of the page before.
    pub after: Option<String>,
    /// The maximum number of rows, at least 1.
    pub limit: u32,
}

/// One row of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostReportRow {
    /// The id, day or name that its attempts have in common; of an automation among persons [`AUTOMATION_KEY`] and its id.
    /// `None` for attempts outside any automation, of an unknown person, or whose reply asked for no command.
    pub key: Option<String>,
    /// Display name of the session of the key, if it is a session's.
    pub name: Option<String>,
    /// Number of attempts.
    pub attempts: u64,
    /// Their usage and cost.
    pub usage: Usage,
    /// What they reserved of caps. Of a command: what replies reserved in whose list it is the first.
    pub reservations: ReservationSums,
}

/// The sum of all attempts of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostTotal {
    /// Number of attempts.
    pub attempts: u64,
    /// Their usage and cost.
    pub usage: Usage,
    /// What they reserved of caps.
    pub reservations: ReservationSums,
}

/// What the key of an automation among persons begins with. No person is added under such a name, because of its brackets.
pub const AUTOMATION_KEY: &str = "(automation) ";

/// A page of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostReport {
    /// The rows: sessions by age, their attempts by number, other keys in their order.
    pub rows: Vec<CostReportRow>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<String>,
}

use_case! {
    /// Sums the usage and cost of a workspace's model calls, at the prices of the time they were made. Entries copied
    /// from another session count for that session only; deleted sessions are not included, and those that
    /// went by the retention policy count without their ids. Only sums are read, so that
    /// a page costs the memory of its rows.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut log = MockLogReader::new();
    /// log.expect_cost_sums().returning(|_| Ok(Default::default()));
    /// let total = ReportCosts::new(Arc::new(log)).total(&samples::workspace(), None, (None, None)).await?;
    /// assert_eq!(total, CostTotal::default(), "nothing was called yet");
    /// # Ok(()) });
    /// ```
    pub struct ReportCosts reads (log: dyn LogReader)
}

/// Instants from the first on, and before the second.
type CostInterval = (Option<Timestamp>, Option<Timestamp>);

impl ReportCosts {
    /// A page of the report.
    ///
    /// # Errors
    /// When there is no such session, the place was not given for this report, or a row cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        query: &CostReportQuery,
    ) -> Result<CostReport, UseCaseError> {
        self.check_session(workspace, query.session.as_ref()).await?;
        let by = match query.by {
            CostReportGrouping::Session => CostSumBy::Session,
            CostReportGrouping::Round => CostSumBy::Round,
            CostReportGrouping::Attempt => CostSumBy::Attempt,
            CostReportGrouping::Day => CostSumBy::QuarterHour,
            CostReportGrouping::Model => CostSumBy::Model,
            CostReportGrouping::Provider => CostSumBy::Provider,
            CostReportGrouping::Automation => CostSumBy::Automation,
            CostReportGrouping::Tree => CostSumBy::Tree,
            CostReportGrouping::Person => CostSumBy::Initiator,
            CostReportGrouping::Command => CostSumBy::CommandSet,
        };
        let filter = CostFilter {
            tree: query.session.clone(),
            since: query.since,
            until: query.until,
            after: query.after.clone().map(CostCursor),
            ..CostFilter::new(workspace.clone(), by, query.limit)
        };
        match query.by {
            CostReportGrouping::Day => self.days(filter, &query.zone).await,
            CostReportGrouping::Command => self.commands(filter).await,
            _ => {
                let page = self.log.cost_sums(&filter).await?;
                let rows = page.sums.into_iter().map(CostReportRow::from).collect();
                Ok(CostReport { rows, next: page.next.map(|next| next.0) })
            }
        }
    }

    /// The attempts in this interval: of a workspace, or of one session of it with all agents
    /// below it.
    ///
    /// # Errors
    /// When there is no such session, or a row cannot be read.
    pub async fn total(
        &self,
        workspace: &WorkspaceKey,
        only: Option<&SessionId>,
        (since, until): CostInterval,
    ) -> Result<CostTotal, UseCaseError> {
        self.check_session(workspace, only).await?;
        let filter = CostFilter {
            tree: only.cloned(),
            since,
            until,
            ..CostFilter::new(workspace.clone(), CostSumBy::Everything, 1)
        };
        let sum = self.log.cost_sums(&filter).await?.sums.pop();
        Ok(sum.map_or_else(CostTotal::default, |sum| CostTotal {
            attempts: sum.attempts,
            usage: sum.usage,
            reservations: sum.reservations,
        }))
    }

    /// The number of sessions that the report leaves out, because their logs could not be read when their costs were
    /// added up.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn uncounted_sessions(&self, workspace: &WorkspaceKey) -> Result<u64, UseCaseError> {
        Ok(self.log.uncounted_sessions(workspace).await?)
    }

    async fn check_session(
        &self,
        workspace: &WorkspaceKey,
        only: Option<&SessionId>,
    ) -> Result<(), UseCaseError> {
        let Some(only) = only else { return Ok(()) };
        // The id itself comes before those that it begins.
        let found = self.log.sessions_by_prefix(workspace, only.as_str()).await?;
        if found.first() == Some(only) { Ok(()) } else { Err(session_not_found(only)) }
    }

    /// Days are folded from quarters of an hour, of which a few days are read at once. The place of a page is the first
    /// instant of its first quarter.
    async fn days(&self, mut filter: CostFilter, zone: &TimeZone) -> Result<CostReport, UseCaseError> {
        let limit = filter.limit.max(1) as usize;
        let mut days: Vec<CostReportRow> = Vec::new();
        if let Some(CostCursor(place)) = filter.after.take() {
            let place = place.parse().map_err(|_| StoreError::Inconsistent(format!("the place {place}")))?;
            filter.since = filter.since.max(Some(Timestamp(place)));
        }
        filter.limit = QUARTERS;
        loop {
            let page = self.log.cost_sums(&filter).await?;
            for CostSum { key, attempts, usage, reservations, .. } in page.sums {
                let CostSumKey::QuarterHour(at) = key else { continue };
                let day = day_of(at, zone);
                if days.last().is_none_or(|last| last.key != day) {
                    if days.len() == limit {
                        return Ok(CostReport { rows: days, next: Some(at.0.to_string()) });
                    }
                    days.push(CostReportRow { key: day, ..CostReportRow::default() });
                }
                if let Some(row) = days.last_mut() {
                    row.attempts += attempts;
                    row.usage.add(usage);
                    row.reservations.add(reservations);
                }
            }
            match page.next {
                Some(place) => filter.after = Some(place),
                None => return Ok(CostReport { rows: days, next: None }),
            }
        }
    }

    /// Commands are folded from the sets of commands that replies asked for, of which there are few. The place of a page is
    /// the last command before it.
    async fn commands(&self, mut filter: CostFilter) -> Result<CostReport, UseCaseError> {
        let limit = filter.limit.max(1) as usize;
        let after = filter.after.take().map(|CostCursor(place)| place);
        filter.limit = COMMAND_SETS;
        let mut commands: BTreeMap<String, CostTotal> = BTreeMap::new();
        loop {
            let page = self.log.cost_sums(&filter).await?;
            for set in &page.sums {
                for (index, (name, share)) in set.command_shares().into_iter().enumerate() {
                    let sum = commands.entry(name.to_owned()).or_default();
                    sum.attempts += set.attempts;
                    sum.usage.add(share);
                    if index == 0 {
                        sum.reservations.add(set.reservations);
                    }
                }
            }
            match page.next {
                Some(place) => filter.after = Some(place),
                None => break,
            }
        }
        let is_left = |name: &String| after.as_ref().is_none_or(|after| name > after);
        let mut left = commands.into_iter().filter(|(name, _)| is_left(name));
        let row = |(name, sum): (String, CostTotal)| CostReportRow {
            key: some_text(name),
            name: None,
            attempts: sum.attempts,
            usage: sum.usage,
            reservations: sum.reservations,
        };
        let mut names = Vec::new();
        let mut rows = Vec::new();
        for found in left.by_ref().take(limit) {
            names.push(found.0.clone());
            rows.push(row(found));
        }
        let next = left.next().and_then(|_| names.pop());
        Ok(CostReport { rows, next })
    }
}

/// Sets of commands that are read at once.
const COMMAND_SETS: u32 = 500;

fn some_text(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// Quarters of an hour that are read at once: those of four days.
const QUARTERS: u32 = 4 * 24 * 4;

/// The day of an instant; `None` outside the supported years.
fn day_of(at: Timestamp, zone: &TimeZone) -> Option<String> {
    let at = jiff::Timestamp::from_microsecond(at.0).ok()?;
    Some(at.to_zoned(zone.clone()).date().to_string())
}

impl From<CostSum> for CostReportRow {
    fn from(sum: CostSum) -> Self {
        let CostSum { key, name, attempts, usage, reservations } = sum;
        let key = match key {
            CostSumKey::Everything => None,
            CostSumKey::Attempt(session, number) => Some(session.model_call_id(number).to_string()),
            CostSumKey::Round(session, round) => Some(format!("{session} {round}")),
            // Sessions that went by the retention policy have no id left.
            CostSumKey::Session(session) | CostSumKey::Tree(session) => some_text(session.to_string()),
            CostSumKey::Automation(automation) => automation,
            CostSumKey::QuarterHour(at) => Some(at.0.to_string()),
            CostSumKey::Model(provider, model) => Some(format!("{provider}/{model}")),
            CostSumKey::Provider(provider) => Some(provider),
            CostSumKey::Initiator(CostInitiator::Unknown) => None,
            CostSumKey::Initiator(CostInitiator::Person(person)) => Some(person),
            CostSumKey::Initiator(CostInitiator::Automation(automation)) => {
                Some(format!("{AUTOMATION_KEY}{automation}"))
            }
            CostSumKey::CommandSet(names) => some_text(names),
        };
        Self { key, name, attempts, usage, reservations }
    }
}

/// A session's own usage: for a copy, since it was copied.
pub(super) fn total_usage(session: &SessionId, entries: &[JournalEntry]) -> Usage {
    let mut all = Usage::default();
    attempt_costs(session, entries).iter().for_each(|attempt| all.add(attempt.usage));
    all
}
