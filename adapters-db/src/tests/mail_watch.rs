//! Mail from another process, as the receiving process sees it.

use entracte_application::ports::MailStore;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::{begun, open, place};

async fn count(mail_store: &dyn MailStore) -> usize {
    mail_store.unanswered().await.expect("it is read").len()
}

#[tokio::test]
async fn next_poll_returns_mail_of_another_process() {
    let (_directory, path) = place();
    let (owner, other) = (open(&path).mail_store(), open(&path).mail_store());
    assert_eq!(count(owner.as_ref()).await, 0);
    let key = WorkspaceKey::new("ann:home");
    let id = other.post(&key, vec![1], Timestamp(1)).await.expect("it is posted");
    assert_eq!(count(owner.as_ref()).await, 1);
    assert_eq!(count(owner.as_ref()).await, 1);
    owner.answer_refused(&key, id, vec![2]).await.expect("it is answered");
    assert_eq!(count(owner.as_ref()).await, 0);
    assert_eq!(other.answer(&key, id).await.expect("it is read"), Some(vec![2]));
}

#[tokio::test]
async fn mail_answered_by_a_commit_is_not_remembered() {
    let (_directory, path) = place();
    let database = open(&path);
    let mail_store = database.mail_store();
    let key = WorkspaceKey::new("ann:a");
    let id = mail_store.post(&key, vec![1], Timestamp(1)).await.expect("it is posted");
    assert_eq!(count(mail_store.as_ref()).await, 1);
    let mut commit = begun("a");
    commit.answers = vec![(id, vec![2])];
    database.store().commit(commit).await.expect("it is written");
    assert_eq!(count(mail_store.as_ref()).await, 0);
}
