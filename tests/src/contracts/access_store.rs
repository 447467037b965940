//! The contract suite of [`AccessStore`].

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use entracte_application::ports::{
    AccessReach, AccessStore, EmbedRestriction, Person, STREAM_TICKETS_MAX, StreamTicketRow, TokenKind,
    TokenRow, TokenScope, TokenScopes,
};
use entracte_domain::id::Digest;
use entracte_domain::time::Timestamp;

use super::rows::{HOME, key};
use super::store::receipt;

/// The store under test, and the resources it needs.
pub struct AccessStoreFixture {
    /// The store.
    pub store: Arc<dyn AccessStore>,
    /// A temporary directory or a server that must outlive the store.
    pub keep: Box<dyn Any + Send + Sync>,
}

fn home() -> AccessReach {
    AccessReach::Workspace(key(HOME))
}

/// A person of this reach.
pub fn person(reach: AccessReach, name: &str) -> Person {
    let id = format!("per_{name}_{}", reach.word().replace(|c: char| !c.is_alphanumeric(), ""));
    Person { id, reach, name: name.to_owned(), created_at: Timestamp(1), removed_at: None }
}

/// A token of a person.
pub fn token(id: &str, person: &Person, at: i64) -> TokenRow {
    TokenRow {
        id: id.to_owned(),
        person: person.id.clone(),
        reach: person.reach.clone(),
        kind: TokenKind::Program,
        name: "laptop".to_owned(),
        hash: Digest::new(format!("hash of {id}")),
        proof: None,
        scopes: TokenScopes::new([TokenScope::Read, TokenScope::Approve]),
        embedded: None,
        created_at: Timestamp(at),
        expires_at: None,
        revoked_at: None,
        last_used: None,
        made_by: None,
        login_until: None,
    }
}

async fn ids(access: &AccessStoreFixture, reach: &AccessReach) -> Vec<String> {
    let tokens = access.store.tokens(reach).await.unwrap();
    tokens.into_iter().map(|(token, _)| token.id).collect()
}

/// Every column is read back, filled and empty.
pub async fn a_token_is_read_back_as_it_was_written(access: AccessStoreFixture) {
    let ann = access.store.add_person(person(home(), "ann")).await.unwrap();
    let plain = token("t1", &ann, 1);
    let full = TokenRow {
        kind: TokenKind::Browser,
        proof: Some(Digest::new("proof")),
        scopes: TokenScopes::new([TokenScope::Admin]),
        embedded: Some(EmbedRestriction::from_words(
            "ses_1".to_owned(),
            "https://shop.example http://localhost:4000",
        )),
        expires_at: Some(Timestamp(9)),
        revoked_at: Some(Timestamp(8)),
        last_used: Some(Timestamp(7)),
        made_by: Some("root".to_owned()),
        login_until: Some(Timestamp(10)),
        ..token("t2", &ann, 2)
    };
    for row in [&plain, &full] {
        access.store.add_token(row.clone()).await.unwrap();
        assert_eq!(access.store.token(&row.id).await.unwrap(), Some((row.clone(), ann.clone())));
    }
    assert_eq!(access.store.token("t3").await.unwrap(), None);
}

/// Two people of one name in one workspace would be one author.
pub async fn a_name_is_one_persons_in_its_reach(access: AccessStoreFixture) {
    let ann = access.store.add_person(person(home(), "ann")).await.unwrap();
    let again = Person { id: "per_2".to_owned(), ..person(home(), "ann") };
    assert_eq!(access.store.add_person(again).await.unwrap(), ann);
    let elsewhere = access.store.add_person(person(AccessReach::Everywhere, "ann")).await.unwrap();
    assert_ne!(elsewhere.id, ann.id);
    let bea = access.store.add_person(person(home(), "Bea")).await.unwrap();
    assert_eq!(access.store.people(&home()).await.unwrap(), vec![bea, ann]);
    assert_eq!(access.store.people(&AccessReach::Everywhere).await.unwrap(), vec![elsewhere]);
}

/// A new person under the name of a removed one is another person: the recorded author of earlier actions stays
/// unchanged.
pub async fn name_of_removed_person_is_given_to_nobody(access: AccessStoreFixture) {
    let eve = access.store.add_person(person(home(), "eve")).await.unwrap();
    access.store.remove_person(&eve.id, Timestamp(4)).await.unwrap();
    access.store.remove_person(&eve.id, Timestamp(5)).await.unwrap();
    let named = |id: &str| Person { id: id.to_owned(), ..person(home(), "eve") };
    let second = access.store.add_person(named("per_2")).await.unwrap();
    assert_eq!((second.id.as_str(), second.name.as_str()), ("per_2", "eve (2)"));
    assert_eq!(access.store.add_person(named("per_3")).await.unwrap(), second, "the one who is there now");
    let by_number = Person { name: "eve (2)".to_owned(), ..named("per_4") };
    assert_eq!(access.store.add_person(by_number).await.unwrap(), second);
    access.store.remove_person("per_2", Timestamp(6)).await.unwrap();
    assert_eq!(access.store.add_person(named("per_5")).await.unwrap().name, "eve (3)");
    let removed: Vec<Option<Timestamp>> =
        access.store.people(&home()).await.unwrap().into_iter().map(|person| person.removed_at).collect();
    assert_eq!(removed, [Some(Timestamp(4)), Some(Timestamp(6)), None], "the first time stands");
}

/// A valid secret is never replaced under its id.
pub async fn a_token_that_is_there_stays_as_it_is(access: AccessStoreFixture) {
    let ann = access.store.add_person(person(home(), "ann")).await.unwrap();
    let first = token("t1", &ann, 1);
    access.store.add_token(first.clone()).await.unwrap();
    access.store.add_token(TokenRow { hash: Digest::new("other"), ..first.clone() }).await.unwrap();
    assert_eq!(access.store.token("t1").await.unwrap().map(|(token, _)| token), Some(first));
}

/// The token is added with its receipt or not at all; a repeated request under the key returns the stored receipt.
pub async fn a_token_is_added_once_under_a_key(access: AccessStoreFixture) {
    let ann = access.store.add_person(person(home(), "ann")).await.unwrap();
    let once = |id: &str, key: &str, at: i64, before: i64| {
        let row = receipt(key, at);
        access.store.add_token_once(token(id, &ann, at), super::rows::key(HOME), row, Timestamp(before))
    };
    assert_eq!(once("t1", "k1", 5, 0).await.unwrap(), None);
    assert_eq!(once("t2", "k1", 6, 5).await.unwrap(), Some(receipt("k1", 5)));
    assert_eq!(ids(&access, &home()).await, ["t1"], "nothing was added twice");
    assert_eq!(once("t3", "k2", 7, 0).await.unwrap(), None);
    assert_eq!(once("t4", "k1", 8, 6).await.unwrap(), None, "the first receipt is too old");
    assert_eq!(ids(&access, &home()).await, ["t4", "t3", "t1"]);

    let nobody = person(home(), "nobody");
    let (row, place) = (receipt("k9", 9), super::rows::key(HOME));
    assert!(access.store.add_token_once(token("t9", &nobody, 9), place, row, Timestamp(0)).await.is_err());
    assert_eq!(once("t5", "k9", 9, 0).await.unwrap(), None, "no receipt was kept of what was not done");
}

/// Adding the next relay token removes expired relay tokens, and only those.
pub async fn tokens_of_relays_go_when_their_time_is_over(access: AccessStoreFixture) {
    let ann = access.store.add_person(person(home(), "ann")).await.unwrap();
    let relay = |id: &str, at: i64, until: i64| TokenRow {
        kind: TokenKind::Relay,
        expires_at: Some(Timestamp(until)),
        ..token(id, &ann, at)
    };
    let old = TokenRow { expires_at: Some(Timestamp(5)), ..token("t1", &ann, 1) };
    access.store.add_token(old).await.unwrap();
    access.store.add_token(relay("r1", 2, 10)).await.unwrap();
    access.store.add_token(relay("r2", 3, 20)).await.unwrap();
    access.store.add_token(token("t2", &ann, 11)).await.unwrap();
    assert_eq!(ids(&access, &home()).await, ["t2", "r2", "r1", "t1"], "another token takes none away");
    access.store.add_token(relay("r3", 12, 30)).await.unwrap();
    assert_eq!(ids(&access, &home()).await, ["r3", "t2", "r2", "t1"]);
}

/// A token must belong to an existing person.
pub async fn a_token_of_nobody_is_refused(access: AccessStoreFixture) {
    let nobody = person(home(), "nobody");
    assert!(access.store.add_token(token("t1", &nobody, 1)).await.is_err());
    assert_eq!(access.store.token("t1").await.unwrap(), None);
}

/// A workspace lists only its own tokens; the operator lists all.
pub async fn tokens_come_latest_first(access: AccessStoreFixture) {
    let ann = access.store.add_person(person(home(), "ann")).await.unwrap();
    let root = access.store.add_person(person(AccessReach::Everywhere, "root")).await.unwrap();
    for row in [token("t1", &ann, 1), token("t2", &ann, 2), token("t3", &root, 3)] {
        access.store.add_token(row).await.unwrap();
    }
    assert_eq!(ids(&access, &home()).await, ["t2", "t1"]);
    assert_eq!(ids(&access, &AccessReach::Everywhere).await, ["t3", "t2", "t1"]);
}

/// A second revocation returns the first one.
pub async fn the_first_revocation_stands(access: AccessStoreFixture) {
    let ann = access.store.add_person(person(home(), "ann")).await.unwrap();
    access.store.add_token(token("t1", &ann, 1)).await.unwrap();
    for at in [5, 6] {
        assert!(access.store.revoke(&home(), "t1", Timestamp(at)).await.unwrap());
        let (token, _) = access.store.token("t1").await.unwrap().unwrap();
        assert_eq!(token.revoked_at, Some(Timestamp(5)));
    }
    assert!(!access.store.revoke(&home(), "t2", Timestamp(7)).await.unwrap());
}

/// Also when several requests spend it concurrently.
pub async fn a_token_is_spent_once(access: AccessStoreFixture) {
    let ann = access.store.add_person(person(home(), "ann")).await.unwrap();
    let link = TokenRow { kind: TokenKind::Link, ..token("t1", &ann, 1) };
    access.store.add_token(link).await.unwrap();
    let login = |id: &str| TokenRow { kind: TokenKind::Browser, ..token(id, &ann, 5) };
    let (one, other) = tokio::join!(
        access.store.replace_token("t1", login("t2")),
        access.store.replace_token("t1", login("t3"))
    );
    assert_eq!([one.unwrap(), other.unwrap()].iter().filter(|spent| **spent).count(), 1);
    assert!(!access.store.replace_token("t1", login("t4")).await.unwrap());
    assert!(!access.store.replace_token("gone", login("t5")).await.unwrap(), "there is none");
    let (spent, _) = access.store.token("t1").await.unwrap().unwrap();
    assert_eq!((spent.kind, spent.revoked_at), (TokenKind::Link, Some(Timestamp(5))));
    assert_eq!(ids(&access, &home()).await.len(), 2, "one login was made for it");

    // A token that cannot be added spends nothing.
    let whole = TokenRow { kind: TokenKind::Link, ..token("t6", &ann, 1) };
    access.store.add_token(whole).await.unwrap();
    let nobodys = TokenRow { person: "per_nobody".into(), ..login("t7") };
    assert!(access.store.replace_token("t6", nobodys).await.is_err());
    assert_eq!(access.store.token("t6").await.unwrap().unwrap().0.revoked_at, None);
}

/// The last use of a token is recorded, and nothing else of it changes.
pub async fn a_use_is_noted(access: AccessStoreFixture) {
    let ann = access.store.add_person(person(home(), "ann")).await.unwrap();
    let row = token("t1", &ann, 1);
    access.store.add_token(row.clone()).await.unwrap();
    access.store.record_token_use("t1", Timestamp(4)).await.unwrap();
    access.store.record_token_use("gone", Timestamp(4)).await.unwrap();
    let used = TokenRow { last_used: Some(Timestamp(4)), ..row };
    assert_eq!(access.store.token("t1").await.unwrap().map(|(token, _)| token), Some(used));
}

/// Neither by list nor by id.
pub async fn what_another_workspace_has_is_neither_listed_nor_revoked(access: AccessStoreFixture) {
    let ann = access.store.add_person(person(home(), "ann")).await.unwrap();
    let root = access.store.add_person(person(AccessReach::Everywhere, "root")).await.unwrap();
    access.store.add_token(token("t1", &ann, 1)).await.unwrap();
    access.store.add_token(token("t2", &root, 2)).await.unwrap();
    let eve = AccessReach::Workspace(key("eve:other"));
    assert_eq!(access.store.people(&eve).await.unwrap(), vec![]);
    assert_eq!(ids(&access, &eve).await, Vec::<String>::new());
    for id in ["t1", "t2"] {
        assert!(!access.store.revoke(&eve, id, Timestamp(5)).await.unwrap(), "{id}");
        assert_eq!(access.store.token(id).await.unwrap().unwrap().0.revoked_at, None, "{id}");
    }
    assert!(
        !access.store.revoke(&home(), "t2", Timestamp(5)).await.unwrap(),
        "the operator's is not a workspace's"
    );
    assert!(access.store.revoke(&AccessReach::Everywhere, "t1", Timestamp(5)).await.unwrap());
}

/// A stream ticket of a token, from its creation until it expires.
pub fn stream_ticket(number: usize, token: &str, lasts: Range<i64>) -> StreamTicketRow {
    StreamTicketRow {
        hash: Digest::new(format!("hash of ticket {number:03} of {token}")),
        token: token.to_owned(),
        path: "/v1/workspaces/ann:home/events".to_owned(),
        created_at: Timestamp(lasts.start),
        expires_at: Timestamp(lasts.end),
    }
}

/// A ticket stays until another is added after its end, and the latest of each token stay.
pub async fn tickets_of_streams_are_kept_until_they_expire(access: AccessStoreFixture) {
    let ann = access.store.add_person(person(home(), "ann")).await.unwrap();
    for id in ["t1", "t2"] {
        access.store.add_token(token(id, &ann, 1)).await.unwrap();
    }
    let store = &access.store;
    let is_known = async |row: &StreamTicketRow| {
        let found = store.stream_ticket(&row.hash).await.unwrap();
        assert!(found.as_ref().is_none_or(|found| found == row), "{found:?}");
        found.is_some()
    };
    let (short, other) = (stream_ticket(0, "t1", 1..5), stream_ticket(0, "t2", 1..90));
    store.add_stream_ticket(short.clone()).await.unwrap();
    store.add_stream_ticket(other.clone()).await.unwrap();
    store.add_stream_ticket(stream_ticket(1, "t2", 4..90)).await.unwrap();
    assert!(is_known(&short).await && is_known(&other).await);
    store.add_stream_ticket(stream_ticket(2, "t2", 5..90)).await.unwrap();
    assert!(!is_known(&short).await, "its time was over");

    for number in 1..=STREAM_TICKETS_MAX {
        store.add_stream_ticket(stream_ticket(number, "t1", 10..90)).await.unwrap();
    }
    assert!(is_known(&stream_ticket(1, "t1", 10..90)).await);
    store.add_stream_ticket(stream_ticket(STREAM_TICKETS_MAX + 1, "t1", 11..90)).await.unwrap();
    assert!(!is_known(&stream_ticket(1, "t1", 10..90)).await, "the oldest one made room");
    assert!(is_known(&stream_ticket(2, "t1", 10..90)).await && is_known(&other).await);
    assert!(store.add_stream_ticket(stream_ticket(9, "nobody", 11..90)).await.is_err(), "no such token");
}
