//! Names that look alike.

use std::fmt::Write as _;

use entracte_domain::value::JsonValue;

/// The suffix of a name that may be confused with another: the code points of its non-ASCII characters, and the
/// similar name. Usually empty.
pub fn confusable_name_marks(name: &str, all: &[&str]) -> String {
    let mut marks = String::new();
    let mut beyond: Vec<char> =
        name.chars().filter(|character| !character.is_ascii() && !super::is_invisible(*character)).collect();
    beyond.dedup();
    for character in beyond.iter().take(CHARACTERS_SHOWN) {
        // Writing to a String cannot fail.
        let _ = write!(marks, " ⟨U+{:04X}⟩", u32::from(*character));
    }
    if beyond.len() > CHARACTERS_SHOWN {
        marks.push_str(" ⟨…⟩");
    }
    let looks = skeleton(name);
    let alike = all.iter().take(LIKENESS_NAMES_MAX).find(|other| **other != name && skeleton(other) == looks);
    if let Some(other) = alike {
        let shown: String = super::one_line(other).chars().take(NAME_SHOWN).collect();
        let _ = write!(marks, " ⟨≠ {shown}⟩");
    }
    marks
}

/// A mark if a name inside a value may be confused with another.
pub(super) fn confusable_member_mark(value: &JsonValue) -> &'static str {
    if has_doubtful_name(value) { " ⟨look at its names⟩" } else { "" }
}

fn has_doubtful_name(value: &JsonValue) -> bool {
    match value {
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => false,
        JsonValue::List(items) => items.iter().any(has_doubtful_name),
        JsonValue::Object(members) => {
            let mut looks: Vec<String> = members.iter().map(|(name, _)| skeleton(name)).collect();
            looks.sort_unstable();
            let twice = looks.windows(2).any(|pair| pair[0] == pair[1]);
            twice || members.iter().any(|(name, value)| !name.is_ascii() || has_doubtful_name(value))
        }
    }
}

/// The skeleton of a name: equal for names that are easily confused.
fn skeleton(name: &str) -> String {
    let is_seen = |character: &char| {
        !super::is_invisible(*character) && !character.is_whitespace() && !"_-.".contains(*character)
    };
    let seen = name.chars().filter(is_seen);
    let plain: String = seen.flat_map(char::to_lowercase).map(latin_lookalike).collect();
    plain.replace("rn", "m").replace("vv", "w")
}

/// The letter that a character resembles.
fn latin_lookalike(character: char) -> char {
    match character {
        '0' | 'ο' | 'о' | 'օ' => 'o',
        '1' | 'l' | 'i' | '|' | 'ı' | 'і' | 'ӏ' | 'ι' => 'l',
        'а' | 'α' | 'ɑ' => 'a',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'һ' => 'h',
        'ј' => 'j',
        'κ' | 'к' => 'k',
        'м' => 'm',
        'ո' | 'п' => 'n',
        'р' | 'ρ' => 'p',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ν' | 'ѵ' => 'v',
        'ѡ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'ᴢ' => 'z',
        // Fullwidth letters.
        '\u{ff41}'..='\u{ff5a}' => {
            char::from_u32(u32::from(character) - 0xff41 + u32::from('a')).unwrap_or(character)
        }
        other => other,
    }
}

/// The maximum number of names that a name is compared with.
pub const LIKENESS_NAMES_MAX: usize = 200;
/// The maximum number of characters shown as code points.
const CHARACTERS_SHOWN: usize = 3;
/// The maximum number of characters shown of a similar name.
const NAME_SHOWN: usize = 20;
