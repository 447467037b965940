use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use crate::codec::{decode_mail_answer, encode_mail};
use crate::mail::{Mail, MailAnswer};
use crate::ports::{Clock, MailId, MailPostError, MailSender, MailStore};

/// The way in for a process that does not own the database: a row in the mail store, which the owner answers.
pub struct RemoteMailSender {
    mail_store: Arc<dyn MailStore>,
    clock: Arc<dyn Clock>,
    /// How long the owner may take.
    patience: Millis,
    /// How often the answer is looked for.
    poll: Millis,
}

impl RemoteMailSender {
    /// Waits 10 s for the owner's answer, looking every 50 ms.
    pub fn new(mail_store: Arc<dyn MailStore>, clock: Arc<dyn Clock>) -> Self {
        Self { mail_store, clock, patience: Millis::seconds(10), poll: Millis(50) }
    }

    /// Another patience.
    pub fn with_timeout(mut self, patience: Millis) -> Self {
        self.patience = patience;
        self
    }

    /// The answer, when it has come.
    async fn answer(
        &self,
        workspace: &WorkspaceKey,
        id: MailId,
    ) -> Result<Option<MailAnswer>, MailPostError> {
        let Some(bytes) = self.mail_store.answer(workspace, id).await? else { return Ok(None) };
        decode_mail_answer(&bytes).map(Some).map_err(|fault| MailPostError::Unavailable(fault.to_string()))
    }
}

#[async_trait]
impl MailSender for RemoteMailSender {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        self.post_within(self.patience, workspace, mail).await
    }
}

impl RemoteMailSender {
    /// Posts a request whose answer is waited for so long, once.
    ///
    /// # Errors
    /// [`MailPostError::NotTaken`] when the owner does not answer in that time; then nothing was done. Others when the store cannot
    /// be reached.
    pub async fn post_within(
        &self,
        patience: Millis,
        workspace: &WorkspaceKey,
        mail: Mail,
    ) -> Result<MailAnswer, MailPostError> {
        let body = encode_mail(&mail).map_err(|fault| MailPostError::Unavailable(fault.to_string()))?;
        let id = self.mail_store.post(workspace, body, self.clock.now()).await?;
        let looks = patience.0 / self.poll.0.max(1);
        for _ in 0..looks {
            // A look that fails is no answer: the request is still there, and is awaited or withdrawn.
            match self.answer(workspace, id).await {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "the answer could not be read"),
            }
            self.clock.sleep(self.poll).await;
        }
        // Take it back; if the owner was faster, its answer stands.
        self.mail_store.withdraw(workspace, id).await?;
        match self.answer(workspace, id).await? {
            Some(answer) => Ok(answer),
            None => Err(MailPostError::NotTaken { seconds: patience.0 / 1000 }),
        }
    }
}
