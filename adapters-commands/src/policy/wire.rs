//! The question and the answer as JSON. Pure.

use entracte_application::instant_text::iso;
use entracte_application::json_value::ExactJson;
use entracte_application::ports::{PolicyQuestion, PolicyReply, PolicyVerdict};
use entracte_domain::validation::{Approver, ApproverRequirement};
use serde::{Deserialize, Serialize};

/// The form of the question, with its version.
const FORM: &str = "entracte.policy/1";

/// A question.
#[derive(Serialize)]
struct PolicyQuestionBody<'a> {
    form: &'static str,
    workspace: &'a str,
    session: &'a str,
    session_kind: &'static str,
    automation: Option<&'a str>,
    via: &'a [String],
    call: &'a str,
    command: &'a str,
    kind: &'static str,
    version: Option<&'a str>,
    effect: &'static str,
    destructive: bool,
    egress: bool,
    arguments: ExactJson,
    asked_by: &'a [String],
    acts_as: Option<&'a str>,
    edited_by: Option<&'a str>,
    approval: Vec<&'static str>,
    at: String,
}

/// An answer. A name that is not known is a fault: it may be meant to demand something.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyReplyBody {
    decision: String,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    approvers: Vec<String>,
    #[serde(default = "one_person")]
    quorum: u32,
}

const fn one_person() -> u32 {
    1
}

/// A question as JSON.
pub(super) fn question_text(question: &PolicyQuestion) -> String {
    let shape = PolicyQuestionBody {
        form: FORM,
        workspace: question.workspace.as_str(),
        session: question.session.as_str(),
        session_kind: question.kind.word(),
        automation: question.automation.as_deref(),
        via: &question.via,
        call: question.call.as_str(),
        command: &question.command.name,
        kind: question.command_kind.word(),
        version: question.version.as_ref().map(|version| version.as_str()),
        effect: question.effect.word(),
        destructive: question.destructive,
        egress: question.egress,
        arguments: ExactJson::sorted(&question.command.arguments),
        asked_by: &question.asked_by,
        acts_as: question.acts_as.as_deref(),
        edited_by: question.edited_by.as_deref(),
        approval: question.approval.iter().map(|level| level.word()).collect(),
        at: iso(question.at),
    };
    // It has nothing that JSON cannot say.
    serde_json::to_string(&shape).unwrap_or_default()
}

/// The reply in an answer; the fault if it cannot be read.
pub(super) fn parse_reply(answer: &[u8]) -> Result<PolicyReply, String> {
    let PolicyReplyBody { decision, reason, version, approvers, quorum } =
        serde_json::from_slice(answer).map_err(|error| error.to_string())?;
    let Some(verdict) = PolicyVerdict::from_word(&decision) else {
        return Err(format!("`decision` is {decision:?}: allow, ask, deny"));
    };
    let most = ApproverRequirement::QUORUM_MAX;
    if !(1..=most).contains(&quorum) {
        return Err(format!("`quorum` is {quorum}: 1 to {most}"));
    }
    if verdict != PolicyVerdict::Ask && (quorum > 1 || !approvers.is_empty()) {
        return Err(format!("`approvers` and `quorum` go with ask, not with {decision}"));
    }
    let approver = |text: &String| {
        Approver::from_text(text).ok_or_else(|| format!("`approvers` has {text:?}: role:NAME, person:NAME"))
    };
    let approvers = approvers.iter().map(approver).collect::<Result<Vec<_>, String>>()?;
    Ok(PolicyReply { verdict, reason, version, approvers, quorum })
}
