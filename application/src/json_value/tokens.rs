//! Splits a JSON text into its tokens, in one pass.

/// A token of a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonToken<'a> {
    /// The byte of the text at which it begins.
    pub start: usize,
    /// A sign (`{`, `}`, `[`, `]`, `,`, `:`), a text with its quotes, a number or a word, as it is written.
    pub text: &'a str,
}

/// The tokens of a JSON text, without the spaces between them. It checks no grammar: of a text that is no JSON, it yields
/// pieces of any kind.
///
/// ```
/// use entracte_application::json_value::JsonTokens;
///
/// let tokens: Vec<&str> = JsonTokens::new(r#"{"a": [1.50, true]}"#).map(|token| token.text).collect();
/// assert_eq!(tokens, ["{", "\"a\"", ":", "[", "1.50", ",", "true", "]", "}"]);
/// ```
#[derive(Clone, Debug)]
pub struct JsonTokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> JsonTokens<'a> {
    /// The tokens of this text.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
}

impl<'a> Iterator for JsonTokens<'a> {
    type Item = JsonToken<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let start = self.at + rest.iter().position(|byte| !is_space(*byte))?;
        let bytes = self.text.as_bytes().get(start..)?;
        let len = match bytes.first()? {
            b'"' => text_len(bytes),
            byte if is_sign(*byte) => 1,
            _ => bytes.iter().position(|byte| ends_word(*byte)).unwrap_or(bytes.len()),
        };
        self.at = start + len;
        // Tokens begin and end beside bytes of ASCII, which are no part of another character.
        self.text.get(start..self.at).map(|text| JsonToken { start, text })
    }
}

/// The length of a text in quotes, at the beginning of the bytes; without an end, of them all.
fn text_len(bytes: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = bytes.iter().skip(1).position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(bytes.len(), |end| end + 2)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_sign(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':')
}

fn ends_word(byte: u8) -> bool {
    is_space(byte) || is_sign(byte) || byte == b'"'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<JsonToken<'_>> = JsonTokens::new(text).collect();
        assert_eq!(found.iter().map(|token| token.text).collect::<Vec<_>>(), expected, "{text}");
        for token in found {
            assert_eq!(text.get(token.start..token.start + token.text.len()), Some(token.text));
        }
    }

    #[test]
    fn tokens_are_as_written() {
        check("\t[-1E+5,null]\r\n", &["[", "-1E+5", ",", "null", "]"]);
        check(r#"{"\\":"\"]","é":{}}"#, &["{", r#""\\""#, ":", r#""\"]""#, ",", "\"é\"", ":", "{", "}", "}"]);
        check("", &[]);
    }

    #[test]
    fn text_that_is_no_json_ends_too() {
        check("[\"a", &["[", "\"a"]);
        check("\"\\", &["\"\\"]);
        check("é\"é", &["é", "\"é"]);
        check("\u{feff}{", &["\u{feff}", "{"]);
    }
}
