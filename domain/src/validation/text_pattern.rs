//! Texts that a prefix or a pattern of a standing approval admits. A text that could mean more than the person saw is
//! not admitted: it needs an approval of its own.

/// Whether a text begins with a prefix that ends where a word of the text ends: `invoices/` and `Invoice` begin
/// `invoices/7` and `Invoice 7`, but not `invoices-old/7` and `Invoices`.
pub(super) fn begins_with(text: &str, prefix: &str) -> bool {
    let Some(rest) = text.strip_prefix(prefix) else { return false };
    let ends_word = prefix.chars().next_back().is_some_and(|last| !last.is_alphanumeric());
    let is_boundary = ends_word || rest.is_empty() || rest.starts_with([' ', '/']);
    // A sign that joins the last letter of the prefix makes another letter of it.
    let joins = rest.chars().next().is_some_and(|first| !is_shown_alone(first));
    is_boundary && !joins && is_plain(text)
}

/// Whether a whole text matches a pattern.
pub(super) fn matches_pattern(text: &str, pattern: &str) -> bool {
    let (text_signs, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    let is_wild = |sign: &char| sign.is_alphanumeric() || matches!(sign, ' ' | '.' | '-' | '_');
    let (mut at, mut next) = (0, 0);
    // The last `*`, and where the text goes on behind what it stands for.
    let mut star: Option<StarMatch> = None;
    while let Some(sign) = text_signs.get(at) {
        match pattern.get(next) {
            Some('*') => {
                star = Some(StarMatch { behind: next + 1, goes_on: at });
                next += 1;
                continue;
            }
            Some('?') if is_wild(sign) => {}
            Some(expected) if expected == sign && *expected != '?' => {}
            Some(_) | None => {
                let Some(last) =
                    star.as_mut().filter(|last| text_signs.get(last.goes_on).is_some_and(is_wild))
                else {
                    return false;
                };
                last.goes_on += 1;
                (at, next) = (last.goes_on, last.behind);
                continue;
            }
        }
        (at, next) = (at + 1, next + 1);
    }
    pattern.get(next..).unwrap_or_default().iter().all(|rest| *rest == '*') && is_plain(text)
}

/// A `*` of a pattern, as far as it is matched.
struct StarMatch {
    /// The position in the pattern behind it.
    behind: usize,
    /// The position in the text behind what it stands for.
    goes_on: usize,
}

/// Whether an address is given without the slash behind its host, or with a `*` or `?` before it: `https://acme.example`
/// also begins `https://acme.example.evil.example/`.
pub(super) fn is_address_without_path(text: &str) -> bool {
    let Some((_, behind)) = text.split_once("://") else { return false };
    let host = behind.split_once('/').map(|(host, _)| host);
    host.is_none_or(|host| host.contains(['*', '?']))
}

/// Whether a text has no controls, and no step up in a path, however it is written.
fn is_plain(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let is_step_up = |segment: &str| segment.starts_with("..");
    !text.chars().any(char::is_control)
        && !["%2e", "%2f", "%5c", "%00", "%25"].iter().any(|written| lower.contains(written))
        && !text.split(['/', '\\']).any(is_step_up)
}

/// Whether a character is shown by itself. Marks that join the character before them, and characters that are not
/// shown, are escaped.
fn is_shown_alone(sign: char) -> bool {
    matches!(sign, '"' | '\'' | '\\') || sign.escape_debug().count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: a prefix and a text; expected: whether the text begins with it, at the end of a word and with nothing that
    /// leads elsewhere.
    #[test]
    fn prefix_ends_at_a_word() {
        let cases = [
            ("reports/", "reports/2026/july.pdf", true),
            ("reports/", "reports/", true),
            ("reports", "reports/july.pdf", true),
            ("Invoice", "Invoice 7", true),
            ("Invoice", "Invoice", true),
            ("Invoice", "Invoices", false),
            ("reports", "reports-secret/july.pdf", false),
            ("reports/", "Reports/july.pdf", false),
            ("reports/", " reports/july.pdf", false),
            ("reports/", "reports/../secret", false),
            ("reports/", "reports/x/..\\..\\secret", false),
            ("reports/", "reports/..;/secret", false),
            ("reports/", "reports/%2E%2e/secret", false),
            ("reports/", "reports/%252e%252e/secret", false),
            ("reports/", "reports/a\nb", false),
            ("reports/", "reports/a\0", false),
            // A combining accent turns the last letter of the prefix into another one.
            ("Cafe", "Cafe\u{301} Paris", false),
            ("x/", "x/\u{301}", false),
            ("x/", "x/\u{202e}", false),
            // The same letter in another form of Unicode.
            ("Caf\u{e9} ", "Cafe\u{301} Paris", false),
            ("https://acme.example/", "https://acme.example/pay", true),
            ("https://acme.example/", "https://acme.example.evil.example/pay", false),
        ];
        for (prefix, text, expected) in cases {
            assert_eq!(begins_with(text, prefix), expected, "{prefix:?} {text:?}");
        }
    }

    /// Input: a pattern and a text; expected: whether the whole text matches.
    #[test]
    fn pattern_matches_the_whole_text() {
        let cases = [
            ("INV-????", "INV-2026", true),
            ("INV-????", "INV-20260", false),
            ("INV-????", "xINV-2026", false),
            ("INV-????", "INV-2026\n", false),
            ("INV-*", "INV-", true),
            ("INV-*", "INV-7/../../etc", false),
            ("*-*.pdf", "a-b-c.pdf", true),
            ("*-*.pdf", "a-b-c.pdf.exe", false),
            ("*.pdf", "..pdf", false),
            ("*@acme.example", "ann@acme.example", true),
            ("*@acme.example", "ann@evil.example,bob@acme.example", false),
            ("*@acme.example", "ann@acme.example.evil.example", false),
            ("a*b*c", "aXbXbXc", true),
            ("a*b*c", "aXbXbX", false),
            ("", "", true),
            ("", "a", false),
            ("?", "", false),
            ("?", "?", false),
            ("what?", "what?", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(matches_pattern(text, pattern), expected, "{pattern:?} {text:?}");
        }
    }
}
