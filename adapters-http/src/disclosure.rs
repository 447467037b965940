//! Disclosure: which answers contain workspace data, and the check for it. A token needs the scope of a route to use
//! it, and `read` in addition to receive data that its request did not contain.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use entracte_application::ports::{TokenScope, TokenScopes};
use entracte_application::texts::saying;
use http::Method;
use http::request::Parts;
use serde_json::Value;

use crate::idempotency::REPLAYED;
use crate::problem::{Problem, ProblemCode};

/// The kind of content that an operation's answers contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DisclosureLevel {
    /// Ids and outcomes of the request.
    Receipt,
    /// The resource just created from the request. A repeated request under the same key also shows later changes to
    /// it.
    Created,
    /// Data of the workspace.
    Data,
}

/// The shapes that are receipts: ids and outcomes without any text of a person. Every other shape is data, so a new one
/// needs `read` until it is listed here.
const RECEIPTS: [&str; 7] = [
    "AcceptedShape",
    "AllDecidedShape",
    "DecidedShape",
    "HeardShape",
    "RetentionHeldShape",
    "TestedShape",
    "VectorsShape",
];

/// Operations whose answer contains only the resource created from the request.
const CREATES: [&str; 4] = ["add_rule", "add_target", "create_automation", "start_chat"];

/// Operations whose refusals contain the question, with its options.
const TELLS_QUESTION: [&str; 2] = ["answer_question", "answer_task"];

impl DisclosureLevel {
    /// The level of an operation of the OpenAPI document.
    pub(crate) fn from_operation(operation: &Value) -> Self {
        let name = operation["operationId"].as_str().unwrap_or_default();
        if TELLS_QUESTION.contains(&name) {
            return Self::Data;
        }
        if CREATES.contains(&name) {
            return Self::Created;
        }
        let answers = operation["responses"].as_object();
        let done = answers.into_iter().flatten().filter(|(status, _)| status.starts_with('2'));
        let mut contents = done.filter_map(|(_, answer)| answer["content"].as_object()).flatten();
        let is_receipt = |content: &Value| {
            let shape = content["schema"]["$ref"].as_str().and_then(|name| name.rsplit('/').next());
            shape.is_some_and(|shape| RECEIPTS.contains(&shape))
        };
        if contents.all(|(_, content)| is_receipt(content)) { Self::Receipt } else { Self::Data }
    }
}

/// The disclosure levels of all routes.
#[derive(Debug, Default)]
pub(crate) struct RouteDisclosures(BTreeMap<(String, String), DisclosureLevel>);

impl RouteDisclosures {
    /// The levels of all routes in the OpenAPI document.
    pub(crate) fn from_document(document: &Value) -> Self {
        let mut all = BTreeMap::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                all.insert(
                    (method.to_ascii_uppercase(), path.clone()),
                    DisclosureLevel::from_operation(operation),
                );
            }
        }
        Self(all)
    }

    /// The level of a route; `Data` for a route that is not in the document.
    fn level_of_route(&self, method: &Method, path: Option<&str>) -> DisclosureLevel {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        let key = path.map(|path| (method.as_str().to_owned(), path.to_owned()));
        key.and_then(|key| self.0.get(&key).copied()).unwrap_or(DisclosureLevel::Data)
    }
}

/// The disclosure level of one request, and whether its token may read.
#[derive(Clone, Debug)]
struct RequestDisclosure {
    shows: DisclosureLevel,
    may_read: Arc<OnceLock<bool>>,
}

/// Refuses a token that would receive data without the scope for it.
///
/// # Errors
/// If the answer contains data, or its level is unknown, and the token lacks `read`.
pub(crate) fn require_read_scope(parts: &Parts, scopes: &TokenScopes) -> Result<(), Problem> {
    let may_read = scopes.allow(TokenScope::Read);
    let disclosure = parts.extensions.get::<RequestDisclosure>();
    if let Some(disclosure) = disclosure {
        disclosure.may_read.get_or_init(|| may_read);
    }
    match disclosure.map_or(DisclosureLevel::Data, |disclosure| disclosure.shows) {
        DisclosureLevel::Data if !may_read => {
            let has = scopes.words().replace(' ', ", ");
            let text = saying!("refusal-read-too", scopes = has);
            Err(Problem::new(ProblemCode::ScopeMissing, text))
        }
        DisclosureLevel::Data | DisclosureLevel::Created | DisclosureLevel::Receipt => Ok(()),
    }
}

/// Middleware that adds the disclosure level for the scope check, and removes the current state from refusals to a
/// token without `read`.
pub(crate) async fn limit_disclosure(
    State(all): State<Arc<RouteDisclosures>>,
    mut request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let shows = all.level_of_route(request.method(), route.map(MatchedPath::as_str));
    let disclosure = RequestDisclosure { shows, may_read: Arc::default() };
    request.extensions_mut().insert(disclosure.clone());
    let mut response = next.run(request).await;
    if disclosure.may_read.get() != Some(&false) {
        return response;
    }
    if shows == DisclosureLevel::Created
        && response.status().is_success()
        && response.headers().contains_key(REPLAYED)
    {
        let text = saying!("refusal-replay-read");
        return Problem::new(ProblemCode::ScopeMissing, text).into_response();
    }
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        response.extensions_mut().insert(problem.without_data());
    }
    response
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answer_is_data_unless_only_receipts() {
        let answering = |responses: Value| {
            DisclosureLevel::from_operation(&json!({ "operationId": "x", "responses": responses }))
        };
        let of = |shape: &str| {
            let schema = json!({ "$ref": format!("#/components/schemas/{shape}") });
            json!({ "content": { "application/json": { "schema": schema } } })
        };
        assert_eq!(answering(json!({ "204": {}, "default": of("Problem") })), DisclosureLevel::Receipt);
        assert_eq!(answering(json!({ "200": of("AcceptedShape") })), DisclosureLevel::Receipt);
        assert_eq!(
            answering(json!({ "200": of("AcceptedShape"), "202": of("ResultShape") })),
            DisclosureLevel::Data
        );
        let text = json!({ "content": { "text/event-stream": { "schema": { "type": "string" } } } });
        assert_eq!(answering(json!({ "200": text })), DisclosureLevel::Data);
    }

    #[test]
    fn undocumented_route_is_data() {
        let document =
            json!({ "paths": { "/a": { "post": { "operationId": "x", "responses": { "204": {} } } } } });
        let all = RouteDisclosures::from_document(&document);
        assert_eq!(all.level_of_route(&Method::POST, Some("/a")), DisclosureLevel::Receipt);
        assert_eq!(all.level_of_route(&Method::GET, Some("/a")), DisclosureLevel::Data);
        assert_eq!(all.level_of_route(&Method::POST, None), DisclosureLevel::Data);
    }
}
