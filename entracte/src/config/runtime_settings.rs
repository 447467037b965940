//! Converts set values into the settings of the services. Pure.

use entracte_application::rule_book::RuleBook;
use entracte_application::settings::{LiveTextBounds, PlanBounds, RuntimeSettings};
use entracte_domain::session::SessionKind;
use entracte_domain::time::Millis;

use super::layers::ConfigLayer;
use super::value::SettingValue;
use super::{bound_settings, files, inbox, policy, retention, rules};

/// The rules: the profile, then the values for all kinds, then those for one kind.
pub(super) fn rule_book(set: &ConfigLayer) -> RuleBook {
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

/// Whether several servers share the database.
fn shares_database(set: &ConfigLayer) -> bool {
    matches!(set.values.get("runtime.shares_database"), Some((SettingValue::Flag(true), _)))
}

/// How long the ownership of the database is valid after its verification.
pub(super) fn lease(set: &ConfigLayer) -> Millis {
    let default = match shares_database(set) {
        true => RuntimeSettings::SHARED_LEASE,
        false => RuntimeSettings::default().lease,
    };
    set.span("runtime.lease", default)
}

fn lease_margin(set: &ConfigLayer) -> Millis {
    let default = match shares_database(set) {
        true => RuntimeSettings::SHARED_LEASE_MARGIN,
        false => RuntimeSettings::default().lease_margin,
    };
    set.span("runtime.lease_margin", default)
}

/// The settings of the runtime.
pub(super) fn runtime(set: &ConfigLayer) -> RuntimeSettings {
    let default = RuntimeSettings::default();
    RuntimeSettings {
        longest_sleep: set.span("runtime.longest_sleep", default.longest_sleep),
        mail_poll: set.span("runtime.mail_poll", default.mail_poll),
        keep_in_memory: set.span("runtime.keep_in_memory", default.keep_in_memory),
        lease: lease(set),
        lease_margin: lease_margin(set),
        shares_database: shares_database(set),
        reclaim: set.span("runtime.reclaim", default.reclaim),
        takeover_wait: set.span("runtime.takeover_wait", default.takeover_wait),
        summary_pieces: set.size("runtime.summary_pieces", default.summary_pieces),
        attachment_lease: set.span("runtime.attachment_lease", default.attachment_lease),
        message_max_chars: set.size("message.max_chars", default.message_max_chars),
        message_max_enrichments: set.size("message.max_enrichments", default.message_max_enrichments),
        result_max_chars: set.size("result.max_chars", default.result_max_chars),
        plans: PlanBounds {
            steps: set.size("plan.max_steps", default.plans.steps),
            chars: set.size("plan.max_chars", default.plans.chars),
        },
        jitter: set.span("network.jitter", default.jitter),
        calls_at_once: set.size("network.calls_at_once", default.calls_at_once),
        calls_in_tree: set.size("network.calls_in_tree", default.calls_in_tree),
        network_probe: set.span("network.probe", default.network_probe),
        require_validation: matches!(
            set.values.get("validation.workspace"),
            Some((SettingValue::Flag(true), _))
        ),
        always_expires: set.span("validation.always_expires", default.always_expires),
        always_max: set.size("validation.always_max", default.always_max),
        suggest_after: set.small("rules.suggest_after", default.suggest_after),
        policy_hook: policy::limits(set),
        data_entries: set.small("prompt.data_entries", default.data_entries),
        task_answer: set.span("runtime.task_answer", default.task_answer),
        retention: retention::retention(set),
        inbox: inbox::inbox(set),
        files: files::files(set),
        deletion_calls: set.size("runtime.deletion_calls", default.deletion_calls),
        occurrences_per_turn: set.size("automation.occurrences_per_turn", default.occurrences_per_turn),
        event_max_chars: set.size("automation.event_max_chars", default.event_max_chars),
        dry_run_lasts: set.span("automation.dry_run_lasts", default.dry_run_lasts),
        dry_runs_at_once: set.size("automation.dry_runs_at_once", default.dry_runs_at_once),
        instruction_bytes: set.size("instructions.max_bytes", default.instruction_bytes),
        instruction_versions: set.small("instructions.versions_kept", default.instruction_versions),
        data_max_chars: set.size("prompt.data_max_chars", default.data_max_chars),
        live: LiveTextBounds {
            text: set.size("stream.text_bytes", default.live.text),
            thoughts: set.size("stream.reasoning_bytes", default.live.thoughts),
            total: set.size("stream.total_bytes", default.live.total),
        },
        // A longer lifetime is refused where tokens are created.
        relay_lasts: set.span("stream.relay_lasts", default.relay_lasts),
        // A command line has no prompt of its own that could set it.
        situational_layers: true,
        bounds: bound_settings::bounds(set),
        // The environment sets it.
        language: default.language,
        zone: default.zone,
        // The providers set them, in `fallbacks`.
        fallbacks: default.fallbacks,
    }
}
