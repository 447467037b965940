//! The configuration of a task command. Data only; [`TaskConfig::check`] finds faults that the types cannot.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::declaration_checks::word_of;
use crate::secret::SecretPlace;
use crate::tool_approvers::ToolApprovers;

/// Whether a task reads or changes something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Reads; may be given again.
    Query,
    /// Changes something; a person is always asked before it is given.
    #[default]
    Action,
}

impl TaskKind {
    /// Whether it is the default, which is not serialized.
    fn is_usual(&self) -> bool {
        *self == Self::Action
    }
}

/// A command that another service works on for as long as it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskConfig {
    /// Its name in the catalog: `books.close_month`.
    pub name: String,
    /// The word of the envelope; the name in capitals unless said: `BOOKS_CLOSE_MONTH`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// What the other side calls this kind of task; the name unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_type: Option<String>,
    /// Where it is given: `https://host/tasks`.
    pub url: String,
    /// Where the secrets are kept that sign what is sent and prove what comes back, `whsec_…`: one, or two while a new one
    /// takes the place of the old. The first signs.
    pub secrets: Vec<SecretPlace>,
    /// JSON Schema of the arguments: an object with `additionalProperties: false`.
    pub arguments: serde_json::Value,
    /// Whether it reads or changes something; an action unless said.
    #[serde(default, skip_serializing_if = "TaskKind::is_usual")]
    pub kind: TaskKind,
    /// A person is asked before it is given. For a query, whose arguments leave the workspace too; an action is always asked
    /// for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<bool>,
    /// Somebody must approve it whose message is not in the exchange. For what needs approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub four_eyes: Option<bool>,
    /// Who may approve it, as `role:NAME` and `person:NAME`; the roles are those of the workspace, whose own `approvers` count
    /// beside them. For what needs approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvers: Option<Vec<String>>,
    /// How many different people must approve it, 1 to 20; 1 unless said. For what needs approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// How long after its request those of the workspace's `escalate_to` may approve it, too, as `4h`, or `never`; as the
    /// workspace says unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_after: Option<String>,
    /// The sentence of its approval card: `Pay {amount} to {supplier}`, where each name is an argument; every argument stands
    /// below it, too. What is given, and to which address, unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
    /// Cannot be undone, so no rule approves for ever; actions cannot unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// The other side recognises a task by its id, and does the same task once however often it is given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
    /// How long it recognises one; 86 400 unless said. For `idempotent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_lifetime_seconds: Option<u32>,
    /// Where to ask how far a task is when the answer to its dispatch was lost: `https://host/tasks/{task}`, with our id of
    /// the task. Status 404 says that it never arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_url_template: Option<String>,
    /// How long after a lost answer a 404 counts; 10 unless said. For `status_url_template`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle_seconds: Option<u32>,
    /// How long the whole task may take; 86 400 unless said. Then its session goes on without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<u32>,
    /// How long one request may take instead of the general time-out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u32>,
    /// May run beside its siblings; yes unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub independent: Option<bool>,
    /// What is known of the user goes with it; yes unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_context: Option<bool>,
    /// What the model reads about it.
    pub doc: String,
    /// An example of its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<serde_json::Value>,
}

impl TaskConfig {
    /// The request's destination and everything sent besides the arguments: an approval is bound to it.
    pub(super) fn target(&self) -> serde_json::Value {
        let secrets: Vec<_> = self
            .secrets
            .iter()
            .map(|place| json!({ "env": place.secret_env, "file": place.secret_file }))
            .collect();
        let mut target = json!({
            "method": "POST",
            "task": self.task_type(),
            "url": self.url,
            "status_url_template": self.status_url_template,
            "secrets": secrets,
            "user_context": self.sends_context(),
        });
        // Another sentence is another version of the command.
        if let Some(card) = &self.card {
            target["card"] = json!(card);
        }
        target
    }

    /// The word of the command in the envelope dialect.
    pub(super) fn word(&self) -> String {
        self.word.clone().unwrap_or_else(|| word_of(&self.name))
    }

    /// The task type sent to the task server.
    pub(super) fn task_type(&self) -> &str {
        self.task_type.as_deref().unwrap_or(&self.name)
    }

    /// Whether it is a query that needs approval.
    pub(super) fn requires_read_approval(&self) -> bool {
        self.kind == TaskKind::Query && self.approval == Some(true)
    }

    /// Who must approve it.
    pub(super) fn tool_approvers(&self) -> ToolApprovers<'_> {
        ToolApprovers {
            approvers: self.approvers.as_deref(),
            quorum: self.quorum,
            escalate_after: self.escalate_after.as_deref(),
        }
    }

    /// Whether the user context is sent with the task.
    pub(super) fn sends_context(&self) -> bool {
        self.user_context != Some(false)
    }
}
