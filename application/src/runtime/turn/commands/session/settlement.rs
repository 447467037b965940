//! Settles calls of unknown outcome, and model calls of unknown usage.

use entracte_domain::id::RoundAttempt;
use entracte_domain::session::Input;
use entracte_domain::usage::Usage;

use crate::codec::decode_call;
use crate::mail::{MailAnswer, MailRefusal, SettleCallRequest, SettleUsageRequest};
use crate::runtime::turn::commands::{ApplyToSession, SessionDraftEdit};
use crate::runtime::turn::lookups::read_call_row;
use crate::runtime::turn::questions::AttemptSumQuestion;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::texts::saying;

impl ApplyToSession for SettleCallRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, call, happened, note } = self;
        edit.refresh()?;
        let Some(row) = read_call_row(edit.turn(), call)?.filter(|row| row.session == *edit.session()) else {
            return Err(MailRefusal::no_call(call).into());
        };
        // A person who may not approve it may not settle it either: "it did not happen" requests it again, and "it
        // did" hides it.
        if let Some(objection) = decode_call(row)?.four_eyes_objection(author, false) {
            return Err(MailRefusal::FourEyes(objection).into());
        }
        let settled = Input::CallSettled {
            call: call.clone(),
            command: row.command.clone(),
            happened: *happened,
            note: note.clone(),
            author: author.clone(),
        };
        if let Some(ignored) = edit.apply_input(settled)? {
            return edit.answer_ignored(ignored, "request-not-applicable");
        }
        edit.record_settlement(call, *happened)?;
        Ok(edit.accept())
    }
}

impl ApplyToSession for SettleUsageRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, round, attempt, tokens, cost } = self;
        let number = RoundAttempt { round: *round, attempt: *attempt };
        let session = edit.session();
        let stored = edit.turn().ask(AttemptSumQuestion { session: session.clone(), number })?;
        let Some(stored) = stored else {
            let call = session.model_call_id(number);
            return Err(MailRefusal::NotFound(saying!("request-no-model-call", call = call.as_str())).into());
        };
        // This turn may have settled it, or have its reply.
        let known = edit.draft().costs.changed_usage(session, number).unwrap_or(stored.usage);
        if known.unknown_attempts == 0 {
            let call = session.model_call_id(number);
            let says = saying!("request-usage-known", call = call.as_str());
            return Err(MailRefusal::NotApplicable(says).into());
        }
        let usage = Usage { input: *tokens, ..Usage::default() }.with_cost(*cost);
        let settled = Input::UsageSettled { author: author.clone(), round: *round, attempt: *attempt, usage };
        edit.apply_or_refuse(settled, "request-not-applicable")
    }
}
