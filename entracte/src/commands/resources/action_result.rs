//! Renders the result of a manual action.

use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::value::JsonValue;

use super::{json_text, text};

/// The result as text; `None` if no text fits.
pub(super) fn action_result_text(result: &JsonValue, texts: &LocalizedTexts) -> Option<String> {
    let is = |member: &str| result.get(member).is_some();
    if is("created") {
        let all = listed(result, "ids", str::to_owned);
        let count = result.get("created").and_then(JsonValue::as_i64).unwrap_or_default();
        return Some(say!(texts, "own-done-entries", count = count, ids = all));
    }
    if is("changed") {
        let fields = listed(result, "changed", |key| texts.field(key));
        return Some(say!(texts, "own-done-changed", id = text(result, "id"), fields = fields));
    }
    if let Some(count) = result.get("deleted").and_then(JsonValue::as_i64) {
        return Some(say!(texts, "own-done-entries-removed", count = count));
    }
    if is("deleted") {
        return Some(say!(texts, "own-done-removed", id = text(result, "deleted")));
    }
    if is("discarded") {
        return Some(say!(texts, "own-done-discarded", id = text(result, "discarded")));
    }
    if is("proposal_id") {
        let (id, key) = (text(result, "proposal_id"), text(result, "key"));
        return Some(say!(texts, "own-text-proposal", id = id, key = key));
    }
    if is("last_refresh") {
        let version = json_text(result, "version");
        return Some(say!(texts, "own-done-published", key = text(result, "key"), version = version));
    }
    let is_new = is("id") && is("name");
    is_new.then(|| say!(texts, "own-done-added", name = text(result, "name"), id = text(result, "id")))
}

/// The texts of a list, each in this form.
fn listed(result: &JsonValue, member: &str, form: impl Fn(&str) -> String) -> String {
    let all = result.get(member).and_then(JsonValue::as_list).unwrap_or_default();
    let all = all.iter().filter_map(JsonValue::as_text);
    all.map(form).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use entracte_application::json_value::from_serde;
    use entracte_application::texts::Language;
    use serde_json::json;

    use super::*;

    #[test]
    fn action_result_is_rendered_in_both_languages() {
        for (result, english, french) in [
            (
                json!({"id": "zon_1", "name": "Health"}),
                "added “Health”: zon_1",
                "ajout de «\u{a0}Health\u{a0}»\u{a0}: zon_1",
            ),
            (
                json!({"id": "tool_1", "name": "Weight", "entry": {"type": "object"}}),
                "added “Weight”: tool_1",
                "ajout de «\u{a0}Weight\u{a0}»\u{a0}: tool_1",
            ),
            (
                json!({"id": "zon_1", "changed": ["name", "require_validation"]}),
                "changed zon_1: name, approval required",
                "modification de zon_1\u{a0}: nom, approbation demandée",
            ),
            (
                json!({"created": 1, "ids": ["ent_1"]}),
                "added an entry: ent_1",
                "ajout d’une entrée\u{a0}: ent_1",
            ),
            (
                json!({"created": 2, "ids": ["ent_1", "ent_2"]}),
                "added 2 entries: ent_1, ent_2",
                "ajout de 2 entrées\u{a0}: ent_1, ent_2",
            ),
            (json!({"deleted": 1}), "removed one entry", "suppression d’une entrée"),
            (json!({"deleted": 3}), "removed 3 entries", "suppression de 3 entrées"),
            (json!({"deleted": "zon_1", "tools": 0, "entries": 0}), "removed zon_1", "suppression de zon_1"),
            (json!({"discarded": "prp_1"}), "discarded prp_1", "abandon de prp_1"),
            (
                json!({"key": "general", "version": 2, "last_refresh": "2026-11-20"}),
                "published version 2 of general",
                "publication de la version 2 de general",
            ),
        ] {
            let result = from_serde(&result);
            assert_eq!(
                action_result_text(&result, LocalizedTexts::for_language(Language::En)).as_deref(),
                Some(english)
            );
            assert_eq!(
                action_result_text(&result, LocalizedTexts::for_language(Language::Fr)).as_deref(),
                Some(french)
            );
        }
        assert_eq!(
            action_result_text(
                &from_serde(&json!({"temperature": 4})),
                LocalizedTexts::for_language(Language::En)
            ),
            None
        );
    }
}
