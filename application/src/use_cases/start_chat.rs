use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::plan::Mode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, SessionKind};

use super::{Accepted, UseCaseError, accepted};
use crate::mail::{Mail, MailRequest, NewSession};
use crate::ports::{IdGenerator, MailSender};
use crate::protocol::relay;

/// What a new chat is made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewChat {
    /// Name for people.
    pub name: String,
    /// Name of the provider in the configuration.
    pub provider: String,
    /// The model's name at the provider.
    pub model: String,
    /// How commands are encoded for it.
    pub dialect: Dialect,
    /// Every action of this session needs approval.
    pub require_validation: bool,
    /// Whether a plan comes before its actions; none as the workspace says.
    pub mode: Option<Mode>,
    /// Which commands it may ask for.
    pub restriction: Restriction,
}

impl NewChat {
    /// A chat with this provider: its own model, the envelope, approval where the rules ask for it.
    pub fn new(name: &str, provider: &str) -> Self {
        Self {
            name: name.to_owned(),
            provider: provider.to_owned(),
            model: String::new(),
            dialect: Dialect::Envelope,
            require_validation: false,
            mode: None,
            restriction: Restriction::Open,
        }
    }
}

use_case! {
    /// Makes a chat.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(
    ///     |request| matches!(request, MailRequest::StartSession(new) if new.name == "Weights"),
    /// );
    /// let start = StartChat::new(Arc::new(mail_sender), Arc::new(RandomIds));
    /// let chat = start.run(&samples::workspace(), NewChat::new("Weights", "claude")).await?;
    /// assert!(chat.session.as_str().starts_with("ses_"));
    /// # Ok(()) });
    /// ```
    pub struct StartChat over (mail_sender: dyn MailSender, ids: dyn IdGenerator)
        again "[`run_as`](Self::run_as) again under the same id is the same chat; [`run`](Self::run) draws an id, "
        "and again it makes a second one."
}

impl StartChat {
    /// Makes the chat; it is committed when this returns.
    ///
    /// # Errors
    /// When no command matches one of the restriction's patterns, the provider is the one that only repeats calls, or the
    /// request does not get through.
    pub async fn run(&self, workspace: &WorkspaceKey, chat: NewChat) -> Result<Accepted, UseCaseError> {
        self.run_as(workspace, self.ids.session(), chat).await
    }

    /// The same under an id that whoever asks derives of a name of their own. One that is there already stays as it is.
    ///
    /// # Errors
    /// As [`StartChat::run`], and when a session of another workspace has the id.
    pub async fn run_as(
        &self,
        workspace: &WorkspaceKey,
        id: SessionId,
        chat: NewChat,
    ) -> Result<Accepted, UseCaseError> {
        if let Some(why) = relay::cannot_converse(&chat.provider) {
            return Err(UseCaseError::Invalid(why.into()));
        }
        let new = NewSession {
            id,
            kind: SessionKind::Chat,
            name: chat.name,
            provider: chat.provider,
            model: chat.model,
            dialect: chat.dialect,
            require_validation: chat.require_validation,
            mode: chat.mode,
            restriction: chat.restriction,
        };
        let mail =
            Mail { session: Some(new.id.clone()), request: MailRequest::StartSession(new), receipt: None };
        accepted(self.mail_sender.post(workspace, mail).await?)
    }
}
