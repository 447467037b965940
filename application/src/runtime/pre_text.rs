//! Decodes the human text of an envelope while it streams: the value of `pre_text`, piece by piece.

/// Reads a streaming envelope and returns the text of its `pre_text`. For display only; the complete reply is
/// parsed again.
#[derive(Debug, Default)]
pub(super) struct PreTextDecoder {
    /// Received text that is not used yet.
    rest: String,
    place: PreTextPosition,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum PreTextPosition {
    /// The field name has not arrived yet.
    #[default]
    Before,
    /// Inside the text.
    Inside,
    /// The text has ended.
    After,
}

/// Maximum bytes buffered while the field name has not arrived.
const REST_MAX: usize = 64 * 1024;

const NAME: &str = "\"pre_text\"";

impl PreTextDecoder {
    /// Adds the next piece of the reply and returns the newly decoded text, which may be empty.
    pub(super) fn push(&mut self, piece: &str) -> String {
        if self.place == PreTextPosition::After {
            return String::new();
        }
        self.rest.push_str(piece);
        if self.place == PreTextPosition::Before {
            self.enter();
        }
        if self.place == PreTextPosition::Inside { self.decode() } else { String::new() }
    }

    /// Finds the beginning of the text.
    fn enter(&mut self) {
        let value = self.rest.split_once(NAME).and_then(|(_, after)| {
            after.trim_start().strip_prefix(':').and_then(|value| value.trim_start().strip_prefix('"'))
        });
        if let Some(value) = value {
            self.rest = value.to_owned();
            self.place = PreTextPosition::Inside;
        } else if self.rest.len() > REST_MAX {
            self.place = PreTextPosition::After;
        }
    }

    /// Decodes the complete characters; an incomplete escape waits for more.
    fn decode(&mut self) -> String {
        let mut said = String::new();
        let mut used = 0;
        while let Some(character) = self.rest[used..].chars().next() {
            match character {
                '"' => {
                    self.place = PreTextPosition::After;
                    break;
                }
                '\\' => match escape(&self.rest[used..]) {
                    Some((decoded, length)) => {
                        said.push(decoded);
                        used += length;
                    }
                    None => break,
                },
                plain => {
                    said.push(plain);
                    used += plain.len_utf8();
                }
            }
        }
        self.rest.drain(..used);
        said
    }
}

/// The character of an escape and its length in bytes; `None` if it is incomplete.
fn escape(text: &str) -> Option<(char, usize)> {
    let plain = |character| Some((character, 2));
    match text[1..].chars().next()? {
        'n' => plain('\n'),
        't' => plain('\t'),
        'r' => plain('\r'),
        'b' => plain('\u{8}'),
        'f' => plain('\u{c}'),
        'u' => unicode(text),
        // The complete reply is parsed again; here an invalid escape is shown literally.
        other => Some((other, 1 + other.len_utf8())),
    }
}

fn unicode(text: &str) -> Option<(char, usize)> {
    let unit =
        |at: usize| text.get(at..at + 4).map(|digits| u32::from_str_radix(digits, 16).unwrap_or(0xFFFD));
    let first = unit(2)?;
    if !(0xD800..0xDC00).contains(&first) {
        return Some((char::from_u32(first).unwrap_or('\u{FFFD}'), 6));
    }
    let second = unit(8)?;
    let code = 0x10000 + ((first - 0xD800) << 10) + (second.wrapping_sub(0xDC00) & 0x3FF);
    Some((char::from_u32(code).unwrap_or('\u{FFFD}'), 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reply cut at any position decodes to the same text as the whole.
    fn check(reply: &str, expected: &str) {
        for cut in (0..=reply.len()).filter(|&cut| reply.is_char_boundary(cut)) {
            let mut spoken = PreTextDecoder::default();
            let said = spoken.push(&reply[..cut]) + &spoken.push(&reply[cut..]);
            assert_eq!(said, expected, "cut at {cut}");
        }
    }

    #[test]
    fn pre_text_decodes_at_every_split_position() {
        check(r#"{"pre_text": "Hé \"you\"\n😀 \ud83d\ude00", "queries": []}"#, "Hé \"you\"\n😀 😀");
        check(r#"{"completed":true,"pre_text":"done"}"#, "done");
        check("no envelope at all", "");
    }
}
