//! What the types of an entry cannot say: which keys go together, and which values no server could use.
//!
//! Pure; it opens no file and starts nothing.

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

use super::{McpConfigError, McpServerConfig, McpToolConfig, SecretText, ToolEffect, ToolKind};

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
                let mend = "add command = \"npx\" with args = […], or url = \"https://host/mcp\"";
                self.wrong("command", "is missing, and so is url", mend)
            }
            (Some(_), Some(_)) => self.wrong("url", "stands beside command", "keep one of the two"),
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
        let mend = format!("use at most {NAME_MAX} of a–z, 0–9, - and _, a letter first");
        self.wrong("*", &format!("“{}” cannot be a server's name", self.entry), &mend)
    }

    fn program(&self, command: &str) -> Checked {
        if command.trim().is_empty() {
            return self.wrong("command", "is empty", "name the program, for example \"npx\"");
        }
        if !self.config.headers.is_empty() {
            return self.wrong("headers", "is only for a server with url", "remove it, or use env");
        }
        for (name, value) in &self.config.env {
            self.variable("env", name)?;
            self.secret(&format!("env.{name}"), value)?;
        }
        self.config.inherit.iter().flatten().try_for_each(|name| self.variable("inherit", name))
    }

    fn variable(&self, key: &str, name: &str) -> Checked {
        if name.is_empty() || name.contains(['=', '\0']) {
            return self.wrong(key, &format!("“{name}” is no name of a variable"), "correct the name");
        }
        Ok(())
    }

    fn address(&self, address: &str) -> Checked {
        let mend = "write it like https://host/mcp";
        let Some(url) = Url::parse(address).ok().filter(Url::has_host) else {
            return self.wrong("url", &format!("“{address}” is not an address"), mend);
        };
        if url.scheme() != "http" && url.scheme() != "https" {
            return self.wrong("url", &format!("“{address}” is neither http nor https"), mend);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return self.wrong("url", "holds a user or password", "put them into headers as a secret");
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
        self.config.headers.iter().try_for_each(|(name, value)| self.header(name, value))
    }

    fn header(&self, name: &str, value: &SecretText) -> Checked {
        let key = format!("headers.{name}");
        let Ok(parsed) = HeaderName::from_bytes(name.as_bytes()) else {
            return self.wrong(&key, "is no name of a header", "correct the name");
        };
        if RESERVED_HEADERS.contains(&parsed.as_str()) {
            return self.wrong(&key, "is set by the protocol itself", "remove it");
        }
        match value {
            SecretText::Text(text) if HeaderValue::from_str(text).is_err() => {
                self.wrong(&key, "cannot be a header's value", "remove line ends and controls")
            }
            SecretText::Text(_) | SecretText::Secret(_) => self.secret(&key, value),
        }
    }

    /// A place may hold a secret by mistake, so it is not repeated.
    fn secret(&self, key: &str, value: &SecretText) -> Checked {
        let SecretText::Secret(place) = value else { return Ok(()) };
        if place.secret_env.is_some() == place.secret_file.is_some() {
            return self.wrong(key, "has no place, or two", "set one of secret_env and secret_file");
        }
        if place.secret_env.as_deref().is_some_and(|name| !is_variable(name)) {
            let mend = "export NAME=… and write NAME here, never the secret";
            return self.wrong(&format!("{key}.secret_env"), "is no name of a variable", mend);
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
        ];
        for (key, value) in numbers {
            match value {
                Some(0) => return self.wrong(key, "0 allows nothing", "use 1 or more, or remove it"),
                Some(seconds) if key.ends_with("seconds") && seconds > SECONDS_MAX => {
                    let mend = format!("use at most {SECONDS_MAX}, one day");
                    return self.wrong(key, &format!("{seconds} is too long"), &mend);
                }
                Some(_) | None => {}
            }
        }
        if config.restart_min_seconds() > config.restart_max_seconds() {
            let problem = format!("{} is more than restart_max_seconds", config.restart_min_seconds());
            return self.wrong("restart_min_seconds", &problem, "make it the smaller one");
        }
        Ok(())
    }

    fn tool(&self, tool: &str, config: &McpToolConfig) -> Checked {
        let key = |name: &str| format!("tools.{tool}.{name}");
        let query = config.kind == Some(ToolKind::Query);
        match (config.kind, config.effect) {
            (Some(ToolKind::Query), Some(ToolEffect::Idempotent | ToolEffect::Once)) => {
                return self.wrong(&key("effect"), "stands beside kind = \"query\"", "a query is read");
            }
            (Some(ToolKind::Action), Some(ToolEffect::Read)) => {
                let mend = "use once or idempotent, or make it a query";
                return self.wrong(&key("effect"), "read stands beside kind = \"action\"", mend);
            }
            (Some(_) | None, Some(_) | None) => {}
        }
        let reads = query || config.effect == Some(ToolEffect::Read);
        for (name, flag) in [
            ("validation", config.validation),
            ("destructive", config.destructive),
            ("egress", config.egress),
        ] {
            if reads && flag == Some(true) {
                let mend = "make it an action: kind = \"action\"";
                return self.wrong(&key(name), "is true, but a query is never asked for", mend);
            }
        }
        if config.validation == Some(false)
            && (config.destructive == Some(true) || config.egress == Some(true))
        {
            let problem = "is false, but what is destructive or egress is always asked for";
            return self.wrong(&key("validation"), problem, "remove one of them");
        }
        match config.timeout_seconds {
            Some(seconds) if seconds == 0 || seconds > SECONDS_MAX => {
                let mend = format!("use 1 to {SECONDS_MAX}");
                self.wrong(&key("timeout_seconds"), &format!("{seconds} is out of range"), &mend)
            }
            Some(_) | None => Ok(()),
        }
    }

    fn wrong(&self, key: &str, problem: &str, mend: &str) -> Checked {
        Err(McpConfigError {
            entry: self.entry.to_owned(),
            key: key.to_owned(),
            problem: problem.to_owned(),
            mend: mend.to_owned(),
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
