//! Rewrites all references of a schema as JSON pointers from its root.
//!
//! Names of parts (`$id`, `$anchor`, `$dynamicAnchor`) only serve references, so they are removed then, and the
//! measured schema means the same to whoever follows `#/…`. What depends on the way a validator came is only rewritten
//! if every way ends at the same target; otherwise it stays, and [`SchemaGraph`](super::graph::SchemaGraph) refuses it.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::positions::change_each_below;

/// The named parts of a schema, by what references call them. Pointers are percent-encoded, without `#`.
#[derive(Debug, Default)]
struct NamedParts {
    /// By their own URI.
    resources: HashMap<String, String>,
    /// By the URI of their resource and their name.
    anchors: HashMap<(String, String), String>,
    /// The URI of the whole schema. It is the outermost of the dynamic scope of every part, so that its own dynamic names
    /// are the targets wherever a value is checked.
    root: String,
    /// Which of the anchors are dynamic.
    dynamic: HashSet<(String, String)>,
    /// How many parts have each dynamic name.
    dynamic_counts: HashMap<String, usize>,
    /// The resources that are targets of `$recursiveRef`.
    recursive: HashSet<String>,
    is_oldest: bool,
    /// Whether the draft ignores what stands beside a `$ref`.
    ignores_siblings: bool,
}

/// Whether `id` has the meaning of the later `$id` in this draft.
pub(super) fn is_oldest(dialect: &str) -> bool {
    dialect.contains("draft-03") || dialect.contains("draft-04")
}

/// Rewrites the references of a schema. Its depth was bounded by the scan.
pub(super) fn rewrite_as_pointers(schema: &mut Map<String, Value>) {
    let dialect = schema.get("$schema").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut parts = NamedParts {
        is_oldest: is_oldest(&dialect),
        ignores_siblings: ["draft-03", "draft-04", "draft-06", "draft-07"]
            .iter()
            .any(|old| dialect.contains(old)),
        ..NamedParts::default()
    };
    parts.resources.insert(String::new(), String::new());
    parts.root = parts.base_within(schema, "");
    parts.collect(schema, "", "");
    parts.rewrite(schema, "", &dialect, true);
}

impl NamedParts {
    /// The URI that a schema gives itself, without a fragment; or its name within its resource.
    fn own_id<'a>(&self, schema: &'a Map<String, Value>) -> Option<&'a str> {
        if self.ignores_siblings && schema.get("$ref").is_some_and(Value::is_string) {
            return None;
        }
        schema.get(if self.is_oldest { "id" } else { "$id" })?.as_str()
    }

    /// The base URI within a schema.
    fn base_within(&self, schema: &Map<String, Value>, base: &str) -> String {
        match self.own_id(schema).map(without_fragment) {
            Some(id) if !id.is_empty() => resolved(base, id),
            _ => base.to_owned(),
        }
    }

    /// Collects the names in a schema, which stays as it is.
    fn collect(&mut self, schema: &mut Map<String, Value>, at: &str, base: &str) {
        let within = self.base_within(schema, base);
        if within != base || at.is_empty() {
            self.resources.insert(within.clone(), at.to_owned());
        }
        let name_of_id = self.own_id(schema).and_then(|id| id.strip_prefix('#'));
        let anchor = schema.get("$anchor").and_then(Value::as_str);
        let dynamic = schema.get("$dynamicAnchor").and_then(Value::as_str);
        for name in [name_of_id, anchor, dynamic].into_iter().flatten().filter(|name| !name.is_empty()) {
            self.anchors.insert((within.clone(), name.to_owned()), at.to_owned());
        }
        if let Some(name) = dynamic {
            self.dynamic.insert((within.clone(), name.to_owned()));
            *self.dynamic_counts.entry(name.to_owned()).or_default() += 1;
        }
        if schema.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
            self.recursive.insert(within.clone());
        }
        change_each_below(schema, |step, inner| self.collect(inner, &format!("{at}{step}"), &within));
    }

    fn rewrite(&self, schema: &mut Map<String, Value>, base: &str, dialect: &str, is_root: bool) {
        let within = self.base_within(schema, base);
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(Value::String(reference)) = schema.get(keyword) else { continue };
            let Some(target) = self.target(keyword, reference, &within) else { continue };
            schema.remove(keyword);
            if schema.contains_key("$ref") && keyword != "$ref" {
                let all = schema.entry("allOf").or_insert_with(|| json!([]));
                all.as_array_mut().into_iter().for_each(|all| all.push(json!({ "$ref": target })));
            } else {
                schema.insert("$ref".to_owned(), Value::String(target));
            }
        }
        let id = if self.is_oldest { "id" } else { "$id" };
        for name in [id, "$anchor", "$dynamicAnchor"] {
            if schema.get(name).is_some_and(Value::is_string) {
                schema.remove(name);
            }
        }
        if schema.get("$recursiveAnchor").is_some_and(Value::is_boolean) {
            schema.remove("$recursiveAnchor");
        }
        if !is_root && schema.get("$schema").and_then(Value::as_str) == Some(dialect) {
            schema.remove("$schema");
        }
        change_each_below(schema, |_, inner| self.rewrite(inner, &within, dialect, false));
    }

    /// The pointer that a reference means; `None` if it leads outside, to nothing, or depends on the way.
    fn target(&self, keyword: &str, reference: &str, base: &str) -> Option<String> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let uri = if uri.is_empty() { base.to_owned() } else { resolved(base, uri) };
        let uri = match keyword {
            "$dynamicRef" => self.dynamic_resource(uri, fragment)?,
            "$recursiveRef" => self.recursive_resource(uri)?,
            _ => uri,
        };
        let resource = self.resources.get(&uri)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return Some(format!("#{resource}{fragment}"));
        }
        let pointer = self.anchors.get(&(uri, fragment.to_owned()))?;
        Some(format!("#{pointer}"))
    }

    /// The resource in which a dynamic reference to this name ends; `None` if that depends on the way. A name that is
    /// not dynamic where the reference first leads is an ordinary one.
    fn dynamic_resource(&self, uri: String, name: &str) -> Option<String> {
        let key = (uri, name.to_owned());
        if !self.dynamic.contains(&key) {
            return Some(key.0);
        }
        if self.dynamic.contains(&(self.root.clone(), key.1)) {
            return Some(self.root.clone());
        }
        let is_single = self.dynamic_counts.get(name).is_none_or(|count| *count <= 1);
        is_single.then_some(key.0)
    }

    /// The resource in which a recursive reference from this one ends; `None` if that depends on the way.
    fn recursive_resource(&self, uri: String) -> Option<String> {
        match (self.recursive.contains(&uri), self.recursive.contains(&self.root)) {
            (false, _) => Some(uri),
            (true, true) => Some(self.root.clone()),
            (true, false) => (self.recursive.len() <= 1).then_some(uri),
        }
    }
}

fn without_fragment(uri: &str) -> &str {
    uri.split_once('#').map_or(uri, |(uri, _)| uri)
}

/// Resolves a reference against a base URI, as far as the names of parts need it: without dot segments.
fn resolved(base: &str, reference: &str) -> String {
    let scheme = |uri: &str| uri.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme));
    if scheme(reference) || base.is_empty() {
        return reference.to_owned();
    }
    let authority = base.find("://").map_or(0, |at| at + 3);
    let path = base.get(authority..).and_then(|rest| rest.find('/')).map_or(base.len(), |at| authority + at);
    let kept = match reference.strip_prefix('/') {
        Some(_) => base.get(..path),
        None => base.rfind('/').filter(|slash| *slash >= path).and_then(|slash| base.get(..=slash)),
    };
    format!("{}{reference}", kept.unwrap_or_default())
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphabetic())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.'))
}
