//! Which answers show data of a workspace, and the one place that decides who is shown it: a token needs the scope of a
//! route to ask for it, and `read` beside that to be shown what its request did not bring.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use entracte_application::ports::{TokenScope, TokenScopes};
use http::Method;
use http::request::Parts;
use serde_json::Value;

use crate::idempotency::REPLAYED;
use crate::problem::{Problem, ProblemCode};

/// What the answers of an operation show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DisclosureLevel {
    /// Ids, and what became of what was asked for.
    Receipt,
    /// What was just made of the request. Asked again under the same key, also what became of it since.
    Created,
    /// Data of the workspace.
    Data,
}

/// The shapes that are receipts: ids and verdicts, none of what anybody wrote. Every other shape is data, so a new one is
/// shown to nobody without `read` before it is listed here.
const RECEIPTS: [&str; 6] =
    ["AcceptedShape", "AllDecidedShape", "DecidedShape", "HeardShape", "TestedShape", "VectorsShape"];

/// Operations that answer with what they made of the request alone.
const CREATES: [&str; 4] = ["add_rule", "add_target", "create_automation", "start_chat"];

/// Operations whose refusals show what was asked: the options of a question.
const TELLS_QUESTION: [&str; 2] = ["answer_question", "answer_task"];

impl DisclosureLevel {
    /// Of an operation of the document.
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

/// What the answers of every route show.
#[derive(Debug, Default)]
pub(crate) struct RouteDisclosures(BTreeMap<(String, String), DisclosureLevel>);

impl RouteDisclosures {
    /// Of the routes of the document.
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

    /// A route that is in no document shows data.
    fn level_of_route(&self, method: &Method, path: Option<&str>) -> DisclosureLevel {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        let key = path.map(|path| (method.as_str().to_owned(), path.to_owned()));
        key.and_then(|key| self.0.get(&key).copied()).unwrap_or(DisclosureLevel::Data)
    }
}

/// What the answer to one request shows, and whether its token may read.
#[derive(Clone, Debug)]
struct RequestDisclosure {
    shows: DisclosureLevel,
    may_read: Arc<OnceLock<bool>>,
}

/// Refuses a token that would be shown data without the scope for it.
///
/// # Errors
/// When the answer shows data, or it is not known what it shows, and the token has no `read`.
pub(crate) fn require_read_scope(parts: &Parts, scopes: &TokenScopes) -> Result<(), Problem> {
    let may_read = scopes.allow(TokenScope::Read);
    let disclosure = parts.extensions.get::<RequestDisclosure>();
    if let Some(disclosure) = disclosure {
        disclosure.may_read.get_or_init(|| may_read);
    }
    match disclosure.map_or(DisclosureLevel::Data, |disclosure| disclosure.shows) {
        DisclosureLevel::Data if !may_read => {
            let has = scopes.words().replace(' ', ", ");
            let text = format!(
                "the answer shows data, so this needs the scope read too; the token has {has}; make another one"
            );
            Err(Problem::new(ProblemCode::ScopeMissing, text))
        }
        DisclosureLevel::Data | DisclosureLevel::Created | DisclosureLevel::Receipt => Ok(()),
    }
}

/// Lets a request through; what its answer shows is known where its token is, and a token without `read` is shown nothing
/// of how things stand now.
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
        let text =
            "this was done before, under the same key; to be shown what became of it needs the scope read";
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
    fn an_answer_shows_data_unless_all_of_it_is_a_receipt() {
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
    fn a_route_of_no_document_shows_data() {
        let document =
            json!({ "paths": { "/a": { "post": { "operationId": "x", "responses": { "204": {} } } } } });
        let all = RouteDisclosures::from_document(&document);
        assert_eq!(all.level_of_route(&Method::POST, Some("/a")), DisclosureLevel::Receipt);
        assert_eq!(all.level_of_route(&Method::GET, Some("/a")), DisclosureLevel::Data);
        assert_eq!(all.level_of_route(&Method::POST, None), DisclosureLevel::Data);
    }
}
