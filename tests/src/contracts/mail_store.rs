//! The contract suite of [`MailStore`](entracte_application::ports::MailStore).

use entracte_application::ports::{MailId, MailRow};
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::rows::{HOME, first, key};
use super::store::{commit, conflict};

/// In posting order over all workspaces, including workspaces without a commit.
pub async fn mail_comes_in_the_order_it_was_posted(stores: StoreFixture) {
    assert_eq!(stores.mail.unanswered().await.unwrap(), vec![]);
    let one = post(&stores, "one", 20).await;
    let two = post(&stores, "two", 10).await;
    assert!(one < two);
    let expected = vec![mail(one, "one", 20), mail(two, "two", 10)];
    assert_eq!(stores.mail.unanswered().await.unwrap(), expected);
    // Nothing changed, so a second read returns the same.
    assert_eq!(stores.mail.unanswered().await.unwrap(), expected);
    assert_eq!(stores.mail.answer(&key(HOME), one).await.unwrap(), None);
}

/// The answer is part of the commit that takes in the mail.
pub async fn mail_answered_by_a_commit_is_unanswered_no_more(stores: StoreFixture) {
    let one = post(&stores, "one", 1).await;
    let two = post(&stores, "two", 2).await;
    assert_eq!(stores.mail.unanswered().await.unwrap().len(), 2);
    let mut takes_in = first(HOME);
    takes_in.answers = vec![(one, b"done".to_vec())];
    commit(&stores, takes_in).await;
    assert_eq!(stores.mail.answer(&key(HOME), one).await.unwrap(), Some(b"done".to_vec()));
    assert_eq!(stores.mail.answer(&key(HOME), two).await.unwrap(), None);
    assert_eq!(stores.mail.unanswered().await.unwrap(), vec![mail(two, "two", 2)]);
}

/// A commit that is not written answers nothing.
pub async fn mail_of_a_commit_that_conflicts_stays_unanswered(stores: StoreFixture) {
    let one = post(&stores, "one", 1).await;
    commit(&stores, first(HOME)).await;
    let mut late = first(HOME);
    late.answers = vec![(one, b"done".to_vec())];
    conflict(&stores, late).await;
    assert_eq!(stores.mail.answer(&key(HOME), one).await.unwrap(), None);
    assert_eq!(stores.mail.unanswered().await.unwrap(), vec![mail(one, "one", 1)]);
}

/// The answer is stored without a commit.
pub async fn refused_mail_has_its_answer(stores: StoreFixture) {
    let one = post(&stores, "one", 1).await;
    stores.mail.answer_refused(&key(HOME), one, b"no".to_vec()).await.unwrap();
    assert_eq!(stores.mail.answer(&key(HOME), one).await.unwrap(), Some(b"no".to_vec()));
    assert_eq!(stores.mail.unanswered().await.unwrap(), vec![]);
}

/// The poster may have read the first answer already, so it does not change.
pub async fn the_first_answer_stands(stores: StoreFixture) {
    let one = post(&stores, "one", 1).await;
    stores.mail.answer_refused(&key(HOME), one, b"first".to_vec()).await.unwrap();
    stores.mail.answer_refused(&key(HOME), one, b"second".to_vec()).await.unwrap();
    assert_eq!(stores.mail.answer(&key(HOME), one).await.unwrap(), Some(b"first".to_vec()));
}

/// Removes old answered mail; pending mail is kept however old it is.
pub async fn answered_mail_is_forgotten_when_it_is_old(stores: StoreFixture) {
    let old = post(&stores, "old", 1).await;
    let waits = post(&stores, "waits", 2).await;
    let new = post(&stores, "new", 10).await;
    stores.mail.answer_refused(&key(HOME), old, b"no".to_vec()).await.unwrap();
    stores.mail.answer_refused(&key(HOME), new, b"no".to_vec()).await.unwrap();
    stores.mail.delete_answered_before(Timestamp(10)).await.unwrap();
    assert_eq!(stores.mail.answer(&key(HOME), old).await.unwrap(), None);
    assert_eq!(stores.mail.answer(&key(HOME), new).await.unwrap(), Some(b"no".to_vec()));
    assert_eq!(stores.mail.unanswered().await.unwrap(), vec![mail(waits, "waits", 2)]);
}

/// Regardless of its age.
pub async fn mail_taken_back_is_gone(stores: StoreFixture) {
    let one = post(&stores, "one", 100).await;
    let two = post(&stores, "two", 100).await;
    assert_eq!(stores.mail.unanswered().await.unwrap().len(), 2);
    stores.mail.withdraw(&key(HOME), one).await.unwrap();
    assert_eq!(stores.mail.unanswered().await.unwrap(), vec![mail(two, "two", 100)]);
}

/// Its request was executed, and the poster must learn that.
pub async fn mail_answered_already_is_not_taken_back(stores: StoreFixture) {
    let one = post(&stores, "one", 100).await;
    let mut takes_in = first(HOME);
    takes_in.answers = vec![(one, b"done".to_vec())];
    commit(&stores, takes_in).await;
    stores.mail.withdraw(&key(HOME), one).await.unwrap();
    assert_eq!(stores.mail.answer(&key(HOME), one).await.unwrap(), Some(b"done".to_vec()));
}

/// The poster was informed that the request was not executed, so it must not be.
pub async fn a_commit_that_answers_mail_taken_back_is_a_conflict(stores: StoreFixture) {
    let one = post(&stores, "one", 1).await;
    stores.mail.withdraw(&key(HOME), one).await.unwrap();
    let mut takes_in = first(HOME);
    takes_in.answers = vec![(one, b"done".to_vec())];
    conflict(&stores, takes_in).await;
    assert_eq!(stores.store.workspace(&key(HOME)).await.unwrap(), None);
}

/// Mail is taken in once.
pub async fn a_commit_that_answers_answered_mail_is_a_conflict(stores: StoreFixture) {
    let one = post(&stores, "one", 1).await;
    stores.mail.answer_refused(&key(HOME), one, b"no".to_vec()).await.unwrap();
    let mut takes_in = first(HOME);
    takes_in.answers = vec![(one, b"done".to_vec())];
    conflict(&stores, takes_in).await;
    assert_eq!(stores.mail.answer(&key(HOME), one).await.unwrap(), Some(b"no".to_vec()));
}

/// Without an owner, no process is notified.
pub async fn refusing_mail_taken_back_is_no_failure(stores: StoreFixture) {
    let one = post(&stores, "one", 1).await;
    stores.mail.withdraw(&key(HOME), one).await.unwrap();
    stores.mail.answer_refused(&key(HOME), one, b"no".to_vec()).await.unwrap();
    assert_eq!(stores.mail.answer(&key(HOME), one).await.unwrap(), None);
}

/// A poster waits for the answer to its number, so the number is never reused.
pub async fn numbers_of_mail_are_never_given_twice(stores: StoreFixture) {
    let one = post(&stores, "one", 1).await;
    stores.mail.withdraw(&key(HOME), one).await.unwrap();
    let two = post(&stores, "two", 2).await;
    assert!(two > one);
}

async fn post(stores: &StoreFixture, text: &str, at: i64) -> MailId {
    stores.mail.post(&key(HOME), text.as_bytes().to_vec(), Timestamp(at)).await.expect("the mail is posted")
}

fn mail(id: MailId, text: &str, at: i64) -> MailRow {
    MailRow { id, workspace: key(HOME), body: text.as_bytes().to_vec(), posted_at: Timestamp(at) }
}
