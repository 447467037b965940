use std::sync::Arc;

use entracte_domain::gate::Gate;
use entracte_domain::session::{Dialect, SessionKind};
use mockall::predicate::eq;

use crate::codec::{Mail, MailAnswer, MailRequest, NewSession};
use crate::kit::{session, workspace};
use crate::ports::{MockIdGenerator, MockPostbox, PostError, Postbox};
use crate::use_cases::*;

async fn start(postbox: MockPostbox) -> Result<Accepted, UseCaseError> {
    let mut ids = MockIdGenerator::new();
    ids.expect_session().once().return_const(session());
    let postbox: Arc<dyn Postbox> = Arc::new(postbox);
    let chat = NewChat {
        name: "weight".into(),
        provider: "claude".into(),
        model: "sonnet".into(),
        dialect: Dialect::Tools,
        require_validation: true,
        gate: Gate::Open,
    };
    StartChat::new(postbox, Arc::new(ids)).run(&workspace(), chat).await
}

#[tokio::test]
async fn a_chat_is_posted_under_an_id_that_was_drawn_before() {
    let new = NewSession {
        id: session(),
        kind: SessionKind::Chat,
        name: "weight".into(),
        provider: "claude".into(),
        model: "sonnet".into(),
        dialect: Dialect::Tools,
        require_validation: true,
        gate: Gate::Open,
    };
    let mail = Mail { session: Some(session()), request: MailRequest::StartSession(new) };
    let mut postbox = MockPostbox::new();
    postbox
        .expect_post()
        .with(eq(workspace()), eq(mail))
        .once()
        .return_once(|_, _| Ok(MailAnswer::taken(None, &session())));
    assert_eq!(
        start(postbox).await.unwrap(),
        Accepted { session: session(), message: None, activation: None }
    );
}

#[tokio::test]
async fn a_chat_that_cannot_be_posted_is_an_error() {
    let mut postbox = MockPostbox::new();
    postbox.expect_post().return_once(|_, _| Err(PostError::Unavailable("the disk is full".into())));
    let error = start(postbox).await.unwrap_err();
    assert_eq!(error.to_string(), "the request could not be taken in: the disk is full");
}
