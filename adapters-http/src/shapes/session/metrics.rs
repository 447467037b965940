//! Shapes of how a session went, and of how full its prompt is.

use std::borrow::Cow;

use entracte_application::ports::ReservationSums;
use entracte_application::runtime::PrefixOverrun;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{ContextUsage, SessionMetrics, SessionOrigin};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::shapes::cost::{ReservationsShape, UsageShape};

/// How a session went.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MetricsShape {
    /// Rounds.
    pub rounds: u32,
    /// Rounds that the session started by itself.
    pub relaunches: u32,
    /// Rounds that were not made because nothing came of those before.
    pub early_stops: u32,
    /// Last rounds before a limit.
    pub circuit_breaks: u32,
    /// Calls.
    pub calls: u32,
    /// Of a hundred rounds; null before the first.
    pub calls_per_hundred_rounds: Option<u64>,
    /// Those that succeeded.
    pub succeeded: u32,
    /// Those that failed.
    pub failed: u32,
    /// Calls of unknown outcome that nobody has settled.
    #[serde(default)]
    pub unknown: u32,
    /// Of a hundred that came to an end; null before the first.
    pub success_percent: Option<u64>,
    /// Milliseconds that calls took together.
    pub took_ms: i64,
    /// Calls that were begun and came to an end: those that `took_ms` counts.
    #[serde(default)]
    pub timed: u32,
    /// Milliseconds of the longest.
    pub longest_ms: i64,
    /// Where a copy comes from; null for other sessions.
    pub copied: Option<SessionOriginShape>,
    /// What a copy and the agents below it used since it was made; null for other sessions.
    pub used_since_copy: Option<UsageShape>,
    /// What its model calls and those of the agents below it reserve of caps; missing if nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservations: Option<ReservationsShape>,
    /// How full the prompt is.
    pub context: ContextShape,
}

/// How full the prompt of a session is, in tokens.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ContextShape {
    /// The last request with its answer.
    pub size: u64,
    /// Of these, those that the provider counted; the others are estimated.
    pub counted: u64,
    /// Beyond this the conversation is summed up; null where the provider cannot be had.
    pub budget: Option<u64>,
    /// What the model reads and writes at once; null where the provider cannot be had.
    pub window: Option<u64>,
    /// Who says so: `setting`, `listing`, `table` or `guess`.
    pub window_told: Option<Cow<'static, str>>,
    /// What stands before the conversation in every request, estimated.
    pub prefix: u64,
    /// What that may have of the budget; null where it has no more.
    pub prefix_most: Option<u64>,
    /// Its largest part, where it has more: `instructions workspace`.
    pub prefix_largest: Option<String>,
    /// Where it has more: by how much, and what to do, in the language of the reader.
    pub prefix_advice: Option<String>,
}

impl ContextShape {
    /// How much of its budget the prompt has, in percent; `None` if the budget is unknown.
    pub fn percent(&self) -> Option<u64> {
        self.size.saturating_mul(100).checked_div(self.budget?)
    }

    /// The shape of what was measured, with advice in this language.
    pub fn new(full: &ContextUsage, texts: &LocalizedTexts) -> Self {
        Self {
            size: full.size.tokens,
            counted: full.size.counted,
            budget: full.budget,
            window: full.window.map(|window| window.tokens),
            window_told: full.window.map(|window| window.told.word().into()),
            prefix: full.prefix,
            prefix_most: full.overweight.as_ref().map(|heavy| heavy.most),
            prefix_largest: full.overweight.as_ref().map(PrefixOverrun::part_name),
            prefix_advice: full
                .overweight
                .as_ref()
                .map(|heavy| format!("{}. {}", heavy.describe(texts), heavy.describe_fix(texts))),
        }
    }
}

/// Where a copy of a session comes from.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SessionOriginShape {
    /// The original.
    pub session: String,
    /// Why the original had ended when it was copied; null if it had not.
    pub ended: Option<Cow<'static, str>>,
}

impl From<SessionOrigin> for SessionOriginShape {
    fn from(origin: SessionOrigin) -> Self {
        let ended = origin.ended.map(|reason| reason.word().into());
        Self { session: origin.session.to_string(), ended }
    }
}

impl MetricsShape {
    /// The shape of a session's metrics.
    pub fn new(metrics: &SessionMetrics, reservations: ReservationSums, context: ContextShape) -> Self {
        Self {
            rounds: metrics.rounds,
            relaunches: metrics.relaunches,
            early_stops: metrics.early_stops,
            circuit_breaks: metrics.circuit_breaks,
            calls: metrics.calls,
            succeeded: metrics.succeeded,
            failed: metrics.failed,
            unknown: metrics.unknown,
            success_percent: metrics.success_percent(),
            took_ms: metrics.took.0,
            longest_ms: metrics.longest.0,
            timed: metrics.timed,
            calls_per_hundred_rounds: metrics.calls_per_hundred_rounds(),
            copied: metrics.copied.clone().map(SessionOriginShape::from),
            used_since_copy: metrics.used_since.map(UsageShape::from),
            reservations: ReservationsShape::of(reservations),
            context,
        }
    }
}
