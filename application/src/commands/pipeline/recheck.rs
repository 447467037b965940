//! What the cards of calls that wait would say now: the same look-ups again, before anything of them runs.

use std::borrow::Cow;

use entracte_domain::call::{Call, CallState, CallStatus};
use entracte_domain::command::{Command, CommandKind};
use entracte_domain::id::Digest;
use entracte_domain::session::{ApprovalRecheck, CallRefusal, CardRefresh};
use entracte_domain::validation::{ApprovalReason, ValidationLevel, merge_reasons, same_reasons};

use super::{CallLookupContext, CommandPipeline, MandateAllowance, denied, refuse, schema_required};
use crate::commands::CatalogEntry;
use crate::ports::{SchemaRequirement, StoreError};
use crate::system::sha256;
use crate::texts::{LocalizedTexts, say};

impl CommandPipeline {
    /// What the cards of the calls that have not started say now; only those for which it changed.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub async fn recheck(
        &self,
        setting: CallLookupContext<'_>,
        calls: &[Call],
    ) -> Result<Vec<ApprovalRecheck>, StoreError> {
        let mut changed = Vec::new();
        for call in calls {
            if let Some(asked) = approvable_call(call, calls) {
                changed.extend(self.recheck_one(setting, &asked, call).await?);
            }
        }
        Ok(changed)
    }

    /// What the card of `call` would say now, and `before` what it says.
    async fn recheck_one(
        &self,
        setting: CallLookupContext<'_>,
        call: &Call,
        before: &Call,
    ) -> Result<Option<ApprovalRecheck>, StoreError> {
        let Some(terms) = &call.terms else { return Ok(None) };
        let (id, name) = (call.id.clone(), &call.command.name);
        let Some(known) = self.catalog.find(name) else {
            return Ok(Some(ApprovalRecheck { call: id, version: None, reasons: Vec::new(), now: None }));
        };
        let anew = |reasons, card, refusal| {
            let now = Some(CardRefresh { terms: known.terms(), card, refusal });
            Ok(Some(ApprovalRecheck { call: id.clone(), version: Some(known.version.clone()), reasons, now }))
        };
        let texts = LocalizedTexts::for_language(setting.settings.language);
        // What a person would run in its place counts as much as what was asked for.
        let denial = denied(setting, known, call.effective_command(), texts)
            .or_else(|| denied(setting, known, &call.command, texts));
        if let Some((refusal, card)) = denial {
            return anew(call.reasons.clone(), Some(card), Some(refusal));
        }
        if let Some(refusal) = lost_right_refusal(setting, known, texts) {
            // The card says nothing of what may be asked for: this digest is that of none, so that the refusal is taken in.
            let card = Some(sha256(format!("not admitted: {name}").as_bytes()));
            return anew(call.reasons.clone(), card, Some(refusal));
        }
        if matches!(call.state, CallState::Approved(_)) && terms.version == known.version {
            let (asking, what) = (self.call_context(setting, call), (&call.id, call.effective_command()));
            // A person said yes, and a standing approval covers it whatever it overwrites: it is cleared anyway. One with a
            // count does not: it approves what it takes off for, and this yes is for what its card showed.
            if self.reasons(asking, known, what, MandateAllowance::NoMore).await?.1.is_some() {
                return Ok(None);
            }
        }
        let (mut reasons, mut card) = self.card_now(setting, known, call, call.effective_command()).await?;
        if terms.version == known.version && before.card == card && before.reasons == reasons {
            return Ok(None);
        }
        if call.card != card && call.effective_command() != &call.command {
            // The change that a person made goes with the approval: what is asked anew is what was proposed.
            let proposed = Call { state: CallState::WaitingDecision, ..call.clone() };
            (reasons, card) = self.card_now(setting, known, &proposed, &call.command).await?;
        }
        anew(reasons, card, self.refusal(setting, known, call).await?)
    }

    /// The reasons and the digest of a call's card, were it shown now with this command on it.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub async fn card_now(
        &self,
        setting: CallLookupContext<'_>,
        known: &CatalogEntry,
        call: &Call,
        command: &Command,
    ) -> Result<(Vec<ApprovalReason>, Option<Digest>), StoreError> {
        let setting = self.call_context(setting, call);
        let (now, _) = self.reasons(setting, known, (&call.id, command), MandateAllowance::NoMore).await?;
        let same_version = call.terms.as_ref().is_some_and(|terms| terms.version == known.version);
        let reasons = reasons_shown(&call.reasons, now, same_version);
        let card = self.card(setting, known, &call.id, command, &reasons).await?;
        Ok((reasons, card))
    }

    /// The same setting for a call that is there: who asked for it, and whether the model asked for approval, is
    /// remembered.
    fn call_context<'a>(&self, setting: CallLookupContext<'a>, call: &'a Call) -> CallLookupContext<'a> {
        let ai_request = call.reasons.iter().any(|reason| reason.level == ValidationLevel::AiRequest);
        CallLookupContext { ai_request, asked_by: &call.asked_by, acts_as: call.principal(), ..setting }
    }

    /// Why a call cannot be run any more as it was asked for.
    async fn refusal(
        &self,
        setting: CallLookupContext<'_>,
        known: &CatalogEntry,
        call: &Call,
    ) -> Result<Option<CallRefusal>, StoreError> {
        let texts = LocalizedTexts::for_language(setting.settings.language);
        let refused = refuse(known, setting.facts, &call.command, Some(call.kind), texts);
        if refused.is_some() {
            return Ok(refused);
        }
        let request = self.call_context(setting, call).request(&call.id, &call.command);
        Ok(match known.executor.schema(request, self.rows.clone()).await? {
            Some(SchemaRequirement::Needs { schema, text })
                if !setting.facts.schemas.contains(&schema.short()) =>
            {
                Some(schema_required(known, setting, &text))
            }
            Some(SchemaRequirement::Needs { .. } | SchemaRequirement::Shows(_)) | None => None,
        })
    }
}

/// Why an agent may not ask for a command any more: it, or a session above it, lost the right to.
fn lost_right_refusal(
    setting: CallLookupContext<'_>,
    known: &CatalogEntry,
    texts: &LocalizedTexts,
) -> Option<CallRefusal> {
    let is_lost = setting.facts.agent.is_some() && !setting.facts.admits(&known.spec.name);
    let message = || say!(texts, "request-command-forbidden", command = known.display_name(setting.naming()));
    is_lost.then(|| CallRefusal { status: CallStatus::Forbidden, message: message(), path: None })
}

/// The call as a person is, was or may be asked about it; none where nobody will be. One that waits for the result of an
/// equal one stands for itself when a person changes that one, who then did not say yes to what this one is: so it
/// has the reasons of both.
fn approvable_call<'a>(call: &'a Call, calls: &[Call]) -> Option<Cow<'a, Call>> {
    if let CallState::Follows(first) = &call.state {
        let first = calls.iter().find(|other| other.id == *first).filter(|first| may_ask(first))?;
        let reasons = merge_reasons(&call.reasons, &first.reasons);
        return Some(Cow::Owned(Call { reasons, ..call.clone() }));
    }
    may_ask(call).then_some(Cow::Borrowed(call))
}

/// Whether a person is, was or may be asked about a call that has not started.
pub(crate) fn may_ask(call: &Call) -> bool {
    let waits = match &call.state {
        CallState::Proposed | CallState::WaitingDecision | CallState::Approved(_) => true,
        CallState::Follows(_)
        | CallState::Started { .. }
        | CallState::Delayed { .. }
        | CallState::Finished { .. } => false,
    };
    waits && (call.kind == CommandKind::Action || !call.reasons.is_empty())
}

/// The reasons that a card shows. Fewer than were shown change nothing: who was asked must not find it carried out, and
/// the card says no less than the truth. Of a command that changed those of now are shown.
fn reasons_shown(
    shown: &[ApprovalReason],
    now: Vec<ApprovalReason>,
    same_version: bool,
) -> Vec<ApprovalReason> {
    if same_reasons(shown, &now) {
        return now;
    }
    let fewer = now.iter().all(|reason| shown.iter().any(|known| known.is_same(reason)));
    if now.is_empty() || (same_version && fewer) { shown.to_vec() } else { now }
}
