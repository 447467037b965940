//! Fakes around the server: a task server, an operator, and the secrets of people.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use entracte_adapters_commands::egress::{EgressClient, EgressSettings};
use entracte_adapters_commands::tasks::TaskServerExecutor;
use entracte_application::ports::{
    ConfigEntry, ConfigEntryEdit, ConfigEntryEffect, ConfigEntryStore, ConfigEntryTrial, ConfigSection,
    DatabaseCheckReport, ExternalServerTools, ExternalTool, ExternalToolChoice, ExternalToolDecision,
    ExternalToolGaps, ExternalToolHints, ExternalToolOffer, ExternalToolRuleSource, ExternalToolState,
    FoundModelServer, HealthCheckResult, NewProviderSource, OperatorError, OwnershipRecord,
    PersonSecretError, PersonSecretStore, ProcessLogLine, ProcessOperator, ProcessSetting, ProviderChange,
    ProviderEffect, SecretError, SecretOwner, SecretReference, SecretStore, UnusableExternalTool,
};
use entracte_application::settings::Language;
use entracte_application::texts::ReaderLanguage;
use entracte_domain::command::CommandKind;
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// The signing key of the server of `books.close`, and a foreign one.
pub(crate) const BOOKS_KEY: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
pub(crate) const OTHER_KEY: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

struct BookTaskSecretStore;

impl SecretStore for BookTaskSecretStore {
    fn secret(&self, _: &SecretReference) -> Result<SecretString, SecretError> {
        Ok(BOOKS_KEY.into())
    }
}

/// A task server that accepts every task and never calls back, and the executor that dispatches to it.
pub(crate) async fn books() -> TaskServerExecutor {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/tasks", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut line, _)) = listener.accept().await {
            tokio::spawn(async move {
                let _ = line.read(&mut [0; 16 << 10]).await;
                let _ = line.write_all(b"HTTP/1.1 202 So\r\ncontent-length: 0\r\n\r\n").await;
            });
        }
    });
    let declared = json!({
        "name": "books.close", "url": url, "kind": "query", "doc": "Closes the books.",
        "secrets": [{ "secret_env": "BOOKS" }],
        "arguments": {
            "type": "object", "properties": { "month": { "type": "string" } }, "additionalProperties": false,
        },
    });
    let allowed = vec!["127.0.0.1".parse().unwrap()];
    let egress = EgressClient::new(
        EgressSettings { allowed, ..EgressSettings::default() },
        Arc::new(rustls::crypto::ring::default_provider()),
    );
    let declared = vec![serde_json::from_value(declared).unwrap()];
    TaskServerExecutor::new(declared, Arc::new(egress), Arc::new(BookTaskSecretStore)).unwrap()
}

/// An operator of a healthy process with a changed tool `files.read`.
pub(crate) struct FakeOperator;

#[async_trait::async_trait]
impl ProcessOperator for FakeOperator {
    async fn run_health_checks(
        &self,
        online: bool,
        _: ReaderLanguage,
    ) -> Result<Vec<HealthCheckResult>, OperatorError> {
        let looked = |check: &str, says: &str| HealthCheckResult {
            check: check.into(),
            grade: "ok",
            says: says.into(),
            fix: None,
        };
        let mut all = vec![looked("clock", "it is noon")];
        all.extend(online.then(|| looked("provider fake", "it answers")));
        Ok(all)
    }

    fn recent_log(&self) -> Vec<ProcessLogLine> {
        let line = |number, level: &str, text: &str| ProcessLogLine {
            number,
            at: Timestamp(0),
            level: level.into(),
            target: "entracte_application::notifier".into(),
            text: text.into(),
            is_cut: false,
        };
        vec![line(1, "warn", "a target cannot be read"), line(2, "info", "it begins")]
    }

    fn effective_settings(&self) -> Vec<ProcessSetting> {
        vec![ProcessSetting { key: "author".into(), value: "\"ann\"".into(), origin: "default".into() }]
    }

    async fn holder(&self) -> Result<Option<OwnershipRecord>, OperatorError> {
        Ok(None)
    }

    async fn check(&self, _: ReaderLanguage) -> Result<DatabaseCheckReport, OperatorError> {
        Ok(DatabaseCheckReport::default())
    }

    async fn back_up(&self) -> Result<String, OperatorError> {
        Ok("entracte-1.db".into())
    }

    fn provider_entry_digest(&self, name: &str) -> Result<Option<Digest>, OperatorError> {
        Ok(Some(Digest::new("p1")).filter(|_| name == "fake"))
    }

    async fn put_provider(
        &self,
        _: &str,
        settings: &Value,
        _: bool,
        _: Option<Digest>,
        _: Language,
    ) -> Result<ProviderEffect, OperatorError> {
        match settings["kind"].is_string() {
            true => Ok(ProviderEffect::AtOnce),
            false => Err(OperatorError::Invalid("a provider has a kind".into())),
        }
    }

    async fn remove_provider(&self, _: &str, _: &Digest, _: Language) -> Result<(), OperatorError> {
        Ok(())
    }

    async fn find_model_servers(&self) -> Vec<FoundModelServer> {
        let (name, base_url) = ("ollama".to_owned(), "http://localhost:11434/v1".to_owned());
        vec![FoundModelServer { kind: name.clone(), name, base_url, models: vec!["small".into()] }]
    }

    async fn set_up_provider(
        &self,
        source: NewProviderSource,
        language: Language,
    ) -> Result<String, OperatorError> {
        match source {
            NewProviderSource::Rehearsal => Ok("fake".into()),
            _ => Err(OperatorError::Failed(format!("no answer ({})", language.word()))),
        }
    }

    async fn change_provider(
        &self,
        _: &str,
        _: ProviderChange,
        _: &Digest,
        _: Language,
    ) -> Result<(), OperatorError> {
        Ok(())
    }

    async fn external_tool_offer(
        &self,
        command: &str,
        _: Language,
    ) -> Result<Option<ExternalToolOffer>, OperatorError> {
        let offered = Some(Digest::new("d1")).filter(|_| command == "files.read");
        let (server, tool) = ("files".into(), "read".into());
        Ok(Some(ExternalToolOffer { server, tool, says: "+ all".into(), loosens: true, offered }))
    }

    fn external_tool_offers(&self, _: Language) -> Result<Vec<ExternalToolOffer>, OperatorError> {
        let (server, tool, offered) = ("files".into(), "read".into(), Some(Digest::new("d1")));
        Ok(vec![ExternalToolOffer { server, tool, says: "+ all".into(), loosens: true, offered }])
    }

    async fn accept_tool_offer(
        &self,
        _: &ExternalToolOffer,
        _: &Digest,
        _: Language,
    ) -> Result<(), OperatorError> {
        Ok(())
    }

    fn external_tool_gaps(&self, _: Language) -> Result<ExternalToolGaps, OperatorError> {
        let (name, why) = ("files.watch".into(), "its schema is too large".into());
        let unusable = vec![UnusableExternalTool { name, argument: None, why }];
        Ok(ExternalToolGaps { unlisted_servers: vec!["notes".into()], unusable })
    }

    fn external_servers(&self) -> Result<Vec<ExternalServerTools>, OperatorError> {
        let tool = ExternalTool {
            tool: "read".into(),
            command: Some("files.read".into()),
            kind: CommandKind::Query,
            asks: true,
            source: ExternalToolRuleSource::Person,
            sends_out: None,
            hints: ExternalToolHints { read_only: Some(true), ..ExternalToolHints::default() },
            is_undecided: false,
            state: ExternalToolState::Usable,
        };
        Ok(vec![ExternalServerTools {
            server: "files".into(),
            tools: vec![tool],
            changed_at: Timestamp(1_790_000_000_000_000),
        }])
    }

    async fn decide_external_tools(
        &self,
        server: &str,
        choice: ExternalToolChoice,
        tools: &[String],
        read: &Digest,
        _: Language,
    ) -> Result<ExternalToolDecision, OperatorError> {
        let shown = self.external_servers()?.remove(0);
        assert_eq!((server, choice, read), ("files", ExternalToolChoice::Trust, &shown.digest()));
        match tools {
            [] => Ok(ExternalToolDecision { decided: vec!["read".into()], ..Default::default() }),
            [_, ..] => Err(OperatorError::NotFound("no such tool".into())),
        }
    }
}

/// The entries of a configuration with one MCP server, `files`.
#[async_trait::async_trait]
impl ConfigEntryStore for FakeOperator {
    fn entries(&self, section: ConfigSection) -> Result<Vec<ConfigEntry>, OperatorError> {
        let settings = json!({
            "url": "https://files.example/mcp?team=SECRET-QUERY&path={path}",
            "args": ["--token=SECRET-ARGUMENT"],
            "headers": {
                "Authorization": { "secret_file": "/keys/files.key", "prefix": "Bearer " },
                "X-Team": { "hidden": true },
            },
        });
        let entry =
            |name: &str, digest| ConfigEntry { name: name.into(), settings: settings.clone(), digest };
        Ok(match section {
            ConfigSection::McpServers => {
                vec![entry("files", Some(Digest::new("e1"))), entry("project", None)]
            }
            ConfigSection::Agents | ConfigSection::HttpTools | ConfigSection::Embeddings => Vec::new(),
        })
    }

    fn pending_entries(&self) -> Vec<String> {
        vec!["mcp.late".into()]
    }

    async fn try_entry(
        &self,
        _: ConfigSection,
        name: &str,
        language: Language,
    ) -> Result<ConfigEntryTrial, OperatorError> {
        Ok(ConfigEntryTrial { works: true, says: format!("{name} answers ({})", language.word()) })
    }

    async fn put_entry(
        &self,
        section: ConfigSection,
        _: &str,
        edit: ConfigEntryEdit,
        _: Option<Digest>,
        language: Language,
    ) -> Result<ConfigEntryEffect, OperatorError> {
        match (edit.must_work, section) {
            (true, _) => Err(OperatorError::Failed(format!("no answer ({})", language.word()))),
            (false, ConfigSection::Embeddings) => Ok(ConfigEntryEffect::AtNextStart),
            (false, _) => Ok(ConfigEntryEffect::AtOnce),
        }
    }

    async fn remove_entry(
        &self,
        _: ConfigSection,
        _: &str,
        _: &Digest,
        _: Language,
    ) -> Result<ConfigEntryEffect, OperatorError> {
        Ok(ConfigEntryEffect::AtOnce)
    }
}

/// The secrets of people, in memory.
#[derive(Default)]
pub(crate) struct OwnSecretsInMemory(Mutex<BTreeMap<(String, String, String), String>>);

fn key(holder: &SecretOwner, name: &str) -> (String, String, String) {
    (holder.workspace.to_string(), holder.person.clone(), name.to_owned())
}

impl PersonSecretStore for OwnSecretsInMemory {
    fn names(&self, of: &SecretOwner) -> Result<Vec<String>, PersonSecretError> {
        let all = self.0.lock().unwrap();
        let theirs = all
            .keys()
            .filter(|(workspace, person, _)| *workspace == of.workspace.as_str() && *person == of.person);
        Ok(theirs.map(|(_, _, name)| name.clone()).collect())
    }

    fn secret(&self, of: &SecretOwner, name: &str) -> Result<Option<SecretString>, PersonSecretError> {
        Ok(self.0.lock().unwrap().get(&key(of, name)).map(|secret| secret.as_str().into()))
    }

    fn store_secret(
        &self,
        of: &SecretOwner,
        name: &str,
        secret: &SecretString,
    ) -> Result<(), PersonSecretError> {
        self.0.lock().unwrap().insert(key(of, name), secret.expose_secret().to_owned());
        Ok(())
    }

    fn delete_secret(&self, of: &SecretOwner, name: &str) -> Result<bool, PersonSecretError> {
        Ok(self.0.lock().unwrap().remove(&key(of, name)).is_some())
    }

    fn secrets(&self, _: &SecretOwner) -> Vec<SecretString> {
        Vec::new()
    }

    fn unusable_secrets(&self, _: &WorkspaceKey) -> Vec<(String, String)> {
        Vec::new()
    }
}
