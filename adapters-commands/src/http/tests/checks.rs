//! Tool declarations: the accepted ones, and the error texts of the refused ones.

use std::sync::Arc;

use entracte_application::samples::render_in_each_language as said;
use serde_json::{Value, json};

use super::{HttpToolSecretStoreFixture, egress, texts};
use crate::http::{HttpToolConfig, HttpToolEffect, HttpToolExecutor};
use crate::secret::SecretText;

fn whole() -> Value {
    json!({
        "name": "notes.send",
        "method": "POST",
        "url": "https://api.example/n/{id}",
        "body": "json",
        "arguments": texts(&["id", "text"]),
        "doc": "Sends a note.",
    })
}

/// The declaration with these keys set; a null removes its key.
fn changed(changes: &Value) -> Value {
    let mut declared = whole();
    for (key, value) in changes.as_object().unwrap() {
        declared[key] = value.clone();
    }
    declared.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    declared
}

fn check(changes: &Value) -> String {
    let config: HttpToolConfig = serde_json::from_value(changed(changes)).unwrap();
    config.check().map_or_else(|fault| said(&fault.saying()), |()| "ok".to_owned())
}

#[test]
fn declaration_is_read_from_toml_without_unknown_keys() {
    let text = r#"
        name = "notes.send"
        method = "POST"
        url = "https://api.example/n/{id}"
        body = "json"
        effect = "idempotent"
        idempotency_header = "Idempotency-Key"
        doc = "Sends a note."
        headers.authorization = { secret_env = "NOTES_KEY", prefix = "Bearer " }
        headers.accept = "text/plain"
        [arguments]
        type = "object"
        additionalProperties = false
        required = ["id"]
        properties.id.type = "string"
    "#;
    let config: HttpToolConfig = toml::from_str(text).unwrap();
    config.check().unwrap();
    assert_eq!(config.effect, Some(HttpToolEffect::Idempotent));
    assert_eq!(config.headers["accept"], SecretText::Text("text/plain".to_owned()));
    let again: HttpToolConfig = toml::from_str(&toml::to_string(&config).unwrap()).unwrap();
    assert_eq!(again, config);
    for (more, words) in [
        ("colour = 1", "unknown field `colour`"),
        ("headers.x = { secret = 1 }", "secret_env"),
        ("headers.x = { secret_env = \"A\", secrets = 1 }", "secret_env"),
    ] {
        let fault = toml::from_str::<HttpToolConfig>(&format!("{more}\n{text}")).unwrap_err().to_string();
        assert!(fault.contains(words), "{fault}");
    }
    let schema = schemars::schema_for!(HttpToolConfig).to_value();
    assert_eq!(schema["additionalProperties"], json!(false));
}

#[test]
fn fault_names_key_value_and_fix() {
    assert_eq!(check(&json!({})), "ok");
    assert_eq!(
        check(&json!({"name": "Notes"})),
        "the HTTP tool “Notes”, name: “Notes” is not a valid command name; \
         write it like weather.today, in lowercase, with at most 64 characters"
    );
    let get = |more: Value| {
        let mut all = json!({"method": "GET", "body": "none", "arguments": texts(&["id"])});
        for (key, value) in more.as_object().unwrap() {
            all[key] = value.clone();
        }
        all
    };
    for (changes, words) in [
        (json!({"name": "notes"}), "name: “notes”"),
        (json!({"approvers": ["finance"]}), "approvers: “finance” names nobody; write it like role:finance"),
        (json!({"approvers": []}), "approvers: names 0 approvers"),
        (json!({"quorum": 0}), "quorum: 0 is out of range; use 1 to 20"),
        (json!({"approvers": ["person:ann"], "quorum": 2}), "quorum: is 2, but only 1 may approve"),
        (
            json!({"approvers": ["role:x"], "escalate_after": "soon"}),
            "escalate_after: “soon” is not a duration",
        ),
        (json!({"escalate_after": "4h"}), "escalate_after: is set without approvers"),
        (get(json!({"quorum": 2})), "approvers: is set, but nobody is asked about this query"),
        (json!({"name": format!("a.{}", "b".repeat(64))}), "is not a valid command name"),
        (json!({"word": "send it"}), "word: “send it”"),
        (json!({"doc": " "}), "doc: is empty"),
        (json!({"arguments": {"type": 3}}), "arguments: is not a valid JSON Schema"),
        (json!({"arguments": {}}), "arguments.type: is not “object”"),
        (json!({"arguments": {"type": "object"}}), "arguments.additionalProperties: is not false"),
        (json!({"result": {"type": 3}}), "result: is not a valid JSON Schema"),
        (json!({"url": "https://{id}/"}), "url: “{id}” is in the scheme or the host"),
        (json!({"url": "https://a.b/{idd}"}), "url: “{idd}” is not an argument"),
        (json!({"url": "https://ann:word@a.b/"}), "a user name or a password"),
        (get(json!({"url": "https://a.b/{call.key}"})), "arguments: “id” is not used; put {id} into the url"),
        (
            get(json!({"arguments": {
                "type": "object", "properties": {"id": {"type": "string"}}, "additionalProperties": false,
            }})),
            "“{id}” is in the path, but may be omitted",
        ),
        (get(json!({"body": "json"})), "body: a GET or HEAD has no body"),
        (json!({"headers": {"a b": "c"}}), "headers.a b: “a b” is not a valid header name"),
        (json!({"headers": {"Host": "c"}}), "headers.Host: “Host” belongs to the connection"),
        (json!({"headers": {"Accept-Encoding": "gzip"}}), "belongs to the connection"),
        (json!({"headers": {"x": "a\r\nb"}}), "contains characters that a header cannot carry"),
        (
            json!({"headers": {"Authorization": "Bearer sk-1"}}),
            "headers.Authorization: contains a secret in plain text",
        ),
        (json!({"headers": {"x": {}}}), "must say where its secret is kept, once"),
        (json!({"headers": {"x": {"secret_env": "A", "secret_file": "b"}}}), "set one of"),
        (json!({"headers": {"x": {"secret_env": "sk-proj-1"}}}), "secret_env is not a valid variable name"),
        (json!({"headers": {"x": {"secret_env": "A", "prefix": "\n"}}}), "the prefix contains characters"),
        (json!({"effect": "read"}), "effect: Read does not match kind Action"),
        (get(json!({"effect": "once"})), "effect: Once does not match kind Query"),
        (json!({"effect": "idempotent"}), "idempotency_header: is missing"),
        (json!({"idempotency_header": "a b"}), "idempotency_header: “a b” is not a valid header name"),
        (json!({"idempotency_header": "X", "headers": {"x": "1"}}), "is in headers too"),
        (json!({"key_lifetime_seconds": 5}), "key_lifetime_seconds: is only for effect idempotent"),
        (json!({"settle_seconds": 5}), "settle_seconds: is only for effect probe"),
        (get(json!({"destructive": true})), "destructive: a query cannot be destructive"),
        (json!({"effect": "probe"}), "ask: is missing"),
        (
            json!({"ask": {"url": "https://api.example/", "pointer": "", "equals": 1}}),
            "ask: is only for effect probe",
        ),
        (
            json!({"effect": "probe", "ask": {"url": "https://api.example/", "pointer": "id", "equals": 1}}),
            "ask.pointer: “id” is not a JSON pointer",
        ),
        (
            json!({"effect": "probe", "ask": {"url": "https://api.example/{x}", "pointer": "", "equals": 1}}),
            "ask.url: “{x}” is not an argument",
        ),
        (
            json!({
                "effect": "probe", "headers": {"x": {"secret_env": "A"}},
                "ask": {"url": "https://other.example/", "pointer": "", "equals": 1},
            }),
            "ask.url: would send the secrets to another host",
        ),
        (json!({"timeout_seconds": 0}), "timeout_seconds: 0 is too small"),
        (
            json!({
                "effect": "probe", "settle_seconds": 0,
                "ask": {"url": "https://api.example/", "pointer": "", "equals": 1},
            }),
            "settle_seconds: 0 is too small",
        ),
        (json!({"max_answer_chars": 0}), "max_answer_chars: 0 is too small"),
        (json!({"example": {"id": 3, "text": "a"}}), "example: does not match arguments: 3 is not"),
    ] {
        let said = check(&changes);
        assert!(said.contains(words) && said.contains("; "), "{changes}: {said}");
        assert!(!said.contains("sk-"), "a secret is not repeated: {said}");
    }
}

#[test]
fn duplicate_name_is_refused() {
    let config: HttpToolConfig = serde_json::from_value(whole()).unwrap();
    let twice =
        HttpToolExecutor::new(vec![config.clone(), config], egress(), Arc::new(HttpToolSecretStoreFixture));
    assert!(twice.err().unwrap().to_string().contains("name: is declared twice"));
}
