//! Settings of the policy hook. Pure.

use std::path::PathBuf;

use entracte_adapters_commands::egress::AllowedHost;
use entracte_application::notify::parse_secret_reference;
use entracte_application::ports::SecretReference;
use entracte_application::settings::PolicyHookSettings;
use url::Url;

use super::layers::ConfigLayer;
use super::notify::allowed_hosts;
use super::server::list;
use super::value::{SettingValue, SettingValueKind};
use crate::user_text::{ConfigFault, message};

/// The limits of the hook.
pub(super) const KEYS: [(&str, SettingValueKind); 7] = [
    ("policy.timeout", SettingValueKind::Span),
    ("policy.at_once", SettingValueKind::Count(10_000)),
    ("policy.reason_max_chars", SettingValueKind::Count(10_000)),
    ("policy.answer_bytes", SettingValueKind::Count(1 << 30)),
    ("policy.rego_bytes", SettingValueKind::Count(1 << 30)),
    ("policy.memory", SettingValueKind::Count(1 << 40)),
    ("policy.cpu", SettingValueKind::Span),
];

/// What is asked.
pub(super) const SOURCE_KEYS: [(&str, SettingValueKind); 7] = [
    ("policy.program", SettingValueKind::Text),
    ("policy.arguments", SettingValueKind::List),
    ("policy.url", SettingValueKind::Text),
    ("policy.token", SettingValueKind::Text),
    ("policy.allow", SettingValueKind::List),
    ("policy.rego", SettingValueKind::Text),
    ("policy.query", SettingValueKind::Text),
];

/// The policy hook that the configuration names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PolicySource {
    /// A program.
    Program {
        /// The program: a path, or a name in the usual folders of programs.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// An HTTP address.
    Http {
        /// The address.
        url: Url,
        /// The bearer token, if the address takes one.
        token: Option<SecretReference>,
        /// Hosts that are not public and that the hook may reach.
        allowed: Vec<AllowedHost>,
    },
    /// Rules in Rego.
    Rego {
        /// A file with rules, or a folder with such files.
        place: PathBuf,
        /// The rule whose value is the answer.
        query: String,
    },
}

/// The rule of a policy in Rego, unless the configuration names another one.
const QUERY: &str = "data.entracte.answer";

impl PolicySource {
    /// The secret that the hook is sent, if any.
    pub(crate) fn secret(&self) -> Option<&SecretReference> {
        match self {
            Self::Program { .. } | Self::Rego { .. } => None,
            Self::Http { token, .. } => token.as_ref(),
        }
    }
}

/// The limits of the layers.
pub(super) fn limits(set: &ConfigLayer) -> PolicyHookSettings {
    let usual = PolicyHookSettings::default();
    PolicyHookSettings {
        timeout: set.span("policy.timeout", usual.timeout),
        at_once: set.size("policy.at_once", usual.at_once),
        reason_max_chars: set.size("policy.reason_max_chars", usual.reason_max_chars),
        answer_bytes: set.size("policy.answer_bytes", usual.answer_bytes),
        rego_bytes: set.size("policy.rego_bytes", usual.rego_bytes),
        memory: set.count("policy.memory", usual.memory),
        cpu: set.span("policy.cpu", usual.cpu),
    }
}

/// The hook of the layers; `None` if they name none.
pub(super) fn source(set: &ConfigLayer) -> Result<Option<PolicySource>, ConfigFault> {
    let text = |key: &str| set.text(key).filter(|text| !text.is_empty());
    match (text("policy.program"), text("policy.url"), text("policy.rego")) {
        (None, None, None) => Ok(None),
        (Some(program), None, None) => {
            let arguments = list(set.text("policy.arguments")).map(str::to_owned).collect();
            Ok(Some(PolicySource::Program { program: program.to_owned(), arguments }))
        }
        (None, Some(url), None) => http(url, text("policy.token"), &allowed(set)?).map(Some),
        (None, None, Some(place)) => {
            let query = text("policy.query").unwrap_or(QUERY).to_owned();
            Ok(Some(PolicySource::Rego { place: place.into(), query }))
        }
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
            Err(ConfigFault::new(message!("policy-source-twice")))
        }
    }
}

/// Non-public hosts that the hook may reach. Tools and notification targets have lists of their own.
fn allowed(set: &ConfigLayer) -> Result<Vec<AllowedHost>, ConfigFault> {
    allowed_hosts(set, "policy.allow", "policy-allow-invalid")
}

/// The address, which takes the arguments of calls: over TLS, unless the operator names its host.
fn http(url: &str, token: Option<&str>, allowed: &[AllowedHost]) -> Result<PolicySource, ConfigFault> {
    let invalid = || ConfigFault::new(message!("policy-url-invalid", given = url));
    let address = Url::parse(url).map_err(|_| invalid())?;
    // The text has a secret, so no message repeats it.
    if !address.username().is_empty() || address.password().is_some() {
        return Err(ConfigFault::new(message!("policy-url-password")));
    }
    let is_plain = address.scheme() == "http";
    if !address.has_host() || !(is_plain || address.scheme() == "https") {
        return Err(invalid());
    }
    if is_plain && !allowed.iter().any(|host| host.covers(&address)) {
        return Err(ConfigFault::new(message!("policy-url-clear", given = url)));
    }
    let token = token.map(|token| {
        let place = parse_secret_reference(token);
        // The text may be the token itself, so no message repeats it.
        place.ok_or_else(|| ConfigFault::new(message!("policy-token-invalid")))
    });
    Ok(PolicySource::Http { url: address, token: token.transpose()?, allowed: allowed.to_vec() })
}

/// Each limit with its value.
pub(super) fn shown(limits: &PolicyHookSettings) -> [(&'static str, SettingValue); 7] {
    [
        ("policy.timeout", SettingValue::Span(limits.timeout)),
        ("policy.at_once", SettingValue::size(limits.at_once)),
        ("policy.reason_max_chars", SettingValue::size(limits.reason_max_chars)),
        ("policy.answer_bytes", SettingValue::size(limits.answer_bytes)),
        ("policy.rego_bytes", SettingValue::size(limits.rego_bytes)),
        ("policy.memory", SettingValue::Count(limits.memory)),
        ("policy.cpu", SettingValue::Span(limits.cpu)),
    ]
}

/// What is asked, with an empty text where nothing is set.
pub(super) fn shown_source(source: Option<&PolicySource>) -> [(&'static str, SettingValue); 7] {
    let [mut program, mut arguments, mut url, mut token, mut allow] = [const { String::new() }; 5];
    let [mut rego, mut query] = [const { String::new() }; 2];
    match source {
        None => {}
        Some(PolicySource::Program { program: name, arguments: given }) => {
            program.clone_from(name);
            arguments = given.join(", ");
        }
        Some(PolicySource::Http { url: address, token: place, allowed }) => {
            url = address.to_string();
            token = place.as_ref().map(SecretReference::words).unwrap_or_default();
            allow = allowed.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        }
        Some(PolicySource::Rego { place, query: rule }) => {
            rego = place.display().to_string();
            query.clone_from(rule);
        }
    }
    [
        ("policy.program", SettingValue::Text(program)),
        ("policy.arguments", SettingValue::Text(arguments)),
        ("policy.url", SettingValue::Text(url)),
        ("policy.token", SettingValue::Text(token)),
        ("policy.allow", SettingValue::Text(allow)),
        ("policy.rego", SettingValue::Text(rego)),
        ("policy.query", SettingValue::Text(query)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(settings: &[(&str, &str)]) -> ConfigLayer {
        let mut set = ConfigLayer::default();
        for (key, text) in settings {
            set.values.insert((*key).to_owned(), (SettingValue::Text((*text).to_owned()), String::new()));
        }
        set
    }

    #[test]
    fn limits_are_shown() {
        let names: Vec<&str> = shown(&limits(&ConfigLayer::default())).iter().map(|(key, _)| *key).collect();
        assert_eq!(names, KEYS.map(|(key, _)| key));
        let names: Vec<&str> = shown_source(None).iter().map(|(key, _)| *key).collect();
        assert_eq!(names, SOURCE_KEYS.map(|(key, _)| key));
    }

    /// Input: settings of a hook; expected: one program, one address or one policy in Rego, and no arguments of calls in the
    /// clear unless the operator names the host.
    #[test]
    fn hook_is_one_program_address_or_rego_policy() {
        let read = |settings: &[(&str, &str)]| source(&layer(settings));
        assert_eq!(read(&[]), Ok(None));
        let program = PolicySource::Program { program: "policy".into(), arguments: vec!["-v".into()] };
        assert_eq!(read(&[("policy.program", "policy"), ("policy.arguments", "-v")]), Ok(Some(program)));
        let rego = |query: &str| PolicySource::Rego { place: "rules".into(), query: query.into() };
        assert_eq!(read(&[("policy.rego", "rules")]), Ok(Some(rego("data.entracte.answer"))));
        assert_eq!(
            read(&[("policy.rego", "rules"), ("policy.query", "data.a.b")]),
            Ok(Some(rego("data.a.b")))
        );
        let safe = read(&[("policy.url", "https://policy.example/ask"), ("policy.token", "env:POLICY")]);
        let place = SecretReference::Environment("POLICY".into());
        assert_eq!(safe.map(|found| found.and_then(|found| found.secret().cloned())), Ok(Some(place)));
        let local = [("policy.url", "http://127.0.0.1:8181/ask"), ("policy.allow", "127.0.0.1:8181")];
        assert!(read(&local).is_ok_and(|found| found.is_some()));
        for wrong in [
            &[("policy.program", "policy"), ("policy.url", "https://policy.example")][..],
            &[("policy.rego", "rules"), ("policy.program", "policy")],
            &[("policy.url", "http://policy.example/ask")],
            &[("policy.url", "policy.example")],
            &[("policy.url", "ftp://policy.example")],
            &[("policy.url", "https://policy.example"), ("policy.token", "secret-canary")],
            &[("policy.url", "https://ann:secret-canary@policy.example/ask")],
        ] {
            let fault = read(wrong).expect_err("it is refused");
            assert!(!format!("{fault:?}").contains("canary"), "{fault:?}");
        }
    }
}
