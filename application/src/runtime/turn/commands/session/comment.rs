//! Comments: the reason of a person whose decision came second is stored with the first one.

use entracte_domain::call::Call;
use entracte_domain::id::{CallId, Digest};
use entracte_domain::session::{Input, JournalNote, LogAppend};
use entracte_domain::validation::{Decision, DecisionVerdict};

use crate::journal::JournalEntry;
use crate::mail::{MailDecision, MailVerdict};
use crate::runtime::turn::commands::SessionDraftEdit;
use crate::runtime::turn::context::TurnStop;
use crate::runtime::turn::lookups::entries_up_to;

/// Stores the reason of a decision on a call that is decided already, as a comment on that decision. `false` if there
/// is no reason, the call was not decided, or the decision is for another card.
pub(super) fn comment_first_decision(
    edit: &mut SessionDraftEdit<'_>,
    author: &str,
    call: &Call,
    decision: &MailDecision,
) -> Result<bool, TurnStop> {
    let (MailVerdict::Reject { reason: Some(reason) } | MailVerdict::Answer { text: reason }) =
        &decision.verdict
    else {
        return Ok(false);
    };
    let Some(first) = FirstDecision::find(edit, &call.id)? else { return Ok(false) };
    // A request without a card names the call alone.
    let shown = decision.card.as_ref();
    if shown.is_some_and(|shown| first.card.as_ref() != Some(shown) && call.card.as_ref() != Some(shown)) {
        return Ok(false);
    }
    if first.reasons.iter().any(|(by, text)| by == author && text == reason) {
        return Ok(true);
    }
    let (author, call, comment) = (author.to_owned(), call.id.clone(), reason.clone());
    Ok(edit.apply_input(Input::DecisionCommented { author, call, comment })?.is_none())
}

/// The decision in force on a call.
#[derive(Default)]
struct FirstDecision {
    /// The card that the person decided on; `None` for a rule or a policy.
    card: Option<Digest>,
    /// The reasons given so far, with their authors.
    reasons: Vec<(String, String)>,
}

impl FirstDecision {
    /// Reads the session's journal, with the entries of this turn.
    fn find(edit: &SessionDraftEdit<'_>, call: &CallId) -> Result<Option<Self>, TurnStop> {
        let stored = entries_up_to(edit.turn(), edit.session(), u64::MAX)?;
        let drafted = edit.draft().entries.iter().map(AsRef::as_ref);
        let drafted = drafted.filter(|entry: &&JournalEntry| entry.session == *edit.session());
        let mut found = None;
        for entry in stored.iter().chain(drafted) {
            Self::read_entry(&mut found, entry, call);
        }
        Ok(found)
    }

    fn read_entry(found: &mut Option<Self>, entry: &JournalEntry, call: &CallId) {
        match &entry.input {
            Input::ValidationReceived { author, decisions } => {
                let of_call = |decision: &&Decision| decision.call == *call;
                if let Some(decision) = Decision::effective_decisions(decisions).find(of_call) {
                    let card = decision.card.clone();
                    let reason = match &decision.verdict {
                        DecisionVerdict::Reject { reason } => reason.clone(),
                        DecisionVerdict::Approve { .. } => None,
                    };
                    let reasons = reason.map(|reason| (author.clone(), reason)).into_iter().collect();
                    *found = Some(Self { card, reasons });
                }
            }
            Input::UserMessageSent(sent) if sent.instead_of.contains(call) => {
                let reasons = vec![(sent.author.clone(), sent.message.linear_text())];
                *found = Some(Self { card: None, reasons });
            }
            Input::DecisionCommented { author, call: of, comment } if of == call => {
                if let Some(found) = found {
                    found.reasons.push((author.clone(), comment.clone()));
                }
            }
            _ => {}
        }
        for appended in &entry.appended {
            match appended {
                LogAppend::Note(
                    JournalNote::ApprovedByRule { call: of, .. }
                    | JournalNote::ApprovedByPolicy { call: of, .. },
                ) if of == call => *found = Some(Self::default()),
                LogAppend::Note(JournalNote::ApprovalAskedAgain { call: of }) if of == call => *found = None,
                LogAppend::Note(_) | LogAppend::Message(_) => {}
            }
        }
    }
}
