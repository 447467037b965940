//! `agent …`: the configured agents, and those below a session.

use entracte_adapters_http::shapes::agent::{AgentShape, AgentsShape, DeclaredAgentShape};
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;
use serde_json::Value;

use crate::api_client::{ApiClient, ShortIdKind};
use crate::args::AgentCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::agent::tree;
use crate::render::listing::{heads, write_table};
use crate::render::text::{block, one_line};

/// The command that lists agents.
const LIST: &str = "entracte agent list";

/// Runs `agent …`.
pub(super) async fn run(context: &CommandContext, command: AgentCommand) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    match command {
        AgentCommand::List { session: None } => declared(context, &api).await,
        AgentCommand::List { session: Some(session) } => below(context, &api, &session).await,
        AgentCommand::Show { agent } => show(context, &api, &agent).await,
    }
}

/// What `agent list --json` prints: the configured agents, or those below a session.
#[derive(Serialize)]
struct AgentsObject {
    declared: Vec<DeclaredAgentShape>,
    agents: Vec<AgentShape>,
}

fn print_agents(context: &CommandContext, agents: AgentsObject) -> Result<CliExitCode, CliError> {
    context.out.write_json_line(&VersionedShape::new("entracte.agents/2", agents))?;
    Ok(CliExitCode::Done)
}

async fn declared(context: &CommandContext, api: &ApiClient<'_>) -> Result<CliExitCode, CliError> {
    let declared: Vec<DeclaredAgentShape> = api.list(&api.path(&["agents"])).await?;
    if context.out.json {
        return print_agents(context, AgentsObject { declared, agents: Vec::new() });
    }
    let texts = api.texts().await?;
    if declared.is_empty() {
        context.out.write_notice(&say!(texts, "agents-none"));
        return Ok(CliExitCode::Done);
    }
    let row = |agent: &DeclaredAgentShape| {
        let commands = commands(agent);
        let commands = match commands.is_empty() {
            true => say!(texts, "agents-no-commands"),
            false => commands.join(", "),
        };
        let description = one_line(agent.declaration["description"].as_str().unwrap_or_default());
        vec![agent.name.clone(), speaks(agent, texts), commands, description]
    };
    let rows: Vec<Vec<String>> = declared.iter().map(row).collect();
    let heads = heads(texts, &["agent", "model", "commands", "for"]);
    write_table(&context.out, &heads, &rows)?;
    Ok(CliExitCode::Done)
}

/// The command patterns of an agent.
fn commands(agent: &DeclaredAgentShape) -> Vec<&str> {
    agent.declaration["commands"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn speaks(agent: &DeclaredAgentShape, texts: &LocalizedTexts) -> String {
    let voice = &agent.declaration["voice"];
    match (voice[0].as_str(), voice[1].as_str()) {
        (Some(provider), Some(model)) => one_line(&format!("{model} ({provider})")),
        _ => say!(texts, "agents-callers-model"),
    }
}

async fn show(context: &CommandContext, api: &ApiClient<'_>, named: &str) -> Result<CliExitCode, CliError> {
    let found = api.get::<DeclaredAgentShape>(&api.path(&["agents", named])).await;
    let agent = found.map_err(|error| error.or_next(LIST))?;
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.agent/1", agent))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    let declaration = &agent.declaration;
    let mut lines = vec![
        format!("{}  {}", agent.name, declaration["description"].as_str().unwrap_or_default().trim()),
        say!(texts, "agents-model", model = speaks(&agent, texts)),
        say!(texts, "agents-commands", commands = allowed(&agent, texts)),
    ];
    let limit = |(key, limit): (&String, &Value)| Some(format!("{key} {}", limit.as_u64()?));
    let limits: Vec<String> =
        declaration["limits"].as_object().into_iter().flatten().filter_map(limit).collect();
    if !limits.is_empty() {
        lines.push(say!(texts, "agents-limits", limits = limits.join(", ")));
    }
    if let Some(schema) = declaration.get("result_schema").filter(|schema| !schema.is_null()) {
        lines.push(say!(texts, "agents-result", schema = schema.to_string()));
    }
    let short = |version: &String| version.chars().take(VERSION_CHARS).collect::<String>();
    lines.extend(
        agent.version.as_ref().map(|version| say!(texts, "agents-version", version = short(version))),
    );
    context.out.write_data_line(&block(&format!("{}\n\n{}", lines.join("\n  "), agent.instructions)))?;
    Ok(CliExitCode::Done)
}

/// The characters of a version that a person reads.
const VERSION_CHARS: usize = 8;

/// The commands that an agent may currently use; reports patterns that match none.
fn allowed(agent: &DeclaredAgentShape, texts: &LocalizedTexts) -> String {
    let says = |pattern: &&str| match agent.unmatched.iter().any(|unmatched| unmatched == pattern) {
        true => say!(texts, "agents-names-none", given = *pattern),
        false => (*pattern).to_owned(),
    };
    let commands = commands(agent);
    match commands.is_empty() {
        true => say!(texts, "agents-no-commands"),
        false => commands.iter().map(says).collect::<Vec<_>>().join(", "),
    }
}

async fn below(context: &CommandContext, api: &ApiClient<'_>, named: &str) -> Result<CliExitCode, CliError> {
    let session = api.find(ShortIdKind::Session, named).await?;
    let AgentsShape { agents } = api.get(&api.path(&["sessions", &session, "agents"])).await?;
    if context.out.json {
        return print_agents(context, AgentsObject { declared: Vec::new(), agents });
    }
    let texts = api.texts().await?;
    if agents.is_empty() {
        context.out.write_notice(&say!(texts, "agents-none-below", session = &session));
    }
    for line in tree(&agents, texts) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}
