use std::sync::Arc;

use entracte_domain::id::CallId;
use entracte_domain::message::UserMessage;
use mockall::predicate::eq;

use crate::codec::decode_mail_answer;
use crate::kit::{session, workspace};
use crate::mail::{
    AnswerQuestionRequest, CancelQuestionRequest, ConfirmCompletionRequest, InterruptRoundRequest, Mail,
    MailAnswer, MailRequest, RejectCompletionRequest, ResumeSessionRequest, SendMessageRequest,
    SessionRequest, SettleCallRequest, StopSessionRequest,
};
use crate::ports::{MailPostError, MailSender, MockMailSender};
use crate::use_cases::*;

/// A mail sender that accepts exactly this request, once.
fn takes(request: impl Into<SessionRequest>) -> Arc<dyn MailSender> {
    let mail = Mail::from_request(MailRequest::session(session(), request));
    let mut mail_sender = MockMailSender::new();
    let message = session().message_id(4, 0);
    let answer = MailAnswer::accept_message(Some(message), &session());
    mail_sender.expect_post().with(eq(workspace()), eq(mail)).once().return_once(|_, _| Ok(answer));
    Arc::new(mail_sender)
}

fn taken() -> AcceptedRequest {
    AcceptedRequest { session: session(), message: Some(session().message_id(4, 0)), activation: None }
}

fn ann() -> String {
    "ann".into()
}

#[tokio::test]
async fn message_is_posted_with_author_and_key() {
    let message = UserMessage::text("I weigh 72.5 kg.");
    let request =
        SendMessageRequest { author: ann(), message: message.clone(), client_key: Some("k-1".into()) };
    let send = SendMessage::new(takes(request));
    let sent = send.run(&workspace(), &session(), ann(), message, Some("k-1".into())).await;
    assert_eq!(sent.unwrap(), taken());
}

#[tokio::test]
async fn an_answer_is_posted_as_it_was_given() {
    let question = Some(session().message_id(2, 0));
    let request = AnswerQuestionRequest { author: ann(), text: " 2".into(), question: question.clone() };
    let answer = AnswerQuestion::new(takes(request));
    assert_eq!(answer.run(&workspace(), &session(), ann(), " 2".into(), question).await.unwrap(), taken());
}

#[tokio::test]
async fn given_up_question_is_posted() {
    let question = session().message_id(2, 0);
    let request = CancelQuestionRequest { author: ann(), question: question.clone() };
    let cancel = CancelQuestion::new(takes(request));
    assert_eq!(cancel.run(&workspace(), &session(), ann(), question).await.unwrap(), taken());
}

#[tokio::test]
async fn an_interruption_is_posted() {
    let interrupt = InterruptRound::new(takes(InterruptRoundRequest { author: ann() }));
    assert_eq!(interrupt.run(&workspace(), &session(), ann()).await.unwrap(), taken());
}

#[tokio::test]
async fn stop_does_not_end_session() {
    let stop = StopSession::new(takes(StopSessionRequest { author: ann(), end: false }));
    assert_eq!(stop.run(&workspace(), &session(), ann()).await.unwrap(), taken());
    let end = EndSession::new(takes(StopSessionRequest { author: ann(), end: true }));
    assert_eq!(end.run(&workspace(), &session(), ann()).await.unwrap(), taken());
}

#[tokio::test]
async fn a_resumption_is_posted() {
    let resume = ResumeSession::new(takes(ResumeSessionRequest { author: ann() }));
    assert_eq!(resume.run(&workspace(), &session(), ann()).await.unwrap(), taken());
}

#[tokio::test]
async fn settlement_of_call_is_posted() {
    let call = CallId::new("cal_k1_4_0");
    let note = Some("seen in the outbox".to_owned());
    let request = SettleCallRequest { author: ann(), call: call.clone(), happened: true, note: note.clone() };
    let settle = SettleCall::new(takes(request));
    assert_eq!(settle.run(&workspace(), &session(), ann(), call, true, note).await.unwrap(), taken());
}

#[tokio::test]
async fn completion_is_confirmed_or_rejected_with_reason() {
    let confirm = ConfirmCompletion::new(takes(ConfirmCompletionRequest { author: ann() }));
    assert_eq!(confirm.run(&workspace(), &session(), ann()).await.unwrap(), taken());
    let reason = Some("March is missing".to_owned());
    let request = RejectCompletionRequest { author: ann(), reason: reason.clone() };
    let reject = RejectCompletion::new(takes(request));
    assert_eq!(reject.run(&workspace(), &session(), ann(), reason).await.unwrap(), taken());
}

#[tokio::test]
async fn refusal_becomes_error_with_owners_text() {
    type Is = fn(&UseCaseError) -> bool;
    let cases: [(&str, Is); 9] = [
        ("not_found", |error| matches!(error, UseCaseError::NotFound(_))),
        ("conflict", |error| matches!(error, UseCaseError::Conflict(_))),
        ("ended", |error| matches!(error, UseCaseError::Conflict(_))),
        ("queue_full", |error| matches!(error, UseCaseError::Conflict(_))),
        ("four_eyes", |error| matches!(error, UseCaseError::FourEyes(_))),
        ("needs_approve", |error| matches!(error, UseCaseError::NeedsApprove(_))),
        ("not_applicable", |error| matches!(error, UseCaseError::NotApplicable(_))),
        ("invalid", |error| matches!(error, UseCaseError::Invalid(_))),
        ("a code of a later version", |error| matches!(error, UseCaseError::Invalid(_))),
    ];
    for (code, is_expected) in cases {
        let mut mail_sender = MockMailSender::new();
        let text = "not now; try later";
        let stored = serde_json::json!({"v": 1, "answer": {"refused": {"code": code, "text": text}}});
        let answer = decode_mail_answer(stored.to_string().as_bytes()).unwrap();
        mail_sender.expect_post().return_once(|_, _| Ok(answer));
        let resume = ResumeSession::new(Arc::new(mail_sender));
        let error = resume.run(&workspace(), &session(), ann()).await.unwrap_err();
        assert!(is_expected(&error), "{code}: {error:?}");
        assert_eq!(error.to_string(), "not now; try later", "{code}");
    }
}

#[tokio::test]
async fn post_failure_keeps_its_own_error() {
    let mut mail_sender = MockMailSender::new();
    mail_sender.expect_post().return_once(|_, _| Err(MailPostError::NotTaken { seconds: 10 }));
    let resume = ResumeSession::new(Arc::new(mail_sender));
    let error = resume.run(&workspace(), &session(), ann()).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Post(MailPostError::NotTaken { seconds: 10 })), "{error:?}");
}
