//! `approve`, `reject`, `answer`, `settle`: decisions of a person.

use entracte_adapters_http::shapes::rule::RuleShape;
use entracte_application::json_value;
use entracte_application::protocol::tools::with_approval_request;
use entracte_application::texts::{LocalizedTexts, RefusalText, say, saying};
use entracte_application::use_cases::{
    AnswerQuestion, ApprovalChoice, ApprovalSelection, ApprovalView, DecideApprovals, InboxKind, ReadCalls,
    SettleCall, UseCaseError,
};
use entracte_domain::id::{ApprovalId, CallId, Digest, SessionId};
use entracte_domain::time::Millis;

use super::confirmation::is_yes;
use super::manual_action::{format_unchanged, run_manual_action_through};
use super::turn::SessionContext;
use crate::app_services::AppServices;
use crate::args::{ApproveArgs, CallSelectionArgs, RejectArgs, SettlementFinding};
use crate::command_context::CommandContext;
use crate::config::span;
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{LineInput, LineReader};
use crate::render::approval::{card, full_card_text, hidden_part_count};
use crate::render::rule::{width, words};
use crate::render::text::one_line;
use crate::user_text::{UserText, message};

/// Runs `approve`.
pub(crate) async fn approve(context: &CommandContext, args: ApproveArgs) -> Result<CliExitCode, CliError> {
    let choice = match &args.edit {
        None if args.always => {
            let (in_session, agents) = (args.in_session, args.agents);
            ApprovalChoice::Always { in_session, lasts: Some(always_duration(context, &args)?), agents }
        }
        None => ApprovalChoice::Approve,
        Some(_) if args.which.ids.len() > 1 => {
            let text = message!("approve-edit-one");
            return Err(CliError::new(CliExitCode::Usage, text));
        }
        Some(text) => ApprovalChoice::ApproveEdited(arguments("--edit", text)?),
    };
    let asks_back = !args.yes && args.which.seen.is_empty();
    decide(context, &args.which, &DecisionRequest { choice, asks_back, no_wait: args.no_wait }).await
}

/// A person's decision, and the options of the command.
struct DecisionRequest {
    choice: ApprovalChoice,
    /// Whether the person at the terminal confirms a standing approval after seeing its width.
    asks_back: bool,
    no_wait: bool,
}

/// The duration of a standing approval. The setting is read here and not by the receiver, so that the shown duration
/// is the requested one.
fn always_duration(context: &CommandContext, args: &ApproveArgs) -> Result<Millis, CliError> {
    args.lasts.as_deref().map_or(Ok(context.settings.runtime.always_expires), duration)
}

/// Parses the duration of a standing approval.
pub(super) fn duration(text: &str) -> Result<Millis, CliError> {
    span(text).filter(|span| span.0 > 0).ok_or_else(|| {
        let says = message!("automation-no-span", flag = "--for", given = text);
        CliError::new(CliExitCode::Usage, says)
    })
}

/// Runs `reject`.
pub(crate) async fn reject(context: &CommandContext, args: RejectArgs) -> Result<CliExitCode, CliError> {
    let choice = ApprovalChoice::Reject(args.reason);
    decide(context, &args.which, &DecisionRequest { choice, asks_back: false, no_wait: args.no_wait }).await
}

/// Runs `answer`.
pub(crate) async fn answer(
    context: &CommandContext,
    session: &str,
    text: String,
    no_wait: bool,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let (session, workspace) = services.session(&context.settings.workspace, session).await?;
    let stage = SessionContext::open_session(context, services, workspace, session).await?;
    let after = stage.last_sequence().await?;
    let answer = AnswerQuestion::new(stage.runtime.clone());
    let answered = answer.run(&stage.workspace, &stage.session, stage.author(), text, None).await;
    stage.finish_request(answered).await?;
    stage.follow_if_owner(no_wait, after).await
}

/// Runs `settle`.
pub(crate) async fn settle(
    context: &CommandContext,
    call: &str,
    found: SettlementFinding,
    note: Option<String>,
    no_wait: bool,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let (session, call) = services.named_call(&context.settings.workspace, call).await?;
    let workspace = context.settings.workspace.clone();
    let stage = SessionContext::open_session(context, services, workspace, session).await?;
    let after = stage.last_sequence().await?;
    let settle = SettleCall::new(stage.runtime.clone());
    if found == SettlementFinding::Again {
        return retry_settled_call(&stage, call, note).await;
    }
    let happened = found == SettlementFinding::Happened;
    let settled = settle.run(&stage.workspace, &stage.session, stage.author(), call, happened, note).await;
    stage.finish_request(settled).await?;
    stage.follow_if_owner(no_wait, after).await
}

/// Proposes a new call, with its own card, for an action that did not happen. The old call is settled first, so that
/// only one of two people proposes it.
async fn retry_settled_call(
    stage: &SessionContext<'_>,
    call: CallId,
    note: Option<String>,
) -> Result<CliExitCode, CliError> {
    let services = &stage.services;
    let read = ReadCalls::new(services.store.clone(), services.log.clone());
    let calls = read.run(&stage.workspace, &stage.session).await;
    let calls = stage.finish_request(calls).await?;
    let Some(view) = calls.into_iter().find(|view| view.call.id == call) else {
        stage.drain_owned_work().await?;
        let missing = RefusalText::from(saying!("request-no-call", call = call.as_str()));
        return Err(CliError::new(CliExitCode::NotFound, missing));
    };
    let command = view.call.effective_command();
    let Some(wanted) = with_approval_request(&services.catalog(), command) else {
        stage.drain_owned_work().await?;
        let text = message!("settle-no-again", command = command.name.as_str());
        let next = format!("entracte settle {call} did-not-happen");
        return Err(CliError::with_next(CliExitCode::NotAllowed, text, next));
    };
    let texts = stage.context.workspace_texts().await;
    let note = note.unwrap_or_else(|| say!(texts, "settle-again-note"));
    let settle = SettleCall::new(stage.runtime.clone());
    let settled =
        settle.run(&stage.workspace, &stage.session, stage.author(), call.clone(), false, Some(note)).await;
    stage.finish_request(settled).await?;
    run_manual_action_through(
        stage.context,
        services,
        &stage.runtime,
        seat_of(&call),
        &wanted,
        format_unchanged,
    )
    .await
}

/// A seat for the proposal that replaces a call; different for each replaced call.
fn seat_of(call: &CallId) -> u32 {
    // FNV-1a, equal in every process.
    call.as_str()
        .bytes()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

async fn decide(
    context: &CommandContext,
    which: &CallSelectionArgs,
    deciding: &DecisionRequest,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let (session, named) = match &which.session {
        Some(named) => (services.named_session(&context.settings.workspace, named).await?, Vec::new()),
        None if which.ids.is_empty() => calls_by_digest(context, &services, &which.seen).await?,
        None => calls(context, &services, &which.ids).await?,
    };
    // The original arguments: the receiver checks whether they still mean the same action.
    let workspace = context.settings.workspace.clone();
    let open = services.approvals().run(&workspace, &session).await?;
    let shown = match shown_calls(context, which, &session, &named, &open) {
        Ok(shown) => shown,
        Err(error) => {
            show_cards(context, &open);
            return Err(error);
        }
    };
    if !confirm_full_review(context, which, deciding, &shown, &open).await? {
        return Ok(CliExitCode::Interrupted);
    }
    if !is_wide_enough(context, deciding, &shown, &open).await? {
        return Ok(CliExitCode::Interrupted);
    }
    let choice = &deciding.choice;
    let stage = SessionContext::open_session(context, services, workspace, session).await?;
    let after = stage.last_sequence().await?;
    let decide = DecideApprovals::new(stage.runtime.clone(), stage.services.store.clone());
    let (workspace, session, author) = (&stage.workspace, &stage.session, stage.author());
    let decided = decide.run_for_selection(workspace, session, author, &shown, choice).await;
    if matches!(decided, Err(UseCaseError::Conflict(_))) {
        let now = stage.services.approvals().run(&stage.context.settings.workspace, session).await?;
        let concerned = |approval: &&ApprovalView| shown.iter().any(|shown| shown.call == approval.call.id);
        show_cards(context, now.iter().filter(concerned));
    }
    stage.finish_request(decided).await.map_err(|error| error.or_next("entracte inbox"))?;
    report_decisions(&stage, choice, &shown).await;
    if matches!(choice, ApprovalChoice::Always { .. }) {
        report_created_rules(&stage, after).await?;
    }
    stage.follow_if_owner(deciding.no_wait, after).await
}

/// Reports that the decision was recorded, whatever the later work results in. With progress output it is reported
/// there.
async fn report_decisions(stage: &SessionContext<'_>, choice: &ApprovalChoice, shown: &[ApprovalSelection]) {
    let out = &stage.context.out;
    if out.is_watched() {
        return;
    }
    let calls = shown.iter().map(|shown| shown.call.as_str()).collect::<Vec<_>>().join(", ");
    let key = if matches!(choice, ApprovalChoice::Reject(_)) { "decide-rejected" } else { "decide-approved" };
    out.write_notice(&say!(stage.context.workspace_texts().await, key, calls = calls));
}

/// Shows the full cards that a screen folds or cuts, and asks the person at a terminal again; without a terminal,
/// `--seen` confirms the reading. A person who edits the arguments knows them.
async fn confirm_full_review(
    context: &CommandContext,
    which: &CallSelectionArgs,
    deciding: &DecisionRequest,
    shown: &[ApprovalSelection],
    open: &[ApprovalView],
) -> Result<bool, CliError> {
    let gives_yes = match &deciding.choice {
        ApprovalChoice::Approve | ApprovalChoice::Always { .. } => true,
        ApprovalChoice::ApproveEdited(_) | ApprovalChoice::Reject(_) => false,
    };
    if !gives_yes || !which.seen.is_empty() {
        return Ok(true);
    }
    let concerned = |approval: &&ApprovalView| shown.iter().any(|shown| shown.call == approval.call.id);
    let folded: Vec<(&ApprovalView, usize)> = open
        .iter()
        .filter(concerned)
        .map(|approval| (approval, hidden_part_count(approval)))
        .filter(|(_, parts)| *parts > 0)
        .collect();
    let Some((first, _)) = folded.first() else { return Ok(true) };
    for (approval, _) in &folded {
        context.out.write_warning(&full_card_text(approval));
    }
    let texts = LocalizedTexts::for_language(first.language);
    if !context.environment.stdin_terminal || context.out.json {
        let count: usize = folded.iter().map(|(_, parts)| parts).sum();
        let digests = open.iter().filter(concerned).filter_map(|approval| approval.digest.as_ref());
        let digests: Vec<&str> = digests.filter_map(|digest| digest.as_str().get(..SEEN_MIN_CHARS)).collect();
        let next = format!("entracte approve --seen {}", digests.join(","));
        return Err(CliError::with_next(CliExitCode::Usage, message!("approve-hidden", count = count), next));
    }
    let is_sure = match LineReader::new(true).read_message_line(&say!(texts, "approve-hidden-ask")).await? {
        LineInput::Line(text) => is_yes(&text),
        LineInput::Interrupted | LineInput::End => false,
    };
    if !is_sure {
        context.out.write_notice(&say!(texts, "approve-always-not"));
    }
    Ok(is_sure)
}

/// Shows what a standing approval would cover before it is given; the person at a terminal may still decline.
async fn is_wide_enough(
    context: &CommandContext,
    deciding: &DecisionRequest,
    shown: &[ApprovalSelection],
    open: &[ApprovalView],
) -> Result<bool, CliError> {
    let ApprovalChoice::Always { in_session, lasts, agents } = &deciding.choice else { return Ok(true) };
    let lasts = lasts.unwrap_or(context.settings.runtime.always_expires);
    let concerned = open.iter().filter(|approval| shown.iter().any(|shown| shown.call == approval.call.id));
    let widths: Vec<(String, &ApprovalView)> = concerned
        .filter_map(|approval| Some((width(approval, *in_session, *agents, lasts)?, approval)))
        .collect();
    for (width, _) in &widths {
        context.out.write_notice(width);
    }
    // If it cannot be given, the request is refused with the reason.
    let Some((_, approval)) = widths.first() else { return Ok(true) };
    if !deciding.asks_back || !context.environment.stdin_terminal || context.out.json {
        return Ok(true);
    }
    let texts = LocalizedTexts::for_language(approval.language);
    let is_sure = match LineReader::new(true).read_message_line(&say!(texts, "approve-always-ask")).await? {
        LineInput::Line(text) => is_yes(&text),
        LineInput::Interrupted | LineInput::End => false,
    };
    if !is_sure {
        context.out.write_notice(&say!(texts, "approve-always-not"));
    }
    Ok(is_sure)
}

/// The selected calls, each bound to the shown card: with `--all` the cards shown here, with `--seen` those with
/// these digests, else the cards for which the named approvals were requested.
fn shown_calls(
    context: &CommandContext,
    which: &CallSelectionArgs,
    session: &SessionId,
    named: &[ApprovalId],
    open: &[ApprovalView],
) -> Result<Vec<ApprovalSelection>, CliError> {
    let conflict = |text: UserText| CliError::with_next(CliExitCode::Conflict, text, "entracte inbox");
    let seen = |approval: &ApprovalView| {
        let digest = approval.digest.as_ref().map(Digest::as_str).unwrap_or_default();
        which.seen.iter().any(|seen| seen.len() >= SEEN_MIN_CHARS && digest.starts_with(seen.as_str()))
    };
    long_enough(&which.seen)?;
    let is_open = |digest: &&String| {
        open.iter().any(|card| card.digest.as_ref().is_some_and(|known| known.as_str().starts_with(*digest)))
    };
    if let Some(gone) = which.seen.iter().find(|digest| !is_open(digest)) {
        return Err(conflict(message!(
            "decide-seen-gone",
            session = session.as_str(),
            digest = gone.as_str()
        )));
    }
    if which.all {
        let covered: Vec<&ApprovalView> =
            open.iter().filter(|approval| which.seen.is_empty() || seen(approval)).collect();
        if covered.is_empty() {
            return Err(conflict(message!("decide-nothing", session = session.as_str())));
        }
        if which.seen.is_empty() {
            show_cards(context, covered.iter().copied());
        }
        return Ok(covered.into_iter().map(ApprovalSelection::from_approval).collect());
    }
    let mut all = Vec::new();
    for id in named {
        let call = id.call_id();
        let Some(card) = open.iter().find(|approval| approval.call.id == call) else {
            // Decided, expired or deleted: the reply says which.
            all.push(ApprovalSelection { call, card: None });
            continue;
        };
        if card.call.withdrawn != id.withdrawn_count() {
            let text = message!("decide-withdrawn", id = id.as_str(), now = card.id.as_str());
            return Err(conflict(text));
        }
        if !which.seen.is_empty() && !seen(card) {
            return Err(conflict(message!("decide-seen-other", id = id.as_str())));
        }
        all.push(ApprovalSelection::from_approval(card));
    }
    Ok(all)
}

/// Refuses digests that are too short to identify a card.
fn long_enough(seen: &[String]) -> Result<(), CliError> {
    let Some(short) = seen.iter().find(|seen| seen.len() < SEEN_MIN_CHARS) else { return Ok(()) };
    let text = message!("decide-seen-short", least = SEEN_MIN_CHARS, given = short.as_str());
    Err(CliError::with_next(CliExitCode::Usage, text, "entracte inbox --json"))
}

fn show_cards<'a>(context: &CommandContext, cards: impl IntoIterator<Item = &'a ApprovalView>) {
    for approval in cards {
        context.out.write_notice(&card(approval, context.out.message_style.colour, &context.zone).text);
    }
}

/// Reports the rules that a decision created, and how to revoke them.
pub(super) async fn report_created_rules(stage: &SessionContext<'_>, after: u64) -> Result<(), CliError> {
    let context = stage.context;
    let texts = context.texts(&stage.services, &stage.workspace).await?;
    let made =
        stage.services.read_rules().rules_created_after(&stage.workspace, &stage.session, after).await?;
    let now = stage.services.clock.now();
    for rule in made.iter().map(|rule| RuleShape::new(rule, now)) {
        let said = words(&rule, texts, &context.zone);
        context.out.write_notice(&one_line(&say!(texts, "rule-made", rule = &rule.id, words = said)));
        context.out.write_notice(&say!(texts, "rule-made-but", rule = &rule.id));
    }
    Ok(())
}

/// The named approvals; they are decided together, so they must belong to one session.
async fn calls(
    context: &CommandContext,
    services: &AppServices,
    ids: &[String],
) -> Result<(SessionId, Vec<ApprovalId>), CliError> {
    let mut found: Option<(SessionId, Vec<ApprovalId>)> = None;
    for id in ids {
        let (session, call) = services.named_call(&context.settings.workspace, id).await?;
        let call = call.approval_id_after(ApprovalId::new(id.as_str()).withdrawn_count());
        match &mut found {
            None => found = Some((session, vec![call])),
            Some((first, calls)) if *first == session => calls.push(call),
            Some((first, _)) => {
                let text = message!(
                    "approve-other-session",
                    call = id,
                    session = session.as_str(),
                    first = first.as_str()
                );
                return Err(CliError::new(CliExitCode::Usage, text));
            }
        }
    }
    found.ok_or_else(|| CliError::new(CliExitCode::Usage, message!("approve-no-call")))
}

/// The approvals whose open cards have these digests, if they are not named.
async fn calls_by_digest(
    context: &CommandContext,
    services: &AppServices,
    seen: &[String],
) -> Result<(SessionId, Vec<ApprovalId>), CliError> {
    long_enough(seen)?;
    let workspace = &context.settings.workspace;
    let open: Vec<Box<ApprovalView>> = services
        .inbox()
        .run(workspace)
        .await?
        .into_iter()
        .filter_map(|item| match item.kind {
            InboxKind::Approval(approval) => Some(approval),
            _ => None,
        })
        .collect();
    let has = |approval: &ApprovalView, seen: &str| {
        approval.digest.as_ref().is_some_and(|digest| digest.as_str().starts_with(seen))
    };
    if let Some(gone) = seen.iter().find(|seen| !open.iter().any(|approval| has(approval, seen))) {
        let text = message!("decide-seen-nowhere", workspace = workspace.as_str(), digest = gone.as_str());
        return Err(CliError::with_next(CliExitCode::Conflict, text, "entracte inbox"));
    }
    let named = open.iter().filter(|approval| seen.iter().any(|seen| has(approval, seen)));
    let ids: Vec<String> = named.map(|approval| approval.id.to_string()).collect();
    calls(context, services, &ids).await
}

/// The fewest characters of a shortened digest.
const SEEN_MIN_CHARS: usize = 16;

/// Parses JSON arguments.
pub(super) fn arguments(
    what: impl Into<UserText>,
    text: &str,
) -> Result<entracte_domain::value::JsonValue, CliError> {
    let what = what.into();
    let value = json_value::parse(text).map_err(|fault| {
        let why = fault.to_string();
        CliError::new(
            CliExitCode::Usage,
            message!("json-invalid", what = what.clone(), why = why, given = text),
        )
        .or_next("entracte command list")
    })?;
    if value.as_object().is_none() {
        let text = message!("json-no-object", what = what, given = text);
        return Err(CliError::new(CliExitCode::Usage, text).or_next("entracte command list"));
    }
    Ok(value)
}
