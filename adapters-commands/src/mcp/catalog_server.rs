//! The server side of the protocol: offers commands to an external AI, one tool each.
//!
//! Only the protocol is here: names, declarations, results. Execution and approval are up to [`McpCommandHandler`].

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::command_naming::CommandNaming;
use entracte_application::json_value::{self, to_text};
use entracte_application::ports::{CommandSpec, command_doc};
use entracte_application::protocol::tools::tool_name;
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::command::{Command, CommandKind, EffectClass};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{QuitReason, RequestContext, RoleServer};
use rmcp::transport::async_rw::{AsyncRwTransport, DEFAULT_MAX_LINE_LENGTH};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, interval_at};

use super::catalog_answer::output_schema;
use super::exact_numbers::{MARKED_LENGTH_MAX, ToolPayloads, from_library, to_library};
use super::exact_pipes::{MarkedLineReader, PlainLineWriter};

pub use super::catalog_answer::{McpApprovalReason, McpPendingApproval, McpResultFile, McpToolResult};

/// Handles the calls of an external AI.
#[async_trait]
pub trait McpCommandHandler: Send + Sync {
    /// Runs `command`, and returns its result. A call that waits for approval or was refused is a result too, never
    /// an error. After `cancellation` is requested, what has not begun is left out.
    async fn call(&self, command: Command, cancellation: McpCallCancellation) -> McpToolResult;
}

/// Tells whether the client has cancelled a call.
#[derive(Clone, Debug, Default)]
pub struct McpCallCancellation(Arc<AtomicBool>);

impl McpCallCancellation {
    /// Whether the client has cancelled the call.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
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
    let texts = LocalizedTexts::for_language(language);
    let output = Arc::new(output_schema(texts));
    let tools = commands.iter().map(|spec| (tool(spec, language, &output), spec.name.clone())).collect();
    let server = McpCatalogServer { tools, texts, offered };
    let broke = |error: &dyn std::fmt::Display| McpServeError(error.to_string());
    let reader = MarkedLineReader::new(reader, ToolPayloads::OF_CLIENT, DEFAULT_MAX_LINE_LENGTH);
    let writer = PlainLineWriter::new(writer, ToolPayloads::OF_SERVER);
    let pipes = AsyncRwTransport::new_server(reader, writer)
        .with_max_line_length(DEFAULT_MAX_LINE_LENGTH.saturating_mul(MARKED_LENGTH_MAX));
    let running = match server.serve(pipes).await {
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
    async fn served(
        &self,
        request: CallToolRequestParams,
        cancellation: McpCallCancellation,
    ) -> McpToolResult {
        let named = self.tools.iter().find(|(tool, _)| tool.name == request.name);
        let Some((_, name)) = named else {
            let names: Vec<&str> = self.tools.iter().map(|(tool, _)| tool.name.as_ref()).collect();
            let (name, known) = (request.name.as_ref(), names.join(", "));
            let text = say!(self.texts, "tools-serve-unknown", name = name, known = known);
            return McpToolResult::failed(Some("UNKNOWN_COMMAND"), text);
        };
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        // As those of a model: what cannot be stored is refused.
        let arguments = match json_value::parse(&to_text(&from_library(&arguments))) {
            Ok(arguments) => arguments,
            Err(fault) => return McpToolResult::failed(Some("INVALID_ARGUMENTS"), fault.to_string()),
        };
        self.offered.call(Command { name: name.clone(), arguments }, cancellation).await
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
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let cancellation = McpCallCancellation::default();
        let mut served = pin!(self.served(request, cancellation.clone()));
        let mut ticks = interval_at(Instant::now() + PROGRESS_FIRST, PROGRESS_EVERY);
        let (token, mut told) = (context.meta.get_progress_token(), 0_u32);
        loop {
            tokio::select! {
                biased;
                result = &mut served => return Ok(result.into_wire(self.texts).into()),
                () = context.ct.cancelled(), if !cancellation.is_requested() => {
                    cancellation.0.store(true, Ordering::SeqCst);
                }
                _ = ticks.tick(), if token.is_some() => {
                    told += 1;
                    let Some(token) = token.clone() else { continue };
                    let progress = ProgressNotificationParam::new(token, f64::from(told))
                        .with_message(say!(self.texts, "tools-serve-running"));
                    // A client that has left needs none.
                    let _ = context.peer.notify_progress(progress).await;
                }
            }
        }
    }
}

/// When the client first hears that a call is not over yet.
const PROGRESS_FIRST: Duration = Duration::from_secs(1);
/// How often it hears so afterwards; some clients give a silent call up after 60 s.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);

/// Converts a command into a tool.
fn tool(spec: &CommandSpec, language: Language, output: &Arc<JsonObject>) -> Tool {
    let schema = to_library(&spec.schema);
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    let is_query = spec.kind == CommandKind::Query;
    let is_idempotent = is_query || spec.effect == EffectClass::Idempotent;
    let annotations = ToolAnnotations::with_title(spec.name.clone())
        .read_only(is_query)
        .destructive(spec.destructive)
        .idempotent(is_idempotent)
        .open_world(spec.egress);
    Tool::new(tool_name(&spec.name), command_doc(spec, CommandNaming::Tools, language), schema)
        .with_annotations(annotations)
        .with_raw_output_schema(Arc::clone(output))
}

#[cfg(test)]
mod tests {
    use entracte_application::json_value::ExactJson;
    use entracte_application::schema::SchemaDocument;
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

    use super::*;

    /// Answers with the arguments of the call.
    struct EchoHandler;

    #[async_trait]
    impl McpCommandHandler for EchoHandler {
        async fn call(&self, command: Command, _cancellation: McpCallCancellation) -> McpToolResult {
            let result = ExactJson(command.arguments);
            McpToolResult { status: "succeeded".to_owned(), result, ..McpToolResult::default() }
        }
    }

    /// Input: a declaration, and calls, with numbers that no machine number holds; expected: the client reads their digits,
    /// and a number beyond a double is refused.
    #[tokio::test]
    async fn numbers_keep_digits_for_external_client() {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(near);
        let schema = r#"{"properties":{"amount":{"maximum":72.50}},"type":"object"}"#;
        let spec = CommandSpec::query("PAY", "pay.send", "Pays.", SchemaDocument::parse(schema).unwrap());
        let serving =
            tokio::spawn(
                async move { serve(reader, writer, &[spec], Language::En, Arc::new(EchoHandler)).await },
            );
        let (reader, mut writer) = tokio::io::split(far);
        let mut lines = BufReader::new(reader).lines();
        let info = r#""capabilities":{},"clientInfo":{"name":"test","version":"1"}"#;
        let begin = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25",{info}}}}}"#
        );
        let call = |amount: &str| {
            let params = format!(r#"{{"name":"pay_send","arguments":{{"amount":{amount}}}}}"#);
            format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{params}}}"#)
        };
        let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#.to_owned();
        let mut said = Vec::new();
        for request in [begin, list, call("12345678901234567890.12"), call("1e999")] {
            writer.write_all(format!("{request}\n").as_bytes()).await.unwrap();
            if said.is_empty() {
                let ready = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
                writer.write_all(ready.as_bytes()).await.unwrap();
            }
            said.push(lines.next_line().await.unwrap().unwrap());
        }
        assert!(said[1].contains(r#""maximum":72.50"#), "{}", said[1]);
        assert!(said[2].contains(r#""result":{"amount":12345678901234567890.12}"#), "{}", said[2]);
        assert!(said[2].contains(r#"\"amount\":12345678901234567890.12"#), "{}", said[2]);
        assert!(said[3].contains("number out of range"), "{}", said[3]);
        writer.shutdown().await.unwrap();
        drop((lines, writer));
        serving.await.unwrap().unwrap();
    }
}
