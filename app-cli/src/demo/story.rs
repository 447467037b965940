//! What is told: a rehearsed model, a user, and two effects.

/// What the user says.
pub(super) const MESSAGE: &str = "Create a zone “Health” and note outside that I weigh 72.5 kg.";

/// Name of the zone that the story makes in the database.
pub(super) const ZONE: &str = "Health";

/// What the story notes in a file outside of the database.
pub(super) const NOTE: &str = "72.5 kg";

/// What the model says, turn by turn.
pub(super) const SCRIPT: &str = r#"
[[turn]]
word_delay_ms = 15
envelope = '''{"pre_text": "Let me see what is there first.", "queries": [{"type": "ZONES", "params": {}}]}'''

[[turn]]
word_delay_ms = 15
envelope = '''{"pre_text": "There is no zone “Health” yet. I will create it and note your weight outside.",
  "actions": [
    {"type": "CREATE_ZONE", "params": {"name": "Health"}},
    {"type": "OUTSIDE_NOTE_KEYED", "params": {"text": "72.5 kg"}}
  ],
  "keep_control": true}'''

[[turn]]
word_delay_ms = 15
text = "Done. Is there anything else?"

[[turn]]
text = "Is there anything else?"
"#;
