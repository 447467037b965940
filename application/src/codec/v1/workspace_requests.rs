//! Requests to a workspace in the mail store.

use entracte_domain::plan::PlanMode;
use entracte_domain::session::{Dialect, SessionKind};
use entracte_domain::validation::{UseLimit, UseLimits};
use serde::{Deserialize, Serialize};

use super::automation::{AutomationChangeV1, NewAutomationV1};
use super::instructions::{InstructionsScopeV1, InstructionsSourceV1};
use super::is_default;
use super::message::SegmentV1;
use super::restriction::RestrictionV1;
use super::rule::{ConditionV1, RuleScopeParts, UseLimitsV1};
use super::shape::{ShapeV1, by_hand, shape};
use super::words::WordV1;
use crate::mail::{
    AddRuleRequest, ChangeSettingsRequest, CreateAutomationRequest, DeleteAutomationRequest,
    EditAutomationRequest, ImportSessionRequest, NewRuleRequest, NewSessionRequest, RevokeRuleRequest,
    RunAutomationRequest, SetInstructionsRequest, StartWithMessageRequest,
};

shape! {
    pub(super) struct StartSessionV1 = NewSessionRequest {
        id: String,
        kind: WordV1<SessionKind>,
        name: String,
        provider: String,
        model: String,
        dialect: WordV1<Dialect>,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_validation: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<WordV1<PlanMode>>,
        #[serde(default, rename = "commands", skip_serializing_if = "RestrictionV1::is_open")]
        restriction: RestrictionV1,
    }
}

shape! {
    pub(super) struct StartWithMessageV1 = StartWithMessageRequest {
        new: StartSessionV1,
        author: String,
        message: Vec<SegmentV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_key: Option<String>,
    }
}

shape! {
    pub(super) struct ImportSessionV1 = ImportSessionRequest {
        author: String,
        id: String,
        document: String,
    }
}

shape! {
    pub(super) struct ChangeSettingsV1 = ChangeSettingsRequest {
        author: String,
        changes: Vec<(String, Option<String>)>,
    }
}

shape! {
    pub(super) struct SetInstructionsV1 = SetInstructionsRequest {
        author: String,
        scope: InstructionsScopeV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        source: InstructionsSourceV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expected: Option<u64>,
    }
}

shape! {
    pub(super) struct RevokeRuleV1 = RevokeRuleRequest {
        author: String,
        rule: String,
    }
}

shape! {
    pub(super) struct CreateAutomationV1 = CreateAutomationRequest {
        author: String,
        new: NewAutomationV1,
    }
}

shape! {
    pub(super) struct EditAutomationV1 = EditAutomationRequest {
        author: String,
        automation: String,
        change: AutomationChangeV1,
    }
}

shape! {
    pub(super) struct DeleteAutomationV1 = DeleteAutomationRequest {
        author: String,
        automation: String,
    }
}

shape! {
    pub(super) struct RunAutomationV1 = RunAutomationRequest {
        author: String,
        automation: String,
        session: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        event: Option<String>,
    }
}

/// The fields of the rule stand beside its author.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AddRuleV1 {
    author: String,
    command: String,
    #[serde(default, rename = "args", skip_serializing_if = "Vec::is_empty")]
    arguments: Vec<(String, ConditionV1)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    automation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    denies: Option<String>,
    #[serde(default, rename = "lasts_ms", skip_serializing_if = "Option::is_none")]
    lasts: Option<i64>,
    /// The maximum number of all calls; the other limits are in `limits`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<u32>,
    #[serde(default, skip_serializing_if = "is_default")]
    limits: UseLimitsV1,
    #[serde(default, skip_serializing_if = "is_default")]
    agents: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    people: Vec<String>,
}

by_hand!(AddRuleV1 = AddRuleRequest);

impl From<&AddRuleRequest> for AddRuleV1 {
    fn from(request: &AddRuleRequest) -> Self {
        let AddRuleRequest { author, new } = request;
        let NewRuleRequest { command, arguments, scope, denies, lasts, limits, agents, people } = new;
        let RuleScopeParts { session, automation, agent } = RuleScopeParts::from_scope(scope);
        let times = limits.total.calls;
        let limits = UseLimits { total: UseLimit { calls: None, ..limits.total }, ..limits.clone() };
        Self {
            author: author.clone(),
            command: command.clone(),
            arguments: ShapeV1::of(arguments),
            session,
            automation,
            agent,
            denies: denies.clone(),
            lasts: ShapeV1::of(lasts),
            times,
            limits: ShapeV1::of(&limits),
            agents: *agents,
            people: people.clone(),
        }
    }
}

impl From<AddRuleV1> for AddRuleRequest {
    fn from(shape: AddRuleV1) -> Self {
        let AddRuleV1 { author, command, arguments, session, automation, agent, .. } = shape;
        let AddRuleV1 { denies, lasts, times, limits, agents, people, .. } = shape;
        let (arguments, lasts) = (arguments.domain(), lasts.domain());
        let scope = RuleScopeParts { session, automation, agent }.into_scope();
        let mut limits: UseLimits = limits.domain();
        limits.total.calls = times;
        let new = NewRuleRequest { command, arguments, scope, denies, lasts, limits, agents, people };
        Self { author, new }
    }
}
