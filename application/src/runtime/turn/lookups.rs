//! Questions that several parts of a turn ask, with their answers in the form that these parts need.

use std::sync::Arc;

use entracte_domain::call::Call;
use entracte_domain::command::Command;
use entracte_domain::id::{CallId, Digest, SessionId};
use entracte_domain::session::{ApprovalRecheck, ModelSelection, RequestedCall, SessionFacts};
use entracte_domain::time::Millis;

use crate::codec::decode_entry;
use crate::commands::{CallLookupContext, CommandInvocation, may_ask};
use crate::journal::JournalEntry;
use crate::ports::{CallRow, ContextWindow};
use crate::prompt::PromptPrefix;
use crate::runtime::error::TurnError;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::questions::{
    ApprovalRecheckQuestion, BlobQuestion, CallLookupQuestion, CallRowQuestion, CardQuestion,
    ContextWindowQuestion, EntriesFromQuestion, EntryRangeQuestion, JitterQuestion, LogRowQuestion,
    NewKeyQuestion, NewSessionIdQuestion, OwnedCallLookupContext, ShownCard,
};
use crate::settings::WorkspaceSettings;

/// A drawn id for a new session.
pub(crate) fn draw_session_id(turn: &TurnContext<'_>, draft: &mut TurnDraft) -> Result<SessionId, TurnStop> {
    let id = turn.ask(NewSessionIdQuestion(draft.aside.used.sessions))?.clone();
    draft.aside.used.sessions += 1;
    Ok(id)
}

/// A drawn id for a new rule.
pub(crate) fn draw_rule_id(turn: &TurnContext<'_>, draft: &mut TurnDraft) -> Result<String, TurnStop> {
    let id = format!("rul_{}", turn.ask(NewKeyQuestion(draft.aside.used.keys))?);
    draft.aside.used.keys += 1;
    Ok(id)
}

/// A short random delay that spreads simultaneous work.
pub(crate) fn draw_jitter(turn: &TurnContext<'_>, draft: &mut TurnDraft) -> Result<Millis, TurnStop> {
    let jitter = *turn.ask(JitterQuestion(draft.aside.used.jitters))?;
    draft.aside.used.jitters += 1;
    Ok(jitter)
}

/// The committed ledger row of a call.
pub(crate) fn read_call_row<'t>(
    turn: &TurnContext<'t>,
    id: &CallId,
) -> Result<Option<&'t CallRow>, TurnStop> {
    Ok(turn.ask(CallRowQuestion(id.clone()))?.as_ref())
}

/// A log entry by its number in the workspace.
pub(crate) fn read_entry(turn: &TurnContext<'_>, seq: u64) -> Result<Option<JournalEntry>, TurnStop> {
    let row = turn.ask(LogRowQuestion(seq))?;
    Ok(row.as_ref().map(decode_entry).transpose()?)
}

/// The stored entries of a session up to a sequence, in order.
pub(crate) fn entries_up_to<'t>(
    turn: &TurnContext<'t>,
    session: &SessionId,
    at: u64,
) -> Result<&'t [JournalEntry], TurnStop> {
    Ok(turn.ask(EntryRangeQuestion { session: session.clone(), at })?)
}

/// The stored entries of a session from a sequence on, in order.
pub(crate) fn entries_from<'t>(
    turn: &TurnContext<'t>,
    session: &SessionId,
    from: u64,
) -> Result<&'t [JournalEntry], TurnStop> {
    Ok(turn.ask(EntriesFromQuestion { session: session.clone(), from })?)
}

/// The bytes that an entry of a session names by hash.
pub(crate) fn read_blob<'t>(
    turn: &TurnContext<'t>,
    session: &SessionId,
    digest: &Digest,
) -> Result<Option<&'t [u8]>, TurnStop> {
    let question = BlobQuestion { session: session.clone(), digest: digest.clone() };
    Ok(turn.ask(question)?.as_deref())
}

/// The context window of a model; `None` if its provider is unavailable.
pub(crate) fn read_window(
    turn: &TurnContext<'_>,
    voice: &ModelSelection,
) -> Result<Option<ContextWindow>, TurnStop> {
    let (provider, model) = (voice.provider.clone(), voice.model.clone());
    turn.ask(ContextWindowQuestion { provider, model }).copied()
}

/// Resolves the calls of a reply.
pub(crate) fn look_up_calls(
    turn: &TurnContext<'_>,
    setting: CallLookupContext<'_>,
    asked: Vec<CommandInvocation>,
) -> Result<Vec<RequestedCall>, TurnStop> {
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let context = OwnedCallLookupContext::from_context(setting);
    turn.ask(CallLookupQuestion { context, asked }).cloned()
}

/// The changes in the approval that calls need.
pub(crate) fn recheck_calls(
    turn: &TurnContext<'_>,
    setting: CallLookupContext<'_>,
    calls: &[Call],
) -> Result<Vec<ApprovalRecheck>, TurnStop> {
    if !calls.iter().any(may_ask) {
        return Ok(Vec::new());
    }
    let context = OwnedCallLookupContext::from_context(setting);
    turn.ask(ApprovalRecheckQuestion { context, calls: calls.to_vec() }).cloned()
}

/// The card of a call with this command, if it were shown now.
pub(in crate::runtime) fn read_card(
    turn: &TurnContext<'_>,
    setting: CallLookupContext<'_>,
    call: &Call,
    command: &Command,
) -> Result<ShownCard, TurnStop> {
    let context = OwnedCallLookupContext::from_context(setting);
    turn.ask(CardQuestion { context, call: call.clone(), command: command.clone() }).cloned()
}

/// The prefix of that hash, which an entry of this session names.
pub(crate) fn read_prefix(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    digest: &Digest,
) -> Result<Arc<PromptPrefix>, TurnStop> {
    let known = draft.aside.prefixes.in_memory(digest).or_else(|| turn.memory.prefixes.in_memory(digest));
    if let Some(prefix) = known {
        return Ok(prefix);
    }
    let bytes = read_blob(turn, session, digest)?.ok_or_else(|| TurnError::missing_prefix(digest))?;
    let prefix = PromptPrefix::decode(bytes).map_err(|fault| TurnError::unreadable_prefix(digest, &fault))?;
    let prefix = Arc::new(turn.memory.prompt_parts.share_declarations(prefix));
    draft.aside.prefixes.insert(digest.clone(), prefix.clone());
    Ok(prefix)
}

/// The session, rules and settings that calls are resolved under.
pub(crate) fn lookup_context<'d>(
    draft: &'d TurnDraft,
    facts: &'d SessionFacts,
    settings: &'d WorkspaceSettings,
) -> CallLookupContext<'d> {
    CallLookupContext {
        facts,
        settings,
        rules: &draft.body.rules,
        asked_by: &facts.asked_by,
        acts_as: facts.asked_by.acts_as.as_deref(),
        last_action_at: draft.body.last_action_at,
        ai_request: false,
        policy: None,
        now: draft.now,
    }
}
