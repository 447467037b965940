//! What is told of a dry run: what it was asked, what it may use, what it did, and what would hinder a real run.

use entracte_domain::automation::Automation;
use entracte_domain::call::{Call, CallState, CallStatus, CallStatusGroup};
use entracte_domain::command::CommandKind;
use entracte_domain::id::SessionId;
use entracte_domain::session::{EndReason, ModelSelection, SessionKind};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::approval_reasons;
use entracte_domain::value::JsonValue;

use super::runner::{DryRunTrace, is_misconfigured};
use super::{DryRunPorts, safe_executor};
use crate::codec::WorkspaceBody;
use crate::command_naming::CommandNaming;
use crate::commands::resolver::{ApprovalSources, standing_flags};
use crate::ports::{PromptTurn, UserTurnPart, command_doc};
use crate::texts::{LocalizedTexts, say};
use crate::use_cases::automation::SeedView;
use crate::use_cases::{CallView, LocalizedReason, PromptPart, RebuiltPrompt};

/// Where the words of a dry run’s model come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DryRunScriptSource {
    /// What a model said in this run, the latest one.
    LastRun(SessionId),
    /// A script that was given.
    Script,
    /// There was no run yet: it says that it is done.
    Nothing,
}

impl DryRunScriptSource {
    /// The word for it: `last_run`, `script` or `nothing`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::LastRun(_) => "last_run",
            Self::Script => "script",
            Self::Nothing => "nothing",
        }
    }
}

/// What came of a dry run. All sentences are in the workspace’s language.
#[derive(Clone, Debug, PartialEq)]
pub struct DryRunReport {
    /// When it was played: “now” of its relative periods.
    pub at: Timestamp,
    /// When the automation runs next by itself.
    pub awaits: Option<Timestamp>,
    /// The model of its runs.
    pub voice: ModelSelection,
    /// Where the words of its model came from.
    pub plays: DryRunScriptSource,
    /// The first request; none where no run was made.
    pub request: Option<DryRunRequest>,
    /// Requests to the model in all.
    pub requests: usize,
    /// The commands that its runs may ask for, by name.
    pub commands: Vec<DryRunCommand>,
    /// What it asked for, in order.
    pub calls: Vec<DryRunCall>,
    /// The last words of its model.
    pub reply: Option<String>,
    /// How the run ended; none where it did not.
    pub end: Option<EndReason>,
    /// What would hinder a run, or make it wait; the worst first.
    pub findings: Vec<DryRunFinding>,
}

impl DryRunReport {
    /// Whether nothing that was seen would keep a real run from coming to its end. What it would not do on the way is said by
    /// [`has_omitted_effects`](Self::leaves_out).
    pub fn would_work(&self) -> bool {
        self.findings.iter().all(|finding| !finding.blocks)
    }

    /// Whether an action that it asks for would not be carried out, because it fails or is not allowed.
    pub fn has_omitted_effects(&self) -> bool {
        self.findings.iter().any(|finding| finding.code == LEFT_OUT)
    }
}

/// What a run asks its model first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DryRunRequest {
    /// What the model reads after its instructions: the message of the automation with its data.
    pub message: String,
    /// What the request is made of.
    pub parts: Vec<PromptPart>,
    /// Its tokens, estimated.
    pub tokens: u64,
    /// Tokens that the model reads and writes at once, when the configuration tells.
    pub context_tokens: Option<u64>,
    /// The bytes that would be sent, as text; or why they cannot be written.
    pub body: Result<String, String>,
}

/// A command that a run may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DryRunCommand {
    /// Its name.
    pub name: String,
    /// Query or action.
    pub kind: CommandKind,
    /// What it is for.
    pub doc: String,
    /// A dry run runs it; else it is held back.
    pub runs: bool,
    /// Why every call of it needs an approval; empty where none does, or where that depends on the zone or tool.
    pub asks: Vec<LocalizedReason>,
}

/// A call of a dry run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DryRunCall {
    /// Its command.
    pub command: String,
    /// Query or action.
    pub kind: CommandKind,
    /// Its arguments.
    pub arguments: JsonValue,
    /// What it would do, where a person would be asked.
    pub says: Option<String>,
    /// Why it needs an approval; empty where it needs none.
    pub asks: Vec<LocalizedReason>,
    /// A person would be asked for that approval. Else a rule gave it, or a policy decides.
    pub waits: bool,
    /// The word for its state in the ledger.
    pub state: String,
    /// It was held back: it was not carried out, and not asked for outside.
    pub held_back: bool,
    /// What the model was told of it.
    pub content: Option<String>,
}

/// Something that would hinder a run, or make it wait.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DryRunFinding {
    /// `refused`, `provider`, `attention`, `off`, `never_due`, `too_long`, `unfinished`, `ended`, `left_out`, `failed`,
    /// `held_back` or `waits`.
    pub code: &'static str,
    /// A run would not do its work.
    pub blocks: bool,
    /// What it is.
    pub says: String,
}

pub(super) fn report(
    ports: &DryRunPorts,
    automation: &Automation,
    seed: &SeedView,
    body: &WorkspaceBody,
    plays: DryRunScriptSource,
    seen: DryRunTrace,
) -> DryRunReport {
    let texts = LocalizedTexts::for_language(body.settings.language);
    let request = seen.first.as_ref().map(request);
    let calls: Vec<DryRunCall> = seen.calls.iter().map(|view| call(ports, &seen, view, texts)).collect();
    let end = seen.turn.as_ref().and_then(|turn| turn.session.phase.end_reason());
    DryRunReport {
        at: ports.clock.now(),
        awaits: automation.next_undecided_occurrence(),
        voice: seed.voice.clone(),
        commands: commands(ports, automation, seed, body, texts),
        findings: findings(automation, &seen, request.as_ref(), &calls, texts),
        requests: seen.requests.len(),
        reply: seen.turn.and_then(|turn| turn.reply).map(|reply| reply.text),
        plays,
        request,
        calls,
        end,
    }
}

fn request(first: &RebuiltPrompt) -> DryRunRequest {
    let heard = first.request.turns.iter().filter_map(|turn| match turn.as_ref() {
        PromptTurn::User(parts) => Some(parts),
        PromptTurn::Assistant(_) => None,
    });
    let texts = heard.flatten().map(UserTurnPart::text);
    DryRunRequest {
        message: texts.collect::<Vec<_>>().join("\n\n"),
        parts: first.parts.clone(),
        tokens: first.tokens(),
        context_tokens: first.context_tokens,
        body: match &first.body {
            Ok(body) => Ok(String::from_utf8_lossy(body).into_owned()),
            Err(failure) => Err(failure.message.clone()),
        },
    }
}

fn commands(
    ports: &DryRunPorts,
    automation: &Automation,
    seed: &SeedView,
    body: &WorkspaceBody,
    texts: &LocalizedTexts,
) -> Vec<DryRunCommand> {
    let rules = ports.rules.for_workspace(&body.settings);
    let mode = rules.rules_for_run(SessionKind::Automation, automation.policies.run).mode;
    let settings = body.settings.with_process_requirements(&ports.settings);
    let naming = CommandNaming::Types;
    let command = |known: &std::sync::Arc<crate::commands::CatalogEntry>| {
        let spec = &known.spec;
        let asking =
            ApprovalSources { settings: &settings, session: seed.require_validation, ai_request: false };
        let asks = standing_flags(spec, asking).map(|flags| approval_reasons(&flags)).unwrap_or_default();
        DryRunCommand {
            name: spec.name.clone(),
            kind: spec.kind,
            doc: command_doc(spec, naming, settings.language),
            runs: safe_executor::may_run(spec),
            asks: asks.iter().map(|reason| LocalizedReason::from_reason(reason, texts)).collect(),
        }
    };
    ports.catalog.offered_commands(&seed.restriction, mode).map(command).collect()
}

fn call(ports: &DryRunPorts, seen: &DryRunTrace, view: &CallView, texts: &LocalizedTexts) -> DryRunCall {
    let call = &view.call;
    let asked = seen.asked.iter().find(|asked| asked.call.id == call.id);
    let known = ports.catalog.find(&call.command.name);
    let is_begun = call.attempt > 0 || is_done(call);
    DryRunCall {
        command: call.command.name.clone(),
        kind: call.kind,
        arguments: call.command.arguments.clone(),
        says: asked.map(|asked| asked.description.says.clone()),
        asks: call.reasons.iter().map(|reason| LocalizedReason::from_reason(reason, texts)).collect(),
        waits: asked.is_some(),
        held_back: is_begun && known.is_some_and(|known| !safe_executor::may_run(&known.spec)),
        state: view.state.clone(),
        content: view.content.clone(),
    }
}

fn findings(
    automation: &Automation,
    seen: &DryRunTrace,
    request: Option<&DryRunRequest>,
    calls: &[DryRunCall],
    texts: &LocalizedTexts,
) -> Vec<DryRunFinding> {
    let blocks = |code, says| DryRunFinding { code, blocks: true, says };
    let remark = |code, says| DryRunFinding { code, blocks: false, says };
    let mut found = Vec::new();
    found.extend(seen.refused.clone().map(|why| blocks("refused", say!(texts, "dry-refused", why = why))));
    if let Some(failure) = &seen.provider {
        let says = say!(texts, "dry-provider", why = &failure.message);
        found.push(DryRunFinding { code: "provider", blocks: is_misconfigured(failure), says });
    }
    if let Some(why) = &automation.attention {
        found.push(blocks("attention", say!(texts, "dry-attention", why = why)));
    } else if !automation.enabled {
        found.push(blocks("off", say!(texts, "dry-off")));
    } else if automation.trigger.is_scheduled() && automation.next_at.is_none() {
        found.push(blocks("never_due", say!(texts, "dry-never-due")));
    }
    if let Some(request) = request
        && let Some(most) = request.context_tokens.filter(|most| request.tokens > *most)
    {
        found.push(blocks("too_long", say!(texts, "dry-too-long", tokens = request.tokens, most = most)));
    }
    if let Some(turn) = &seen.turn {
        let troubles: Vec<&str> = turn.troubles.iter().map(|(_, says)| says.as_str()).collect();
        let why = if troubles.is_empty() { "none".to_owned() } else { troubles.join(" ") };
        match turn.session.phase.end_reason() {
            Some(EndReason::Completed) => {}
            Some(reason) => {
                found.push(blocks("ended", say!(texts, "dry-ended", reason = reason.word(), why = why)));
            }
            None if seen.unfinished => {
                found.push(blocks("unfinished", say!(texts, "dry-unfinished", why = why)))
            }
            None => found.push(blocks("ended", say!(texts, "dry-rests", why = why))),
        }
    }
    found.extend(of_failed_calls(calls, &seen.calls, texts));
    let waits = calls.iter().filter(|call| call.waits).count();
    if waits > 0 {
        found.push(remark("waits", say!(texts, "dry-waits", calls = waits)));
    }
    found
}

/// What is told of the calls that failed; first of the actions that a real run would not do either.
fn of_failed_calls(calls: &[DryRunCall], views: &[CallView], texts: &LocalizedTexts) -> Vec<DryRunFinding> {
    let failed = calls.iter().zip(views).enumerate().filter(|(_, (_, view))| has_failed(view));
    let told = failed.map(|(place, (call, _))| {
        let (command, why) = (call.command.as_str(), call.content.as_deref().unwrap_or_default());
        let (code, says) = if is_left_out(place, calls, views) {
            (LEFT_OUT, say!(texts, "dry-left-out", command = command, why = why))
        } else if call.held_back {
            ("held_back", say!(texts, "dry-held-back", command = command))
        } else {
            ("failed", say!(texts, "dry-failed", command = command, why = why))
        };
        DryRunFinding { code, blocks: false, says }
    });
    let mut told: Vec<DryRunFinding> = told.collect();
    told.sort_by_key(|finding| finding.code != LEFT_OUT);
    told
}

/// The code of an action that a run would not do.
const LEFT_OUT: &str = "left_out";

/// Whether the call of that place is an action that a real run would not do either: it failed or was refused, and no later
/// one of its command came through. One that failed behind an action that was held back may have failed for that alone.
fn is_left_out(place: usize, calls: &[DryRunCall], views: &[CallView]) -> bool {
    let Some(call) = views.get(place).map(|view| &view.call) else { return false };
    let has_come_through =
        |later: &CallView| later.call.command.name == call.command.name && is_done(&later.call);
    let after_one_held_back = || calls.iter().take(place).any(|earlier| earlier.held_back);
    let counts = match call.result().map(|result| result.status) {
        None | Some(CallStatus::Repeated | CallStatus::RepeatedReply) => false,
        Some(CallStatus::Failed) => !after_one_held_back(),
        Some(_) => true,
    };
    call.kind == CommandKind::Action && counts && !views.iter().skip(place + 1).any(has_come_through)
}

/// Whether a model was told that a call was done.
fn is_done(call: &Call) -> bool {
    call.result().is_some_and(|result| result.status.group() == CallStatusGroup::Success)
}

/// Whether a call came to an end that a model reads as a failure.
fn has_failed(view: &CallView) -> bool {
    match &view.call.state {
        CallState::Finished { result, .. } => match result.status.group() {
            CallStatusGroup::Failed | CallStatusGroup::Cancelled => true,
            CallStatusGroup::Success | CallStatusGroup::Cached => false,
        },
        CallState::Proposed
        | CallState::Follows(_)
        | CallState::WaitingDecision
        | CallState::Approved(_)
        | CallState::Started { .. }
        | CallState::Delayed { .. } => false,
    }
}
