//! The server of a command: which one, with which token, in which workspace.

use entracte_adapters_http::api_transport::server_address::{ServerAddress, ServerAddressFault};
use entracte_application::settings::{Language, WorkspaceSettings};
use entracte_domain::id::WorkspaceKey;
use secrecy::SecretString;
use serde::Deserialize;

use super::fault::login_command;
use crate::command_context::CommandContext;
use crate::config::ServerList;
use crate::environment::{ProcessEnvironment, SERVER, TOKEN};
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// What a command sends to its server.
pub(super) struct ServerTarget {
    /// The token.
    pub(super) token: SecretString,
    /// The workspace: the one that a person named, or the login's own.
    pub(super) workspace: WorkspaceKey,
}

/// The server that a command names, by an option or a variable.
pub(crate) fn named_server(
    option: Option<&str>,
    environment: &ProcessEnvironment,
) -> Result<Option<ServerAddress>, CliError> {
    let Some(named) = option.or_else(|| environment.variable(SERVER)) else { return Ok(None) };
    let refused = |fault| {
        let why = match fault {
            ServerAddressFault::NotUrl => message!("server-address-no-url"),
            ServerAddressFault::Plain => message!("server-address-plain"),
            ServerAddressFault::Extra => message!("server-address-extra"),
        };
        CliError::new(CliExitCode::Usage, message!("server-address", given = named, why = why))
    };
    ServerAddress::parse(named).map(Some).map_err(refused)
}

impl ServerTarget {
    /// The token of the environment, or of the login at exactly this address.
    pub(super) fn read(context: &CommandContext, server: &ServerAddress) -> Result<Self, CliError> {
        let settings = &context.settings;
        if let Some(token) = context.environment.variable(TOKEN) {
            return Ok(Self { token: token.to_owned().into(), workspace: settings.workspace.clone() });
        }
        let list = ServerList::for_environment(&context.environment);
        let login = list.login(server).map_err(|fault| {
            CliError::with_next(CliExitCode::Failure, list.describe(&fault), login_command(server))
        })?;
        let Some(login) = login else {
            let text = message!("server-no-login", server = server.as_str());
            return Err(CliError::with_next(CliExitCode::NotAllowed, text, login_command(server)));
        };
        let own = login.workspace.filter(|_| !settings.names_workspace).map(WorkspaceKey::new);
        Ok(Self { token: login.token, workspace: own.unwrap_or_else(|| settings.workspace.clone()) })
    }
}

/// The settings of a workspace, as the API answers them.
#[derive(Deserialize)]
pub(super) struct ReceivedSettings {
    settings: Vec<ReceivedSetting>,
}

#[derive(Deserialize)]
struct ReceivedSetting {
    key: String,
    value: String,
}

impl ReceivedSettings {
    /// Language and zone, in which a command shows what it read, and how long a chat keeps its slot.
    pub(super) fn into_settings(self) -> Option<WorkspaceSettings> {
        let value = |key: &str| self.settings.iter().find(|setting| setting.key == key);
        let language = Language::from_word(&value("language")?.value)?;
        let zone = value("zone")?.value.clone();
        let default = WorkspaceSettings::default();
        let eviction = value("chat_eviction").and_then(|setting| setting.value.parse().ok());
        let chat_eviction = eviction.unwrap_or(default.chat_eviction);
        Some(WorkspaceSettings { language, zone, chat_eviction, ..default })
    }
}
