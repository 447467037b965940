//! Links from answers to the operations that can follow, by the paths of the document: from what was made to what can be
//! done with it, from a page to its first item, from a version that was read to its change.

use serde_json::{Map, Value, json};

/// What was read or made, for the operations that need its version.
const ETAG: &str = "$response.header.ETag";

/// An operation that a link can lead to.
struct LinkTarget {
    path: String,
    method: String,
    name: String,
    needs_etag: bool,
}

/// Adds the links to all operations of a document.
pub(super) fn link_operations(document: &mut Value) {
    let schemas = document["components"]["schemas"].clone();
    let Some(paths) = document["paths"].as_object_mut() else { return };
    let targets = list_targets(paths);
    for (path, item) in paths.iter_mut() {
        let Some(operations) = item.as_object_mut() else { continue };
        for (method, operation) in operations {
            let name = operation["operationId"].as_str().unwrap_or_default().to_owned();
            let Some(responses) = operation["responses"].as_object_mut() else { continue };
            for (status, response) in responses.iter_mut().filter(|(status, _)| status.starts_with('2')) {
                let answer = LinkSource { path, method, status, response, schemas: &schemas };
                let mut links = answer.find_links(&targets);
                links.extend(special_links(&name));
                if !links.is_empty() {
                    response["links"] = Value::Object(links);
                }
            }
        }
    }
}

fn list_targets(paths: &Map<String, Value>) -> Vec<LinkTarget> {
    let target = |path: &String, method: &String, operation: &Value| LinkTarget {
        path: path.clone(),
        method: method.clone(),
        name: operation["operationId"].as_str().unwrap_or_default().to_owned(),
        needs_etag: operation["parameters"]
            .as_array()
            .is_some_and(|all| all.iter().any(|parameter| parameter["name"] == "If-Match")),
    };
    let items = paths.iter().filter_map(|(path, item)| Some((path, item.as_object()?)));
    items.flat_map(|(path, item)| item.iter().map(move |(method, one)| target(path, method, one))).collect()
}

/// An answer of 2xx.
struct LinkSource<'a> {
    path: &'a str,
    method: &'a str,
    status: &'a str,
    response: &'a Value,
    schemas: &'a Value,
}

impl LinkSource<'_> {
    fn find_links(&self, targets: &[LinkTarget]) -> Map<String, Value> {
        let has_etag = !self.response["headers"]["ETag"].is_null();
        let made = if self.method == "post" && self.status == "201" { self.made_id() } else { None };
        let first = if self.method == "get" { self.first_item() } else { None };
        let mut links = Map::new();
        for target in targets {
            let mut parameters = parameters_of(self.path);
            let reaches = match (made, first.as_ref()) {
                (Some(_), _) => !target.needs_etag || has_etag,
                (None, Some(_)) => target.method == "get" && is_direct_item(self.path, &target.path),
                (None, None) => {
                    self.method == "get" && has_etag && target.needs_etag && target.path == self.path
                }
            };
            if let Some(id) = made.or(first.as_deref()) {
                let Some(name) = item_parameter(self.path, &target.path) else { continue };
                parameters.insert(name.to_owned(), id.into());
            }
            if !reaches {
                continue;
            }
            if target.needs_etag {
                parameters.insert("If-Match".to_owned(), ETAG.into());
            }
            links
                .insert(target.name.clone(), json!({ "operationId": target.name, "parameters": parameters }));
        }
        links
    }

    /// The name of the schema of the answer.
    fn schema(&self) -> Option<&str> {
        self.response["content"]["application/json"]["schema"]["$ref"].as_str()?.rsplit('/').next()
    }

    /// The expression for the id of what was made.
    fn made_id(&self) -> Option<&'static str> {
        let fields = &self.schemas[self.schema()?]["properties"];
        match fields["id"].is_null() {
            false => Some("$response.body#/id"),
            true => (!fields["data"].is_null()).then_some("$response.body#/data/id"),
        }
    }

    /// The expression for what names the first item of a page.
    fn first_item(&self) -> Option<String> {
        let page = self.schema().filter(|name| name.starts_with("Page_"))?;
        let item = self.schemas[page]["properties"]["items"]["items"]["$ref"].as_str()?.rsplit('/').next()?;
        let fields = &self.schemas[item]["properties"];
        let field = ["id", "name", "key"].into_iter().find(|field| !fields[*field].is_null())?;
        Some(format!("$response.body#/items/0/{field}"))
    }
}

/// The parameters of a path, as they were in the request.
fn parameters_of(path: &str) -> Map<String, Value> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| (name.to_owned(), format!("$request.path.{name}").into())).collect()
}

/// The parameter of a path below a collection, if it is its only further one.
fn item_parameter<'a>(collection: &str, path: &'a str) -> Option<&'a str> {
    let rest = path.strip_prefix(collection)?.strip_prefix("/{")?;
    let (name, below) = rest.split_once('}')?;
    (!below.contains('{')).then_some(name)
}

fn is_direct_item(collection: &str, path: &str) -> bool {
    item_parameter(collection, path).is_some() && path.ends_with('}')
}

/// Links whose values are not in the path: from the cards that wait to a decision, from a zone to a tool in it, from a
/// session's file to its import.
fn special_links(operation: &str) -> Map<String, Value> {
    let workspace = json!({ "w": "$request.path.w" });
    let (name, link) = match operation {
        "list_approvals" => {
            let parameters = json!({
                "w": "$request.path.w",
                "apr": "$response.body#/items/0/id",
                "If-Match": "\"{$response.body#/items/0/digest}\"",
            });
            ("decide_approval", json!({ "operationId": "decide_approval", "parameters": parameters }))
        }
        "add_zone" => {
            let body = json!({ "zone": "$response.body#/data/id", "type": "notes", "name": "Ideas" });
            ("add_tool", json!({ "operationId": "add_tool", "parameters": workspace, "requestBody": body }))
        }
        "export_session" => {
            let body = "$response.body";
            (
                "import_session",
                json!({ "operationId": "import_session", "parameters": workspace, "requestBody": body }),
            )
        }
        _ => return Map::new(),
    };
    Map::from_iter([(name.to_owned(), link)])
}
