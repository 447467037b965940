//! What stands between the slashes of a path.

use entracte_domain::id::{SessionId, TaskId};
use serde::Deserialize;
use utoipa::IntoParams;

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfWorkspace {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfSession {
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
pub(crate) struct OfAgent {
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
pub(crate) struct OfCall {
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
pub(crate) struct OfApproval {
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
pub(crate) struct OfRule {
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
pub(crate) struct OfAutomation {
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
pub(crate) struct OfCommand {
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
pub(crate) struct OfOwnSecret {
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
pub(crate) struct OfToken {
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
pub(crate) struct OfPerson {
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
pub(crate) struct OfTarget {
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
pub(crate) struct OfTask {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The task.
    pub(crate) task: String,
}

impl OfTask {
    /// The task.
    pub(crate) fn task(&self) -> TaskId {
        TaskId::new(self.task.clone())
    }
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfCallback {
    /// The task.
    pub(crate) task: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfProvider {
    /// The name of the provider.
    pub(crate) p: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfModelCall {
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
pub(crate) struct OfText {
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
pub(crate) struct OfProposal {
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
pub(crate) struct OfZone {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The zone.
    pub(crate) z: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfTool {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The tool.
    pub(crate) tool: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfEntry {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The tool.
    pub(crate) tool: String,
    /// The entry.
    pub(crate) e: String,
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfSetting {
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
pub(crate) struct OfQueued {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The session.
    s: String,
    /// The message.
    pub(crate) m: String,
}

impl OfQueued {
    /// The session.
    pub(crate) fn session(&self) -> SessionId {
        SessionId::new(self.s.clone())
    }
}

impl OfSession {
    /// The session.
    pub(crate) fn session(&self) -> SessionId {
        SessionId::new(self.s.clone())
    }
}

/// Of a path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfDocument {
    /// The workspace: `user:collection`.
    #[serde(rename = "w")]
    #[param(rename = "w")]
    _workspace: String,
    /// The name of the document, or its id; a `/` of the name is written `%2F`.
    pub(crate) d: String,
}
