//! Checks of an entry beyond its types: which keys exclude each other, and which values no server could use.
//!
//! Pure: opens no file and starts no process.

use entracte_application::texts::{LocalizedMessage, saying};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

use super::{
    McpConfigError, McpLoginConfig, McpServerConfig, McpToolConfig, McpToolEffect, McpToolKind, SecretText,
};

/// Checks one entry.
pub(super) struct McpConfigChecker<'a> {
    pub(super) entry: &'a str,
    pub(super) config: &'a McpServerConfig,
}

type McpCheckResult = Result<(), McpConfigError>;

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

impl McpConfigChecker<'_> {
    /// Runs all checks and returns the first fault.
    pub(super) fn run(&self) -> McpCheckResult {
        self.name()?;
        match (&self.config.command, &self.config.url) {
            (None, None) => {
                let fix = saying!("fault-add-command");
                self.wrong("command", saying!("fault-missing-both"), fix)
            }
            (Some(_), Some(_)) => self.wrong("url", saying!("fault-with-command"), saying!("fault-keep-one")),
            (Some(command), None) => self.program(command),
            (None, Some(url)) => self.address(url),
        }?;
        self.numbers()?;
        self.config.tools.iter().try_for_each(|(tool, config)| self.tool(tool, config))
    }

    fn name(&self) -> McpCheckResult {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
        let bytes = self.entry.as_bytes();
        let begins = bytes.first().is_some_and(u8::is_ascii_lowercase);
        if begins && bytes.len() <= NAME_MAX && bytes.iter().copied().all(fits) {
            return Ok(());
        }
        let fix = saying!("fault-server-name-like", most = NAME_MAX);
        self.wrong("*", saying!("fault-server-name", given = self.entry), fix)
    }

    fn program(&self, command: &str) -> McpCheckResult {
        if command.trim().is_empty() {
            return self.wrong("command", saying!("fault-empty"), saying!("fault-name-program"));
        }
        if !self.config.headers.is_empty() {
            return self.wrong("headers", saying!("fault-only-url"), saying!("fault-remove-or-env"));
        }
        if self.config.oauth.is_some() {
            return self.wrong("oauth", saying!("fault-only-url"), saying!("fault-remove"));
        }
        for (name, value) in &self.config.env {
            self.variable("env", name)?;
            self.secret(&format!("env.{name}"), value)?;
        }
        self.config.inherit.iter().flatten().try_for_each(|name| self.variable("inherit", name))
    }

    fn variable(&self, key: &str, name: &str) -> McpCheckResult {
        if name.is_empty() || name.contains(['=', '\0']) {
            return self.wrong(
                key,
                saying!("fault-variable-name", given = name),
                saying!("fault-correct-name"),
            );
        }
        Ok(())
    }

    fn address(&self, address: &str) -> McpCheckResult {
        let fix = saying!("fault-mcp-like");
        let Some(url) = Url::parse(address).ok().filter(Url::has_host) else {
            return self.wrong("url", saying!("fault-not-address", given = address), fix);
        };
        if url.scheme() != "http" && url.scheme() != "https" {
            return self.wrong("url", saying!("fault-not-http", given = address), fix);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return self.wrong("url", saying!("fault-has-user"), saying!("fault-user-to-headers"));
        }
        for (key, set) in [
            ("args", !self.config.args.is_empty()),
            ("env", !self.config.env.is_empty()),
            ("inherit", self.config.inherit.is_some()),
            ("cwd", self.config.cwd.is_some()),
        ] {
            if set {
                return self.wrong(key, saying!("fault-only-command"), saying!("fault-remove"));
            }
        }
        self.config.headers.iter().try_for_each(|(name, value)| self.header(name, value))?;
        self.config.oauth.as_ref().map_or(Ok(()), |login| self.login(login))
    }

    fn login(&self, login: &McpLoginConfig) -> McpCheckResult {
        if self.config.has_own_authorization() {
            return self.wrong("oauth", saying!("fault-with-authorization"), saying!("fault-keep-one"));
        }
        if let Some(place) = &login.client_secret {
            if login.client_id.is_none() {
                return self.wrong(
                    "oauth.client_secret",
                    saying!("fault-without-client"),
                    saying!("fault-add-client"),
                );
            }
            self.secret("oauth.client_secret", &SecretText::Secret(place.clone()))?;
        }
        let is_address = |text: &str| Url::parse(text).is_ok_and(|url| is_web(&url) && url.has_host());
        if let Some(issuer) = login.issuer.as_deref().filter(|issuer| !is_address(issuer)) {
            let problem = saying!("fault-not-address", given = issuer);
            return self.wrong("oauth.issuer", problem, saying!("fault-issuer-like"));
        }
        let fix = saying!("fault-one-or-more");
        if login.client_id.as_deref() == Some("") {
            return self.wrong("oauth.client_id", saying!("fault-empty"), saying!("fault-client-id"));
        }
        if login.redirect_port == Some(0) {
            return self.wrong("oauth.redirect_port", saying!("fault-no-port"), fix);
        }
        if login.answer_max_bytes == Some(0) {
            return self.wrong("oauth.answer_max_bytes", saying!("fault-zero"), fix);
        }
        match login.timeout_seconds {
            Some(0) => self.wrong("oauth.timeout_seconds", saying!("fault-zero"), fix),
            Some(seconds) if seconds > SECONDS_MAX => {
                let fix = saying!("fault-at-most-day", most = SECONDS_MAX);
                self.wrong("oauth.timeout_seconds", saying!("fault-too-long", given = seconds), fix)
            }
            Some(_) | None => Ok(()),
        }
    }

    fn header(&self, name: &str, value: &SecretText) -> McpCheckResult {
        let key = format!("headers.{name}");
        let Ok(parsed) = HeaderName::from_bytes(name.as_bytes()) else {
            return self.wrong(&key, saying!("fault-not-header-name"), saying!("fault-correct-name"));
        };
        if RESERVED_HEADERS.contains(&parsed.as_str()) {
            return self.wrong(&key, saying!("fault-of-protocol"), saying!("fault-remove"));
        }
        match value {
            SecretText::Text(text) if HeaderValue::from_str(text).is_err() => {
                self.wrong(&key, saying!("fault-not-header-value"), saying!("fault-remove-breaks"))
            }
            SecretText::Text(_) | SecretText::Secret(_) => self.secret(&key, value),
        }
    }

    /// The value is not repeated, because it may be a secret entered by mistake.
    fn secret(&self, key: &str, value: &SecretText) -> McpCheckResult {
        let SecretText::Secret(place) = value else { return Ok(()) };
        // One connection to one server serves every person, so it has no personal secret.
        if place.secret_person.is_some() {
            let fix = saying!("fault-declare-http");
            return self.wrong(key, saying!("fault-no-person"), fix);
        }
        if !place.is_one() {
            return self.wrong(key, saying!("fault-one-place"), saying!("fault-secret-two"));
        }
        if place.secret_env.as_deref().is_some_and(|name| !is_variable(name)) {
            let fix = saying!("fault-export-secret");
            return self.wrong(&format!("{key}.secret_env"), saying!("fault-not-variable"), fix);
        }
        if place.secret_file.as_deref() == Some("") {
            return self.wrong(
                &format!("{key}.secret_file"),
                saying!("fault-empty"),
                saying!("fault-name-file"),
            );
        }
        Ok(())
    }

    fn numbers(&self) -> McpCheckResult {
        let config = self.config;
        let numbers = [
            ("start_timeout_seconds", config.start_timeout_seconds),
            ("first_start_timeout_seconds", config.first_start_timeout_seconds),
            ("call_timeout_seconds", config.call_timeout_seconds),
            ("task_deadline_seconds", config.task_deadline_seconds),
            ("restart_min_seconds", config.restart_min_seconds),
            ("restart_max_seconds", config.restart_max_seconds),
            ("resend_max_seconds", config.resend_max_seconds),
            ("result_max_bytes", config.result_max_bytes.map(|bytes| bytes as u64)),
            ("message_max_bytes", config.message_max_bytes.map(|bytes| bytes as u64)),
            ("declaration_max_bytes", config.declaration_max_bytes.map(|bytes| bytes as u64)),
            ("tools_max", config.tools_max.map(|tools| tools as u64)),
        ];
        for (key, value) in numbers {
            match value {
                Some(0) => return self.wrong(key, saying!("fault-zero"), saying!("fault-one-or-more")),
                Some(seconds)
                    if key.ends_with("seconds")
                        && key != "task_deadline_seconds"
                        && seconds > SECONDS_MAX =>
                {
                    let fix = saying!("fault-at-most-day", most = SECONDS_MAX);
                    return self.wrong(key, saying!("fault-too-long", given = seconds), fix);
                }
                Some(_) | None => {}
            }
        }
        if config.restart_min_seconds() > config.restart_max_seconds() {
            let problem = saying!("fault-more-than-restart", given = config.restart_min_seconds());
            return self.wrong("restart_min_seconds", problem, saying!("fault-smaller"));
        }
        Ok(())
    }

    fn tool(&self, tool: &str, config: &McpToolConfig) -> McpCheckResult {
        let key = |name: &str| format!("tools.{tool}.{name}");
        let query = config.kind == Some(McpToolKind::Query);
        match (config.kind, config.effect) {
            (Some(McpToolKind::Query), Some(McpToolEffect::Idempotent | McpToolEffect::Once)) => {
                return self.wrong(&key("effect"), saying!("fault-with-query"), saying!("fault-use-read"));
            }
            (Some(McpToolKind::Action), Some(McpToolEffect::Read)) => {
                let fix = saying!("fault-use-once");
                return self.wrong(&key("effect"), saying!("fault-read-action"), fix);
            }
            (Some(_) | None, Some(_) | None) => {}
        }
        let reads = query || config.effect == Some(McpToolEffect::Read);
        if reads && config.destructive == Some(true) {
            let problem = saying!("fault-query-destructive");
            return self.wrong(&key("destructive"), problem, saying!("fault-set-action"));
        }
        if config.validation == Some(false)
            && (config.destructive == Some(true) || config.egress == Some(true))
        {
            let problem = saying!("fault-always-approval");
            return self.wrong(&key("validation"), problem, saying!("fault-remove-one"));
        }
        // A tool with approvers always asks.
        config
            .tool_approvers()
            .check(true)
            .or_else(|fault| self.wrong(&key(&fault.key), fault.problem, fault.fix))?;
        match config.timeout_seconds {
            Some(seconds) if seconds == 0 || seconds > SECONDS_MAX => {
                let fix = saying!("fault-use-range", most = SECONDS_MAX);
                self.wrong(&key("timeout_seconds"), saying!("fault-out-of-range", given = seconds), fix)
            }
            Some(_) | None => Ok(()),
        }
    }

    fn wrong(&self, key: &str, problem: LocalizedMessage, fix: LocalizedMessage) -> McpCheckResult {
        Err(McpConfigError { entry: self.entry.to_owned(), key: key.to_owned(), problem, fix })
    }
}

/// Whether `name` is a valid environment variable name.
fn is_variable(name: &str) -> bool {
    let letter = |character: char| character.is_ascii_alphabetic() || character == '_';
    name.starts_with(letter) && name.chars().all(|character| letter(character) || character.is_ascii_digit())
}

/// The most characters of a server's name: the wire name of a tool has 64 characters for server and tool together.
const NAME_MAX: usize = 32;
/// The longest allowed time-out, in seconds.
const SECONDS_MAX: u64 = 24 * 60 * 60;
/// Headers set by the transport.
const RESERVED_HEADERS: [&str; 8] = [
    "accept",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];
