//! Splits texts into words and decides which are identifiers.

/// Prefixes of Entracte's ids, which may have no digit.
const OWN: [&str; 6] = ["ses_", "msg_", "cal_", "apr_", "mc_", "aut_"];

/// Minimum characters of a word that mixes letters and digits.
const MIXED: usize = 4;
/// Minimum digits of a number.
const DIGITS: usize = 5;
/// Minimum digits of an instant; `10:30` is not one.
const INSTANT: usize = 8;
/// Maximum characters of a file extension.
const EXTENSION: usize = 8;

/// The first word of a text.
pub(super) struct LeadingWord<'a> {
    /// The word without surrounding marks.
    pub(super) text: &'a str,
    /// Its length in bytes with these marks.
    pub(super) length: usize,
    /// Whether a colon ends it.
    pub(super) is_key: bool,
}

/// Whether words end before this character.
pub(super) fn separates(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '"' | '\'' | '`' | '«' | '»' | '“' | '”' | '„' | '‘' | '’' | '<' | '>')
        || matches!(character, '(' | ')' | '[' | ']' | '{' | '}' | '|' | ',' | ';' | '=' | '?' | '!')
}

/// Whether a URL ends before this character.
fn ends_address(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '"' | '`' | '«' | '»' | '“' | '”' | '<' | '>' | '|' | '{' | '}')
}

impl<'a> LeadingWord<'a> {
    /// The first word of a text.
    pub(super) fn first(text: &'a str) -> Self {
        let end = text.find(separates).unwrap_or(text.len());
        let word = text.get(..end).unwrap_or_default();
        let is_address = word.find("://").is_some_and(|scheme| scheme > 0);
        let end = if is_address { text.find(ends_address).unwrap_or(text.len()) } else { end };
        let word = text.get(..end).unwrap_or_default();
        let trimmed = if is_address { address(word) } else { without_marks(word) };
        Self { text: trimmed, length: end.max(1), is_key: word.ends_with(':') }
    }

    /// A text that is a single word.
    pub(super) fn whole(text: &'a str) -> Self {
        Self { text, length: text.len(), is_key: false }
    }

    pub(super) fn is_identifier(&self) -> bool {
        let text = self.text;
        is_own(text)
            || text.contains("://")
            || is_email(text)
            || is_path(text)
            || is_mixed(text)
            || is_number(text)
            || is_instant(text)
    }
}

/// The URL without punctuation of the sentence around it.
fn address(word: &str) -> &str {
    let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '…']);
    let closes = |open, close| word.ends_with(close) && !word.contains(open);
    if closes('(', ')') || closes('[', ']') { word.get(..word.len() - 1).unwrap_or_default() } else { word }
}

fn without_marks(word: &str) -> &str {
    let word = word.trim_end_matches(['.', ':', '*', '…', '&', '~']);
    let begun = word.trim_start_matches(['*', '#', ':', '&', '…', '–', '—', '•', '·', '@', '-']);
    // Emphasized text is between two of them; an id may end with one.
    match begun.strip_prefix('_') {
        Some(inner) => inner.strip_suffix('_').unwrap_or(inner),
        None => begun,
    }
}

fn is_own(text: &str) -> bool {
    OWN.iter()
        .any(|own| text.strip_prefix(own).is_some_and(|rest| rest.chars().all(is_inner) && rest.len() > 1))
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, domain)| {
        !name.is_empty() && domain.contains('.') && !domain.contains('@') && !domain.starts_with('.')
    })
}

fn is_path(text: &str) -> bool {
    let is_rooted = ["/", "~/", "./", "../"]
        .iter()
        .any(|root| text.strip_prefix(root).is_some_and(|rest| rest.chars().any(char::is_alphanumeric)));
    let bytes = text.as_bytes();
    let is_drive = matches!(bytes, [drive, b':', b'\\' | b'/', _, ..] if drive.is_ascii_alphabetic());
    let slashes = text.matches(['/', '\\']).count();
    let has_extension = text.rsplit(['/', '\\']).next().and_then(|file| file.rsplit_once('.')).is_some_and(
        |(name, extension)| {
            !name.is_empty()
                && (1..=EXTENSION).contains(&extension.len())
                && extension.chars().all(|one| one.is_ascii_alphanumeric())
                && extension.chars().any(|one| one.is_ascii_alphabetic())
        },
    );
    let parts = text.split(['/', '\\']).filter(|part| part.chars().any(char::is_alphanumeric)).count();
    is_rooted || is_drive || slashes >= 1 && has_extension || slashes >= 2 && parts >= 2
}

/// Whether a character may be inside an identifier besides letters and digits.
fn is_inner(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | '/')
}

fn is_mixed(text: &str) -> bool {
    text.chars().count() >= MIXED
        && text.chars().all(is_inner)
        && text.chars().any(char::is_alphabetic)
        && text.chars().any(|one| one.is_ascii_digit())
}

fn is_number(text: &str) -> bool {
    let fits = |one: char| one.is_ascii_digit() || matches!(one, '-' | '.' | '/' | '+');
    text.chars().all(fits) && digits(text) >= DIGITS
}

/// Whether a text has the form `2026-11-23T06:19:28+01:00`.
fn is_instant(text: &str) -> bool {
    let fits = |one: char| one.is_ascii_digit() || matches!(one, '-' | ':' | '.' | '+' | 'T' | 'Z');
    text.chars().all(fits) && digits(text) >= INSTANT
}

fn digits(text: &str) -> usize {
    text.chars().filter(char::is_ascii_digit).count()
}
