//! What the types of an entry cannot say: which keys go together, and which values no server could use.
//!
//! Pure; it opens no file and starts nothing.

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

use super::{
    McpConfigError, McpLoginConfig, McpServerConfig, McpToolConfig, SecretText, ToolEffect, ToolKind,
};

/// An entry under examination.
pub(super) struct Check<'a> {
    pub(super) entry: &'a str,
    pub(super) config: &'a McpServerConfig,
}

type Checked = Result<(), McpConfigError>;

impl Check<'_> {
    /// The first thing that is wrong.
    pub(super) fn run(&self) -> Checked {
        self.name()?;
        match (&self.config.command, &self.config.url) {
            (None, None) => {
                let fix = "add command = \"npx\" with args = […], or url = \"https://host/mcp\"";
                self.wrong("command", "is missing, and url is too", fix)
            }
            (Some(_), Some(_)) => self.wrong("url", "is set together with command", "keep one of them"),
            (Some(command), None) => self.program(command),
            (None, Some(url)) => self.address(url),
        }?;
        self.numbers()?;
        self.config.tools.iter().try_for_each(|(tool, config)| self.tool(tool, config))
    }

    fn name(&self) -> Checked {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
        let bytes = self.entry.as_bytes();
        let begins = bytes.first().is_some_and(u8::is_ascii_lowercase);
        if begins && bytes.len() <= NAME_MAX && bytes.iter().copied().all(fits) {
            return Ok(());
        }
        let fix = format!("use at most {NAME_MAX} of a–z, 0–9, - and _, starting with a letter");
        self.wrong("*", &format!("“{}” is not a valid server name", self.entry), &fix)
    }

    fn program(&self, command: &str) -> Checked {
        if command.trim().is_empty() {
            return self.wrong("command", "is empty", "name the program, for example \"npx\"");
        }
        if !self.config.headers.is_empty() {
            return self.wrong("headers", "is only for a server with url", "remove it, or use env");
        }
        if self.config.oauth.is_some() {
            return self.wrong("oauth", "is only for a server with url", "remove it");
        }
        for (name, value) in &self.config.env {
            self.variable("env", name)?;
            self.secret(&format!("env.{name}"), value)?;
        }
        self.config.inherit.iter().flatten().try_for_each(|name| self.variable("inherit", name))
    }

    fn variable(&self, key: &str, name: &str) -> Checked {
        if name.is_empty() || name.contains(['=', '\0']) {
            return self.wrong(key, &format!("“{name}” is not a valid variable name"), "correct the name");
        }
        Ok(())
    }

    fn address(&self, address: &str) -> Checked {
        let fix = "write it like https://host/mcp";
        let Some(url) = Url::parse(address).ok().filter(Url::has_host) else {
            return self.wrong("url", &format!("“{address}” is not an address"), fix);
        };
        if url.scheme() != "http" && url.scheme() != "https" {
            return self.wrong("url", &format!("“{address}” is neither http nor https"), fix);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return self.wrong(
                "url",
                "contains a user name or a password",
                "put them in headers as a secret",
            );
        }
        for (key, set) in [
            ("args", !self.config.args.is_empty()),
            ("env", !self.config.env.is_empty()),
            ("inherit", self.config.inherit.is_some()),
            ("cwd", self.config.cwd.is_some()),
        ] {
            if set {
                return self.wrong(key, "is only for a server with command", "remove it");
            }
        }
        self.config.headers.iter().try_for_each(|(name, value)| self.header(name, value))?;
        self.config.oauth.as_ref().map_or(Ok(()), |login| self.login(login))
    }

    fn login(&self, login: &McpLoginConfig) -> Checked {
        if self.config.has_own_authorization() {
            return self.wrong("oauth", "is set together with headers.authorization", "keep one of them");
        }
        if let Some(place) = &login.client_secret {
            if login.client_id.is_none() {
                return self.wrong("oauth.client_secret", "is set without client_id", "add client_id");
            }
            self.secret("oauth.client_secret", &SecretText::Secret(place.clone()))?;
        }
        let fix = "use 1 or more, or remove it";
        if login.client_id.as_deref() == Some("") {
            return self.wrong("oauth.client_id", "is empty", "write the client's id, or remove it");
        }
        if login.redirect_port == Some(0) {
            return self.wrong("oauth.redirect_port", "0 is no port", fix);
        }
        if login.answer_max_bytes == Some(0) {
            return self.wrong("oauth.answer_max_bytes", "0 is too small", fix);
        }
        match login.timeout_seconds {
            Some(0) => self.wrong("oauth.timeout_seconds", "0 is too small", fix),
            Some(seconds) if seconds > SECONDS_MAX => {
                let fix = format!("use at most {SECONDS_MAX}, one day");
                self.wrong("oauth.timeout_seconds", &format!("{seconds} is too long"), &fix)
            }
            Some(_) | None => Ok(()),
        }
    }

    fn header(&self, name: &str, value: &SecretText) -> Checked {
        let key = format!("headers.{name}");
        let Ok(parsed) = HeaderName::from_bytes(name.as_bytes()) else {
            return self.wrong(&key, "is not a valid header name", "correct the name");
        };
        if RESERVED_HEADERS.contains(&parsed.as_str()) {
            return self.wrong(&key, "is set by the protocol itself", "remove it");
        }
        match value {
            SecretText::Text(text) if HeaderValue::from_str(text).is_err() => {
                self.wrong(&key, "is not a valid header value", "remove line breaks and control characters")
            }
            SecretText::Text(_) | SecretText::Secret(_) => self.secret(&key, value),
        }
    }

    /// A place may hold a secret by mistake, so it is not repeated.
    fn secret(&self, key: &str, value: &SecretText) -> Checked {
        let SecretText::Secret(place) = value else { return Ok(()) };
        // One server, and one connection to it, serves everybody.
        if place.secret_person.is_some() {
            let fix = "declare the request as an HTTP tool, or use secret_env or secret_file";
            return self.wrong(key, "secret_person is not possible for an MCP server", fix);
        }
        if !place.is_one() {
            return self.wrong(key, "must name one place", "set one of secret_env and secret_file");
        }
        if place.secret_env.as_deref().is_some_and(|name| !is_variable(name)) {
            let fix = "export NAME=… and write NAME here, never the secret";
            return self.wrong(&format!("{key}.secret_env"), "is not a valid variable name", fix);
        }
        if place.secret_file.as_deref() == Some("") {
            return self.wrong(&format!("{key}.secret_file"), "is empty", "name the file");
        }
        Ok(())
    }

    fn numbers(&self) -> Checked {
        let config = self.config;
        let numbers = [
            ("start_timeout_seconds", config.start_timeout_seconds),
            ("call_timeout_seconds", config.call_timeout_seconds),
            ("restart_min_seconds", config.restart_min_seconds),
            ("restart_max_seconds", config.restart_max_seconds),
            ("result_max_bytes", config.result_max_bytes.map(|bytes| bytes as u64)),
            ("message_max_bytes", config.message_max_bytes.map(|bytes| bytes as u64)),
            ("declaration_max_bytes", config.declaration_max_bytes.map(|bytes| bytes as u64)),
            ("tools_max", config.tools_max.map(|tools| tools as u64)),
        ];
        for (key, value) in numbers {
            match value {
                Some(0) => return self.wrong(key, "0 is too small", "use 1 or more, or remove it"),
                Some(seconds) if key.ends_with("seconds") && seconds > SECONDS_MAX => {
                    let fix = format!("use at most {SECONDS_MAX}, one day");
                    return self.wrong(key, &format!("{seconds} is too long"), &fix);
                }
                Some(_) | None => {}
            }
        }
        if config.restart_min_seconds() > config.restart_max_seconds() {
            let problem = format!("{} is more than restart_max_seconds", config.restart_min_seconds());
            return self.wrong("restart_min_seconds", &problem, "make it smaller");
        }
        Ok(())
    }

    fn tool(&self, tool: &str, config: &McpToolConfig) -> Checked {
        let key = |name: &str| format!("tools.{tool}.{name}");
        let query = config.kind == Some(ToolKind::Query);
        match (config.kind, config.effect) {
            (Some(ToolKind::Query), Some(ToolEffect::Idempotent | ToolEffect::Once)) => {
                return self.wrong(
                    &key("effect"),
                    "is set together with kind = \"query\"",
                    "use read, or remove it",
                );
            }
            (Some(ToolKind::Action), Some(ToolEffect::Read)) => {
                let fix = "use once or idempotent, or make it a query";
                return self.wrong(&key("effect"), "read is set together with kind = \"action\"", fix);
            }
            (Some(_) | None, Some(_) | None) => {}
        }
        let reads = query || config.effect == Some(ToolEffect::Read);
        for (name, flag) in [
            ("validation", config.validation),
            ("destructive", config.destructive),
            ("egress", config.egress),
            ("four_eyes", config.four_eyes),
        ] {
            if reads && flag == Some(true) {
                let fix = "make it an action: kind = \"action\"";
                return self.wrong(&key(name), "is true, but a query never needs approval", fix);
            }
        }
        if config.validation == Some(false)
            && (config.destructive == Some(true) || config.egress == Some(true))
        {
            let problem = "is false, but destructive and egress tools always need approval";
            return self.wrong(&key("validation"), problem, "remove one of them");
        }
        match config.timeout_seconds {
            Some(seconds) if seconds == 0 || seconds > SECONDS_MAX => {
                let fix = format!("use 1 to {SECONDS_MAX}");
                self.wrong(&key("timeout_seconds"), &format!("{seconds} is out of range"), &fix)
            }
            Some(_) | None => Ok(()),
        }
    }

    fn wrong(&self, key: &str, problem: &str, fix: &str) -> Checked {
        Err(McpConfigError {
            entry: self.entry.to_owned(),
            key: key.to_owned(),
            problem: problem.to_owned(),
            fix: fix.to_owned(),
        })
    }
}

/// Whether a shell could export it.
fn is_variable(name: &str) -> bool {
    let letter = |character: char| character.is_ascii_alphabetic() || character == '_';
    name.starts_with(letter) && name.chars().all(|character| letter(character) || character.is_ascii_digit())
}

/// Longest name of a server: the name on the wire has 64 characters for server and tool together.
const NAME_MAX: usize = 32;
/// Longest of all waits, in seconds.
const SECONDS_MAX: u64 = 24 * 60 * 60;
/// Headers that the transport sets.
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
