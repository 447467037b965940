//! URL templates: RFC 6570, level 1. The value of a variable never changes the host of the request.

use entracte_application::texts::{LocalizedMessage, saying};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;

use crate::egress::{EgressError, parse_url};

/// The variable that is not an argument: the idempotency key of the call.
pub(crate) const CALL_KEY: &str = "call.key";

/// The characters to encode: all but the unreserved ones of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A checked template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UrlTemplate {
    pieces: Vec<TemplateSegment>,
    /// The URL with `x` for every variable; every filled URL has its scheme, host and port.
    sample: Url,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplateSegment {
    Text(String),
    Variable { name: String, in_path: bool },
}

/// A variable that cannot be filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateFillError {
    /// The variable.
    pub(crate) name: String,
    /// The fault of its value.
    pub(crate) problem: TemplateValueFault,
}

/// Why a value cannot be filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplateValueFault {
    /// An empty value in the path.
    Empty,
    /// The value would change the path.
    OtherPath,
    /// It is a list or an object.
    NotSingle,
}

impl UrlTemplate {
    /// Parses a template; the error names its fault.
    pub(crate) fn parse(text: &str) -> Result<Self, LocalizedMessage> {
        if let Some(bad) =
            text.chars().find(|c| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '#'))
        {
            let given = text.escape_debug().to_string();
            return Err(saying!("fault-bad-character", given = given, character = format!("{bad:?}")));
        }
        let pieces = pieces(text)?;
        let template = Self { sample: sample(&pieces)?, pieces };
        if has_dots(&template.joined(|_| "x".to_owned())) {
            return Err(saying!("fault-dots"));
        }
        Ok(template)
    }

    /// The variables, with whether each is part of the path.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, bool)> {
        self.pieces.iter().filter_map(|piece| match piece {
            TemplateSegment::Variable { name, in_path } => Some((name.as_str(), *in_path)),
            TemplateSegment::Text(_) => None,
        })
    }

    /// A URL with the scheme, host and port of every filled one.
    pub(crate) fn sample(&self) -> &Url {
        &self.sample
    }

    /// The URL with all variables filled. A missing value is empty, which only the query allows.
    pub(crate) fn fill(&self, value: impl Fn(&str) -> Option<String>) -> Result<String, TemplateFillError> {
        for (name, _) in self.variables().filter(|(_, in_path)| *in_path) {
            if value(name).unwrap_or_default().is_empty() {
                return Err(TemplateFillError { name: name.to_owned(), problem: TemplateValueFault::Empty });
            }
        }
        let encoded = |name: &str| utf8_percent_encode(&value(name).unwrap_or_default(), ENCODED).to_string();
        let filled = self.joined(encoded);
        // Servers interpret `..` in a path as the parent, encoded or not, and some decode slashes first.
        if has_dots(&filled) || !self.is_same_origin(&filled) {
            let name = self.variables().find(|(_, in_path)| *in_path).map_or("", |(name, _)| name);
            return Err(TemplateFillError { name: name.to_owned(), problem: TemplateValueFault::OtherPath });
        }
        Ok(filled)
    }

    fn joined(&self, value: impl Fn(&str) -> String) -> String {
        let part = |piece: &TemplateSegment| match piece {
            TemplateSegment::Text(text) => text.clone(),
            TemplateSegment::Variable { name, .. } => value(name),
        };
        self.pieces.iter().map(part).collect()
    }

    fn is_same_origin(&self, filled: &str) -> bool {
        parse_url(filled).is_ok_and(|url| url.origin() == self.sample.origin())
    }
}

fn pieces(text: &str) -> Result<Vec<TemplateSegment>, LocalizedMessage> {
    let (mut pieces, mut rest, mut before) = (Vec::new(), text, String::new());
    while let Some(open) = rest.find(['{', '}']) {
        let (literal, from) = rest.split_at(open);
        let inside = from.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let Some((name, after)) = inside else { return Err(saying!("fault-braces")) };
        before.push_str(literal);
        if !is_name(name) {
            let given = format!("{{{name}}}");
            return Err(saying!("fault-not-variable-form", given = given, form = "{name}"));
        }
        if !is_past_authority(&before) {
            return Err(saying!("fault-in-host", given = format!("{{{name}}}")));
        }
        pieces.push(TemplateSegment::Text(literal.to_owned()));
        pieces.push(TemplateSegment::Variable { name: name.to_owned(), in_path: !before.contains('?') });
        rest = after;
    }
    pieces.push(TemplateSegment::Text(rest.to_owned()));
    Ok(pieces)
}

fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.split('.').all(|part| !part.is_empty() && part.chars().all(letter))
}

/// Whether the host ends within `text`.
fn is_past_authority(text: &str) -> bool {
    text.split_once("://").is_some_and(|(_, rest)| rest.contains(['/', '?']))
}

fn sample(pieces: &[TemplateSegment]) -> Result<Url, LocalizedMessage> {
    let part = |piece: &TemplateSegment| match piece {
        TemplateSegment::Text(text) => text.clone(),
        TemplateSegment::Variable { .. } => "x".to_owned(),
    };
    let text: String = pieces.iter().map(part).collect();
    if !text.contains("://") {
        return Err(saying!("fault-not-whole"));
    }
    parse_url(&text).map_err(|fault| match fault {
        EgressError::Url { problem } => saying!("tools-url", problem = problem.saying()),
        // Other parser errors do not occur for a template.
        other => saying!("fault-words", words = other.to_string()),
    })
}

/// Whether a path segment is `.` or `..` for a server that decodes it any number of times: before it splits at
/// slashes of either kind, or after it has removed the parameters of a segment. A path that is encoded too often
/// counts as such.
fn has_dots(address: &str) -> bool {
    let after_scheme = address.split_once("://").map_or(address, |(_, rest)| rest);
    let without_query = after_scheme.split('?').next().unwrap_or_default();
    let mut path = without_query.split_once('/').map_or("", |(_, path)| path).to_owned();
    for _ in 0..=DECODINGS_MAX {
        let decoded = percent_decode_str(&path).decode_utf8_lossy().into_owned();
        if decoded == path {
            return path.split(['/', '\\']).any(is_step);
        }
        path = decoded;
    }
    true
}

/// Whether a segment is `.` or `..`; its parameters follow `;`.
fn is_step(part: &str) -> bool {
    matches!(part.split(';').next(), Some("." | ".."))
}

/// The most levels of percent encoding that are decoded.
const DECODINGS_MAX: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(template: &str, values: &[(&str, &str)]) -> Result<String, TemplateFillError> {
        let value =
            |name: &str| values.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).to_owned());
        UrlTemplate::parse(template).unwrap().fill(value)
    }

    #[test]
    fn values_are_encoded_in_place() {
        let path = |value| fill("https://a.b/p/{x}/q", &[("x", value)]).unwrap();
        assert_eq!(path("Zürich"), "https://a.b/p/Z%C3%BCrich/q");
        assert_eq!(path("a/b?c#d"), "https://a.b/p/a%2Fb%3Fc%23d/q");
        assert_eq!(path("100%25%2F"), "https://a.b/p/100%2525%252F/q");
        assert_eq!(path("a-b.c_d~e"), "https://a.b/p/a-b.c_d~e/q");
        assert_eq!(path(r"\@evil"), "https://a.b/p/%5C%40evil/q");
        assert_eq!(path("\r\n\0"), "https://a.b/p/%0D%0A%00/q");
        let query = |values: &[(&str, &str)]| fill("https://a.b?q={q}&r={r}", values).unwrap();
        assert_eq!(query(&[("q", "a&r=1"), ("r", "+ ")]), "https://a.b?q=a%26r%3D1&r=%2B%20");
        assert_eq!(query(&[("r", "..")]), "https://a.b?q=&r=..");
    }

    #[test]
    fn values_cannot_change_path() {
        for (template, value) in [
            ("https://a.b/p/{x}", ".."),
            ("https://a.b/p/{x}", "."),
            ("https://a.b/p/{x}/q", ".."),
            ("https://a.b/p/{x}{x}", "."),
            ("https://a.b/p/.{x}", "."),
            ("https://a.b/p/%2e{x}", "."),
            ("https://a.b/p/{x}", ""),
            // A server that decodes first interprets the slashes of a value as its own.
            ("https://a.b/p/{x}", "../../admin/missing"),
            ("https://a.b/p/{x}", "a/../../admin"),
            ("https://a.b/p/{x}", "a/./b"),
            ("https://a.b/p/{x}", "a/.."),
            ("https://a.b/p/{x}", r"..\admin"),
            ("https://a.b/p/{x}", r"a\..\..\admin"),
            ("https://a.b/p/.{x}", "./admin"),
            ("https://a.b/p/{x}.", "a/."),
            ("https://a.b/p/{x}%2F{x}", "."),
            ("https://a.b/p/{x}?q=1", "../admin"),
            // A server behind a decoding proxy decodes once more.
            ("https://a.b/p/{x}", "%2e%2e"),
            ("https://a.b/p/{x}", "%2E%2E%2Fadmin"),
            ("https://a.b/p/{x}", "..%2fadmin"),
            ("https://a.b/p/{x}", "%252e%252e%255cadmin"),
            // Some servers remove parameters first.
            ("https://a.b/p/{x}", "..;a=b/admin"),
        ] {
            let refused = fill(template, &[("x", value)]).map_err(|unfilled| unfilled.problem);
            let expected =
                if value.is_empty() { TemplateValueFault::Empty } else { TemplateValueFault::OtherPath };
            assert_eq!(refused, Err(expected), "{template} {value}");
        }
        let often_encoded = format!("%{}2e", "25".repeat(50_000));
        assert!(fill("https://a.b/p/{x}", &[("x", &often_encoded)]).is_err());
        assert!(fill("https://a.b/p/{x}", &[]).is_err());
        for value in
            ["...", "a/b", "v1.2", "..hidden", "a/..hidden", "a..b", "a../b", "a;..", "50%", "%2e%2ea"]
        {
            assert!(fill("https://a.b/p/{x}", &[("x", value)]).is_ok(), "{value}");
        }
        // The query is not part of the path.
        assert!(fill("https://a.b/p?q={x}", &[("x", "../../admin")]).is_ok());
    }

    #[test]
    fn host_changing_or_higher_level_template_is_refused() {
        for (template, words) in [
            ("{scheme}://a.b/", "in the scheme or the host"),
            ("https://{host}/", "in the scheme or the host"),
            ("https://a{x}.b/", "in the scheme or the host"),
            ("https://a.b{x}", "in the scheme or the host"),
            ("https://a.b:{port}/", "in the scheme or the host"),
            ("https://{user}@a.b/", "in the scheme or the host"),
            ("https://a.b/{+x}", "level 1"),
            ("https://a.b/{?x}", "level 1"),
            ("https://a.b/{x,y}", "level 1"),
            ("https://a.b/{x*}", "level 1"),
            ("https://a.b/{x:3}", "level 1"),
            ("https://a.b/{}", "level 1"),
            ("https://a.b/{x", "braces"),
            ("https://a.b/x}", "braces"),
            ("https://a.b/{{x}}", "level 1"),
            ("https://a.b/#{x}", "'#'"),
            (r"https://a.b\{x}", r"'\\'"),
            ("https://a.b/ {x}", "' '"),
            ("https://a.b/../{x}", "“..”"),
            ("https://a.b/%2E/{x}", "“.”"),
            ("https://a.b/p%2F..%2F{x}", "“..”"),
            ("https://ann:word@a.b/", "user name or a password"),
            ("ftp://a.b/", "neither http nor https"),
            ("a.b/{x}", "scheme or the host"),
            ("a.b", "whole address"),
            ("https:a.b/", "whole address"),
        ] {
            let fault = UrlTemplate::parse(template).unwrap_err();
            assert!(fault.to_string().contains(words), "{template}: {fault}");
        }
    }
}
