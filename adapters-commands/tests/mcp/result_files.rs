//! Images in the results of tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_adapters_commands::mcp::McpToolChoice;
use entracte_adapters_commands::{McpExecutor, ResultFiles};
use entracte_application::ports::{MockFileStore, MockImageConverter};
use entracte_application::settings::FileSettings;
use entracte_domain::call::CallOutcome;
use entracte_domain::file::PixelDimensions;
use entracte_domain::time::Timestamp;
use serde_json::json;

use crate::server_fixture::{
    McpServerFixture, english, format_outcome, installed, node, run, run_and_format, tool,
};

/// A store that takes one file of the session.
fn files() -> ResultFiles {
    let mut store = MockFileStore::new();
    store.expect_session_files().returning(|_, _| Ok(BTreeMap::new()));
    store.expect_delete_unnamed_files().returning(|_, _| Ok(0));
    store.expect_unnamed_file_bytes().returning(|_| Ok(0));
    store.expect_put_file().times(1).returning(|workspace, row, _| {
        assert_eq!((workspace.as_str(), row.author.as_str()), ("user:main", "cal_x_1_0"));
        Ok(())
    });
    ResultFiles {
        store: Arc::new(store),
        images: Arc::new(MockImageConverter::new()),
        limits: FileSettings::default(),
    }
}

/// Input: a tool that answers with a text and an image; expected: a file of the session's workspace behind the text. A failed
/// call has text alone.
#[tokio::test]
async fn image_of_result_is_a_file() {
    let stage = McpServerFixture::new();
    stage.set_server_tools(&[tool("shot", "Takes a picture.")]);
    let executor = stage.executor_with_files(stage.scripted_server_config("2025-11-25"), files());
    assert_eq!(executor.connect_unmet(Timestamp(0)).await, []);
    let CallOutcome::Succeeded { content, files, .. } = run(&executor, "s.shot", json!({})).await else {
        panic!("the call succeeds");
    };
    assert_eq!(content, "taken\n[image image/gif, 37 bytes]");
    let [file] = &files[..] else { panic!("{files:?}") };
    assert_eq!((file.name.as_str(), file.media_type.as_str(), file.bytes), ("file.gif", "image/gif", 37));
    let failed = run_and_format(&executor, "s.shot", json!({"fails": true})).await;
    assert_eq!(failed, "TOOL_ERROR: taken\n[image image/gif, 37 bytes]");
}

/// Input: a tool that answers with a link to an image; expected: nothing is read for it. The query that reads the link asks a
/// person until a person or a rule says otherwise, and then the image is a file like one in the result itself.
#[tokio::test]
async fn linked_image_is_read_only_when_allowed() {
    let stage = McpServerFixture::new();
    stage.set_server_tools(&[tool("link", "Links a picture.")]);
    let mut config = stage.scripted_server_config("2025-11-25");
    config.env.insert("PEER_CONTENT".into(), "resources".into());
    let executor = stage.executor_with_files(config, files());
    assert_eq!(executor.connect_unmet(Timestamp(0)).await, []);
    let linked = run(&executor, "s.link", json!({})).await;
    assert!(matches!(&linked, CallOutcome::Succeeded { files, .. } if files.is_empty()), "{linked:?}");
    assert_eq!(format_outcome(&linked), "[link to the resource memo://photo.gif “Photo”, image/gif]");
    assert!(!stage.log().contains(&"resources/read".to_owned()));

    let asks = |executor: &McpExecutor| {
        let mut tools = executor.tools(english()).unwrap().into_iter();
        tools.find(|tool| tool.tool == "read_resource").unwrap().rule.unwrap().asks
    };
    assert!(asks(&executor));
    executor.decide("s", McpToolChoice::Trust, &[]).unwrap();
    assert!(!asks(&executor));
    let read = run(&executor, "s.read_resource", json!({"uri": "memo://photo.gif"})).await;
    let CallOutcome::Succeeded { content, files, .. } = read else { panic!("{read:?}") };
    assert_eq!(content, "[resource memo://photo.gif, image/gif, 37 bytes]");
    let [file] = &files[..] else { panic!("{files:?}") };
    assert_eq!((file.name.as_str(), file.media_type.as_str(), file.bytes), ("photo.gif", "image/gif", 37));
}

/// Input: the image tool of a real server, whose PNG has EXIF and XMP; expected: its image as a file, with its dimensions.
#[tokio::test]
async fn image_of_everything_server_is_a_file() {
    let stage = McpServerFixture::new();
    let executor = stage.executor_with_files(node(&[&installed("server-everything")]), files());
    assert_eq!(executor.connect_unmet(Timestamp(0)).await, []);
    let CallOutcome::Succeeded { content, files, .. } = run(&executor, "s.get-tiny-image", json!({})).await
    else {
        panic!("the call succeeds");
    };
    assert!(content.contains("MCP logo"), "{content}");
    let [file] = &files[..] else { panic!("{files:?}") };
    assert_eq!(file.media_type, "image/png");
    assert_eq!(file.dimensions, Some(PixelDimensions { width: 20, height: 20 }));
}
