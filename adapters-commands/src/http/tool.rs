//! A declared tool ready to be called: builds its command, its requests and its approval texts.

use std::time::Duration;

use entracte_application::ports::{ActionDescription, CallRequest, CommandSpec};
use entracte_application::schema::Schema;
use entracte_application::settings::SchemaBounds;
use entracte_application::texts::{LocalizedTexts, say, saying};
use entracte_domain::call::CallFailure;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use super::config::{HttpBody, HttpMethod, HttpToolConfig, HttpToolEffect, HttpToolKind};
use super::config_check::HttpToolFault;
use super::request_secrets::{RequestSecretSource, RequestSecrets};
use crate::call_outcome::{failure, texts};
use crate::card_template::CardTemplate;
use crate::display_text::one_line;
use crate::egress::{EgressRequest, host_of};
use crate::template::{CALL_KEY, TemplateFillError, TemplateValueFault, UrlTemplate};

/// The default time for which the server remembers an idempotency key.
const KEY_LIFETIME: Millis = Millis::hours(24);
/// The default time after a lost outcome from which on a probe's "no" counts.
const SETTLE: Millis = Millis::seconds(10);
/// The default longest wait before a call that was not carried out is sent once more, in seconds.
const RESEND_MAX_SECONDS: u32 = 10;
/// The answers that a model reads, texts before files.
const TAKEN: &str = "application/json, text/*;q=0.9, image/*;q=0.8, application/pdf;q=0.8";
/// The default limit of characters of an answer.
const ANSWER_MAX_CHARS: usize = 100_000;

/// A declared tool with its parsed templates.
pub(super) struct HttpTool {
    pub(super) config: HttpToolConfig,
    pub(super) result: Option<Schema>,
    url: UrlTemplate,
    ask: Option<UrlTemplate>,
    card: Option<CardTemplate>,
}

impl HttpTool {
    pub(super) fn new(config: HttpToolConfig) -> Result<Self, HttpToolFault> {
        config.check()?;
        let wrong = |key: &'static str| {
            let config = &config;
            move |problem| config.fault(key, problem, saying!("fault-correct"))
        };
        let result = config.result.as_ref().map(|schema| {
            Schema::new(schema, &SchemaBounds::WIDEST).map_err(|why| wrong("result")(why.saying()))
        });
        let ask = config.ask.as_ref().map(|ask| UrlTemplate::parse(&ask.url).map_err(wrong("ask.url")));
        let (result, ask) = (result.transpose()?, ask.transpose()?);
        let card = config.card.as_ref();
        let card = card.map(|card| CardTemplate::parse(card, &config.properties()).map_err(wrong("card")));
        let card = card.transpose()?;
        let url = UrlTemplate::parse(&config.url).map_err(wrong("url"))?;
        Ok(Self { config, result, url, ask, card })
    }

    pub(super) fn max_answer_chars(&self) -> usize {
        self.config.max_answer_chars.unwrap_or(ANSWER_MAX_CHARS)
    }

    /// The command of the tool, with cautious defaults: an action sends data out, and cannot be undone unless
    /// declared so.
    pub(super) fn spec(&self) -> CommandSpec {
        let config = &self.config;
        let action = config.kind() == HttpToolKind::Action;
        // Its address carries data out, which a person may want to see before.
        let asks = config.requires_read_approval();
        let span =
            |seconds: Option<u32>, otherwise| seconds.map_or(otherwise, |n| Millis::seconds(i64::from(n)));
        let of = |effect, span| if config.effect() == effect { span } else { Millis(0) };
        CommandSpec {
            word: config.word(),
            name: config.name.clone(),
            kind: if action { CommandKind::Action } else { CommandKind::Query },
            effect: match config.effect() {
                HttpToolEffect::Read => EffectClass::Read,
                HttpToolEffect::Idempotent => EffectClass::Idempotent,
                HttpToolEffect::Probe => EffectClass::Probe,
                HttpToolEffect::Once => EffectClass::Once,
            },
            schema: (&config.arguments).into(),
            // The server's data changes without the workspace noticing.
            cacheable: false,
            independent: config.independent.unwrap_or(!action),
            state_scopes: self.state_scopes(),
            destructive: config.destructive.unwrap_or(action),
            egress: action || asks,
            asks: false,
            four_eyes: config.four_eyes == Some(true),
            approvers: config.tool_approvers().required().map(Box::new),
            server: None,
            agent: None,
            target: config.target(),
            timeout: config.timeout_seconds.map(|n| Millis::seconds(i64::from(n))),
            settle: of(HttpToolEffect::Probe, span(config.settle_seconds, SETTLE)),
            key_lifetime: of(HttpToolEffect::Idempotent, span(config.key_lifetime_seconds, KEY_LIFETIME)),
            task: None,
            doc: config.doc.clone(),
            example: config.example.clone(),
        }
    }

    /// The origin that the tool contacts, unless it is declared independent of its siblings.
    fn state_scopes(&self) -> Vec<String> {
        match self.config.independent {
            Some(true) => Vec::new(),
            Some(false) | None => vec![format!("http:{}", self.url.sample().origin().ascii_serialization())],
        }
    }

    /// The URL of a call, with its arguments.
    pub(super) fn url_of(&self, call: &CallRequest) -> Result<String, CallFailure> {
        fill_url(&self.url, call)
    }

    /// Builds the request of a call, and the secrets in it.
    pub(super) fn request(
        &self,
        call: &CallRequest,
        vault: RequestSecretSource<'_>,
    ) -> Result<(EgressRequest, RequestSecrets), CallFailure> {
        let (url, texts) = (fill_url(&self.url, call)?, texts(call));
        let (mut headers, secrets) = self.headers(vault, call)?;
        if let Some(name) = &self.config.idempotency_header {
            let key = HeaderValue::from_str(&call.key).ok().zip(HeaderName::try_from(name).ok());
            let (key, name) = key.ok_or_else(|| failure("NOT_CALLED", say!(texts, "tools-http-no-key")))?;
            headers.insert(name, key);
        }
        let body = self.body(call).map(|body| body.to_json().into_bytes());
        if body.is_some() {
            headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
        }
        let request = EgressRequest { method: self.method(), url, headers, body, timeout: self.timeout() };
        Ok((request, secrets))
    }

    /// Builds the probe that asks whether a call happened.
    pub(super) fn probe_request(
        &self,
        call: &CallRequest,
        vault: RequestSecretSource<'_>,
    ) -> Result<(EgressRequest, RequestSecrets), CallFailure> {
        let texts = texts(call);
        let no_ask = || failure("NOT_CALLED", say!(texts, "tools-http-no-ask"));
        let ask = self.ask.as_ref().ok_or_else(no_ask)?;
        let (headers, secrets) = self.headers(vault, call)?;
        let request =
            EgressRequest { headers, timeout: self.timeout(), ..EgressRequest::get(fill_url(ask, call)?) };
        Ok((request, secrets))
    }

    /// Describes a call for the approver.
    pub(super) fn describe(&self, call: &CallRequest, vault: RequestSecretSource<'_>) -> ActionDescription {
        let (host, verb, texts) = (host_of(self.url.sample()), self.method(), texts(call));
        let mut warnings = vault.requester_secret_notes(&self.config.headers, call);
        let url = fill_url(&self.url, call).unwrap_or_else(|fault| {
            warnings.push(one_line(&fault.message));
            self.config.url.clone()
        });
        if self.config.kind() == HttpToolKind::Action || self.config.requires_read_approval() {
            warnings.push(say!(texts, "tools-http-warn-egress", host = host));
        }
        if self.url.sample().scheme() == "http" {
            warnings.push(say!(texts, "tools-http-warn-plain"));
        }
        let body = self.body(call).unwrap_or(JsonValue::Null);
        let field = |(name, value): &(String, JsonValue)| (one_line(name), one_line(&plain(value)));
        let after = body.as_object().unwrap_or_default().iter().map(field).collect();
        let says = match &self.card {
            Some(card) => card.fill(&call.command.arguments, texts),
            None => one_line(&format!("{verb} {url}")),
        };
        ActionDescription { says, before: Vec::new(), after, warnings }
    }

    fn headers(
        &self,
        vault: RequestSecretSource<'_>,
        call: &CallRequest,
    ) -> Result<(HeaderMap, RequestSecrets), CallFailure> {
        let (mut headers, secrets) =
            RequestSecrets::fill(&self.config.headers, vault, call, self.url.sample())?;
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static(TAKEN));
        Ok((headers, secrets))
    }

    /// The arguments that are not in the URL; `None` if no body is sent.
    fn body(&self, call: &CallRequest) -> Option<JsonValue> {
        match self.config.body {
            HttpBody::None => None,
            HttpBody::Json => {
                let in_url = |name: &str| self.url.variables().any(|(known, _)| known == name);
                let all = call.command.arguments.as_object().unwrap_or_default().iter();
                Some(JsonValue::Object(all.filter(|(name, _)| !in_url(name)).cloned().collect()))
            }
        }
    }

    /// The longest wait before a call that was not carried out is sent once more; `None` for calls that their session
    /// repeats itself.
    pub(super) fn resend_max(&self) -> Option<Duration> {
        let is_action = self.config.kind() == HttpToolKind::Action;
        let is_repeated = self.config.effect() == HttpToolEffect::Idempotent;
        let seconds = self.config.resend_max_seconds.unwrap_or(RESEND_MAX_SECONDS);
        (is_action && !is_repeated).then(|| Duration::from_secs(seconds.into()))
    }

    fn timeout(&self) -> Option<Duration> {
        self.config.timeout_seconds.map(|seconds| Duration::from_secs(seconds.into()))
    }

    fn method(&self) -> Method {
        match self.config.method {
            HttpMethod::Get => Method::GET,
            HttpMethod::Head => Method::HEAD,
            HttpMethod::Post => Method::POST,
            HttpMethod::Put => Method::PUT,
            HttpMethod::Patch => Method::PATCH,
            HttpMethod::Delete => Method::DELETE,
        }
    }
}

/// Fills the URL of a call.
fn fill_url(template: &UrlTemplate, call: &CallRequest) -> Result<String, CallFailure> {
    let argument = |name: &str| call.command.arguments.get(name);
    for (name, _) in template.variables() {
        if matches!(argument(name), Some(JsonValue::List(_) | JsonValue::Object(_))) {
            return Err(argument_failure(
                TemplateFillError { name: name.to_owned(), problem: TemplateValueFault::NotSingle },
                texts(call),
            ));
        }
    }
    let value = |name: &str| match name {
        CALL_KEY => Some(call.key.clone()),
        name => argument(name).filter(|value| **value != JsonValue::Null).map(plain),
    };
    template.fill(value).map_err(|unfilled| argument_failure(unfilled, texts(call)))
}

fn argument_failure(unfilled: TemplateFillError, texts: &LocalizedTexts) -> CallFailure {
    let TemplateFillError { name, problem } = unfilled;
    let message = match problem {
        TemplateValueFault::Empty => say!(texts, "tools-http-argument-empty", name = &name),
        TemplateValueFault::OtherPath => say!(texts, "tools-http-argument-path", name = &name),
        TemplateValueFault::NotSingle => say!(texts, "tools-http-argument-many", name = &name),
    };
    CallFailure { path: Some(format!("/{name}")), ..failure("INVALID_ARGUMENTS", message) }
}

/// A value as people write it: a string without its quotes.
fn plain(value: &JsonValue) -> String {
    value.as_text().map_or_else(|| value.to_json(), str::to_owned)
}
