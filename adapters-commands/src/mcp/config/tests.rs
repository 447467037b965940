use entracte_application::samples::render_in_each_language as said;

use super::*;

fn config(json: &str) -> McpServerConfig {
    serde_json::from_str(json).unwrap()
}

fn error(entry: &str, json: &str) -> String {
    said(&config(json).check(entry).unwrap_err().saying())
}

#[test]
fn entry_of_each_kind_is_accepted() {
    for json in [
        r#"{"command": "npx", "args": ["-y", "x"], "env": {"A": "b", "K": {"secret_env": "MY_K"}}, "cwd": "/"}"#,
        r#"{"url": "http://localhost:3001/mcp", "headers": {"authorization": {"secret_file": "/run/key", "prefix": "Bearer "}}}"#,
        r#"{"command": "x", "inherit": [], "tools": {"t": {"kind": "query", "effect": "read", "enabled": false}}}"#,
        r#"{"command": "x", "handshake": "initialize", "allow": ["a"], "deny": ["b"], "result_max_bytes": 10}"#,
    ] {
        let config = config(json);
        config.check("x").unwrap();
        let again: McpServerConfig = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
        assert_eq!(again, config);
    }
}

#[test]
fn invalid_entry_names_key_value_and_fix() {
    let check = |json: &str, expected: &str| assert_eq!(error("x", json), expected, "{json}");
    check(
        "{}",
        "mcp.x.command: is missing, and url is too; add command = \"npx\" with args = […], or url = \"https://host/mcp\"",
    );
    check(r#"{"command": "a", "url": "b"}"#, "mcp.x.url: is set together with command; keep one of them");
    check(
        r#"{"url": "ftp://h/"}"#,
        "mcp.x.url: “ftp://h/” is neither http nor https; write it like https://host/mcp",
    );
    check(
        r#"{"url": "https://u:p@h/"}"#,
        "mcp.x.url: contains a user name or a password; put them in headers as a secret",
    );
    check(
        r#"{"url": "https://h/", "args": ["a"]}"#,
        "mcp.x.args: is only for a server with command; remove it",
    );
    check(
        r#"{"url": "https://h/", "headers": {"Mcp-Session-Id": "1"}}"#,
        "mcp.x.headers.Mcp-Session-Id: is set by the protocol itself; remove it",
    );
    check(
        r#"{"command": "a", "env": {"K": {"prefix": "x"}}}"#,
        "mcp.x.env.K: must name one place; set one of secret_env and secret_file",
    );
    check(
        r#"{"command": "a", "start_timeout_seconds": 0}"#,
        "mcp.x.start_timeout_seconds: 0 is too small; use 1 or more, or remove it",
    );
    check(
        r#"{"command": "a", "restart_min_seconds": 90}"#,
        "mcp.x.restart_min_seconds: 90 is more than restart_max_seconds; make it smaller",
    );
    check(
        r#"{"command": "a", "tools": {"t": {"kind": "query", "effect": "once"}}}"#,
        "mcp.x.tools.t.effect: is set together with kind = \"query\"; use read, or remove it",
    );
    check(
        r#"{"command": "a", "tools": {"t": {"effect": "read", "destructive": true}}}"#,
        "mcp.x.tools.t.destructive: a query cannot be destructive; set kind = \"action\"",
    );
    check(
        r#"{"command": "a", "tools": {"t": {"validation": false, "egress": true}}}"#,
        "mcp.x.tools.t.validation: is false, but destructive and egress tools always need approval; remove one of them",
    );
    check(
        r#"{"command": "a", "tools": {"t": {"approvers": ["person:ann"], "quorum": 2}}}"#,
        "mcp.x.tools.t.quorum: is 2, but only 1 may approve; name more people in approvers, or lower it",
    );
}

#[test]
fn server_name_must_fit_into_command_name() {
    for name in ["", "Fs", "a.b", "1a", "é", &"x".repeat(33)] {
        assert!(error(name, r#"{"command": "a"}"#).contains("is not a valid server name"), "{name}");
    }
}

#[test]
fn pasted_secret_is_not_repeated_in_fault() {
    let said = error("x", r#"{"command": "a", "env": {"K": {"secret_env": "sk-ant-123"}}}"#);
    assert_eq!(
        said,
        "mcp.x.env.K.secret_env: is not a valid variable name; export NAME=… and write NAME here, never the secret"
    );
}

#[test]
fn unknown_keys_and_types_are_refused() {
    let parse = |json: &str| serde_json::from_str::<McpServerConfig>(json).unwrap_err().to_string();
    assert!(parse(r#"{"comand": "a"}"#).contains("unknown field `comand`"));
    assert!(parse(r#"{"env": {"A": {"secret": "B"}}}"#).contains("{ secret_env = \"NAME\" }"));
    assert!(parse(r#"{"tools": {"t": {"effect": "probe"}}}"#).contains("unknown variant `probe`"));
}

#[test]
fn allow_lists_and_switches_select_tools() {
    let config = config(r#"{"allow": ["a", "b", "c"], "deny": ["b"], "tools": {"c": {"enabled": false}}}"#);
    assert_eq!(["a", "b", "c", "d"].map(|tool| config.offers(tool)), [true, false, false, false]);
}

#[test]
fn patterns_select_and_set_tools() {
    let config = config(
        r#"{"allow": ["list_*", "read"], "deny": ["list_secret*"], "tools": {
            "*": {"timeout_seconds": 9, "validation": true},
            "list_*": {"validation": false},
            "list_all": {"timeout_seconds": 3}}}"#,
    );
    let tools = ["list_all", "list_secrets", "read", "write"];
    assert_eq!(tools.map(|tool| config.offers(tool)), [true, false, true, false]);
    let set = |tool: &str| {
        let known = config.tool(tool);
        (known.validation, known.timeout_seconds)
    };
    assert_eq!(set("list_all"), (Some(false), Some(3)), "each key has its longest match");
    assert_eq!(set("list_some"), (Some(false), Some(9)));
    assert_eq!(set("read"), (Some(true), Some(9)));
}

#[test]
fn first_start_of_downloader_has_its_own_limit() {
    let limits = |json: &str| {
        let config = config(json);
        [true, false].map(|is_first| config.start_limit(is_first).as_secs())
    };
    for command in ["npx", "/usr/bin/uvx", "docker"] {
        assert_eq!(limits(&format!(r#"{{"command": "{command}"}}"#)), [120, 10], "{command}");
    }
    assert_eq!(limits(r#"{"command": "node"}"#), [10, 10]);
    assert_eq!(limits(r#"{"url": "https://h/npx"}"#), [10, 10]);
    // What is configured counts.
    assert_eq!(limits(r#"{"command": "npx", "start_timeout_seconds": 20}"#), [20, 20]);
    assert_eq!(
        limits(r#"{"command": "npx", "start_timeout_seconds": 20, "first_start_timeout_seconds": 90}"#),
        [90, 20]
    );
}
