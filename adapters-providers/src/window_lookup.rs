//! Asks a server for the context window of a model that neither a setting nor a table tells.
//!
//! A guess is either too small, so that conversations are summed up too early, or too large, so that a local server cuts
//! the prompt without a word. Servers tell the window in their lists of models, or at an address of their own: llama.cpp
//! at `/props`, Ollama at `/api/ps` and `/api/show`, LiteLLM at `/model/info`. The parsers are pure.

use std::sync::PoisonError;
use std::time::Duration;

use reqwest::Method;
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::config::is_local_address;
use crate::failure::WireFailure;
use crate::model_list::MODELS_MOST;
use crate::network_provider::NetworkProvider;

impl NetworkProvider {
    /// Asks the server for the window of a model, once in this process, and for at most `window_timeout_seconds`. A
    /// failure leaves the window a guess.
    pub(crate) async fn look_up_window(&self, model: &str) {
        let limit = Duration::from_secs(self.config.window_timeout_seconds());
        let is_new =
            self.windows.lock().unwrap_or_else(PoisonError::into_inner).asked.insert(model.to_owned());
        if limit.is_zero() || !is_new {
            return;
        }
        let place = self.call_destination(model);
        let Ok(key) = self.read_key(&place).await else { return };
        let found = tokio::time::timeout(limit, self.ask_for_window(model, key.as_ref())).await;
        if let Ok(Some(tokens)) = found {
            let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
            windows.known.insert(model.to_owned(), tokens);
        }
    }

    async fn ask_for_window(&self, model: &str, key: Option<&SecretString>) -> Option<u64> {
        // The list is kept for every model in it.
        let listed = self.list_models(key, MODELS_MOST).await.ok().flatten();
        let listed = listed.and_then(|list| {
            list.models.into_iter().find(|offered| offered.matches_name(model))?.context_tokens
        });
        if listed.is_some() {
            return listed;
        }
        // The address of a provider itself has none of the following.
        let own = self.config.base_url.is_some() || self.settings.profile.base_url.is_none();
        if !own && !is_local_address(&self.base) {
            return None;
        }
        if is_local_address(&self.base) {
            if let Some(tokens) = self.ask(Method::GET, "/props", None, key).await.as_ref().and_then(of_props)
            {
                return Some(tokens);
            }
            let running = self.ask(Method::GET, "/api/ps", None, key).await;
            if let Some(tokens) = running.as_ref().and_then(|running| of_running(running, model)) {
                return Some(tokens);
            }
            // A server of another kind may take any POST for a call of its model.
            if running.as_ref().is_some_and(is_ollama) {
                let shown = self.ask(Method::POST, "/api/show", Some(json!({ "model": model })), key).await;
                if let Some(tokens) = shown.as_ref().and_then(of_shown) {
                    return Some(tokens);
                }
            }
        }
        self.ask(Method::GET, "/model/info", None, key)
            .await
            .as_ref()
            .and_then(|told| of_gateway(told, model))
    }

    /// The JSON at a path beside the API; `None` if the server does not answer with JSON.
    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        key: Option<&SecretString>,
    ) -> Option<Value> {
        let mut url = self.base.clone();
        let base = self.base.path().trim_end_matches('/');
        url.set_path(&format!("{}{path}", base.strip_suffix("/v1").unwrap_or(base)));
        let body = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let patience = self.config.call_timeouts(&self.info.default_model);
        let sent = self.transport.send(method, url, self.headers(key).ok()?, body, patience);
        let mut answer = sent.await.ok().filter(|answer| answer.status() == 200)?;
        let body = answer.body(ANSWER_LIMIT_BYTES).await.ok()?;
        WireFailure::require_utf8(&body).ok()?;
        serde_json::from_slice(&body).ok()
    }
}

/// The window of one slot of llama.cpp's server, from `/props`.
fn of_props(told: &Value) -> Option<u64> {
    positive(&told["default_generation_settings"]["n_ctx"])
}

/// The window that Ollama has loaded a model with, from `/api/ps` (<https://docs.ollama.com/api/ps>).
fn of_running(told: &Value, model: &str) -> Option<u64> {
    let names = |loaded: &&Value| {
        [&loaded["name"], &loaded["model"]]
            .into_iter()
            .filter_map(Value::as_str)
            .any(|name| name == model || name.strip_suffix(":latest") == Some(model))
    };
    positive(&told["models"].as_array()?.iter().find(names)?["context_length"])
}

/// Whether an answer to `/api/ps` is Ollama's: it lists the loaded models, also where there are none.
fn is_ollama(told: &Value) -> bool {
    told["models"].is_array()
}

/// The window that the definition of a model sets in Ollama (`num_ctx`), from `/api/show`. The length that the model was
/// trained for is no window: the server loads less unless it is told otherwise.
fn of_shown(told: &Value) -> Option<u64> {
    let lines = told["parameters"].as_str()?.lines();
    let mut numbers = lines.filter_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok());
    numbers.next_back().filter(|tokens| *tokens > 0)
}

/// The window that LiteLLM knows of a model, from `/model/info`.
fn of_gateway(told: &Value, model: &str) -> Option<u64> {
    let known = told["data"].as_array()?.iter().find(|known| known["model_name"] == model)?;
    positive(&known["model_info"]["max_input_tokens"])
}

fn positive(number: &Value) -> Option<u64> {
    number.as_u64().filter(|tokens| *tokens > 0)
}

/// Most bytes of an answer (4 MiB): llama.cpp's contains the template of the conversation.
const ANSWER_LIMIT_BYTES: usize = 4 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: answers in the forms of llama.cpp, Ollama and LiteLLM; expected: the window in use, never the one that the
    /// model was trained for, and none where the server does not tell.
    #[test]
    fn window_is_read_from_each_server() {
        let props = json!({"default_generation_settings": {"n_ctx": 4096}, "total_slots": 4});
        assert_eq!(of_props(&props), Some(4096));
        assert_eq!(of_props(&json!({"error": "not found"})), None);
        let running =
            json!({"models": [{"name": "qwen3:latest", "model": "qwen3:latest", "context_length": 8192}]});
        assert_eq!(of_running(&running, "qwen3"), Some(8192));
        assert_eq!(of_running(&running, "qwen3:8b"), None);
        let shown = json!({"parameters": "stop \"<|end|>\"\nnum_ctx                        16384",
            "model_info": {"qwen3.context_length": 40960}});
        assert_eq!(of_shown(&shown), Some(16384));
        assert_eq!(of_shown(&json!({"model_info": {"qwen3.context_length": 40960}})), None);
        let gateway = json!({"data": [{"model_name": "m", "model_info": {"max_input_tokens": 200_000}},
            {"model_name": "n", "model_info": {"max_input_tokens": null}}]});
        assert_eq!((of_gateway(&gateway, "m"), of_gateway(&gateway, "n")), (Some(200_000), None));
    }
}
