use entracte_application::json_value::to_serde;
use entracte_application::use_cases::{
    DryRunCall, DryRunCommand, DryRunFinding, DryRunReport, DryRunRequest, DryRunScriptSource,
    LocalizedReason,
};
use entracte_domain::automation::Automation;
use serde::Serialize;
use serde_json::Value;

use crate::render::time::iso;

/// `entracte.dry-run/1`: the result of a dry run, which changed nothing.
#[derive(Serialize)]
pub(crate) struct DryRunObject {
    schema: &'static str,
    automation: String,
    name: String,
    /// Whether no problem was found that would stop a real run.
    would_work: bool,
    findings: Vec<DryRunFindingObject>,
    at: String,
    next_at: Option<String>,
    provider: String,
    model: String,
    dialect: &'static str,
    /// `last_run`, `script` or `nothing`.
    plays: &'static str,
    last_run: Option<String>,
    request: Option<DryRunRequestObject>,
    requests: usize,
    calls: Vec<DryRunCallObject>,
    reply: Option<String>,
    end_reason: Option<&'static str>,
    commands: Vec<DryRunCommandObject>,
}

#[derive(Serialize)]
struct DryRunFindingObject {
    code: &'static str,
    blocks: bool,
    says: String,
}

#[derive(Serialize)]
struct DryRunRequestObject {
    message: String,
    estimated_tokens: u64,
    context_tokens: Option<u64>,
    body: Option<String>,
    failure: Option<String>,
}

#[derive(Serialize)]
struct DryRunReasonObject {
    level: &'static str,
    says: String,
}

#[derive(Serialize)]
struct DryRunCallObject {
    command: String,
    kind: &'static str,
    arguments: Value,
    says: Option<String>,
    reasons: Vec<DryRunReasonObject>,
    waits_for_approval: bool,
    state: String,
    held_back: bool,
    content: Option<String>,
}

#[derive(Serialize)]
struct DryRunCommandObject {
    name: String,
    kind: &'static str,
    held_back: bool,
    reasons: Vec<DryRunReasonObject>,
}

impl DryRunObject {
    /// The result of a dry run.
    pub(crate) fn new(automation: &Automation, run: &DryRunReport) -> Self {
        Self {
            schema: "entracte.dry-run/1",
            automation: automation.id.to_string(),
            name: automation.name.clone(),
            would_work: run.would_work(),
            findings: run.findings.iter().map(DryRunFindingObject::from).collect(),
            at: iso(run.at),
            next_at: run.awaits.map(iso),
            provider: run.voice.provider.clone(),
            model: run.voice.model.clone(),
            dialect: run.voice.dialect.word(),
            plays: run.plays.word(),
            last_run: match &run.plays {
                DryRunScriptSource::LastRun(session) => Some(session.to_string()),
                DryRunScriptSource::Script | DryRunScriptSource::Nothing => None,
            },
            request: run.request.as_ref().map(DryRunRequestObject::from),
            requests: run.requests,
            calls: run.calls.iter().map(DryRunCallObject::from).collect(),
            reply: run.reply.clone(),
            end_reason: run.end.map(|reason| reason.word()),
            commands: run.commands.iter().map(DryRunCommandObject::from).collect(),
        }
    }
}

impl From<&DryRunFinding> for DryRunFindingObject {
    fn from(finding: &DryRunFinding) -> Self {
        Self { code: finding.code, blocks: finding.blocks, says: finding.says.clone() }
    }
}

impl From<&DryRunRequest> for DryRunRequestObject {
    fn from(request: &DryRunRequest) -> Self {
        Self {
            message: request.message.clone(),
            estimated_tokens: request.tokens,
            context_tokens: request.context_tokens,
            body: request.body.as_ref().ok().cloned(),
            failure: request.body.as_ref().err().cloned(),
        }
    }
}

fn reasons(reasons: &[LocalizedReason]) -> Vec<DryRunReasonObject> {
    let object = |reason: &LocalizedReason| DryRunReasonObject {
        level: reason.level.word(),
        says: reason.text.clone(),
    };
    reasons.iter().map(object).collect()
}

impl From<&DryRunCall> for DryRunCallObject {
    fn from(call: &DryRunCall) -> Self {
        Self {
            command: call.command.clone(),
            kind: call.kind.word(),
            arguments: to_serde(&call.arguments),
            says: call.says.clone(),
            reasons: reasons(&call.asks),
            waits_for_approval: call.waits,
            state: call.state.clone(),
            held_back: call.held_back,
            content: call.content.clone(),
        }
    }
}

impl From<&DryRunCommand> for DryRunCommandObject {
    fn from(command: &DryRunCommand) -> Self {
        Self {
            name: command.name.clone(),
            kind: command.kind.word(),
            held_back: !command.runs,
            reasons: reasons(&command.asks),
        }
    }
}
