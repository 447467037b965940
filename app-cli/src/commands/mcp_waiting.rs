//! `mcp trust --approve-waiting`: lets tools of a server run unasked, and approves the queries of them that wait.

use std::collections::{BTreeMap, BTreeSet};

use entracte_application::ports::{ExternalServerTools, ExternalToolChoice, ExternalToolDecision};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    ApprovalChoice, ApprovalSelection, ApprovalView, DecideApprovals, InboxItem,
};
use entracte_domain::command::CommandKind;
use entracte_domain::id::SessionId;

use super::confirmation::is_yes;
use super::mcp_tools::{check_configured, connect_unmet, decide_tools, external_servers, write_decision};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::line_reader::{LineInput, LineReader};
use crate::render::approval::{full_card_text, hidden_part_count};
use crate::runtime_access::RuntimeAccess;

/// Records the decision, shows the waiting queries of the trusted tools, and approves each as it was shown.
pub(super) async fn trust_and_approve(
    context: &CommandContext,
    server: &str,
    tools: &[String],
    is_sure: bool,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = context.settings.workspace.clone();
    let texts = context.texts(&services, &workspace).await?;
    check_configured(&services.mcp, server, texts)?;
    connect_unmet(context, &services, texts).await;
    services.mcp.close().await;
    let choice = ExternalToolChoice::Trust;
    let decision = decide_tools(&services.mcp, server, choice, tools, texts)?;
    write_decision(context, server, choice, &decision, texts)?;
    let servers = external_servers(&services.mcp, services.clock.now(), texts)?;
    let commands = trusted_commands(&servers, server, &decision);
    let items = services.inbox().run(&workspace).await?;
    let waiting: Vec<&InboxItem> = items.iter().filter(|item| is_trusted_query(item, &commands)).collect();
    let waiting = reviewed(context, &waiting, is_sure, texts).await?;
    if waiting.is_empty() {
        return Ok(CliExitCode::Done);
    }
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let decide = DecideApprovals::new(runtime.clone(), services.store.clone());
    let mut refused = None;
    for (session, shown) in by_session(&waiting) {
        let author = context.settings.author.clone();
        let decided =
            decide.run_for_selection(&workspace, &session, author, &shown, &ApprovalChoice::Approve).await;
        match decided {
            Ok(_) => {
                let calls = shown.iter().map(|shown| shown.call.as_str()).collect::<Vec<_>>().join(", ");
                context.out.write_notice(&say!(texts, "decide-approved", calls = calls));
            }
            // The others are approved all the same.
            Err(error) => {
                let error = CliError::from(error).or_next("entracte inbox").localized(texts);
                context.out.write_error_text(&error);
                refused = Some(error.exit);
            }
        }
    }
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    Ok(refused.unwrap_or(CliExitCode::Done))
}

/// The commands of the tools that a person trusts now.
fn trusted_commands(
    servers: &[ExternalServerTools],
    server: &str,
    decision: &ExternalToolDecision,
) -> BTreeSet<String> {
    let tools = servers.iter().filter(|known| known.server == server).flat_map(|known| &known.tools);
    let trusted = tools.filter(|tool| !tool.asks && decision.decided.contains(&tool.tool));
    trusted.filter_map(|tool| tool.command.clone()).collect()
}

/// Whether the item is the approval of a query by one of these commands; an action never is.
fn is_trusted_query(item: &InboxItem, commands: &BTreeSet<String>) -> bool {
    item.approval().is_some_and(|approval| {
        approval.call.kind == CommandKind::Query && commands.contains(&approval.call.command.name)
    })
}

/// Shows the cards, and returns those that the person approves. Without a terminal, and with `--yes`, cards that a
/// screen does not show whole are left.
async fn reviewed<'a>(
    context: &CommandContext,
    waiting: &[&'a InboxItem],
    is_sure: bool,
    texts: &LocalizedTexts,
) -> Result<Vec<&'a InboxItem>, CliError> {
    let cards = || waiting.iter().filter_map(|item| item.approval());
    if cards().next().is_none() {
        context.out.write_notice(&say!(texts, "mcp-waiting-none"));
        return Ok(Vec::new());
    }
    for approval in cards() {
        context.out.write_notice(&full_card_text(&approval.into(), texts));
    }
    let terminal = context.environment.stdin_terminal && !context.out.json;
    if !is_sure && terminal {
        let ask = say!(texts, "mcp-waiting-ask", count = waiting.len());
        return Ok(match LineReader::new(true).read_message_line(&ask).await? {
            LineInput::Line(text) if is_yes(&text) => waiting.to_vec(),
            LineInput::Line(_) | LineInput::Interrupted | LineInput::End => {
                context.out.write_notice(&say!(texts, "approve-always-not"));
                Vec::new()
            }
        });
    }
    let is_whole = |approval: &ApprovalView| is_sure && hidden_part_count(&approval.into(), texts) == 0;
    for approval in cards().filter(|approval| !is_whole(approval)) {
        let digest = approval.digest.as_ref().map(ToString::to_string).unwrap_or_default();
        context.out.write_notice(&say!(
            texts,
            "mcp-waiting-left",
            id = approval.id.as_str(),
            digest = digest
        ));
    }
    Ok(waiting.iter().copied().filter(|item| item.approval().is_some_and(is_whole)).collect())
}

/// The shown cards of each session.
fn by_session(waiting: &[&InboxItem]) -> BTreeMap<SessionId, Vec<ApprovalSelection>> {
    let mut sessions: BTreeMap<SessionId, Vec<ApprovalSelection>> = BTreeMap::new();
    for item in waiting {
        let shown = item.approval().map(ApprovalSelection::from_approval);
        sessions.entry(item.session.clone()).or_default().extend(shown);
    }
    sessions
}
