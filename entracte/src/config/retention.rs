//! Settings of retention, and the former names of some. Pure.

use entracte_application::settings::{RetentionLimit, RetentionPolicy, RetentionSettings, RetentionSubject};

use super::layers::ConfigLayer;
use super::setting_keys::SettingAlias;
use super::value::{SettingValue, SettingValueKind};

const EVERY: &str = "retention.every";
const ROWS_PER_COMMIT: &str = "retention.rows_per_commit";
const PAUSE: &str = "retention.pause";
const HOLDS: &str = "retention.holds";

/// Former names of limits.
pub(super) const ALIASES: [SettingAlias; 4] = [
    SettingAlias {
        name: "runtime.deletions_kept",
        kind: SettingValueKind::Count(1_000_000),
        of: "retention.deletions",
        convert: limit_of_count,
    },
    SettingAlias {
        name: "runtime.changes_kept",
        kind: SettingValueKind::Count(10_000_000),
        of: "retention.changes",
        convert: limit_of_count,
    },
    SettingAlias {
        name: "runtime.receipts_kept",
        kind: SettingValueKind::Span,
        of: "retention.receipts",
        convert: limit_of_span,
    },
    SettingAlias {
        name: "notify.kept",
        kind: SettingValueKind::Span,
        of: "retention.notifications",
        convert: limit_of_span,
    },
];

fn limit_of_count(value: SettingValue) -> SettingValue {
    match value {
        SettingValue::Count(count) => {
            let latest = u32::try_from(count).unwrap_or(u32::MAX);
            SettingValue::Text(RetentionLimit::of_latest(latest).text())
        }
        other => other,
    }
}

fn limit_of_span(value: SettingValue) -> SettingValue {
    match value {
        SettingValue::Span(age) => SettingValue::Text(RetentionLimit::of_age(age).text()),
        other => other,
    }
}

const fn key_of(subject: RetentionSubject) -> &'static str {
    match subject {
        RetentionSubject::Chats => "retention.chats",
        RetentionSubject::Automations => "retention.automations",
        RetentionSubject::Agents => "retention.agents",
        RetentionSubject::Results => "retention.results",
        RetentionSubject::Ledger => "retention.ledger",
        RetentionSubject::Documents => "retention.documents",
        RetentionSubject::Deletions => "retention.deletions",
        RetentionSubject::Changes => "retention.changes",
        RetentionSubject::Receipts => "retention.receipts",
        RetentionSubject::Notifications => "retention.notifications",
    }
}

/// The settings.
pub(super) fn keys() -> impl Iterator<Item = (&'static str, SettingValueKind)> {
    let limits = RetentionSubject::ALL
        .into_iter()
        .map(|subject| (key_of(subject), SettingValueKind::Retention(subject)));
    let others = [
        (EVERY, SettingValueKind::Span),
        (ROWS_PER_COMMIT, SettingValueKind::Count(10_000)),
        (PAUSE, SettingValueKind::Span),
        (HOLDS, SettingValueKind::Count(10_000)),
    ];
    limits.chain(others)
}

/// The limits of the layers.
pub(super) fn policy(set: &ConfigLayer) -> RetentionPolicy {
    let mut policy = RetentionPolicy::default();
    for subject in RetentionSubject::ALL {
        let text = set.text(key_of(subject));
        if let Some(limit) = text.and_then(|text| read_limit(subject, text)) {
            policy.set(subject, limit);
        }
    }
    policy
}

/// The limit of a text that was accepted. A former setting of 0 retained nothing longer than its commit.
fn read_limit(subject: RetentionSubject, text: &str) -> Option<RetentionLimit> {
    RetentionLimit::read(subject, text).or_else(|| {
        let age = entracte_application::duration_text::span(text)?;
        subject.takes_age().then_some(RetentionLimit::of_age(age))
    })
}

/// The retention settings of the layers.
pub(super) fn retention(set: &ConfigLayer) -> RetentionSettings {
    let usual = RetentionSettings::default();
    RetentionSettings {
        policy: policy(set),
        every: set.span(EVERY, usual.every),
        rows_per_commit: set.small(ROWS_PER_COMMIT, usual.rows_per_commit),
        pause: set.span(PAUSE, usual.pause),
        holds: set.size(HOLDS, usual.holds),
    }
}

/// Each setting with its value.
pub(super) fn shown(retention: &RetentionSettings) -> Vec<(&'static str, SettingValue)> {
    let limit = |subject| (key_of(subject), SettingValue::Text(retention.policy.limit(subject).text()));
    let mut shown: Vec<(&str, SettingValue)> = RetentionSubject::ALL.into_iter().map(limit).collect();
    let others = [
        (EVERY, SettingValue::Span(retention.every)),
        (ROWS_PER_COMMIT, SettingValue::Count(retention.rows_per_commit.into())),
        (PAUSE, SettingValue::Span(retention.pause)),
        (HOLDS, SettingValue::size(retention.holds)),
    ];
    shown.extend(others);
    shown
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use entracte_domain::time::Millis;

    use super::*;
    use crate::config::file::read;

    fn layer(text: &str) -> ConfigLayer {
        read("entracte.toml", text, Path::new("/project")).unwrap()
    }

    #[test]
    fn former_names_set_the_limits() {
        let former = layer(
            "[runtime]\ndeletions_kept = 7\nchanges_kept = 0\nreceipts_kept = \"2h\"\n[notify]\nkept = \"0s\"\n",
        );
        let policy = policy(&former);
        assert_eq!(policy.limit(RetentionSubject::Deletions), RetentionLimit::of_latest(7));
        assert!(policy.limit(RetentionSubject::Changes).is_forever());
        assert_eq!(policy.receipt_age(), Millis::hours(2));
        assert_eq!(policy.age_of(RetentionSubject::Notifications), Millis(0));
    }

    #[test]
    fn new_name_wins_over_the_former_one() {
        for text in [
            "[runtime]\ndeletions_kept = 7\n[retention]\ndeletions = \"latest 9\"\n",
            "[retention]\ndeletions = \"latest 9\"\n[runtime]\ndeletions_kept = 7\n",
        ] {
            let limit = policy(&layer(text)).limit(RetentionSubject::Deletions);
            assert_eq!(limit, RetentionLimit::of_latest(9), "{text}");
        }
    }

    #[test]
    fn every_key_is_shown() {
        let shown: Vec<&str> = shown(&RetentionSettings::default()).into_iter().map(|(key, _)| key).collect();
        assert_eq!(shown, keys().map(|(key, _)| key).collect::<Vec<_>>());
    }
}
