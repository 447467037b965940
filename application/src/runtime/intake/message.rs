//! User messages: is the key known, is it too long, what do its enrichments ask for.

use entracte_domain::id::{MessageId, SessionId};
use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::session::{Input, UserMessageSent};

use super::refused;
use crate::codec::MailAnswer;
use crate::runtime::draft::Draft;
use crate::runtime::workspace::{Fault, Workspace};

impl Workspace {
    pub(super) async fn message_input(
        &self,
        draft: &Draft,
        session: &SessionId,
        author: &str,
        message: &UserMessage,
        client_key: Option<&str>,
    ) -> Result<Result<Input, MailAnswer>, Fault> {
        if let Some(key) = client_key
            && let Some(message) = self.message_by_key(draft, session, key).await?
        {
            return Ok(Err(MailAnswer::Accepted { message: Some(message), session: session.clone() }));
        }
        if let Some(refusal) = self.message_fault(message) {
            return Ok(Err(refusal));
        }
        Ok(Ok(Input::UserMessageSent(UserMessageSent {
            author: author.to_owned(),
            message: message.clone(),
            client_key: client_key.map(str::to_owned),
            enrichments: Vec::new(),
        })))
    }

    /// The message that was sent with this key before.
    async fn message_by_key(
        &self,
        draft: &Draft,
        session: &SessionId,
        key: &str,
    ) -> Result<Option<MessageId>, Fault> {
        let drafted =
            draft.log.iter().find(|row| row.session == *session && row.client_key.as_deref() == Some(key));
        let sequence = match drafted {
            Some(row) => Some(row.sequence),
            None => self.house.log.entry_by_client_key(session, key).await?.map(|row| row.sequence),
        };
        Ok(sequence.map(|sequence| session.message(sequence, 0)))
    }

    fn message_fault(&self, message: &UserMessage) -> Option<MailAnswer> {
        let most = self.house.settings.message_max_chars;
        let length: usize = message
            .segments
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) => text.chars().count(),
                Segment::Enrichment(enrichment) => enrichment.summary.chars().count(),
            })
            .sum();
        if message.linear_text().trim().is_empty() {
            return Some(refused("invalid", "the message is empty; write something"));
        }
        (length > most).then(|| {
            let text = format!(
                "the message has {length} characters, at most {most} are taken (message.max_chars); \
                 shorten it or raise the setting"
            );
            refused("invalid", &text)
        })
    }
}
