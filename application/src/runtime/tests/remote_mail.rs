use std::sync::Arc;

use entracte_domain::time::Millis;
use mockall::Sequence;
use mockall::predicate::eq;

use crate::codec::{decode_mail, encode_mail_answer};
use crate::kit::{NOON, PausedClock, session, unavailable, workspace};
use crate::mail::{InterruptRoundRequest, Mail, MailAnswer, MailRequest};
use crate::ports::{MailId, MailPostError, MailSender, MockMailStore};
use crate::runtime::RemoteMailSender;

const ID: MailId = MailId(7);

fn mail() -> Mail {
    Mail::from_request(MailRequest::session(session(), InterruptRoundRequest { author: "ann".into() }))
}

fn accepted() -> MailAnswer {
    MailAnswer::accept_message(None, &session())
}

/// A mail store that accepts the request and has no answer.
fn posted() -> MockMailStore {
    let mut mail_store = MockMailStore::new();
    mail_store
        .expect_post()
        .withf(|key, body, now| *key == workspace() && decode_mail(body).unwrap() == mail() && *now == NOON)
        .once()
        .returning(|_, _, _| Ok(ID));
    mail_store
}

/// Posts with a timeout of one second: twenty polls. Returns the result and the elapsed milliseconds.
async fn post(mail_store: MockMailStore) -> (Result<MailAnswer, MailPostError>, u128) {
    let began = tokio::time::Instant::now();
    let mail_sender = RemoteMailSender::new(Arc::new(mail_store), Arc::new(PausedClock::default()))
        .with_timeout(Millis::seconds(1));
    (mail_sender.post(&workspace(), mail()).await, began.elapsed().as_millis())
}

/// Answers the polls from number `first` on.
fn answers_from(mail_store: &mut MockMailStore, first: usize) {
    let mut looks = 0;
    mail_store.expect_answer().with(eq(workspace()), eq(ID)).returning(move |_, _| {
        looks += 1;
        Ok((looks >= first).then(|| encode_mail_answer(&accepted()).unwrap()))
    });
}

#[tokio::test(start_paused = true)]
async fn remote_answer_is_returned_when_first_seen() {
    let mut mail_store = posted();
    answers_from(&mut mail_store, 3);
    let (answer, after) = post(mail_store).await;
    assert_eq!(answer.unwrap(), accepted());
    assert_eq!(after, 100, "two pauses of 50 ms");
}

#[tokio::test(start_paused = true)]
async fn unanswered_request_is_withdrawn() {
    let mut mail_store = posted();
    mail_store.expect_answer().returning(|_, _| Ok(None));
    mail_store.expect_withdraw().with(eq(workspace()), eq(ID)).once().returning(|_, _| Ok(()));
    let (answer, after) = post(mail_store).await;
    assert!(matches!(answer, Err(MailPostError::NotTaken { seconds: 1 })), "{answer:?}");
    assert_eq!(after, 1000);
}

#[tokio::test(start_paused = true)]
async fn request_is_withdrawn_after_callers_timeout() {
    let mut mail_store = posted();
    mail_store.expect_answer().returning(|_, _| Ok(None));
    mail_store.expect_withdraw().with(eq(workspace()), eq(ID)).once().returning(|_, _| Ok(()));
    let began = tokio::time::Instant::now();
    let mail_sender = RemoteMailSender::new(Arc::new(mail_store), Arc::new(PausedClock::default()));
    let answer = mail_sender.post_within(Millis(300), &workspace(), mail()).await;
    assert!(matches!(answer, Err(MailPostError::NotTaken { .. })), "{answer:?}");
    assert_eq!(began.elapsed().as_millis(), 300);
}

#[tokio::test(start_paused = true)]
async fn answer_during_withdrawal_is_returned() {
    let mut mail_store = posted();
    let mut order = Sequence::new();
    mail_store.expect_answer().times(20).in_sequence(&mut order).returning(|_, _| Ok(None));
    mail_store.expect_withdraw().once().in_sequence(&mut order).returning(|_, _| Ok(()));
    mail_store
        .expect_answer()
        .once()
        .in_sequence(&mut order)
        .returning(|_, _| Ok(Some(encode_mail_answer(&accepted()).unwrap())));
    let (answer, _) = post(mail_store).await;
    assert_eq!(answer.unwrap(), accepted());
}

#[tokio::test(start_paused = true)]
async fn failed_poll_keeps_waiting_for_answer() {
    let mut mail_store = posted();
    let mut order = Sequence::new();
    mail_store.expect_answer().once().in_sequence(&mut order).returning(|_, _| Err(unavailable()));
    mail_store
        .expect_answer()
        .once()
        .in_sequence(&mut order)
        .returning(|_, _| Ok(Some(encode_mail_answer(&accepted()).unwrap())));
    let (answer, after) = post(mail_store).await;
    assert_eq!(answer.unwrap(), accepted());
    assert_eq!(after, 50);
}

#[tokio::test(start_paused = true)]
async fn failed_post_is_an_immediate_error() {
    let mut mail_store = MockMailStore::new();
    mail_store.expect_post().returning(|_, _, _| Err(unavailable()));
    let (answer, after) = post(mail_store).await;
    assert!(matches!(answer, Err(MailPostError::Store(_))), "{answer:?}");
    assert_eq!(after, 0);
}

#[tokio::test(start_paused = true)]
async fn failed_withdrawal_is_not_reported_as_undone() {
    let mut mail_store = posted();
    mail_store.expect_answer().returning(|_, _| Ok(None));
    mail_store.expect_withdraw().returning(|_, _| Err(unavailable()));
    let (answer, _) = post(mail_store).await;
    assert!(matches!(answer, Err(MailPostError::Store(_))), "{answer:?}");
}
