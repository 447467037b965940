//! `command accept`: a person decides on new or changed tools of MCP servers.

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::mcp::{McpToolState, McpToolStatus, McpUnavailable};
use entracte_adapters_http::api_transport::ApiFault;
use entracte_adapters_http::problem::ProblemCode;
use entracte_adapters_http::shapes::admin::{AcceptShape, OfferShape};
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;

use crate::api_client::{ApiClient, put};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::line_reader::{LineInput, LineReader};
use crate::next_command_hints::with_login_hint;
use crate::render::text::{block, one_line};
use crate::user_text::message;

/// Accepts a tool as it is offered now; without a name, shows the pending decisions.
pub(super) async fn run(
    context: &CommandContext,
    name: Option<&str>,
    without_approval: bool,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let texts = api.texts().await?;
    // A server connects to its MCP servers itself.
    if let Some(services) = api.services() {
        warn_of_unavailable(context, &services.mcp().connect_all().await, texts);
    }
    let screen = AcceptScreen { context, api: &api, texts };
    let done = match name {
        None if is_interactive(context) => screen.accept_from_list().await,
        None => screen.show_waiting().await,
        Some(name) => screen.accept_named(name, without_approval).await,
    };
    if let Some(services) = api.services() {
        services.mcp().close().await;
    }
    done
}

/// Whether a person can choose by a number.
fn is_interactive(context: &CommandContext) -> bool {
    let around = &context.environment;
    around.stdin_terminal && around.stdout_terminal && !context.out.json && !context.out.quiet
}

/// What `command accept --json` prints without a name.
#[derive(Serialize)]
struct UndecidedToolsObject {
    tools: Vec<OfferShape>,
}

/// The tools that wait, on the screen of the command.
struct AcceptScreen<'a> {
    context: &'a CommandContext,
    api: &'a ApiClient<'a>,
    texts: &'static LocalizedTexts,
}

impl AcceptScreen<'_> {
    async fn waiting(&self) -> Result<Vec<OfferShape>, CliError> {
        self.api.list(&self.api.path(&["tool-offers"])).await
    }

    /// Lists the tools that wait, and accepts those whose numbers the person types.
    async fn accept_from_list(&self) -> Result<CliExitCode, CliError> {
        let (out, texts) = (&self.context.out, self.texts);
        let mut waiting: Vec<(usize, OfferShape)> = (1..).zip(self.waiting().await?).collect();
        for (number, offer) in &waiting {
            out.write_data_line(&format!("{number}  {}\n", says(offer, texts)))?;
        }
        while !waiting.is_empty() {
            let mut keyboard = LineReader::new(true);
            let LineInput::Line(typed) = keyboard.read_message_line(&say!(texts, "accept-which")).await?
            else {
                return Ok(CliExitCode::Done);
            };
            let typed = typed.trim();
            if typed.is_empty() {
                return Ok(CliExitCode::Done);
            }
            let chosen: Option<usize> = typed.parse().ok();
            match waiting.iter().position(|(number, _)| Some(*number) == chosen) {
                None => out.write_notice(&say!(texts, "accept-no-number", given = one_line(typed))),
                Some(at) => {
                    if self.accept(&waiting[at].1, false).await? {
                        waiting.remove(at);
                    }
                }
            }
        }
        out.write_notice(&say!(texts, "accept-none"));
        Ok(CliExitCode::Done)
    }

    /// Accepts the tool of this name.
    async fn accept_named(&self, name: &str, without_approval: bool) -> Result<CliExitCode, CliError> {
        let found = self.api.get::<OfferShape>(&self.api.path(&["commands", name, "acceptance"])).await;
        let offer = found.map_err(|error| match error.exit {
            CliExitCode::NotFound => CliError::new(error.exit, message!("accept-unknown", tool = name)),
            _ => error,
        })?;
        if !offer.waits {
            let text = message!("accept-already", tool = format!("{}.{}", offer.server, offer.tool));
            return Err(CliError::new(CliExitCode::Conflict, text));
        }
        self.context.out.write_notice(&says(&offer, self.texts));
        self.accept(&offer, without_approval).await?;
        Ok(CliExitCode::Done)
    }

    /// Accepts a tool as it was shown; returns false if the person does not mean a tool without approval.
    async fn accept(&self, offer: &OfferShape, without_approval: bool) -> Result<bool, CliError> {
        let (context, texts) = (self.context, self.texts);
        let name = format!("{}.{}", offer.server, offer.tool);
        if offer.loosens && !without_approval && !means_it(context, &name, texts).await? {
            return Ok(false);
        }
        let path = self.api.path(&["commands", &name, "acceptance"]);
        // What was shown is accepted without approval only after it was said.
        let request = put(&path, &AcceptShape { without_approval: offer.loosens });
        let tag = offer.tag().map(|tag| tag.quoted()).unwrap_or_default();
        let accepted = match self.api.answer(request.with_if_match(tag)).await {
            Ok(answer) => self.api.parse::<OfferShape>(&answer)?,
            Err(ApiFault::Refused(problem)) if problem.code() == ProblemCode::Changed => {
                let text = message!("tools-accept-changed", tool = name);
                return Err(CliError::new(CliExitCode::Conflict, text).or_next("entracte command accept"));
            }
            Err(fault) => return Err(self.api.error(fault).or_next("entracte command accept")),
        };
        if context.out.json {
            context.out.write_json_line(&VersionedShape::new("entracte.accepted/1", accepted))?;
        } else {
            context.out.write_data_line(&say!(texts, "accept-done", tool = name))?;
        }
        Ok(true)
    }

    /// Shows the tools that wait, with the commands that accept them.
    async fn show_waiting(&self) -> Result<CliExitCode, CliError> {
        let (out, tools) = (&self.context.out, self.waiting().await?);
        if out.json {
            let object = VersionedShape::new("entracte.undecided_tools/2", UndecidedToolsObject { tools });
            out.write_json_line(&object)?;
            return Ok(CliExitCode::Done);
        }
        for offer in &tools {
            out.write_data_line(&says(offer, self.texts))?;
            out.write_data_line(&format!("  entracte command accept {}.{}\n", offer.server, offer.tool))?;
        }
        if tools.is_empty() {
            out.write_notice(&say!(self.texts, "accept-none"));
        }
        Ok(CliExitCode::Done)
    }
}

fn says(offer: &OfferShape, texts: &LocalizedTexts) -> String {
    let loosens = if offer.loosens { say!(texts, "bounds-accept-loosens") } else { String::new() };
    let name = one_line(&format!("{}.{}", offer.server, offer.tool));
    format!("{name}\n{}{loosens}", block(&offer.says))
}

/// Whether the person confirms a tool that needs no approval; without a terminal, the flag confirms.
async fn means_it(context: &CommandContext, name: &str, texts: &LocalizedTexts) -> Result<bool, CliError> {
    let terminal = context.environment.stdin_terminal;
    if !terminal || context.out.json {
        return Err(CliError::new(CliExitCode::Usage, say!(texts, "bounds-accept-flag", tool = name)));
    }
    match LineReader::new(terminal).read_message_line(&say!(texts, "bounds-accept-ask", tool = name)).await? {
        LineInput::Line(text) => Ok(matches!(text.trim().to_lowercase().as_str(), "y" | "yes" | "o" | "oui")),
        LineInput::Interrupted | LineInput::End => Ok(false),
    }
}

/// Warns of the servers that cannot be used, with the command that logs in where that helps.
pub(super) fn warn_of_unavailable(
    context: &CommandContext,
    unavailable: &[McpUnavailable],
    texts: &LocalizedTexts,
) {
    for server in unavailable {
        let says = match server.needs_login() {
            true => with_login_hint(&server.server, server.message(texts), texts),
            false => server.message(texts),
        };
        context.out.write_warning(&format!("{} {says}", say!(texts, "screen-warning")));
    }
}

/// The tools that the servers have offered.
pub(super) fn known_tools(mcp: &McpExecutor, texts: &LocalizedTexts) -> Result<Vec<McpToolStatus>, CliError> {
    mcp.tools(texts).map_err(|error| CliError::new(CliExitCode::Failure, error.message(texts)))
}

/// The declaration to decide on. Never for a model: it may contain prompt injections.
pub(super) fn tool_decision_text(tool: &McpToolStatus, texts: &LocalizedTexts) -> String {
    match &tool.state {
        McpToolState::Changed { diff } => format!("{}\n{diff}", say!(texts, "accept-changed")),
        McpToolState::New { declaration } => format!("{}\n{declaration}", say!(texts, "accept-new")),
        McpToolState::Unusable { argument, why } => {
            say!(texts, "accept-unusable", why = in_argument(argument.as_deref(), why, texts))
        }
        McpToolState::Accepted => say!(texts, "accept-accepted"),
        McpToolState::Gone => say!(texts, "accept-gone"),
    }
}

/// A text about a schema, with the argument that it is about, if it is one.
pub(super) fn in_argument(argument: Option<&str>, why: &str, texts: &LocalizedTexts) -> String {
    match argument {
        Some(argument) => say!(texts, "bounds-in-argument", argument = argument, why = why),
        None => why.to_owned(),
    }
}
