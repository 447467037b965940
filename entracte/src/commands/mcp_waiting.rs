//! `mcp trust --approve-waiting`: lets tools of a server run unasked, and approves the queries of them that wait.

use std::collections::BTreeSet;

use entracte_adapters_http::shapes::card::{AllDecidedShape, CardShape, DecisionShape};
use entracte_adapters_http::shapes::tool_server::{DecidedToolsShape, ToolChoiceShape};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::command::{CommandKind, EffectClass};

use super::card_decisions::{bound, cards_by_session, decide_together};
use super::confirmation::is_yes;
use super::mcp_decision::{list_unmet_here, send_decision, write_decision};
use crate::api_client::ApiClient;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{LineInput, LineReader};
use crate::render::approval::{full_card_text, hidden_part_count};

/// Records the decision, shows the waiting queries of the trusted tools, and approves each as it was shown.
pub(super) async fn trust_and_approve(
    context: &CommandContext,
    server: &str,
    tools: &[String],
    is_sure: bool,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let texts = api.texts().await?;
    list_unmet_here(context, &api, Some(server), texts).await?;
    let decided = send_decision(&api, server, ToolChoiceShape::Trust, tools).await?;
    let commands = trusted_commands(&decided);
    write_decision(context, server, ToolChoiceShape::Trust, decided, texts)?;
    let mut waiting: Vec<CardShape> = api.list(&api.path(&["approvals"])).await?;
    waiting.retain(|card| is_trusted_query(card, &commands));
    let waiting = reviewed(context, waiting, is_sure, texts).await?;
    if waiting.is_empty() {
        return Ok(CliExitCode::Done);
    }
    let mut refused = None;
    for (session, cards) in cards_by_session(&waiting) {
        let asked = decide_together(&api, session, cards.iter().copied().map(bound), &DecisionShape::Approve);
        match api.send::<AllDecidedShape>(asked).await {
            Ok(_) => {
                let calls = cards.iter().map(|card| card.call.as_str()).collect::<Vec<_>>().join(", ");
                context.out.write_notice(&say!(texts, "decide-approved", calls = calls));
            }
            // The others are approved all the same.
            Err(error) => {
                let error = error.or_next("entracte inbox").localized(texts);
                context.out.write_error_text(&error);
                refused = Some(error.exit);
            }
        }
    }
    api.drain().await?;
    Ok(refused.unwrap_or(CliExitCode::Done))
}

/// The queries that a person trusts now, by their names in the catalog.
fn trusted_commands(decided: &DecidedToolsShape) -> BTreeSet<String> {
    let trusted = decided.now.tools.iter().filter(|tool| {
        !tool.asks && tool.kind == CommandKind::Query.word() && decided.decided.contains(&tool.tool)
    });
    trusted.filter_map(|tool| tool.command.clone()).collect()
}

/// Whether the card is that of a query by one of these commands; an action never is.
fn is_trusted_query(card: &CardShape, commands: &BTreeSet<String>) -> bool {
    card.effect == EffectClass::Read.word() && commands.contains(&card.command)
}

/// Shows the cards, and returns those that the person approves. Without a terminal, and with `--yes`, cards that a
/// screen does not show whole are left.
async fn reviewed(
    context: &CommandContext,
    waiting: Vec<CardShape>,
    is_sure: bool,
    texts: &LocalizedTexts,
) -> Result<Vec<CardShape>, CliError> {
    if waiting.is_empty() {
        context.out.write_notice(&say!(texts, "mcp-waiting-none"));
        return Ok(waiting);
    }
    for card in &waiting {
        context.out.write_notice(&full_card_text(card, texts));
    }
    let terminal = context.environment.stdin_terminal && !context.out.json;
    if !is_sure && terminal {
        let ask = say!(texts, "mcp-waiting-ask", count = waiting.len());
        return Ok(match LineReader::new(true).read_message_line(&ask).await? {
            LineInput::Line(text) if is_yes(&text) => waiting,
            LineInput::Line(_) | LineInput::Interrupted | LineInput::End => {
                context.out.write_notice(&say!(texts, "approve-always-not"));
                Vec::new()
            }
        });
    }
    let is_whole = |card: &CardShape| is_sure && hidden_part_count(card, texts) == 0;
    let (whole, left): (Vec<CardShape>, Vec<CardShape>) = waiting.into_iter().partition(is_whole);
    for card in left {
        let digest = card.digest.unwrap_or_default();
        context.out.write_notice(&say!(texts, "mcp-waiting-left", id = &card.id, digest = digest));
    }
    Ok(whole)
}
