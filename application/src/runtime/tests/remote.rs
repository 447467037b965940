use std::sync::Arc;

use entracte_domain::time::{Millis, Timestamp};
use mockall::Sequence;
use mockall::predicate::eq;

use crate::codec::{Mail, MailAnswer, MailRequest, decode_mail, encode_mail_answer};
use crate::kit::{NOON, PausedClock, session, unavailable, workspace};
use crate::ports::{MailId, MockMailbox, PostError, Postbox};
use crate::runtime::RemotePostbox;

const ID: MailId = MailId(7);

fn mail() -> Mail {
    Mail { session: Some(session()), request: MailRequest::Interrupt { author: "ann".into() } }
}

fn accepted() -> MailAnswer {
    MailAnswer::taken(None, &session())
}

/// A mailbox that takes the request in, and waits.
fn posted() -> MockMailbox {
    let mut mailbox = MockMailbox::new();
    mailbox
        .expect_post()
        .withf(|key, body, now| *key == workspace() && decode_mail(body).unwrap() == mail() && *now == NOON)
        .once()
        .returning(|_, _, _| Ok(ID));
    mailbox
}

/// Posts with a patience of one second: twenty looks. Gives what came of it, and after how long.
async fn post(mailbox: MockMailbox) -> (Result<MailAnswer, PostError>, u128) {
    let began = tokio::time::Instant::now();
    let postbox = RemotePostbox::new(Arc::new(mailbox), Arc::new(PausedClock::default()))
        .with_patience(Millis::seconds(1));
    (postbox.post(&workspace(), mail()).await, began.elapsed().as_millis())
}

/// Answers the looks from number `first` on.
fn answers_from(mailbox: &mut MockMailbox, first: usize) {
    let mut looks = 0;
    mailbox.expect_answer().with(eq(ID)).returning(move |_| {
        looks += 1;
        Ok((looks >= first).then(|| encode_mail_answer(&accepted()).unwrap()))
    });
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_given_as_soon_as_it_is_seen() {
    let mut mailbox = posted();
    answers_from(&mut mailbox, 3);
    let (answer, after) = post(mailbox).await;
    assert_eq!(answer.unwrap(), accepted());
    assert_eq!(after, 100, "two pauses of 50 ms");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_nobody_answers_is_taken_back() {
    let mut mailbox = posted();
    mailbox.expect_answer().returning(|_| Ok(None));
    mailbox.expect_forget().with(eq(Timestamp(0)), eq(Some(ID))).once().returning(|_, _| Ok(()));
    let (answer, after) = post(mailbox).await;
    assert!(matches!(answer, Err(PostError::NotTaken { seconds: 1 })), "{answer:?}");
    assert_eq!(after, 1000);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_while_the_request_is_taken_back_stands() {
    let mut mailbox = posted();
    let mut order = Sequence::new();
    mailbox.expect_answer().times(20).in_sequence(&mut order).returning(|_| Ok(None));
    mailbox.expect_forget().once().in_sequence(&mut order).returning(|_, _| Ok(()));
    mailbox
        .expect_answer()
        .once()
        .in_sequence(&mut order)
        .returning(|_| Ok(Some(encode_mail_answer(&accepted()).unwrap())));
    let (answer, _) = post(mailbox).await;
    assert_eq!(answer.unwrap(), accepted());
}

#[tokio::test(start_paused = true)]
async fn a_look_that_fails_is_no_answer_and_the_request_is_still_waited_for() {
    let mut mailbox = posted();
    let mut order = Sequence::new();
    mailbox.expect_answer().once().in_sequence(&mut order).returning(|_| Err(unavailable()));
    mailbox
        .expect_answer()
        .once()
        .in_sequence(&mut order)
        .returning(|_| Ok(Some(encode_mail_answer(&accepted()).unwrap())));
    let (answer, after) = post(mailbox).await;
    assert_eq!(answer.unwrap(), accepted());
    assert_eq!(after, 50);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_posted_is_an_error_at_once() {
    let mut mailbox = MockMailbox::new();
    mailbox.expect_post().returning(|_, _, _| Err(unavailable()));
    let (answer, after) = post(mailbox).await;
    assert!(matches!(answer, Err(PostError::Store(_))), "{answer:?}");
    assert_eq!(after, 0);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_taken_back_is_not_told_as_undone() {
    let mut mailbox = posted();
    mailbox.expect_answer().returning(|_| Ok(None));
    mailbox.expect_forget().returning(|_, _| Err(unavailable()));
    let (answer, _) = post(mailbox).await;
    assert!(matches!(answer, Err(PostError::Store(_))), "{answer:?}");
}
