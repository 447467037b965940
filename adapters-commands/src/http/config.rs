//! The configuration of an HTTP tool. Data only; [`HttpToolConfig::check`] finds faults that the types cannot.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::declaration_checks::word_of;
use crate::secret::{SecretText, meanings};
use crate::tool_approvers::ToolApprovers;

/// The methods a tool may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the words of RFC 9110")]
pub enum HttpMethod {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

/// What is sent as the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HttpBody {
    /// Nothing.
    #[default]
    None,
    /// The arguments that are not in the address, as a JSON object.
    Json,
}

/// Whether the tool reads or changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HttpToolKind {
    /// Reads; may run again.
    Query,
    /// Changes something; always needs approval, because it sends data out.
    Action,
}

/// What may be done when it is unknown whether it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HttpToolEffect {
    /// A query: asked again.
    Read,
    /// Sent again with the same key; the other side must recognise it.
    Idempotent,
    /// Asked about with `ask`, and sent again only when that says no.
    Probe,
    /// Never sent again.
    Once,
}

/// How to ask whether an action of class `probe` happened: a GET, with the tool's own headers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpProbeConfig {
    /// The address, a template like the tool's; `{call.key}` is the key of the call.
    pub url: String,
    /// JSON pointer into the answer.
    pub pointer: String,
    /// The value there that means it happened; `"{call.key}"` is replaced by the key of the call.
    pub equals: serde_json::Value,
    /// Status 404 says that it did not happen; no unless said, because a wrong address answers 404 too.
    #[serde(default)]
    pub not_found_is_no: bool,
}

/// A command that is one HTTP request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpToolConfig {
    /// Its name in the catalog: `weather.today`.
    pub name: String,
    /// The word of the envelope; the name in capitals unless said: `WEATHER_TODAY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// The method.
    pub method: HttpMethod,
    /// The address, an RFC 6570 template of level 1: `https://host/path/{city}?q={q}`. Variables stand in the
    /// path and the query only. `{call.key}` is the key of the call, the same for every attempt.
    pub url: String,
    /// Headers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, SecretText>,
    /// JSON Schema of the arguments: an object with `additionalProperties: false`.
    pub arguments: serde_json::Value,
    /// JSON Schema of the answer, when it is checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
    /// What is sent as the body: `json` for the arguments; `none`, for nothing, unless said.
    #[serde(default)]
    pub body: HttpBody,
    /// Whether it reads or changes something; GET and HEAD read unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<HttpToolKind>,
    /// A person is asked before it runs. For a query, whose address can carry data out too; an action is always asked
    /// for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<bool>,
    /// Somebody must approve it whose message is not in the exchange. For what needs approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub four_eyes: Option<bool>,
    /// Who may approve it, as `role:NAME` and `person:NAME`; the roles are those of the workspace, whose own `approvers` count
    /// beside them. For what needs approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvers: Option<Vec<String>>,
    /// How many different people must approve it, 1 to 20; 1 unless said. For what needs approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// How long after its request those of the workspace's `escalate_to` may approve it, too, as `4h`, or `never`; as the
    /// workspace says unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_after: Option<String>,
    /// The sentence of its approval card: `Pay {amount} to {supplier}`, where each name is an argument; every argument stands
    /// below it, too. The method and the address unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
    /// What may be done when its outcome is lost; a query is `read`, an action `once` unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<HttpToolEffect>,
    /// How to ask whether it happened; for `probe`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<HttpProbeConfig>,
    /// The header that carries the key of the call; for `idempotent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_header: Option<String>,
    /// How long the other side honours a key; 86 400 unless said. For `idempotent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_lifetime_seconds: Option<u32>,
    /// How long after a lost outcome a "no" of `ask` counts; 10 unless said. For `probe`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle_seconds: Option<u32>,
    /// Its own time-out instead of the general one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u32>,
    /// Longest wait before an action that surely did nothing is sent once more, under the same approval; 10 unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resend_max_seconds: Option<u32>,
    /// May run beside its siblings; queries may and actions may not unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub independent: Option<bool>,
    /// Cannot be undone, so no rule approves for ever; actions cannot unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// What the model reads about it.
    pub doc: String,
    /// An example of its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<serde_json::Value>,
    /// The most characters of an answer, the rest is cut off; 100 000 unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_answer_chars: Option<usize>,
}

impl HttpToolConfig {
    /// The request's destination and everything sent besides the arguments: an approval is bound to it.
    pub(super) fn target(&self) -> serde_json::Value {
        let mut target = json!({
            "method": self.method,
            "url": self.url,
            "headers": meanings(&self.headers),
            "body": self.body,
            "ask": self.ask,
            "idempotency_header": self.idempotency_header,
        });
        // Another sentence is another version of the command.
        if let Some(card) = &self.card {
            target["card"] = json!(card);
        }
        target
    }

    /// The word of the command in the envelope dialect.
    pub(super) fn word(&self) -> String {
        self.word.clone().unwrap_or_else(|| word_of(&self.name))
    }

    /// Whether it is a query that needs approval.
    pub(super) fn requires_read_approval(&self) -> bool {
        self.kind() == HttpToolKind::Query && self.approval == Some(true)
    }

    /// Who must approve it.
    pub(super) fn tool_approvers(&self) -> ToolApprovers<'_> {
        ToolApprovers {
            approvers: self.approvers.as_deref(),
            quorum: self.quorum,
            escalate_after: self.escalate_after.as_deref(),
        }
    }

    /// The kind of the tool; GET and HEAD are queries by default.
    pub(super) fn kind(&self) -> HttpToolKind {
        self.kind.unwrap_or(match self.method {
            HttpMethod::Get | HttpMethod::Head => HttpToolKind::Query,
            HttpMethod::Post | HttpMethod::Put | HttpMethod::Patch | HttpMethod::Delete => {
                HttpToolKind::Action
            }
        })
    }

    /// The effect class: what may be done when the outcome of a call is lost.
    pub(super) fn effect(&self) -> HttpToolEffect {
        self.effect.unwrap_or(match self.kind() {
            HttpToolKind::Query => HttpToolEffect::Read,
            HttpToolKind::Action => HttpToolEffect::Once,
        })
    }
}
