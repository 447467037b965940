//! Resolves waiting calls again before they run, to see what their cards would show now.

use std::borrow::Cow;

use entracte_domain::call::{Call, CallState, CallStatus};
use entracte_domain::command::Command;
use entracte_domain::id::Digest;
use entracte_domain::session::{ApprovalRecheck, CallRefusal, CardRefresh};
use entracte_domain::validation::{
    ApprovalReason, PolicyCheck, ValidationLevel, merge_reasons, same_reasons,
};

use super::{CallLookupContext, CommandPipeline, MandateAllowance, denied, refuse, schema_required};
use crate::commands::CatalogEntry;
use crate::ports::{SchemaRequirement, StoreError};
use crate::system::sha256;
use crate::texts::{LocalizedTexts, say};

impl CommandPipeline {
    /// The current cards of the calls that have not started; only those that changed.
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

    /// The change of `call`'s card; `before` is the call with its present card.
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
        // An edited command that would run in its place matters as much as the requested one.
        let denial = denied(setting, known, call.effective_command(), texts)
            .or_else(|| denied(setting, known, &call.command, texts));
        if let Some((refusal, card)) = denial {
            return anew(call.reasons.clone(), Some(card), Some(refusal));
        }
        if let Some(refusal) = lost_right_refusal(setting, known, texts) {
            // The card does not show allowed commands: this digest belongs to no card, so that the refusal applies.
            let card = Some(sha256(format!("not admitted: {name}").as_bytes()));
            return anew(call.reasons.clone(), card, Some(refusal));
        }
        let never_asks = call.reasons.is_empty() && !known.spec.may_need_approval();
        if never_asks && terms.version == known.version {
            return Ok(None);
        }
        if matches!(call.state, CallState::Approved(_)) && terms.version == known.version {
            let (asking, command) = (self.call_context(setting, call), call.effective_command());
            // A person approved it, and a standing approval covers it whatever it overwrites: it stays approved. A rule
            // with a count does not suffice: it approves the calls that it counts, and this approval is for what its
            // card showed.
            let (_, rule) = self.reasons(asking, known, &call.id, command, MandateAllowance::NoMore).await?;
            if rule.is_some() {
                return Ok(None);
            }
        }
        let (mut reasons, mut card) = self.card_now(setting, known, call, call.effective_command()).await?;
        if terms.version == known.version && before.card == card && before.reasons == reasons {
            return Ok(None);
        }
        if call.card != card && call.effective_command() != &call.command {
            // A person's edit is dropped with the approval: the proposed command is asked about again.
            let proposed = Call { state: CallState::WaitingDecision, ..call.clone() };
            (reasons, card) = self.card_now(setting, known, &proposed, &call.command).await?;
        }
        anew(reasons, card, self.refusal(setting, known, call).await?)
    }

    /// The reasons and the digest of a call's card with this command, if it were shown now.
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
        let (now, _) = self.reasons(setting, known, &call.id, command, MandateAllowance::NoMore).await?;
        let same_version = call.terms.as_ref().is_some_and(|terms| terms.version == known.version);
        let reasons = reasons_shown(&call.reasons, now, same_version);
        let card = self.card(setting, known, &call.id, command, &reasons).await?;
        Ok((reasons, card))
    }

    /// The context of an existing call, with its stored principal, the model's stored approval request and the stored
    /// answer of the policy hook.
    fn call_context<'a>(&self, setting: CallLookupContext<'a>, call: &'a Call) -> CallLookupContext<'a> {
        let ai_request = call.reasons.iter().any(|reason| reason.level == ValidationLevel::AiRequest);
        let policy = call.policy.as_ref().and_then(PolicyCheck::answer);
        CallLookupContext {
            ai_request,
            policy,
            asked_by: &call.asked_by,
            acts_as: call.principal(),
            ..setting
        }
    }

    /// Why a call can no longer run as requested.
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

/// Why an agent may no longer use a command: it, or a session above it, lost the right.
fn lost_right_refusal(
    setting: CallLookupContext<'_>,
    known: &CatalogEntry,
    texts: &LocalizedTexts,
) -> Option<CallRefusal> {
    let is_lost = setting.facts.agent.is_some() && !setting.facts.admits(&known.spec.name);
    let message = || say!(texts, "request-command-forbidden", command = known.display_name(setting.naming()));
    is_lost.then(|| CallRefusal { status: CallStatus::Forbidden, message: message(), path: None })
}

/// The call as a person is, was or may be asked to approve it; `None` if that never happens. A call that waits
/// for the result of an equal one needs its own approval if a person edits that one, because that person did not
/// approve this one: so it has the reasons of both.
fn approvable_call<'a>(call: &'a Call, calls: &[Call]) -> Option<Cow<'a, Call>> {
    if let CallState::Follows(first) = &call.state {
        let first = calls.iter().find(|other| other.id == *first).filter(|first| may_ask(first))?;
        let reasons = merge_reasons(&call.reasons, &first.reasons);
        return Some(Cow::Owned(Call { reasons, ..call.clone() }));
    }
    may_ask(call).then_some(Cow::Borrowed(call))
}

/// Whether a person is, was or may be asked about a call: it has not started. A query may be covered by a rule that ends
/// while the query waits for an action.
pub(crate) fn may_ask(call: &Call) -> bool {
    match &call.state {
        CallState::Proposed | CallState::WaitingDecision | CallState::Approved(_) => true,
        CallState::Follows(_)
        | CallState::Started { .. }
        | CallState::Delayed { .. }
        | CallState::Finished { .. } => false,
    }
}

/// The reasons on a card. Fewer reasons than were shown change nothing: a person who was asked must not find the
/// call carried out, and the card still says no less than the truth. For a changed command the current reasons
/// are shown.
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
