use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::session::{Dialect, SessionKind};

use super::{Accepted, UseCaseError, accepted};
use crate::codec::{Mail, MailRequest, NewSession};
use crate::ports::{IdGenerator, Postbox};

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
    /// Every action of this session needs leave.
    pub require_validation: bool,
}

/// Makes a chat.
pub struct StartChat {
    postbox: Arc<dyn Postbox>,
    ids: Arc<dyn IdGenerator>,
}

impl StartChat {
    /// Over these ports.
    pub fn new(postbox: Arc<dyn Postbox>, ids: Arc<dyn IdGenerator>) -> Self {
        Self { postbox, ids }
    }

    /// Makes the chat; it is committed when this returns.
    ///
    /// # Errors
    /// When the request does not get through.
    pub async fn run(&self, workspace: &WorkspaceKey, chat: NewChat) -> Result<Accepted, UseCaseError> {
        let new = NewSession {
            id: self.ids.session(),
            kind: SessionKind::Chat,
            name: chat.name,
            provider: chat.provider,
            model: chat.model,
            dialect: chat.dialect,
            require_validation: chat.require_validation,
        };
        let mail = Mail { session: Some(new.id.clone()), request: MailRequest::StartSession(new) };
        accepted(self.postbox.post(workspace, mail).await?)
    }
}
