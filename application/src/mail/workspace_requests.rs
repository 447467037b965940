//! Requests that concern a workspace as a whole, or create an object in it.

use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::time::Timestamp;

use super::{
    AutomationChangeRequest, NewAutomationRequest, NewRuleRequest, NewSessionRequest, request_kinds,
};
use crate::instructions::{InstructionScope, InstructionSource};
use crate::retention::RetentionStep;

request_kinds! {
    /// A request to a workspace.
    pub enum WorkspaceRequest {
        /// Creates a session.
        StartSession(NewSessionRequest),
        /// Creates a session with its first message, in one commit.
        StartWithMessage(StartWithMessageRequest),
        /// Creates a session from an exported one.
        ImportSession(ImportSessionRequest),
        /// Changes settings of the workspace, all or none.
        ChangeSettings(ChangeSettingsRequest),
        /// Sets or clears instructions for models.
        SetInstructions(SetInstructionsRequest),
        /// Creates a rule that approves or refuses future calls.
        AddRule(AddRuleRequest),
        /// Revokes a standing approval rule.
        RevokeRule(RevokeRuleRequest),
        /// Creates an automation with its seed.
        CreateAutomation(CreateAutomationRequest),
        /// Changes an automation; absent fields stay unchanged.
        EditAutomation(EditAutomationRequest),
        /// Deletes an automation; its runs are preserved.
        DeleteAutomation(DeleteAutomationRequest),
        /// Runs an automation now.
        RunAutomation(RunAutomationRequest),
        /// Holds something against the retention policy.
        HoldRetention(HoldRetentionRequest),
        /// Releases a hold.
        ReleaseRetention(ReleaseRetentionRequest),
        /// Removes what goes by the retention policy. Only the owner and a person who runs retention post it.
        ApplyRetention(ApplyRetentionRequest),
        /// Snoozes items of a person's inbox.
        SnoozeItems(SnoozeItemsRequest),
        /// Ends a person's snoozes of items.
        WakeItems(WakeItemsRequest),
        /// Assigns items of the inbox to a person, or to nobody.
        AssignItems(AssignItemsRequest),
    }
}

/// A new session and its first message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartWithMessageRequest {
    /// The session to create.
    pub new: NewSessionRequest,
    /// The author of the message.
    pub author: String,
    /// The message. The owner resolves the queries of its enrichments.
    pub message: UserMessage,
    /// The client's idempotency key of the message.
    pub client_key: Option<String>,
}

/// An exported session, to be stored as a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportSessionRequest {
    /// The requesting person.
    pub author: String,
    /// The id of the new session: that in the file, or another one.
    pub id: SessionId,
    /// The unchanged content of the file.
    pub document: String,
}

/// New values of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeSettingsRequest {
    /// The requesting person.
    pub author: String,
    /// Each key with its new value; `None` restores the default.
    pub changes: Vec<(String, Option<String>)>,
}

/// The new instructions of one scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetInstructionsRequest {
    /// The author of the instructions.
    pub author: String,
    /// The scope in which they apply.
    pub scope: InstructionScope,
    /// The text for the model; `None` clears them.
    pub text: Option<String>,
    /// The source of the text.
    pub source: InstructionSource,
    /// The version that was read before; a mismatch is refused. `None` accepts any version, 0 means that none
    /// exists yet.
    pub expected: Option<u64>,
}

/// A new rule and its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddRuleRequest {
    /// The author of the rule.
    pub author: String,
    /// The rule to create.
    pub new: NewRuleRequest,
}

/// The rule to revoke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevokeRuleRequest {
    /// The requesting person.
    pub author: String,
    /// The id of the rule.
    pub rule: String,
}

/// A new automation and its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateAutomationRequest {
    /// The author of the automation.
    pub author: String,
    /// The automation to create.
    pub new: NewAutomationRequest,
}

/// A partial update of an automation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditAutomationRequest {
    /// The requesting person.
    pub author: String,
    /// The automation it concerns.
    pub automation: AutomationId,
    /// The fields to change, with their new values.
    pub change: AutomationChangeRequest,
}

/// The automation to delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteAutomationRequest {
    /// The requesting person.
    pub author: String,
    /// The automation it concerns.
    pub automation: AutomationId,
}

/// The automation to run outside its schedule, with the id of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAutomationRequest {
    /// The requesting person.
    pub author: String,
    /// The automation it concerns.
    pub automation: AutomationId,
    /// The id of the run, generated by the requester, so that a repetition creates no second run.
    pub session: SessionId,
    /// The payload of the event that triggers the run, as received.
    pub event: Option<String>,
}

/// What to hold, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldRetentionRequest {
    /// The requesting person.
    pub author: String,
    /// What is held. A hold that exists takes over the author and the reason.
    pub scope: InstructionScope,
    /// The reason.
    pub reason: String,
}

/// The hold to release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseRetentionRequest {
    /// The requesting person.
    pub author: String,
    /// What is held.
    pub scope: InstructionScope,
}

/// What goes in one commit. Each step is checked again: one that no longer applies is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplyRetentionRequest {
    /// The steps, in order.
    pub steps: Vec<RetentionStep>,
    /// The limits under which the steps were planned: the text form of the policy of the process that planned them, with
    /// those that the workspace set itself. If the owner has other ones, the request is refused.
    pub limits: String,
}

/// The items to snooze: all of them, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnoozeItemsRequest {
    /// The person whose inbox they leave. Nobody else's changes.
    pub author: String,
    /// The items.
    pub items: Vec<ItemSnooze>,
}

/// An item to snooze.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemSnooze {
    /// The session the item waits in.
    pub session: SessionId,
    /// The id of the item.
    pub item: String,
    /// The version of the item that the person saw.
    pub version: String,
    /// Until when it is snoozed.
    pub until: Timestamp,
}

/// The items whose snoozes end now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WakeItemsRequest {
    /// The person who snoozed them.
    pub author: String,
    /// The items; one that is not snoozed is no error.
    pub items: Vec<TriageItem>,
}

/// The items to assign: all of them, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignItemsRequest {
    /// The requesting person.
    pub author: String,
    /// The name of the person they are assigned to; `None` assigns them to nobody.
    pub person: Option<String>,
    /// The items.
    pub items: Vec<TriageItem>,
}

/// An item of the inbox, with its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriageItem {
    /// The session the item waits in.
    pub session: SessionId,
    /// The id of the item.
    pub item: String,
}
