//! The secrets that MCP servers and HTTP tools send: each is kept in a file of its own, and goes to no address but the one
//! that it was given for. An operator who could choose both a stored secret and its address would get the secret.

use std::collections::BTreeMap;
use std::path::Path;

use entracte_adapters_commands::http::HttpToolConfig;
use entracte_adapters_commands::mcp::McpServerConfig;
use entracte_adapters_commands::secret::{SecretPlace, SecretText};
use entracte_application::ports::{
    ConfigSection, HIDDEN_VALUE, NewEntrySecret, SECRET_LEAST_CHARS, SecretReference,
};
use serde_json::{Map, Value as Json, json};
use tempfile::TempPath;
use url::Url;

use crate::command_context::CommandContext;
use crate::commands::provider::{looks_secret, names_secret, write_key};
use crate::config::{AppSettings, ExternalToolsConfig};
use crate::error::{CliError, CliExitCode};
use crate::secrets::is_placeholder;
use crate::user_text::{UserText, message};

/// The keys of an entry whose texts may be secrets.
const TEXTS: [&str; 2] = ["headers", "env"];

/// Hides the texts of an entry that may be secrets.
pub(super) fn hide(settings: &mut Json) {
    for key in TEXTS {
        let texts = settings.get_mut(key).and_then(Json::as_object_mut);
        let texts = texts.into_iter().flat_map(|texts| texts.values_mut());
        for text in texts.filter(|value| value.is_string()) {
            *text = json!({ HIDDEN_VALUE: true });
        }
    }
}

/// Puts the values that were hidden back into the settings; returns whether there are any.
pub(super) fn reveal(settings: &mut Map<String, Json>, before: Option<&Json>) -> Result<bool, CliError> {
    let mut is_any = false;
    for key in TEXTS {
        let members = settings.get_mut(key).and_then(Json::as_object_mut);
        let hidden = members.into_iter().flatten().filter(|(_, value)| value.get(HIDDEN_VALUE).is_some());
        for (name, value) in hidden {
            let known =
                before.and_then(|before| before.get(key)?.get(name)).filter(|known| known.is_string());
            let missing = || usage(message!("entry-hidden", key = format!("{key}.{name}")));
            *value = known.ok_or_else(missing)?.clone();
            is_any = true;
        }
    }
    Ok(is_any)
}

/// Refuses texts that look like secrets, but for those that the entry has already.
pub(super) fn refuse_texts(settings: &Map<String, Json>, before: Option<&Json>) -> Result<(), CliError> {
    let secret = |place: &str| Err(usage(message!("entry-secret", place = place)));
    let asked = settings.get("ask").and_then(|ask| ask.get("url"));
    for (place, url) in [("url", settings.get("url")), ("ask.url", asked)] {
        if url.and_then(Json::as_str).is_some_and(|url| looks_secret("url", url)) {
            return secret(place);
        }
    }
    for (name, value) in settings.get("headers").and_then(Json::as_object).into_iter().flatten() {
        let is_known = before.and_then(|before| before.get("headers")?.get(name)) == Some(value);
        let Some(text) = value.as_str().filter(|_| !is_known) else { continue };
        if names_secret(name) || name.eq_ignore_ascii_case("cookie") || looks_secret(name, text) {
            return secret(&format!("headers.{name}"));
        }
    }
    Ok(())
}

/// Stores pasted secrets, and names their files in the settings. They are removed again unless they are kept.
pub(super) fn store(
    context: &CommandContext,
    entry: &str,
    secrets: &[NewEntrySecret],
    settings: &mut Map<String, Json>,
) -> Result<Vec<TempPath>, CliError> {
    let mut files = Vec::new();
    for NewEntrySecret { header, prefix, secret } in secrets {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        if header.is_empty() || !header.chars().all(is_plain) {
            return Err(usage(message!("entry-header-name", header = header)));
        }
        if is_placeholder(secret) {
            return Err(usage(message!("tools-secret-short", place = header, least = SECRET_LEAST_CHARS)));
        }
        let file = write_key(context, &format!("{entry}-{}", header.to_ascii_lowercase()), secret)?;
        let mut place = json!({ "secret_file": file.display().to_string() });
        if !prefix.is_empty() {
            place["prefix"] = prefix.as_str().into();
        }
        let headers = settings.entry("headers").or_insert_with(|| json!({}));
        let headers = headers.as_object_mut().ok_or_else(|| usage(message!("provider-no-object")))?;
        headers.retain(|name, _| !name.eq_ignore_ascii_case(header));
        headers.insert(header.clone(), place);
        files.push(file);
    }
    Ok(files)
}

/// The secrets of an entry that is about to be written.
pub(super) struct EntrySecrets<'a> {
    /// The kind of the entry.
    pub(super) section: ConfigSection,
    /// Its name.
    pub(super) name: &'a str,
    /// The files of the secrets that were pasted for it.
    pub(super) files: &'a [TempPath],
    /// Whether it has texts that were hidden.
    pub(super) has_hidden: bool,
}

/// The tools of a file before and after a change, and the settings around them.
pub(super) struct ChangedFile<'a> {
    /// The settings in force.
    pub(super) running: &'a AppSettings,
    /// The tools that the file has now.
    pub(super) before: &'a ExternalToolsConfig,
    /// The tools that it would have.
    pub(super) after: &'a ExternalToolsConfig,
    /// The settings of the next start.
    pub(super) next: &'a AppSettings,
}

impl EntrySecrets<'_> {
    /// Requires that each secret that was not pasted now goes where it goes already, or is declared with its hosts.
    pub(super) fn check_addresses(&self, file: &ChangedFile<'_>) -> Result<(), CliError> {
        let mut before = all_destinations(&file.running.tools);
        before.extend(all_destinations(file.before));
        let is_allowed = |destination: &SecretDestination| {
            let reference = destination.place.reference();
            let is_pasted = matches!(&reference, Some(SecretReference::File(path)) if self.is_pasted(path));
            let mut declared = file.next.declared.references();
            let is_declared = reference.as_ref().is_some_and(|place| declared.any(|known| known == *place));
            is_pasted || is_declared || before.contains(destination)
        };
        let addresses = |tools: &ExternalToolsConfig| addresses(tools, self.section, self.name);
        // Texts that were hidden come from the entry in the file.
        let known_addresses = addresses(file.before);
        let is_moved = addresses(file.after).iter().any(|address| !known_addresses.contains(address));
        let all_allowed = destinations(file.after, self.section, self.name).iter().all(is_allowed);
        if all_allowed && !(self.has_hidden && is_moved) {
            return Ok(());
        }
        Err(usage(message!("entry-secret-elsewhere", entry = self.name)))
    }

    fn is_pasted(&self, path: &str) -> bool {
        self.files.iter().any(|file| **file == *Path::new(path))
    }
}

/// A secret, and the address that it is sent to.
#[derive(PartialEq, Eq)]
struct SecretDestination {
    place: SecretPlace,
    /// The scheme, host and port; `None` if there is no address.
    origin: Option<String>,
}

fn origin(address: Option<&str>) -> Option<String> {
    Url::parse(address?).ok().map(|url| url.origin().ascii_serialization())
}

fn of_headers(headers: &BTreeMap<String, SecretText>, address: Option<&str>) -> Vec<SecretDestination> {
    let place = |text: &SecretText| match text {
        SecretText::Text(_) => None,
        SecretText::Secret(place) => Some(SecretPlace { prefix: String::new(), ..place.clone() }),
    };
    let places = headers.values().filter_map(place);
    places.map(|place| SecretDestination { place, origin: origin(address) }).collect()
}

fn of_server(server: &McpServerConfig) -> Vec<SecretDestination> {
    let mut all = of_headers(&server.headers, server.url.as_deref());
    let login = server.oauth.iter().filter_map(|login| {
        let place = SecretPlace { prefix: String::new(), ..login.client_secret.clone()? };
        Some(SecretDestination { place, origin: origin(login.issuer.as_deref()) })
    });
    all.extend(login);
    all
}

fn of_tool(tool: &HttpToolConfig) -> Vec<SecretDestination> {
    let asked = tool.ask.iter().flat_map(|ask| of_headers(&tool.headers, Some(&ask.url)));
    of_headers(&tool.headers, Some(&tool.url)).into_iter().chain(asked).collect()
}

fn all_destinations(tools: &ExternalToolsConfig) -> Vec<SecretDestination> {
    let servers = tools.mcp.iter().flat_map(|(_, server)| of_server(server));
    servers.chain(tools.http.iter().flat_map(of_tool)).collect()
}

fn destinations(tools: &ExternalToolsConfig, section: ConfigSection, name: &str) -> Vec<SecretDestination> {
    match section {
        ConfigSection::McpServers => server(tools, name).map(of_server).unwrap_or_default(),
        ConfigSection::HttpTools => tool(tools, name).map(of_tool).unwrap_or_default(),
        ConfigSection::Agents | ConfigSection::Embeddings => Vec::new(),
    }
}

/// Where an entry sends its requests.
fn addresses(tools: &ExternalToolsConfig, section: ConfigSection, name: &str) -> Vec<Option<String>> {
    match section {
        ConfigSection::McpServers => {
            server(tools, name).map(|server| origin(server.url.as_deref())).into_iter().collect()
        }
        ConfigSection::HttpTools => {
            let tool = tool(tools, name);
            let asked = tool.and_then(|tool| tool.ask.as_ref()).map(|ask| origin(Some(&ask.url)));
            tool.map(|tool| origin(Some(&tool.url))).into_iter().chain(asked).collect()
        }
        ConfigSection::Agents | ConfigSection::Embeddings => Vec::new(),
    }
}

/// The MCP server of this name.
pub(super) fn server<'a>(tools: &'a ExternalToolsConfig, name: &str) -> Option<&'a McpServerConfig> {
    tools.mcp.iter().find(|(known, _)| known == name).map(|(_, server)| server)
}

/// The HTTP tool of this name.
pub(super) fn tool<'a>(tools: &'a ExternalToolsConfig, name: &str) -> Option<&'a HttpToolConfig> {
    tools.http.iter().find(|tool| tool.name == name)
}

/// The request cannot be carried out as it is.
pub(super) fn usage(text: UserText) -> CliError {
    CliError::new(CliExitCode::Usage, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: settings with a key in each of their addresses, and without one; expected: those with one are refused.
    #[test]
    fn key_in_any_address_is_refused() {
        let refused = |url: &str, asked: &str| {
            let settings = json!({ "url": url, "ask": { "url": asked } });
            refuse_texts(settings.as_object().unwrap(), None).is_err()
        };
        let (plain, with_key) = ("https://a.example/x", "https://a.example/x?token=sk-live-1");
        assert!(!refused(plain, plain));
        assert!(refused(with_key, plain));
        assert!(refused(plain, with_key));
    }
}
