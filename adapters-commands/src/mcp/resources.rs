//! The resources of a server as two queries, which Entracte declares itself: `list_resources` and `read_resource`.
//!
//! They are accepted, approved and called like the tools of the server, and exist only where it has resources and no
//! tool of that name. Their declarations do not say that they reach nothing outside, so they ask until a person says
//! otherwise.

use entracte_application::texts::{LocalizedTexts, say};
use rmcp::RoleClient;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, JsonObject, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse,
};
use rmcp::service::{Peer, ServiceError};
use serde_json::{Value, json};

use super::content::{resource_line, template_line};
use super::declaration::{McpToolAnnotations, McpToolDeclaration};
use super::text::line;

/// A query of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum McpResourceQuery {
    /// Lists them, and the templates of their addresses.
    List,
    /// Reads one.
    Read,
}

/// Where a list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ListPage {
    /// The resources, from this cursor of the server.
    Resources(Option<String>),
    /// The templates, from this cursor of the server.
    Templates(Option<String>),
}

impl McpResourceQuery {
    /// Every query.
    pub(super) const ALL: [Self; 2] = [Self::List, Self::Read];

    /// Its declaration.
    pub(super) fn declaration(self) -> McpToolDeclaration {
        let (name, description, schema) = match self {
            Self::List => (
                "list_resources",
                "Lists the resources of this MCP server: the URI of each with its name and type, and templates of \
                 further URIs. cursor: where a long list goes on, as its first part says.",
                json!({"type": "object", "properties": {"cursor": {"type": "string"}}, "additionalProperties": false}),
            ),
            Self::Read => (
                "read_resource",
                "Reads a resource of this MCP server. uri: as the list of resources or a link in a result has it.",
                json!({
                    "type": "object", "properties": {"uri": {"type": "string"}}, "required": ["uri"],
                    "additionalProperties": false,
                }),
            ),
        };
        McpToolDeclaration {
            name: name.to_owned(),
            title: None,
            description: Some(description.to_owned()),
            schema: schema.into(),
            annotations: McpToolAnnotations { read_only: Some(true), ..McpToolAnnotations::default() },
        }
    }

    /// The query of this declaration; `None` for a tool of the server.
    pub(super) fn of(declaration: &McpToolDeclaration) -> Option<Self> {
        Self::ALL.into_iter().find(|query| query.declaration() == *declaration)
    }

    /// Sends the query, and returns its answer as the result of a tool.
    pub(super) async fn run(
        self,
        peer: &Peer<RoleClient>,
        arguments: &JsonObject,
        texts: &LocalizedTexts,
    ) -> Result<CallToolResponse, ServiceError> {
        let argument = |name| arguments.get(name).and_then(Value::as_str);
        match self {
            Self::List => {
                let lines = list(peer, ListPage::parse(argument("cursor")), texts).await?;
                Ok(CallToolResult::success(vec![ContentBlock::text(lines.join("\n"))]).into())
            }
            Self::Read => {
                let uri = argument("uri").unwrap_or_default();
                match peer.read_resource_once(ReadResourceRequestParams::new(uri)).await? {
                    ReadResourceResponse::Complete(read) => {
                        let contents = read.contents.into_iter().map(ContentBlock::resource).collect();
                        Ok(CallToolResult::success(contents).into())
                    }
                    ReadResourceResponse::InputRequired(asked) => Ok(asked.into()),
                    // The protocol may grow.
                    _ => Err(ServiceError::UnexpectedResponse),
                }
            }
        }
    }
}

impl ListPage {
    fn parse(cursor: Option<&str>) -> Self {
        match cursor.map(|cursor| (cursor.strip_prefix(TEMPLATES), cursor)) {
            None => Self::Resources(None),
            Some((Some(of_templates), _)) => Self::Templates(Some(of_templates.to_owned())),
            Some((None, of_resources)) => Self::Resources(Some(of_resources.to_owned())),
        }
    }
}

/// One page of the list: the templates follow the last resource.
async fn list(
    peer: &Peer<RoleClient>,
    page: ListPage,
    texts: &LocalizedTexts,
) -> Result<Vec<String>, ServiceError> {
    let from = |cursor: Option<String>| {
        cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)))
    };
    let more = |cursor: String| say!(texts, "tools-mcp-list-more", cursor = line(&cursor, CURSOR_MAX_CHARS));
    let mut lines = Vec::new();
    let of_templates = match page {
        ListPage::Templates(cursor) => cursor,
        ListPage::Resources(cursor) => {
            let found = peer.list_resources(from(cursor)).await?;
            lines.extend(found.resources.iter().map(|resource| resource_line(resource, texts)));
            if let Some(next) = found.next_cursor {
                lines.push(more(next));
                return Ok(lines);
            }
            None
        }
    };
    match peer.list_resource_templates(from(of_templates)).await {
        Ok(found) => {
            lines.extend(found.resource_templates.iter().map(|template| template_line(template, texts)));
            lines.extend(found.next_cursor.map(|next| more(format!("{TEMPLATES}{next}"))));
        }
        // A server without templates need not know the request.
        Err(ServiceError::McpError(error)) if error.code == rmcp::model::ErrorCode::METHOD_NOT_FOUND => {}
        Err(error) => return Err(error),
    }
    if lines.is_empty() {
        lines.push(say!(texts, "tools-mcp-list-empty"));
    }
    Ok(lines)
}

/// The most characters of a cursor; one that is longer cannot be sent back.
const CURSOR_MAX_CHARS: usize = 2_000;
/// The beginning of a cursor in the list of templates.
const TEMPLATES: &str = "templates:";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::config::McpToolConfig;
    use crate::mcp::spec;

    #[test]
    fn resource_queries_ask_until_a_person_decides() {
        for query in McpResourceQuery::ALL {
            let declaration = query.declaration();
            assert_eq!(McpResourceQuery::of(&declaration), Some(query));
            let rule = |known: &McpToolConfig| spec::rule(&declaration.annotations, known);
            assert!(rule(&McpToolConfig::default()).requires_approval());
            let decided = McpToolConfig { validation: Some(false), ..McpToolConfig::default() };
            assert!(!rule(&decided).requires_approval());
            let other = McpToolDeclaration { title: Some("Mine".into()), ..declaration.clone() };
            assert_eq!(McpResourceQuery::of(&other), None, "it is a tool of the server");
        }
    }

    #[test]
    fn cursor_says_which_list_goes_on() {
        assert_eq!(ListPage::parse(None), ListPage::Resources(None));
        assert_eq!(ListPage::parse(Some("7")), ListPage::Resources(Some("7".into())));
        assert_eq!(ListPage::parse(Some("templates:7")), ListPage::Templates(Some("7".into())));
    }
}
