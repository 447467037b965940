//! The server side of the protocol: offers commands to an external AI, one tool each.
//!
//! Only the protocol is here: names, declarations, results. Execution and approval are up to [`McpCommandHandler`].

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::command_naming::CommandNaming;
use entracte_application::ports::{CommandSpec, command_doc};
use entracte_application::protocol::tools::tool_name;
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::command::{Command, CommandKind, EffectClass};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{QuitReason, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};

/// Handles the calls of an external AI.
#[async_trait]
pub trait McpCommandHandler: Send + Sync {
    /// Runs `command`, and returns its result. A call that waits for approval or was refused is a result too, never
    /// an error.
    async fn call(&self, command: Command) -> McpToolResult;
}

/// The result of a call, as the external AI receives it.
#[derive(Clone, Debug, PartialEq)]
pub struct McpToolResult {
    /// The text for the AI.
    pub text: String,
    /// The same as JSON, for programs; `None` if there is only text.
    pub structured: Option<serde_json::Value>,
    /// Whether the call failed.
    pub is_error: bool,
}

/// The connection to the external AI broke; with the reason.
#[derive(Debug, thiserror::Error)]
#[error("the connection to the MCP client broke: {0}")]
pub struct McpServeError(String);

/// Offers commands over this reader and writer until the client closes them.
///
/// # Errors
/// When the connection cannot be set up, or its task panics.
pub async fn serve<R, W>(
    reader: R,
    writer: W,
    commands: &[CommandSpec],
    language: Language,
    offered: Arc<dyn McpCommandHandler>,
) -> Result<(), McpServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let tools = commands.iter().map(|spec| (tool(spec, language), spec.name.clone())).collect();
    let server = McpCatalogServer { tools, texts: LocalizedTexts::for_language(language), offered };
    let broke = |error: &dyn std::fmt::Display| McpServeError(error.to_string());
    let running = match server.serve((reader, writer)).await {
        Ok(running) => running,
        // A client that disconnects before its first message is not an error.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(broke(&error)),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(broke(&error)),
        Ok(_) => Ok(()),
    }
}

struct McpCatalogServer {
    /// Each tool with the name of its command.
    tools: Vec<(Tool, String)>,
    texts: &'static LocalizedTexts,
    offered: Arc<dyn McpCommandHandler>,
}

impl McpCatalogServer {
    async fn served(&self, request: CallToolRequestParams) -> McpToolResult {
        let named = self.tools.iter().find(|(tool, _)| tool.name == request.name);
        let Some((_, name)) = named else {
            let names: Vec<&str> = self.tools.iter().map(|(tool, _)| tool.name.as_ref()).collect();
            let (name, known) = (request.name.as_ref(), names.join(", "));
            let text = say!(self.texts, "tools-serve-unknown", name = name, known = known);
            return McpToolResult { text, structured: None, is_error: true };
        };
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let arguments = entracte_application::json_value::from_serde(&arguments);
        self.offered.call(Command { name: name.clone(), arguments }).await
    }
}

impl ServerHandler for McpCatalogServer {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("entracte", env!("CARGO_PKG_VERSION"));
        info.with_instructions(say!(self.texts, "tools-serve-instructions"))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(|(tool, _)| tool.clone()).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let McpToolResult { text, structured, is_error } = self.served(request).await;
        let content = vec![ContentBlock::text(text)];
        let mut result =
            if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = structured;
        Ok(result.into())
    }
}

/// Converts a command into a tool.
fn tool(spec: &CommandSpec, language: Language) -> Tool {
    let schema: JsonObject = spec.schema.as_object().cloned().unwrap_or_default();
    let is_query = spec.kind == CommandKind::Query;
    let is_idempotent = is_query || spec.effect == EffectClass::Idempotent;
    let annotations = ToolAnnotations::with_title(spec.name.clone())
        .read_only(is_query)
        .destructive(spec.destructive)
        .idempotent(is_idempotent)
        .open_world(spec.egress);
    Tool::new(tool_name(&spec.name), command_doc(spec, CommandNaming::Tools, language), schema)
        .with_annotations(annotations)
}
