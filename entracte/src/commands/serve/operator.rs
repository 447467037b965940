//! Requests of the operator to the server: `doctor`, `config show`, `db check`, `db backup` and `command accept`, as
//! on the command line.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_commands::mcp::{McpToolState, McpToolStatus};
use entracte_adapters_http::server_state::PublicEntries;
use entracte_application::ports::{
    DatabaseCheckReport, ExternalServerTools, ExternalToolChoice, ExternalToolDecision, ExternalToolGaps,
    ExternalToolOffer, FoundModelServer, HealthCheckResult, NewProviderSource, OperatorError,
    OwnershipRecord, ProcessLogLine, ProcessOperator, ProcessSetting, ProviderChange, ProviderEffect,
    StoreError, UnusableExternalTool,
};
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, ReaderLanguage, say};
use entracte_domain::id::Digest;
use serde_json::Value;
use tokio::sync::Mutex;

use super::backups;
use super::provider_changes::found_servers;
use super::running_entries::RunningEntries;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::commands::provider::http_edit::DesiredProviderEntry;
use crate::commands::{command_accept, db, doctor, mcp_tools};
use crate::config::effective_settings;
use crate::error::{CliError, CliExitCode, chain};
use crate::log_ring;

/// The operator of this process.
pub(super) struct LocalServerOperator {
    pub(super) entries: RunningEntries,
    services: Arc<AppServices>,
    /// Held while a person's decision about tools is compared and stored.
    deciding: Mutex<()>,
}

impl LocalServerOperator {
    /// An operator with its own command context; `listed` is what clients see of the entries.
    pub(super) fn new(
        context: &CommandContext,
        services: Arc<AppServices>,
        listed: Arc<PublicEntries>,
    ) -> Self {
        let entries = RunningEntries::new(context.clone_for_server(), services.clone(), listed);
        Self { entries, services, deciding: Mutex::default() }
    }

    fn context(&self) -> Arc<CommandContext> {
        self.entries.context()
    }

    /// The texts of a reader of what concerns the whole server, whose own workspace has the language of who asks for none.
    async fn texts_for(&self, reader: ReaderLanguage) -> &'static LocalizedTexts {
        let context = self.context();
        let stored = self.services.stored_settings(&context.settings.workspace).await;
        context.texts_for(reader, stored.ok().flatten().as_ref())
    }

    /// The tools that the servers have offered.
    fn known_tools(&self, texts: &LocalizedTexts) -> Result<Vec<McpToolStatus>, OperatorError> {
        command_accept::known_tools(&self.services.mcp(), texts).map_err(failed)
    }

    fn undecided(
        &self,
        command: &str,
        texts: &LocalizedTexts,
    ) -> Result<Option<McpToolStatus>, OperatorError> {
        let Some((server, tool)) = self.services.mcp().resolve_command(command) else { return Ok(None) };
        let mut tools = self.known_tools(texts)?.into_iter();
        Ok(tools.find(|known| known.server == server && known.tool == tool))
    }
}

/// A tool as a person decides on it.
fn tool_offer(tool: McpToolStatus, texts: &LocalizedTexts) -> ExternalToolOffer {
    ExternalToolOffer {
        says: command_accept::tool_decision_text(&tool, texts),
        loosens: tool.loosens,
        offered: tool.offered,
        server: tool.server,
        tool: tool.tool,
    }
}

/// The refusal of the port for an error.
pub(super) fn failed(error: CliError) -> OperatorError {
    match error.exit {
        CliExitCode::NotFound => OperatorError::NotFound(error.message),
        CliExitCode::Usage => OperatorError::Invalid(error.message),
        CliExitCode::Conflict => OperatorError::Changed(error.message),
        _ => OperatorError::Failed(error.message),
    }
}

/// The refusal of a request, in its language.
pub(super) fn refusal(texts: &LocalizedTexts) -> impl Fn(CliError) -> OperatorError {
    move |error| failed(error.localized(texts))
}

#[async_trait]
impl ProcessOperator for LocalServerOperator {
    async fn run_health_checks(
        &self,
        online: bool,
        reader: ReaderLanguage,
    ) -> Result<Vec<HealthCheckResult>, OperatorError> {
        Ok(doctor::looked(&self.context(), online, reader).await)
    }

    fn recent_log(&self) -> Vec<ProcessLogLine> {
        log_ring::recent_lines()
    }

    fn effective_settings(&self) -> Vec<ProcessSetting> {
        let setting = |line: crate::config::EffectiveSetting| ProcessSetting {
            key: line.key,
            value: line.value,
            origin: line.origin,
        };
        effective_settings(&self.context().settings).into_iter().map(setting).collect()
    }

    async fn holder(&self) -> Result<Option<OwnershipRecord>, OperatorError> {
        let failed = |error: StoreError| OperatorError::Failed(chain(&error));
        // Servers that share the database do not write who owned it last.
        if self.services.workspace_rights().is_ok_and(|rights| rights.is_some()) {
            let first = self.services.store_ownership.worker_process().await.map_err(failed)?;
            return Ok(first.map(OwnershipRecord::from));
        }
        self.services.ownership().holder().await.map_err(failed)
    }

    async fn check(&self, reader: ReaderLanguage) -> Result<DatabaseCheckReport, OperatorError> {
        let texts = self.texts_for(reader).await;
        let context = self.context();
        let hidden = context.progress().hidden();
        let (mut faults, ill) = db::faults(&self.services, texts, hidden).await.map_err(failed)?;
        faults.extend(db::counters_fault(&self.services.database, texts).await.map_err(failed)?);
        let sessions = ill.iter().map(|verdict| verdict.fault(texts)).collect();
        Ok(DatabaseCheckReport { faults, sessions })
    }

    async fn back_up(&self) -> Result<String, OperatorError> {
        let (database, settings) = (self.services.database.clone(), self.context().settings.backup.clone());
        let made = backups::make(database, settings, self.services.clock.now()).await;
        let file = made.map_err(OperatorError::Failed)?;
        Ok(file.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }

    fn provider_entry_digest(&self, name: &str) -> Result<Option<Digest>, OperatorError> {
        self.entries.digest(name).map_err(failed)
    }

    async fn put_provider(
        &self,
        name: &str,
        settings: &Value,
        is_default: bool,
        read: Option<Digest>,
        language: Language,
    ) -> Result<ProviderEffect, OperatorError> {
        let entry = DesiredProviderEntry { name, settings, is_default };
        let done = self.entries.put(entry, read.as_ref()).await;
        done.map_err(refusal(LocalizedTexts::for_language(language)))
    }

    async fn remove_provider(
        &self,
        name: &str,
        read: &Digest,
        language: Language,
    ) -> Result<(), OperatorError> {
        let done = self.entries.remove(name, read).await;
        done.map_err(refusal(LocalizedTexts::for_language(language)))
    }

    async fn find_model_servers(&self) -> Vec<FoundModelServer> {
        found_servers(&self.context().settings.parts).await
    }

    async fn set_up_provider(
        &self,
        source: NewProviderSource,
        language: Language,
    ) -> Result<String, OperatorError> {
        let done = self.entries.set_up(source, language).await;
        done.map_err(refusal(LocalizedTexts::for_language(language)))
    }

    async fn change_provider(
        &self,
        name: &str,
        change: ProviderChange,
        read: &Digest,
        language: Language,
    ) -> Result<(), OperatorError> {
        let done = self.entries.change(name, &change, read).await;
        done.map_err(refusal(LocalizedTexts::for_language(language)))
    }

    async fn external_tool_offer(
        &self,
        command: &str,
        language: Language,
    ) -> Result<Option<ExternalToolOffer>, OperatorError> {
        let texts = LocalizedTexts::for_language(language);
        Ok(self.undecided(command, texts)?.map(|tool| tool_offer(tool, texts)))
    }

    fn external_tool_offers(&self, language: Language) -> Result<Vec<ExternalToolOffer>, OperatorError> {
        let texts = LocalizedTexts::for_language(language);
        let waiting = self.known_tools(texts)?.into_iter().filter(|tool| tool.offered.is_some());
        Ok(waiting.map(|tool| tool_offer(tool, texts)).collect())
    }

    async fn accept_tool_offer(
        &self,
        offer: &ExternalToolOffer,
        read: &Digest,
        language: Language,
    ) -> Result<(), OperatorError> {
        let accepted = self.services.mcp().accept(&offer.server, &offer.tool, Some(read));
        accepted
            .map_err(|error| OperatorError::Changed(error.message(LocalizedTexts::for_language(language))))
    }

    fn external_tool_gaps(&self, language: Language) -> Result<ExternalToolGaps, OperatorError> {
        let tools = self.known_tools(LocalizedTexts::for_language(language))?;
        let unusable = tools.into_iter().filter_map(|known| match known.state {
            McpToolState::Unusable { argument, why } => {
                let name = format!("{}.{}", known.server, known.tool);
                Some(UnusableExternalTool { name, argument, why })
            }
            _ => None,
        });
        Ok(ExternalToolGaps {
            unlisted_servers: self.services.mcp().unmet_servers(),
            unusable: unusable.collect(),
        })
    }

    fn external_servers(&self) -> Result<Vec<ExternalServerTools>, OperatorError> {
        let texts = LocalizedTexts::for_language(Language::En);
        let now = self.services.clock.now();
        mcp_tools::external_servers(&self.services.mcp(), now, texts).map_err(failed)
    }

    async fn decide_external_tools(
        &self,
        server: &str,
        choice: ExternalToolChoice,
        tools: &[String],
        read: &Digest,
        language: Language,
    ) -> Result<ExternalToolDecision, OperatorError> {
        let texts = LocalizedTexts::for_language(language);
        let _deciding = self.deciding.lock().await;
        let shown = self.external_servers()?.into_iter().find(|known| known.server == server);
        if shown.is_none_or(|shown| shown.digest() != *read) {
            return Err(OperatorError::Changed(say!(texts, "mcp-tools-changed", server = server)));
        }
        let decided = mcp_tools::decide_tools(&self.services.mcp(), server, choice, tools, texts);
        let decided = decided.map_err(|error| failed(error.localized(texts)))?;
        self.services.rebuild_catalog().map_err(failed)?;
        Ok(decided)
    }
}
