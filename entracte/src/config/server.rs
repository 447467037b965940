//! Addresses and limits of `entracte serve`. Pure.

use std::net::SocketAddr;

use entracte_adapters_http::limits::HttpServerLimits;
use entracte_domain::time::Millis;
use ipnet::IpNet;
use url::Url;

use super::layers::ConfigLayer;
use super::value::{SettingValue, SettingValueKind};
use crate::user_text::ConfigFault;
use crate::user_text::message;

/// The default listening address.
const BIND: &str = "127.0.0.1:8723";

/// Settings of the server.
pub(super) const KEYS: [(&str, SettingValueKind); 40] = [
    ("server.bind", SettingValueKind::Text),
    ("server.public_url", SettingValueKind::Text),
    ("server.hosts", SettingValueKind::Text),
    ("server.base_path", SettingValueKind::Text),
    ("server.trusted_proxies", SettingValueKind::Text),
    ("server.body_max_bytes", SettingValueKind::Count(1 << 30)),
    ("server.file_bodies", SettingValueKind::Count(100_000)),
    ("server.import_max_bytes", SettingValueKind::Count(1 << 30)),
    ("server.json_depth", SettingValueKind::Count(1_000)),
    ("server.head_timeout", SettingValueKind::Span),
    ("server.body_timeout", SettingValueKind::Span),
    ("server.requests_per_minute", SettingValueKind::Count(u32::MAX as u64)),
    ("server.failed_logins", SettingValueKind::Count(u32::MAX as u64)),
    ("server.login_window", SettingValueKind::Span),
    ("server.terminal_logins", SettingValueKind::Count(100_000)),
    ("server.terminal_login_lasts", SettingValueKind::Span),
    ("server.terminal_login_poll", SettingValueKind::Span),
    ("server.callbacks_per_minute", SettingValueKind::Count(u32::MAX as u64)),
    ("server.connections", SettingValueKind::Count(100_000)),
    ("server.connections_per_address", SettingValueKind::Count(100_000)),
    ("server.heads_per_address", SettingValueKind::Count(100_000)),
    ("server.compress_min_bytes", SettingValueKind::Count(1 << 30)),
    ("server.compress_max_bytes", SettingValueKind::Count(1 << 30)),
    ("server.link_lasts", SettingValueKind::Span),
    ("server.invitation_lasts", SettingValueKind::Span),
    ("server.login_lasts", SettingValueKind::Span),
    ("server.grace", SettingValueKind::Span),
    ("server.ready_timeout", SettingValueKind::Span),
    ("server.streams", SettingValueKind::Count(100_000)),
    ("server.streams_per_token", SettingValueKind::Count(100_000)),
    ("server.stream_lasts", SettingValueKind::Span),
    ("server.stream_beat", SettingValueKind::Span),
    ("server.stream_look", SettingValueKind::Span),
    ("server.stream_pace", SettingValueKind::Span),
    ("server.stall_timeout", SettingValueKind::Span),
    ("server.ticket_lasts", SettingValueKind::Span),
    ("server.action_wait", SettingValueKind::Span),
    ("server.presence_lasts", SettingValueKind::Span),
    ("server.entry_check_timeout", SettingValueKind::Span),
    ("server.entry_wait", SettingValueKind::Span),
];

/// Addresses and limits of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerSettings {
    /// The listening address.
    pub(crate) bind: SocketAddr,
    /// The public address for browsers.
    pub(crate) public_url: Option<Url>,
    /// Additional host names it answers to, each with its port.
    pub(crate) hosts: Vec<String>,
    /// The prefix of every path.
    pub(crate) base_path: String,
    /// Proxies whose headers about a client's address are trusted.
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// Its limits.
    pub(crate) limits: HttpServerLimits,
}

impl ServerSettings {
    /// The public address without a trailing `/`, with the base path unless it contains that already; `None` without a
    /// public URL.
    pub(crate) fn public_address(&self) -> Option<String> {
        let url = self.public_url.as_ref()?;
        let has_base = url.path().trim_end_matches('/').ends_with(&self.base_path);
        let base = if has_base { "" } else { self.base_path.as_str() };
        Some(format!("{}{base}", url.as_str().trim_end_matches('/')))
    }
}

/// The server settings of the layers.
pub(super) fn server(set: &ConfigLayer) -> Result<ServerSettings, ConfigFault> {
    let url = set.text("server.public_url").map(|text| public_url("server.public_url", text)).transpose()?;
    Ok(ServerSettings {
        bind: bind("server.bind", set.text("server.bind").unwrap_or(BIND))?,
        public_url: url,
        hosts: list(set.text("server.hosts")).map(str::to_owned).collect(),
        base_path: base_path("server.base_path", set.text("server.base_path").unwrap_or_default())?,
        trusted_proxies: list(set.text("server.trusted_proxies")).map(proxy).collect::<Result<_, _>>()?,
        limits: limits(set),
    })
}

pub(super) fn list(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// Parses an address with its port.
pub(crate) fn bind(setting: &'static str, text: &str) -> Result<SocketAddr, ConfigFault> {
    let wrong = || ConfigFault::new(message!("serve-bind-invalid", setting = setting, given = text));
    text.replace("localhost", "127.0.0.1").parse().map_err(|_| wrong())
}

/// Normalizes a base path: empty, or `/` and words, without a trailing `/`.
pub(crate) fn base_path(setting: &'static str, text: &str) -> Result<String, ConfigFault> {
    let path = text.trim_end_matches('/');
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    if path.is_empty() || (path.starts_with('/') && !path.contains("//") && path.chars().all(is_word)) {
        return Ok(path.to_owned());
    }
    Err(ConfigFault::new(message!("serve-base-path-invalid", setting = setting, given = text)))
}

fn public_url(setting: &'static str, text: &str) -> Result<Url, ConfigFault> {
    let wrong = || ConfigFault::new(message!("serve-public-url-invalid", setting = setting, given = text));
    let url: Url = text.parse().map_err(|_| wrong())?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    if is_web && url.username().is_empty() && url.password().is_none() { Ok(url) } else { Err(wrong()) }
}

fn proxy(text: &str) -> Result<IpNet, ConfigFault> {
    let alone = || text.parse::<std::net::IpAddr>().ok().map(IpNet::from);
    let wrong = || ConfigFault::new(message!("serve-proxy-invalid", given = text));
    text.parse().ok().or_else(alone).ok_or_else(wrong)
}

/// How much longer than its stream a ticket is valid, unless the configuration says otherwise: the client of a stream that
/// ended by its age must be able to open the next one.
const TICKET_MARGIN: Millis = Millis::minutes(10);

fn limits(set: &ConfigLayer) -> HttpServerLimits {
    let usual = HttpServerLimits::default();
    let stream_lasts = set.span("server.stream_lasts", usual.stream_lasts);
    let ticket_lasts = Millis(stream_lasts.0.saturating_add(TICKET_MARGIN.0));
    HttpServerLimits {
        body: set.size("server.body_max_bytes", usual.body),
        file_bodies: set.size("server.file_bodies", usual.file_bodies),
        import: set.size("server.import_max_bytes", usual.import),
        depth: set.size("server.json_depth", usual.depth),
        head_timeout: set.span("server.head_timeout", usual.head_timeout),
        body_timeout: set.span("server.body_timeout", usual.body_timeout),
        requests: set.small("server.requests_per_minute", usual.requests),
        failed_logins: set.small("server.failed_logins", usual.failed_logins),
        login_window: set.span("server.login_window", usual.login_window),
        terminal_logins: set.size("server.terminal_logins", usual.terminal_logins),
        terminal_login_lasts: set.span("server.terminal_login_lasts", usual.terminal_login_lasts),
        terminal_login_poll: set.span("server.terminal_login_poll", usual.terminal_login_poll),
        callbacks: set.small("server.callbacks_per_minute", usual.callbacks),
        connections: set.size("server.connections", usual.connections),
        connections_per_address: set.size("server.connections_per_address", usual.connections_per_address),
        heads_per_address: set.size("server.heads_per_address", usual.heads_per_address),
        compressed_min: set.size("server.compress_min_bytes", usual.compressed_min),
        compressed_max: set.size("server.compress_max_bytes", usual.compressed_max),
        link_lasts: set.span("server.link_lasts", usual.link_lasts),
        invitation_lasts: set.span("server.invitation_lasts", usual.invitation_lasts),
        login_lasts: set.span("server.login_lasts", usual.login_lasts),
        grace: set.span("server.grace", usual.grace),
        ready_timeout: set.span("server.ready_timeout", usual.ready_timeout),
        streams: set.size("server.streams", usual.streams),
        streams_per_token: set.size("server.streams_per_token", usual.streams_per_token),
        stream_lasts,
        stream_beat: set.span("server.stream_beat", usual.stream_beat),
        stream_look: set.span("server.stream_look", usual.stream_look),
        stream_pace: set.span("server.stream_pace", usual.stream_pace),
        stall_timeout: set.span("server.stall_timeout", usual.stall_timeout),
        ticket_lasts: set.span("server.ticket_lasts", ticket_lasts),
        action_wait: set.span("server.action_wait", usual.action_wait),
        presence_lasts: set.span("server.presence_lasts", usual.presence_lasts),
        entry_check_timeout: set.span("server.entry_check_timeout", usual.entry_check_timeout),
        entry_wait: set.span("server.entry_wait", usual.entry_wait),
    }
}

/// Each setting with its value.
pub(super) fn shown(server: &ServerSettings) -> Vec<(&'static str, SettingValue)> {
    let text = SettingValue::Text;
    let ServerSettings { bind, public_url, hosts, base_path, trusted_proxies, limits } = server;
    let proxies: Vec<String> = trusted_proxies.iter().map(ToString::to_string).collect();
    vec![
        ("server.bind", text(bind.to_string())),
        ("server.public_url", text(public_url.as_ref().map(Url::to_string).unwrap_or_default())),
        ("server.hosts", text(hosts.join(", "))),
        ("server.base_path", text(base_path.clone())),
        ("server.trusted_proxies", text(proxies.join(", "))),
        ("server.body_max_bytes", SettingValue::size(limits.body)),
        ("server.file_bodies", SettingValue::size(limits.file_bodies)),
        ("server.import_max_bytes", SettingValue::size(limits.import)),
        ("server.json_depth", SettingValue::size(limits.depth)),
        ("server.head_timeout", SettingValue::Span(limits.head_timeout)),
        ("server.body_timeout", SettingValue::Span(limits.body_timeout)),
        ("server.requests_per_minute", SettingValue::Count(limits.requests.into())),
        ("server.failed_logins", SettingValue::Count(limits.failed_logins.into())),
        ("server.login_window", SettingValue::Span(limits.login_window)),
        ("server.terminal_logins", SettingValue::size(limits.terminal_logins)),
        ("server.terminal_login_lasts", SettingValue::Span(limits.terminal_login_lasts)),
        ("server.terminal_login_poll", SettingValue::Span(limits.terminal_login_poll)),
        ("server.callbacks_per_minute", SettingValue::Count(limits.callbacks.into())),
        ("server.connections", SettingValue::size(limits.connections)),
        ("server.connections_per_address", SettingValue::size(limits.connections_per_address)),
        ("server.heads_per_address", SettingValue::size(limits.heads_per_address)),
        ("server.compress_min_bytes", SettingValue::size(limits.compressed_min)),
        ("server.compress_max_bytes", SettingValue::size(limits.compressed_max)),
        ("server.link_lasts", SettingValue::Span(limits.link_lasts)),
        ("server.invitation_lasts", SettingValue::Span(limits.invitation_lasts)),
        ("server.login_lasts", SettingValue::Span(limits.login_lasts)),
        ("server.grace", SettingValue::Span(limits.grace)),
        ("server.ready_timeout", SettingValue::Span(limits.ready_timeout)),
        ("server.streams", SettingValue::size(limits.streams)),
        ("server.streams_per_token", SettingValue::size(limits.streams_per_token)),
        ("server.stream_lasts", SettingValue::Span(limits.stream_lasts)),
        ("server.stream_beat", SettingValue::Span(limits.stream_beat)),
        ("server.stream_look", SettingValue::Span(limits.stream_look)),
        ("server.stream_pace", SettingValue::Span(limits.stream_pace)),
        ("server.stall_timeout", SettingValue::Span(limits.stall_timeout)),
        ("server.ticket_lasts", SettingValue::Span(limits.ticket_lasts)),
        ("server.action_wait", SettingValue::Span(limits.action_wait)),
        ("server.presence_lasts", SettingValue::Span(limits.presence_lasts)),
        ("server.entry_check_timeout", SettingValue::Span(limits.entry_check_timeout)),
        ("server.entry_wait", SettingValue::Span(limits.entry_wait)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bind_and_proxy_addresses_are_refused() {
        assert_eq!(bind("server.bind", "localhost:80").unwrap().to_string(), "127.0.0.1:80");
        for wrong in ["8723", "example.org:80", "127.0.0.1"] {
            assert!(bind("server.bind", wrong).is_err(), "{wrong}");
        }
        assert_eq!(base_path("server.base_path", "/entracte/").unwrap(), "/entracte");
        for wrong in ["entracte", "/a b", "//a", "/a?b", "/é"] {
            assert!(base_path("server.base_path", wrong).is_err(), "{wrong}");
        }
        for wrong in ["ftp://host", "host", "https://ann:pw@host"] {
            assert!(public_url("server.public_url", wrong).is_err(), "{wrong}");
        }
        assert_eq!(proxy("10.0.0.1").unwrap().to_string(), "10.0.0.1/32");
        assert!(proxy("10.0.0.0/33").is_err());
    }

    #[test]
    fn every_setting_is_shown() {
        let shown: Vec<&str> =
            shown(&server(&ConfigLayer::default()).unwrap()).iter().map(|(key, _)| *key).collect();
        assert_eq!(shown, KEYS.map(|(key, _)| key));
    }
}
