//! Requests that copy or delete a session.

use crate::mail::{DeleteSessionRequest, ForkSessionRequest, MailAnswer};
use crate::runtime::turn::commands::workspace::check_seed_is_free;
use crate::runtime::turn::commands::{ApplyToSession, SessionDraftEdit};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::session_copy::SessionForkPlan;

impl ApplyToSession for ForkSessionRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, id, name, at } = self;
        edit.fork(&SessionForkPlan { author, id, name, at: *at })
    }
}

impl ApplyToSession for DeleteSessionRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        check_seed_is_free(edit.turn(), edit.draft(), edit.session())?;
        edit.delete(&self.author)
    }
}
