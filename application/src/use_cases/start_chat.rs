use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, SessionKind};
use entracte_domain::value::JsonValue;

use super::{AcceptedRequest, UseCaseError, expect_accepted};
use crate::mail::{Mail, MailRequest, NewSessionRequest, Receipt, StartWithMessageRequest};
use crate::ports::{IdGenerator, MailSender};
use crate::protocol::relay;
use crate::system::sha256;

/// The parameters of a new chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewChat {
    /// Display name.
    pub name: String,
    /// The name of the provider in the configuration.
    pub provider: String,
    /// The model's name at the provider.
    pub model: String,
    /// How commands are encoded for the model.
    pub dialect: Dialect,
    /// Whether every action of this session needs approval.
    pub require_validation: bool,
    /// Whether a plan must precede its actions; `None` uses the workspace's policy.
    pub mode: Option<PlanMode>,
    /// The commands it may request.
    pub restriction: Restriction,
}

impl NewChat {
    /// A chat with this provider: its default model, the envelope dialect, approval if the rules require it.
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
    /// Creates a chat.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| match request {
    ///     MailRequest::Workspace(WorkspaceRequest::StartSession(new)) => new.name == "Weights",
    ///     _ => false,
    /// });
    /// let start = StartChat::new(Arc::new(mail_sender), Arc::new(RandomIdGenerator));
    /// let chat = start.run(&samples::workspace(), NewChat::new("Weights", "claude")).await?;
    /// assert!(chat.session.as_str().starts_with("ses_"));
    /// # Ok(()) });
    /// ```
    pub struct StartChat over (mail_sender: dyn MailSender, ids: dyn IdGenerator)
        again "[`run_as`](Self::run_as) again under the same id is the same chat; [`run`](Self::run) draws an id, "
        "and again it makes a second one."
}

impl StartChat {
    /// Creates the chat; it is committed when this returns.
    ///
    /// # Errors
    /// When no command matches one of the restriction's patterns, the provider is the one that only repeats calls, or
    /// the request is not accepted.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        chat: NewChat,
    ) -> Result<AcceptedRequest, UseCaseError> {
        self.run_as(workspace, self.ids.session(), chat).await
    }

    /// Creates the chat under an id that the caller derives from a name of its own. An existing chat stays unchanged.
    ///
    /// # Errors
    /// Same as [`StartChat::run`], and when a session of another workspace has the id.
    pub async fn run_as(
        &self,
        workspace: &WorkspaceKey,
        id: SessionId,
        chat: NewChat,
    ) -> Result<AcceptedRequest, UseCaseError> {
        let new = chat.into_session_request(id)?;
        let mail = Mail::from_request(MailRequest::workspace(new));
        expect_accepted(self.mail_sender.post(workspace, mail).await?)
    }
}

use_case! {
    /// Creates a chat with its first message, in one commit: the chat never exists without the message.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| match request {
    ///     MailRequest::Workspace(WorkspaceRequest::StartWithMessage(start)) => start.new.name == "Weights",
    ///     _ => false,
    /// });
    /// let start = StartChatWithMessage::new(Arc::new(mail_sender), Arc::new(RandomIdGenerator));
    /// let (chat, message) = (NewChat::new("Weights", "claude"), UserMessage::text("Hello."));
    /// let begun = start.run(&samples::workspace(), "ann".into(), chat, message, None).await?;
    /// assert_eq!(begun.session, samples::session());
    /// # Ok(()) });
    /// ```
    pub struct StartChatWithMessage over (mail_sender: dyn MailSender, ids: dyn IdGenerator)
        again "Asked again with the same `client_key` it is the same chat and the same message, for as long as "
        "`retention.receipts`; without a key it makes a second chat."
}

impl StartChatWithMessage {
    /// Creates the chat and sends the message; both are committed when this returns.
    ///
    /// # Errors
    /// When chat or message is refused, the key was used for another request, or the request is not accepted. Nothing
    /// was created then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        chat: NewChat,
        message: UserMessage,
        client_key: Option<String>,
    ) -> Result<AcceptedRequest, UseCaseError> {
        let new = chat.into_session_request(self.ids.session())?;
        let receipt = client_key.as_ref().map(|key| receipt(&author, key, &new, &message));
        let request = MailRequest::workspace(StartWithMessageRequest { new, author, message, client_key });
        let mail = Mail { receipt, ..Mail::from_request(request) };
        expect_accepted(self.mail_sender.post(workspace, mail).await?)
    }
}

impl NewChat {
    /// The request for a session with this id.
    fn into_session_request(self, id: SessionId) -> Result<NewSessionRequest, UseCaseError> {
        if let Some(why) = relay::cannot_converse(&self.provider) {
            return Err(UseCaseError::Invalid(why.into()));
        }
        Ok(NewSessionRequest {
            id,
            kind: SessionKind::Chat,
            name: self.name,
            provider: self.provider,
            model: self.model,
            dialect: self.dialect,
            require_validation: self.require_validation,
            mode: self.mode,
            restriction: self.restriction,
        })
    }
}

/// The receipt of a first message. The generated session id differs in each request, so it is not part of it.
fn receipt(author: &str, key: &str, new: &NewSessionRequest, message: &UserMessage) -> Receipt {
    let segments = message.segments.iter().map(|segment| match segment {
        Segment::Text(text) => JsonValue::Text(text.clone()),
        Segment::Enrichment(enrichment) => JsonValue::List(vec![
            JsonValue::Text(enrichment.kind.word().to_owned()),
            enrichment.config.clone(),
        ]),
        Segment::File(file) => JsonValue::from([("file", JsonValue::from(file.digest.as_str()))]),
    });
    let said = JsonValue::List(segments.collect()).canonical();
    let fingerprint = sha256(format!("chat\n{}\n{said}", new.name).as_bytes());
    Receipt { person: format!("author:{author}"), key: key.to_owned(), fingerprint }
}
