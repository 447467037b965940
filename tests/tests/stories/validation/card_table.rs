//! The table of changes between a card and its decision, with their outcomes.

use serde_json::{Value as Json, json};

use super::card_fixture::{
    ApprovalCardChange, ApprovalCardFixture, ApprovalCommandFactory, StaleApprovalOutcome,
};

pub(crate) fn entries_of(scene: &ApprovalCardFixture) -> Json {
    json!({ "tool_id": scene.tool, "entries": [{ "timestamp": "2026-11-20T08:00:00Z", "data": { "value": 72 } }] })
}

pub(crate) fn sends(_: &ApprovalCardFixture) -> (&'static str, Json) {
    ("NOTES_SEND", json!({ "book": "trip", "text": "We leave at nine." }))
}

pub(crate) fn adds(_: &ApprovalCardFixture) -> (&'static str, Json) {
    ("NOTES_ADD", json!({ "text": "We leave at nine." }))
}

pub(crate) fn raises(scene: &ApprovalCardFixture) -> (&'static str, Json) {
    ("UPDATE_TOOL", json!({ "tool_id": scene.tool, "config": { "max": 250 } }))
}

pub(crate) fn renames(scene: &ApprovalCardFixture) -> (&'static str, Json) {
    ("UPDATE_ZONE", json!({ "zone_id": scene.zone, "name": "Body" }))
}

pub(crate) fn corrects(scene: &ApprovalCardFixture) -> (&'static str, Json) {
    ("UPDATE_DATA", json!({ "entry_id": scene.entry, "data": { "value": 71 } }))
}

pub(crate) fn forgets(scene: &ApprovalCardFixture) -> (&'static str, Json) {
    ("DELETE_DATA", json!({ "entry_ids": [scene.entry] }))
}

pub(crate) fn removes(scene: &ApprovalCardFixture) -> (&'static str, Json) {
    ("DELETE_TOOL", json!({ "tool_id": scene.tool }))
}

pub(crate) fn removes_all(scene: &ApprovalCardFixture) -> (&'static str, Json) {
    ("DELETE_ZONE", json!({ "zone_id": scene.zone }))
}

pub(crate) fn table() -> Vec<(&'static str, ApprovalCommandFactory, ApprovalCardChange, StaleApprovalOutcome)>
{
    use ApprovalCardChange::*;
    use StaleApprovalOutcome::*;
    let unfit = Ends("invalid_arguments");
    vec![
        ("the host", sends, Http(|tool| tool["url"] = "https://evil.test/v1/{book}".into()), Asked),
        ("the path", sends, Http(|tool| tool["url"] = "https://notes.test/v2/{book}".into()), Asked),
        ("the query", sends, Http(|tool| tool["url"] = "https://notes.test/v1?b={book}".into()), Asked),
        ("the scheme's port", sends, Http(|t| t["url"] = "https://notes.test:8443/v1/{book}".into()), Asked),
        ("the method", sends, Http(|tool| tool["method"] = "PUT".into()), Asked),
        ("one header more", sends, Http(|tool| tool["headers"]["X-Copy-To"] = "eve".into()), Asked),
        ("one header less", sends, Http(|tool| tool["headers"] = json!({ "X-Team": "blue" })), Asked),
        ("the text of a header", sends, Http(|tool| tool["headers"]["X-Team"] = "red".into()), Asked),
        (
            "whose secret",
            sends,
            Http(|tool| tool["headers"]["Authorization"] = json!({ "secret_env": "EVE_KEY" })),
            Asked,
        ),
        (
            "the body",
            sends,
            Http(|tool| {
                tool["body"] = "none".into();
                tool["url"] = "https://notes.test/v1/{book}/{text}".into();
            }),
            Asked,
        ),
        (
            "the effect class",
            sends,
            Http(|tool| {
                tool["effect"] = "idempotent".into();
                tool["idempotency_header"] = "Idempotency-Key".into();
            }),
            Asked,
        ),
        ("cannot be undone", sends, Http(|tool| tool["destructive"] = true.into()), Asked),
        ("runs beside others", sends, Http(|tool| tool["independent"] = true.into()), Asked),
        (
            "a schema that was tightened",
            sends,
            Http(|tool| tool["arguments"]["properties"]["text"]["maxLength"] = 100.into()),
            Asked,
        ),
        (
            "a schema that was loosened",
            sends,
            Http(|tool| tool["arguments"]["required"] = json!(["book"])),
            Asked,
        ),
        (
            "a schema that refuses the arguments",
            sends,
            Http(|tool| tool["arguments"]["properties"]["text"]["maxLength"] = 3.into()),
            unfit,
        ),
        ("a word of the envelope", sends, Http(|tool| tool["word"] = "SEND_NOTE".into()), Asked),
        ("a command that is gone", sends, NoHttp, Ends("unknown_command")),
        ("the program", adds, Mcp(|server| server["command"] = "other-server".into()), Asked),
        ("an argument of the program", adds, Mcp(|server| server["args"] = json!(["--write"])), Asked),
        ("no argument of the program", adds, Mcp(|server| server["args"] = json!([])), Asked),
        ("a variable of its environment", adds, Mcp(|server| server["env"]["MODE"] = "x".into()), Asked),
        (
            "the place of its secret",
            adds,
            Mcp(|server| server["env"]["TOKEN"] = json!({ "secret_env": "EVE_TOKEN" })),
            Asked,
        ),
        ("what it inherits", adds, Mcp(|server| server["inherit"] = json!(["PATH", "HOME"])), Asked),
        ("the folder it works in", adds, Mcp(|server| server["cwd"] = "/srv/eve".into()), Asked),
        (
            "an address for a program",
            adds,
            Mcp(|server| *server = json!({ "url": "https://mcp.test/" })),
            Asked,
        ),
        ("its effect class", adds, Mcp(|s| s["tools"] = json!({ "add": { "effect": "idempotent" } })), Asked),
        ("that it sends out", adds, Mcp(|s| s["tools"] = json!({ "add": { "egress": false } })), Asked),
        ("that it destroys", adds, Mcp(|s| s["tools"] = json!({ "add": { "destructive": false } })), Asked),
        (
            "what its server says of it",
            adds,
            Declaration(|tool| tool["description"] = "Adds a note, and sends it to eve.".into()),
            Asked,
        ),
        (
            "its schema",
            adds,
            Declaration(|tool| tool["schema"]["properties"]["to"] = json!({ "type": "string" })),
            Asked,
        ),
        (
            "a schema of its own that refuses the arguments",
            adds,
            Declaration(|tool| tool["schema"]["required"] = json!(["to"])),
            unfit,
        ),
        ("the workspace asks", raises, Set("require_validation", "true"), Asked),
        (
            "the zone asks",
            raises,
            Act("UPDATE_ZONE", |at| json!({ "zone_id": at.zone, "require_validation": true })),
            Asked,
        ),
        (
            "the tool asks",
            raises,
            Act("UPDATE_TOOL", |at| json!({ "tool_id": at.tool, "require_validation": true })),
            Asked,
        ),
        ("the session asks", raises, SessionAsks, Asked),
        (
            "a value that is overwritten",
            raises,
            Act("UPDATE_TOOL", |at| json!({ "tool_id": at.tool, "config": { "max": 210 } })),
            Asked,
        ),
        (
            "a name that is overwritten",
            renames,
            Act("UPDATE_ZONE", |at| json!({ "zone_id": at.zone, "name": "Fitness" })),
            Asked,
        ),
        (
            "an entry that is overwritten",
            corrects,
            Act("UPDATE_DATA", |at| json!({ "entry_id": at.entry, "data": { "value": 70 } })),
            Asked,
        ),
        (
            "an entry that is deleted",
            forgets,
            Act("UPDATE_DATA", |at| json!({ "entry_id": at.entry, "data": { "value": 70 } })),
            Asked,
        ),
        ("one entry more to lose", removes, Act("CREATE_DATA", entries_of), Asked),
        (
            "an entry that goes with its tool",
            removes,
            Act("UPDATE_DATA", |at| json!({ "entry_id": at.entry, "data": { "value": 70 } })),
            Asked,
        ),
        (
            "an entry that goes with the tool of its zone",
            removes_all,
            Act("UPDATE_DATA", |at| json!({ "entry_id": at.entry, "data": { "value": 70 } })),
            Asked,
        ),
        (
            "a tool that goes with its zone",
            removes_all,
            Act("UPDATE_TOOL", |at| json!({ "tool_id": at.tool, "name": "Mass" })),
            Asked,
        ),
        ("a row that is gone", raises, Act("DELETE_TOOL", |at| json!({ "tool_id": at.tool })), Asked),
        ("too late", raises, Hours(72), Ends("expired")),
        ("too late, outside", sends, Hours(72), Ends("expired")),
    ]
}
