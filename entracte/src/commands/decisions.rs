//! `approve`, `reject`, `answer`, `settle`: decisions of a person.

use entracte_adapters_http::shapes::call::SettlementShape;
use entracte_adapters_http::shapes::card::{AllDecidedShape, CardShape, DecidedShape, DecisionShape};
use entracte_adapters_http::shapes::message::AnswerShape;
use entracte_adapters_http::shapes::rule::RuleShape;
use entracte_adapters_http::shapes::rule_width::RuleReach;
use entracte_adapters_http::shapes::session::AcceptedShape;
use entracte_application::json_value::{self, ExactJson};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::id::{ApprovalId, CallId};
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;

use super::card_decisions::decide_together;
use super::confirmation::is_yes;
use super::filtered_decisions::{FilteredDecision, SEEN_MIN_CHARS, decide_filtered};
use super::request_follow_up::RequestFollowUp;
use super::settle_again::retry_settled_call;
use crate::api_client::{ApiClient, ShortIdKind, post};
use crate::args::{ApproveArgs, CallSelectionArgs, RejectArgs, SettlementFinding};
use crate::command_context::CommandContext;
use crate::config::span;
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{LineInput, LineReader};
use crate::render::approval::{card, full_card_text, hidden_part_count};
use crate::render::rule::{chosen_width, width, words};
use crate::render::stored_words::word;
use crate::render::text::one_line;
use crate::render::wrap::fitted_to_terminal;
use crate::user_text::{UserText, message};

/// Runs `approve`.
pub(crate) async fn approve(context: &CommandContext, args: ApproveArgs) -> Result<CliExitCode, CliError> {
    if let Some(request) = filtered(&args.which, DecisionShape::Approve, args.yes)? {
        return decide_filtered(context, &request).await;
    }
    let decision = match &args.edit {
        None if args.always => {
            let lasts = always_duration(context, &args)?;
            let lasts_seconds = Some(whole_seconds(lasts));
            let (in_session, agents) = (args.in_session, args.agents);
            DecisionShape::Always { in_session, lasts_seconds, agents, width: None }
        }
        None => DecisionShape::Approve,
        Some(_) if args.which.ids.len() > 1 => {
            let text = message!("approve-edit-one");
            return Err(CliError::new(CliExitCode::Usage, text));
        }
        Some(text) => DecisionShape::Edit { arguments: ExactJson(arguments("--edit", text)?) },
    };
    let asks_back = !args.yes && args.which.seen.is_empty();
    let request = DecisionRequest { decision, width: args.width, asks_back, no_wait: args.no_wait };
    decide(context, &args.which, request).await
}

/// The decision on all that fits the filters of the command; `None` if it has none. Refuses a digest that is too short.
fn filtered(
    which: &CallSelectionArgs,
    decision: DecisionShape,
    is_sure: bool,
) -> Result<Option<FilteredDecision<'_>>, CliError> {
    let CallSelectionArgs { filters, expect, seen, .. } = which;
    if filters.is_empty() {
        return Ok(None);
    }
    long_enough(seen)?;
    Ok(Some(FilteredDecision { decision, filters, is_sure, expected: *expect, seen }))
}

/// A person's decision, and the options of the command.
struct DecisionRequest {
    decision: DecisionShape,
    /// The number of the width that the card offers, from 1; `None` for the usual one.
    width: Option<usize>,
    /// Whether the person at the terminal confirms a standing approval after seeing its width.
    asks_back: bool,
    no_wait: bool,
}

/// The duration of a standing approval. The setting is read here and not by the receiver, so that the shown duration
/// is the requested one.
fn always_duration(context: &CommandContext, args: &ApproveArgs) -> Result<Millis, CliError> {
    args.lasts.as_deref().map_or(Ok(context.settings.runtime.always_expires), duration)
}

/// Parses the duration of a standing approval: whole seconds, so that the shown one is the requested one.
pub(super) fn duration(text: &str) -> Result<Millis, CliError> {
    span(text).filter(|span| span.0 >= 1000).ok_or_else(|| {
        let says = message!("automation-no-span", flag = "--for", given = text);
        CliError::new(CliExitCode::Usage, says)
    })
}

/// A duration in the seconds of the API.
pub(super) fn whole_seconds(lasts: Millis) -> u32 {
    u32::try_from(lasts.0.div_euclid(1000)).unwrap_or(u32::MAX)
}

/// Runs `reject`.
pub(crate) async fn reject(context: &CommandContext, args: RejectArgs) -> Result<CliExitCode, CliError> {
    let decision = DecisionShape::Reject { reason: args.reason };
    if let Some(request) = filtered(&args.which, decision.clone(), args.yes)? {
        return decide_filtered(context, &request).await;
    }
    let no_wait = args.no_wait;
    let request = DecisionRequest { decision, width: None, asks_back: false, no_wait };
    decide(context, &args.which, request).await
}

/// Runs `answer`.
pub(crate) async fn answer(
    context: &CommandContext,
    session: &str,
    text: String,
    no_wait: bool,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let session = api.find(ShortIdKind::Session, session).await?;
    let follow_up = RequestFollowUp::begin(context, &api, &session).await?;
    let path = api.path(&["sessions", &session, "answer"]);
    let answered = api.send::<AcceptedShape>(post(&path, &AnswerShape { text, message: None })).await;
    follow_up.check(answered).await?;
    follow_up.follow(no_wait).await
}

/// Runs `settle`.
pub(crate) async fn settle(
    context: &CommandContext,
    call: &str,
    found: SettlementFinding,
    note: Option<String>,
    no_wait: bool,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let named = api.find_with_session(ShortIdKind::Call, call).await?;
    let session = named.session.unwrap_or_default();
    let follow_up = RequestFollowUp::begin(context, &api, &session).await?;
    if found == SettlementFinding::Again {
        return retry_settled_call(context, &api, &follow_up, named.id, note).await;
    }
    let happened = found == SettlementFinding::Happened;
    let path = api.path(&["calls", &named.id, "settlement"]);
    let settled = api.send::<AcceptedShape>(post(&path, &SettlementShape { happened, note })).await;
    follow_up.check(settled).await?;
    follow_up.follow(no_wait).await
}

async fn decide(
    context: &CommandContext,
    which: &CallSelectionArgs,
    mut deciding: DecisionRequest,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let selection = match &which.session {
        Some(named) => {
            CallSelection { session: api.find(ShortIdKind::Session, named).await?, named: Vec::new() }
        }
        None if which.ids.is_empty() => calls_by_digest(&api, &which.seen).await?,
        None => calls(&api, &which.ids).await?,
    };
    let session = &selection.session;
    // The original arguments: the receiver checks whether they still mean the same action.
    let open = open_cards(&api, session).await?;
    let screen = CardScreen { context, api: &api };
    let shown = match shown_calls(&screen, which, &selection, &open).await {
        Ok(shown) => shown,
        Err(error) => {
            screen.show(&open).await?;
            return Err(error);
        }
    };
    select_width(&mut deciding, &shown, &open)?;
    if !confirm_full_review(&screen, which, &deciding, &shown, &open).await?
        || !is_wide_enough(&screen, &deciding, &shown, &open).await?
    {
        return Ok(CliExitCode::Interrupted);
    }
    let follow_up = RequestFollowUp::begin(context, &api, session).await?;
    let cards = shown.iter().map(|shown| (&*shown.approval, shown.digest.as_deref()));
    let asked = decide_together(&api, session, cards, &deciding.decision);
    let decided = api.send::<AllDecidedShape>(asked).await;
    if matches!(&decided, Err(error) if error.exit == CliExitCode::Conflict) {
        let now = open_cards(&api, session).await?;
        screen.show(now.iter().filter(|card| is_concerned(card, &shown))).await?;
    }
    let decided = follow_up.check(decided).await.map_err(|error| error.or_next("entracte inbox"))?;
    report_decisions(&screen, &deciding.decision, &shown, &decided).await?;
    report_rules(context, &api, &decided.decisions).await?;
    follow_up.follow(deciding.no_wait).await
}

/// A card that is decided on.
struct ShownCard {
    approval: String,
    call: String,
    /// The digest of the shown card; `None` if the call waits for nobody any more, which the reply explains.
    digest: Option<String>,
}

impl ShownCard {
    fn of(card: &CardShape) -> Self {
        Self { approval: card.id.clone(), call: card.call.clone(), digest: card.digest.clone() }
    }
}

/// The calls that a person selected, of one session.
struct CallSelection {
    session: String,
    /// The named approvals; empty if all of the session are meant.
    named: Vec<ApprovalId>,
}

/// Shows cards on the screen of a command.
struct CardScreen<'a> {
    context: &'a CommandContext,
    api: &'a ApiClient<'a>,
}

impl CardScreen<'_> {
    async fn show<'a>(&self, cards: impl IntoIterator<Item = &'a CardShape>) -> Result<(), CliError> {
        let texts = self.api.texts().await?;
        let out = &self.context.out;
        for approval in cards {
            out.write_notice(&card(approval, texts, out.message_style.colour, &self.context.zone).text);
        }
        Ok(())
    }
}

/// The open cards of a session.
async fn open_cards(api: &ApiClient<'_>, session: &str) -> Result<Vec<CardShape>, CliError> {
    api.list(&api.path(&["approvals"]).with("session", session)).await
}

fn is_concerned(card: &CardShape, shown: &[ShownCard]) -> bool {
    shown.iter().any(|shown| shown.call == card.call)
}

/// Reports that the decision was recorded, whatever the later work results in. With progress output it is reported
/// there.
async fn report_decisions(
    screen: &CardScreen<'_>,
    decision: &DecisionShape,
    shown: &[ShownCard],
    decided: &AllDecidedShape,
) -> Result<(), CliError> {
    let out = &screen.context.out;
    if out.is_watched() {
        return Ok(());
    }
    let texts = screen.api.texts().await?;
    let (open, earlier): (Vec<&ShownCard>, Vec<&ShownCard>) =
        shown.iter().partition(|shown| shown.digest.is_some());
    if !open.is_empty() {
        let calls = open.iter().map(|shown| shown.call.as_str()).collect::<Vec<_>>().join(", ");
        let is_rejected = matches!(decision, DecisionShape::Reject { .. } | DecisionShape::Answer { .. });
        let key = if is_rejected { "decide-rejected" } else { "decide-approved" };
        out.write_notice(&say!(texts, key, calls = calls));
    }
    // The same decision as before is accepted, and changes nothing: it says whose decision holds.
    for call in earlier {
        let holding = decided.decisions.iter().find(|decided| decided.call == call.call);
        let name = holding.and_then(|decided| decided.decided_by.as_deref()).unwrap_or_default();
        let what = holding.and_then(|decided| decided.decision.as_deref()).unwrap_or_default();
        let what = word("decided", what, texts);
        out.write_notice(&say!(texts, "talk-decided-by", name = name, what = what, call = &call.call));
    }
    Ok(())
}

/// Shows the full cards that a screen folds or cuts, and asks the person at a terminal again; without a terminal,
/// `--seen` confirms the reading. A person who edits the arguments knows them.
async fn confirm_full_review(
    screen: &CardScreen<'_>,
    which: &CallSelectionArgs,
    deciding: &DecisionRequest,
    shown: &[ShownCard],
    open: &[CardShape],
) -> Result<bool, CliError> {
    let gives_yes = match &deciding.decision {
        DecisionShape::Approve | DecisionShape::Always { .. } => true,
        DecisionShape::Edit { .. } | DecisionShape::Reject { .. } | DecisionShape::Answer { .. } => false,
    };
    if !gives_yes || !which.seen.is_empty() {
        return Ok(true);
    }
    let (context, texts) = (screen.context, screen.api.texts().await?);
    let concerned = || open.iter().filter(|card| is_concerned(card, shown));
    let folded: Vec<(&CardShape, usize)> = concerned()
        .map(|card| (card, hidden_part_count(card, texts)))
        .filter(|(_, parts)| *parts > 0)
        .collect();
    if folded.is_empty() {
        return Ok(true);
    }
    for (card, _) in &folded {
        context.out.write_warning(&full_card_text(card, texts));
    }
    if !context.environment.stdin_terminal || context.out.json {
        let count: usize = folded.iter().map(|(_, parts)| parts).sum();
        let digests = concerned().filter_map(|card| card.digest.as_deref()?.get(..SEEN_MIN_CHARS));
        let next = format!("entracte approve --seen {}", digests.collect::<Vec<_>>().join(","));
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

/// Takes the width that the person chose from the one card that is decided on.
fn select_width(
    deciding: &mut DecisionRequest,
    shown: &[ShownCard],
    open: &[CardShape],
) -> Result<(), CliError> {
    let (Some(number), DecisionShape::Always { width, .. }) = (deciding.width, &mut deciding.decision) else {
        return Ok(());
    };
    let concerned: Vec<&CardShape> = open.iter().filter(|card| is_concerned(card, shown)).collect();
    let offered = match concerned.as_slice() {
        [card] => number.checked_sub(1).and_then(|index| card.widths.get(index)),
        _ => None,
    };
    let offered = offered.ok_or_else(|| {
        let count = concerned.first().map_or(0, |card| card.widths.len());
        let text = message!("approve-width-none", given = number, count = count);
        CliError::with_next(CliExitCode::Usage, text, "entracte inbox")
    })?;
    *width = Some(offered.width.clone());
    Ok(())
}

/// Shows what a standing approval would cover before it is given; the person at a terminal may still decline.
async fn is_wide_enough(
    screen: &CardScreen<'_>,
    deciding: &DecisionRequest,
    shown: &[ShownCard],
    open: &[CardShape],
) -> Result<bool, CliError> {
    let DecisionShape::Always { in_session, lasts_seconds, agents, width: chosen } = &deciding.decision
    else {
        return Ok(true);
    };
    let (context, texts) = (screen.context, screen.api.texts().await?);
    let always_expires = context.settings.runtime.always_expires;
    let lasts = lasts_seconds.map_or(always_expires, |seconds| Millis::seconds(seconds.into()));
    let concerned = open.iter().filter(|card| is_concerned(card, shown));
    let reach = RuleReach { in_session: *in_session, agents: *agents, is_of_agent: false };
    let widths: Vec<String> = concerned
        .filter_map(|card| match chosen {
            Some(chosen) => Some(chosen_width(card, chosen, reach, texts, lasts)),
            None => width(card, texts, *in_session, *agents, lasts),
        })
        .collect();
    for width in &widths {
        context.out.write_notice(width);
    }
    // If it cannot be given, the request is refused with the reason.
    if widths.is_empty() || !deciding.asks_back || !context.environment.stdin_terminal || context.out.json {
        return Ok(true);
    }
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
async fn shown_calls(
    screen: &CardScreen<'_>,
    which: &CallSelectionArgs,
    selection: &CallSelection,
    open: &[CardShape],
) -> Result<Vec<ShownCard>, CliError> {
    let CallSelection { session, named } = selection;
    let conflict = |text: UserText| CliError::with_next(CliExitCode::Conflict, text, "entracte inbox");
    let has = |card: &CardShape, seen: &str| card.digest.as_deref().unwrap_or_default().starts_with(seen);
    let is_seen =
        |card: &CardShape| which.seen.iter().any(|seen| seen.len() >= SEEN_MIN_CHARS && has(card, seen));
    long_enough(&which.seen)?;
    if let Some(gone) = which.seen.iter().find(|seen| !open.iter().any(|card| has(card, seen))) {
        let text = message!("decide-seen-gone", session = session.as_str(), digest = gone.as_str());
        return Err(conflict(text));
    }
    if which.all {
        let covered: Vec<&CardShape> =
            open.iter().filter(|card| which.seen.is_empty() || is_seen(card)).collect();
        if covered.is_empty() {
            return Err(conflict(message!("decide-nothing", session = session.as_str())));
        }
        if which.seen.is_empty() {
            screen.show(covered.iter().copied()).await?;
        }
        return Ok(covered.into_iter().map(ShownCard::of).collect());
    }
    let mut all = Vec::new();
    for id in named {
        let call = id.call_id().to_string();
        let Some(card) = open.iter().find(|card| card.call == call) else {
            // Decided, expired or deleted: the reply says which.
            all.push(ShownCard { approval: id.to_string(), call, digest: None });
            continue;
        };
        if card.id != id.as_str() {
            let text = message!("decide-withdrawn", id = id.as_str(), now = card.id.as_str());
            return Err(conflict(text));
        }
        if !which.seen.is_empty() && !is_seen(card) {
            return Err(conflict(message!("decide-seen-other", id = id.as_str())));
        }
        all.push(ShownCard::of(card));
    }
    Ok(all)
}

/// Refuses digests that are too short to identify a card.
fn long_enough(seen: &[String]) -> Result<(), CliError> {
    let Some(short) = seen.iter().find(|seen| seen.len() < SEEN_MIN_CHARS) else { return Ok(()) };
    let text = message!("decide-seen-short", least = SEEN_MIN_CHARS, given = short.as_str());
    Err(CliError::with_next(CliExitCode::Usage, text, "entracte inbox --json"))
}

/// Reports the rules that a decision created, and how to revoke them.
pub(super) async fn report_rules(
    context: &CommandContext,
    api: &ApiClient<'_>,
    decided: &[DecidedShape],
) -> Result<(), CliError> {
    for id in decided.iter().filter_map(|decided| decided.rule.as_deref()) {
        let rule: RuleShape = api.get(&api.path(&["rules", id])).await?;
        report_rule(context, &rule, api.texts().await?);
    }
    Ok(())
}

fn report_rule(context: &CommandContext, rule: &RuleShape, texts: &LocalizedTexts) {
    let said = words(rule, texts, &context.zone);
    write_fitted_notice(context, &one_line(&say!(texts, "rule-made", rule = &rule.id, words = said)));
    write_fitted_notice(context, &say!(texts, "rule-made-but", rule = &rule.id));
}

/// Writes a message for people, broken between words where their terminal ends.
pub(super) fn write_fitted_notice(context: &CommandContext, text: &str) {
    context.out.write_notice(&fitted_to_terminal(text, context.out.message_style.width));
}

/// The named approvals; they are decided together, so they must belong to one session.
async fn calls(api: &ApiClient<'_>, ids: &[String]) -> Result<CallSelection, CliError> {
    let mut found: Option<CallSelection> = None;
    for id in ids {
        let call = api.find_with_session(ShortIdKind::Call, id).await?;
        let session = call.session.unwrap_or_default();
        let call = CallId::new(call.id).approval_id_after(ApprovalId::new(id.as_str()).withdrawn_count());
        match &mut found {
            None => found = Some(CallSelection { session, named: vec![call] }),
            Some(first) if first.session == session => first.named.push(call),
            Some(first) => {
                let text = message!(
                    "approve-other-session",
                    call = id,
                    session = session,
                    first = first.session.as_str()
                );
                return Err(CliError::new(CliExitCode::Usage, text));
            }
        }
    }
    found.ok_or_else(|| CliError::new(CliExitCode::Usage, message!("approve-no-call")))
}

/// The approvals whose open cards have these digests, if they are not named.
async fn calls_by_digest(api: &ApiClient<'_>, seen: &[String]) -> Result<CallSelection, CliError> {
    long_enough(seen)?;
    let open: Vec<CardShape> = api.list(&api.path(&["approvals"])).await?;
    let has =
        |card: &CardShape, seen: &str| card.digest.as_ref().is_some_and(|digest| digest.starts_with(seen));
    if let Some(gone) = seen.iter().find(|seen| !open.iter().any(|card| has(card, seen))) {
        let workspace = api.workspace().as_str();
        let text = message!("decide-seen-nowhere", workspace = workspace, digest = gone.as_str());
        return Err(CliError::with_next(CliExitCode::Conflict, text, "entracte inbox"));
    }
    let named = open.iter().filter(|card| seen.iter().any(|seen| has(card, seen)));
    let ids: Vec<String> = named.map(|card| card.id.clone()).collect();
    calls(api, &ids).await
}

/// Parses JSON arguments.
pub(super) fn arguments(what: impl Into<UserText>, text: &str) -> Result<JsonValue, CliError> {
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
