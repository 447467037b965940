//! Finds the argument of a tool to which a part of its schema applies.

use std::collections::HashSet;

use serde_json::Value;

use super::positions::each_below;

/// How a part of a schema leads to another.
enum PathStep<'a> {
    /// To a part for the same value.
    Same,
    /// To the argument, or the member, of this name.
    Member(&'a str),
    /// To the items of a list.
    Items,
    /// To members of any name.
    AnyMember,
}

/// The path of the first argument whose part of the schema fulfils `is_wanted`, such as `filter.dates[].from`; `None`
/// if that part applies to all arguments, or no part does. References within the schema are followed.
pub(super) fn find_argument(schema: &Value, is_wanted: impl Fn(&Value) -> bool) -> Option<String> {
    // Each part with the place in this list of the one that leads to it. A part is visited once, so the list is no
    // longer than the schema.
    let mut parts: Vec<(&Value, usize, PathStep<'_>)> = vec![(schema, 0, PathStep::Same)];
    let mut known: HashSet<*const Value> = HashSet::from([std::ptr::from_ref(schema)]);
    let mut at = 0;
    while let Some((part, ..)) = parts.get(at) {
        if is_wanted(part) {
            return path_to(&parts, at);
        }
        if let Value::Object(keywords) = part {
            let mut add = |part, step| {
                if known.insert(std::ptr::from_ref(part)) {
                    parts.push((part, at, step));
                }
            };
            let reference = keywords.get("$ref").and_then(Value::as_str);
            if let Some(pointer) = reference.and_then(|reference| reference.strip_prefix('#'))
                && let Some(target) = schema.pointer(pointer)
            {
                add(target, PathStep::Same);
            }
            each_below(keywords, |keyword, name, part| match (keyword, name) {
                ("$defs" | "definitions", _) => {}
                ("properties", Some(name)) => add(part, PathStep::Member(name)),
                ("patternProperties" | "additionalProperties" | "unevaluatedProperties", _) => {
                    add(part, PathStep::AnyMember);
                }
                ("items" | "prefixItems" | "additionalItems" | "unevaluatedItems" | "contains", _) => {
                    add(part, PathStep::Items);
                }
                _ => add(part, PathStep::Same),
            });
        }
        at += 1;
    }
    None
}

/// The path of the first argument, or member, whose text or name has to match this regular expression.
pub(super) fn argument_with_pattern(schema: &Value, pattern: &str) -> Option<String> {
    find_argument(schema, |part| {
        let names = part.get("patternProperties").and_then(Value::as_object);
        part.get("pattern").is_some_and(|own| own == pattern)
            || names.is_some_and(|names| names.contains_key(pattern))
    })
}

/// The path of a part in the arguments; `None` for the arguments as a whole.
fn path_to(parts: &[(&Value, usize, PathStep<'_>)], part: usize) -> Option<String> {
    let mut steps = Vec::new();
    let mut at = part;
    while let Some((_, from, step)) = parts.get(at).filter(|_| at > 0) {
        steps.push(step);
        at = *from;
    }
    let mut path = String::new();
    for step in steps.into_iter().rev() {
        let name = match step {
            PathStep::Same => continue,
            PathStep::Items => {
                path.push_str("[]");
                continue;
            }
            PathStep::Member(name) => name,
            PathStep::AnyMember => "*",
        };
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
    }
    (!path.is_empty()).then_some(path)
}
