use serde_json::json;

use super::*;
use crate::mcp::declaration::McpToolAnnotations;

fn tool(name: &str, description: &str) -> McpToolDeclaration {
    McpToolDeclaration {
        name: name.to_owned(),
        title: None,
        description: Some(description.to_owned()),
        schema: json!({"type": "object"}).into(),
        annotations: McpToolAnnotations::default(),
    }
}

fn offers<const N: usize>(whole: [McpToolDeclaration; N]) -> ToolOfferList {
    ToolOfferList { whole: whole.into(), ..ToolOfferList::default() }
}

/// A server at its usual destination.
fn key(server: &str) -> PinKey {
    PinKey { server: server.to_owned(), destination: Digest::new("here") }
}

/// Each tool of the server `s`: its name, its accepted and offered declarations, and whether it is gone.
fn seen(pins: &PinFile) -> Vec<String> {
    let text = |pin: &Option<DeclarationPin>| {
        let said = pin.as_ref().and_then(|pin| pin.declaration.description.clone());
        said.unwrap_or_else(|| "-".to_owned())
    };
    let tools = pins.server(&key("s")).map(|server| server.tools).unwrap_or_default();
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
    assert_eq!(pins.server(&key("s")), None);
    pins.record(&key("s"), &offers([tool("a", "1"), tool("b", "1")])).unwrap();
    assert_eq!(seen(&pins), ["a: 1 | -", "b: 1 | -"]);
    pins.record(&key("s"), &offers([tool("a", "2"), tool("c", "1"), tool("c", "other")])).unwrap();
    assert_eq!(seen(&pins), ["a: 1 | 2", "b: 1 | - gone", "c: - | 1"]);
    // A withdrawn offer needs no decision.
    pins.record(&key("s"), &offers([tool("a", "1"), tool("b", "1")])).unwrap();
    assert_eq!(seen(&pins), ["a: 1 | -", "b: 1 | -"]);
}

#[test]
fn decision_holds_until_another_declaration_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let pins = PinFile::open(&path).unwrap();
    let decision = |pins: &PinFile| pins.tool(&key("s"), "a").unwrap().validation;
    pins.record(&key("s"), &offers([tool("a", "1"), tool("b", "1")])).unwrap();
    pins.decide(&key("s"), &BTreeMap::from([("a".to_owned(), false)])).unwrap();
    assert_eq!(decision(&pins), Some(false));
    pins.record(&key("s"), &offers([tool("a", "2")])).unwrap();
    assert_eq!(decision(&PinFile::open(&path).unwrap()), Some(false), "the accepted one is as it was");
    pins.accept(&key("s"), "a", None).unwrap();
    assert_eq!(decision(&pins), None);
}

#[test]
fn server_without_tools_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let pins = PinFile::open(folder.path().join("pins.json")).unwrap();
    pins.record(&key("s"), &offers([])).unwrap();
    pins.record(&key("s"), &offers([tool("a", "1")])).unwrap();
    assert_eq!(seen(&pins), ["a: - | 1"]);
}

#[test]
fn folder_is_created_at_first_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/pins.json");
    let pins = PinFile::open(&path).unwrap();
    assert!(!path.parent().unwrap().exists(), "looking writes nothing");
    pins.record(&key("s"), &offers([tool("a", "1")])).unwrap();
    assert_eq!(seen(&PinFile::open(&path).unwrap()), ["a: 1 | -"]);
}

#[test]
fn accept_requires_reviewed_declaration() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let pins = PinFile::open(&path).unwrap();
    pins.record(&key("s"), &offers([tool("a", "1")])).unwrap();
    pins.record(&key("s"), &offers([tool("a", "2")])).unwrap();
    let said = |outcome: Result<(), PinAcceptError>| outcome.unwrap_err().to_string();
    let other = tool("a", "3").hash();
    assert!(said(pins.accept(&key("s"), "a", Some(&other))).contains("changed again"));
    pins.accept(&key("s"), "a", Some(&tool("a", "2").hash())).unwrap();
    assert_eq!(seen(&pins), ["a: 2 | -"]);
    assert!(said(pins.accept(&key("s"), "a", None)).contains("already accepted"));
    assert!(said(pins.accept(&key("s"), "x", None)).contains("s.x is not known"));
    // Another process, or the next one, reads the same.
    assert_eq!(seen(&PinFile::open(&path).unwrap()), ["a: 2 | -"]);
}

#[test]
fn concurrent_writers_keep_all_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let (one, other) = (PinFile::open(&path).unwrap(), PinFile::open(&path).unwrap());
    one.record(&key("s"), &offers([tool("a", "1")])).unwrap();
    other.record(&key("t"), &offers([tool("b", "1")])).unwrap();
    one.reload().unwrap();
    assert!(one.server(&key("t")).is_some());
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
            .contains("P has version 7, but this program reads versions up to 4")
    );
    assert!(error(r#"{"version": 1, "servers": {}, "x": 1}"#).contains("unknown field `x`"));

    std::fs::remove_file(&path).unwrap();
    PinFile::open(&path).unwrap().record(&key("s"), &offers([tool("a", "harmless")])).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(error(&text.replace("harmless", "harmful")).contains("the hash of s.a does not match"));
}

#[test]
fn oversized_tool_keeps_only_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let pins = PinFile::open(&path).unwrap();
    pins.record(&key("s"), &offers([tool("a", "1"), tool("b", "1")])).unwrap();
    let text = || std::fs::read_to_string(&path).unwrap();
    let refused = BTreeMap::from([("a".to_owned(), ToolSizeExcess::Declaration { bytes_max: 9 })]);
    pins.record(&key("s"), &ToolOfferList { whole: vec![tool("b", "1")], refused }).unwrap();
    assert!(text().contains(r#""refused""#));
    assert_eq!(
        pins.accept(&key("s"), "a", None).unwrap_err().to_string(),
        "the tool s.a cannot be accepted: its declaration has more than 9 bytes (declaration_max_bytes)"
    );
    // The declaration is the accepted one again.
    pins.record(&key("s"), &offers([tool("a", "1"), tool("b", "1")])).unwrap();
    assert_eq!(seen(&pins), ["a: 1 | -", "b: 1 | -"]);
}

/// Input: a server of which tools were accepted and decided about, then another destination of its name, and a removal; expected:
/// nothing of the former counts for the latter, and nothing is left after the removal.
#[test]
fn another_destination_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let pins = PinFile::open(folder.path().join("pins.json")).unwrap();
    let other = PinKey { destination: Digest::new("there"), ..key("s") };
    pins.record(&key("s"), &offers([tool("a", "1")])).unwrap();
    pins.decide(&key("s"), &BTreeMap::from([("a".to_owned(), false)])).unwrap();
    assert_eq!((pins.server(&other), pins.tool(&other, "a")), (None, None));
    assert!(matches!(pins.accept(&other, "a", None), Err(PinAcceptError::Unknown(_))));
    pins.record(&other, &offers([tool("a", "2")])).unwrap();
    let known = pins.tool(&other, "a").unwrap();
    assert_eq!((known.accepted, known.validation), (Some(tool("a", "2").into()), None));
    assert_eq!(pins.server(&key("s")), None);
    pins.forget("s").unwrap();
    assert_eq!(pins.server(&other), None);
}

/// Input: a file of an earlier program, which names no destination; expected: its decisions count, and the destination of the
/// next listing is the one that they count for.
#[test]
fn earlier_file_gets_its_destination_at_next_listing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let pin = DeclarationPin::from(tool("a", "1"));
    let earlier = json!({
        "version": 3, "servers": { "s": { "tools": { "a": { "accepted": pin, "validation": false } } } },
    });
    std::fs::write(&path, earlier.to_string()).unwrap();
    let pins = PinFile::open(&path).unwrap();
    let other = PinKey { destination: Digest::new("there"), ..key("s") };
    assert_eq!(pins.tool(&key("s"), "a").unwrap().validation, Some(false));
    pins.record(&key("s"), &offers([tool("a", "1")])).unwrap();
    assert_eq!(pins.tool(&key("s"), "a").unwrap().validation, Some(false));
    assert_eq!(pins.server(&other), None);
}
