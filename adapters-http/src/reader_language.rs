//! The language that a request asks for: its `Accept-Language`.

use entracte_application::settings::Language;
use entracte_application::texts::ReaderLanguage;
use http::{HeaderMap, header};

/// The language with texts that the sender of a request prefers, if any.
pub(crate) fn reader_of(headers: &HeaderMap) -> ReaderLanguage {
    let lines = headers.get_all(header::ACCEPT_LANGUAGE).iter().filter_map(|value| value.to_str().ok());
    preferred_language(lines).into()
}

/// The same, for what concerns no workspace: English if the request asks for no language.
pub(crate) fn language_of(headers: &HeaderMap) -> Language {
    reader_of(headers).in_workspace(Language::default())
}

/// The language of the greatest weight, the first one of equals; `None` if there are texts in none of them.
fn preferred_language<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Language> {
    let ranges = lines.flat_map(|line| line.split(',')).filter_map(language_range);
    let wanted = ranges.filter(|(_, weight)| *weight > 0.0);
    let best = wanted.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(language, _)| language)
}

/// A language with texts, and its weight: `fr-CA;q=0.8`.
fn language_range(text: &str) -> Option<(Language, f32)> {
    let mut parts = text.split(';').map(str::trim);
    let code: String = parts.next()?.chars().take_while(char::is_ascii_alphabetic).collect();
    let language = Language::from_word(&code.to_ascii_lowercase())?;
    Some((language, parts.find_map(weight).unwrap_or(1.0)))
}

/// The weight of `q=0.8`; `None` for another parameter. One that cannot be read, or is not from 0 to 1, is 0.
fn weight(parameter: &str) -> Option<f32> {
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let value = value.trim().parse::<f32>().ok().filter(|value| (0.0..=1.0).contains(value));
    Some(value.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    /// Input: heads as browsers, programs and terminals send them; expected: the language with texts that weighs most.
    #[test]
    fn request_asks_for_language_of_greatest_weight() {
        let cases: [(&[&str], Option<Language>); 16] = [
            (&["fr-CA,fr;q=0.9,en;q=0.8"], Some(Language::Fr)),
            (&["en;q=0.3, FR;q=0.7"], Some(Language::Fr)),
            (&["de, en;q=0.5"], Some(Language::En)),
            (&["de", "fr;q=0.1"], Some(Language::Fr)),
            (&["fr;q=0, en;q=0.1"], Some(Language::En)),
            (&["fr;q=many, en;q=0.1"], Some(Language::En)),
            (&["fr;q=NaN, en;q=0.1"], Some(Language::En)),
            (&["fr;q=inf, en;q=0.1"], Some(Language::En)),
            (&["fr;q=-1, en;q=0.1"], Some(Language::En)),
            (&["fr;Q=0.1, en;q=0.2"], Some(Language::En)),
            (&["fr;level=1;q=0.1, en;q=0.2"], Some(Language::En)),
            (&[";q=1,,;,fr;"], Some(Language::Fr)),
            (&["de"], None),
            (&["*"], None),
            (&[""], None),
            (&[], None),
        ];
        for (lines, expected) in cases {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::ACCEPT_LANGUAGE, HeaderValue::from_str(line).unwrap());
            }
            assert_eq!(reader_of(&headers).requested(), expected, "{lines:?}");
        }
    }
}
