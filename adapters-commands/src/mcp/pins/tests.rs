use serde_json::json;

use super::*;
use crate::mcp::declaration::McpToolAnnotations;

fn tool(name: &str, description: &str) -> McpToolDeclaration {
    McpToolDeclaration {
        name: name.to_owned(),
        title: None,
        description: Some(description.to_owned()),
        schema: json!({"type": "object"}),
        annotations: McpToolAnnotations::default(),
    }
}

fn offers<const N: usize>(whole: [McpToolDeclaration; N]) -> ToolOfferList {
    ToolOfferList { whole: whole.into(), ..ToolOfferList::default() }
}

/// Each tool of the server `s`: its name, its accepted and offered declarations, and whether it is gone.
fn seen(pins: &PinFile) -> Vec<String> {
    let text = |pin: &Option<DeclarationPin>| {
        let said = pin.as_ref().and_then(|pin| pin.declaration.description.clone());
        said.unwrap_or_else(|| "-".to_owned())
    };
    let tools = pins.server("s").map(|server| server.tools).unwrap_or_default();
    let line = |(name, known): (&String, &PinnedTool)| {
        let gone = if known.gone { " gone" } else { "" };
        format!("{name}: {} | {}{gone}", text(&known.accepted), text(&known.offered))
    };
    tools.iter().map(line).collect()
}

#[test]
fn first_listing_accepts_tools_and_later_changes_wait() {
    let folder = tempfile::tempdir().unwrap();
    let pins = PinFile::open(folder.path().join("pins.json")).unwrap();
    assert_eq!(pins.server("s"), None);
    pins.record("s", &offers([tool("a", "1"), tool("b", "1")])).unwrap();
    assert_eq!(seen(&pins), ["a: 1 | -", "b: 1 | -"]);
    pins.record("s", &offers([tool("a", "2"), tool("c", "1"), tool("c", "other")])).unwrap();
    assert_eq!(seen(&pins), ["a: 1 | 2", "b: 1 | - gone", "c: - | 1"]);
    // A withdrawn offer needs no decision.
    pins.record("s", &offers([tool("a", "1"), tool("b", "1")])).unwrap();
    assert_eq!(seen(&pins), ["a: 1 | -", "b: 1 | -"]);
}

#[test]
fn decision_holds_until_another_declaration_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let pins = PinFile::open(&path).unwrap();
    let decision = |pins: &PinFile| pins.tool("s", "a").unwrap().validation;
    let version = || -> serde_json::Value {
        let text = std::fs::read_to_string(&path).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["version"].clone()
    };
    pins.record("s", &offers([tool("a", "1"), tool("b", "1")])).unwrap();
    assert_eq!(version(), 1, "readable for earlier programs");
    pins.decide("s", &BTreeMap::from([("a".to_owned(), false)])).unwrap();
    assert_eq!((decision(&pins), version()), (Some(false), json!(3)));
    pins.record("s", &offers([tool("a", "2")])).unwrap();
    assert_eq!(decision(&PinFile::open(&path).unwrap()), Some(false), "the accepted one is as it was");
    pins.accept("s", "a", None).unwrap();
    assert_eq!(decision(&pins), None);
}

#[test]
fn server_without_tools_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let pins = PinFile::open(folder.path().join("pins.json")).unwrap();
    pins.record("s", &offers([])).unwrap();
    pins.record("s", &offers([tool("a", "1")])).unwrap();
    assert_eq!(seen(&pins), ["a: - | 1"]);
}

#[test]
fn folder_is_created_at_first_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/pins.json");
    let pins = PinFile::open(&path).unwrap();
    assert!(!path.parent().unwrap().exists(), "looking writes nothing");
    pins.record("s", &offers([tool("a", "1")])).unwrap();
    assert_eq!(seen(&PinFile::open(&path).unwrap()), ["a: 1 | -"]);
}

#[test]
fn accept_requires_reviewed_declaration() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let pins = PinFile::open(&path).unwrap();
    pins.record("s", &offers([tool("a", "1")])).unwrap();
    pins.record("s", &offers([tool("a", "2")])).unwrap();
    let said = |outcome: Result<(), PinAcceptError>| outcome.unwrap_err().to_string();
    let other = tool("a", "3").hash();
    assert!(said(pins.accept("s", "a", Some(&other))).contains("changed again"));
    pins.accept("s", "a", Some(&tool("a", "2").hash())).unwrap();
    assert_eq!(seen(&pins), ["a: 2 | -"]);
    assert!(said(pins.accept("s", "a", None)).contains("already accepted"));
    assert!(said(pins.accept("s", "x", None)).contains("s.x is not known"));
    // Another process, or the next one, reads the same.
    assert_eq!(seen(&PinFile::open(&path).unwrap()), ["a: 2 | -"]);
}

#[test]
fn concurrent_writers_keep_all_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let (one, other) = (PinFile::open(&path).unwrap(), PinFile::open(&path).unwrap());
    one.record("s", &offers([tool("a", "1")])).unwrap();
    other.record("t", &offers([tool("b", "1")])).unwrap();
    one.reload().unwrap();
    assert!(one.server("t").is_some());
    assert_eq!(seen(&other), ["a: 1 | -"]);
}

#[test]
fn damaged_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let error = |text: &str| {
        std::fs::write(&path, text).unwrap();
        PinFile::open(&path).unwrap_err().to_string().replace(&path.display().to_string(), "P")
    };
    assert!(error("{").starts_with("the file of accepted MCP tools P is damaged: EOF"));
    assert!(error("{}").contains("P is damaged: it has no version"));
    assert!(
        error(r#"{"version": 7, "servers": {}}"#)
            .contains("P has version 7, but this program reads versions up to 3")
    );
    assert!(error(r#"{"version": 1, "servers": {}, "x": 1}"#).contains("unknown field `x`"));

    std::fs::remove_file(&path).unwrap();
    PinFile::open(&path).unwrap().record("s", &offers([tool("a", "harmless")])).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(error(&text.replace("harmless", "harmful")).contains("the hash of s.a does not match"));
}

#[test]
fn oversized_tool_keeps_only_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let pins = PinFile::open(&path).unwrap();
    pins.record("s", &offers([tool("a", "1"), tool("b", "1")])).unwrap();
    let text = || std::fs::read_to_string(&path).unwrap();
    assert!(text().contains(r#""version": 1"#), "earlier programs read a file without refused tools");
    let refused = BTreeMap::from([("a".to_owned(), ToolSizeExcess::Declaration { bytes_max: 9 })]);
    pins.record("s", &ToolOfferList { whole: vec![tool("b", "1")], refused }).unwrap();
    assert!(text().contains(r#""refused""#) && text().contains(r#""version": 2"#));
    assert_eq!(
        pins.accept("s", "a", None).unwrap_err().to_string(),
        "the tool s.a cannot be accepted: its declaration has more than 9 bytes (declaration_max_bytes)"
    );
    // The declaration is the accepted one again.
    pins.record("s", &offers([tool("a", "1"), tool("b", "1")])).unwrap();
    assert_eq!(seen(&pins), ["a: 1 | -", "b: 1 | -"]);
    assert!(text().contains(r#""version": 1"#));
}
