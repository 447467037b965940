//! Instants and durations. The domain never reads a clock: instants come in with each input.

/// Microseconds since 1970-01-01T00:00:00Z, the resolution of Postgres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// A duration in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub i64);

impl Timestamp {
    /// This instant plus `span`, saturating.
    pub fn plus(self, span: Millis) -> Self {
        Self(self.0.saturating_add(span.0.saturating_mul(1000)))
    }

    /// Time since `earlier`; never negative, because clocks may be set back.
    pub fn since(self, earlier: Self) -> Millis {
        Millis(self.0.saturating_sub(earlier.0).max(0) / 1000)
    }
}

impl Millis {
    /// `n` seconds.
    pub const fn seconds(n: i64) -> Self {
        Self(n * 1000)
    }

    /// `n` minutes.
    pub const fn minutes(n: i64) -> Self {
        Self(n * 60_000)
    }

    /// `n` hours.
    pub const fn hours(n: i64) -> Self {
        Self(n * 3_600_000)
    }
}

/// A deadline and the instant at which it was armed. Only elapsed time makes it due. If the clock was set back behind
/// the arming instant, the elapsed time is unknown, and the deadline is armed again for its whole span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deadline {
    /// When the deadline was armed.
    pub armed_at: Timestamp,
    /// When it is due.
    pub due_at: Timestamp,
}

impl Deadline {
    /// Due `span` after `now`.
    pub fn after(now: Timestamp, span: Millis) -> Self {
        Self { armed_at: now, due_at: now.plus(span) }
    }

    /// Whether it is due at `now`.
    pub fn is_due(self, now: Timestamp) -> bool {
        now >= self.due_at
    }

    /// Whether it was armed after `now`, because the clock was set back.
    pub fn is_ahead(self, now: Timestamp) -> bool {
        now < self.armed_at
    }

    /// Arms the same span from `now` if the deadline was armed after `now`; otherwise unchanged.
    pub fn rebase_if_ahead(self, now: Timestamp) -> Self {
        if self.is_ahead(now) { Self::after(now, self.due_at.since(self.armed_at)) } else { self }
    }

    /// Whether a lease has ended at `now`. A lease that would last more than twice its span counts as ended: the clock
    /// was set back so far that only its holder, which renews it, knows whether it holds.
    pub fn has_lapsed(self, now: Timestamp) -> bool {
        let left = self.due_at.since(now).0;
        self.is_due(now) || left > self.due_at.since(self.armed_at).0.saturating_mul(2)
    }
}
