//! Checks of a declaration that its types cannot express. Pure: opens no file and no connection.

use std::collections::BTreeSet;

use entracte_application::texts::{LocalizedMessage, saying};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;

use super::config::{HttpBody, HttpMethod, HttpToolConfig, HttpToolEffect, HttpToolKind};
use crate::card_template::CardTemplate;
use crate::declaration_checks::{self, DeclarationFault, is_variable};
use crate::egress::is_connection_header;
use crate::secret::{SecretPlace, SecretText};
use crate::template::{CALL_KEY, UrlTemplate};

/// A fault of a tool declaration, with its fix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.saying())]
pub struct HttpToolFault {
    /// The name of the tool.
    pub tool: String,
    /// The key of the declaration.
    pub key: String,
    /// The fault, with the rejected value.
    pub problem: LocalizedMessage,
    /// The fix.
    pub fix: LocalizedMessage,
}

impl HttpToolFault {
    /// The fault as a message to be rendered once the language is known.
    pub fn saying(&self) -> LocalizedMessage {
        let Self { tool, key, problem, fix } = self;
        saying!("fault-http", tool = tool, key = key, problem = problem.clone(), fix = fix.clone())
    }
}

type HttpToolCheckResult = Result<(), HttpToolFault>;

/// Headers that carry credentials; the configuration may not contain them in plain text.
const SECRET_HEADERS: [&str; 4] = ["authorization", "cookie", "x-api-key", "api-key"];

impl HttpToolConfig {
    /// Checks that the tool can be used.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), HttpToolFault> {
        self.check_declaration()?;
        self.address("url", &self.url)?;
        self.check_argument_use()?;
        self.check_card()?;
        self.all_headers()?;
        self.check_effect_class()?;
        self.check_approvers()?;
        self.check_probe()?;
        self.limits()?;
        declaration_checks::sample(&self.arguments, self.example.as_ref())
            .map_err(|wrong| self.declaration_fault(wrong))
    }

    fn check_declaration(&self) -> HttpToolCheckResult {
        let of = |wrong| self.declaration_fault(wrong);
        declaration_checks::names(&self.name, &self.word(), &self.doc).map_err(of)?;
        declaration_checks::schema("arguments", &self.arguments).map_err(of)?;
        if let Some(result) = &self.result {
            declaration_checks::schema("result", result).map_err(of)?;
        }
        declaration_checks::closed_object(&self.arguments).map_err(of)
    }

    fn declaration_fault(&self, wrong: DeclarationFault) -> HttpToolFault {
        self.fault(&wrong.key, wrong.problem, wrong.fix)
    }

    fn address(&self, key: &str, text: &str) -> HttpToolCheckResult {
        let template = self.template(key, text)?;
        for (name, in_path) in template.variables().filter(|(name, _)| *name != CALL_KEY) {
            if !self.properties().contains(name) {
                let fix = saying!("fault-declare-argument");
                return self.wrong(key, saying!("fault-no-argument", given = format!("{{{name}}}")), fix);
            }
            if in_path && !self.required().contains(name) {
                let fix = saying!("fault-require-argument");
                return self.wrong(key, saying!("fault-may-be-omitted", given = format!("{{{name}}}")), fix);
            }
        }
        Ok(())
    }

    fn template(&self, key: &str, text: &str) -> Result<UrlTemplate, HttpToolFault> {
        UrlTemplate::parse(text).map_err(|problem| self.fault(key, problem, saying!("fault-url-template")))
    }

    fn check_card(&self) -> HttpToolCheckResult {
        let Some(card) = &self.card else { return Ok(()) };
        let wrong = |problem| self.fault("card", problem, saying!("fault-card-template"));
        CardTemplate::parse(card, &self.properties()).map(|_| ()).map_err(wrong)
    }

    fn check_argument_use(&self) -> HttpToolCheckResult {
        if self.body == HttpBody::Json {
            return match self.method {
                HttpMethod::Get | HttpMethod::Head => {
                    let fix = saying!("fault-arguments-to-url");
                    self.wrong("body", saying!("fault-no-body"), fix)
                }
                HttpMethod::Post | HttpMethod::Put | HttpMethod::Patch | HttpMethod::Delete => Ok(()),
            };
        }
        let template = self.template("url", &self.url)?;
        let used: BTreeSet<&str> = template.variables().map(|(name, _)| name).collect();
        match self.properties().iter().find(|name| !used.contains(**name)) {
            None => Ok(()),
            Some(name) => {
                let fix = saying!("fault-put-into-url", name = format!("{{{name}}}"));
                self.wrong("arguments", saying!("fault-not-used", given = *name), fix)
            }
        }
    }

    fn all_headers(&self) -> HttpToolCheckResult {
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
                    return self.wrong(
                        key,
                        saying!("fault-in-headers-too", given = name),
                        saying!("fault-remove-there"),
                    );
                }
                Ok(())
            }),
        }
    }

    fn header_name(&self, key: &str, name: &str) -> HttpToolCheckResult {
        match HeaderName::try_from(name) {
            Err(_) => self.wrong(key, saying!("fault-header-name", given = name), saying!("fault-correct")),
            Ok(read) if is_connection_header(&read) => {
                self.wrong(key, saying!("fault-of-connection", given = name), saying!("fault-remove"))
            }
            Ok(_) => Ok(()),
        }
    }

    fn plain_header(&self, name: &str, text: &str) -> HttpToolCheckResult {
        let key = format!("headers.{name}");
        if SECRET_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            let fix = saying!("fault-secret-env");
            return self.wrong(&key, saying!("fault-secret-plain"), fix);
        }
        match HeaderValue::from_str(text) {
            Ok(_) => Ok(()),
            Err(_) => self.wrong(&key, saying!("fault-header-characters"), saying!("fault-remove-them")),
        }
    }

    fn secret_header(&self, name: &str, secret: &SecretPlace) -> HttpToolCheckResult {
        let key = format!("headers.{name}");
        if !secret.is_one() {
            let fix = saying!("fault-secret-places");
            return self.wrong(&key, saying!("fault-secret-once"), fix);
        }
        if secret.secret_env.as_deref().is_some_and(|name| !is_variable(name)) {
            let fix = saying!("fault-export-secret");
            return self.wrong(&key, saying!("fault-secret-env-variable"), fix);
        }
        if HeaderValue::from_str(&secret.prefix).is_err() {
            return self.wrong(&key, saying!("fault-prefix-characters"), saying!("fault-remove-them"));
        }
        Ok(())
    }

    fn check_effect_class(&self) -> HttpToolCheckResult {
        let (kind, effect) = (self.kind(), self.effect());
        if (kind == HttpToolKind::Query) != (effect == HttpToolEffect::Read) {
            let fix = saying!("fault-use-effect");
            return self.wrong(
                "effect",
                saying!("fault-effect-kind", effect = format!("{effect:?}"), kind = format!("{kind:?}")),
                fix,
            );
        }
        if effect == HttpToolEffect::Idempotent && self.idempotency_header.is_none() {
            let fix = saying!("fault-add-idempotency");
            return self.wrong("idempotency_header", saying!("fault-missing-idempotent"), fix);
        }
        if effect != HttpToolEffect::Idempotent && self.key_lifetime_seconds.is_some() {
            let problem = saying!("fault-only-idempotent");
            return self.wrong("key_lifetime_seconds", problem, saying!("fault-remove"));
        }
        if effect != HttpToolEffect::Probe && self.settle_seconds.is_some() {
            return self.wrong("settle_seconds", saying!("fault-only-probe"), saying!("fault-remove"));
        }
        if kind == HttpToolKind::Action && self.approval == Some(false) {
            let problem = saying!("fault-action-approval");
            return self.wrong("approval", problem, saying!("fault-remove"));
        }
        if kind == HttpToolKind::Query && !self.requires_read_approval() && self.four_eyes == Some(true) {
            let problem = saying!("fault-four-eyes-query");
            return self.wrong("four_eyes", problem, saying!("fault-set-approval"));
        }
        if kind == HttpToolKind::Query && self.destructive == Some(true) {
            return self.wrong(
                "destructive",
                saying!("fault-query-destructive"),
                saying!("fault-set-action"),
            );
        }
        Ok(())
    }

    fn check_approvers(&self) -> HttpToolCheckResult {
        let asks = self.kind() == HttpToolKind::Action || self.requires_read_approval();
        let checked = self.tool_approvers().check(asks);
        checked.map_err(|fault| self.fault(&fault.key, fault.problem, fault.fix))
    }

    fn check_probe(&self) -> HttpToolCheckResult {
        let probe = self.effect() == HttpToolEffect::Probe;
        let Some(ask) = &self.ask else {
            if probe {
                let fix = saying!("fault-add-ask");
                return self.wrong("ask", saying!("fault-missing-probe"), fix);
            }
            return Ok(());
        };
        if !probe {
            return self.wrong("ask", saying!("fault-only-probe"), saying!("fault-remove-or-probe"));
        }
        if !ask.pointer.is_empty() && !ask.pointer.starts_with('/') {
            let problem = saying!("fault-not-pointer", given = &ask.pointer);
            return self.wrong("ask.pointer", problem, saying!("fault-pointer-like"));
        }
        self.address("ask.url", &ask.url)?;
        let (own, asked) = (self.template("url", &self.url)?, self.template("ask.url", &ask.url)?);
        if own.sample().origin() != asked.sample().origin() && self.has_secrets() {
            let fix = saying!("fault-ask-own-host");
            return self.wrong("ask.url", saying!("fault-other-host"), fix);
        }
        Ok(())
    }

    fn limits(&self) -> HttpToolCheckResult {
        let numbers = [
            ("timeout_seconds", self.timeout_seconds.map(u64::from)),
            ("key_lifetime_seconds", self.key_lifetime_seconds.map(u64::from)),
            ("resend_max_seconds", self.resend_max_seconds.map(u64::from)),
            ("settle_seconds", self.settle_seconds.map(u64::from)),
            ("max_answer_chars", self.max_answer_chars.map(|most| most as u64)),
        ];
        match numbers.into_iter().find(|(_, value)| *value == Some(0)) {
            Some((key, _)) => self.wrong(key, saying!("fault-zero"), saying!("fault-one-or-more")),
            None => Ok(()),
        }
    }

    fn has_secrets(&self) -> bool {
        self.headers.values().any(|header| matches!(header, SecretText::Secret(_)))
    }

    /// The names of the declared arguments.
    pub(super) fn properties(&self) -> BTreeSet<&str> {
        let properties = self.arguments.get("properties").and_then(Value::as_object);
        properties.map(|all| all.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    fn required(&self) -> BTreeSet<&str> {
        let required = self.arguments.get("required").and_then(Value::as_array);
        required.map(|all| all.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
    }

    fn wrong(&self, key: &str, problem: LocalizedMessage, fix: LocalizedMessage) -> HttpToolCheckResult {
        Err(self.fault(key, problem, fix))
    }

    pub(crate) fn fault(&self, key: &str, problem: LocalizedMessage, fix: LocalizedMessage) -> HttpToolFault {
        HttpToolFault { tool: self.name.clone(), key: key.to_owned(), problem, fix }
    }
}
