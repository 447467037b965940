//! Reserves the worst case of each model call of the caps of its workspace, in the commit that starts the call. A call
//! for which a cap leaves no room is refused before it is sent.

use std::sync::Arc;

use entracte_domain::dollars::Dollars;
use entracte_domain::id::{Digest, RoundAttempt, SessionId};
use entracte_domain::session::{Input, Phase, Round, RoundReason, SessionFacts};
use entracte_domain::spending::{
    SpendingAmount, SpendingRefusal, SpendingTotals, UnknownPricePolicy, spending_excess,
};

use super::cap_filters::{filter_of, initiator};
use super::context::{TurnContext, TurnStop};
use super::draft::{TurnDraft, texts};
use super::lookups::read_prefix;
use super::questions::{CallCeilingQuestion, ConversationQuestion, CostSumQuestion, FileTokensQuestion};
use super::soft_lines::{CheckedCap, find_question};
use super::spending_draft::open_attempt;
use crate::ports::{CallCeiling, CallSize, CostFilter, CostInitiator, CostSum};
use crate::prompt::{Projection, PromptPrefix, PromptStyle, generation_prefix};
use crate::protocol::relay;
use crate::texts::say;

/// The most tokens of the text that asks for a summary, beside the conversation.
const SUMMARY_ASK: u64 = 2_000;

/// Reserves for the open attempt of a session, or refuses it.
pub(super) fn reserve_attempt(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    number: RoundAttempt,
) -> Result<(), TurnStop> {
    let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
    if open_attempt(&drafted.phase) != Some(number) {
        return Ok(());
    }
    let facts = drafted.facts.clone();
    let terms = drafted.phase.round().map(RoundTerms::of).unwrap_or_default();
    // Rounds that only repeat calls make no model call.
    if relay::is_model_of(&facts) {
        return Ok(());
    }
    // What cannot be read is not sent either, and the call fails with that reason.
    let Some(size) = known_call_size(turn, draft, &facts, number)? else { return Ok(()) };
    let question = CallCeilingQuestion { provider: facts.provider.clone(), size };
    // The call fails with the reason why there is no provider, and costs nothing.
    let Some(ceiling) = *turn.ask(question)? else { return Ok(()) };
    let person = initiator(turn, draft, &facts)?;
    match worst_case(draft, &facts, ceiling) {
        Ok(amount) => match find_refusal(turn, draft, &facts, &person, amount, terms)? {
            None => {
                draft.costs.reserve(&facts, number, amount, person, draft.now);
                Ok(())
            }
            Some(why) => refuse(turn, draft, session, number, why),
        },
        Err(why) => refuse(turn, draft, session, number, *why),
    }
}

/// What caps mean for the attempts of a round.
#[derive(Clone, Copy, Default)]
struct RoundTerms {
    /// The closing call ends the work, and is paid from its reserve.
    closing: bool,
    /// Whether a person is asked at the soft line; not by the closing call, nor by a summary that a person just asked for.
    asks: bool,
}

impl RoundTerms {
    fn of(round: &Round) -> Self {
        Self { closing: round.closing, asks: !round.closing && round.reason != RoundReason::Compaction }
    }
}

fn refuse(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    number: RoundAttempt,
    why: SpendingRefusal,
) -> Result<(), TurnStop> {
    tracing::info!(%session, ?why, "a model call is not sent: a cap leaves no room for it");
    let RoundAttempt { round, attempt } = number;
    turn.apply_input(draft, session, Input::SpendingRefused { round, attempt, why })
}

/// What a call has to reserve.
fn worst_case(
    draft: &TurnDraft,
    facts: &SessionFacts,
    CallCeiling { tokens, cost }: CallCeiling,
) -> Result<SpendingAmount, Box<SpendingRefusal>> {
    let budget = &draft.body.settings.budget;
    let cost = match (cost, budget.unknown_price) {
        (Some(cost), _) => cost,
        (None, UnknownPricePolicy::Tokens) => Dollars::ZERO,
        (None, UnknownPricePolicy::Ask | UnknownPricePolicy::Refuse) if !budget.caps_money() => Dollars::ZERO,
        (None, policy @ (UnknownPricePolicy::Ask | UnknownPricePolicy::Refuse)) => {
            // A session without a model uses the default one of its provider.
            let model = [facts.provider.as_str(), facts.model.as_str()].join(" ");
            let message = say!(texts(draft), "spending-unknown-price", model = model.trim_end());
            let asks = policy == UnknownPricePolicy::Ask;
            return Err(Box::new(SpendingRefusal::UnknownPrice { asks, message }));
        }
    };
    Ok(SpendingAmount { tokens, cost })
}

/// The first cap that leaves no room for the amount; else, if the round asks, the first soft line that leaves none.
fn find_refusal(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    facts: &SessionFacts,
    initiator: &CostInitiator,
    amount: SpendingAmount,
    terms: RoundTerms,
) -> Result<Option<SpendingRefusal>, TurnStop> {
    let budget = draft.body.settings.budget.clone();
    let mut checked = Vec::new();
    for (scope, cap) in budget.caps() {
        let Some(filter) = filter_of(draft, scope, facts, initiator) else { continue };
        let stored = stored_spending(turn, draft, &filter)?;
        let totals = draft.costs.spending_totals(&filter, stored);
        let limit = if terms.closing { cap } else { cap.without_reserve(budget.closing_reserve) };
        if let Some(excess) = spending_excess(scope, limit, &totals, amount) {
            return Ok(Some(SpendingRefusal::Cap(excess)));
        }
        checked.push(CheckedCap { scope, cap, limit, filter, totals });
    }
    if !terms.asks {
        return Ok(None);
    }
    Ok(find_question(turn, draft, &checked, amount)?.map(SpendingRefusal::SoftLine))
}

/// What was used of a cap before this turn: in memory after the first look, because the sums of a month have many rows.
fn stored_spending(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    filter: &CostFilter,
) -> Result<SpendingTotals, TurnStop> {
    if let Some(known) = turn.memory.spending.get(filter).or_else(|| draft.aside.spending.get(filter)) {
        return Ok(*known);
    }
    let stored = turn.ask(CostSumQuestion(filter.clone()))?.as_ref();
    let stored = stored.map(CostSum::spending).unwrap_or_default();
    draft.aside.spending.insert(filter.clone(), stored);
    Ok(stored)
}

/// The size of the call of an attempt, as it was measured first; `None` if its conversation cannot be read.
fn known_call_size(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    facts: &SessionFacts,
    number: RoundAttempt,
) -> Result<Option<CallSize>, TurnStop> {
    let key = (facts.id.clone(), number);
    if let Some(known) = draft.aside.call_sizes.get(&key) {
        return Ok(Some(known.clone()));
    }
    let size = call_size(turn, draft, facts)?;
    draft.aside.call_sizes.extend(size.clone().map(|size| (key, size)));
    Ok(size)
}

/// The size of the call that the open attempt of a session makes; `None` if its conversation cannot be read.
fn call_size(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    facts: &SessionFacts,
) -> Result<Option<CallSize>, TurnStop> {
    let Some(mut conversation) = conversation(turn, draft, facts)? else { return Ok(None) };
    if let Some(voice) = conversation.voice_of_uncounted_files() {
        let (provider, model) = (voice.provider.clone(), voice.model.clone());
        if let Some(formula) = *turn.ask(FileTokensQuestion { provider, model })? {
            conversation.count_files_by(formula);
        }
    }
    let size = conversation.size();
    let margin = u64::from(draft.body.settings.budget.margin);
    // The provider counted the rest.
    let estimated = size.tokens.saturating_sub(size.counted);
    let estimated = estimated.saturating_add(estimated.saturating_mul(margin).div_ceil(100));
    let phase = draft.sessions.get(&facts.id).map(|drafted| &drafted.phase);
    let asked = match phase {
        Some(Phase::CompactingContext { .. }) => SUMMARY_ASK,
        _ => 0,
    };
    let relaunch = phase.and_then(Phase::round).is_some_and(|round| round.reason.follows_results());
    let prefix = match &facts.prefix {
        Some(digest) => find_prefix(turn, draft, &facts.id, digest)?,
        None => None,
    };
    Ok(Some(CallSize {
        model: facts.model.clone(),
        encoding: prefix.as_ref().map_or_else(|| "".into(), |prefix| prefix.encoding.clone()),
        input: size.counted.saturating_add(estimated).saturating_add(asked),
        output_tokens: prefix.and_then(|prefix| prefix.output_tokens),
        relaunch,
    }))
}

/// The conversation of a session with the entries of this turn; `None` if it cannot be read.
fn conversation(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    facts: &SessionFacts,
) -> Result<Option<Projection>, TurnStop> {
    let session = &facts.id;
    let is_stored = draft.sessions.get(session).is_some_and(|drafted| drafted.stored.is_some());
    let in_memory = turn.memory.sessions.get(session).and_then(|live| live.conversation.as_ref());
    let settings = turn.memory.settings;
    let mut conversation = match in_memory {
        Some(conversation) => conversation.clone(),
        None if is_stored => {
            let settings = Box::new(settings.clone());
            match turn.ask(ConversationQuestion { session: session.clone(), settings })? {
                Some(conversation) => {
                    draft.aside.conversations.insert(session.clone(), conversation.clone());
                    conversation.clone()
                }
                None => return Ok(None),
            }
        }
        None => Projection::new(&PromptStyle::from_settings(settings, turn.memory.runtime)),
    };
    let entries: Vec<_> = draft.entries.iter().filter(|entry| entry.session == *session).cloned().collect();
    for entry in entries {
        let prefix = match generation_prefix(&entry) {
            Some(digest) => find_prefix(turn, draft, session, digest)?,
            None => None,
        };
        conversation.push(&entry, prefix.as_deref());
    }
    Ok(Some(conversation))
}

/// The prefix of that hash; `None` if it cannot be read.
fn find_prefix(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    digest: &Digest,
) -> Result<Option<Arc<PromptPrefix>>, TurnStop> {
    match read_prefix(turn, draft, session, digest) {
        Ok(prefix) => Ok(Some(prefix)),
        Err(TurnStop::Fault(fault)) if fault.is_damage() => Ok(None),
        Err(stop) => Err(stop),
    }
}
