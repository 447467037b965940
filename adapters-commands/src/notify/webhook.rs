//! A signed POST as defined by Standard Webhooks 1 ([`crate::webhook`]).

use entracte_application::ports::Notification;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderValue};

use crate::egress::EgressRequest;
use crate::webhook::WebhookSigningKey;

/// The request; `None` if the notification's id cannot be a header.
pub(super) fn request(url: &str, key: &WebhookSigningKey, told: &Notification) -> Option<EgressRequest> {
    let body = told.body.clone().into_bytes();
    let mut headers = key.headers(&told.id, told.at, &body)?;
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Some(EgressRequest { method: Method::POST, headers, body: Some(body), ..EgressRequest::get(url) })
}
