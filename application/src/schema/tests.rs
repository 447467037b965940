use serde_json::{Value as Json, json};

use super::*;
use crate::json_value::{from_serde, parse};

/// The refusal of a schema, or the maximum steps for one value if it is accepted.
fn said(schema: &Json) -> String {
    match Schema::new(schema, &SchemaBounds::default()) {
        Ok(_) => "taken in".to_owned(),
        Err(why) => why.to_string(),
    }
}

/// The steps of a check, or why it is refused.
fn steps(schema: &Json, value: &Json) -> Result<u64, ArgumentRefusal> {
    let bounds = SchemaBounds::default();
    let weights = measure_schema(schema, &bounds).unwrap();
    value_load::measure_check_steps(&from_serde(value), &weights, &bounds)
}

/// Definitions `d0` … `d{last}`, each of which applies the next one by `keyword`, twice.
fn doubling(last: usize, keyword: &str) -> Json {
    let mut definitions = serde_json::Map::new();
    for level in 0..last {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        let twice = match keyword {
            "properties" => json!({ "properties": { "a": next, "b": next } }),
            keyword => json!({ keyword: [next, next] }),
        };
        definitions.insert(format!("d{level}"), twice);
    }
    definitions.insert(format!("d{last}"), json!({ "type": "string" }));
    json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/d0" } }, "$defs": definitions })
}

fn nested(depth: usize, inner: Json, around: impl Fn(Json) -> Json) -> Json {
    (0..depth).fold(inner, |schema, _| around(schema))
}

#[test]
fn schema_bomb_is_refused() {
    let nodes =
        "its schema has more than 20000 values once its references are followed (bounds.schema_nodes)";
    let depth = "its schema is nested more than 64 levels deep (bounds.schema_depth)";
    let bytes = "its schema has more than 262144 bytes (bounds.schema_bytes)";
    let long = "x".repeat(2_000);
    let numbers: Vec<u32> = (0..40_000).collect();
    let circle = json!({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}},
        "properties": {"x": {"$ref": "#/$defs/a"}}});
    let many: serde_json::Map<String, Json> = (0..200)
        .map(|n| (format!("p{n}"), json!({"type": "string", "pattern": format!("^a{n}$")})))
        .collect();
    let bombs = [
        ("40 levels of doubling references", doubling(40, "allOf"), depth),
        ("25 levels", doubling(25, "allOf"), nodes),
        ("the same by alternatives", doubling(25, "anyOf"), nodes),
        ("the same by exactly one", doubling(25, "oneOf"), nodes),
        ("the same by arguments", doubling(25, "properties"), nodes),
        ("deep nesting", nested(100, json!({}), |inner| json!({"properties": {"a": inner}})), depth),
        ("deep negation", nested(100, json!({}), |inner| json!({"not": inner})), depth),
        ("a long chain of references", doubling(80, "allOf"), depth),
        ("many options", json!({"enum": numbers}), nodes),
        ("8 MB of description", json!({"description": "x".repeat(8 << 20)}), bytes),
        ("many small parts", json!({"allOf": vec![json!({"minimum": 1}); 60_000]}), bytes),
        (
            "a reference to itself",
            json!({"$ref": "#"}),
            "its schema refers to itself in a circle that never ends",
        ),
        ("a circle of two", circle, "its schema refers to itself in a circle that never ends"),
        (
            "a reference to another place",
            json!({"$ref": "https://example.org/schema"}),
            "its schema refers to https://example.org/schema, which is outside the schema; nothing is fetched",
        ),
        (
            "a reference to a file",
            json!({"properties": {"a": {"$ref": "file:///etc/passwd"}}}),
            "its schema refers to file:///etc/passwd, which is outside the schema; nothing is fetched",
        ),
        (
            "a reference to nothing",
            json!({"$ref": "#/$defs/a"}),
            "its schema refers to #/$defs/a, which does not exist",
        ),
        (
            "a part that renames what references mean",
            json!({"properties": {"a": {"$id": "http://x/", "$ref": "#/$defs/a"}}}),
            "its schema refers to #/properties/a/$defs/a, which does not exist",
        ),
        (
            "a reference that hangs on the way",
            json!({"properties": {"a": {"$dynamicRef": "#a"}}}),
            "its schema uses $dynamicRef inside, which is not supported",
        ),
        (
            "many regular expressions",
            json!({"properties": many}),
            "its schema has more than 100 regular expressions (bounds.schema_patterns)",
        ),
    ];
    for (what, schema, expected) in bombs {
        assert_eq!(said(&schema), expected, "{what}");
    }
    let patterns = [
        ("long", long.as_str(), "a regular expression of more than 1000 characters (bounds.pattern_chars)"),
        ("that looks back", r"^(a+)\1$", "cannot be matched in linear time"),
        ("that looks ahead", r"^(?=a*)a*b$", "cannot be matched in linear time"),
        ("that compiles to much", r"^((a{100}){100}){100}$", "is too large when compiled"),
        ("that is none", "(", "is not valid: ("),
    ];
    for (what, pattern, expected) in patterns {
        let value = said(&json!({"properties": {"a": {"type": "string", "pattern": pattern}}}));
        let name = said(&json!({"patternProperties": {pattern: {"type": "string"}}}));
        assert!(value.contains(expected), "a pattern {what}: {value}");
        assert!(name.contains(expected) || name.contains("not a JSON Schema"), "a name {what}: {name}");
    }
}

#[test]
fn an_expression_that_backtracks_elsewhere_takes_linear_steps() {
    let schema = json!({"properties": {"a": {"type": "string", "pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"}}});
    let short = steps(&schema, &json!({"a": "a".repeat(1_000)})).unwrap();
    let long = steps(&schema, &json!({"a": "a".repeat(10_000)})).unwrap();
    assert!(long < 11 * short, "{short} {long}");
    let schema = Schema::new(&schema, &SchemaBounds::default()).unwrap();
    let value = from_serde(&json!({"a": "a".repeat(10_000)}));
    assert_eq!(fault_paths(&schema, &value), ["/a"]);
}

/// A value nested `depth` times under `name`.
fn within(depth: usize, name: &str) -> Json {
    nested(depth, json!({}), |inner| json!({ name: inner }))
}

#[test]
fn recursive_schema_steps_are_bounded_by_value() {
    // Once per branch of a tree: at most the size of the tree.
    let tree =
        json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}, "additionalProperties": false});
    let linear = steps(&tree, &within(40, "left")).unwrap();
    assert!(linear < 1_000, "{linear}");
    // The same if each branch is optional.
    let branch = || json!({"anyOf": [{"$ref": "#"}, {"type": "null"}]});
    let tree = json!({"properties": {"left": branch(), "right": branch()}});
    let linear = steps(&tree, &within(40, "left")).unwrap();
    assert!(linear < 1_000, "{linear}");
    // Any JSON, as some servers describe it.
    let any = json!({"properties": {"value": {"$ref": "#/$defs/any"}}, "$defs": {"any": {"anyOf": [
        {"type": ["string", "number", "boolean", "null"]},
        {"type": "array", "items": {"$ref": "#/$defs/any"}},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/any"}},
    ]}}});
    let linear = steps(&any, &json!({"value": within(40, "a")})).unwrap();
    assert!(linear < 2_000, "{linear}");
    let taken = Schema::new(&any, &SchemaBounds::default()).unwrap();
    assert_eq!(taken.faults(&from_serde(&json!({"value": [{"a": [1, "x"]}]})), 5), Ok(vec![]));
    // Twice for the same member: a short value can be checked, a deep one cannot.
    let twice =
        json!({"anyOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}]});
    assert!(steps(&twice, &within(5, "a")).is_ok());
    assert_eq!(steps(&twice, &within(40, "a")), Err(ArgumentRefusal::Steps { most: 2_000_000 }));
    // Evaluated again at every depth.
    let back = json!({"allOf": [{"properties": {"b": true}}], "unevaluatedProperties": {"$ref": "#"}});
    assert!(steps(&back, &within(3, "a")).is_ok());
    assert_eq!(steps(&back, &within(40, "a")), Err(ArgumentRefusal::Steps { most: 2_000_000 }));
}

#[test]
fn arguments_are_bounded_before_they_are_checked() {
    let open = json!({"type": "object"});
    let refused = |value: &Json| steps(&open, value).unwrap_err().to_string();
    let big = refused(&json!({"a": "x".repeat(2 << 20)}));
    assert_eq!(big, "the arguments have more than 1048576 bytes (bounds.argument_bytes); send less at once");
    assert!(refused(&json!({"a": vec![1; 20_000]})).contains("10000 values (bounds.argument_elements)"));
    assert!(refused(&within(70, "a")).contains("64 levels deep (bounds.argument_depth)"));
    let digits = parse(&format!("{{\"a\": 0.{}}}", "1".repeat(1_000))).unwrap();
    let weights = measure_schema(&open, &SchemaBounds::default()).unwrap();
    let refused = value_load::measure_check_steps(&digits, &weights, &SchemaBounds::default());
    assert_eq!(refused, Err(ArgumentRefusal::Digits { most: 400 }));
    let options: Vec<u32> = (0..1_000).collect();
    let list = json!({"properties": {"a": {"items": {"enum": options}}}});
    assert!(steps(&list, &json!({"a": vec![1; 100]})).is_ok());
    assert_eq!(steps(&list, &json!({"a": vec![1; 9_000]})), Err(ArgumentRefusal::Steps { most: 2_000_000 }));
}

#[test]
fn numbers_are_checked_with_all_their_digits() {
    let cases = [
        (r#"{"maximum": 100}"#, "100.00000000000000000001", false),
        (r#"{"maximum": 100}"#, "100.00000000000000000000", true),
        (r#"{"minimum": 0.1}"#, "0.09999999999999999999999", false),
        (r#"{"exclusiveMinimum": 9007199254740992}"#, "9007199254740992.0000001", true),
        (r#"{"maximum": 9007199254740992}"#, "9007199254740993", false),
        (r#"{"type": "integer"}"#, "100.00000000000000000001", false),
        (r#"{"const": 1}"#, "1.00000000000000000001", false),
        (r#"{"enum": [0.1]}"#, "0.1000000000000000000001", false),
        (r#"{"multipleOf": 0.01}"#, "19.990000000000000000001", false),
        (r#"{"multipleOf": 0.01}"#, "19.99", true),
        (r#"{"uniqueItems": true}"#, "[1, 1.00000000000000000001]", true),
        (r#"{"type": "number"}"#, "12345678901234567890.12345678901234567890", true),
    ];
    for (schema, value, right) in cases {
        let schema = Schema::new(SchemaDocument::parse(schema).unwrap(), &SchemaBounds::default()).unwrap();
        let value = parse(value).unwrap();
        let faults: Vec<String> =
            schema.faults(&value, 5).unwrap().into_iter().map(|fault| fault.text).collect();
        assert_eq!(faults.is_empty(), right, "{value:?} {faults:?}");
        let quotes = faults.iter().find(|fault| fault.contains("than") || fault.contains("multiple"));
        assert!(quotes.is_none_or(|fault| fault.contains(&value.to_json())), "every digit: {faults:?}");
    }
}

/// Input: schemas whose own numbers no machine number holds, and values beside them; expected: every digit counts, and
/// faults quote the numbers as they are written.
#[test]
fn digits_of_schema_count() {
    let check = |schema: &str, value: &str, expected: &str| {
        let schema = Schema::new(SchemaDocument::parse(schema).unwrap(), &SchemaBounds::default()).unwrap();
        let faults = schema.faults(&parse(value).unwrap(), 5).unwrap();
        let faults: Vec<String> =
            faults.iter().map(|fault| format!("{}: {}", fault.path, fault.text)).collect();
        assert_eq!(faults.join("; "), expected, "{value}");
    };
    let large = r#"{"properties":{"a":{"maximum":12345678901234567890.12}}}"#;
    check(large, r#"{"a":12345678901234567890.12}"#, "");
    let expected = "/a: 12345678901234567890.13 is greater than the maximum of 12345678901234567890.12";
    check(large, r#"{"a":12345678901234567890.13}"#, expected);
    let options = r#"{"enum":[0.1000000000000000000001,72.50,"a"]}"#;
    check(options, "72.5", "");
    check(options, "0.1", r#": 0.1 is not one of 0.1000000000000000000001, 72.50 or "a""#);
    check(r#"{"enum":[72.50,1,2,3]}"#, "4", ": 4 is not one of 72.50, 1 or 2 other candidates");
    check(r#"{"const":{"a":[1.0]}}"#, r#"{"a":[1]}"#, "");
    check(r#"{"const":1.50}"#, "1.6", ": 1.50 was expected");
    check(r#"{"maximum":1e999,"minimum":-1e999}"#, "5", "");
    check(r#"{"uniqueItems":true}"#, "[1,1.0]", ": [1,1.0] has non-unique elements");
    check(r#"{"type":"string"}"#, "72.50", r#": 72.50 is not of type "string""#);
    // Names of properties are no keywords, and a reference may lead to any place.
    let names = r##"{"properties":{"const":{"const":1.50},"maximum":{"$ref":"#/parts/x"}},"parts":{"x":{"maximum":1.50}}}"##;
    check(names, r#"{"const":1.5,"maximum":1.6}"#, "/maximum: 1.6 is greater than the maximum of 1.50");
    let oldest = r#"{"$schema":"http://json-schema.org/draft-04/schema#","maximum":3,"exclusiveMaximum":true,"const":1}"#;
    check(oldest, "2.99999999999999999999999", "");
    check(oldest, "3", ": 3 is greater than or equal to the maximum of 3");
}

/// Input: a value of many items, against as many constants and types as a schema may have; expected: one fault that quotes all of
/// it. Neither time nor memory is the product of both.
#[test]
fn large_value_meets_many_alternatives() {
    let alternatives: Vec<Json> =
        (0..4_000).map(|number| json!({ "const": number })).chain([json!({ "type": "string" })]).collect();
    let schema = Schema::new(json!({ "anyOf": alternatives }), &SchemaBounds::default()).unwrap();
    let value = JsonValue::List((0..9_000_i64).map(JsonValue::from).collect());
    let faults = schema.faults(&value, 5).unwrap();
    let quoted: Vec<(&str, bool)> =
        faults.iter().map(|fault| (fault.path.as_str(), fault.value == value.to_json())).collect();
    assert_eq!(quoted, [("", true)]);
    let long = "é".repeat(5_000);
    let texts = Schema::new(
        json!({ "propertyNames": { "maxLength": 9 }, "type": "object" }),
        &SchemaBounds::default(),
    );
    let texts = texts.unwrap();
    let named = JsonValue::Object(vec![(long.clone(), JsonValue::Null)]);
    assert_eq!(texts.faults(&named, 5).unwrap().len(), 1);
    let faults = texts.faults(&JsonValue::from(long.as_str()), 5).unwrap();
    assert_eq!(faults[0].value, format!("\"{long}\""), "a text is quoted whole");
}

#[test]
fn items_beyond_those_described_are_quoted() {
    let schema =
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[true],"additionalItems":false}"#;
    let schema = Schema::new(SchemaDocument::parse(schema).unwrap(), &SchemaBounds::default()).unwrap();
    let text = |value: &str| schema.faults(&parse(value).unwrap(), 5).unwrap().remove(0).text;
    assert_eq!(text("[1,2.50]"), "Additional items are not allowed (2.50 was unexpected)");
    let long = format!("[1,\"{}\",3]", "x".repeat(2_000));
    assert!(text(&long).ends_with("x\", 3 were unexpected)"));
}

#[test]
fn references_within_are_followed() {
    let schema = json!({"type": "object", "$id": "http://x/y", "properties": {
        "a": {"$ref": "#/$defs/a%20b"}, "b": {"$ref": "#named"}, "c": {"$ref": "#/$defs/x~1y"}},
        "$defs": {"a b": {"type": "string"}, "n": {"$anchor": "named", "type": "number"}, "x/y": {"type": "null"}}});
    let schema = Schema::new(schema, &SchemaBounds::default()).unwrap();
    let paths = fault_paths(&schema, &from_serde(&json!({"a": 1, "b": "x", "c": 2})));
    assert_eq!(paths, ["/a", "/b", "/c"]);
}

/// The paths of the faults that a schema finds in a value.
fn fault_paths(schema: &Schema, value: &JsonValue) -> Vec<String> {
    schema.faults(value, 9).unwrap().into_iter().map(|fault| fault.path).collect()
}

/// The paths of the faults that a tool's schema finds in a value.
fn tool_faults(schema: &Json, value: &Json) -> Vec<String> {
    let schema =
        Schema::of_tool(schema, &SchemaBounds::default()).unwrap_or_else(|why| panic!("{why}: {schema}"));
    fault_paths(&schema, &from_serde(value))
}

fn remarks(schema: &Json) -> Vec<SchemaRemark> {
    Schema::of_tool(schema, &SchemaBounds::default()).unwrap().remarks().to_vec()
}

/// Input: schemas as libraries write them (`.ci/schemas` makes them again); expected: each is accepted. Only patterns
/// that cannot be run are unchecked.
#[test]
fn unsupported_pattern_keeps_the_tool() {
    let made = [
        ("zod", include_str!("fixtures/zod.json")),
        ("valibot", include_str!("fixtures/valibot.json")),
        ("arktype", include_str!("fixtures/arktype.json")),
        ("pydantic", include_str!("fixtures/pydantic.json")),
    ];
    let made = made.map(|(library, text)| (library, serde_json::from_str::<Json>(text).unwrap()));
    for (library, schemas) in &made {
        for (name, schema) in schemas.as_object().unwrap() {
            let taken = Schema::of_tool(schema, &SchemaBounds::default());
            assert!(taken.is_ok(), "{library} {name}: {}", taken.unwrap_err());
        }
    }
    let zod = &made[0].1;
    let unchecked = |argument: &str, pattern: &str| SchemaRemark::UncheckedPattern {
        argument: Some(argument.to_owned()),
        pattern: pattern.to_owned(),
    };
    assert_eq!(remarks(&zod["not_blank"]), [unchecked("title", r"^(?!\s*$).+")]);
    assert!(said(&zod["not_blank"]).contains("linear time"), "a schema of one's own has to be checked");
    assert_eq!(tool_faults(&zod["not_blank"], &json!({"title": ""})), Vec::<String>::new());
    assert_eq!(tool_faults(&zod["not_blank"], &json!({"title": 1, "more": 2})), ["/title", ""]);
    assert_eq!(remarks(&zod["date"]), [], "a pattern that can be run is checked");
    assert_eq!(tool_faults(&zod["date"], &json!({"day": "x", "at": "2026-01-01T00:00:00Z"})).len(), 2);
    assert_eq!(remarks(&made[3].1["payment"]).len(), 2);
    let (long, large) = ("x".repeat(2_000), "^((a{100}){100}){100}$");
    for pattern in [long.as_str(), large, r"^(a+)\1$", "("] {
        let schema =
            json!({"properties": {"a": {"type": "string", "pattern": pattern}, "b": {"pattern": "^x"}}});
        assert_eq!(remarks(&schema), [unchecked("a", pattern)]);
        assert_eq!(tool_faults(&schema, &json!({"a": 1, "b": "y"})), ["/a", "/b"], "{pattern}");
        let names =
            json!({"patternProperties": {pattern: {"type": "string"}}, "additionalProperties": false});
        assert_eq!(tool_faults(&names, &json!({"a": 1})), Vec::<String>::new(), "{pattern}");
    }
}

#[test]
fn tool_schema_mistakes_are_repaired() {
    let schema = json!({"$schema": "https://spec.openapis.org/oas/3.1/dialect/base", "type": "object", "properties": {
        "any": {"type": "any"},
        "needed": {"type": "string", "required": true},
        "open": {"type": "string", "required": false, "enum": ["a"], "nullable": true},
        "above": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
        "below": {"type": "number", "maximum": 9, "exclusiveMaximum": false},
        "nullable": {"type": "object", "properties": {"required": {"type": "boolean"}}},
    }});
    let dialect = "https://spec.openapis.org/oas/3.1/dialect/base".to_owned();
    assert_eq!(remarks(&schema), [SchemaRemark::UnknownDialect(dialect)]);
    let right = json!({"any": [1], "needed": "x", "open": null, "above": 0.1, "below": 9, "nullable": {"required": true}});
    assert_eq!(tool_faults(&schema, &right), Vec::<String>::new());
    let wrong = json!({"open": "b", "above": 0, "below": 10, "nullable": {"required": 1}});
    let mut paths = tool_faults(&schema, &wrong);
    paths.sort_unstable();
    assert_eq!(paths, ["", "/above", "/below", "/nullable/required", "/open"]);
    let oldest = json!({"$schema": "http://json-schema.org/draft-04/schema#", "properties": {
        "a": {"minimum": 0, "exclusiveMinimum": true}}});
    assert_eq!(tool_faults(&oldest, &json!({"a": 0})), ["/a"]);
    let secure = json!({"$schema": "https://json-schema.org/draft-07/schema", "properties": {"a": {"type": "string"}}});
    assert_eq!((remarks(&secure).len(), tool_faults(&secure, &json!({"a": 0})).len()), (0, 1));
}

/// Input: mistakes beside numbers that no machine number holds; expected: the repaired schema has all their digits.
#[test]
fn repaired_schema_keeps_digits() {
    let text = r#"{"properties":{
        "above":{"type":"number","minimum":12345678901234567890.12,"exclusiveMinimum":true},
        "price":{"type":"number","enum":[72.50,0.1000000000000000000001],"nullable":true}}}"#;
    let schema = Schema::of_tool(SchemaDocument::parse(text).unwrap(), &SchemaBounds::default()).unwrap();
    let paths = |value: &str| fault_paths(&schema, &parse(value).unwrap());
    assert_eq!(paths(r#"{"above":12345678901234567890.13,"price":null}"#), Vec::<String>::new());
    assert_eq!(paths(r#"{"above":12345678901234567890.12,"price":72.5}"#), ["/above"]);
    assert_eq!(paths(r#"{"price":0.1}"#), ["/price"]);
}

#[test]
fn names_of_parts_resolve_and_data_is_left_alone() {
    let data = json!({"$id": "x", "$schema": "y", "$dynamicRef": "#z", "$recursiveAnchor": true});
    let schema = json!({"default": data, "examples": [data], "properties": {
        "a": {"const": data}, "b": {"enum": [data]}, "$id": {"type": "string"}}});
    assert_eq!(said(&schema), "taken in");
    assert_eq!(tool_faults(&schema, &json!({"a": data, "b": data, "$id": 1})), ["/$id"]);
    let named = json!({"$id": "https://example.org/tools/a.json", "type": "object", "properties": {
        "self": {"$ref": "https://example.org/tools/a.json#/$defs/text"},
        "short": {"$ref": "a.json#/$defs/text"},
        "anchor": {"$ref": "#text"},
        "dynamic": {"$dynamicRef": "#node"},
        "part": {"$id": "b.json", "$ref": "#/$defs/whole", "$defs": {"whole": {"type": "integer"}}},
        "other": {"$ref": "b.json#/$defs/whole"}},
        "$defs": {"text": {"$anchor": "text", "type": "string"}, "n": {"$dynamicAnchor": "node", "type": "null"}}});
    let mut paths = tool_faults(
        &named,
        &json!({"self": 1, "short": 1, "anchor": 1, "dynamic": 1, "part": "x", "other": "x"}),
    );
    paths.sort_unstable();
    assert_eq!(paths, ["/anchor", "/dynamic", "/other", "/part", "/self", "/short"]);
    let recursive = json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true,
        "properties": {"child": {"$recursiveRef": "#"}}, "additionalProperties": false});
    assert_eq!(tool_faults(&recursive, &json!({"child": {"child": {"wrong": 1}}})), ["/child/child"]);
    // The whole schema is the outermost of each way, so its own name is meant.
    let outermost = json!({"$dynamicAnchor": "n", "type": "object", "properties": {
        "a": {"$id": "b", "$dynamicAnchor": "n", "properties": {"c": {"$dynamicRef": "#n"}}}}});
    assert_eq!(tool_faults(&outermost, &json!({"a": {"c": 1}})), ["/a/c"]);
    let several = json!({"properties": {"a": {"$id": "b", "$dynamicAnchor": "n", "properties": {"x": {"$dynamicRef": "#n"}}},
        "c": {"$id": "d", "$dynamicAnchor": "n"}}});
    assert_eq!(said(&several), "its schema uses $dynamicRef inside, which is not supported");
}
