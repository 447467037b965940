//! The report of a dry run: its prompt, its commands, its calls, and the conditions that would hinder a real run.

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

/// The source of the model's replies in a dry run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DryRunScriptSource {
    /// The replies of this run, the latest one.
    LastRun(SessionId),
    /// A script given by the caller.
    Script,
    /// No run exists yet: the model replies that the work is done.
    Nothing,
}

impl DryRunScriptSource {
    /// The word for the source: `last_run`, `script` or `nothing`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::LastRun(_) => "last_run",
            Self::Script => "script",
            Self::Nothing => "nothing",
        }
    }
}

/// The result of a dry run. All sentences are in the workspace’s language.
#[derive(Clone, Debug, PartialEq)]
pub struct DryRunReport {
    /// When it ran; relative periods count from this instant.
    pub at: Timestamp,
    /// The next scheduled occurrence of the automation.
    pub awaits: Option<Timestamp>,
    /// The model of its runs.
    pub voice: ModelSelection,
    /// The source of the model's replies.
    pub plays: DryRunScriptSource,
    /// The first request; `None` if no run was created.
    pub request: Option<DryRunRequest>,
    /// The total number of requests to the model.
    pub requests: usize,
    /// The commands its runs may request, by name.
    pub commands: Vec<DryRunCommand>,
    /// The requested calls, in order.
    pub calls: Vec<DryRunCall>,
    /// The last reply of the model.
    pub reply: Option<String>,
    /// The end reason of the run; `None` if it did not end.
    pub end: Option<EndReason>,
    /// The conditions that would hinder or delay a run, worst first.
    pub findings: Vec<DryRunFinding>,
}

impl DryRunReport {
    /// Whether no finding would keep a real run from ending. Actions it would omit are reported by
    /// [`has_omitted_effects`](Self::has_omitted_effects).
    pub fn would_work(&self) -> bool {
        self.findings.iter().all(|finding| !finding.blocks)
    }

    /// Whether a requested action would not be executed, because it fails or is not allowed.
    pub fn has_omitted_effects(&self) -> bool {
        self.findings.iter().any(|finding| finding.code == LEFT_OUT)
    }
}

/// The first request of a run to its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DryRunRequest {
    /// The first message after the instructions: the message of the automation with its data.
    pub message: String,
    /// The parts of the request.
    pub parts: Vec<PromptPart>,
    /// The estimated number of tokens.
    pub tokens: u64,
    /// The configured context window of the model in tokens, if any.
    pub context_tokens: Option<u64>,
    /// The encoded request body as text, or why it cannot be encoded.
    pub body: Result<String, String>,
}

/// A command that a run may request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DryRunCommand {
    /// The name of the command.
    pub name: String,
    /// Whether it is a query or an action.
    pub kind: CommandKind,
    /// The purpose of the command.
    pub doc: String,
    /// Whether a dry run executes it; otherwise it is held back.
    pub runs: bool,
    /// Why every call of it needs an approval; empty if none does, or if it depends on the rows it touches.
    pub asks: Vec<LocalizedReason>,
}

/// A call in a dry run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DryRunCall {
    /// The name of the command.
    pub command: String,
    /// Whether it is a query or an action.
    pub kind: CommandKind,
    /// The arguments of the call.
    pub arguments: JsonValue,
    /// The description of its effect, if a person would be asked for approval.
    pub says: Option<String>,
    /// Why it needs an approval; empty if it needs none.
    pub asks: Vec<LocalizedReason>,
    /// Whether a person would be asked; otherwise a rule or a policy decides.
    pub waits: bool,
    /// The stored word of its state in the ledger.
    pub state: String,
    /// Whether it was held back: neither executed nor sent to an external system.
    pub held_back: bool,
    /// The result the model read.
    pub content: Option<String>,
}

/// A condition that would hinder or delay a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DryRunFinding {
    /// `refused`, `provider`, `attention`, `off`, `never_due`, `too_long`, `unfinished`, `ended`, `left_out`,
    /// `failed`, `held_back` or `waits`.
    pub code: &'static str,
    /// Whether it would keep a run from doing its work.
    pub blocks: bool,
    /// The description of the condition.
    pub says: String,
}

pub(super) fn report(
    ports: &DryRunPorts,
    automation: &Automation,
    seed: &SeedView,
    body: &WorkspaceBody,
    plays: DryRunScriptSource,
    seen: DryRunTrace,
    texts: &LocalizedTexts,
) -> DryRunReport {
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
        let asking = ApprovalSources {
            settings: &settings,
            session: seed.require_validation,
            ai_request: false,
            policy: None,
        };
        let asks = standing_flags(spec, asking).map(|flags| approval_reasons(&flags)).unwrap_or_default();
        DryRunCommand {
            name: spec.name.clone(),
            kind: spec.kind,
            doc: command_doc(spec, naming, settings.language),
            runs: safe_executor::may_run(spec),
            asks: LocalizedReason::for_card(&asks, texts),
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
        asks: LocalizedReason::for_card(&call.reasons, texts),
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

/// The findings about failed calls; actions that a real run would omit, too, come first.
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

/// The code for an action that a run would omit.
const LEFT_OUT: &str = "left_out";

/// Whether the call at this index is an action that a real run would omit, too: it failed or was refused, and no later
/// call of its command succeeded. A failure after an action that was held back may be caused by that alone.
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

/// Whether the result says that a call was done.
fn is_done(call: &Call) -> bool {
    call.result().is_some_and(|result| result.status.group() == CallStatusGroup::Success)
}

/// Whether a call ended with a failure for the model.
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
