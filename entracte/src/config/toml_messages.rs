//! Translates messages of the TOML deserializer into texts of the catalogue. Pure.

use entracte_application::texts::{LocalizedMessage, saying};

use crate::user_text::{UserText, message};

/// The fault of an entry.
pub(super) fn of_table(entry: &str, says: &str) -> UserText {
    let (problem, expected) = says.split_once(", expected ").unwrap_or((says, ""));
    let named = |begins: &str| problem.strip_prefix(begins).map(|rest| rest.trim_matches('`').to_owned());
    if let Some(name) = named("unknown field ") {
        return message!("config-unknown-field", entry = entry, name = name);
    }
    if let Some(name) = named("unknown variant ") {
        return message!("config-unknown-word", entry = entry, name = name);
    }
    if let Some(name) = named("missing field ") {
        return message!("config-missing-field", entry = entry, name = name);
    }
    if let Some(name) = named("duplicate field ") {
        return message!("config-duplicate-field", entry = entry, name = name);
    }
    for (begins, key) in
        [("invalid type: ", "config-invalid-type"), ("invalid value: ", "config-invalid-value")]
    {
        if let (Some(given), false) = (problem.strip_prefix(begins), expected.is_empty()) {
            let expected = one_line(expected);
            return UserText::Keyed(
                key,
                vec![("entry", entry.into()), ("given", given.into()), ("expected", expected.into())],
            );
        }
    }
    let says = match of_value(says) {
        Some(saying) => UserText::from(saying),
        None => UserText::Plain(one_line(problem)),
    };
    message!("config-entry-says", entry = entry, says = says)
}

/// The message of a value type's own parser, found again by its English text.
fn of_value(says: &str) -> Option<LocalizedMessage> {
    let (given, _) = says.strip_prefix('“')?.split_once('”')?;
    let known = [
        saying!("fault-price-fine", given = given),
        saying!("fault-price-none", given = given),
        saying!("fault-price-large", given = given),
        saying!("fault-allowed-host", given = given),
    ];
    known.into_iter().find(|saying| saying.to_string() == says)
}

/// A parser's message on one line.
pub(super) fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use entracte_adapters_commands::egress::AllowedHostError;
    use entracte_adapters_providers::prices::MillionTokenPrice;
    use entracte_application::settings::Language;
    use entracte_application::texts::LocalizedTexts;

    use super::*;

    /// Input: messages of the deserializer; expected: unchanged in English, and fully translated in French.
    #[test]
    fn table_faults_are_rendered_in_both_languages() {
        let price = |text: &str| MillionTokenPrice::per_million(text).unwrap_err();
        let cases = [
            (
                "unknown field `modle`, expected one of `kind`, `model`".to_owned(),
                "mcp.a: unknown field `modle`",
                "mcp.a\u{a0}: champ inconnu `modle`",
            ),
            (
                "unknown variant `x`, expected `a`".into(),
                "mcp.a: unknown variant `x`",
                "mcp.a\u{a0}: mot inconnu `x`",
            ),
            (
                "missing field `kind`".into(),
                "mcp.a: missing field `kind`",
                "mcp.a\u{a0}: il manque le champ `kind`",
            ),
            (
                "duplicate field `kind`".into(),
                "mcp.a: duplicate field `kind`",
                "mcp.a\u{a0}: champ `kind` présent deux fois",
            ),
            (
                "invalid value: integer `-1`, expected u32".into(),
                "mcp.a: invalid value: integer `-1`; expected u32",
                "mcp.a\u{a0}: valeur invalide\u{a0}: integer `-1`\u{a0}; attendu\u{a0}: u32",
            ),
            (
                "invalid type: string \"a\", expected a boolean".into(),
                "mcp.a: invalid type: string \"a\"; expected a boolean",
                "mcp.a\u{a0}: type invalide\u{a0}: string \"a\"\u{a0}; attendu\u{a0}: a boolean",
            ),
            (
                price("4 €"),
                "mcp.a: “4 €” is not a price; write US dollars for a million tokens, like \"2.50\"",
                "mcp.a\u{a0}: «\u{a0}4 €\u{a0}» n’est pas un prix\u{a0}; écrivez des dollars américains par million de tokens, comme \"2.50\"",
            ),
            (
                price("0.1234567"),
                "mcp.a: “0.1234567” has more than six digits behind the point; shorten it",
                "mcp.a\u{a0}: «\u{a0}0.1234567\u{a0}» a plus de six chiffres après le point\u{a0}; raccourcissez-le",
            ),
            (
                AllowedHostError("a/b".into()).to_string(),
                "mcp.a: “a/b” names no host; write a name (“nas.home”, “nas.home:8080”), an address (“192.168.1.5”, “[fd00::5]:8080”) or a network (“10.0.0.0/8”)",
                "mcp.a\u{a0}: «\u{a0}a/b\u{a0}» ne nomme pas d’hôte\u{a0}; écrivez un nom («\u{a0}nas.home\u{a0}», «\u{a0}nas.home:8080\u{a0}»), une adresse («\u{a0}192.168.1.5\u{a0}», «\u{a0}[fd00::5]:8080\u{a0}») ou un réseau («\u{a0}10.0.0.0/8\u{a0}»)",
            ),
        ];
        for (says, english, french) in cases {
            let said = |language| of_table("mcp.a", &says).localize(LocalizedTexts::for_language(language));
            assert_eq!([said(Language::En), said(Language::Fr)], [english, french], "{says}");
        }
    }
}
