//! What is told, in the language of the person: a rehearsed model, a user, and two effects.

use entracte_application::texts::{LocalizedTexts, say};
use serde_json::{Value, json};

/// What the story notes in a file outside of the database, in the language of whoever reads it.
pub(super) fn note(texts: &LocalizedTexts) -> String {
    say!(texts, "demo-story-note")
}

/// What the user says.
pub(super) fn message(texts: &LocalizedTexts) -> String {
    say!(texts, "demo-story-message", zone = zone(texts), note = note(texts))
}

/// Name of the zone that the story makes in the database.
pub(super) fn zone(texts: &LocalizedTexts) -> String {
    say!(texts, "demo-story-zone")
}

/// What the model says, turn by turn.
pub(super) fn script(texts: &LocalizedTexts) -> String {
    let zone = zone(texts);
    let looks = json!({
        "pre_text": say!(texts, "demo-story-looks"),
        "queries": [{ "type": "ZONES", "params": {} }],
    });
    let acts = json!({
        "pre_text": say!(texts, "demo-story-acts", zone = &zone),
        "actions": [
            { "type": "CREATE_ZONE", "params": { "name": zone } },
            { "type": "OUTSIDE_NOTE_KEYED", "params": { "text": note(texts) } },
        ],
        "keep_control": true,
    });
    let more = say!(texts, "demo-story-more");
    let done = say!(texts, "demo-story-done", more = &more);
    [envelope(&looks), envelope(&acts), text(&done), text(&more)].concat()
}

fn envelope(said: &Value) -> String {
    format!("[[turn]]\nword_delay_ms = 15\nenvelope = {}\n", quoted(&said.to_string()))
}

fn text(said: &str) -> String {
    format!("[[turn]]\nword_delay_ms = 15\ntext = {}\n", quoted(said))
}

/// A string of TOML: those of JSON are such, too.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use entracte_adapters_providers::rehearsal::RehearsalProvider;
    use entracte_application::settings::Language;
    use entracte_application::system::SystemClock;

    use super::*;

    /// Input: the story in each language; expected: a script that can be played, and the same deeds.
    #[test]
    fn the_story_is_told_in_every_language() {
        for language in [Language::En, Language::Fr] {
            let texts = LocalizedTexts::for_language(language);
            let script = script(texts);
            RehearsalProvider::from_script(&script, Arc::new(SystemClock)).unwrap();
            assert!(script.contains(&zone(texts)) && message(texts).contains(&note(texts)), "{script}");
        }
        assert_ne!(
            message(LocalizedTexts::for_language(Language::En)),
            message(LocalizedTexts::for_language(Language::Fr))
        );
    }
}
