//! Restricts the entries of an untrusted file: providers, MCP servers, HTTP tools, tasks, hosts, by the capability of
//! each key.

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

use super::{RestrictedCapability, RestrictedKey};
use crate::config::layers::LayerProviderEntry;

/// The person's own providers with the models that an untrusted file sets for them; `None` if it sets none; and the
/// left-out keys of its entries.
pub(super) fn of_providers(
    entries: Vec<LayerProviderEntry>,
    known: Vec<LayerProviderEntry>,
) -> (Vec<LayerProviderEntry>, Vec<RestrictedKey>) {
    let mut kept = known;
    let (mut changed, mut left_out) = (false, Vec::new());
    for entry in entries {
        let own = kept.iter_mut().find(|own| own.name == entry.name && own.config.kind == entry.config.kind);
        match own {
            Some(own) => {
                left_out.extend(differences(&entry, own));
                match take_model(&entry, own) {
                    EntryRestriction::Same => {}
                    EntryRestriction::Changed => changed = true,
                    EntryRestriction::Unfit(one) => left_out.push(one),
                }
            }
            None => left_out.extend(of_new_provider(&entry)),
        }
    }
    (if changed { kept } else { Vec::new() }, left_out)
}

enum EntryRestriction {
    Same,
    Changed,
    Unfit(RestrictedKey),
}

/// Takes the model of an entry for the person's provider of the same name, if both fit together.
fn take_model(entry: &LayerProviderEntry, own: &mut LayerProviderEntry) -> EntryRestriction {
    let Some(model) = entry.config.model.as_ref().filter(|model| own.config.model.as_ref() != Some(model))
    else {
        return EntryRestriction::Same;
    };
    let config = ProviderConfig { model: Some(model.clone()), ..own.config.clone() };
    if config.check(&own.name).is_err() {
        let value = Value::String(model.clone()).to_string();
        return EntryRestriction::Unfit(of_provider(&entry.name, "model", value));
    }
    own.config = config;
    own.model_origin = Some(entry.origin.clone());
    EntryRestriction::Changed
}

/// The keys in which an entry differs from the person's own, except for the model.
fn differences(entry: &LayerProviderEntry, own: &LayerProviderEntry) -> Vec<RestrictedKey> {
    let known = table(&own.config);
    let written = written(&entry.config, &ProviderConfig::new(entry.config.kind));
    let other = written.into_iter().filter(|(key, value)| {
        !["model", "dialect"].contains(&key.as_str()) && known.get(key) != Some(value)
    });
    let mut left_out: Vec<RestrictedKey> =
        other.map(|(key, value)| of_provider(&entry.name, &key, value.to_string())).collect();
    if entry.dialect != own.dialect {
        let word = entry.dialect.word().to_owned();
        left_out.push(of_provider(&entry.name, "dialect", Value::String(word).to_string()));
    }
    left_out
}

/// A left-out key of a provider that the person has.
fn of_provider(name: &str, key: &str, value: String) -> RestrictedKey {
    let full = format!("providers.{name}.{key}");
    RestrictedKey { named: full.clone(), key: full, gets: provider_gets(key), value }
}

/// The keys of a provider that the person does not have: left out as a whole.
fn of_new_provider(entry: &LayerProviderEntry) -> Vec<RestrictedKey> {
    let named = format!("providers.{}", entry.name);
    let line = |key: &str, value: String| RestrictedKey {
        named: named.clone(),
        key: format!("{named}.{key}"),
        gets: provider_gets(key),
        value,
    };
    let keys = written(&entry.config, &ProviderConfig::new(entry.config.kind));
    let kind = Value::String(entry.config.kind.word().to_owned()).to_string();
    let mut left_out = vec![line("kind", kind)];
    left_out.extend(keys.iter().map(|(key, value)| line(key, value.to_string())));
    // The default variable of a kind's key is used even if the entry does not name it.
    if let (None, None, Some(SecretReference::Environment(variable))) =
        (&entry.config.api_key_env, &entry.config.api_key_file, entry.config.secret_reference())
    {
        left_out.push(line("api_key_env", Value::String(variable).to_string()));
    }
    left_out
}

fn provider_gets(key: &str) -> RestrictedCapability {
    match key {
        "base_url" => RestrictedCapability::Address,
        "api_key_env" | "api_key_file" | "auth" => RestrictedCapability::Secret,
        "api_key_command" | "api_key_command_cwd" => RestrictedCapability::Program,
        _ => RestrictedCapability::Setting,
    }
}

/// The left-out keys of an MCP server.
pub(super) fn of_mcp_server(name: &str, config: &McpServerConfig) -> Vec<RestrictedKey> {
    let named = format!("mcp.{name}");
    let gets = |key: &str| match key {
        "command" | "args" | "cwd" => RestrictedCapability::Program,
        "url" => RestrictedCapability::Address,
        "env" | "headers" | "inherit" | "oauth" => RestrictedCapability::Secret,
        "tools" => RestrictedCapability::Safeguard,
        _ => RestrictedCapability::Setting,
    };
    lines(&named, written(config, &McpServerConfig::default()), gets)
}

/// Keys of an HTTP tool or a task that only describe it.
const DESCRIBES: [&str; 9] =
    ["name", "word", "task_type", "doc", "arguments", "result", "example", "body", "method"];

/// The left-out keys of an HTTP tool.
pub(super) fn of_http_tool(tool: &HttpToolConfig) -> Vec<RestrictedKey> {
    let named = format!("tools.http.{}", tool.name);
    let gets = |key: &str| match key {
        "url" | "ask" => RestrictedCapability::Address,
        "headers" | "idempotency_header" => RestrictedCapability::Secret,
        "kind" | "effect" | "destructive" => RestrictedCapability::Safeguard,
        _ => RestrictedCapability::Setting,
    };
    let keys = table(tool).into_iter().filter(|(key, _)| !DESCRIBES.contains(&key.as_str()));
    lines(&named, keys.collect(), gets)
}

/// Keys of an agent that only describe it. Its instructions are not among them, because they decide what it requests.
const DESCRIBES_AGENT: [&str; 2] = ["description", "result_schema"];

/// The left-out keys of an agent.
pub(super) fn of_agent(agent: &AgentDeclaration) -> Vec<RestrictedKey> {
    let named = format!("agents.{}", agent.name);
    let gets = |key: &str| match key {
        "provider" | "model" => RestrictedCapability::Address,
        "commands" | "limits" => RestrictedCapability::Safeguard,
        _ => RestrictedCapability::Setting,
    };
    let keys = table(agent).into_iter().filter(|(key, _)| !DESCRIBES_AGENT.contains(&key.as_str()));
    lines(&named, keys.collect(), gets)
}

/// The left-out keys of a long task.
pub(super) fn of_task(task: &TaskConfig) -> Vec<RestrictedKey> {
    let named = format!("tools.tasks.{}", task.name);
    let gets = |key: &str| match key {
        "url" | "status_url_template" => RestrictedCapability::Address,
        "secrets" => RestrictedCapability::Secret,
        "kind" | "idempotent" | "destructive" => RestrictedCapability::Safeguard,
        _ => RestrictedCapability::Setting,
    };
    let keys = table(task).into_iter().filter(|(key, _)| !DESCRIBES.contains(&key.as_str()));
    lines(&named, keys.collect(), gets)
}

/// The left-out keys of a declared secret: its allowed hosts.
pub(super) fn of_secret(name: &str, secret: &DeclaredSecret) -> Vec<RestrictedKey> {
    let keys = table(secret).into_iter();
    lines(&format!("secrets.{name}"), keys.collect(), |_| RestrictedCapability::Secret)
}

/// A private host for HTTP tools, left out.
pub(super) fn of_host(host: &AllowedHost) -> RestrictedKey {
    let named = "tools.http.allow".to_owned();
    let value = Value::String(host.to_string()).to_string();
    RestrictedKey { key: named.clone(), named, gets: RestrictedCapability::Host, value }
}

fn lines(
    named: &str,
    keys: Vec<(String, Value)>,
    gets: impl Fn(&str) -> RestrictedCapability,
) -> Vec<RestrictedKey> {
    let line = |(key, value): (String, Value)| RestrictedKey {
        named: named.to_owned(),
        gets: gets(&key),
        key: format!("{named}.{key}"),
        value: value.to_string(),
    };
    let lines: Vec<RestrictedKey> = keys.into_iter().map(line).collect();
    if lines.is_empty() {
        // An entry without keys is left out too.
        let (key, value) = (named.to_owned(), "{}".to_owned());
        return vec![RestrictedKey {
            named: named.to_owned(),
            key,
            gets: RestrictedCapability::Setting,
            value,
        }];
    }
    lines
}

/// The keys of an entry that differ from an empty entry.
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
