use std::sync::{Arc, Mutex};

use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::{Millis, Timestamp};
use mockall::predicate::eq;
use secrecy::ExposeSecret;

use crate::ports::{
    AccessReach, EmptyPersonSecretStore, MockAccessStore, MockClock, MockOutboxStore, MockWorkspaceStore,
    Person, TokenKind, TokenRow, TokenScope, TokenScopes,
};
use crate::system::{RandomIdGenerator, sha256};
use crate::use_cases::{
    AuthenticateToken, AuthenticationError, CreateLoginLink, CreateToken, NewToken, RedeemLoginLink,
    RemovePersonAccess, UseCaseError,
};

const NOW: Timestamp = Timestamp(1_000_000_000_000);

fn clock() -> Arc<MockClock> {
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOW);
    Arc::new(clock)
}

fn home() -> AccessReach {
    AccessReach::Workspace(WorkspaceKey::new("ann:home"))
}

fn new() -> NewToken {
    NewToken {
        person: "ann".into(),
        reach: home(),
        kind: TokenKind::Program,
        name: "laptop".into(),
        scopes: TokenScopes::new([TokenScope::Read]),
        embedded: None,
        expires_at: None,
        made_by: None,
    }
}

fn stored() -> (TokenRow, Person) {
    let person = Person {
        id: "per_1".into(),
        reach: home(),
        name: "ann".into(),
        created_at: Timestamp(1),
        removed_at: None,
    };
    let token = TokenRow {
        id: "k1".into(),
        person: "per_1".into(),
        reach: home(),
        kind: TokenKind::Program,
        name: "laptop".into(),
        hash: sha256(b"right"),
        proof: None,
        scopes: TokenScopes::new([TokenScope::Read]),
        embedded: None,
        created_at: Timestamp(1),
        expires_at: None,
        revoked_at: None,
        last_used: Some(NOW),
        made_by: None,
        login_until: None,
    };
    (token, person)
}

async fn proves(
    change: impl FnOnce(&mut TokenRow),
    kind: TokenKind,
    text: &str,
    proof: Option<&str>,
) -> Result<(TokenRow, Person), AuthenticationError> {
    let mut found = stored();
    change(&mut found.0);
    let mut access = MockAccessStore::new();
    access.expect_token().with(eq("k1")).returning(move |_| Ok(Some(found.clone())));
    access.expect_token().returning(|_| Ok(None));
    AuthenticateToken::new(Arc::new(access), clock()).run(kind, text, proof).await
}

#[tokio::test]
async fn token_has_256_bits_and_stored_hash() {
    let mut access = MockAccessStore::new();
    access.expect_add_person().returning(Ok);
    access.expect_add_token().returning(|_| Ok(()));
    let create = CreateToken::new(Arc::new(access), clock(), Arc::new(RandomIdGenerator));
    let made = create.run(NewToken { kind: TokenKind::Browser, ..new() }).await.unwrap();
    let text = made.secret.expose_secret();
    let (id, secret) = text.strip_prefix("entr_").and_then(|rest| rest.split_once('.')).unwrap();
    assert_eq!(id, made.token.id);
    // Each character has 5 bits.
    assert!(secret.len() * 5 >= 256, "{secret}");
    assert_eq!(made.token.hash, sha256(secret.as_bytes()));
    let proof = made.proof.unwrap();
    assert_ne!(proof.expose_secret(), secret);
    assert_eq!(made.token.proof, Some(sha256(proof.expose_secret().as_bytes())));
}

#[tokio::test]
async fn token_without_scopes_is_refused() {
    let wrong: [(&str, NewToken); 5] = [
        ("name of a person", NewToken { person: " ann".into(), ..new() }),
        ("name of a person", NewToken { person: "a\nb".into(), ..new() }),
        ("name of a token", NewToken { name: String::new(), ..new() }),
        ("without scopes", NewToken { scopes: TokenScopes::default(), ..new() }),
        ("in the past", NewToken { expires_at: Some(NOW), ..new() }),
    ];
    for (says, new) in wrong {
        let create = CreateToken::new(Arc::new(MockAccessStore::new()), clock(), Arc::new(RandomIdGenerator));
        let Err(UseCaseError::Invalid(text)) = create.run(new).await else { panic!("{says}") };
        assert!(text.contains(says), "{text}");
    }
}

#[tokio::test]
async fn only_correct_secret_authenticates() {
    let (token, person) = proves(|_| {}, TokenKind::Program, "entr_k1.right", None).await.unwrap();
    assert_eq!((token.id.as_str(), person.name.as_str()), ("k1", "ann"));
    let wrong = [
        "entr_k1.wrong",
        "entr_k2.right",
        "entr_k1.",
        "entr_.right",
        "k1.right",
        "entr_k1",
        "",
        "entr_k1.right ",
    ];
    for text in wrong {
        let answer = proves(|_| {}, TokenKind::Program, text, None).await;
        assert!(matches!(answer, Err(AuthenticationError::Invalid)), "{text}: {answer:?}");
    }
}

#[tokio::test]
async fn token_is_valid_until_expired_or_revoked() {
    let text = "entr_k1.right";
    let later = Timestamp(NOW.0 + 1);
    let counts = proves(|token| token.expires_at = Some(later), TokenKind::Program, text, None).await;
    assert!(counts.is_ok());
    let expired = proves(|token| token.expires_at = Some(NOW), TokenKind::Program, text, None).await;
    assert!(matches!(expired, Err(AuthenticationError::Expired)));
    let revoked = proves(|token| token.revoked_at = Some(NOW), TokenKind::Program, text, None).await;
    assert!(matches!(revoked, Err(AuthenticationError::Revoked)));
    // A wrong secret does not reveal that the token exists.
    let guessed =
        proves(|token| token.revoked_at = Some(NOW), TokenKind::Program, "entr_k1.guess", None).await;
    assert!(matches!(guessed, Err(AuthenticationError::Invalid)));
}

#[tokio::test]
async fn cookie_needs_proof_and_authenticates_no_program() {
    let browser = |token: &mut TokenRow| {
        token.kind = TokenKind::Browser;
        token.proof = Some(sha256(b"proof"));
    };
    let text = "entr_k1.right";
    assert!(proves(browser, TokenKind::Browser, text, Some("proof")).await.is_ok());
    for (kind, proof) in
        [(TokenKind::Browser, None), (TokenKind::Browser, Some("other")), (TokenKind::Program, Some("proof"))]
    {
        assert!(
            matches!(proves(browser, kind, text, proof).await, Err(AuthenticationError::Invalid)),
            "{kind:?} {proof:?}"
        );
    }
    assert!(matches!(
        proves(|_| {}, TokenKind::Browser, text, None).await,
        Err(AuthenticationError::Invalid)
    ));
}

#[tokio::test]
async fn a_use_is_noted_once_a_minute() {
    for (last_used, is_noted) in [
        (None, true),
        (Some(Timestamp(NOW.0 - Millis::minutes(1).0 * 1000)), true),
        (Some(Timestamp(NOW.0 - 1)), false),
    ] {
        let mut access = MockAccessStore::new();
        let found = (TokenRow { last_used, ..stored().0 }, stored().1);
        access.expect_token().returning(move |_| Ok(Some(found.clone())));
        access
            .expect_record_token_use()
            .with(eq("k1"), eq(NOW))
            .times(usize::from(is_noted))
            .returning(|_, _| Ok(()));
        let authenticate = AuthenticateToken::new(Arc::new(access), clock());
        assert!(authenticate.run(TokenKind::Program, "entr_k1.right", None).await.is_ok(), "{last_used:?}");
    }
    assert_ne!(stored().0.hash, Digest::new("right"));
}

/// Input: logins that end before a link would, before a login would, later and never; expected: neither the link that each
/// makes nor the login with that link outlives it.
#[tokio::test]
async fn login_by_link_ends_with_its_login() {
    let (minute, hour) = (Millis::minutes(1), Millis::hours(1));
    let soon = NOW.plus(Millis::seconds(1));
    let between = NOW.plus(Millis::minutes(2));
    for (login_end, link_end, phone_end) in [
        (Some(soon), soon, soon),
        (Some(between), NOW.plus(minute), between),
        (Some(NOW.plus(Millis::hours(2))), NOW.plus(minute), NOW.plus(hour)),
        (None, NOW.plus(minute), NOW.plus(hour)),
    ] {
        let (token, person) = stored();
        let login = TokenRow { kind: TokenKind::Browser, expires_at: login_end, ..token };
        let mut access = MockAccessStore::new();
        access.expect_add_person().returning(Ok);
        access.expect_add_token().returning(|_| Ok(()));
        let offer = CreateLoginLink::new(Arc::new(access), clock(), Arc::new(RandomIdGenerator));
        let link = offer.run_as(&login, &person, minute).await.unwrap();

        let found = (link.token.clone(), person);
        let mut access = MockAccessStore::new();
        access.expect_token().returning(move |_| Ok(Some(found.clone())));
        access.expect_record_token_use().returning(|_, _| Ok(()));
        access.expect_add_person().returning(Ok);
        access.expect_replace_token().returning(|_, _| Ok(true));
        let log_in = RedeemLoginLink::new(Arc::new(access), clock(), Arc::new(RandomIdGenerator));
        let phone = log_in.run(link.secret.expose_secret(), hour).await.unwrap();
        let ends = (link.token.expires_at, phone.token.expires_at);
        assert_eq!(ends, (Some(link_end), Some(phone_end)), "{login_end:?}");
    }
}

/// Input: a person is removed while they log in with a link, which replaces one token by another. Expected: the new
/// token is revoked, too.
#[tokio::test]
async fn concurrent_login_of_removed_person_is_revoked() {
    let open = |id: &str| (TokenRow { id: id.into(), ..stored().0 }, stored().1);
    let tokens = Arc::new(Mutex::new(vec![open("link")]));
    let mut access = MockAccessStore::new();
    access.expect_people().returning(|_| Ok(vec![stored().1]));
    access.expect_remove_person().returning(|_, _| Ok(()));
    let read = tokens.clone();
    access.expect_tokens().returning(move |_| Ok(read.lock().unwrap().clone()));
    let changed = tokens.clone();
    access.expect_revoke().returning(move |_, id, at| {
        let mut tokens = changed.lock().unwrap();
        if tokens.len() == 1 {
            tokens.push(open("browser"));
        }
        let named = tokens.iter_mut().filter(|(token, _)| token.id == id);
        named.for_each(|(token, _)| token.revoked_at = Some(at));
        Ok(true)
    });
    let mut outbox = MockOutboxStore::new();
    outbox.expect_targets().returning(|_| Ok(Vec::new()));
    let (store, secrets) = (Arc::new(MockWorkspaceStore::new()), Arc::new(EmptyPersonSecretStore));
    let expel = RemovePersonAccess::new(Arc::new(access), Arc::new(outbox), store, secrets, clock());
    expel.run(&WorkspaceKey::new("ann:home"), "per_1").await.unwrap();
    let left: Vec<Option<Timestamp>> =
        tokens.lock().unwrap().iter().map(|(token, _)| token.revoked_at).collect();
    assert_eq!(left, [Some(NOW), Some(NOW)]);
}
