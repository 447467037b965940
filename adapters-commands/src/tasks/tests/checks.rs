//! Task declarations: the accepted ones, and the error texts of the refused ones.

use entracte_application::samples::render_in_each_language as said;
use serde_json::{Value, json};

use super::config;
use crate::tasks::TaskConfig;

fn check(declared: Value) -> String {
    let config = config("https://books.example/tasks", declared);
    config.check().map_or_else(|fault| said(&fault.saying()), |()| "ok".to_owned())
}

#[test]
fn declaration_is_read_from_toml_without_unknown_keys() {
    let text = r#"
        name = "books.close"
        task_type = "APBookkeeper"
        url = "https://books.example/tasks"
        secrets = [{ secret_env = "BOOKS" }, { secret_file = "/run/books" }]
        idempotent = true
        status_url_template = "https://books.example/tasks/{task}"
        deadline_seconds = 600
        doc = "Closes the books of a month."
        [arguments]
        type = "object"
        additionalProperties = false
        properties.month.type = "string"
    "#;
    let config: TaskConfig = toml::from_str(text).unwrap();
    config.check().unwrap();
    let again: TaskConfig = toml::from_str(&toml::to_string(&config).unwrap()).unwrap();
    assert_eq!(again, config);
    for unknown in ["adress = \"x\"", "secret_env = \"X\"", "secrets = [{ secret = \"whsec_x\" }]"] {
        let with = text.replace("idempotent = true", unknown);
        assert!(toml::from_str::<TaskConfig>(&with).is_err(), "{unknown}");
    }
}

/// A configuration contains no secret, and a signed request goes only to the declared host.
#[test]
fn what_cannot_be_used_is_refused_with_the_fix() {
    assert_eq!(check(json!({})), "ok");
    let cases = [
        ("name", json!({ "name": "Books" })),
        ("word", json!({ "word": "close" })),
        ("doc", json!({ "doc": " " })),
        ("arguments.additionalProperties", json!({ "arguments": { "type": "object" } })),
        ("url", json!({ "url": "books.example" })),
        ("url", json!({ "url": "https://books.example/{month}" })),
        ("status_url_template", json!({ "status_url_template": "https://books.example/tasks" })),
        ("status_url_template", json!({ "status_url_template": "https://books.example/{id}" })),
        ("status_url_template", json!({ "status_url_template": "https://evil.example/{task}" })),
        ("status_url_template", json!({ "status_url_template": "http://books.example/{task}" })),
        ("secrets", json!({ "secrets": [] })),
        ("secrets", json!({ "secrets": [{}] })),
        ("secrets", json!({ "secrets": [{ "secret_person": "books" }] })),
        ("secrets", json!({ "secrets": [{ "secret_env": "A", "prefix": "Bearer " }] })),
        ("secrets", json!({ "secrets": [{ "secret_env": "whsec-pasted" }] })),
        (
            "secrets",
            json!({ "secrets": [{ "secret_env": "A" }, { "secret_env": "B" }, { "secret_env": "C" }] }),
        ),
        ("key_lifetime_seconds", json!({ "key_lifetime_seconds": 60 })),
        ("settle_seconds", json!({ "settle_seconds": 60 })),
        (
            "settle_seconds",
            json!({ "status_url_template": "https://books.example/{task}", "settle_seconds": 0 }),
        ),
        ("approval", json!({ "approval": false })),
        ("four_eyes", json!({ "kind": "query", "four_eyes": true })),
        ("approvers", json!({ "kind": "query", "approvers": ["person:ann"] })),
        ("quorum", json!({ "approvers": ["person:ann", "person:ann"], "quorum": 2 })),
        ("destructive", json!({ "kind": "query", "destructive": true })),
        ("deadline_seconds", json!({ "deadline_seconds": 0 })),
        ("deadline_seconds", json!({ "deadline_seconds": 100_000_000 })),
        ("example", json!({ "example": { "year": 2026 } })),
    ];
    let mut all = Vec::new();
    for (key, declared) in cases {
        let says = check(declared.clone());
        assert!(says.contains(&format!(", {key}: ")), "{declared}: {says}");
        all.push(says);
    }
    insta::assert_snapshot!(all.join("\n"));
}
