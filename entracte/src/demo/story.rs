//! The texts of the story in the person's language: a rehearsed model, a user, and two effects.

use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Millis;
use serde_json::{Value, json};

/// The note that the story writes to the external file, in the reader's language.
pub(super) fn note(texts: &LocalizedTexts) -> String {
    say!(texts, "demo-story-note")
}

/// The message of the user.
pub(super) fn message(texts: &LocalizedTexts) -> String {
    say!(texts, "demo-story-message", zone = zone(texts), note = note(texts))
}

/// The name of the zone that the story creates.
pub(super) fn zone(texts: &LocalizedTexts) -> String {
    say!(texts, "demo-story-zone")
}

/// The replies of the model, turn by turn.
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
    turn("envelope", &said.to_string())
}

fn text(said: &str) -> String {
    turn("text", said)
}

fn turn(kind: &str, said: &str) -> String {
    format!("[[turn]]\nword_delay_ms = {}\n{kind} = {}\n", WORD_DELAY.0, quoted(said))
}

/// The pause of the model between two words.
pub(super) const WORD_DELAY: Millis = Millis(10);

/// A TOML string; JSON strings are valid TOML.
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

    /// Input: the story in each language; expected: a script that can be played, with the same actions.
    #[test]
    fn story_is_playable_in_every_language() {
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
