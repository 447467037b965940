//! The declarations of the journal file's commands.

use entracte_application::ports::CommandSpec;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::time::Millis;
use serde_json::json;

/// The note of class `once`, never repeated.
pub(super) const ONCE: &str = "outside.note_once";
/// The note of class `idempotent`, safe to repeat by its key.
pub(super) const KEYED: &str = "outside.note_keyed";
/// The note of class `probe`, whose outcome can be queried.
pub(super) const PROBED: &str = "outside.note_probed";
/// The query that returns all notes.
pub(super) const READ: &str = "outside.read";
/// The file, which all these commands share.
const STATE_SCOPE: &str = "journal_file";

/// All specs; with `egress` the notes need approval.
pub(super) fn journal_specs(egress: bool) -> Vec<CommandSpec> {
    vec![
        CommandSpec {
            egress,
            ..note("OUTSIDE_NOTE", ONCE, EffectClass::Once, "It cannot be repeated safely.")
        },
        CommandSpec {
            egress,
            key_lifetime: Millis::hours(24),
            ..note("OUTSIDE_NOTE_KEYED", KEYED, EffectClass::Idempotent, "Repeating it writes nothing twice.")
        },
        CommandSpec {
            egress,
            settle: Millis::seconds(1),
            ..note(
                "OUTSIDE_NOTE_PROBED",
                PROBED,
                EffectClass::Probe,
                "One can ask later whether it happened.",
            )
        },
        read(),
    ]
}

fn note(word: &str, name: &str, effect: EffectClass, about: &str) -> CommandSpec {
    CommandSpec {
        word: word.to_owned(),
        name: name.to_owned(),
        kind: CommandKind::Action,
        effect,
        schema: json!({
            "type": "object",
            "properties": {
                "text": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "What to note."},
            },
            "required": ["text"],
            "additionalProperties": false,
        })
        .into(),
        cacheable: false,
        independent: false,
        state_scopes: vec![STATE_SCOPE.to_owned()],
        destructive: false,
        egress: false,
        asks: false,
        four_eyes: false,
        approvers: None,
        server: None,
        agent: None,
        target: serde_json::Value::Null,
        timeout: None,
        settle: Millis(0),
        key_lifetime: Millis(0),
        task: None,
        doc: format!("Writes one line into a journal file outside of Entracte. text: what to note. {about}"),
        example: Some(json!({"text": "the parcel has left"})),
    }
}

/// Not cacheable, because the file changes without Entracte noticing.
fn read() -> CommandSpec {
    CommandSpec {
        kind: CommandKind::Query,
        schema: json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false})
            .into(),
        independent: true,
        doc: "Shows every line of the journal file, oldest first. Takes no arguments.".to_owned(),
        example: Some(json!({})),
        ..note("OUTSIDE_READ", READ, EffectClass::Read, "")
    }
}
