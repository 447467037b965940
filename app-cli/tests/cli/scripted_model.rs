//! A model over Chat Completions that plays turns, for tests that look at what reaches it.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::http_stub::{HttpStubAnswer, http_stub};

/// A server of Chat Completions that plays turns, and notes what it is asked.
pub(crate) struct ScriptedModel {
    origin: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl ScriptedModel {
    /// Answers each request with the turn after those that it repeats; the last one again after that.
    pub(crate) fn start(turns: Vec<Value>) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&requests);
        let origin = http_stub("127.0.0.1:0", move |request| {
            if !request.is_post() {
                return HttpStubAnswer::json(200, &json!({ "object": "list", "data": [] }));
            }
            let said = request.body["messages"].as_array().into_iter().flatten();
            let said = said.filter(|message| message["role"] == "assistant").count();
            noted.lock().unwrap().push(request.body.clone());
            let content = turns[said.min(turns.len() - 1)].to_string();
            let choice = json!({ "index": 0, "delta": { "role": "assistant", "content": content }, "finish_reason": "stop" });
            let chunk = json!({ "object": "chat.completion.chunk", "id": "c", "choices": [choice] });
            let headers = "content-type: text/event-stream\r\n".to_owned();
            HttpStubAnswer { status: 200, headers, body: format!("data: {chunk}\n\ndata: [DONE]\n\n") }
        });
        Self { origin, requests }
    }

    /// A stage with this model, which reads images or none, and with more entries of the configuration.
    pub(crate) fn stage(&self, images: bool, more: &str) -> CliFixture {
        CliFixture::with_config(&format!(
            "[providers.chat]\nkind = \"compatible\"\nbase_url = \"{}/v1\"\nmodel = \"m\"\ndialect = \"envelope\"\n\
             [providers.chat.models.m]\nimages = {images}\n{more}",
            self.origin
        ))
    }

    /// The images of the last request that has some, each as its media type and its bytes.
    pub(crate) fn last_images(&self) -> Vec<(String, Vec<u8>)> {
        let requests = self.requests.lock().unwrap();
        let mut images = requests.iter().map(|request| {
            let parts = request["messages"].as_array().into_iter().flatten();
            let parts = parts.flat_map(|message| message["content"].as_array().into_iter().flatten());
            parts.filter_map(|part| part["image_url"]["url"].as_str().map(data_url)).collect::<Vec<_>>()
        });
        images.rfind(|images| !images.is_empty()).unwrap_or_default()
    }
}

/// The media type and the bytes of a data URL.
fn data_url(url: &str) -> (String, Vec<u8>) {
    let (media_type, base64) = url.strip_prefix("data:").unwrap().split_once(";base64,").unwrap();
    (media_type.to_owned(), BASE64.decode(base64).unwrap())
}
