//! Adds helpful commands to texts from below the command line, which name none. The texts are those of the
//! catalogue's section `hints`: the text of `hint-KEY` replaces the text of `KEY`. Pure.

use entracte_application::texts::{LocalizedTexts, RefusalText, RefusalTopic, TextValue};

/// The refusal, with the helpful command if there is one.
pub(crate) fn refusal_with_hint(told: &RefusalText, texts: &LocalizedTexts) -> String {
    let says = told.render(texts);
    match told.topic() {
        Some(topic) => with_topic_hint(says, topic, texts),
        None => says,
    }
}

/// The text `says` about a topic, with the helpful command if there is one.
pub(crate) fn with_topic_hint(says: String, topic: &RefusalTopic, texts: &LocalizedTexts) -> String {
    let hint = format!("hint-{}", topic.key);
    if !texts.has(&hint) {
        return says;
    }
    let named = topic.values.iter().map(|(name, value)| (name.as_str(), TextValue::from(value)));
    let values: Vec<(&str, TextValue<'_>)> = named.chain([("says", TextValue::from(says))]).collect();
    texts.render(&hint, &values)
}

/// The failure of a call, with the helpful command if its code has one.
pub(crate) fn with_failure_hint(
    code: Option<&str>,
    command: &str,
    says: String,
    texts: &LocalizedTexts,
) -> String {
    let Some(code) = code else { return says };
    // The name of a server's tool begins with the server's name.
    let server = command.split('.').next().unwrap_or(command);
    let values = [("command", command), ("server", server)];
    let values = values.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let key = code.to_ascii_lowercase().replace('_', "-");
    with_topic_hint(says, &RefusalTopic { key, values }, texts)
}

/// The message that a server needs a login, with the command that logs in.
pub(crate) fn with_login_hint(server: &str, says: String, texts: &LocalizedTexts) -> String {
    let values = vec![("server".to_owned(), server.to_owned())];
    with_topic_hint(says, &RefusalTopic { key: "login-required".to_owned(), values }, texts)
}

#[cfg(test)]
mod tests {
    use entracte_application::texts::{Language, saying};

    use super::*;

    /// Input: a refusal; expected: the helpful command is added in the reader's language, or nothing if none helps.
    #[test]
    fn refusal_ends_with_helpful_command() {
        let french = LocalizedTexts::for_language(Language::Fr);
        let missing = || saying!("request-no-session", session = "ses_k1");
        let cases = [
            (
                RefusalText::from(missing()),
                "there is no session ses_k1; list them: entracte session list",
                "il n’y a pas de session ses_k1\u{a0}; pour les lister\u{a0}: entracte session list",
            ),
            (
                // The database owner answered in another language.
                RefusalText::from_rendered(missing().render(french), Some(RefusalTopic::from(&missing()))),
                "il n’y a pas de session ses_k1; list them: entracte session list",
                "il n’y a pas de session ses_k1\u{a0}; pour les lister\u{a0}: entracte session list",
            ),
            (
                saying!("request-session-works", session = "ses_k1").into(),
                "ses_k1 is working; stop it first: entracte session stop ses_k1",
                "ses_k1 travaille\u{a0}; arrêtez-la d’abord\u{a0}: entracte session stop ses_k1",
            ),
            (RefusalText::from("the disk is full"), "the disk is full", "the disk is full"),
        ];
        for (told, english, in_french) in cases {
            assert_eq!(refusal_with_hint(&told, LocalizedTexts::for_language(Language::En)), english);
            assert_eq!(refusal_with_hint(&told, french), in_french);
        }
    }

    /// Input: the code of a failed call; expected: the command that helps, if a person can do something about it.
    #[test]
    fn failed_call_ends_with_helpful_command() {
        let texts = LocalizedTexts::for_language(Language::En);
        let cases = [
            (Some("TOOL_CHANGED"), "no: entracte command accept notes.add"),
            (Some("LOGIN_REQUIRED"), "no: entracte mcp login notes"),
            (Some("NOT_FOUND"), "no"),
            (None, "no"),
        ];
        for (code, expected) in cases {
            assert_eq!(with_failure_hint(code, "notes.add", "no".into(), texts), expected, "{code:?}");
        }
        assert_eq!(with_login_hint("notes", "no".into(), texts), "no: entracte mcp login notes");
    }
}
