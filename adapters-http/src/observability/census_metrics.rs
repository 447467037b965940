//! Metrics of the database at the time of the scrape.

use std::time::Duration;

use entracte_application::ports::SessionStatistics;
use entracte_domain::time::Timestamp;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::PREFIX;
use super::labels::SessionPhaseLabels;

/// The values of a census as a separate registry, built anew for each scrape.
pub(crate) fn census_registry(census: &SessionStatistics, now: Timestamp) -> Registry {
    let mut registry = Registry::with_prefix(PREFIX);
    let phases = Family::<SessionPhaseLabels, Gauge>::default();
    for (phase, sessions) in &census.phases {
        phases.get_or_create(&SessionPhaseLabels { phase: phase.clone() }).set(gauge_value(*sessions));
    }
    registry.register("sessions", "Sessions, by their phase", phases);
    let oldest = Gauge::<f64, std::sync::atomic::AtomicU64>::default();
    oldest.set(
        census.waits_since.map_or(0.0, |since| {
            Duration::from_millis(now.since(since).0.max(0).unsigned_abs()).as_secs_f64()
        }),
    );
    registry.register("oldest_wait_seconds", "How long the longest wait for a person is", oldest);
    let open = Gauge::<i64>::default();
    open.set(gauge_value(census.approvals_open));
    registry.register("approvals_open", "Calls that wait for a decision", open);
    let unknown = Gauge::<i64>::default();
    unknown.set(gauge_value(census.unknown_outcomes));
    registry.register("unknown_outcomes", "Actions with an unknown outcome", unknown);
    registry
}

fn gauge_value(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
