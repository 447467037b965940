//! Settles calls of unknown outcome.

use entracte_domain::session::Input;

use crate::codec::decode_call;
use crate::mail::{MailAnswer, MailRefusal, SettleCallRequest};
use crate::runtime::turn::commands::{ApplyToSession, SessionDraftEdit};
use crate::runtime::turn::lookups::read_call_row;
use crate::runtime::turn::request_not_applied::RequestNotApplied;

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
