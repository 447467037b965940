//! Copies of sessions: a fork branches off a session of the same database, an import comes from a file. The
//! entries are copied with what they recorded; nothing of them runs again.

use std::collections::HashMap;

use entracte_domain::automation::RunPolicy;
use entracte_domain::id::{CallId, Digest, SessionId};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{Input, SessionCopyOrigin, SessionFacts, SessionKind, SessionRules};

use crate::codec::{CodecError, decode_rules};
use crate::instructions::{
    InstructionScope, InstructionSource, InstructionVersion, normalize_instruction_text,
};
use crate::journal::{JournalEntry, referenced_rules};
use crate::mail::{MailAnswer, MailRefusal};
use crate::prompt::{changed_voice, generation_prefix};
use crate::protocol::relay;
use crate::runtime::error::TurnError;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::lookups::{draw_session_id, entries_up_to, read_blob, read_prefix};
use crate::runtime::turn::placement::draft_session;
use crate::runtime::turn::prefix::{instruction_refusal, read_instructions_of};
use crate::runtime::turn::questions::{LeftDataQuestion, SessionIdTakenQuestion};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::session_creation::check_id;
use crate::runtime::turn::session_id_renamer::SessionIdRenamer;
use crate::session_export::{SessionExport, VerifiedSessionExport};
use crate::system::sha256;
use crate::texts::saying;

/// The parameters of a fork.
pub(crate) struct SessionForkPlan<'a> {
    pub(crate) author: &'a str,
    pub(crate) id: &'a SessionId,
    pub(crate) name: &'a str,
    pub(crate) at: u64,
}

/// The parameters of an import.
pub(crate) struct SessionImportPlan<'a> {
    pub(crate) author: &'a str,
    /// The preferred id; the copy gets another one if this one is reserved.
    pub(crate) id: &'a SessionId,
    /// The unchanged content of the file.
    pub(crate) document: &'a str,
}

/// The source and target of a copy.
struct SessionCopyPlan<'a> {
    from: &'a SessionId,
    to: &'a SessionId,
    entries: Vec<JournalEntry>,
    rules: HashMap<Digest, SessionRules>,
    kind: SessionKind,
    how: SessionCopyOrigin,
    author: &'a str,
    /// The session's own instructions, if any.
    instructions: Option<String>,
    /// The call of a copied caller that the original answered as an agent; `None` if no caller is copied.
    call: Option<CallId>,
}

/// Creates a session with the entries of another one up to a sequence.
pub(crate) fn fork_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    from: &SessionId,
    branch: &SessionForkPlan<'_>,
) -> Result<MailAnswer, RequestNotApplied> {
    if draft_session(turn, draft, branch.id)? {
        return Ok(MailAnswer::accept_message(None, branch.id));
    }
    check_id(turn, branch.id)?;
    let Some((kind, stored)) = draft.sessions.get(from).map(|from| (from.facts.kind, from.stored)) else {
        return Err(MailRefusal::no_session(from).into());
    };
    let stored = stored.unwrap_or_default();
    if branch.at == 0 || branch.at > stored {
        let (session, last, at) = (from.as_str(), stored.to_string(), branch.at.to_string());
        let unknown = saying!("request-no-sequence", session = session, last = last, at = at);
        return Err(MailRefusal::Invalid(unknown).into());
    }
    let mut entries = entries_up_to(turn, from, branch.at)?.to_vec();
    if entries.first().is_some_and(|first| first.sequence > 1) {
        return Err(MailRefusal::Conflict(saying!("verify-session-goes", session = from.as_str())).into());
    }
    if let Some(JournalEntry { input: Input::SessionCreated(creation), .. }) = entries.first_mut() {
        branch.name.clone_into(&mut creation.name);
    }
    load_prefix(turn, draft, from, &entries)?;
    let mut rules = HashMap::new();
    for digest in referenced_rules(&entries) {
        rules.insert(digest.clone(), read_stored_rules(turn, from, digest)?);
    }
    let (to, author, how) = (branch.id, branch.author, SessionCopyOrigin::Fork);
    let told = read_instructions_of(turn, draft, &InstructionScope::Session(from.clone()))?;
    let instructions = told.filter(|told| !told.is_cleared()).map(|told| told.text);
    let call = None;
    copy_session(
        turn,
        draft,
        SessionCopyPlan { from, to, entries, rules, kind, how, author, instructions, call },
    )
}

/// Loads the prefix that a fork continues with: its own row comes with this commit, and until then the prefix is
/// reached through the original session.
fn load_prefix(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    from: &SessionId,
    entries: &[JournalEntry],
) -> Result<(), TurnStop> {
    let Some(digest) = entries.iter().rev().find_map(generation_prefix) else { return Ok(()) };
    match read_prefix(turn, draft, from, digest) {
        // An unreadable prefix is replaced where it is needed.
        Ok(_) | Err(TurnStop::Fault(TurnError::Damaged(_))) => Ok(()),
        Err(stop) => Err(stop),
    }
}

/// Creates a session from a file, after its replay gave the state that the file names, and one below it from each agent
/// in the file.
pub(crate) fn import_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    import: &SessionImportPlan<'_>,
) -> Result<MailAnswer, RequestNotApplied> {
    let SessionImportPlan { author, id, document } = *import;
    let checked = SessionExport::decode(document)
        .and_then(|document| document.verify().map(|whole| (document, whole)))
        .map_err(not_imported);
    let (mut document, mut verified) = checked?;
    if draft_session(turn, draft, id)? {
        return Err(MailRefusal::session_exists(id).into());
    }
    let agents = std::mem::take(&mut document.agents);
    let verified_agents = std::mem::take(&mut verified.agents);
    let from = document.session.clone();
    // The copy gets another id if this one, or that of an agent below it, is reserved.
    let mut is_reserved = id.is_agent_session() || is_id_reserved(turn, draft, id, &verified.entries)?;
    let renamer = SessionIdRenamer::new(&from, id);
    for (agent, verified) in agents.iter().zip(&verified_agents) {
        is_reserved |=
            is_id_reserved(turn, draft, &renamer.renamed_child(&agent.session), &verified.entries)?;
    }
    let own_id = if is_reserved { draw_session_id(turn, draft)? } else { id.clone() };
    let renamer = SessionIdRenamer::new(&from, &own_id);
    let mut imports = vec![VerifiedImport { document, verified, id: own_id.clone(), call: None }];
    for (agent, verified) in agents.into_iter().zip(verified_agents) {
        let id = renamer.renamed_child(&agent.session);
        let call = id.starting_call();
        imports.push(VerifiedImport { document: agent, verified, id, call });
    }
    // Nothing is drafted before everything was checked: a refusal takes nothing back.
    for import in &imports {
        check_import(turn, import)?;
    }
    for import in imports {
        copy_import(turn, draft, import, author)?;
    }
    Ok(MailAnswer::accept_message(None, &own_id))
}

/// One session of a file, and the session that it becomes.
struct VerifiedImport {
    document: SessionExport,
    verified: VerifiedSessionExport,
    id: SessionId,
    /// The call that an agent answered, in the copy of its caller.
    call: Option<CallId>,
}

fn check_import(turn: &TurnContext<'_>, import: &VerifiedImport) -> Result<(), RequestNotApplied> {
    if *turn.ask(LeftDataQuestion(import.id.clone()))? {
        let left = saying!("request-session-left-data", session = import.id.as_str());
        return Err(MailRefusal::Conflict(left).into());
    }
    if let Some(text) = &import.document.instructions {
        normalize_instruction_text(text, turn.memory.runtime.instruction_bytes)
            .map_err(instruction_refusal)?;
    }
    Ok(())
}

fn copy_import(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    import: VerifiedImport,
    author: &str,
) -> Result<(), RequestNotApplied> {
    let VerifiedImport { document, verified, id, call } = import;
    let VerifiedSessionExport { entries, rules, kind, needed, agents: _ } = verified;
    let is_needed = |digest: &Digest| needed.contains(digest);
    draft.blobs.extend(document.blobs.into_iter().filter(|blob| is_needed(&blob.digest)));
    let (from, to, how) = (&document.session, &id, SessionCopyOrigin::Import);
    let instructions = document.instructions;
    let copy = SessionCopyPlan { from, to, entries, rules, kind, how, author, instructions, call };
    copy_session(turn, draft, copy).map(drop)
}

fn not_imported(why: CodecError) -> MailRefusal {
    MailRefusal::Invalid(saying!("request-not-imported", why = why.to_string()))
}

/// Whether an imported session may not have this id: a session of another workspace has it, the call of an external
/// caller may still get it, or a rule has counted calls of a session that had it.
fn is_id_reserved(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    id: &SessionId,
    entries: &[JournalEntry],
) -> Result<bool, TurnStop> {
    let is_reserved = has_manual_calls(entries) || has_rule_counted_calls(draft, id);
    Ok(is_reserved || *turn.ask(SessionIdTakenQuestion(id.clone()))?)
}

fn copy_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    copy: SessionCopyPlan<'_>,
) -> Result<MailAnswer, RequestNotApplied> {
    let SessionCopyPlan { from, to, entries, rules, kind, how, author, instructions, call } = copy;
    let (Some(first), Some(at)) = (entries.first(), entries.last().map(|entry| entry.sequence)) else {
        return Err(MailRefusal::Invalid(saying!("request-nothing-to-copy")).into());
    };
    if let Some(text) = &instructions {
        copy_instructions(turn, draft, from, to, text, author)?;
    }
    let facts = SessionFacts::new(to.clone(), turn.memory.key.clone(), kind, first.at);
    draft.add_new_session(facts);
    let renaming = SessionIdRenamer::new(from, to);
    let mut settled = HashMap::new();
    for mut entry in entries {
        entry.session = to.clone();
        entry.input.visit_own_ids(&renaming);
        entry.appended.iter_mut().for_each(|appended| renaming.appended(appended));
        if let Input::CallSettled { call, happened, .. } = &entry.input {
            settled.insert(call.clone(), *happened);
        }
        let Some(rules) = rules.get(&entry.rules) else {
            let rules = entry.rules.to_string();
            let why = saying!("turn-copied-rules-missing", rules = rules, session = from.as_str());
            return Err(TurnError::Damaged(why).into());
        };
        draft.copy_entry(entry, rules)?;
    }
    // The rights of a copy come from the workspace it is in; if the original was stricter, the copy stays so.
    let own = draft.sessions.get(to).map(|drafted| drafted.facts.policy).unwrap_or_default();
    let policy = Some(own.for_copy_in(turn.memory.rules.rules_for_run(kind, RunPolicy::default())));
    let input = Input::SessionCopied {
        from: from.clone(),
        at,
        how,
        author: author.to_owned(),
        policy,
        counts_authors: true,
        call,
    };
    turn.apply_input(draft, to, input)?;
    close_unknown(draft, to, &settled);
    Ok(MailAnswer::accept_message(None, to))
}

fn read_stored_rules(
    turn: &TurnContext<'_>,
    session: &SessionId,
    digest: &Digest,
) -> Result<SessionRules, TurnStop> {
    let missing = || TurnError::Damaged(saying!("turn-rules-missing", rules = digest.to_string()));
    let bytes = read_blob(turn, session, digest)?.ok_or_else(missing)?;
    Ok(decode_rules(bytes)?)
}

/// Whether calls from outside ever ran in the session of a file. An external caller finds its session by id, and
/// would act under what the file allows.
fn has_manual_calls(entries: &[JournalEntry]) -> bool {
    entries.iter().filter_map(changed_voice).any(|voice| relay::is_relay(&voice.provider))
}

/// Whether a rule has counted calls of a session that had this id: calls of the copy might have the same ids, and
/// would not be counted.
fn has_rule_counted_calls(draft: &TurnDraft, id: &SessionId) -> bool {
    let calls_of_it = format!("cal_{}_", id.stem());
    let mut uses = draft.body.rules.iter().flat_map(|rule| &rule.uses);
    uses.any(|uses| {
        uses.latest.iter().any(|used| used.call.as_str().starts_with(&calls_of_it))
            || uses.runs.iter().any(|(run, _)| run == id)
    })
}

/// Closes copied actions of unknown outcome, because that outcome is settled once, in the original session: the
/// copy's rows leave the inbox. An action settled before the copy is settled in it.
fn close_unknown(draft: &mut TurnDraft, copy: &SessionId, settled: &HashMap<CallId, bool>) {
    let unknown = LedgerState::Unknown;
    for row in draft.calls.values_mut().filter(|row| row.session == *copy && row.state == unknown) {
        let found = settled.get(&row.id);
        row.state = found.map_or(LedgerState::UnknownInOriginal, |happened| LedgerState::settled(*happened));
    }
}

/// Copies the instructions of a copied session, as the first version of the copy.
fn copy_instructions(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    from: &SessionId,
    to: &SessionId,
    text: &str,
    author: &str,
) -> Result<(), MailRefusal> {
    let text = normalize_instruction_text(text, turn.memory.runtime.instruction_bytes)
        .map_err(instruction_refusal)?;
    draft.instructions.push(InstructionVersion {
        scope: InstructionScope::Session(to.clone()),
        version: 1,
        digest: sha256(text.as_bytes()),
        text,
        author: author.to_owned(),
        source: InstructionSource::Copy(from.clone()),
        at: draft.now,
    });
    Ok(())
}
