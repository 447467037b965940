//! Shapes of dry runs.

use std::borrow::Cow;

use entracte_application::json_value::ExactJson;
use entracte_application::use_cases::{
    DryRunCall, DryRunCommand, DryRunFinding, DryRunReport, DryRunRequest, DryRunScriptSource,
    LocalizedReason,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::card::ReasonShape;
use super::prompt::PartShape;
use super::{iso, wire_words};

/// How a dry run is played.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDryRun {
    /// What the model says: a script of the rehearsal, in TOML. None: what it said in the latest run.
    pub script: Option<String>,
    /// What happened, for an automation that waits for events.
    pub event: Option<String>,
}

/// What came of a dry run. It changed nothing, and nothing of it is stored.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DryRunShape {
    /// Nothing that was seen would keep a run from doing its work.
    pub would_work: bool,
    /// Something of a run was left out, so what would come of it is not known.
    #[serde(default)]
    pub leaves_out: bool,
    /// What would hinder a run, or make it wait; the worst first.
    pub findings: Vec<FindingShape>,
    /// When it was played.
    pub at: String,
    /// When the automation runs next by itself.
    pub next_at: Option<String>,
    /// The provider of its runs; it was not asked.
    pub provider: String,
    /// The model.
    pub model: String,
    /// `envelope` or `tools`.
    pub dialect: Cow<'static, str>,
    /// Where the words of its model came from: `last_run`, `script` or `nothing`.
    pub plays: Cow<'static, str>,
    /// The run whose answers were played.
    pub last_run: Option<String>,
    /// What the model would be asked first; null where no run could be made.
    pub request: Option<DryRequestShape>,
    /// Requests to the model in all.
    pub requests: usize,
    /// What it asked for, in order.
    pub calls: Vec<DryCallShape>,
    /// The last words of its model.
    pub reply: Option<String>,
    /// How the run ended; null where it did not.
    pub end_reason: Option<Cow<'static, str>>,
    /// The commands that its runs may ask for, by name.
    pub commands: Vec<DryCommandShape>,
}

/// Something that would hinder a run, or make it wait.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct FindingShape {
    /// `refused`, `provider`, `attention`, `off`, `never_due`, `too_long`, `ended`, `unfinished`, `left_out`, `failed`, `held_back` or `waits`.
    pub code: Cow<'static, str>,
    /// A run would not do its work.
    pub blocks: bool,
    /// What it is, in the language of the reader.
    pub says: String,
}

/// What a run asks its model first.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DryRequestShape {
    /// What the model reads after its instructions.
    pub message: String,
    /// What the request is made of.
    pub parts: Vec<PartShape>,
    /// Its tokens, estimated.
    pub estimated_tokens: u64,
    /// Tokens that the model reads and writes at once, when the configuration tells.
    pub context_tokens: Option<u64>,
    /// The bytes that would be sent, as text.
    pub body: Option<String>,
    /// Why they cannot be written.
    pub failure: Option<String>,
}

/// A call of a dry run.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DryCallShape {
    /// Its command.
    pub command: String,
    /// `query` or `action`.
    pub kind: Cow<'static, str>,
    /// Its arguments.
    #[schema(value_type = Value)]
    pub arguments: ExactJson,
    /// The same as text, in the order that the model gave them.
    #[serde(default)]
    pub arguments_text: String,
    /// What it would do, where a person would be asked.
    pub says: Option<String>,
    /// Why it needs an approval.
    pub reasons: Vec<ReasonShape>,
    /// A person would be asked. Else a rule approves it, or a policy decides.
    pub waits_for_approval: bool,
    /// The word for its state.
    pub state: String,
    /// It was not carried out, and not asked for outside.
    pub held_back: bool,
    /// What the model was told of it.
    pub content: Option<String>,
}

/// A command that a run may ask for.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DryCommandShape {
    /// Its name.
    pub name: String,
    /// `query` or `action`.
    pub kind: Cow<'static, str>,
    /// What it is for.
    pub doc: String,
    /// A dry run does not carry it out.
    pub held_back: bool,
    /// Why each of its calls needs an approval; empty where none does, or where that depends on zone and tool.
    pub reasons: Vec<ReasonShape>,
}

fn reasons(reasons: &[LocalizedReason]) -> Vec<ReasonShape> {
    let shape = |reason: &LocalizedReason| ReasonShape {
        level: reason.level.word().into(),
        text: reason.text.clone(),
    };
    reasons.iter().map(shape).collect()
}

impl From<&DryRunReport> for DryRunShape {
    fn from(run: &DryRunReport) -> Self {
        Self {
            would_work: run.would_work(),
            leaves_out: run.has_omitted_effects(),
            findings: run.findings.iter().map(FindingShape::from).collect(),
            at: iso(run.at),
            next_at: run.awaits.map(iso),
            provider: run.voice.provider.clone(),
            model: run.voice.model.clone(),
            dialect: wire_words::dialect(run.voice.dialect).into(),
            plays: run.plays.word().into(),
            last_run: match &run.plays {
                DryRunScriptSource::LastRun(session) => Some(session.to_string()),
                DryRunScriptSource::Script | DryRunScriptSource::Nothing => None,
            },
            request: run.request.as_ref().map(DryRequestShape::from),
            requests: run.requests,
            calls: run.calls.iter().map(DryCallShape::from).collect(),
            reply: run.reply.clone(),
            end_reason: run.end.map(|reason| reason.word().into()),
            commands: run.commands.iter().map(DryCommandShape::from).collect(),
        }
    }
}

impl From<&DryRunFinding> for FindingShape {
    fn from(finding: &DryRunFinding) -> Self {
        Self { code: finding.code.into(), blocks: finding.blocks, says: finding.says.clone() }
    }
}

impl From<&DryRunRequest> for DryRequestShape {
    fn from(request: &DryRunRequest) -> Self {
        Self {
            message: request.message.clone(),
            parts: request.parts.iter().map(PartShape::from).collect(),
            estimated_tokens: request.tokens,
            context_tokens: request.context_tokens,
            body: request.body.as_ref().ok().cloned(),
            failure: request.body.as_ref().err().cloned(),
        }
    }
}

impl From<&DryRunCall> for DryCallShape {
    fn from(call: &DryRunCall) -> Self {
        Self {
            command: call.command.clone(),
            kind: wire_words::kind(call.kind).into(),
            arguments: ExactJson::sorted(&call.arguments),
            arguments_text: call.arguments.to_json(),
            says: call.says.clone(),
            reasons: reasons(&call.asks),
            waits_for_approval: call.waits,
            state: call.state.clone(),
            held_back: call.held_back,
            content: call.content.clone(),
        }
    }
}

impl From<&DryRunCommand> for DryCommandShape {
    fn from(command: &DryRunCommand) -> Self {
        Self {
            name: command.name.clone(),
            kind: wire_words::kind(command.kind).into(),
            doc: command.doc.clone(),
            held_back: !command.runs,
            reasons: reasons(&command.asks),
        }
    }
}
