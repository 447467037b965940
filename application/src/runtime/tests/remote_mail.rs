use std::sync::Arc;

use entracte_domain::time::Millis;
use mockall::Sequence;
use mockall::predicate::eq;

use crate::codec::{decode_mail, encode_mail_answer};
use crate::kit::{NOON, PausedClock, session, unavailable, workspace};
use crate::mail::{Mail, MailAnswer, MailRequest};
use crate::ports::{MailId, MailPostError, MailSender, MockMailStore};
use crate::runtime::RemoteMailSender;

const ID: MailId = MailId(7);

fn mail() -> Mail {
    Mail {
        session: Some(session()),
        request: MailRequest::Interrupt { author: "ann".into() },
        receipt: None,
        may_approve: true,
    }
}

fn accepted() -> MailAnswer {
    MailAnswer::accept_message(None, &session())
}

/// A mail store that takes the request in, and waits.
fn posted() -> MockMailStore {
    let mut mail_store = MockMailStore::new();
    mail_store
        .expect_post()
        .withf(|key, body, now| *key == workspace() && decode_mail(body).unwrap() == mail() && *now == NOON)
        .once()
        .returning(|_, _, _| Ok(ID));
    mail_store
}

/// Posts with a patience of one second: twenty looks. Gives what came of it, and after how long.
async fn post(mail_store: MockMailStore) -> (Result<MailAnswer, MailPostError>, u128) {
    let began = tokio::time::Instant::now();
    let mail_sender = RemoteMailSender::new(Arc::new(mail_store), Arc::new(PausedClock::default()))
        .with_timeout(Millis::seconds(1));
    (mail_sender.post(&workspace(), mail()).await, began.elapsed().as_millis())
}

/// Answers the looks from number `first` on.
fn answers_from(mail_store: &mut MockMailStore, first: usize) {
    let mut looks = 0;
    mail_store.expect_answer().with(eq(workspace()), eq(ID)).returning(move |_, _| {
        looks += 1;
        Ok((looks >= first).then(|| encode_mail_answer(&accepted()).unwrap()))
    });
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_given_as_soon_as_it_is_seen() {
    let mut mail_store = posted();
    answers_from(&mut mail_store, 3);
    let (answer, after) = post(mail_store).await;
    assert_eq!(answer.unwrap(), accepted());
    assert_eq!(after, 100, "two pauses of 50 ms");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_nobody_answers_is_taken_back() {
    let mut mail_store = posted();
    mail_store.expect_answer().returning(|_, _| Ok(None));
    mail_store.expect_withdraw().with(eq(workspace()), eq(ID)).once().returning(|_, _| Ok(()));
    let (answer, after) = post(mail_store).await;
    assert!(matches!(answer, Err(MailPostError::NotTaken { seconds: 1 })), "{answer:?}");
    assert_eq!(after, 1000);
}

#[tokio::test(start_paused = true)]
async fn a_request_is_taken_back_after_the_patience_of_who_posts_it() {
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
async fn an_answer_that_comes_while_the_request_is_taken_back_stands() {
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
async fn a_look_that_fails_is_no_answer_and_the_request_is_still_waited_for() {
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
async fn a_request_that_cannot_be_posted_is_an_error_at_once() {
    let mut mail_store = MockMailStore::new();
    mail_store.expect_post().returning(|_, _, _| Err(unavailable()));
    let (answer, after) = post(mail_store).await;
    assert!(matches!(answer, Err(MailPostError::Store(_))), "{answer:?}");
    assert_eq!(after, 0);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_taken_back_is_not_told_as_undone() {
    let mut mail_store = posted();
    mail_store.expect_answer().returning(|_, _| Ok(None));
    mail_store.expect_withdraw().returning(|_, _| Err(unavailable()));
    let (answer, _) = post(mail_store).await;
    assert!(matches!(answer, Err(MailPostError::Store(_))), "{answer:?}");
}
