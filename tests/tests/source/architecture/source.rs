//! Rust source as words and marks, without comments, texts and what is built for tests only.

/// A word, `::`, or any other mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RustToken {
    Word(String),
    Path,
    Mark(char),
}

impl RustToken {
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Path | Self::Mark(_) => None,
        }
    }

    pub(crate) fn is(&self, word: &str) -> bool {
        self.word() == Some(word)
    }
}

/// The tokens of a file, its tests left out.
pub(crate) fn tokens(text: &str) -> Vec<RustToken> {
    without_tests(&all_tokens(text))
}

fn all_tokens(text: &str) -> Vec<RustToken> {
    let letters: Vec<char> = text.chars().collect();
    let (mut at, mut found) = (0, Vec::new());
    while at < letters.len() {
        let rest = &letters[at..];
        // Words are taken whole, so nothing here begins inside of one.
        if let Some(length) = raw_text(rest) {
            at += length;
            continue;
        }
        at += match rest {
            ['/', '/', ..] => length(rest, |letter| letter != '\n'),
            ['"', ..] => text_of(rest),
            ['\'', ..] => literal(rest),
            [':', ':', ..] => {
                found.push(RustToken::Path);
                2
            }
            [letter, ..] if is_of_word(*letter) => {
                let length = length(rest, is_of_word);
                found.push(RustToken::Word(rest[..length].iter().collect()));
                length
            }
            [letter, ..] => {
                if !letter.is_whitespace() {
                    found.push(RustToken::Mark(*letter));
                }
                1
            }
            [] => 1,
        };
    }
    found
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn length(letters: &[char], holds: impl Fn(char) -> bool) -> usize {
    letters.iter().take_while(|letter| holds(**letter)).count()
}

/// The length of a text in quotes.
fn text_of(letters: &[char]) -> usize {
    let mut at = 1;
    while at < letters.len() && letters[at] != '"' {
        at += if letters[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// The length of `r"…"`, `r#"…"#`, and the same of bytes; none where no such text begins.
fn raw_text(letters: &[char]) -> Option<usize> {
    let begin = length(letters, |letter| matches!(letter, 'r' | 'b'));
    if begin == 0 || begin > 2 {
        return None;
    }
    let marks = length(&letters[begin..], |letter| letter == '#');
    if letters.get(begin + marks) != Some(&'"') {
        return None;
    }
    if !letters[..begin].contains(&'r') {
        return Some(begin + text_of(&letters[begin..]));
    }
    let inside = begin + marks + 1;
    let ends = |at: &usize| {
        letters[*at] == '"'
            && letters[at + 1..].iter().take(marks).filter(|mark| **mark == '#').count() == marks
    };
    (inside..letters.len()).find(ends).map(|end| end + marks + 1)
}

/// The length of a character in quotes, or of the quote of a lifetime.
fn literal(letters: &[char]) -> usize {
    match letters {
        ['\'', '\\', _, rest @ ..] => 4 + length(rest, |letter| letter != '\''),
        ['\'', _, '\'', ..] => 3,
        _ => 1,
    }
}

fn without_tests(tokens: &[RustToken]) -> Vec<RustToken> {
    let (mut at, mut kept) = (0, Vec::new());
    while at < tokens.len() {
        match attribute(&tokens[at..]) {
            Some(length) if is_for_tests(&tokens[at..at + length]) => {
                at += length;
                at += item(&tokens[at..]);
            }
            Some(_) | None => {
                kept.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    kept
}

/// The length of `#[…]`; none where none begins.
fn attribute(tokens: &[RustToken]) -> Option<usize> {
    let begins = matches!(tokens, [RustToken::Mark('#'), RustToken::Mark('['), ..]);
    begins.then(|| 1 + tokens.iter().skip(1).position(|token| *token == RustToken::Mark(']')).unwrap() + 1)
}

/// `cfg(test)`, `cfg(any(test, …))`, `cfg(all(test, …))`.
fn is_for_tests(attribute: &[RustToken]) -> bool {
    let words: Vec<&str> = attribute.iter().filter_map(RustToken::word).collect();
    matches!(words[..], ["cfg", "test", ..] | ["cfg", "any" | "all", "test", ..])
}

/// The length of an item: up to its `;`, or to the end of its block.
fn item(tokens: &[RustToken]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            RustToken::Mark('{') => depth += 1,
            RustToken::Mark('}') if depth == 1 => return at + 1,
            RustToken::Mark('}') => depth -= 1,
            RustToken::Mark(';') if depth == 0 => return at + 1,
            RustToken::Word(_) | RustToken::Path | RustToken::Mark(_) => {}
        }
    }
    tokens.len()
}
