//! `@modelcontextprotocol/server-filesystem`: reads and writes.

use entracte_application::ports::CommandExecutor as _;
use entracte_domain::command::{CommandKind, EffectClass};
use serde_json::json;

use crate::server_fixture::{
    McpServerFixture, command_names, installed, no_rows, node, request_at, run_and_format,
};

/// A folder that the server may use, and the server's configuration.
fn stage() -> (McpServerFixture, entracte_adapters_commands::mcp::McpServerConfig, String) {
    let stage = McpServerFixture::new();
    // The server compares real paths, and the folder for temporary files may be a link.
    let folder = std::fs::canonicalize(stage.folder.path()).unwrap().join("data");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("a.txt"), "hello").unwrap();
    let folder = folder.display().to_string();
    let config = node(&[&installed("server-filesystem"), &folder]);
    (stage, config, folder)
}

#[tokio::test]
async fn tools_become_commands_with_kind_effect_and_flags() {
    let (stage, config, _) = stage();
    let executor = stage.connected_executor(config).await;
    let specs = executor.commands();
    let of = |name: &str| {
        let spec = specs.iter().find(|spec| spec.name == name).unwrap();
        (spec.word.clone(), spec.kind, spec.effect, spec.destructive, spec.egress)
    };
    let read = ("S_READ_TEXT_FILE".to_owned(), CommandKind::Query, EffectClass::Read, false, false);
    assert_eq!(of("s.read_text_file"), read);
    // Idempotent by its hint, but an overwrite: repeating it could undo a change in between.
    let write = ("S_WRITE_FILE".to_owned(), CommandKind::Action, EffectClass::Once, true, false);
    assert_eq!(of("s.write_file"), write);
    let mkdir = ("S_CREATE_DIRECTORY".to_owned(), CommandKind::Action, EffectClass::Idempotent, false, false);
    assert_eq!(of("s.create_directory"), mkdir);
    assert_eq!(of("s.move_file").2, EffectClass::Once);
    entracte_application::commands::Catalog::new(&[executor]).unwrap();
}

#[tokio::test]
async fn server_reads_writes_and_reports_errors() {
    let (stage, config, folder) = stage();
    let executor = stage.connected_executor(config).await;
    let file = |name: &str| format!("{folder}/{name}");
    assert_eq!(run_and_format(&executor, "s.read_text_file", json!({"path": file("a.txt")})).await, "hello");
    let listed = run_and_format(&executor, "s.list_directory", json!({"path": folder})).await;
    assert_eq!(listed, "[FILE] a.txt");
    let written =
        run_and_format(&executor, "s.write_file", json!({"path": file("b.txt"), "content": "72.50"})).await;
    assert!(written.contains("Successfully wrote"), "{written}");
    assert_eq!(std::fs::read_to_string(file("b.txt")).unwrap(), "72.50");
    let outside = run_and_format(&executor, "s.read_text_file", json!({"path": "/etc/passwd"})).await;
    assert!(outside.starts_with("TOOL_ERROR: Access denied"), "{outside}");
    let missing = run_and_format(&executor, "s.read_text_file", json!({"path": file("none.txt")})).await;
    assert!(missing.starts_with("TOOL_ERROR: ENOENT"), "{missing}");
    assert_eq!(
        run_and_format(&executor, "s.nonsense", json!({})).await,
        "UNKNOWN_COMMAND: there is no command “s.nonsense” here"
    );
}

#[tokio::test]
async fn description_shows_server_tool_and_arguments() {
    let (stage, config, folder) = stage();
    let executor = stage.connected_executor(config).await;
    let request = request_at(0, "s.write_file", json!({"path": folder, "content": "two\nlines"}));
    let said = executor.describe(request, no_rows()).await.unwrap();
    assert_eq!(said.says, "Run the tool “write_file” of the MCP server “s”");
    let fields = [("path", folder.as_str()), ("content", "two\nlines")];
    let mut after: Vec<(&str, &str)> = said.after.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    after.sort_by_key(|(name, _)| std::cmp::Reverse(*name));
    assert_eq!(after, fields);
    assert_eq!(said.warnings, ["its server says that it may overwrite or delete data"]);
}

#[tokio::test]
async fn configured_lists_and_switches_win() {
    let (stage, config, _) = stage();
    let mut config = config;
    config.allow = Some(vec!["read_text_file".into(), "write_file".into(), "move_file".into()]);
    config.deny = vec!["move_file".into()];
    config.tools.insert("write_file".into(), serde_json::from_value(json!({"validation": false})).unwrap());
    let executor = stage.connected_executor(config).await;
    assert_eq!(command_names(&executor), ["s.read_text_file", "s.write_file"]);
    let specs = executor.commands();
    assert!(specs.iter().all(|spec| !spec.destructive && !spec.egress));
    assert!(run_and_format(&executor, "s.move_file", json!({})).await.starts_with("UNKNOWN_COMMAND"));
}
