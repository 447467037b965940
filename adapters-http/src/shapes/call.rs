//! Shapes of calls and their results.

use std::borrow::Cow;

use entracte_application::json_value::{ExactJson, to_text};
use entracte_application::use_cases::{CallDecision, CallView, DecisionComment};
use entracte_domain::call::Call;
use entracte_domain::validation::{Approver, ApproverRequirement, GivenApproval};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{iso, wire_words};

/// A call of the ledger.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CallShape {
    /// `cal_…`.
    pub id: String,
    /// The command.
    pub command: String,
    /// `query` or `action`.
    pub kind: Cow<'static, str>,
    /// What may be done when its outcome is not known.
    pub effect: Cow<'static, str>,
    /// What it ran with, or will.
    #[schema(value_type = Value)]
    pub arguments: ExactJson,
    /// The same as text, whose numbers keep their digits.
    pub arguments_text: String,
    /// What the model proposed, where a person changed it.
    #[schema(value_type = Option<Value>)]
    pub proposed: Option<ExactJson>,
    /// Where it is.
    pub state: String,
    /// How often it was begun.
    pub attempt: u32,
    /// `approved`, `edited`, `rejected`, `rule`, `policy`.
    pub decision: Option<Cow<'static, str>>,
    /// Who decided.
    pub decided_by: Option<String>,
    /// The rule that decided, or was made with the decision.
    pub rule: Option<String>,
    /// Reasons that people gave who decided after that, the earliest first.
    pub comments: Vec<DecisionCommentShape>,
    /// When it was asked for.
    pub requested_at: String,
    /// When it was begun first.
    pub started_at: Option<String>,
    /// When it ended.
    pub finished_at: Option<String>,
    /// From its first start to its result, in milliseconds.
    pub duration_ms: Option<i64>,
    /// The code of its result.
    pub code: Option<String>,
    /// Its result is an error; null without one.
    pub is_error: Option<bool>,
    /// The path of the argument at fault.
    pub path: Option<String>,
    /// The levels that asked for an approval.
    pub reasons: Vec<Cow<'static, str>>,
    /// What the policy hook answered; null if none was asked, or has not answered yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyAnswerShape>,
    /// Whether the policy hook is being asked about it, or waits for its turn (`policy.at_once`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaits_policy: bool,
    /// The approvals that it has, where it needs named or several approvers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<GivenApprovalShape>,
    /// What the model read of it.
    pub content: Option<String>,
}

impl From<&CallView> for CallShape {
    fn from(view: &CallView) -> Self {
        let call = &view.call;
        let (asked, effective) = (&call.command, call.effective_command());
        let arguments = ExactJson::sorted(&effective.arguments);
        let decided = view.decided.as_ref();
        Self {
            id: call.id.to_string(),
            command: effective.name.clone(),
            kind: wire_words::kind(call.kind).into(),
            effect: wire_words::effect(call.effect_class()).into(),
            arguments_text: to_text(&arguments.0),
            proposed: (asked.arguments != effective.arguments).then(|| ExactJson::sorted(&asked.arguments)),
            arguments,
            state: view.state.clone(),
            attempt: call.attempt,
            decision: decided.map(|decided| decided.what.into()),
            decided_by: decided.and_then(|decided| decided.by.clone()),
            rule: decided.and_then(|decided| decided.rule.clone()),
            comments: DecisionCommentShape::of_decision(decided),
            requested_at: iso(call.requested_at),
            started_at: call.first_started_at.map(iso),
            finished_at: view.finished_at.map(iso),
            duration_ms: view.duration().map(|span| span.0),
            code: call.result().and_then(|result| result.code.clone()),
            is_error: call.result().map(|result| result.is_error()),
            path: call.result().and_then(|result| result.path.clone()),
            reasons: call.reasons.iter().map(|reason| reason.level.word().into()).collect(),
            policy: PolicyAnswerShape::of_call(call),
            awaits_policy: call.awaits_policy(),
            approvals: GivenApprovalShape::of_call(call),
            content: view.content.clone(),
        }
    }
}

/// The answer of the policy hook about a call.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PolicyAnswerShape {
    /// `allow`, `ask`, `deny`; `no_answer` where the hook gave none, or none in time.
    pub decision: Cow<'static, str>,
    /// Its reason, or why there is no answer.
    pub reason: Option<String>,
    /// The version of the policy.
    pub version: Option<String>,
    /// When it answered.
    pub at: String,
}

impl PolicyAnswerShape {
    /// The answer about a call, if there is one.
    pub(crate) fn of_call(call: &Call) -> Option<Self> {
        let answer = call.policy.as_ref()?.answer()?;
        Some(Self {
            decision: answer.decision.word().into(),
            reason: answer.reason.clone(),
            version: answer.version.clone(),
            at: iso(answer.at),
        })
    }
}

/// One approver requirement of a call: a quorum of people, and the roles or people that count.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ApproversShape {
    /// `role:NAME` or `person:NAME`; empty where everybody may approve.
    pub named: Vec<String>,
    /// How many different people must approve.
    pub quorum: u32,
    /// How many of them have approved.
    pub given: usize,
}

impl ApproversShape {
    /// The demands on the approval of a call.
    pub(crate) fn of_call(call: &Call) -> Vec<Self> {
        let shape = |required: &ApproverRequirement| Self {
            named: required.named.iter().map(Approver::text).collect(),
            quorum: required.quorum,
            given: required.count(&call.approvals, call.requested_at),
        };
        call.approver_requirements().map(shape).collect()
    }
}

/// An approval of one of several people.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct GivenApprovalShape {
    /// The person.
    pub by: String,
    /// When it was given.
    pub at: String,
}

impl GivenApprovalShape {
    /// The approvals of a call.
    pub(crate) fn of_call(call: &Call) -> Vec<Self> {
        let shape = |given: &GivenApproval| Self { by: given.author.clone(), at: iso(given.at) };
        call.approvals.iter().map(shape).collect()
    }
}

/// The calls of a session.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CallsShape {
    /// The session.
    pub session: String,
    /// Its calls, in the order they were asked for.
    pub calls: Vec<CallShape>,
}

/// The reason of a person who decided after somebody else had, or decided again. The model is not told.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DecisionCommentShape {
    /// The person.
    pub by: String,
    /// When it was stored.
    pub at: String,
    /// The reason.
    pub text: String,
}

impl DecisionCommentShape {
    /// The comments on a decision, the earliest first.
    pub(crate) fn of_decision(decided: Option<&CallDecision>) -> Vec<Self> {
        let shape = |comment: &DecisionComment| Self {
            by: comment.by.clone(),
            at: iso(comment.at),
            text: comment.text.clone(),
        };
        decided.map(|decided| decided.comments.iter().map(shape).collect()).unwrap_or_default()
    }
}

/// What a person found out about an action whose outcome was not known.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SettlementShape {
    /// It happened.
    pub happened: bool,
    /// What the model is told beside it.
    pub note: Option<String>,
}
