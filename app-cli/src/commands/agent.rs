//! `agent …`: the configured agents, and those below a session.

use entracte_application::agents::AgentDeclaration;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{AgentTreeNode, ReadAgentTree};
use entracte_domain::id::WorkspaceKey;

use crate::args::AgentCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{AgentsObject, DeclaredAgentObject};
use crate::render::listing::{heads, write_table};
use crate::render::text::{block, one_line};
use crate::user_text::message;

/// Runs `agent …`.
pub(super) async fn run(context: &CommandContext, command: AgentCommand) -> Result<CliExitCode, CliError> {
    match command {
        AgentCommand::List { session: None } => declared(context).await,
        AgentCommand::List { session: Some(session) } => below(context, &session).await,
        AgentCommand::Show { agent } => show(context, &agent).await,
    }
}

async fn declared(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let agents = &context.settings.agents;
    if context.out.json {
        context.out.write_json_line(&AgentsObject::declared(agents))?;
        return Ok(CliExitCode::Done);
    }
    let services = context.open_services()?;
    let texts = context.texts(&services, &context.settings.workspace).await?;
    if agents.is_empty() {
        context.out.write_notice(&say!(texts, "agents-none"));
        return Ok(CliExitCode::Done);
    }
    let row = |agent: &AgentDeclaration| {
        let commands = match agent.commands.is_empty() {
            true => say!(texts, "agents-no-commands"),
            false => agent.commands.join(", "),
        };
        vec![agent.name.clone(), speaks(agent, texts), commands, one_line(&agent.description)]
    };
    let rows: Vec<Vec<String>> = agents.iter().map(row).collect();
    let heads = heads(texts, &["agent", "model", "commands", "for"]);
    write_table(&context.out, &heads, &rows)?;
    Ok(CliExitCode::Done)
}

fn speaks(agent: &AgentDeclaration, texts: &LocalizedTexts) -> String {
    match &agent.voice {
        Some(voice) => one_line(&format!("{} ({})", voice.model, voice.provider)),
        None => say!(texts, "agents-callers-model"),
    }
}

async fn show(context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let texts = context.texts(&services, &context.settings.workspace).await?;
    let Some(agent) = context.settings.agents.iter().find(|agent| agent.name == named) else {
        let next = "entracte agent list";
        return Err(CliError::with_next(
            CliExitCode::NotFound,
            message!("agents-unknown", agent = named),
            next,
        ));
    };
    let catalog = services.catalog();
    let version = catalog.find(&agent.command()).map(|known| known.version.clone());
    if context.out.json {
        context.out.write_json_line(&DeclaredAgentObject::single(agent, version.as_ref()))?;
        return Ok(CliExitCode::Done);
    }
    let limits: Vec<String> =
        agent.limits.iter_set_limits().map(|(key, limit)| format!("{key} {limit}")).collect();
    let mut lines = vec![
        format!("{}  {}", agent.name, agent.description.trim()),
        say!(texts, "agents-model", model = speaks(agent, texts)),
        say!(texts, "agents-commands", commands = allowed(agent, &services.catalog(), texts)),
    ];
    if !limits.is_empty() {
        lines.push(say!(texts, "agents-limits", limits = limits.join(", ")));
    }
    if let Some(schema) = &agent.result_schema {
        lines.push(say!(texts, "agents-result", schema = schema.to_string()));
    }
    lines.extend(version.map(|version| say!(texts, "agents-version", version = version.short().as_str())));
    context.out.write_data_line(&block(&format!(
        "{}\n\n{}",
        lines.join("\n  "),
        agent.instructions.text(texts)
    )))?;
    Ok(CliExitCode::Done)
}

/// The commands that an agent may currently use; reports patterns that match none.
fn allowed(
    agent: &AgentDeclaration,
    catalog: &entracte_application::commands::Catalog,
    texts: &LocalizedTexts,
) -> String {
    use entracte_domain::restriction::{CommandPattern, Restriction};
    if agent.commands.is_empty() {
        return say!(texts, "agents-no-commands");
    }
    let says = |pattern: &String| {
        let is_any = |pattern: &CommandPattern| {
            catalog.entries().any(|known| pattern.matches_command(&known.spec.name))
        };
        match pattern == Restriction::EVERY || is_any(&CommandPattern::from_text(pattern)) {
            true => pattern.clone(),
            false => say!(texts, "agents-names-none", given = pattern),
        }
    };
    agent.commands.iter().map(says).collect::<Vec<_>>().join(", ")
}

async fn below(context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let (session, workspace) = services.session(&context.settings.workspace, named).await?;
    let nodes =
        ReadAgentTree::new(services.store.clone(), services.log.clone()).run(&workspace, &session).await?;
    if context.out.json {
        context.out.write_json_line(&AgentsObject::below(&nodes))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, &workspace).await?;
    if nodes.is_empty() {
        context.out.write_notice(&say!(texts, "agents-none-below", session = session.as_str()));
    }
    for line in tree(&nodes, texts) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

/// A line for each agent, indented by depth.
pub(super) fn tree(nodes: &[AgentTreeNode], texts: &LocalizedTexts) -> Vec<String> {
    let line = |node: &AgentTreeNode| {
        let state = match node.status {
            Some(status) => status.word().to_owned(),
            None => node.phase.word().to_owned(),
        };
        let tokens = node.usage.all_input() + node.usage.output;
        let inset = "  ".repeat(node.depth.saturating_sub(1));
        let said = say!(
            texts,
            "agents-line",
            agent = one_line(&node.agent),
            session = node.session.as_str(),
            state = state,
            rounds = node.rounds,
            tokens = tokens
        );
        format!(
            "{inset}{said}\n{inset}  {}",
            crate::render::text::fold_text(&node.mission, MISSION_WIDTH, texts)
        )
    };
    nodes.iter().map(line).collect()
}

/// The most characters of a mission.
const MISSION_WIDTH: usize = 66;

/// The agents below a session as lines for its sheet.
pub(super) async fn session_agent_lines(
    services: &crate::app_services::AppServices,
    workspace: &WorkspaceKey,
    session: &entracte_domain::id::SessionId,
) -> Result<Vec<AgentTreeNode>, CliError> {
    Ok(ReadAgentTree::new(services.store.clone(), services.log.clone()).run(workspace, session).await?)
}
