//! Settings of telemetry. Pure.

use entracte_adapters_http::observability::TelemetryConfig;
use entracte_domain::time::Millis;
use url::Url;

use super::layers::ConfigLayer;
use super::value::{SettingValue, SettingValueKind};
use crate::user_text::ConfigFault;
use crate::user_text::message;

/// Settings of telemetry.
pub(super) const KEYS: [(&str, SettingValueKind); 4] = [
    ("telemetry.otlp_endpoint", SettingValueKind::Text),
    ("telemetry.timeout", SettingValueKind::Span),
    ("telemetry.interval", SettingValueKind::Span),
    ("telemetry.queue", SettingValueKind::Count(1_000_000)),
];

const TIMEOUT: Millis = Millis::seconds(5);
const INTERVAL: Millis = Millis::minutes(1);
const QUEUE: u64 = 2048;

/// Settings of telemetry, which is off without an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TelemetrySettings {
    /// The endpoint of the collector.
    endpoint: Option<Url>,
    timeout: Millis,
    interval: Millis,
    queue: u64,
}

impl TelemetrySettings {
    /// The export configuration; `None` without an endpoint.
    pub(crate) fn terms(&self) -> Option<TelemetryConfig> {
        let Self { endpoint, timeout, interval, queue } = self;
        Some(TelemetryConfig {
            endpoint: endpoint.clone()?,
            timeout: *timeout,
            interval: *interval,
            queue: usize::try_from(*queue).unwrap_or(usize::MAX),
        })
    }
}

/// The telemetry settings of the layers.
pub(super) fn telemetry(set: &ConfigLayer) -> Result<TelemetrySettings, ConfigFault> {
    let span = |name: &str, usual: Millis| match set.values.get(name) {
        Some((SettingValue::Span(span), _)) => *span,
        Some(_) | None => usual,
    };
    let endpoint = match set.values.get("telemetry.otlp_endpoint") {
        Some((SettingValue::Text(text), _)) => Some(endpoint(text)?),
        Some(_) | None => None,
    };
    let queue = match set.values.get("telemetry.queue") {
        Some((SettingValue::Count(count), _)) => *count,
        Some(_) | None => QUEUE,
    };
    let (timeout, interval) = (span("telemetry.timeout", TIMEOUT), span("telemetry.interval", INTERVAL));
    Ok(TelemetrySettings { endpoint, timeout, interval, queue })
}

/// Parses a web address. Its key belongs in a header, and so in a variable.
fn endpoint(text: &str) -> Result<Url, ConfigFault> {
    let wrong = || ConfigFault::new(message!("telemetry-endpoint-invalid"));
    let url: Url = text.parse().map_err(|_| wrong())?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    let is_plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    if is_web && is_plain && url.fragment().is_none() { Ok(url) } else { Err(wrong()) }
}

/// Each setting with its value.
pub(super) fn shown(telemetry: &TelemetrySettings) -> Vec<(&'static str, SettingValue)> {
    let TelemetrySettings { endpoint, timeout, interval, queue } = telemetry;
    vec![
        (
            "telemetry.otlp_endpoint",
            SettingValue::Text(endpoint.as_ref().map(Url::to_string).unwrap_or_default()),
        ),
        ("telemetry.timeout", SettingValue::Span(*timeout)),
        ("telemetry.interval", SettingValue::Span(*interval)),
        ("telemetry.queue", SettingValue::Count(*queue)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_shown_and_telemetry_is_off() {
        let usual = telemetry(&ConfigLayer::default()).unwrap();
        let shown: Vec<&str> = shown(&usual).iter().map(|(key, _)| *key).collect();
        assert_eq!(shown, KEYS.map(|(key, _)| key));
        assert_eq!(usual.terms(), None);
    }

    #[test]
    fn collector_url_contains_no_secret() {
        assert!(endpoint("http://127.0.0.1:4318").is_ok());
        for wrong in ["collector:4318", "ftp://host", "https://ann:pw@host", "https://host?key=1"] {
            let fault = endpoint(wrong).unwrap_err().to_string();
            assert!(!fault.contains("pw") && !fault.contains("key=1"), "{fault}");
        }
    }
}
