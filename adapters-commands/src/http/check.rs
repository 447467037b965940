//! What the types of a declaration cannot say. Pure; it opens no file and no connection.

use std::collections::BTreeSet;

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;

use super::config::{HttpBody, HttpMethod, HttpToolConfig, HttpToolEffect, HttpToolKind};
use super::template::{CALL_KEY, Template};
use crate::egress::is_of_connection;
use crate::secret::{SecretPlace, SecretText};

/// What is wrong with a declaration, and the mend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the HTTP tool “{tool}”, {key}: {problem}; {mend}")]
pub struct HttpToolFault {
    /// The tool.
    pub tool: String,
    /// The key in it.
    pub key: String,
    /// What is wrong, with the value.
    pub problem: String,
    /// What to do.
    pub mend: String,
}

type Checked = Result<(), HttpToolFault>;

/// The longest name; longer ones do not fit on every provider's wire.
const NAME_MAX: usize = 64;

/// Headers that carry who one is; they are never written out in a configuration.
const SECRET_HEADERS: [&str; 4] = ["authorization", "cookie", "x-api-key", "api-key"];

impl HttpToolConfig {
    /// Whether the tool can be used.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), HttpToolFault> {
        self.names()?;
        self.schema("arguments", &self.arguments)?;
        if let Some(result) = &self.result {
            self.schema("result", result)?;
        }
        self.closed_object()?;
        self.address("url", &self.url)?;
        self.every_argument_goes_somewhere()?;
        self.all_headers()?;
        self.class()?;
        self.asking()?;
        self.limits()?;
        self.sample()
    }

    fn names(&self) -> Checked {
        let part = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_lowercase())
                && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        if self.name.len() > NAME_MAX || !self.name.contains('.') || !self.name.split('.').all(part) {
            let mend = "write it like weather.today, in small letters, at most 64";
            return self.wrong("name", format!("“{}” is no name of a command", self.name), mend);
        }
        let word = self.word();
        let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        if word.len() > NAME_MAX
            || !word.starts_with(|c: char| c.is_ascii_uppercase())
            || !word.chars().all(fits)
        {
            let mend = "write it like WEATHER_TODAY, at most 64";
            return self.wrong("word", format!("“{word}” is no word of a command"), mend);
        }
        if self.doc.trim().is_empty() {
            return self.wrong(
                "doc",
                "is empty".to_owned(),
                "say in one sentence what the tool does, for the model",
            );
        }
        Ok(())
    }

    fn schema(&self, key: &str, schema: &Value) -> Checked {
        match jsonschema::options().should_validate_formats(true).build(schema) {
            Ok(_) => Ok(()),
            Err(fault) => self.wrong(key, format!("is no JSON Schema: {fault}"), "correct it"),
        }
    }

    fn closed_object(&self) -> Checked {
        let schema = &self.arguments;
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return self.wrong("arguments.type", "is not “object”".to_owned(), "add type = \"object\"");
        }
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            let mend = "add additionalProperties = false";
            return self.wrong("arguments.additionalProperties", "is not false".to_owned(), mend);
        }
        Ok(())
    }

    fn address(&self, key: &str, text: &str) -> Checked {
        let template = self.template(key, text)?;
        for (name, in_path) in template.variables().filter(|(name, _)| *name != CALL_KEY) {
            if !self.properties().contains(name) {
                let mend = "declare it in arguments.properties, or take it out";
                return self.wrong(key, format!("“{{{name}}}” is no argument"), mend);
            }
            if in_path && !self.required().contains(name) {
                let mend = "add it to arguments.required, or move it behind the “?”";
                return self.wrong(key, format!("“{{{name}}}” stands in the path and may be left out"), mend);
            }
        }
        Ok(())
    }

    fn template(&self, key: &str, text: &str) -> Result<Template, HttpToolFault> {
        Template::parse(text)
            .map_err(|problem| self.fault(key, problem, "write it like https://host/path/{name}?q={q}"))
    }

    fn every_argument_goes_somewhere(&self) -> Checked {
        if self.body == HttpBody::Json {
            return match self.method {
                HttpMethod::Get | HttpMethod::Head => {
                    let mend = "put the arguments into the url, or use another method";
                    self.wrong("body", "a GET or HEAD has none".to_owned(), mend)
                }
                HttpMethod::Post | HttpMethod::Put | HttpMethod::Patch | HttpMethod::Delete => Ok(()),
            };
        }
        let template = self.template("url", &self.url)?;
        let used: BTreeSet<&str> = template.variables().map(|(name, _)| name).collect();
        match self.properties().iter().find(|name| !used.contains(**name)) {
            None => Ok(()),
            Some(name) => {
                let mend = format!("put {{{name}}} into the url, or set body = \"json\"");
                self.wrong("arguments", format!("“{name}” goes nowhere"), &mend)
            }
        }
    }

    fn all_headers(&self) -> Checked {
        for (name, value) in &self.headers {
            self.header_name(&format!("headers.{name}"), name)?;
            match value {
                SecretText::Text(text) => self.plain_header(name, text)?,
                SecretText::Secret(secret) => self.secret_header(name, secret)?,
            }
        }
        let key = "idempotency_header";
        match &self.idempotency_header {
            None => Ok(()),
            Some(name) => self.header_name(key, name).and_then(|()| {
                if self.headers.keys().any(|known| known.eq_ignore_ascii_case(name)) {
                    return self.wrong(key, format!("“{name}” stands in headers too"), "take it out there");
                }
                Ok(())
            }),
        }
    }

    fn header_name(&self, key: &str, name: &str) -> Checked {
        match HeaderName::try_from(name) {
            Err(_) => self.wrong(key, format!("“{name}” is no name of a header"), "correct it"),
            Ok(read) if is_of_connection(&read) => {
                self.wrong(key, format!("“{name}” belongs to the connection"), "take it out")
            }
            Ok(_) => Ok(()),
        }
    }

    fn plain_header(&self, name: &str, text: &str) -> Checked {
        let key = format!("headers.{name}");
        if SECRET_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            let mend = "keep it in a variable: { secret_env = \"NAME\", prefix = \"Bearer \" }";
            return self.wrong(&key, "holds a secret in plain text".to_owned(), mend);
        }
        match HeaderValue::from_str(text) {
            Ok(_) => Ok(()),
            Err(_) => {
                self.wrong(&key, "holds characters that no header can carry".to_owned(), "take them out")
            }
        }
    }

    fn secret_header(&self, name: &str, secret: &SecretPlace) -> Checked {
        let key = format!("headers.{name}");
        if secret.secret_env.is_some() == secret.secret_file.is_some() {
            let mend = "set one of secret_env and secret_file";
            return self.wrong(&key, "does not say where its one secret is kept".to_owned(), mend);
        }
        if secret.secret_env.as_deref().is_some_and(|name| !is_variable(name)) {
            let mend = "export NAME=… and write NAME here, never the secret";
            return self.wrong(&key, "secret_env is no name of a variable".to_owned(), mend);
        }
        if HeaderValue::from_str(&secret.prefix).is_err() {
            return self.wrong(
                &key,
                "the prefix holds characters that no header can carry".to_owned(),
                "take them out",
            );
        }
        Ok(())
    }

    fn class(&self) -> Checked {
        let (kind, effect) = (self.kind(), self.effect());
        if (kind == HttpToolKind::Query) != (effect == HttpToolEffect::Read) {
            let mend = "a query is read; an action is idempotent, probe or once";
            return self.wrong("effect", format!("{effect:?} does not fit kind {kind:?}"), mend);
        }
        if effect == HttpToolEffect::Idempotent && self.idempotency_header.is_none() {
            let mend =
                "add idempotency_header = \"Idempotency-Key\", or whatever header the other side reads";
            return self.wrong("idempotency_header", "is missing for effect idempotent".to_owned(), mend);
        }
        if effect != HttpToolEffect::Idempotent && self.key_lifetime_seconds.is_some() {
            let problem = "is only for effect idempotent".to_owned();
            return self.wrong("key_lifetime_seconds", problem, "take it out");
        }
        if effect != HttpToolEffect::Probe && self.settle_seconds.is_some() {
            return self.wrong("settle_seconds", "is only for effect probe".to_owned(), "take it out");
        }
        if kind == HttpToolKind::Query && self.destructive == Some(true) {
            return self.wrong("destructive", "a query destroys nothing".to_owned(), "set kind = \"action\"");
        }
        Ok(())
    }

    fn asking(&self) -> Checked {
        let probe = self.effect() == HttpToolEffect::Probe;
        let Some(ask) = &self.ask else {
            if probe {
                let mend = "add ask = { url = \"…{call.key}\", pointer = \"/id\", equals = \"{call.key}\" }";
                return self.wrong("ask", "is missing for effect probe".to_owned(), mend);
            }
            return Ok(());
        };
        if !probe {
            return self.wrong(
                "ask",
                "is only for effect probe".to_owned(),
                "take it out, or set effect = \"probe\"",
            );
        }
        if !ask.pointer.is_empty() && !ask.pointer.starts_with('/') {
            let problem = format!("“{}” is no JSON pointer", ask.pointer);
            return self.wrong("ask.pointer", problem, "write it like /orders/0/id");
        }
        self.address("ask.url", &ask.url)?;
        let (own, asked) = (self.template("url", &self.url)?, self.template("ask.url", &ask.url)?);
        if own.sample().origin() != asked.sample().origin() && self.has_secrets() {
            let mend = "ask the host that acts, or declare the tool without secrets";
            return self.wrong("ask.url", "would send the secrets to another host".to_owned(), mend);
        }
        Ok(())
    }

    fn limits(&self) -> Checked {
        let numbers = [
            ("timeout_seconds", self.timeout_seconds.map(u64::from)),
            ("key_lifetime_seconds", self.key_lifetime_seconds.map(u64::from)),
            ("max_answer_chars", self.max_answer_chars.map(|most| most as u64)),
        ];
        match numbers.into_iter().find(|(_, value)| *value == Some(0)) {
            Some((key, _)) => self.wrong(key, "0 allows nothing".to_owned(), "use 1 or more, or take it out"),
            None => Ok(()),
        }
    }

    fn sample(&self) -> Checked {
        let Some(example) = &self.example else { return Ok(()) };
        match jsonschema::validate(&self.arguments, example) {
            Ok(()) => Ok(()),
            Err(fault) => {
                let problem = format!("does not fit arguments: {fault}, at “{}”", fault.instance_path());
                self.wrong("example", problem, "correct one of the two")
            }
        }
    }

    fn has_secrets(&self) -> bool {
        self.headers.values().any(|header| matches!(header, SecretText::Secret(_)))
    }

    /// The names of the arguments.
    fn properties(&self) -> BTreeSet<&str> {
        let properties = self.arguments.get("properties").and_then(Value::as_object);
        properties.map(|all| all.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    fn required(&self) -> BTreeSet<&str> {
        let required = self.arguments.get("required").and_then(Value::as_array);
        required.map(|all| all.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
    }

    fn wrong(&self, key: &str, problem: String, mend: &str) -> Checked {
        Err(self.fault(key, problem, mend))
    }

    pub(super) fn fault(&self, key: &str, problem: String, mend: &str) -> HttpToolFault {
        HttpToolFault { tool: self.name.clone(), key: key.to_owned(), problem, mend: mend.to_owned() }
    }
}

/// Whether a shell could export it. Keys that were pasted in by mistake mostly hold a `-` and are none.
fn is_variable(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}
