//! Settings of notifications. Pure.

use std::path::{Path, PathBuf};

use entracte_adapters_commands::egress::AllowedHost;
use entracte_application::settings::{NotifySettings, RetentionSubject};

use super::layers::ConfigLayer;
use super::retention;
use super::server::list;
use super::value::{SettingValue, SettingValueKind};
use crate::user_text::{ConfigFault, message};

/// Settings of notifications.
pub(super) const KEYS: [(&str, SettingValueKind); 15] = [
    ("notify.poll", SettingValueKind::Span),
    ("notify.look", SettingValueKind::Span),
    ("notify.timeout", SettingValueKind::Span),
    ("notify.retry", SettingValueKind::Span),
    ("notify.retry_max", SettingValueKind::Span),
    ("notify.give_up", SettingValueKind::Span),
    ("notify.reminder", SettingValueKind::Span),
    ("notify.rule_ahead", SettingValueKind::Span),
    ("notify.together", SettingValueKind::Count(10_000)),
    ("notify.named", SettingValueKind::Count(1_000)),
    ("notify.batch", SettingValueKind::Count(10_000)),
    ("notify.link_lasts", SettingValueKind::Span),
    ("notify.link_max_chars", SettingValueKind::Count(100_000)),
    ("notify.targets", SettingValueKind::Count(1_000)),
    ("notify.push_ttl", SettingValueKind::Span),
];

/// The settings of push messages that are no limit.
pub(super) const PUSH_KEYS: [(&str, SettingValueKind); 2] =
    [("notify.push_contact", SettingValueKind::Text), ("notify.push_key_file", SettingValueKind::Text)];

/// The name of the key file in the data folder.
const PUSH_KEY_FILE: &str = "push-key.pem";

/// Push messages to browsers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PushSettings {
    /// Where the operator of a push service can reach that of this server; none unless set.
    pub(crate) contact: Option<String>,
    /// The file of the private key, made when the first browser subscribes.
    pub(crate) key_file: PathBuf,
}

/// The settings of push messages; `data` is the data folder.
pub(super) fn push(set: &ConfigLayer, data: &Path) -> Result<PushSettings, ConfigFault> {
    let contact = set.text("notify.push_contact").filter(|text| !text.is_empty());
    if let Some(given) = contact.filter(|text| !is_contact(text)) {
        return Err(ConfigFault::new(message!("notify-push-contact-invalid", given = given)));
    }
    let key_file = set.text("notify.push_key_file").filter(|text| !text.is_empty());
    Ok(PushSettings {
        contact: contact.map(str::to_owned),
        key_file: key_file.map_or_else(|| data.join(PUSH_KEY_FILE), PathBuf::from),
    })
}

/// Whether a push service takes this as the contact of an operator.
fn is_contact(text: &str) -> bool {
    let is_mail = text.strip_prefix("mailto:").is_some_and(|address| address.contains('@'));
    is_mail || url::Url::parse(text).is_ok_and(|url| url.scheme() == "https" && url.has_host())
}

/// The notification settings of the layers.
pub(super) fn notify(set: &ConfigLayer) -> NotifySettings {
    let usual = NotifySettings::default();
    NotifySettings {
        poll: set.span("notify.poll", usual.poll),
        look: set.span("notify.look", usual.look),
        timeout: set.span("notify.timeout", usual.timeout),
        retry: set.span("notify.retry", usual.retry),
        retry_max: set.span("notify.retry_max", usual.retry_max),
        give_up: set.span("notify.give_up", usual.give_up),
        reminder: set.span("notify.reminder", usual.reminder),
        rule_ahead: set.span("notify.rule_ahead", usual.rule_ahead),
        together: set.size("notify.together", usual.together),
        named: set.size("notify.named", usual.named),
        batch: set.small("notify.batch", usual.batch),
        kept: retention::policy(set).age_of(RetentionSubject::Notifications),
        link_lasts: set.span("notify.link_lasts", usual.link_lasts).min(NotifySettings::LINK_LASTS_MAX),
        link_max_chars: set.size("notify.link_max_chars", usual.link_max_chars),
        targets: set.small("notify.targets", usual.targets),
        push_ttl: set.span("notify.push_ttl", usual.push_ttl),
    }
}

/// Non-public hosts that targets may reach. Tools have their own list.
pub(super) fn allowed(set: &ConfigLayer) -> Result<Vec<AllowedHost>, ConfigFault> {
    allowed_hosts(set, "notify.allow", "notify-allow-invalid")
}

/// The hosts of a setting; `fault` is the key of the text about an invalid one.
pub(super) fn allowed_hosts(
    set: &ConfigLayer,
    key: &str,
    fault: &'static str,
) -> Result<Vec<AllowedHost>, ConfigFault> {
    let host = |text: &str| text.parse().map_err(|_| ConfigFault::new(message!(fault, given = text)));
    list(set.text(key)).map(host).collect()
}

/// Each setting with its value.
pub(super) fn shown(notify: &NotifySettings) -> Vec<(&'static str, SettingValue)> {
    vec![
        ("notify.poll", SettingValue::Span(notify.poll)),
        ("notify.look", SettingValue::Span(notify.look)),
        ("notify.timeout", SettingValue::Span(notify.timeout)),
        ("notify.retry", SettingValue::Span(notify.retry)),
        ("notify.retry_max", SettingValue::Span(notify.retry_max)),
        ("notify.give_up", SettingValue::Span(notify.give_up)),
        ("notify.reminder", SettingValue::Span(notify.reminder)),
        ("notify.rule_ahead", SettingValue::Span(notify.rule_ahead)),
        ("notify.together", SettingValue::size(notify.together)),
        ("notify.named", SettingValue::size(notify.named)),
        ("notify.batch", SettingValue::Count(notify.batch.into())),
        ("notify.link_lasts", SettingValue::Span(notify.link_lasts)),
        ("notify.link_max_chars", SettingValue::size(notify.link_max_chars)),
        ("notify.targets", SettingValue::Count(notify.targets.into())),
        ("notify.push_ttl", SettingValue::Span(notify.push_ttl)),
    ]
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Millis;

    use super::*;

    #[test]
    fn settings_are_shown_and_link_lifetime_is_bounded() {
        let shown: Vec<&str> = shown(&notify(&ConfigLayer::default())).iter().map(|(key, _)| *key).collect();
        assert_eq!(shown, KEYS.map(|(key, _)| key));
        let mut set = ConfigLayer::default();
        let day = (SettingValue::Span(Millis::hours(24)), String::new());
        set.values.insert("notify.link_lasts".to_owned(), day);
        assert_eq!(notify(&set).link_lasts, Millis::hours(12));
    }

    /// Input: contacts; expected: a mail address or a page, and nothing that a push service would refuse.
    #[test]
    fn push_contact_is_a_mail_address_or_a_page() {
        let read = |contact: &str| {
            let mut set = ConfigLayer::default();
            let value = (SettingValue::Text(contact.to_owned()), String::new());
            set.values.insert("notify.push_contact".to_owned(), value);
            push(&set, Path::new("/data")).map(|push| push.contact)
        };
        for contact in ["mailto:ann@example.org", "https://example.org/contact"] {
            assert_eq!(read(contact), Ok(Some(contact.to_owned())));
        }
        assert_eq!(read(""), Ok(None));
        for wrong in ["ann@example.org", "http://example.org", "mailto:ann", "https:"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let usual = push(&ConfigLayer::default(), Path::new("/data"));
        assert_eq!(usual.map(|push| push.key_file), Ok(PathBuf::from("/data/push-key.pem")));
    }
}
