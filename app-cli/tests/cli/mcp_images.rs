//! Images of real MCP servers, from their tools to the request of the model that asked for them.

use std::io::Read as _;
use std::path::Path;

use flate2::read::ZlibDecoder;
use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::files::{installed, node};
use crate::http_stub::{HttpStubAnswer, http_stub};
use crate::mcp_clients::from_world;
use crate::scripted_model::ScriptedModel;

fn asks(word: &str, params: &Value) -> Value {
    json!({ "pre_text": "I look.", "queries": [{ "type": word, "params": params }] })
}

/// The chunks of a PNG, each with its kind.
fn png_chunks(png: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut rest = png.strip_prefix(b"\x89PNG\r\n\x1a\n").unwrap();
    let mut chunks = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let (kind, after) = after.split_at(4);
        let (data, after) = after.split_at(u32::from_be_bytes(*length) as usize);
        chunks.push((kind, data));
        rest = &after[4..];
    }
    chunks
}

/// Sends a message, checks that the last request is rebuilt with its images, and returns those.
fn images_after_message(model: &ScriptedModel, stage: &CliFixture) -> Vec<(String, Vec<u8>)> {
    let turn = stage.run(&["--json", "chat", "--message", "Look."]).expect(0).json();
    let session = turn["session"].as_str().unwrap();
    let journal = stage.run(&["session", "journal", session]).expect(0).out;
    let call = journal.split_whitespace().rfind(|word| word.starts_with("mc_")).unwrap();
    let call = call.trim_end_matches([',', ')', ';', ':']);
    let prompt = stage.run(&["--json", "session", "prompt", call]).expect(0).json();
    assert_eq!(prompt["verdict"], "matches", "{prompt}");
    stage.run(&["session", "verify", "--all"]).expect(0);
    model.last_images()
}

/// Input: the image tool of the reference server, whose PNG has EXIF and XMP; expected: the model gets the PNG with its 20 by
/// 20 pixels, and nothing else that it says.
#[test]
fn image_of_everything_server_reaches_the_model() {
    let turns = vec![asks("EVERY_GET_TINY_IMAGE", &json!({})), json!({ "pre_text": "A logo." })];
    let model = ScriptedModel::start(turns);
    let script = installed("server-everything");
    let stage = model.stage(true, &format!("[mcp.every]\ncommand = {:?}\nargs = [{script:?}]\n", node()));
    let images = images_after_message(&model, &stage);
    let [(media_type, png)] = &images[..] else { panic!("{images:?}") };
    assert_eq!(media_type, "image/png");
    let chunks = png_chunks(png);
    assert_eq!((chunks[0].0, &chunks[0].1[..8]), (&b"IHDR"[..], &[0, 0, 0, 20, 0, 0, 0, 20][..]));
    assert!(!chunks.iter().any(|(kind, _)| matches!(*kind, b"eXIf" | b"iTXt" | b"tEXt")), "{chunks:?}");
}

/// Input: a real browser behind a real MCP server, a page of this machine whose ground is red, and a model that opens it and
/// takes a picture; expected: the model gets a PNG whose first pixel is red. `.ci/world mcp` installs both.
#[test]
fn screenshot_of_a_browser_reaches_the_model() {
    let Some(modules) = from_world("ENTRACTE_TEST_MCP_WORLD") else { return };
    let Some(browser) = from_world("ENTRACTE_TEST_BROWSER") else { return };
    let page = http_stub("127.0.0.1:0", |_| HttpStubAnswer {
        status: 200,
        headers: "content-type: text/html\r\n".to_owned(),
        body: "<html><body style=\"background: #ff0000\"></body></html>".to_owned(),
    });
    let model = ScriptedModel::start(vec![
        asks("WEB_BROWSER_NAVIGATE", &json!({ "url": page })),
        asks("WEB_BROWSER_TAKE_SCREENSHOT", &json!({ "type": "png" })),
        json!({ "pre_text": "A red page." }),
    ]);
    let home = tempfile::tempdir().unwrap();
    let server = Path::new(&modules).join("node_modules/.bin/playwright-mcp");
    // The model asks for both as queries, about which nobody is asked.
    let entry = format!(
        "[mcp.web]\ncommand = {:?}\nstart_timeout_seconds = 60\nenv = {{ HOME = {:?} }}\n\
         args = [{server:?}, \"--headless\", \"--isolated\", \"--no-sandbox\", \"--executable-path\", {browser:?}]\n\
         [mcp.web.tools.\"*\"]\nkind = \"query\"\neffect = \"read\"\nvalidation = false\negress = false\n",
        node(),
        home.path()
    );
    let stage = model.stage(true, &entry);
    let images = images_after_message(&model, &stage);
    let [(media_type, png)] = &images[..] else { panic!("{images:?}") };
    assert_eq!(media_type, "image/png");
    let pixels: Vec<u8> = png_chunks(png)
        .into_iter()
        .filter(|(kind, _)| *kind == b"IDAT")
        .flat_map(|(_, data)| data.to_vec())
        .collect();
    let mut first = [0; 4];
    ZlibDecoder::new(&pixels[..]).read_exact(&mut first).unwrap();
    // Every filter leaves the first pixel of the first row as it is.
    assert_eq!(first[1..], [0xff, 0, 0]);
}
