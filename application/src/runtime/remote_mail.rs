use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use crate::codec::{decode_mail_answer, encode_mail};
use crate::mail::{Mail, MailAnswer};
use crate::ports::{Clock, MailId, MailPostError, MailSender, MailStore};

/// Request entry point of a process that does not own the database: posts a row to the mail store, which the
/// owner answers.
pub struct RemoteMailSender {
    mail_store: Arc<dyn MailStore>,
    clock: Arc<dyn Clock>,
    /// How long the owner may take.
    patience: Millis,
    /// Interval at which the answer is polled.
    poll: Millis,
}

impl RemoteMailSender {
    /// Waits 10 s for the owner's answer, polling every 50 ms.
    pub fn new(mail_store: Arc<dyn MailStore>, clock: Arc<dyn Clock>) -> Self {
        Self { mail_store, clock, patience: Millis::seconds(10), poll: Millis(50) }
    }

    /// Sets how long the owner may take.
    pub fn with_timeout(mut self, patience: Millis) -> Self {
        self.patience = patience;
        self
    }

    /// The answer, if it has arrived.
    async fn answer(
        &self,
        workspace: &WorkspaceKey,
        id: MailId,
    ) -> Result<Option<MailAnswer>, MailPostError> {
        let Some(bytes) = self.mail_store.answer(workspace, id).await? else { return Ok(None) };
        decode_mail_answer(&bytes)
            .map(Some)
            .map_err(|fault| MailPostError::Unavailable(fault.to_string().into()))
    }
}

#[async_trait]
impl MailSender for RemoteMailSender {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        self.post_within(self.patience, workspace, mail).await
    }
}

impl RemoteMailSender {
    /// Posts a request and waits for its answer for `patience`.
    ///
    /// # Errors
    /// [`MailPostError::NotTaken`] when the owner does not answer in time; then nothing was done. Others when the
    /// store is unreachable.
    pub async fn post_within(
        &self,
        patience: Millis,
        workspace: &WorkspaceKey,
        mail: Mail,
    ) -> Result<MailAnswer, MailPostError> {
        let body =
            encode_mail(&mail).map_err(|fault| MailPostError::Unavailable(fault.to_string().into()))?;
        let id = self.mail_store.post(workspace, body, self.clock.now()).await?;
        let looks = patience.0 / self.poll.0.max(1);
        for _ in 0..looks {
            // A failed poll is no answer: the request is still there, and is awaited or withdrawn.
            match self.answer(workspace, id).await {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "the answer could not be read"),
            }
            self.clock.sleep(self.poll).await;
        }
        // Withdraw it; if the owner was faster, its answer stands.
        self.mail_store.withdraw(workspace, id).await?;
        match self.answer(workspace, id).await? {
            Some(answer) => Ok(answer),
            None => Err(MailPostError::NotTaken { seconds: patience.0 / 1000 }),
        }
    }
}
