//! Calls of an AI that is no model of ours: it asks for commands one by one, from outside.

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
use crate::mail::{Mail, MailRequest, NewSessionRequest};
use crate::ports::{Clock, LogReader, MailSender, ResourceReader, WorkspaceStore};
use crate::protocol::relay;
use crate::texts::saying;

/// How many calls of one caller may be open at the same time: wait for approval, or have an answer that was not
/// fetched.
pub const OPEN_CALLS_MAX: u32 = 32;

/// Who calls from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalCaller {
    /// Where it works.
    pub workspace: WorkspaceKey,
    /// What it is called; its calls are asked for in this name.
    pub name: String,
    /// Tells those of one name apart that call at the same time, each from a process of its own.
    pub seat: u32,
    /// Which commands it may ask for.
    pub restriction: Restriction,
}

/// A call that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedExternalCall {
    /// The session that it runs in.
    pub session: SessionId,
    /// Number of the last entry of the workspace before it.
    pub after: u64,
}

/// Where a call goes.
enum ExternalCallRoute {
    /// It was accepted before, and not answered.
    TakenBefore(AcceptedExternalCall),
    /// A session of the caller that does nothing else.
    Lane {
        /// It.
        session: SessionId,
        /// Whether it was made already.
        is_there: bool,
    },
}

use_case! {
    /// Takes calls from outside in, and answers them.
    ///
    /// Each caller has sessions of its own, and asks through them in turn. A call that is not answered yet, because it
    /// waits for approval or nobody fetched its answer, keeps its session: the same call asked again is that call, and
    /// runs once. A call that was answered is over; asked again it is a new one.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// # let mut store = MockWorkspaceStore::new();
    /// # store.expect_session().returning(|_, _| Ok(None));
    /// # store.expect_workspace().returning(|_| Ok(None));
    /// let mut mail_sender = MockMailSender::new();
    /// mail_sender.expect_post().times(2).returning(|_, mail| {
    ///     assert!(matches!(mail.request, MailRequest::StartSession(_) | MailRequest::AskForCall { .. }));
    ///     Ok(MailAnswer::taken(None, &mail.session.unwrap()))
    /// });
    /// let calls = CallFromOutside::new(Arc::new(mail_sender), Arc::new(store), Arc::new(MockLogReader::new()));
    /// let who = Outsider { workspace: samples::workspace(), name: "assistant".into(), seat: 1, restriction: Restriction::Open };
    /// let command = Command { name: "zones.list".into(), arguments: Value::Object(vec![]) };
    /// let taken = calls.take_in(&who, &command).await?;
    /// assert!(taken.session.as_str().starts_with("ses_"));
    /// // Once the session rests: calls.answer(&who, &taken, &turn)
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Several requests, one after the other: perhaps a session for the caller, then the message that asks. Dropped
    /// between the two there is a session without a message, which the next call takes. What was asked for is done ([what
    /// a drop leaves](crate::use_cases#cancel-safety)); taken in again with the same command before its answer was given,
    /// or under the same receipt, it is found and not done twice. An answer that is dropped may be marked as read, and is
    /// given no second time.
    pub struct RunExternalCall over (mail_sender: dyn MailSender, store: dyn WorkspaceStore, log: dyn LogReader) and (
        /// The way in for the call itself, where it is asked for under a key.
        keyed: Option<Arc<dyn MailSender>> = None,
        /// The mode of its sessions; none as the workspace says.
        mode: Option<PlanMode> = None,
        /// Looks at what is asked for first.
        foresight: Option<ActionPrecheck> = None
    )
}

impl RunExternalCall {
    /// A person asks, not a model: what they do by hand needs no plan. It is asked for in other sessions than what a model of
    /// the same name asks for.
    #[must_use]
    pub fn for_person(self) -> Self {
        Self { mode: Some(PlanMode::Free), ..self }
    }

    /// An action on what is not there is refused before anybody is asked about it: with these rows and commands. What was
    /// asked for before is found as ever.
    #[must_use]
    pub fn with_precheck(
        self,
        rows: Arc<dyn ResourceReader>,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { foresight: Some(ActionPrecheck { rows, catalog, clock }), ..self }
    }

    /// Calls are asked for under a key, by a way in that remembers it: each is a new one, and none is found where the same
    /// was asked for under another key.
    #[must_use]
    pub fn with_idempotency_key(self, keyed: Arc<dyn MailSender>) -> Self {
        Self { keyed: Some(keyed), ..self }
    }

    /// Accepts a call, or finds it where it was accepted already. To be called for one call of a caller at a time; where several
    /// processes do so all the same, each call gets a session of its own.
    ///
    /// # Errors
    /// When too many calls are open, what it is about is not there, the session cannot be made, or the request does not get
    /// through.
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
                foresight.check(&*self.store, (who, &session), command).await?;
            }
            if !is_there {
                self.begin(who, &session).await?;
            }
            let after = self.store.workspace(&who.workspace).await?.map_or(0, |row| row.seq);
            let sender = self.keyed.as_ref().unwrap_or(&self.mail_sender);
            match ask(sender, who, &session, command, None).await {
                // Another process was first there; it is looked for another session.
                Err(UseCaseError::Conflict(_)) if tries < OPEN_CALLS_MAX => tries += 1,
                Err(error) => return Err(error),
                // Another one may have asked there since `after`, so what was asked counts from its own message.
                Ok(sent) if self.keyed.is_some() || sent.message.is_some() => {
                    return self.locate_accepted_call(who, &sent).await;
                }
                Ok(_) => return Ok(AcceptedExternalCall { session, after }),
            }
        }
    }

    /// Where a call may be asked for, or where it was.
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
        // An answer that was never fetched makes room when there is no other.
        let Some((session, is_there)) = free.or(idle) else {
            let full = saying!("outside-full", most = OPEN_CALLS_MAX);
            return Err(UseCaseError::Conflict(full.into()));
        };
        Ok(ExternalCallRoute::Lane { session, is_there })
    }

    /// The call that a message asked for.
    ///
    /// # Errors
    /// When the message is not there any more, or the database cannot be read.
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
        let mail = Mail {
            session: Some(session.clone()),
            request: MailRequest::StartSession(new),
            receipt: None,
            may_approve: true,
        };
        expect_accepted(self.mail_sender.post(&who.workspace, mail).await?)?;
        Ok(())
    }
}

/// Asks for a call in a session of whoever calls. Under the same key it is asked for once.
async fn ask(
    sender: &Arc<dyn MailSender>,
    who: &ExternalCaller,
    session: &SessionId,
    command: &Command,
    client_key: Option<String>,
) -> Result<AcceptedRequest, UseCaseError> {
    let request = MailRequest::AskForCall { author: who.name.clone(), command: command.clone(), client_key };
    let mail = Mail { session: Some(session.clone()), request, receipt: None, may_approve: true };
    expect_accepted(sender.post(&who.workspace, mail).await?)
}
