//! A message to an ntfy topic, published as JSON. Its sequence id is the id of the notification, so that a repeated
//! attempt does not show a second message (ntfy 2.16).

use entracte_application::ports::{Notification, NotificationAction};
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use secrecy::SecretString;
use serde_json::json;
use url::Url;

use crate::egress::EgressRequest;
use crate::secret::bearer_header;

/// The server address and the topic; `None` if the address has no topic.
pub(super) fn parts(url: &str) -> Option<(Url, String)> {
    let mut server: Url = url.parse().ok()?;
    let path = server.path().trim_end_matches('/').to_owned();
    let (before, topic) = path.rsplit_once('/')?;
    let is_topic = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if topic.is_empty() || topic.len() > 64 || !topic.chars().all(is_topic) {
        return None;
    }
    server.set_path(if before.is_empty() { "/" } else { before });
    server.set_query(None);
    server.set_fragment(None);
    Some((server, topic.to_owned()))
}

/// The request; `None` if the address has no topic, or the token cannot be a header.
pub(super) fn request(url: &str, token: Option<&SecretString>, told: &Notification) -> Option<EgressRequest> {
    let (server, topic) = parts(url)?;
    let mut body = json!({
        "topic": topic, "title": told.title, "message": told.text, "sequence_id": told.id,
    });
    if let Some(click) = &told.click {
        body["click"] = json!(click);
    }
    if !told.actions.is_empty() {
        let action = |action: &NotificationAction| {
            json!({
                "action": "http", "label": action.label, "url": action.url, "method": "POST", "body": action.body,
                "headers": { "Content-Type": "application/json" }, "clear": true,
            })
        };
        body["actions"] = told.actions.iter().map(action).collect();
    }
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(token) = token {
        headers.insert(AUTHORIZATION, bearer_header(token)?);
    }
    let body = Some(body.to_string().into_bytes());
    Some(EgressRequest { method: Method::POST, headers, body, ..EgressRequest::get(server) })
}
