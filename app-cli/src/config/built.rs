//! What the services are given, of the values that are set. Pure.

use entracte_application::rules::RuleBook;
use entracte_application::settings::{LiveBounds, RuntimeSettings};
use entracte_domain::session::SessionKind;
use entracte_domain::time::Millis;

use super::layers::Layer;
use super::value::Value;
use super::{bounds, rules};

/// The profile first, then what is set for all kinds, then what is set for one.
pub(super) fn rule_book(set: &Layer) -> RuleBook {
    let value = |name: String| set.values.get(&name).map(|(value, _)| value);
    let profile = value("limits.profile".to_owned()).and_then(rules::profile);
    let mut book = profile.map(RuleBook::new).unwrap_or_default();
    book.change(|kind: SessionKind, of_kind| {
        for field in rules::validation() {
            if let Some(value) = value(format!("validation.{}", field.name)) {
                (field.set)(of_kind, value);
            }
        }
        for field in rules::fields() {
            let general = value(format!("limits.{}", field.name));
            let own = value(format!("limits.{}.{}", kind.word(), field.name));
            if let Some(value) = own.or(general) {
                (field.set)(of_kind, value);
            }
        }
    });
    book
}

/// The runtime's own settings.
pub(super) fn runtime(set: &Layer) -> RuntimeSettings {
    let default = RuntimeSettings::default();
    let span = |name: &str, usual: Millis| match set.values.get(name) {
        Some((Value::Span(span), _)) => *span,
        Some(_) | None => usual,
    };
    let count = |name: &str, usual: usize| match set.values.get(name) {
        Some((Value::Count(count), _)) => usize::try_from(*count).unwrap_or(usize::MAX),
        Some(_) | None => usual,
    };
    RuntimeSettings {
        longest_sleep: span("runtime.longest_sleep", default.longest_sleep),
        mail_poll: span("runtime.mail_poll", default.mail_poll),
        keep_in_memory: span("runtime.keep_in_memory", default.keep_in_memory),
        lease: span("runtime.lease", default.lease),
        lease_margin: span("runtime.lease_margin", default.lease_margin),
        attachment_lease: span("runtime.attachment_lease", default.attachment_lease),
        message_max_chars: count("message.max_chars", default.message_max_chars),
        message_max_enrichments: count("message.max_enrichments", default.message_max_enrichments),
        result_max_chars: count("result.max_chars", default.result_max_chars),
        jitter: span("network.jitter", default.jitter),
        calls_at_once: count("network.calls_at_once", default.calls_at_once),
        network_probe: span("network.probe", default.network_probe),
        require_validation: matches!(set.values.get("validation.workspace"), Some((Value::Flag(true), _))),
        always_expires: span("validation.always_expires", default.always_expires),
        always_max: count("validation.always_max", default.always_max),
        data_entries: u32::try_from(count("prompt.data_entries", default.data_entries as usize))
            .unwrap_or(u32::MAX),
        deletions_kept: u32::try_from(count("runtime.deletions_kept", default.deletions_kept as usize))
            .unwrap_or(u32::MAX),
        receipts_kept: span("runtime.receipts_kept", default.receipts_kept),
        deletion_calls: count("runtime.deletion_calls", default.deletion_calls),
        occurrences_per_turn: count("automation.occurrences_per_turn", default.occurrences_per_turn),
        event_max_chars: count("automation.event_max_chars", default.event_max_chars),
        data_max_chars: count("prompt.data_max_chars", default.data_max_chars),
        live: LiveBounds {
            text: count("stream.text_bytes", default.live.text),
            thoughts: count("stream.reasoning_bytes", default.live.thoughts),
            total: count("stream.total_bytes", default.live.total),
        },
        // A command line has no prompt of its own that could say it.
        situational_layers: true,
        bounds: bounds::bounds(set),
    }
}
