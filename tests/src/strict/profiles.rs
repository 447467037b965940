//! Additional refusals of the servers behind the kinds of providers, beyond their wire dialect.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::body_shape::ensure;
use super::{StrictApi, StrictApiRefusal, StrictApiRule};

/// A request that a server received.
#[derive(Clone, Debug)]
pub struct StrictServerRequest {
    /// The path of the request.
    pub path: String,
    /// Its headers, by lower-case name.
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: Vec<u8>,
}

/// The strict fake of the server of one kind.
#[derive(Clone, Copy, Debug)]
pub struct FakeProviderServer {
    /// The kind, as in a provider entry.
    pub kind: &'static str,
    /// The wire dialect.
    pub api: StrictApi,
    /// The header that carries the key, and the prefix of its value; `None` if no key is expected.
    key: Option<(&'static str, &'static str)>,
    /// Required headers.
    headers: &'static [&'static str],
    /// Fields of the dialect that it does not know.
    unknown: &'static [&'static str],
    /// Whether it accepts tools.
    pub tools: bool,
    /// Whether a user message may follow results.
    pub user_after_result: bool,
    /// Whether call ids must have nine letters and digits.
    short_ids: bool,
}

const OPENAI_KEY: Option<(&str, &str)> = Some(("authorization", "Bearer "));

const CHAT: FakeProviderServer = FakeProviderServer {
    kind: "compatible",
    api: StrictApi::Chat,
    key: OPENAI_KEY,
    headers: &[],
    unknown: &["prompt_cache_key", "service_tier"],
    tools: true,
    user_after_result: true,
    short_ids: false,
};

impl FakeProviderServer {
    /// The fakes of every kind with a network API of a known provider.
    pub const ALL: [FakeProviderServer; 11] = [
        FakeProviderServer {
            kind: "claude",
            api: StrictApi::Messages,
            key: Some(("x-api-key", "")),
            headers: &["anthropic-version"],
            ..CHAT
        },
        FakeProviderServer { kind: "openai", api: StrictApi::Responses, unknown: &[], ..CHAT },
        FakeProviderServer { kind: "groq", unknown: &["prompt_cache_key", "max_tokens"], ..CHAT },
        FakeProviderServer { kind: "ollama", key: None, ..CHAT },
        FakeProviderServer { kind: "vllm", key: None, ..CHAT },
        FakeProviderServer {
            kind: "mistral",
            unknown: &["prompt_cache_key", "service_tier", "stream_options", "max_completion_tokens"],
            user_after_result: false,
            short_ids: true,
            ..CHAT
        },
        FakeProviderServer { kind: "gemini", ..CHAT },
        FakeProviderServer {
            kind: "deepseek",
            unknown: &["prompt_cache_key", "service_tier", "max_completion_tokens"],
            ..CHAT
        },
        FakeProviderServer {
            kind: "perplexity",
            unknown: &["prompt_cache_key", "service_tier", "stream_options", "tools", "tool_choice"],
            tools: false,
            ..CHAT
        },
        FakeProviderServer { kind: "openrouter", headers: &["x-title"], unknown: &["service_tier"], ..CHAT },
        FakeProviderServer {
            kind: "azure",
            api: StrictApi::Responses,
            key: Some(("api-key", "")),
            unknown: &["service_tier"],
            ..CHAT
        },
    ];

    /// Accepts a request with this key.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn take(&self, received: &StrictServerRequest, key: &str) -> Result<(), StrictApiRefusal> {
        let path = match self.api {
            StrictApi::Messages => "/v1/messages",
            StrictApi::Responses => "/responses",
            StrictApi::Chat => "/chat/completions",
        };
        ensure(received.path == path, StrictApiRule::Shape, &received.path)?;
        self.take_headers(received, key)?;
        self.check(&received.body)
    }

    /// Accepts a request for the list of models with this key, and returns its page: three models, two per page if the
    /// server has pages.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn list(&self, received: &StrictServerRequest, key: &str) -> Result<Value, StrictApiRefusal> {
        let (path, query) = received.path.split_once('?').unwrap_or((&received.path, ""));
        let expected = if self.api == StrictApi::Messages { "/v1/models" } else { "/models" };
        ensure(path == expected, StrictApiRule::Shape, path)?;
        self.take_headers(received, key)?;
        ensure(received.body.is_empty(), StrictApiRule::Shape, "a body")?;
        let model = |id: &str| json!({"id": id, "object": "model", "max_input_tokens": 1000});
        Ok(match (self.api, query) {
            (StrictApi::Messages, "limit=1000") => {
                json!({"data": [model("m-1"), model("m-2")], "has_more": true, "last_id": "m-2"})
            }
            (StrictApi::Messages, "limit=1000&after_id=m-2") => {
                json!({"data": [model("m-3")], "has_more": false})
            }
            (StrictApi::Responses | StrictApi::Chat, "") => {
                json!({"object": "list", "data": [model("m-1"), model("m-2"), model("m-3")]})
            }
            (StrictApi::Messages | StrictApi::Responses | StrictApi::Chat, _) => {
                return Err(StrictApiRefusal::new(StrictApiRule::UnknownField, query));
            }
        })
    }

    fn take_headers(&self, received: &StrictServerRequest, key: &str) -> Result<(), StrictApiRefusal> {
        let header = |name: &str| received.headers.get(name).map(String::as_str);
        for name in self.headers {
            ensure(header(name).is_some(), StrictApiRule::UnknownField, format!("no header {name}"))?;
        }
        let Some((name, before)) = self.key else { return Ok(()) };
        ensure(
            header(name) == Some(&format!("{before}{key}")),
            StrictApiRule::Key,
            format!("{:?}", header(name)),
        )
    }

    /// Checks one body by itself.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self, body: &[u8]) -> Result<(), StrictApiRefusal> {
        self.api.check(body)?;
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        for field in self.unknown {
            ensure(body.get(field).is_none(), StrictApiRule::UnknownField, *field)?;
        }
        if self.kind == "perplexity" {
            ensure(
                body["response_format"]["type"] != "json_object",
                StrictApiRule::OutputSchema,
                "json_object",
            )?;
        }
        let none = Vec::new();
        let messages = body["messages"].as_array().unwrap_or(&none);
        for pair in messages.windows(2) {
            let is_after = pair[0]["role"] == "tool" && pair[1]["role"] == "user";
            ensure(self.user_after_result || !is_after, StrictApiRule::UserAfterResult, pair[1].to_string())?;
        }
        for message in messages.iter().filter(|_| self.short_ids) {
            let calls = message["tool_calls"].as_array().unwrap_or(&none).iter().map(|call| &call["id"]);
            for id in calls.chain(message.get("tool_call_id")) {
                let text = id.as_str().unwrap_or_default();
                let is_short = text.len() == 9 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
                ensure(is_short, StrictApiRule::IdShape, id.to_string())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fake(kind: &str) -> FakeProviderServer {
        FakeProviderServer::ALL.into_iter().find(|fake| fake.kind == kind).unwrap_or(CHAT)
    }

    #[test]
    fn each_fake_refuses_what_its_server_refuses() {
        let call =
            |id: &str| json!({"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}});
        let conversation = |id: &str, last: Option<Value>| {
            let mut messages = vec![
                json!({"role": "user", "content": "one"}),
                json!({"role": "assistant", "content": null, "tool_calls": [call(id)]}),
                json!({"role": "tool", "tool_call_id": id, "content": "5 km"}),
            ];
            messages.extend(last);
            let tool = json!({"type": "function", "function":
                {"name": "look", "parameters": {"type": "object", "properties": {}}}});
            json!({"model": "m", "tools": [tool], "messages": messages})
        };
        let rule = |kind: &str, body: &Value| {
            fake(kind).check(body.to_string().as_bytes()).err().map(|refusal| refusal.rule)
        };
        let user = json!({"role": "user", "content": "and now?"});
        assert_eq!(rule("mistral", &conversation("aB3dE6gH9", None)), None);
        assert_eq!(rule("mistral", &conversation("toolu_1", None)), Some(StrictApiRule::IdShape));
        let after = conversation("aB3dE6gH9", Some(user));
        assert_eq!(rule("mistral", &after), Some(StrictApiRule::UserAfterResult));
        assert_eq!(rule("deepseek", &after), None);
        assert_eq!(rule("perplexity", &after), Some(StrictApiRule::UnknownField));
        let mut asked = json!({"model": "m", "messages": [{"role": "user", "content": "one"}]});
        asked["stream_options"] = json!({"include_usage": true});
        assert_eq!(rule("mistral", &asked), Some(StrictApiRule::UnknownField));
        assert_eq!(rule("ollama", &asked), None);
        let headers = BTreeMap::from([("authorization".to_owned(), "Bearer k".to_owned())]);
        let path = "/chat/completions".to_owned();
        let received = StrictServerRequest { path, headers, body: asked.to_string().into_bytes() };
        assert_eq!(fake("gemini").take(&received, "k"), Ok(()));
        assert_eq!(
            fake("gemini").take(&received, "other").err().map(|refusal| refusal.rule),
            Some(StrictApiRule::Key)
        );
    }
}
