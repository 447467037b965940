//! The checks of a declaration that its types cannot make. Pure: it opens no file and no connection.

use std::collections::BTreeSet;

use entracte_application::json::from_serde;
use entracte_application::schema::{Schema, SchemaRefusal};
use entracte_application::settings::Bounds;
use jsonschema::ValidationError;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;

use super::config::{HttpBody, HttpMethod, HttpToolConfig, HttpToolEffect, HttpToolKind};
use super::template::{CALL_KEY, Template};
use crate::egress::is_of_connection;
use crate::secret::{SecretPlace, SecretText};

/// What is wrong with a declaration, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the HTTP tool “{tool}”, {key}: {problem}; {fix}")]
pub struct HttpToolFault {
    /// The tool.
    pub tool: String,
    /// The key in it.
    pub key: String,
    /// What is wrong, with the value.
    pub problem: String,
    /// What to do.
    pub fix: String,
}

type Checked = Result<(), HttpToolFault>;

/// The longest name; some providers refuse longer ones.
const NAME_MAX: usize = 64;

/// Headers that carry credentials; they are never written in plain text in a configuration.
const SECRET_HEADERS: [&str; 4] = ["authorization", "cookie", "x-api-key", "api-key"];

impl HttpToolConfig {
    /// Checks that the tool can be used.
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
            let fix = "write it like weather.today, in lowercase, with at most 64 characters";
            return self.wrong("name", format!("“{}” is not a valid command name", self.name), fix);
        }
        let word = self.word();
        let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        if word.len() > NAME_MAX
            || !word.starts_with(|c: char| c.is_ascii_uppercase())
            || !word.chars().all(fits)
        {
            let fix = "write it like WEATHER_TODAY, with at most 64 characters";
            return self.wrong("word", format!("“{word}” is not a valid command word"), fix);
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
        match Schema::new(schema, &Bounds::WIDEST) {
            Ok(_) => Ok(()),
            Err(SchemaRefusal::NoSchema { says }) => {
                self.wrong(key, format!("is not a valid JSON Schema: {says}"), "correct it")
            }
            Err(why) => self.wrong(key, why.to_string(), "make it simpler"),
        }
    }

    fn closed_object(&self) -> Checked {
        let schema = &self.arguments;
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return self.wrong("arguments.type", "is not “object”".to_owned(), "add type = \"object\"");
        }
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            let fix = "add additionalProperties = false";
            return self.wrong("arguments.additionalProperties", "is not false".to_owned(), fix);
        }
        Ok(())
    }

    fn address(&self, key: &str, text: &str) -> Checked {
        let template = self.template(key, text)?;
        for (name, in_path) in template.variables().filter(|(name, _)| *name != CALL_KEY) {
            if !self.properties().contains(name) {
                let fix = "declare it in arguments.properties, or remove it";
                return self.wrong(key, format!("“{{{name}}}” is not an argument"), fix);
            }
            if in_path && !self.required().contains(name) {
                let fix = "add it to arguments.required, or move it after the “?”";
                return self.wrong(key, format!("“{{{name}}}” is in the path, but may be omitted"), fix);
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
                    let fix = "put the arguments into the url, or use another method";
                    self.wrong("body", "a GET or HEAD has no body".to_owned(), fix)
                }
                HttpMethod::Post | HttpMethod::Put | HttpMethod::Patch | HttpMethod::Delete => Ok(()),
            };
        }
        let template = self.template("url", &self.url)?;
        let used: BTreeSet<&str> = template.variables().map(|(name, _)| name).collect();
        match self.properties().iter().find(|name| !used.contains(**name)) {
            None => Ok(()),
            Some(name) => {
                let fix = format!("put {{{name}}} into the url, or set body = \"json\"");
                self.wrong("arguments", format!("“{name}” is not used"), &fix)
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
                    return self.wrong(key, format!("“{name}” is in headers too"), "remove it there");
                }
                Ok(())
            }),
        }
    }

    fn header_name(&self, key: &str, name: &str) -> Checked {
        match HeaderName::try_from(name) {
            Err(_) => self.wrong(key, format!("“{name}” is not a valid header name"), "correct it"),
            Ok(read) if is_of_connection(&read) => {
                self.wrong(key, format!("“{name}” belongs to the connection"), "remove it")
            }
            Ok(_) => Ok(()),
        }
    }

    fn plain_header(&self, name: &str, text: &str) -> Checked {
        let key = format!("headers.{name}");
        if SECRET_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            let fix = "keep it in an environment variable: { secret_env = \"NAME\", prefix = \"Bearer \" }";
            return self.wrong(&key, "contains a secret in plain text".to_owned(), fix);
        }
        match HeaderValue::from_str(text) {
            Ok(_) => Ok(()),
            Err(_) => {
                self.wrong(&key, "contains characters that a header cannot carry".to_owned(), "remove them")
            }
        }
    }

    fn secret_header(&self, name: &str, secret: &SecretPlace) -> Checked {
        let key = format!("headers.{name}");
        if !secret.is_one() {
            let fix = "set one of secret_env, secret_file and secret_person";
            return self.wrong(&key, "must say where its secret is kept, once".to_owned(), fix);
        }
        if secret.secret_env.as_deref().is_some_and(|name| !is_variable(name)) {
            let fix = "export NAME=… and write NAME here, never the secret";
            return self.wrong(&key, "secret_env is not a valid variable name".to_owned(), fix);
        }
        if HeaderValue::from_str(&secret.prefix).is_err() {
            return self.wrong(
                &key,
                "the prefix contains characters that a header cannot carry".to_owned(),
                "remove them",
            );
        }
        Ok(())
    }

    fn class(&self) -> Checked {
        let (kind, effect) = (self.kind(), self.effect());
        if (kind == HttpToolKind::Query) != (effect == HttpToolEffect::Read) {
            let fix = "use read for a query, and idempotent, probe or once for an action";
            return self.wrong("effect", format!("{effect:?} does not match kind {kind:?}"), fix);
        }
        if effect == HttpToolEffect::Idempotent && self.idempotency_header.is_none() {
            let fix = "add idempotency_header = \"Idempotency-Key\", or the header that the other side reads";
            return self.wrong("idempotency_header", "is missing for effect idempotent".to_owned(), fix);
        }
        if effect != HttpToolEffect::Idempotent && self.key_lifetime_seconds.is_some() {
            let problem = "is only for effect idempotent".to_owned();
            return self.wrong("key_lifetime_seconds", problem, "remove it");
        }
        if effect != HttpToolEffect::Probe && self.settle_seconds.is_some() {
            return self.wrong("settle_seconds", "is only for effect probe".to_owned(), "remove it");
        }
        if kind == HttpToolKind::Action && self.approval == Some(false) {
            let problem = "is false, but an action always needs approval".to_owned();
            return self.wrong("approval", problem, "remove it");
        }
        if kind == HttpToolKind::Query && !self.asks_to_read() && self.four_eyes == Some(true) {
            let problem = "is true, but nobody is asked about this query".to_owned();
            return self.wrong("four_eyes", problem, "set approval = true");
        }
        if kind == HttpToolKind::Query && self.destructive == Some(true) {
            return self.wrong(
                "destructive",
                "a query cannot be destructive".to_owned(),
                "set kind = \"action\"",
            );
        }
        Ok(())
    }

    fn asking(&self) -> Checked {
        let probe = self.effect() == HttpToolEffect::Probe;
        let Some(ask) = &self.ask else {
            if probe {
                let fix = "add ask = { url = \"…{call.key}\", pointer = \"/id\", equals = \"{call.key}\" }";
                return self.wrong("ask", "is missing for effect probe".to_owned(), fix);
            }
            return Ok(());
        };
        if !probe {
            return self.wrong(
                "ask",
                "is only for effect probe".to_owned(),
                "remove it, or set effect = \"probe\"",
            );
        }
        if !ask.pointer.is_empty() && !ask.pointer.starts_with('/') {
            let problem = format!("“{}” is not a JSON pointer", ask.pointer);
            return self.wrong("ask.pointer", problem, "write it like /orders/0/id");
        }
        self.address("ask.url", &ask.url)?;
        let (own, asked) = (self.template("url", &self.url)?, self.template("ask.url", &ask.url)?);
        if own.sample().origin() != asked.sample().origin() && self.has_secrets() {
            let fix = "ask the host that acts, or declare the tool without secrets";
            return self.wrong("ask.url", "would send the secrets to another host".to_owned(), fix);
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
            Some((key, _)) => self.wrong(key, "0 is too small".to_owned(), "use 1 or more, or remove it"),
            None => Ok(()),
        }
    }

    fn sample(&self) -> Checked {
        let Some(example) = &self.example else { return Ok(()) };
        let wrong = |problem| self.wrong("example", problem, "correct one of them");
        // The schema itself was checked before.
        let Ok(schema) = Schema::new(&self.arguments, &Bounds::WIDEST) else { return Ok(()) };
        let says = |fault: &ValidationError<'_>| {
            format!("does not match arguments: {fault}, at “{}”", fault.instance_path())
        };
        match schema.faults(&from_serde(example), 1, says) {
            Ok(faults) => faults.into_iter().next().map_or(Ok(()), wrong),
            Err(why) => wrong(why.to_string()),
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

    fn wrong(&self, key: &str, problem: String, fix: &str) -> Checked {
        Err(self.fault(key, problem, fix))
    }

    pub(super) fn fault(&self, key: &str, problem: String, fix: &str) -> HttpToolFault {
        HttpToolFault { tool: self.name.clone(), key: key.to_owned(), problem, fix: fix.to_owned() }
    }
}

/// Whether a shell could export it. API keys that were pasted by mistake mostly contain a `-`, so they are refused.
fn is_variable(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}
