//! Counts the tokens of a request on its server, without answering it.

use entracte_application::ports::ModelRequest;
use reqwest::Method;
use secrecy::SecretString;
use serde_json::{Map, Value};

use crate::api_key::scrub_key;
use crate::failure::WireFailure;
use crate::network_provider::NetworkProvider;

impl NetworkProvider {
    /// The tokens of a request that names its model; `None` if the wire dialect, or this server, cannot count them.
    pub(crate) async fn count_request_tokens(
        &self,
        request: &ModelRequest,
        key: Option<&SecretString>,
    ) -> Result<Option<u64>, WireFailure> {
        let settings = self.settings_of(request)?;
        self.require_same_wire(&settings)?;
        let Some(counting) = settings.dialect().token_count_endpoint() else { return Ok(None) };
        let body = keep_members(&self.bytes(request)?, counting.members)?;
        let patience = self.config.call_timeouts(&request.model);
        let (url, headers) = (self.url(counting.path), self.headers(key)?);
        let mut answer = self.transport.send(Method::POST, url, headers, body, patience).await?;
        match answer.status() {
            200 => {}
            // Servers with the same API may lack this endpoint.
            404 | 405 | 501 => return Ok(None),
            _ => return Err(self.error_answer(answer, key).await),
        }
        let body = answer.body(ANSWER_LIMIT_BYTES).await?;
        WireFailure::require_utf8(&body)?;
        tokens(&scrub_key(&String::from_utf8_lossy(&body), key)).map(Some)
    }
}

/// The body of a call with only these fields; the others control how it is answered.
fn keep_members(body: &[u8], members: &[&str]) -> Result<Vec<u8>, WireFailure> {
    let whole: Map<String, Value> =
        serde_json::from_slice(body).map_err(|error| WireFailure::unreadable(&error))?;
    let kept: Map<String, Value> =
        whole.into_iter().filter(|(name, _)| members.contains(&name.as_str())).collect();
    serde_json::to_vec(&kept).map_err(|error| WireFailure::unreadable(&error))
}

fn tokens(text: &str) -> Result<u64, WireFailure> {
    let body: Value = serde_json::from_str(text).map_err(|error| WireFailure::unreadable(&error))?;
    body["input_tokens"].as_u64().ok_or_else(|| WireFailure::foreign("it tells no “input_tokens”"))
}

/// Most bytes of an answer (64 KiB).
const ANSWER_LIMIT_BYTES: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_controls_are_left_out_of_count() {
        let body = br#"{"model":"m","max_tokens":9,"messages":[{"role":"user"}],"stream":true}"#;
        let kept = keep_members(body, &["model", "messages", "tools"]).unwrap();
        assert_eq!(String::from_utf8(kept).unwrap(), r#"{"messages":[{"role":"user"}],"model":"m"}"#);
    }

    #[test]
    fn token_count_is_parsed() {
        assert_eq!(tokens(r#"{"object":"response.input_tokens","input_tokens":11}"#).unwrap(), 11);
        for wrong in ["{}", r#"{"input_tokens":-1}"#, "no"] {
            assert!(tokens(wrong).is_err(), "{wrong}");
        }
    }
}
