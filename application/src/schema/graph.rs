//! The parts of a schema and the parts each leads to, with references followed.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::refusal::SchemaRefusal;
use super::scan::SchemaScan;
use crate::settings::SchemaBounds;

/// One schema among the parts.
#[derive(Debug, Default)]
pub(super) struct SchemaNode {
    /// The number of its JSON values that are not parts of their own.
    pub(super) own: u64,
    /// The number of its regular expressions for texts and names.
    pub(super) patterns: u64,
    /// Parts that are applied to the same value.
    pub(super) beside: Vec<usize>,
    /// Parts that are applied to the contents of the value.
    pub(super) below: Vec<SchemaEdge>,
}

/// A part that is applied to something within a value.
#[derive(Debug)]
pub(super) struct SchemaEdge {
    pub(super) part: usize,
    pub(super) which: SchemaEdgeTarget,
    /// Whether it is evaluated again by a part that depends on the evaluation of others.
    pub(super) again: bool,
}

/// The contents of a value a part is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaEdgeTarget {
    /// The member of one name.
    Member,
    /// Any member, or any name.
    AnyMember,
    /// The item at one index.
    Item,
    /// Any item.
    AnyItem,
}

/// All parts; the first is the whole schema.
#[derive(Debug)]
pub(super) struct SchemaGraph {
    pub(super) parts: Vec<SchemaNode>,
    /// Whether parts depend on the evaluation of others, so that they are applied more than once.
    pub(super) asks_back: bool,
}

impl SchemaGraph {
    /// The parts that a check can reach. Each is visited once, however many references lead to it.
    ///
    /// # Errors
    /// When a reference leads outside of the schema or to nothing, or there are too many regular expressions.
    pub(super) fn from_schema(
        schema: &Value,
        scan: &SchemaScan,
        bounds: &SchemaBounds,
    ) -> Result<Self, SchemaRefusal> {
        let mut making = SchemaGraphBuilder { whole: schema, known: HashMap::new(), waiting: Vec::new() };
        let mut parts = Vec::new();
        let mut patterns: Vec<&str> = Vec::new();
        making.part(schema);
        while let Some(next) = making.waiting.get(parts.len()).copied() {
            let mut part = SchemaNode::default();
            match next {
                Value::Object(keywords) => {
                    check_keywords(keywords, parts.is_empty())?;
                    making.read(keywords, &mut part, &mut patterns)?;
                }
                other => part.own = count(other),
            }
            parts.push(part);
        }
        check_patterns(patterns, bounds)?;
        Ok(Self { parts, asks_back: scan.asks_back })
    }
}

/// Refuses the keywords that change what references mean and could not be rewritten. An argument may have the name of
/// one, and then has an object as schema; the keyword has a text.
fn check_keywords(keywords: &Map<String, Value>, is_root: bool) -> Result<(), SchemaRefusal> {
    let is_written =
        |name: &&str| keywords.get(*name).is_some_and(|value| value.is_string() || value.is_boolean());
    let own_names = OWN_NAMES.into_iter().filter(|_| !is_root);
    match WITH_THE_WAY.into_iter().chain(own_names).find(is_written) {
        Some(keyword) => Err(SchemaRefusal::Keyword { keyword: keyword.to_owned() }),
        None => Ok(()),
    }
}

/// Keywords whose meaning depends on the evaluation path.
const WITH_THE_WAY: [&str; 4] = ["$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"];
/// Keywords that give a part a name or rules of its own.
const OWN_NAMES: [&str; 2] = ["$id", "$schema"];

fn check_patterns(mut patterns: Vec<&str>, bounds: &SchemaBounds) -> Result<(), SchemaRefusal> {
    patterns.sort_unstable();
    patterns.dedup();
    if patterns.len() > bounds.schema_patterns {
        return Err(SchemaRefusal::Patterns { most: bounds.schema_patterns });
    }
    match patterns.into_iter().find(|pattern| pattern.chars().count() > bounds.pattern_chars) {
        Some(long) => {
            Err(SchemaRefusal::LongPattern { pattern: long.to_owned(), most: bounds.pattern_chars })
        }
        None => Ok(()),
    }
}

struct SchemaGraphBuilder<'a> {
    whole: &'a Value,
    /// By address in memory: a reference identifies a position, not equal content.
    known: HashMap<*const Value, usize>,
    waiting: Vec<&'a Value>,
}

impl<'a> SchemaGraphBuilder<'a> {
    fn part(&mut self, schema: &'a Value) -> usize {
        let next = self.waiting.len();
        let number = *self.known.entry(std::ptr::from_ref(schema)).or_insert(next);
        if number == next {
            self.waiting.push(schema);
        }
        number
    }

    fn read(
        &mut self,
        keywords: &'a Map<String, Value>,
        part: &mut SchemaNode,
        patterns: &mut Vec<&'a str>,
    ) -> Result<(), SchemaRefusal> {
        part.own = 1;
        for (keyword, value) in keywords {
            part.own = part.own.saturating_add(1);
            match (keyword.as_str(), value) {
                ("$ref", Value::String(reference)) => {
                    let target = self.target(reference)?;
                    let target = self.part(target);
                    part.beside.push(target);
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => {
                    let all: Vec<usize> = all.iter().map(|schema| self.part(schema)).collect();
                    part.beside.extend(all);
                }
                ("not" | "if" | "then" | "else", schema) => part.beside.push(self.part(schema)),
                ("dependentSchemas" | "dependencies", Value::Object(all)) => {
                    for schema in all.values() {
                        match schema {
                            Value::Array(names) => part.own = part.own.saturating_add(names.len() as u64),
                            schema => part.beside.push(self.part(schema)),
                        }
                    }
                }
                ("pattern", Value::String(pattern)) => {
                    part.patterns += 1;
                    patterns.push(pattern);
                }
                (keyword, value) => self.below(keyword, value, part, patterns),
            }
        }
        Ok(())
    }

    fn below(&mut self, keyword: &str, value: &'a Value, part: &mut SchemaNode, patterns: &mut Vec<&'a str>) {
        let mut add =
            |number: usize, which, again| part.below.push(SchemaEdge { part: number, which, again });
        match (keyword, value) {
            ("properties", Value::Object(all)) => {
                for schema in all.values() {
                    add(self.part(schema), SchemaEdgeTarget::Member, false);
                }
            }
            ("patternProperties", Value::Object(all)) => {
                for (pattern, schema) in all {
                    patterns.push(pattern);
                    add(self.part(schema), SchemaEdgeTarget::AnyMember, false);
                }
                part.patterns += all.len() as u64;
            }
            ("additionalProperties" | "propertyNames", schema) => {
                add(self.part(schema), SchemaEdgeTarget::AnyMember, false);
            }
            ("unevaluatedProperties", schema) => add(self.part(schema), SchemaEdgeTarget::AnyMember, true),
            ("prefixItems" | "items", Value::Array(all)) => {
                for schema in all {
                    add(self.part(schema), SchemaEdgeTarget::Item, true);
                }
            }
            ("items" | "additionalItems" | "contains" | "unevaluatedItems", schema) => {
                add(self.part(schema), SchemaEdgeTarget::AnyItem, true);
            }
            ("$defs" | "definitions", _) => {}
            (_, value) => part.own = part.own.saturating_add(count(value)),
        }
    }

    /// Resolves a reference within the schema; nothing is ever fetched.
    fn target(&self, reference: &str) -> Result<&'a Value, SchemaRefusal> {
        let lost = || SchemaRefusal::Lost { reference: reference.to_owned() };
        let Some(fragment) = reference.strip_prefix('#') else {
            return Err(SchemaRefusal::Remote { reference: reference.to_owned() });
        };
        let fragment = decoded(fragment).ok_or_else(lost)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return self.whole.pointer(&fragment).ok_or_else(lost);
        }
        Err(lost())
    }
}

/// Decodes the percent escapes of a fragment.
fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?.to_owned();
            bytes.push(u8::from_str_radix(&digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The number of values in a JSON value, itself included. Its depth was bounded by the scan.
fn count(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
        Value::Array(items) => 1 + items.iter().map(count).sum::<u64>(),
        Value::Object(members) => 1 + members.values().map(count).sum::<u64>(),
    }
}
