//! The OpenAPI documents, generated from the routes: 3.1, which is committed, and 3.0, made of it.

mod examples;
mod links;
mod operations;
mod schemas;
mod version_3_0;

use serde_json::{Value, json};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{InfoBuilder, OpenApi};
use utoipa::{PartialSchema, ToSchema};

use crate::disclosure::DisclosureLevel;
use crate::idempotency::KEY_MAX;
use crate::problem::ProblemBody;
use crate::routes;

/// Name of the security scheme.
const TOKEN: &str = "token";

/// The document, as it is served and committed.
pub fn build_openapi() -> Value {
    let mut api = routes::document();
    add_components(&mut api);
    let mut value = serde_json::to_value(&api).unwrap_or_default();
    add_security_schemes(&mut value);
    add_read_scope_notes(&mut value);
    add_idempotency_parameters(&mut value);
    operations::complete_operations(&mut value);
    schemas::simplify_schemas(&mut value);
    links::link_operations(&mut value);
    value
}

/// The document in OpenAPI 3.0.
pub fn build_openapi_3_0() -> Value {
    version_3_0::downgrade(build_openapi())
}

/// The document as text, as it is committed.
pub fn openapi_text() -> String {
    let mut text = serde_json::to_string_pretty(&build_openapi()).unwrap_or_default();
    text.push('\n');
    text
}

/// Describes the document, its problems and its tokens.
fn add_components(api: &mut OpenApi) {
    let says = "AI sessions that can wait: for approvals, crashes, dead networks. A token goes with every \
                request; `x-scope` names the scope that a route needs (null: no token), and `x-shows` the one that it \
                needs too, because its answer shows data. What is refused is a problem \
                of RFC 9457.";
    api.info = InfoBuilder::new().title("Entracte").version("1").description(Some(says)).build();
    let components = api.components.get_or_insert_default();
    components.schemas.insert(ProblemBody::name().into_owned(), ProblemBody::schema());
    let mut fields = Vec::new();
    ProblemBody::schemas(&mut fields);
    components.schemas.extend(fields);
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("entr_<id>.<secret>"));
    components.security_schemes.insert(TOKEN.to_owned(), SecurityScheme::Http(bearer.build()).into());
}

/// Adds the token requirement to every route with a scope.
fn add_security_schemes(document: &mut Value) {
    let Some(paths) = document["paths"].as_object_mut() else { return };
    for item in paths.values_mut() {
        let Some(operations) = item.as_object_mut() else { continue };
        for operation in operations.values_mut().filter(|operation| operation["x-scope"].is_string()) {
            operation["security"] = json!([{ TOKEN: [] }]);
        }
    }
}

/// Adds a note to every route that needs `read` beside its own scope, because its answer contains more data.
fn add_read_scope_notes(document: &mut Value) {
    let Some(paths) = document["paths"].as_object_mut() else { return };
    for operation in paths.values_mut().filter_map(Value::as_object_mut).flat_map(|item| item.values_mut()) {
        // `admin` includes all others.
        let acts = matches!(operation["x-scope"].as_str(), Some("chat" | "approve"));
        if acts && DisclosureLevel::from_operation(operation) == DisclosureLevel::Data {
            operation["x-shows"] = json!("read");
        }
    }
}

/// POST operations under a workspace without an idempotency key, because a repeat changes nothing: names of people are
/// unique; an invitation is for one token, and is accepted once; an existing vector is not computed again. An AG-UI run
/// sends each message once by its id, and decides once by the card. What went by the retention policy is gone. A file is
/// stored under its digest.
const WITHOUT_KEY: [&str; 11] = [
    "run_agent",
    "verify_session",
    "add_person",
    "invite_person",
    "accept_invitation",
    "test_target",
    "dry_run_automation",
    "count_model_call",
    "make_vectors",
    "run_retention",
    "store_file",
];

/// Adds the idempotency key to every POST that changes a workspace.
fn add_idempotency_parameters(document: &mut Value) {
    let Some(paths) = document["paths"].as_object_mut() else { return };
    for (path, item) in paths {
        let Some(operation) = item.get_mut("post").filter(|operation| operation["x-scope"].is_string())
        else {
            continue;
        };
        let name = operation["operationId"].as_str().unwrap_or_default();
        if !path.contains("{w}") || WITHOUT_KEY.contains(&name) {
            continue;
        }
        let key = json!({
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "Drawn by the client, a new one for each request. Asked again under the same key, nothing is done \
                            twice: the answer says Idempotency-Replayed.",
            "schema": { "type": "string", "minLength": 1, "maxLength": KEY_MAX },
        });
        if let Some(all) = operation["parameters"].as_array_mut() {
            all.push(key);
        }
        let Some(responses) = operation["responses"].as_object_mut() else { continue };
        for (_, response) in responses.iter_mut().filter(|(status, _)| status.starts_with('2')) {
            response["headers"]["Idempotency-Replayed"] = json!({
                "description": "`true`: it was done before, under the same key.", "schema": { "type": "string" },
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the document with the committed one, so that clients generated from it keep working. After a change of
    /// the routes: `ENTRACTE_WRITE_OPENAPI=1 cargo nextest run -p entracte-adapters-http openapi_is_committed`.
    #[test]
    fn openapi_is_committed() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/openapi.json");
        if std::env::var_os("ENTRACTE_WRITE_OPENAPI").is_some() {
            std::fs::write(path, openapi_text()).unwrap();
        }
        let committed = std::fs::read_to_string(path).unwrap();
        assert!(committed == openapi_text(), "docs/openapi.json is not what the routes are; write it again");
    }

    /// Generators of clients and validators stop at the first reference that leads nowhere.
    #[test]
    fn references_name_existing_components() {
        for document in [build_openapi(), build_openapi_3_0()] {
            let mut lost = Vec::new();
            collect_lost_references(&document, &document, &mut lost);
            assert_eq!(lost, Vec::<String>::new());
        }
    }

    fn collect_lost_references(part: &Value, document: &Value, lost: &mut Vec<String>) {
        match part {
            Value::Object(members) => {
                if let Some(pointer) = members.get("$ref").and_then(Value::as_str)
                    && pointer.strip_prefix('#').and_then(|pointer| document.pointer(pointer)).is_none()
                {
                    lost.push(pointer.to_owned());
                }
                members.values().for_each(|member| collect_lost_references(member, document, lost));
            }
            Value::Array(items) => {
                items.iter().for_each(|item| collect_lost_references(item, document, lost))
            }
            _ => {}
        }
    }

    #[test]
    fn every_route_names_scope_except_unauthenticated_ones() {
        let document = build_openapi();
        assert_eq!(document["openapi"], "3.1.0");
        let mut open = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                match operation["x-scope"].as_str() {
                    Some(scope) => {
                        assert!(["read", "chat", "approve", "admin", "secret"].contains(&scope), "{path}")
                    }
                    None => open.push(format!("{method} {path}")),
                }
            }
        }
        let doors = [
            "get /healthz",
            "get /readyz",
            // Authenticated by its signature.
            "post /v1/callbacks/{task}",
            "post /v1/links/act",
            "post /v1/links/open",
            "post /v1/login",
            "post /v1/login/terminals",
            "post /v1/login/terminals/claim",
        ];
        assert_eq!(open, doors);
    }
}
