//! Requests that create sessions.

use crate::mail::{ImportSessionRequest, MailAnswer, NewSessionRequest, StartWithMessageRequest};
use crate::runtime::turn::commands::{ApplyToWorkspace, WorkspaceDraftEdit};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::session_copy::SessionImportPlan;
use crate::runtime::turn::session_creation::{FirstMessage, check_new_session};

impl ApplyToWorkspace for NewSessionRequest {
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        check_new_session(edit.turn(), self, edit.may_approve())?;
        edit.start_session(self)
    }
}

impl ApplyToWorkspace for StartWithMessageRequest {
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { new, author, message, client_key } = self;
        check_new_session(edit.turn(), new, edit.may_approve())?;
        let first = FirstMessage { author, message, client_key: client_key.as_deref() };
        edit.start_with_message(new, &first)
    }
}

impl ApplyToWorkspace for ImportSessionRequest {
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, id, document } = self;
        edit.import_session(&SessionImportPlan { author, id, document })
    }
}
