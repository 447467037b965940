//! Paths of the API with their queries, percent-encoded.

use entracte_domain::id::WorkspaceKey;
use url::form_urlencoded::{Serializer, byte_serialize};

/// A path below `/v1`, with its query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiPath {
    path: String,
    query: Vec<(String, String)>,
}

impl ApiPath {
    /// `/v1/` and these segments.
    pub fn new(segments: &[&str]) -> Self {
        let path = segments.iter().fold("/v1".to_owned(), |path, segment| path + "/" + &encoded(segment));
        Self { path, query: Vec::new() }
    }

    /// `/v1/workspaces/{workspace}/` and these segments.
    pub fn in_workspace(workspace: &WorkspaceKey, segments: &[&str]) -> Self {
        let mut all = vec!["workspaces", workspace.as_str()];
        all.extend(segments);
        Self::new(&all)
    }

    /// Adds a parameter to the query.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.query.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a parameter to the query, if it has a value.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The path and the query, as a request sends them.
    pub fn target(&self) -> String {
        if self.query.is_empty() {
            return self.path.clone();
        }
        let query = Serializer::new(String::new()).extend_pairs(&self.query).finish();
        format!("{}?{query}", self.path)
    }
}

/// The segment, so that it stays one: dots alone would name a folder above, also when they are encoded.
fn encoded(segment: &str) -> String {
    let dots = if matches!(segment, "" | "." | "..") { "%20" } else { "" };
    byte_serialize(segment.as_bytes()).collect::<String>().replace('+', "%20") + dots
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: names with everything that a path and a query treat specially; expected: each stays one segment or value.
    #[test]
    fn names_stay_in_their_segment() {
        let workspace = WorkspaceKey::new("ann:a/b?c#d e");
        let path = ApiPath::in_workspace(&workspace, &["rules", "..", "rul_é%2F"]).with("q", "a&b=c d");
        assert_eq!(
            path.target(),
            "/v1/workspaces/ann%3Aa%2Fb%3Fc%23d%20e/rules/..%20/rul_%C3%A9%252F?q=a%26b%3Dc+d"
        );
        assert_eq!(ApiPath::new(&["me"]).with_some("x", None).target(), "/v1/me");
    }
}
