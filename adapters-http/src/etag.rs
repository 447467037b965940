//! Entity tags: every change and decision sends back the tag of the version that was read.

use entracte_application::system::sha256;
use entracte_application::texts::saying;
use http::{HeaderMap, HeaderValue, header};
use serde::Serialize;

use crate::problem::{Problem, ProblemCode};

/// A strong entity tag, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityTag(String);

impl EntityTag {
    /// A tag from a version: a digest or a revision.
    pub fn new(version: impl Into<String>) -> Self {
        Self(version.into())
    }

    /// A tag from the content of an answer.
    pub fn from_content(shown: &impl Serialize) -> Self {
        let text = serde_json::to_vec(shown).unwrap_or_default();
        Self(sha256(&text).as_str().chars().take(32).collect())
    }

    /// The version text of the tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The tag as headers have it, with quotes.
    pub fn quoted(&self) -> String {
        format!("\"{}\"", self.0)
    }

    /// The tag as a header value.
    pub fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.quoted()).ok()
    }
}

/// The tag in the `If-Match` header.
///
/// # Errors
/// If the header is missing, or is not exactly one strong tag: `*` names no version that was read.
pub fn read_if_match(headers: &HeaderMap) -> Result<EntityTag, Problem> {
    let needed = || {
        let text = saying!("refusal-if-match");
        Problem::new(ProblemCode::PreconditionRequired, text)
    };
    let mut all = headers.get_all(header::IF_MATCH).iter();
    let (Some(value), None) = (all.next(), all.next()) else { return Err(needed()) };
    let text = value.to_str().map_err(|_| needed())?.trim();
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).ok_or_else(needed)?;
    if inner.is_empty() || inner.contains('"') {
        return Err(needed());
    }
    Ok(EntityTag::new(inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_match_accepts_one_strong_tag() {
        let read = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::IF_MATCH, HeaderValue::from_str(value).unwrap());
            }
            read_if_match(&headers).map(|tag| tag.as_str().to_owned()).map_err(|problem| problem.code())
        };
        assert_eq!(read(&["\"9f3c\""]), Ok("9f3c".to_owned()));
        let wrong: [&[&str]; 7] =
            [&[], &["*"], &["W/\"9f3c\""], &["9f3c"], &["\"\""], &["\"a\", \"b\""], &["\"a\"", "\"a\""]];
        for values in wrong {
            assert_eq!(read(values), Err(ProblemCode::PreconditionRequired), "{values:?}");
        }
    }

    #[test]
    fn tag_changes_with_content() {
        assert_eq!(EntityTag::from_content(&("a", 1)), EntityTag::from_content(&("a", 1)));
        assert_ne!(EntityTag::from_content(&("a", 1)), EntityTag::from_content(&("a", 2)));
        assert_eq!(EntityTag::new("x").header().unwrap(), "\"x\"");
    }
}
