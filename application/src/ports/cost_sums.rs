//! What attempts of model calls used and cost, kept as rows by each commit and read as sums, so that no report reads
//! the log.

use entracte_domain::dollars::Dollars;
use entracte_domain::id::{RoundAttempt, SessionId, WorkspaceKey};
use entracte_domain::spending::{SpendingAmount, SpendingTotals};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::usage::Usage;

/// One attempt of a model call with its usage and cost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AttemptCostRow {
    /// The session that made the call.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// Its number within the session.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub number: RoundAttempt,
    /// When it started.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
    /// The automation, if the session is a run.
    pub automation: Option<String>,
    /// The called provider.
    pub provider: String,
    /// The requested model; empty for the provider's default.
    pub model: String,
    /// The person who began the exchange of the session's first attempt, or for whom an agent was started; empty for runs of
    /// automations and their agents, and if unknown. A store takes over that of the session's first stored attempt.
    pub person: String,
    /// The distinct known commands that its reply asked for, ordered by name, each on a line of its own; empty if none.
    pub commands: String,
    /// The usage. Its cost is either known or unknown, never partial; an attempt without reported usage has unknown
    /// cost, unless the provider was never reached or refused the request unread.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub usage: Usage,
    /// What it reserved of the caps that were set when it started, if any. A store takes over that of a new attempt, and
    /// [settles](AttemptReservation::after) that of a stored one.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub reservation: Option<AttemptReservation>,
}

/// The money and tokens that an attempt reserved: its worst case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptReservation {
    /// What was reserved. Zero dollars if the price was unknown and only tokens were capped.
    pub amount: SpendingAmount,
    /// What became of it.
    pub state: ReservationState,
}

entracte_domain::words! {
    /// What became of a reservation.
    pub enum ReservationState {
        /// The attempt is under way.
        Reserved = "reserved",
        /// The attempt ended, and its usage is unknown: perhaps billed.
        Uncertain = "uncertain",
        /// The usage is known and counts in place of the reservation.
        Settled = "settled",
    }
}

impl AttemptReservation {
    /// The reservation of an attempt that starts.
    pub const fn new(amount: SpendingAmount) -> Self {
        Self { amount, state: ReservationState::Reserved }
    }

    /// The reservation after the attempt ended with this usage.
    #[must_use]
    pub const fn after(self, usage: &Usage) -> Self {
        let state = match usage.unknown_attempts {
            0 => ReservationState::Settled,
            _ => ReservationState::Uncertain,
        };
        Self { state, ..self }
    }

    /// The reservation as sums, for this usage of its attempt.
    pub fn sums(self, usage: &Usage) -> ReservationSums {
        let Self { amount, state } = self;
        let none = ReservationSums::default();
        // An answer that broke off may have told tokens, but no cost.
        let told = SpendingAmount { tokens: usage.tokens(), cost: Dollars::ZERO };
        // The tokens are known, their price is not: unknown is not free.
        let is_unpriced = usage.priced == 0 && usage.tokens() > 0;
        match state {
            ReservationState::Reserved => ReservationSums { reserved: amount, ..none },
            ReservationState::Uncertain => {
                ReservationSums { uncertain: amount.minus(told), overrun: told.minus(amount), ..none }
            }
            ReservationState::Settled if is_unpriced => ReservationSums {
                uncertain: SpendingAmount { tokens: 0, ..amount },
                overrun: told.minus(amount),
                ..none
            },
            ReservationState::Settled => {
                let used = SpendingAmount { cost: usage.cost, ..told };
                ReservationSums { overrun: used.minus(amount), ..none }
            }
        }
    }

    /// The reservation of an attempt whose session goes: nobody will tell its usage any more.
    #[must_use]
    pub const fn orphaned(self) -> Self {
        match self.state {
            ReservationState::Reserved => Self { state: ReservationState::Uncertain, ..self },
            ReservationState::Uncertain | ReservationState::Settled => self,
        }
    }
}

/// Sums of reservations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReservationSums {
    /// Reserved by attempts under way.
    pub reserved: SpendingAmount,
    /// Reserved by attempts whose usage is unknown, without the tokens that were told all the same; and the money of those
    /// whose tokens turned out to have no known price.
    pub uncertain: SpendingAmount,
    /// What attempts used beyond their reservations.
    pub overrun: SpendingAmount,
}

impl ReservationSums {
    /// Adds other sums.
    pub const fn add(&mut self, other: Self) {
        self.reserved = self.reserved.plus(other.reserved);
        self.uncertain = self.uncertain.plus(other.uncertain);
        self.overrun = self.overrun.plus(other.overrun);
    }
}

impl AttemptCostRow {
    /// The reservation of this attempt as sums.
    pub fn reservation_sums(&self) -> ReservationSums {
        self.reservation.map(|reservation| reservation.sums(&self.usage)).unwrap_or_default()
    }
}

/// What the attempts of one sum have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CostSumBy {
    /// Nothing: one sum of all attempts; none if there are none.
    Everything,
    /// The attempt itself.
    Attempt,
    /// The round of a session.
    Round,
    /// The session or one above it: a sum has the attempts of a session and of all agents below it, so an attempt of an
    /// agent is part of several sums.
    Session,
    /// The root session of the tree of agents.
    Tree,
    /// The automation.
    Automation,
    /// The quarter of an hour in which the attempt started. Days of every zone consist of whole ones.
    QuarterHour,
    /// The model of a provider.
    Model,
    /// The provider.
    Provider,
    /// The person or automation that caused the attempt.
    Initiator,
    /// The commands that the reply asked for.
    CommandSet,
}

/// The person or automation that caused an attempt.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CostInitiator {
    /// Not known: the session was stored by an early version, or is a copy that no person wrote in.
    Unknown,
    /// A person, by name.
    Person(String),
    /// An automation, by id.
    Automation(String),
}

/// The value that the attempts of one sum have in common; see [`CostSumBy`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CostSumKey {
    /// All attempts.
    Everything,
    /// An attempt of a session.
    Attempt(SessionId, RoundAttempt),
    /// A round of a session.
    Round(SessionId, u32),
    /// A session with all agents below it.
    Session(SessionId),
    /// The root session of a tree; the session itself if it is no agent.
    Tree(SessionId),
    /// An automation; `None` for the attempts of other sessions.
    Automation(Option<String>),
    /// The first instant of a quarter of an hour.
    QuarterHour(Timestamp),
    /// A provider, and a model of it.
    Model(String, String),
    /// A provider.
    Provider(String),
    /// A person or an automation.
    Initiator(CostInitiator),
    /// Commands, as [`AttemptCostRow::commands`].
    CommandSet(String),
}

/// The length of [`CostSumBy::QuarterHour`].
pub const QUARTER_HOUR: Millis = Millis::minutes(15);

/// The sum over attempts with the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostSum {
    /// The common key.
    pub key: CostSumKey,
    /// Display name of the session of the key, if it has one and the session exists.
    pub name: Option<String>,
    /// Number of attempts.
    pub attempts: u64,
    /// The total usage and cost.
    pub usage: Usage,
    /// The total of their reservations.
    pub reservations: ReservationSums,
}

impl CostSum {
    /// What the attempts of this sum used of a cap.
    pub const fn spending(&self) -> SpendingTotals {
        let Self { usage, reservations: ReservationSums { reserved, uncertain, overrun: _ }, .. } = self;
        let spent = SpendingAmount::from_usage(usage);
        SpendingTotals { spent, reserved: *reserved, uncertain: *uncertain }
    }

    /// The share of each command in the usage of a command set, in the order of the set; the name is empty for replies
    /// without commands. Other sums have no shares.
    pub fn command_shares(&self) -> Vec<(&str, Usage)> {
        let CostSumKey::CommandSet(names) = &self.key else { return Vec::new() };
        // The set of no commands is one empty name.
        let names: Vec<&str> = names.split('\n').collect();
        let shares = self.usage.split(names.len());
        names.into_iter().zip(shares).collect()
    }
}

/// The place of a page of sums: opaque, made by the store, and valid for the filter it was given for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CostCursor(pub String);

/// Selects attempts, and what is summed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CostFilter {
    /// Only attempts of this workspace.
    pub workspace: WorkspaceKey,
    /// Only attempts of this session.
    pub session: Option<SessionId>,
    /// Only attempts of this session and of the agents below it, and no sums of sessions above it.
    pub tree: Option<SessionId>,
    /// Only attempts that this person or automation caused.
    pub initiator: Option<CostInitiator>,
    /// Only attempts that started at this instant or later.
    pub since: Option<Timestamp>,
    /// Only attempts that started before this instant.
    pub until: Option<Timestamp>,
    /// What the attempts of one sum have in common.
    pub by: CostSumBy,
    /// Only the sums after this place; `None` begins with the first.
    pub after: Option<CostCursor>,
    /// The maximum number of sums, at least 1.
    pub limit: u32,
}

impl CostFilter {
    /// All attempts of a workspace, and at most `limit` sums of them.
    pub fn new(workspace: WorkspaceKey, by: CostSumBy, limit: u32) -> Self {
        Self {
            workspace,
            session: None,
            tree: None,
            initiator: None,
            since: None,
            until: None,
            by,
            after: None,
            limit,
        }
    }
}

/// Some sums, in the order of their keys: sessions by age, and the attempts of a session by number. A session without
/// selected attempts of its own may stand just before the first agent below it that has some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostPage {
    /// The sums.
    pub sums: Vec<CostSum>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<CostCursor>,
}
