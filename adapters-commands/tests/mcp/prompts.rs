//! The prompts of servers, and everything that a server offers beside tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_adapters_commands::McpExecutor;
use serde_json::json;

use crate::server_fixture::{McpServerFixture, english, installed, node, run_and_format};

/// A server of this generation with prompts.
async fn scripted(protocol: &str) -> (McpServerFixture, Arc<McpExecutor>) {
    let stage = McpServerFixture::new();
    let mut config = stage.scripted_server_config(protocol);
    config.env.insert("PEER_CONTENT".into(), "prompts".into());
    let executor = stage.connected_executor(config).await;
    (stage, executor)
}

/// Fetches a prompt; the error as a person reads it.
async fn fetch(executor: &McpExecutor, prompt: &str, arguments: &[(&str, &str)]) -> Result<String, String> {
    let arguments: BTreeMap<String, String> =
        arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    executor.prompt("s", prompt, &arguments, english()).await.map_err(|error| error.message(english()))
}

#[tokio::test]
async fn prompts_and_resources_work() {
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(node(&[&installed("server-everything"), "stdio"])).await;
    let list = run_and_format(&executor, "s.list_resources", json!({})).await;
    assert!(list.contains("[resources demo://resource/dynamic/text/{resourceId} "), "{list}");
    let uri = "demo://resource/dynamic/text/1";
    let read = run_and_format(&executor, "s.read_resource", json!({"uri": uri})).await;
    assert!(read.starts_with(&format!("[resource {uri}, text/plain, ")), "{read}");

    let prompts = executor.prompts("s").await.unwrap();
    let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert!(names.contains(&"simple-prompt") && names.contains(&"args-prompt"), "{names:?}");
    assert_eq!(
        fetch(&executor, "simple-prompt", &[]).await.unwrap(),
        "This is a simple prompt without arguments."
    );
    let said = fetch(&executor, "args-prompt", &[]).await.unwrap_err();
    assert!(said.starts_with("the argument “city” is missing; write city=VALUE"), "{said}");
    let text = fetch(&executor, "args-prompt", &[("city", "Paris")]).await.unwrap();
    assert!(text.contains("Paris"), "{text}");
    executor.close().await;
}

#[tokio::test]
async fn prompt_needs_its_arguments() {
    for protocol in ["2025-06-18", "2026-07-28"] {
        let (_stage, executor) = scripted(protocol).await;
        let prompts = executor.prompts("s").await.unwrap();
        let letter = &prompts[0];
        assert_eq!(
            (letter.name.as_str(), letter.description.as_deref()),
            ("letter", Some("Writes a letter."))
        );
        let arguments = letter.arguments.iter().map(|argument| (argument.name.as_str(), argument.required));
        assert_eq!(arguments.collect::<Vec<_>>(), [("to", true), ("tone", false)]);

        // What is sent is what was shown, so invisible characters are visible in both.
        assert_eq!(fetch(&executor, "letter", &[("to", "Ann")]).await.unwrap(), "Write to Ann.⟨U+200B⟩");
        assert_eq!(
            fetch(&executor, "letter", &[("tone", "warm")]).await.unwrap_err(),
            "the argument “to” is missing; write to=VALUE. The server proposes: to Ann, Bob"
        );
        assert_eq!(
            fetch(&executor, "letter", &[("to", "Ann"), ("tome", "warm")]).await.unwrap_err(),
            "the prompt has no argument “tome”; it has: to, tone"
        );
        assert_eq!(fetch(&executor, "talk", &[]).await.unwrap(), "user:\nHello.\n\nassistant:\nHi.");
        assert_eq!(
            fetch(&executor, "long", &[]).await.unwrap_err(),
            "the text of the prompt has more than 65536 bytes"
        );
        assert_eq!(fetch(&executor, "none", &[]).await.unwrap_err(), "the MCP server s has no prompt “none”");
        executor.close().await;
    }
    let (_stage, executor) = scripted("2026-07-28").await;
    let said = fetch(&executor, "asks", &[]).await.unwrap_err();
    assert!(said.starts_with("the MCP server s wants input before it gives the prompt"), "{said}");
    executor.close().await;
}

#[tokio::test]
async fn server_without_prompts_is_not_asked() {
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(stage.scripted_server_config("2025-11-25")).await;
    assert_eq!(executor.prompts("s").await.unwrap(), []);
    assert!(!stage.log().contains(&"prompts/list".to_owned()));
    let unknown = executor.prompts("other").await.unwrap_err();
    assert!(unknown.message(english()).contains("it is not in the configuration"), "{unknown:?}");
    executor.close().await;
}
