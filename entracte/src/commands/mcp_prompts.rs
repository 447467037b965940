//! `mcp prompts`: the prompts of MCP servers, which a chat fetches by `/SERVER:PROMPT`.

use entracte_adapters_commands::mcp::{McpPrompt, McpPromptError};
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::json;

use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};
use crate::render::text::one_line;

use super::command_accept::warn_of_unavailable;
use super::mcp_tools::check_configured;

/// Lists the prompts of a server, or of all; starts them.
pub(super) async fn list(context: &CommandContext, server: Option<&str>) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let texts = context.texts(&services, &context.settings.workspace).await?;
    if let Some(server) = server {
        check_configured(&services.mcp(), server, texts)?;
    }
    let prompts = prompts_of(context, &services, server, texts).await;
    services.mcp().close().await;
    let prompts = prompts?;
    if context.out.json {
        let object = |prompt: &McpPrompt| {
            let argument = |argument: &entracte_adapters_commands::mcp::McpPromptArgument| {
                json!({
                    "name": argument.name,
                    "description": argument.description,
                    "required": argument.required,
                })
            };
            json!({
                "server": prompt.server,
                "prompt": prompt.name,
                "description": prompt.description,
                "arguments": prompt.arguments.iter().map(argument).collect::<Vec<_>>(),
            })
        };
        let prompts: Vec<_> = prompts.iter().map(object).collect();
        context.out.write_json_line(&json!({ "schema": "entracte.mcp_prompts/1", "prompts": prompts }))?;
        return Ok(CliExitCode::Done);
    }
    if prompts.is_empty() {
        context.out.write_notice(&say!(texts, "mcp-prompts-none"));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = prompts.iter().map(row).collect();
    let heads = heads(texts, &["prompt", "arguments", "description"]);
    write_table(&context.out, &heads, &rows)?;
    context.out.write_notice(&say!(texts, "mcp-prompts-how"));
    Ok(CliExitCode::Done)
}

/// The prompts of one server, or of all that can be used; warns of the others.
///
/// # Errors
/// When the one server does not give its prompts.
pub(super) async fn prompts_of(
    context: &CommandContext,
    services: &AppServices,
    server: Option<&str>,
    texts: &LocalizedTexts,
) -> Result<Vec<McpPrompt>, CliError> {
    if let Some(server) = server {
        return services.mcp().prompts(server).await.map_err(|error| prompt_error(&error, texts));
    }
    let mut prompts = Vec::new();
    for server in services.mcp().server_names() {
        match services.mcp().prompts(&server).await {
            Ok(found) => prompts.extend(found),
            Err(McpPromptError::Unavailable(unavailable)) => {
                warn_of_unavailable(context, &[unavailable], texts);
            }
            Err(error) => {
                let says = error.message(texts);
                context.out.write_warning(&format!("{} {says}", say!(texts, "screen-warning")));
            }
        }
    }
    Ok(prompts)
}

/// The error of a prompt for a person.
pub(super) fn prompt_error(error: &McpPromptError, texts: &LocalizedTexts) -> CliError {
    let code = match error {
        McpPromptError::Unknown { .. } => CliExitCode::NotFound,
        McpPromptError::UnknownArgument { .. } | McpPromptError::MissingArgument { .. } => CliExitCode::Usage,
        McpPromptError::Unavailable(_)
        | McpPromptError::Failed { .. }
        | McpPromptError::WantsInput { .. }
        | McpPromptError::TooMany { .. }
        | McpPromptError::TooLong { .. } => CliExitCode::Failure,
    };
    CliError::new(code, error.message(texts))
}

/// A prompt as a line: how to write it, its arguments (optional ones in brackets), what it is for.
pub(super) fn row(prompt: &McpPrompt) -> Vec<String> {
    let arguments = prompt.arguments.iter().map(|argument| match argument.required {
        true => format!("{}=…", argument.name),
        false => format!("[{}=…]", argument.name),
    });
    vec![
        one_line(&format!("/{}:{}", prompt.server, prompt.name)),
        one_line(&arguments.collect::<Vec<_>>().join(" ")),
        one_line(prompt.description.as_deref().unwrap_or_default()),
    ]
}
