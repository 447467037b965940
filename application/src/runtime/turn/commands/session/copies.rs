//! Requests that copy or delete a session.

use crate::mail::{DeleteSessionRequest, ForkSessionRequest, MailAnswer};
use crate::runtime::turn::commands::workspace::check_seed_is_free;
use crate::runtime::turn::commands::{SessionCommand, SessionEdit};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::session_copy::SessionFork;

impl SessionCommand for ForkSessionRequest {
    fn apply(&self, edit: &mut SessionEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, id, name, at } = self;
        edit.fork(&SessionFork { author, id, name, at: *at })
    }
}

impl SessionCommand for DeleteSessionRequest {
    fn apply(&self, edit: &mut SessionEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        check_seed_is_free(edit.turn(), edit.draft(), edit.session())?;
        edit.delete(&self.author)
    }
}
