//! Calls of an AI that is no model of ours: it asks for commands one by one, from outside.

mod answer;
mod lane;

use std::sync::Arc;

use entracte_domain::command::Command;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, SessionKind};

pub use answer::OutsideAnswer;
use lane::Lane;

use super::{SendMessage, UseCaseError, accepted};
use crate::mail::{Mail, MailRequest, NewSession};
use crate::ports::{LogReader, MailSender, Store};
use crate::protocol::relay;

/// How many calls of one caller may be open at the same time: wait for approval, or have an answer that was not
/// fetched.
pub const OPEN_CALLS_MAX: u32 = 32;

/// Who calls from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outsider {
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
pub struct TakenIn {
    /// The session that it runs in.
    pub session: SessionId,
    /// Number of the last entry of the workspace before it.
    pub after: u64,
}

/// Takes calls from outside in, and answers them.
///
/// Each caller has sessions of its own, and asks through them in turn. A call that is not answered yet, because it
/// waits for approval or nobody fetched its answer, keeps its session: the same call asked again is that call, and
/// runs once. A call that was answered is over; asked again it is a new one.
///
/// ```
/// # use std::sync::Arc;
/// # use entracte_application::samples;
/// # use entracte_application::use_cases::{CallFromOutside, Outsider, UseCaseError};
/// # use entracte_application::mail::{MailAnswer, MailRequest};
/// # use entracte_application::ports::{MockLogReader, MockMailSender, MockStore};
/// # use entracte_domain::{command::Command, restriction::Restriction, value::Value};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), UseCaseError> {
/// # let mut store = MockStore::new();
/// # store.expect_session().returning(|_, _| Ok(None));
/// # store.expect_workspace().returning(|_| Ok(None));
/// let mut mail_sender = MockMailSender::new();
/// mail_sender.expect_post().times(2).returning(|_, mail| {
///     assert!(matches!(mail.request, MailRequest::StartSession(_) | MailRequest::SendMessage { .. }));
///     Ok(MailAnswer::taken(None, &mail.session.unwrap()))
/// });
/// let calls = CallFromOutside::new(Arc::new(mail_sender), Arc::new(store), Arc::new(MockLogReader::new()));
/// let who = Outsider { workspace: samples::workspace(), name: "assistant".into(), seat: 1, restriction: Restriction::Open };
/// let command = Command { name: "zones.list".into(), arguments: Value::Object(vec![]) };
/// let taken = calls.take_in(&who, &command).await?;
/// assert!(taken.session.as_str().starts_with("ses_"));
/// // Once the session rests: calls.answer(&who, &taken, &turn)
/// # Ok(())
/// # }
/// ```
pub struct CallFromOutside {
    mail_sender: Arc<dyn MailSender>,
    store: Arc<dyn Store>,
    log: Arc<dyn LogReader>,
}

impl CallFromOutside {
    /// Over these ports.
    pub fn new(mail_sender: Arc<dyn MailSender>, store: Arc<dyn Store>, log: Arc<dyn LogReader>) -> Self {
        Self { mail_sender, store, log }
    }

    /// Accepts a call, or finds it where it was accepted already. To be called for one call of a caller at a time.
    ///
    /// # Errors
    /// When too many calls are open, the session cannot be made, or the request does not get through.
    pub async fn take_in(&self, who: &Outsider, command: &Command) -> Result<TakenIn, UseCaseError> {
        let wanted = relay::message(command);
        let (mut free, mut idle) = (None, None);
        for number in 1..=OPEN_CALLS_MAX {
            let id = lane::id(who, number);
            let Some(lane) = self.lane(who, &id).await? else {
                free.get_or_insert((id, false));
                break;
            };
            match lane {
                Lane::Ended => {}
                Lane::Free => {
                    free.get_or_insert((id, true));
                }
                Lane::Asked(asked) if asked.text == wanted => {
                    return Ok(TakenIn { session: id, after: asked.after });
                }
                Lane::Asked(asked) if asked.is_over => {
                    idle.get_or_insert((id, true));
                }
                Lane::Asked(_) => {}
            }
        }
        // An answer that was never fetched makes room when there is no other.
        let Some((session, is_there)) = free.or(idle) else {
            let text = format!(
                "{OPEN_CALLS_MAX} calls already wait for approval; decide some first: entracte inbox"
            );
            return Err(UseCaseError::Conflict(text));
        };
        if !is_there {
            self.begin(who, &session).await?;
        }
        let after = self.store.workspace(&who.workspace).await?.map_or(0, |row| row.seq);
        let send = SendMessage::new(self.mail_sender.clone());
        send.run(&who.workspace, &session, who.name.clone(), UserMessage::text(wanted), None).await?;
        Ok(TakenIn { session, after })
    }

    async fn begin(&self, who: &Outsider, session: &SessionId) -> Result<(), UseCaseError> {
        let new = NewSession {
            id: session.clone(),
            kind: SessionKind::Chat,
            name: format!("calls of {}", who.name),
            provider: relay::RELAY.to_owned(),
            model: "relay".to_owned(),
            dialect: Dialect::Tools,
            require_validation: false,
            restriction: who.restriction.clone(),
        };
        let mail =
            Mail { session: Some(session.clone()), request: MailRequest::StartSession(new), receipt: None };
        accepted(self.mail_sender.post(&who.workspace, mail).await?)?;
        Ok(())
    }
}
