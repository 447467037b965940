//! A declared task ready to be dispatched: builds its command and all requests about it.

use std::time::Duration;

use entracte_application::ports::{CallRequest, CommandSpec, SecretError, SecretStore, TaskSpec};
use entracte_application::settings::UserContext;
use entracte_application::texts::saying;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::id::TaskId;
use entracte_domain::task::TaskProtocol;
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::value::JsonValue;
use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use secrecy::SecretString;
use url::Url;

use super::config::{TaskConfig, TaskKind};
use super::config_check::{TASK, TaskConfigFault};
use crate::card_template::CardTemplate;
use crate::egress::EgressRequest;
use crate::template::UrlTemplate;
use crate::webhook::WebhookSigningKey;
use entracte_application::system::SecretScrubber;

/// The default time for which the server remembers a task.
const KEY_LIFETIME: Millis = Millis::hours(24);
/// The default time after a lost response from which on a 404 counts.
const SETTLE: Millis = Millis::seconds(10);
/// The default deadline of a task.
const DEADLINE: Millis = Millis::hours(24);

/// A declared task.
pub(super) struct TaskTool {
    pub(super) config: TaskConfig,
    url: Url,
    status: Option<UrlTemplate>,
    card: Option<CardTemplate>,
}

/// The secrets of a declaration, as signing keys, and their scrubber.
pub(super) struct TaskKeyring {
    /// The keys; the first one signs.
    pub(super) keys: Vec<WebhookSigningKey>,
    pub(super) scrubber: SecretScrubber,
}

/// The data sent with a task besides its arguments.
pub(super) struct TaskDispatchExtras {
    /// The user context, if it is sent.
    pub(super) context: Option<UserContext>,
    /// The callback address; `None` means that the task is polled.
    pub(super) callback: Option<String>,
}

impl TaskTool {
    pub(super) fn new(config: TaskConfig) -> Result<Self, TaskConfigFault> {
        config.check()?;
        let wrong = |problem| config.fault("url", problem, saying!("fault-correct"));
        let url = UrlTemplate::parse(&config.url).map_err(wrong)?.sample().clone();
        let status = config.status_url_template.as_deref().and_then(|text| UrlTemplate::parse(text).ok());
        let card = config.card_template()?;
        Ok(Self { config, url, status, card })
    }

    /// The template of its approval card, if it has one.
    pub(super) fn card(&self) -> Option<&CardTemplate> {
        self.card.as_ref()
    }

    /// The address of the task server.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Whether it is a query.
    pub(super) fn reads(&self) -> bool {
        self.config.kind == TaskKind::Query
    }

    /// The deadline of the whole task.
    pub(super) fn deadline(&self) -> Millis {
        self.config.deadline_seconds.map_or(DEADLINE, |seconds| Millis::seconds(seconds.into()))
    }

    fn effect(&self) -> EffectClass {
        match (self.config.kind, self.config.idempotent, &self.status) {
            (TaskKind::Query, _, _) => EffectClass::Read,
            (TaskKind::Action, true, _) => EffectClass::Idempotent,
            (TaskKind::Action, false, Some(_)) => EffectClass::Probe,
            (TaskKind::Action, false, None) => EffectClass::Once,
        }
    }

    /// The task server, unless the task is declared independent of its siblings.
    fn state_scopes(&self) -> Vec<String> {
        match self.config.independent {
            Some(true) => Vec::new(),
            Some(false) | None => vec![format!("task:{}", self.url.origin().ascii_serialization())],
        }
    }

    /// The command of the tool, with cautious defaults: an action sends data out, and cannot be undone unless
    /// declared so.
    pub(super) fn spec(&self) -> CommandSpec {
        let config = &self.config;
        let action = config.kind == TaskKind::Action;
        let effect = self.effect();
        let span = |seconds: Option<u32>, otherwise| seconds.map_or(otherwise, |n| Millis::seconds(n.into()));
        let of = |class, span| if effect == class { span } else { Millis(0) };
        CommandSpec {
            word: config.word(),
            name: config.name.clone(),
            kind: if action { CommandKind::Action } else { CommandKind::Query },
            effect,
            schema: (&config.arguments).into(),
            cacheable: false,
            independent: config.independent.unwrap_or(true),
            state_scopes: self.state_scopes(),
            destructive: config.destructive.unwrap_or(action),
            egress: action || config.requires_read_approval(),
            asks: false,
            four_eyes: config.four_eyes == Some(true),
            approvers: config.tool_approvers().required().map(Box::new),
            server: None,
            agent: None,
            target: config.target(),
            timeout: config.timeout_seconds.map(|n| Millis::seconds(n.into())),
            settle: of(EffectClass::Probe, span(config.settle_seconds, SETTLE)),
            key_lifetime: of(EffectClass::Idempotent, span(config.key_lifetime_seconds, KEY_LIFETIME)),
            doc: config.doc.clone(),
            example: config.example.clone(),
            task: Some(TaskSpec {
                gateway: TaskProtocol::Http,
                is_registered: true,
                deadline: self.deadline(),
            }),
        }
    }

    /// The secrets, read at every use, so a renewed one needs no restart.
    ///
    /// # Errors
    /// When a secret is missing or not a key; the error contains no part of it.
    pub(super) fn keyring(&self, store: &dyn SecretStore) -> Result<TaskKeyring, SigningError> {
        let mut secrets: Vec<SecretString> = Vec::new();
        for place in &self.config.secrets {
            let reference = place.reference().ok_or(SigningError::NoKey)?;
            secrets.push(store.secret(&reference).map_err(SigningError::Secret)?);
        }
        let keys: Option<Vec<WebhookSigningKey>> = secrets.iter().map(WebhookSigningKey::read).collect();
        let keys = keys.filter(|keys| !keys.is_empty()).ok_or(SigningError::NoKey)?;
        Ok(TaskKeyring { keys, scrubber: SecretScrubber::new(secrets) })
    }

    /// The dispatch request. A repeated dispatch of the same task has the same key.
    pub(super) fn dispatch_request(
        &self,
        call: &CallRequest,
        task: &TaskId,
        beside: TaskDispatchExtras,
        key: &WebhookSigningKey,
    ) -> Option<EgressRequest> {
        let body = self.body(call, task, beside).to_json().into_bytes();
        let mut headers =
            signature_headers(key, &format!("{}.d{}", task.as_str(), call.attempt), call.now, &body)?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert("idempotency-key", HeaderValue::from_str(task.as_str()).ok()?);
        let (method, timeout) = (Method::POST, self.timeout());
        Some(EgressRequest { method, url: self.config.url.clone(), headers, body: Some(body), timeout })
    }

    fn body(&self, call: &CallRequest, task: &TaskId, beside: TaskDispatchExtras) -> JsonValue {
        let text = |text: &str| JsonValue::Text(text.to_owned());
        let user = call.acts_as.as_deref().map_or(JsonValue::Null, text);
        let via = JsonValue::List(call.via.iter().map(|agent| text(agent)).collect());
        let author = JsonValue::Object(vec![("user".into(), user), ("via".into(), via)]);
        let context = beside.context.map(|context| JsonValue::Object(context.members().to_vec()));
        let deadline = instant(call.now.plus(self.deadline()));
        let members = [
            ("task_id", Some(text(task.as_str()))),
            ("task_type", Some(text(self.config.task_type()))),
            ("arguments", Some(call.command.arguments.clone())),
            ("user_context", context),
            ("author", Some(author)),
            ("callback_url", beside.callback.as_deref().map(text)),
            ("deadline", Some(text(&deadline))),
        ];
        let said = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        JsonValue::Object(said.collect())
    }

    /// The request that polls or cancels a task; `None` if it has no status address.
    pub(super) fn task_request(
        &self,
        method: Method,
        id: String,
        task: &TaskId,
        remote: Option<&str>,
        key: &WebhookSigningKey,
        now: Timestamp,
    ) -> Option<EgressRequest> {
        let headers = signature_headers(key, &id, now, b"")?;
        let url = self.status_url(task, remote)?;
        Some(EgressRequest { method, headers, timeout: self.timeout(), ..EgressRequest::get(url) })
    }

    /// The status address of a task: from the server's response, else from the declaration.
    pub(super) fn status_url(&self, task: &TaskId, remote: Option<&str>) -> Option<String> {
        let said = remote.and_then(|said| self.same_origin_url(said));
        said.or_else(|| {
            let value = |name: &str| (name == TASK).then(|| task.as_str().to_owned());
            self.status.as_ref()?.fill(value).ok()
        })
    }

    /// An address given by the server, if it is on the declared host: signed requests go nowhere else.
    pub(super) fn same_origin_url(&self, said: &str) -> Option<String> {
        let url = self.url.join(said).ok()?;
        let plain = url.username().is_empty() && url.password().is_none();
        (plain && url.origin() == self.url.origin()).then(|| url.to_string())
    }

    fn timeout(&self) -> Option<Duration> {
        self.config.timeout_seconds.map(|seconds| Duration::from_secs(seconds.into()))
    }
}

/// Why a request cannot be signed.
#[derive(Debug)]
pub(super) enum SigningError {
    /// A secret cannot be read.
    Secret(SecretError),
    /// A secret is not a key.
    NoKey,
}

fn signature_headers(key: &WebhookSigningKey, id: &str, at: Timestamp, body: &[u8]) -> Option<HeaderMap> {
    let mut headers = key.headers(id, at, body)?;
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    Some(headers)
}

fn instant(at: Timestamp) -> String {
    let whole = Timestamp(at.0.div_euclid(1_000_000) * 1_000_000);
    jiff::Timestamp::from_microsecond(whole.0).map(|at| at.to_string()).unwrap_or_default()
}
