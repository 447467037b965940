use entracte_application::settings::Language;
use entracte_application::texts::LocalizedTexts;

use super::*;

/// The four hints: read-only, destructive, idempotent, open world; `-` for `None`, `y` true, `n` false.
fn hints(text: &str) -> McpToolAnnotations {
    let mut flags = text.chars().map(|flag| match flag {
        'y' => Some(true),
        'n' => Some(false),
        _ => None,
    });
    let mut next = || flags.next().flatten();
    McpToolAnnotations {
        title: None,
        read_only: next(),
        destructive: next(),
        idempotent: next(),
        open_world: next(),
    }
}

/// Expected kind, effect and flags for the hints and a person's configuration.
fn check(hints_text: &str, known: &str, expected: &str) {
    let known: McpToolConfig = serde_json::from_str(known).unwrap();
    let rule = rule(&hints(hints_text), &known);
    let kind = if rule.kind == CommandKind::Query { "query" } else { "action" };
    let flag = |set: bool, word: &'static str| if set { word } else { "" };
    let said = format!(
        "{kind} {:?}{}{}",
        rule.effect,
        flag(rule.destructive, " destructive"),
        flag(rule.egress, " egress")
    );
    assert_eq!(said, expected, "{hints_text} {known:?}");
}

#[test]
fn annotations_determine_kind_effect_and_flags() {
    check("----", "{}", "action Once destructive egress");
    check("n---", "{}", "action Once destructive egress");
    check("y--n", "{}", "query Read");
    check("yyyn", "{}", "query Read");
    check("nn-n", "{}", "action Once");
    check("nnyn", "{}", "action Idempotent");
    check("nnyy", "{}", "action Idempotent egress");
    // Repeating an overwrite may undo a change in between.
    check("nyyn", "{}", "action Once destructive");
    check("n-yn", "{}", "action Once destructive");
}

#[test]
fn configuration_overrides_annotations() {
    check("----", r#"{"kind": "query"}"#, "query Read");
    check("----", r#"{"effect": "read"}"#, "query Read");
    check("----", r#"{"validation": false}"#, "action Once");
    check("----", r#"{"destructive": false, "egress": false}"#, "action Once");
    check("----", r#"{"effect": "idempotent"}"#, "action Idempotent destructive egress");
    check("nn-n", r#"{"validation": true}"#, "action Once egress");
    check("y--n", r#"{"validation": true}"#, "query Read egress");
    check("y---", r#"{"kind": "action"}"#, "action Idempotent");
    check("y---", r#"{"effect": "once"}"#, "action Once");
    check("y---", r#"{"destructive": true}"#, "action Idempotent destructive");
}

#[test]
fn open_world_query_needs_approval() {
    for open in ["y---", "y--y", "yyyy"] {
        check(open, "{}", "query Read egress");
        check(open, r#"{"validation": false}"#, "query Read");
        check(open, r#"{"egress": false}"#, "query Read");
        check(open, r#"{"kind": "query"}"#, "query Read");
        check(open, r#"{"kind": "query", "validation": true}"#, "query Read egress");
    }
    check("y--n", "{}", "query Read");
    check("y--n", r#"{"egress": true}"#, "query Read egress");
}

fn declaration(schema: Value) -> McpToolDeclaration {
    McpToolDeclaration {
        name: "add".to_owned(),
        title: Some("Add".to_owned()),
        description: None,
        schema: schema.into(),
        annotations: McpToolAnnotations::default(),
    }
}

fn declared(schema: Value) -> Result<CommandSpec, McpToolSpecError> {
    let declaration = declaration(schema);
    let names = McpToolNames { name: "m.add".to_owned(), word: "M_ADD".to_owned() };
    let config = McpServerConfig { call_timeout_seconds: Some(7), ..Default::default() };
    spec("m", &config, &SchemaBounds::default(), &declaration, &names, &McpToolConfig::default())
}

#[test]
fn approval_is_bound_to_program_and_folder() {
    let folder = |entry: &str| {
        let config: McpServerConfig = serde_json::from_str(entry).unwrap();
        target("m", &config, &declaration(json!({})))["folder"].clone()
    };
    assert_eq!(folder(r#"{"command": "npx", "cwd": "/home/ann/a"}"#), "/home/ann/a");
    assert_eq!(folder(r#"{"command": "npx"}"#), "/");
    assert_eq!(folder(r#"{"url": "https://mcp.test/"}"#), Value::Null, "nothing is started");
}

#[test]
fn schema_becomes_object_schema_and_keeps_members() {
    let spec = declared(json!({"additionalProperties": true})).unwrap();
    assert_eq!(spec.schema, json!({"type": "object", "properties": {}, "additionalProperties": true}));
    assert_eq!(
        (spec.doc.as_str(), spec.timeout, spec.key_lifetime),
        ("Add", Some(Millis::seconds(7)), Millis(0))
    );
}

#[test]
fn schema_invalid_for_catalog_is_refused() {
    let refused =
        |schema: Value| declared(schema).unwrap_err().message(LocalizedTexts::for_language(Language::En));
    assert_eq!(refused(json!({"type": "array"})), "its schema describes \"array\", not an object");
    assert!(
        refused(json!({"properties": {"a": {"type": "nonsense"}}}))
            .starts_with("argument a: its schema is not a valid JSON Schema")
    );
    assert_eq!(
        refused(json!({"$ref": "http://example.org/x"})),
        "its schema refers to http://example.org/x, which is outside the schema; nothing is fetched"
    );
    assert!(refused(json!({"description": "x".repeat(70_000)})).contains("more than 65536"));
}

#[test]
fn required_property_with_default_may_be_left_out() {
    let properties = json!({"path": {"type": "string"}, "depth": {"type": "integer", "default": 1}});
    let declared = json!({"type": "object", "properties": properties, "required": ["path", "depth"]});
    let declaration: McpToolDeclaration =
        serde_json::from_value(json!({"name": "list", "schema": declared})).unwrap();
    let schema = schema(&declaration, 10_000, &SchemaBounds::default()).unwrap();
    assert_eq!(schema, json!({"type": "object", "properties": properties, "required": ["path"]}));
}
