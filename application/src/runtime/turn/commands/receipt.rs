//! Idempotency: a request with a key drawn by its client runs once, however often it is sent.

use entracte_domain::id::Digest;
use entracte_domain::time::Millis;

use super::apply_request;
use crate::codec::decode_mail_answer;
use crate::mail::{Mail, MailAnswer, MailRefusal, Receipt, ReceiptKey};
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::questions::{ReceiptQuestion, ReceiptsQuestion};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::workspace_input::WorkspaceInput;

/// The question for the receipts of these requests.
pub(crate) fn initial_receipt_question(incoming: &[WorkspaceInput]) -> Option<ReceiptsQuestion> {
    let receipt = |item: &WorkspaceInput| match item {
        WorkspaceInput::Request { mail, .. } => mail.receipt.as_ref().map(Receipt::key),
        WorkspaceInput::Outcome { .. }
        | WorkspaceInput::NetworkBack { .. }
        | WorkspaceInput::Wake
        | WorkspaceInput::Started => None,
    };
    let mut keys: Vec<ReceiptKey> = incoming.iter().filter_map(receipt).collect();
    keys.sort();
    keys.dedup();
    (!keys.is_empty()).then_some(ReceiptsQuestion(keys))
}

/// Applies a request, unless it was applied before under its key: then it gets the stored answer. A refusal is
/// not stored: nothing was done, and the request may be repeated.
pub(crate) fn apply_idempotently(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    mail: &Mail,
) -> Result<MailAnswer, RequestNotApplied> {
    let Some(receipt) = &mail.receipt else { return apply_request(turn, draft, mail) };
    if let Some((fingerprint, first)) = find_recorded_answer(turn, draft, receipt)? {
        if fingerprint == receipt.fingerprint {
            return Ok(MailAnswer::Replayed(Box::new(first)));
        }
        return Err(MailRefusal::KeyReused(receipt.key.clone()).into());
    }
    let answer = apply_request(turn, draft, mail)?;
    draft.receipts.push((receipt.clone(), answer.clone()));
    Ok(answer)
}

/// The request digest and answer recorded under the key: in this turn, or in an earlier one whose receipt is
/// still stored.
fn find_recorded_answer(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    receipt: &Receipt,
) -> Result<Option<(Digest, MailAnswer)>, TurnStop> {
    let key = receipt.key();
    if let Some((known, answer)) = draft.receipts.iter().find(|(known, _)| known.key() == key) {
        return Ok(Some((known.fingerprint.clone(), answer.clone())));
    }
    let row = turn.ask(ReceiptQuestion(key))?;
    let before = draft.now.plus(Millis(-turn.memory.runtime.retention.policy.receipt_age().0));
    let Some(row) = row.as_ref().filter(|row| row.created_at >= before) else { return Ok(None) };
    Ok(Some((row.fingerprint.clone(), decode_mail_answer(&row.answer)?)))
}
