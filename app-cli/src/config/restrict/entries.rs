//! Entries of an untrusted file: providers, MCP servers, HTTP tools, tasks, hosts. What each key of them would give.

use entracte_adapters_commands::egress::AllowedHost;
use entracte_adapters_commands::http::HttpToolConfig;
use entracte_adapters_commands::mcp::McpServerConfig;
use entracte_adapters_commands::secret::DeclaredSecret;
use entracte_adapters_commands::tasks::TaskConfig;
use entracte_adapters_providers::config::ProviderConfig;
use entracte_application::agents::AgentDeclaration;
use entracte_application::ports::SecretReference;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Gets, LeftOut};
use crate::config::layers::ProviderEntry;

/// The person's own providers with the models that an untrusted file names for them, none when it names none; and
/// what else its entries say.
pub(super) fn of_providers(
    entries: Vec<ProviderEntry>,
    known: Vec<ProviderEntry>,
) -> (Vec<ProviderEntry>, Vec<LeftOut>) {
    let mut kept = known;
    let (mut changed, mut left_out) = (false, Vec::new());
    for entry in entries {
        let own = kept.iter_mut().find(|own| own.name == entry.name && own.config.kind == entry.config.kind);
        match own {
            Some(own) => {
                left_out.extend(differences(&entry, own));
                match take_model(&entry, own) {
                    Taken::Same => {}
                    Taken::Changed => changed = true,
                    Taken::Unfit(one) => left_out.push(one),
                }
            }
            None => left_out.extend(of_new_provider(&entry)),
        }
    }
    (if changed { kept } else { Vec::new() }, left_out)
}

enum Taken {
    Same,
    Changed,
    Unfit(LeftOut),
}

/// The model of an entry for the person's own provider of that name, where both fit together.
fn take_model(entry: &ProviderEntry, own: &mut ProviderEntry) -> Taken {
    let Some(model) = entry.config.model.as_ref().filter(|model| own.config.model.as_ref() != Some(model))
    else {
        return Taken::Same;
    };
    let config = ProviderConfig { model: Some(model.clone()), ..own.config.clone() };
    if config.check(&own.name).is_err() {
        let value = Value::String(model.clone()).to_string();
        return Taken::Unfit(of_provider(&entry.name, "model", value));
    }
    own.config = config;
    own.model_origin = Some(entry.origin.clone());
    Taken::Changed
}

/// What an entry says differently than the person's own one of that name, but for the model.
fn differences(entry: &ProviderEntry, own: &ProviderEntry) -> Vec<LeftOut> {
    let known = table(&own.config);
    let written = written(&entry.config, &ProviderConfig::new(entry.config.kind));
    let other = written.into_iter().filter(|(key, value)| {
        !["model", "dialect"].contains(&key.as_str()) && known.get(key) != Some(value)
    });
    let mut left_out: Vec<LeftOut> =
        other.map(|(key, value)| of_provider(&entry.name, &key, value.to_string())).collect();
    if entry.dialect != own.dialect {
        let word = entry.dialect.word().to_owned();
        left_out.push(of_provider(&entry.name, "dialect", Value::String(word).to_string()));
    }
    left_out
}

/// A key of a provider that the person has.
fn of_provider(name: &str, key: &str, value: String) -> LeftOut {
    let full = format!("providers.{name}.{key}");
    LeftOut { named: full.clone(), key: full, gets: provider_gets(key), value }
}

/// A provider that the person does not have: left out whole.
fn of_new_provider(entry: &ProviderEntry) -> Vec<LeftOut> {
    let named = format!("providers.{}", entry.name);
    let line = |key: &str, value: String| LeftOut {
        named: named.clone(),
        key: format!("{named}.{key}"),
        gets: provider_gets(key),
        value,
    };
    let keys = written(&entry.config, &ProviderConfig::new(entry.config.kind));
    let kind = Value::String(entry.config.kind.word().to_owned()).to_string();
    let mut left_out = vec![line("kind", kind)];
    left_out.extend(keys.iter().map(|(key, value)| line(key, value.to_string())));
    // A kind has a usual variable for its key, which needs not be named.
    if let (None, None, Some(SecretReference::Environment(variable))) =
        (&entry.config.api_key_env, &entry.config.api_key_file, entry.config.secret_reference())
    {
        left_out.push(line("api_key_env", Value::String(variable).to_string()));
    }
    left_out
}

fn provider_gets(key: &str) -> Gets {
    match key {
        "base_url" => Gets::Address,
        "api_key_env" | "api_key_file" | "auth" => Gets::Secret,
        "api_key_command" | "api_key_command_cwd" => Gets::Program,
        _ => Gets::Setting,
    }
}

/// An MCP server.
pub(super) fn of_mcp_server(name: &str, config: &McpServerConfig) -> Vec<LeftOut> {
    let named = format!("mcp.{name}");
    let gets = |key: &str| match key {
        "command" | "args" | "cwd" => Gets::Program,
        "url" => Gets::Address,
        "env" | "headers" | "inherit" | "oauth" => Gets::Secret,
        "tools" => Gets::Safeguard,
        _ => Gets::Setting,
    };
    lines(&named, written(config, &McpServerConfig::default()), gets)
}

/// Keys of an HTTP tool, and of a task, that only describe it.
const DESCRIBES: [&str; 9] =
    ["name", "word", "task_type", "doc", "arguments", "result", "example", "body", "method"];

/// An HTTP tool.
pub(super) fn of_http_tool(tool: &HttpToolConfig) -> Vec<LeftOut> {
    let named = format!("tools.http.{}", tool.name);
    let gets = |key: &str| match key {
        "url" | "ask" => Gets::Address,
        "headers" | "idempotency_header" => Gets::Secret,
        "kind" | "effect" | "destructive" => Gets::Safeguard,
        _ => Gets::Setting,
    };
    let keys = table(tool).into_iter().filter(|(key, _)| !DESCRIBES.contains(&key.as_str()));
    lines(&named, keys.collect(), gets)
}

/// Keys of an agent that only describe it. What it is told is not among them: it decides what is asked for.
const DESCRIBES_AGENT: [&str; 2] = ["description", "result_schema"];

/// An agent.
pub(super) fn of_agent(agent: &AgentDeclaration) -> Vec<LeftOut> {
    let named = format!("agents.{}", agent.name);
    let gets = |key: &str| match key {
        "provider" | "model" => Gets::Address,
        "commands" | "limits" => Gets::Safeguard,
        _ => Gets::Setting,
    };
    let keys = table(agent).into_iter().filter(|(key, _)| !DESCRIBES_AGENT.contains(&key.as_str()));
    lines(&named, keys.collect(), gets)
}

/// A long task.
pub(super) fn of_task(task: &TaskConfig) -> Vec<LeftOut> {
    let named = format!("tools.tasks.{}", task.name);
    let gets = |key: &str| match key {
        "url" | "status_url_template" => Gets::Address,
        "secrets" => Gets::Secret,
        "kind" | "idempotent" | "destructive" => Gets::Safeguard,
        _ => Gets::Setting,
    };
    let keys = table(task).into_iter().filter(|(key, _)| !DESCRIBES.contains(&key.as_str()));
    lines(&named, keys.collect(), gets)
}

/// A declared secret: where it may go.
pub(super) fn of_secret(name: &str, secret: &DeclaredSecret) -> Vec<LeftOut> {
    let keys = table(secret).into_iter();
    lines(&format!("secrets.{name}"), keys.collect(), |_| Gets::Secret)
}

/// A private host that HTTP tools may reach.
pub(super) fn of_host(host: &AllowedHost) -> LeftOut {
    let named = "tools.http.allow".to_owned();
    let value = Value::String(host.to_string()).to_string();
    LeftOut { key: named.clone(), named, gets: Gets::Host, value }
}

fn lines(named: &str, keys: Vec<(String, Value)>, gets: impl Fn(&str) -> Gets) -> Vec<LeftOut> {
    let line = |(key, value): (String, Value)| LeftOut {
        named: named.to_owned(),
        gets: gets(&key),
        key: format!("{named}.{key}"),
        value: value.to_string(),
    };
    let lines: Vec<LeftOut> = keys.into_iter().map(line).collect();
    if lines.is_empty() {
        // It is left out all the same.
        let (key, value) = (named.to_owned(), "{}".to_owned());
        return vec![LeftOut { named: named.to_owned(), key, gets: Gets::Setting, value }];
    }
    lines
}

/// The keys of an entry that say something else than an empty entry.
fn written<T: Serialize>(entry: &T, empty: &T) -> Vec<(String, Value)> {
    let usual = table(empty);
    table(entry).into_iter().filter(|(key, value)| usual.get(key) != Some(value)).collect()
}

fn table<T: Serialize>(entry: &T) -> Map<String, Value> {
    match serde_json::to_value(entry) {
        Ok(Value::Object(table)) => table,
        Ok(_) | Err(_) => Map::new(),
    }
}
