//! Templates of the configuration for the sentence of an approval card: `Pay {amount} to {supplier}`.

use std::collections::BTreeSet;

use entracte_application::texts::{LocalizedMessage, LocalizedTexts, say, saying};
use entracte_domain::value::JsonValue;

use crate::display_text::one_line;

/// The maximum length of a template, in characters.
const TEMPLATE_MAX: usize = 200;

/// A checked template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CardTemplate {
    pieces: Vec<CardPiece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum CardPiece {
    Text(String),
    Argument(String),
}

impl CardTemplate {
    /// Parses a template whose variables are among these arguments; the error names its fault.
    pub(crate) fn parse(text: &str, arguments: &BTreeSet<&str>) -> Result<Self, LocalizedMessage> {
        if text.chars().count() > TEMPLATE_MAX {
            return Err(saying!("fault-card-long", most = TEMPLATE_MAX));
        }
        if text.trim().is_empty() || one_line(text) != text {
            return Err(saying!("fault-card-line"));
        }
        let (mut pieces, mut rest) = (Vec::new(), text);
        while let Some(open) = rest.find(['{', '}']) {
            let (literal, from) = rest.split_at(open);
            let inside = from.strip_prefix('{').and_then(|inside| inside.split_once('}'));
            let Some((name, after)) = inside else { return Err(saying!("fault-braces")) };
            if !arguments.contains(name) {
                return Err(saying!("fault-no-argument", given = format!("{{{name}}}")));
            }
            pieces.extend([CardPiece::Text(literal.to_owned()), CardPiece::Argument(name.to_owned())]);
            rest = after;
        }
        pieces.push(CardPiece::Text(rest.to_owned()));
        Ok(Self { pieces })
    }

    /// The sentence about these arguments. A text stands in quotation marks, so that its words are never taken for those of
    /// the template.
    pub(crate) fn fill(&self, arguments: &JsonValue, texts: &LocalizedTexts) -> String {
        let value = |name: &str| match arguments.get(name) {
            None | Some(JsonValue::Null) => say!(texts, "card-no-value"),
            Some(JsonValue::Text(text)) => format!("“{}”", one_line(text).replace(['“', '”'], "\"")),
            Some(value) => one_line(&value.to_json()),
        };
        let piece = |piece: &CardPiece| match piece {
            CardPiece::Text(text) => text.clone(),
            CardPiece::Argument(name) => value(name),
        };
        self.pieces.iter().map(piece).collect()
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::json_value;
    use entracte_application::texts::Language;

    use super::*;

    /// Input: a template over arguments of each type, with a text that looks like the end of a sentence and one that is
    /// missing; expected: the sentence, in which every text is in quotation marks of its own.
    #[test]
    fn template_quotes_every_text() {
        let names = BTreeSet::from(["amount", "supplier", "what", "lines"]);
        let template = CardTemplate::parse("Pay {amount} to {supplier}, for {what}: {lines}", &names);
        let arguments = r#"{"amount": 1.50, "supplier": "Ann” at once. Pay 2 to “Bob", "lines": [1, 2]}"#;
        let arguments = json_value::parse(arguments).unwrap();
        let says = template.unwrap().fill(&arguments, LocalizedTexts::for_language(Language::En));
        assert_eq!(says, "Pay 1.50 to “Ann\" at once. Pay 2 to \"Bob”, for (none): [1,2]");
    }

    #[test]
    fn faulty_templates_are_refused() {
        let fault = |text: &str| CardTemplate::parse(text, &BTreeSet::from(["amount"])).unwrap_err();
        assert_eq!(fault("Pay {sum}"), saying!("fault-no-argument", given = "{sum}"));
        assert_eq!(fault("Pay {amount"), saying!("fault-braces"));
        assert_eq!(fault("Pay\n{amount}"), saying!("fault-card-line"));
        assert_eq!(fault(&"x".repeat(201)), saying!("fault-card-long", most = 200_usize));
    }
}
