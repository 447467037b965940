//! Limits on the use of a standing approval, and what calls used of them.
//!
//! A use is reserved by the commit that requests the call, so that parallel sessions never share it, and counts for the
//! day of the commit that starts the call. Reserved uses count for every day. A call counts once, however often it is
//! tried; what surely had no effect is given back.

use crate::decimal::Decimal;
use crate::id::{CallId, SessionId};
use crate::time::{Millis, Timestamp};
use crate::value::JsonValue;

/// Limit on the calls that a rule approves, and on the sum of one of their arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct UseLimit {
    /// Most calls.
    pub calls: Option<u32>,
    /// Largest sum.
    pub sum: Option<Decimal>,
}

/// Limits of a rule; all of them hold at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UseLimits {
    /// Limit for each session with its agents: one run of an automation.
    pub run: UseLimit,
    /// Limit for each day of the workspace.
    pub day: UseLimit,
    /// Limit for all calls.
    pub total: UseLimit,
    /// The argument whose numbers are summed; given exactly if some limit has a sum.
    pub summed: Option<String>,
}

/// What calls used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct UseTally {
    /// Number of calls.
    pub calls: u32,
    /// Sum of their amounts.
    pub sum: Decimal,
}

crate::words! {
    /// What became of a use.
    pub enum RuleUseState {
        /// The call waits to start; a call that ends without an effect gives the use back.
        Reserved = "reserved",
        /// The call was started.
        Started = "started",
    }
}

/// The use of a rule by one call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuleUse {
    /// The call.
    pub call: CallId,
    /// Its amount; zero if no argument is summed.
    pub amount: Decimal,
    /// When the use was reserved, or the call started.
    pub at: Timestamp,
    /// Whether the call was started.
    pub state: RuleUseState,
}

/// A call that claims a use.
#[derive(Clone, Copy, Debug)]
pub struct UseClaim<'a> {
    /// The call.
    pub call: &'a CallId,
    /// Its arguments.
    pub arguments: &'a JsonValue,
    /// The root of its session's tree of agents.
    pub run: &'a SessionId,
    /// Beginning of the present day of the workspace.
    pub day: Timestamp,
    /// The present instant.
    pub now: Timestamp,
}

/// The limits of a rule, and what calls used of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RuleUses {
    /// The limits.
    pub limits: UseLimits,
    /// Everything that was used.
    pub total: UseTally,
    /// The latest day of the workspace that had a use, with what was started on it; `None` if days have no limit.
    pub day: Option<(Timestamp, UseTally)>,
    /// What each session with its agents used, if the rule limits that; without those that ended.
    pub runs: Vec<(SessionId, UseTally)>,
    /// The latest uses, the earliest first, and all that are reserved.
    pub latest: Vec<RuleUse>,
}

impl UseLimit {
    fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Whether this much is within the limit.
    fn admits(self, used: UseTally) -> bool {
        self.calls.is_none_or(|most| used.calls <= most) && self.sum.is_none_or(|most| used.sum <= most)
    }

    /// Whether nothing is left for a further call.
    fn is_used_up(self, used: UseTally) -> bool {
        self.calls.is_some_and(|most| used.calls >= most) || self.sum.is_some_and(|most| used.sum >= most)
    }
}

impl UseLimits {
    /// Largest number of calls that a limit may name.
    pub const CALLS_MAX: u32 = 1_000_000;

    /// Limits the number of all calls.
    pub fn calls_in_all(most: u32) -> Self {
        Self { total: UseLimit { calls: Some(most), sum: None }, ..Self::default() }
    }

    /// Whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the limits fit together: each number of calls is 1 to [`Self::CALLS_MAX`], each sum is positive, and an
    /// argument is summed exactly if a sum is limited.
    pub fn is_valid(&self) -> bool {
        let limits = [self.run, self.day, self.total];
        let has_sum = limits.iter().any(|limit| limit.sum.is_some());
        let fits = |limit: &UseLimit| {
            limit.calls.is_none_or(|calls| (1..=Self::CALLS_MAX).contains(&calls))
                && limit.sum.is_none_or(|sum| sum > Decimal::ZERO)
        };
        limits.iter().all(fits) && self.summed.is_some() == has_sum
    }

    /// Whether a first call with this amount is within the limits.
    pub fn admit_first(&self, amount: Decimal) -> bool {
        let used = UseTally { calls: 1, sum: amount };
        [self.run, self.day, self.total].iter().all(|limit| limit.admits(used))
    }

    /// The amount of a call: zero if no argument is summed, `None` if its argument is missing, is not a number in plain
    /// notation, or is negative and would make room for others.
    pub fn amount_of(&self, arguments: &JsonValue) -> Option<Decimal> {
        let Some(name) = &self.summed else { return Some(Decimal::ZERO) };
        let mut given = arguments.as_object()?.iter().filter(|(known, _)| known == name);
        let (Some((_, value)), None) = (given.next(), given.next()) else { return None };
        match value {
            JsonValue::Number(number) => number.parse().ok().filter(|amount: &Decimal| !amount.is_negative()),
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Text(_)
            | JsonValue::List(_)
            | JsonValue::Object(_) => None,
        }
    }
}

impl UseTally {
    fn plus(self, amount: Decimal) -> Option<Self> {
        Some(Self { calls: self.calls.checked_add(1)?, sum: self.sum.plus(amount)? })
    }

    fn minus(self, amount: Decimal) -> Self {
        let sum = self.sum.minus(amount).unwrap_or(self.sum);
        Self { calls: self.calls.saturating_sub(1), sum }
    }
}

/// What the use of a claim changes.
struct UseChange {
    amount: Decimal,
    /// All uses with it.
    total: UseTally,
    /// The uses of its session with it.
    in_run: UseTally,
    /// The place of the remembered use that makes room for it; `None` if there is room.
    earliest: Option<usize>,
}

impl RuleUses {
    /// Most uses that are remembered one by one; more reserved ones are not given.
    pub const LATEST_MAX: usize = 100;
    /// Most sessions that have not ended whose use is remembered; the calls of more need an approval.
    pub const RUNS_MAX: usize = 200;
    /// Shortest time from the beginning of one day to that of the next: less than any day on which clocks change, and more
    /// than a changed zone can win.
    const DAY_MIN: Millis = Millis::hours(22);

    /// Creates the account of a new rule.
    pub fn new(limits: UseLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Whether nothing is left for any further call.
    pub fn is_used_up(&self) -> bool {
        self.limits.total.is_used_up(self.total)
    }

    /// What was used on the day that begins at `day`, with all that is reserved. A clock that was set back, or another
    /// zone, opens no other day: the latest one lasts until a later day begins.
    pub fn used_on(&self, day: Timestamp) -> UseTally {
        let (_, started) = self.started_on(day);
        let reserved = self.latest.iter().filter(|used| used.state == RuleUseState::Reserved);
        // What is added here was added to the total before, which did not overflow.
        reserved.fold(started, |tally, used| tally.plus(used.amount).unwrap_or(tally))
    }

    /// The day that counts at `day`, and what was started on it.
    fn started_on(&self, day: Timestamp) -> (Timestamp, UseTally) {
        match self.day {
            Some((latest, started)) if day.since(latest) < Self::DAY_MIN => (latest, started),
            Some(_) | None => (day, UseTally::default()),
        }
    }

    /// What a session with its agents used.
    pub fn used_in(&self, run: &SessionId) -> UseTally {
        self.runs.iter().find(|(known, _)| known == run).map(|(_, used)| *used).unwrap_or_default()
    }

    /// Whether the call holds a reserved use, or started on one that is still remembered.
    pub fn has_use_of(&self, call: &CallId) -> bool {
        self.latest.iter().any(|used| used.call == *call)
    }

    /// Whether a call has a use, or can get one within all limits.
    pub fn admits(&self, claim: &UseClaim<'_>) -> bool {
        self.has_use_of(claim.call) || self.check_claim(claim).is_some()
    }

    /// Reserves a use; returns whether the call has one now. The same call is counted once.
    pub fn reserve(&mut self, claim: &UseClaim<'_>) -> bool {
        if self.has_use_of(claim.call) {
            return true;
        }
        let Some(UseChange { amount, total, in_run, earliest }) = self.check_claim(claim) else {
            return false;
        };
        self.total = total;
        if !self.limits.day.is_none() {
            // Noted now: a clock that is set back before the call starts must not return to an earlier day.
            self.day = Some(self.started_on(claim.day));
        }
        if !self.limits.run.is_none() {
            match self.runs.iter_mut().find(|(known, _)| known == claim.run) {
                Some((_, used)) => *used = in_run,
                None => self.runs.push((claim.run.clone(), in_run)),
            }
        }
        if let Some(earliest) = earliest {
            self.latest.remove(earliest);
        }
        let (call, at) = (claim.call.clone(), claim.now);
        self.latest.push(RuleUse { call, amount, at, state: RuleUseState::Reserved });
        true
    }

    /// What this claim would change; `None` if it exceeds a limit.
    fn check_claim(&self, claim: &UseClaim<'_>) -> Option<UseChange> {
        let amount = self.limits.amount_of(claim.arguments)?;
        let total = self.total.plus(amount)?;
        let (in_run, on_day) = (self.used_in(claim.run).plus(amount)?, self.used_on(claim.day).plus(amount)?);
        let UseLimits { run, day, total: of_all, summed: _ } = &self.limits;
        if !run.admits(in_run) || !day.admits(on_day) || !of_all.admits(total) {
            return None;
        }
        let is_known = || self.runs.iter().any(|(known, _)| known == claim.run);
        if !run.is_none() && self.runs.len() >= Self::RUNS_MAX && !is_known() {
            return None;
        }
        let started = |used: &RuleUse| used.state == RuleUseState::Started;
        let earliest = match self.latest.len() >= Self::LATEST_MAX {
            // The earliest use that needs no more attention.
            true => Some(self.latest.iter().position(started)?),
            false => None,
        };
        Some(UseChange { amount, total, in_run, earliest })
    }

    /// Counts a reserved use as started at `now`, on the day that begins at `day`; returns whether that is a change.
    pub fn start(&mut self, call: &CallId, day: Timestamp, now: Timestamp) -> bool {
        let Some(used) = self.reserved_mut(call) else { return false };
        (used.state, used.at) = (RuleUseState::Started, now);
        let amount = used.amount;
        if !self.limits.day.is_none() {
            let (latest, started) = self.started_on(day);
            self.day = Some((latest, started.plus(amount).unwrap_or(started)));
        }
        true
    }

    /// Gives a reserved use back; returns whether that is a change. A started one is never given back.
    pub fn release(&mut self, call: &CallId, run: &SessionId) -> bool {
        let Some(amount) = self.reserved_mut(call).map(|used| used.amount) else { return false };
        self.latest.retain(|used| used.call != *call);
        self.total = self.total.minus(amount);
        if let Some((_, used)) = self.runs.iter_mut().find(|(known, _)| known == run) {
            *used = used.minus(amount);
        }
        true
    }

    /// Forgets what a session used that has ended and can request no more; returns whether that is a change.
    pub fn forget_run(&mut self, run: &SessionId) -> bool {
        let before = self.runs.len();
        self.runs.retain(|(known, _)| known != run);
        self.runs.len() != before
    }

    fn reserved_mut(&mut self, call: &CallId) -> Option<&mut RuleUse> {
        let is_it = |used: &&mut RuleUse| used.call == *call && used.state == RuleUseState::Reserved;
        self.latest.iter_mut().find(is_it)
    }
}

#[cfg(test)]
mod tests;
