//! Tries entries, written or not: a server is connected to, a model is asked, a host is reached, a text gets its vector.

use std::slice::from_ref;

use entracte_adapters_commands::egress::EgressClient;
use entracte_application::ports::{ConfigEntryTrial, ConfigSection, EmbeddingKind};
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::Value as Json;
use url::Url;

use super::entry_draft::{EntryAddress, in_force};
use super::entry_secrets::tool;
use super::running_entries::RunningEntries;
use crate::app_services::providers;
use crate::commands::provider::unusable_entry_error;
use crate::config::{AppSettings, load};
use crate::error::{CliError, CliExitCode};
use crate::knowledge_services::embedding_client;
use crate::render::text::one_line;
use crate::tools::{PINS, server_alone};

/// The text whose vector is made.
const SAMPLE: &str = "entracte";

impl RunningEntries {
    /// Tries an entry as the file of the server has it; one from elsewhere as it is in force. An MCP server in force is asked
    /// over its connection, and no program is started that is not in force yet.
    pub(super) async fn try_entry(
        &self,
        at: EntryAddress<'_>,
        texts: &LocalizedTexts,
    ) -> Result<ConfigEntryTrial, CliError> {
        let _turn = self.trials.begin(at.section, at.name)?;
        self.within_limit(texts, self.try_shown_entry(at, texts)).await
    }

    /// A trial, or that it took too long.
    pub(super) async fn within_limit(
        &self,
        texts: &LocalizedTexts,
        trial: impl Future<Output = Result<ConfigEntryTrial, CliError>>,
    ) -> Result<ConfigEntryTrial, CliError> {
        let limit = self.context().settings.server.limits.entry_check_timeout;
        tokio::select! {
            tried = trial => tried,
            () = self.services().clock.sleep(limit) => {
                let seconds = limit.0.unsigned_abs() / 1000;
                Ok(ConfigEntryTrial { works: false, says: say!(texts, "entry-trial-late", seconds = seconds) })
            }
        }
    }

    async fn try_shown_entry(
        &self,
        at: EntryAddress<'_>,
        texts: &LocalizedTexts,
    ) -> Result<ConfigEntryTrial, CliError> {
        let context = self.context();
        let read = load(&context.flags, &context.environment);
        let read = read.map_err(|fault| unusable_entry_error(&fault))?;
        let (running, written) = (entry_of(&context.settings, at), entry_of(&read, at));
        let is_in_force = written.is_none() || written == running;
        let is_program = written.is_some_and(|entry| entry.get("command").is_some());
        match (at.section, is_in_force) {
            (ConfigSection::McpServers, true) => Ok(self.ask_server(at.name, texts).await),
            (ConfigSection::McpServers, false) if is_program => {
                Ok(ConfigEntryTrial { works: false, says: say!(texts, "entry-not-in-force") })
            }
            (_, true) => try_entry(&context.settings, at, texts).await,
            (_, false) => {
                let trial = try_entry(&read, at, texts).await?;
                let says = say!(texts, "entry-works-later", says = trial.says.as_str());
                Ok(if trial.works { ConfigEntryTrial { says, ..trial } } else { trial })
            }
        }
    }

    /// Asks a server in force for its tools.
    async fn ask_server(&self, name: &str, texts: &LocalizedTexts) -> ConfigEntryTrial {
        let services = self.services();
        match services.mcp().ask_for_tools(name, services.clock.now()).await {
            Ok(count) => {
                ConfigEntryTrial { works: true, says: say!(texts, "entry-mcp-answers", count = count) }
            }
            Err(failed) => ConfigEntryTrial { works: false, says: one_line(&failed.message(texts)) },
        }
    }
}

/// An entry of these settings, as a file would have it.
fn entry_of(settings: &AppSettings, at: EntryAddress<'_>) -> Option<Json> {
    let mut entries = in_force(settings, at.section).into_iter();
    entries.find(|(name, _)| name == at.name).map(|(_, entry)| entry)
}

/// Tries an entry of these settings.
pub(super) async fn try_entry(
    settings: &AppSettings,
    at: EntryAddress<'_>,
    texts: &LocalizedTexts,
) -> Result<ConfigEntryTrial, CliError> {
    let tried = match at.section {
        ConfigSection::McpServers => try_server(settings, at.name, texts).await?,
        ConfigSection::Agents => try_agent(settings, at.name, texts).await,
        ConfigSection::HttpTools => try_tool(settings, at.name, texts).await,
        ConfigSection::Embeddings => try_embeddings(settings, texts).await,
    };
    Ok(match tried {
        Ok(says) => ConfigEntryTrial { works: true, says: one_line(&says) },
        Err(why) => ConfigEntryTrial { works: false, says: one_line(&why) },
    })
}

/// Connects to an MCP server, beside those that run: what it offers is accepted nowhere.
async fn try_server(
    settings: &AppSettings,
    name: &str,
    texts: &LocalizedTexts,
) -> Result<Result<String, String>, CliError> {
    let folder = tempfile::tempdir();
    let folder = folder.map_err(|error| CliError::new(CliExitCode::Failure, error.to_string()))?;
    let server = server_alone(settings, name, folder.path().join(PINS))?;
    let failed = server.connect_all().await;
    let count = server.tools(texts).map_or(0, |tools| tools.len());
    server.close().await;
    Ok(match failed.first() {
        Some(failed) => Err(failed.message(texts)),
        None => Ok(say!(texts, "entry-mcp-answers", count = count)),
    })
}

/// Asks the model of an agent: its own, else that of new sessions.
async fn try_agent(settings: &AppSettings, name: &str, texts: &LocalizedTexts) -> Result<String, String> {
    let agent = settings.agents.iter().find(|agent| agent.name == name);
    let named = agent.and_then(|agent| agent.provider.as_ref()).or(settings.default_provider.as_ref());
    let given = named.and_then(|named| settings.parts.providers.get(named));
    let entry = settings.providers.iter().find(|entry| Some(&entry.name) == named);
    let provider = match (given, entry.cloned()) {
        (Some(given), _) => given.provider.clone(),
        (None, Some(mut entry)) => {
            if let Some(model) = agent.and_then(|agent| agent.model.clone()) {
                entry.config.model = Some(model);
            }
            let registry = providers(&settings.parts, from_ref(&entry));
            registry.provider(&entry.name).map_err(|failure| failure.message)?
        }
        (None, None) => return Err(say!(texts, "entry-agent-no-provider")),
    };
    let answer = provider.check().await.map_err(|failure| failure.message)?;
    let named = named.map_or("", String::as_str);
    Ok(say!(texts, "entry-agent-answers", provider = named, answer = answer))
}

/// Connects to the host of an HTTP tool. Sends no request, because it may be an action.
async fn try_tool(settings: &AppSettings, name: &str, texts: &LocalizedTexts) -> Result<String, String> {
    let url = tool(&settings.tools, name).and_then(|tool| Url::parse(&tool.url).ok());
    let Some(url) = url else { return Err(say!(texts, "entry-tool-no-host")) };
    let host = url.origin().ascii_serialization();
    let egress = EgressClient::new(settings.tool_egress(), settings.parts.crypto());
    match egress.probe_connection(&host).await {
        Ok(()) => Ok(say!(texts, "doctor-http-reached", host = host)),
        Err(error) => Err(error.message(texts)),
    }
}

/// Lets the model make one vector.
async fn try_embeddings(settings: &AppSettings, texts: &LocalizedTexts) -> Result<String, String> {
    let Some(client) = embedding_client(settings) else { return Err(say!(texts, "entry-embeds-nothing")) };
    let made = client.embed(EmbeddingKind::Document, &[SAMPLE.to_owned()]).await;
    let made = made.map_err(|error| error.message)?;
    let dims = made.first().map_or(0, Vec::len);
    Ok(say!(texts, "entry-embeds", dims = dims))
}
