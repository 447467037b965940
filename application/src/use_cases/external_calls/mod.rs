//! Calls of external callers, such as AI clients over MCP, which request single commands from outside a session.

mod caller_session;
mod manual_action;
mod outcome;
mod precheck;

use std::sync::Arc;

use entracte_domain::command::Command;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, SessionKind};

use caller_session::CallerSessionState;
pub use manual_action::{ManualActionOutcome, ManualActionPorts, RunManualAction};
pub use outcome::ExternalCallOutcome;
use precheck::ActionPrecheck;

use super::{AcceptedRequest, UseCaseError, expect_accepted};
use crate::commands::Catalog;
use crate::mail::{Mail, MailRequest, ManualCallRequest, NewSessionRequest};
use crate::ports::{Clock, LogReader, MailSender, ResourceReader, WorkspaceStore};
use crate::protocol::relay;
use crate::texts::saying;

/// The maximum number of open calls per caller: calls that wait for approval, or whose answer was not fetched.
pub const OPEN_CALLS_MAX: u32 = 32;

/// A client that calls commands from outside a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalCaller {
    /// The workspace it works in.
    pub workspace: WorkspaceKey,
    /// Its name, the author of its calls.
    pub name: String,
    /// Distinguishes concurrent callers of the same name, each from a process of its own.
    pub seat: u32,
    /// The commands it may request.
    pub restriction: Restriction,
}

/// An accepted call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedExternalCall {
    /// The session of the call.
    pub session: SessionId,
    /// The number of the workspace's last entry before the call.
    pub after: u64,
}

/// The session a call goes to.
enum ExternalCallRoute {
    /// The call was accepted before, and not answered.
    TakenBefore(AcceptedExternalCall),
    /// An idle session of the caller.
    Lane {
        /// Unique id of the session.
        session: SessionId,
        /// Whether the session exists already.
        is_there: bool,
    },
}

use_case! {
    /// Accepts calls of external callers, and answers them.
    ///
    /// Each caller has sessions of its own, and uses them in turn. An unanswered call, which waits for approval or
    /// whose answer was not fetched, occupies its session: the same call requested again is that call, and runs once.
    /// An answered call is finished; requested again it is a new one.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// # let mut store = MockWorkspaceStore::new();
    /// # store.expect_session().returning(|_, _| Ok(None));
    /// # store.expect_workspace().returning(|_| Ok(None));
    /// let mut mail_sender = MockMailSender::new();
    /// mail_sender.expect_post().times(2).returning(|_, mail| {
    ///     assert!(matches!(
    ///         mail.request,
    ///         MailRequest::Workspace(WorkspaceRequest::StartSession(_))
    ///             | MailRequest::Session(_, SessionRequest::RequestCall(_))
    ///     ));
    ///     Ok(MailAnswer::accept_message(None, mail.request.session_id().unwrap()))
    /// });
    /// let calls = RunExternalCall::new(Arc::new(mail_sender), Arc::new(store), Arc::new(MockLogReader::new()));
    /// let (workspace, restriction) = (samples::workspace(), Restriction::Open);
    /// let who = ExternalCaller { workspace, name: "assistant".into(), seat: 1, restriction };
    /// let command = Command { name: "zones.list".into(), arguments: JsonValue::Object(vec![]) };
    /// let taken = calls.accept_call(&who, &command).await?;
    /// assert!(taken.session.as_str().starts_with("ses_"));
    /// // Once the session is idle: calls.answer(&who, &taken, &turn)
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Posts several requests in sequence: possibly a session for the caller, then the message with the call. If it is
    /// dropped between the two, a session without a message remains, which the next call uses. A posted request is
    /// executed ([what a drop leaves](crate::use_cases#cancel-safety)); the same command is found, and not executed
    /// again, until its answer was given, or at any time under the same receipt. An answer whose future is dropped may
    /// be marked as read, and is not given again.
    pub struct RunExternalCall over (mail_sender: dyn MailSender, store: dyn WorkspaceStore, log: dyn LogReader) and (
        /// Posts the call itself, if it is requested under an idempotency key.
        keyed: Option<Arc<dyn MailSender>> = None,
        /// The plan mode of its sessions; `None` uses the workspace's.
        mode: Option<PlanMode> = None,
        /// Checks the object of an action first.
        foresight: Option<ActionPrecheck> = None
    )
}

impl RunExternalCall {
    /// The caller is a person, not a model: manual actions need no plan. They use other sessions than the calls of a
    /// model of the same name.
    #[must_use]
    pub fn for_person(self) -> Self {
        Self { mode: Some(PlanMode::Free), ..self }
    }

    /// Refuses an action on a missing object before a person is asked for approval, using these rows and commands.
    /// Earlier calls are found as usual.
    #[must_use]
    pub fn with_precheck(
        self,
        rows: Arc<dyn ResourceReader>,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { foresight: Some(ActionPrecheck { rows, catalog, clock }), ..self }
    }

    /// Requests calls under an idempotency key, through a sender that stores receipts: each is a new call, and is not
    /// matched with the same command under another key.
    #[must_use]
    pub fn with_idempotency_key(self, keyed: Arc<dyn MailSender>) -> Self {
        Self { keyed: Some(keyed), ..self }
    }

    /// Accepts a call, or finds it if it was accepted already. Must be called for one call of a caller at a time; if
    /// several processes still call it concurrently, each call gets a session of its own.
    ///
    /// # Errors
    /// When too many calls are open, its object does not exist, the session cannot be created, or the request is not
    /// accepted.
    pub async fn accept_call(
        &self,
        who: &ExternalCaller,
        command: &Command,
    ) -> Result<AcceptedExternalCall, UseCaseError> {
        let mut tries = 0;
        loop {
            let (session, is_there) = match self.route_call(who, command).await? {
                ExternalCallRoute::TakenBefore(taken) => return Ok(taken),
                ExternalCallRoute::Lane { session, is_there } => (session, is_there),
            };
            if let Some(foresight) = &self.foresight {
                foresight.check(&*self.store, who, &session, command).await?;
            }
            if !is_there {
                self.begin(who, &session).await?;
            }
            let after = self.store.workspace(&who.workspace).await?.map_or(0, |row| row.seq);
            let sender = self.keyed.as_ref().unwrap_or(&self.mail_sender);
            match ask(sender, who, &session, command, None).await {
                // Another process was first; another session is tried.
                Err(UseCaseError::Conflict(_)) if tries < OPEN_CALLS_MAX => tries += 1,
                Err(error) => return Err(error),
                // Another caller may have used the session since `after`, so the position of the message counts.
                Ok(sent) if self.keyed.is_some() || sent.message.is_some() => {
                    return self.locate_accepted_call(who, &sent).await;
                }
                Ok(_) => return Ok(AcceptedExternalCall { session, after }),
            }
        }
    }

    /// Determines the session for a call, or finds the session it is in.
    async fn route_call(
        &self,
        who: &ExternalCaller,
        command: &Command,
    ) -> Result<ExternalCallRoute, UseCaseError> {
        let wanted = relay::relay_message(command);
        let (mut free, mut idle) = (None, None);
        for number in 1..=OPEN_CALLS_MAX {
            let id = caller_session::caller_session_id(who, self.mode, number);
            let Some(lane) = self.caller_session_state(who, &id).await? else {
                free.get_or_insert((id, false));
                break;
            };
            match lane {
                CallerSessionState::Ended => {}
                CallerSessionState::Free => {
                    free.get_or_insert((id, true));
                }
                CallerSessionState::Asked(asked) if asked.text == wanted && self.keyed.is_none() => {
                    return Ok(ExternalCallRoute::TakenBefore(AcceptedExternalCall {
                        session: id,
                        after: asked.after,
                    }));
                }
                CallerSessionState::Asked(asked) if asked.is_over => {
                    idle.get_or_insert((id, true));
                }
                CallerSessionState::Asked(_) | CallerSessionState::Busy => {}
            }
        }
        // A session with an unfetched answer is reused if there is no other.
        let Some((session, is_there)) = free.or(idle) else {
            let full = saying!("outside-full", most = OPEN_CALLS_MAX);
            return Err(UseCaseError::Conflict(full.into()));
        };
        Ok(ExternalCallRoute::Lane { session, is_there })
    }

    /// Finds the call that a message requested.
    ///
    /// # Errors
    /// When the message does not exist any more, or the database cannot be read.
    pub(super) async fn locate_accepted_call(
        &self,
        who: &ExternalCaller,
        sent: &AcceptedRequest,
    ) -> Result<AcceptedExternalCall, UseCaseError> {
        let session = sent.session.clone();
        let gone = || UseCaseError::Conflict(saying!("outside-gone", session = session.as_str()).into());
        let sequence =
            sent.message.as_ref().and_then(|message| caller_session::sequence_of(&session, message));
        let before = sequence.ok_or_else(gone)?.saturating_sub(1);
        let rows = self.log.entries_since(&who.workspace, &session, before, 1).await?;
        let entry = rows.first().ok_or_else(gone)?;
        let after = entry.seq.saturating_sub(1);
        Ok(AcceptedExternalCall { session, after })
    }

    async fn begin(&self, who: &ExternalCaller, session: &SessionId) -> Result<(), UseCaseError> {
        let new = NewSessionRequest {
            id: session.clone(),
            kind: SessionKind::Chat,
            name: format!("calls of {}", who.name),
            provider: relay::RELAY.to_owned(),
            model: "relay".to_owned(),
            dialect: Dialect::Tools,
            require_validation: false,
            mode: self.mode,
            restriction: who.restriction.clone(),
        };
        let mail = Mail::from_request(MailRequest::workspace(new));
        expect_accepted(self.mail_sender.post(&who.workspace, mail).await?)?;
        Ok(())
    }
}

/// Requests a call in a session of the caller. Idempotent under the same key.
async fn ask(
    sender: &Arc<dyn MailSender>,
    who: &ExternalCaller,
    session: &SessionId,
    command: &Command,
    client_key: Option<String>,
) -> Result<AcceptedRequest, UseCaseError> {
    let request = MailRequest::session(
        session.clone(),
        ManualCallRequest { author: who.name.clone(), command: command.clone(), client_key },
    );
    let mail = Mail::from_request(request);
    expect_accepted(sender.post(&who.workspace, mail).await?)
}
