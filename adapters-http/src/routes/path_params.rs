//! Path parameters.

use entracte_domain::id::{SessionId, TaskId};
use serde::Deserialize;
use utoipa::IntoParams;

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct WorkspacePath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct SessionPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The session.
    pub(crate) s: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct AgentPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The name of the agent.
    pub(crate) agent: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ToolServerPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The name of the MCP server in the configuration.
    pub(crate) server: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct CallPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The call.
    pub(crate) c: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ApprovalPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The approval.
    pub(crate) apr: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct HoldPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// What is held: `workspace`, or the id of an automation or a session.
    pub(crate) held: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct RulePath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The rule.
    pub(crate) r: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct AutomationPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The automation.
    pub(crate) a: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct CommandPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The name of the command.
    pub(crate) n: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OwnSecretPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The name of the secret.
    pub(crate) n: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct TerminalPath {
    /// The code that the terminal shows: `WXZB-CDFG`.
    pub(crate) code: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct TokenPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The token.
    pub(crate) t: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PersonPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The person.
    pub(crate) person: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct TargetPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The target.
    pub(crate) target: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct TaskPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The task.
    pub(crate) task: String,
}

impl TaskPath {
    /// The task id.
    pub(crate) fn task(&self) -> TaskId {
        TaskId::new(self.task.clone())
    }
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct CallbackPath {
    /// The task.
    pub(crate) task: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ProviderPath {
    /// The name of the provider.
    pub(crate) p: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ConfigSectionPath {
    /// The kind of entries: `mcp-servers`, `agents`, `http-tools` or `embeddings`.
    pub(crate) section: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ConfigEntryPath {
    /// The kind of entries: `mcp-servers`, `agents`, `http-tools` or `embeddings`.
    pub(crate) section: String,
    /// The name of the entry.
    pub(crate) entry: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ModelCallPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The model call.
    pub(crate) mc: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct SharedTextPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The key of the text.
    pub(crate) text: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ProposalPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The key of the text.
    pub(crate) text: String,
    /// The proposal.
    pub(crate) prp: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct SettingPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The key of the setting.
    pub(crate) key: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct QueuedMessagePath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The session.
    s: String,
    /// The message.
    pub(crate) m: String,
}

impl QueuedMessagePath {
    /// The session id.
    pub(crate) fn session(&self) -> SessionId {
        SessionId::new(self.s.clone())
    }
}

impl SessionPath {
    /// The session id.
    pub(crate) fn session(&self) -> SessionId {
        SessionId::new(self.s.clone())
    }
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct DocumentPath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The name of the document, or its id; a `/` of the name is written `%2F`.
    pub(crate) d: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct FilePath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The digest of the file: SHA-256 in hexadecimal digits.
    pub(crate) digest: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct SessionFilePath {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The session.
    pub(crate) s: String,
    /// The digest of the file: SHA-256 in hexadecimal digits.
    pub(crate) digest: String,
}
