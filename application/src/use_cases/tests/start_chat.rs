use std::sync::Arc;

use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, SessionKind};
use mockall::predicate::eq;

use crate::kit::{session, workspace};
use crate::mail::{Mail, MailAnswer, MailRequest, NewSessionRequest};
use crate::ports::{MailPostError, MailSender, MockIdGenerator, MockMailSender};
use crate::use_cases::*;

async fn start(mail_sender: MockMailSender) -> Result<AcceptedRequest, UseCaseError> {
    let mut ids = MockIdGenerator::new();
    ids.expect_session().once().return_const(session());
    let mail_sender: Arc<dyn MailSender> = Arc::new(mail_sender);
    let chat = NewChat {
        name: "weight".into(),
        provider: "claude".into(),
        model: "sonnet".into(),
        dialect: Dialect::Tools,
        require_validation: true,
        mode: None,
        restriction: Restriction::Open,
    };
    StartChat::new(mail_sender, Arc::new(ids)).run(&workspace(), chat).await
}

#[tokio::test]
async fn chat_is_posted_with_generated_id() {
    let new = NewSessionRequest {
        id: session(),
        kind: SessionKind::Chat,
        name: "weight".into(),
        provider: "claude".into(),
        model: "sonnet".into(),
        dialect: Dialect::Tools,
        require_validation: true,
        mode: None,
        restriction: Restriction::Open,
    };
    let mail = Mail::from_request(MailRequest::workspace(new));
    let mut mail_sender = MockMailSender::new();
    mail_sender
        .expect_post()
        .with(eq(workspace()), eq(mail))
        .once()
        .return_once(|_, _| Ok(MailAnswer::accept_message(None, &session())));
    assert_eq!(
        start(mail_sender).await.unwrap(),
        AcceptedRequest { session: session(), message: None, activation: None }
    );
}

#[tokio::test]
async fn failed_post_of_chat_is_error() {
    let mut mail_sender = MockMailSender::new();
    mail_sender.expect_post().return_once(|_, _| Err(MailPostError::Unavailable("the disk is full".into())));
    let error = start(mail_sender).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "it is not known whether the request was recorded: the disk is full; check before you try again"
    );
}
