//! Sent requests, and destinations that must be refused. Signatures are verified by an independent library.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::{
    Clock, DeliveryChannel, DeliveryChannelOwner, DeliveryOutcome, Notification, NotificationAction,
    NotificationSender, SecretError, SecretReference, SecretStore,
};
use entracte_application::system::SystemClock;
use entracte_application::texts::{Language, LocalizedTexts};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use http::{HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;

use super::{NotificationSenders, TargetPolicy, ntfy, push};
use crate::egress::fake_peer::{FakeHttpPeer, answer, crypto};
use crate::egress::tests::vectors::VECTORS;
use crate::egress::tests::world;
use crate::egress::{AllowedHost, EgressClient, EgressSettings};
use crate::secret::DeclaredSecrets;

/// A key of 24 bytes.
const KEY: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The secrets of these tests, by the names of their variables.
struct NotificationSecretsFixture(BTreeMap<&'static str, String>);

impl SecretStore for NotificationSecretsFixture {
    fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError> {
        match reference {
            SecretReference::Environment(name) => match self.0.get(name.as_str()) {
                Some(secret) => Ok(SecretString::from(secret.clone())),
                None => Err(SecretError::NotSet(name.clone())),
            },
            SecretReference::File(path) => Err(SecretError::NotSet(path.clone())),
            SecretReference::Command(_) => Err(SecretError::NotSet("no program".into())),
        }
    }
}

fn senders(allowed: &[&str]) -> NotificationSenders {
    senders_with(allowed, "")
}

/// Senders with a secret that holds this address.
fn senders_with(allowed: &[&str], address: &str) -> NotificationSenders {
    let allowed = allowed.iter().map(|host| host.parse::<AllowedHost>().unwrap()).collect();
    let egress = EgressClient::with_resolver(
        EgressSettings { allowed, ..EgressSettings::default() },
        world(),
        crypto(),
    );
    let secrets =
        [("HOOK", KEY), ("TOKEN", "tk_secret_canary"), ("SHORT", "whsec_c2hvcnQ="), ("ADDRESS", address)];
    let vault = NotificationSecretsFixture(
        secrets.into_iter().map(|(name, secret)| (name, secret.to_owned())).collect(),
    );
    let terms = TargetPolicy {
        declared: Arc::new(DeclaredSecrets::none()),
        allowed: Vec::new(),
        of_tools: Vec::new(),
    };
    NotificationSenders::new(Arc::new(egress), Arc::new(vault), terms, Duration::from_secs(5))
        .with_push(push::tests::policy(true))
}

/// Ann, using the command line of the machine.
fn ann() -> DeliveryChannelOwner {
    DeliveryChannelOwner {
        workspace: WorkspaceKey::new("ann:home"),
        person: "ann".into(),
        is_operators: true,
    }
}

fn env(name: &str) -> SecretReference {
    SecretReference::Environment(name.into())
}

fn webhook(url: impl Into<String>) -> DeliveryChannel {
    DeliveryChannel::Webhook { url: url.into(), secret: env("HOOK") }
}

/// A browser that subscribed at this address.
fn browser(endpoint: impl Into<String>) -> DeliveryChannel {
    let (_, key, auth) = push::tests::browser_keys();
    DeliveryChannel::Push { endpoint: endpoint.into(), key, auth }
}

fn told() -> Notification {
    Notification {
        id: "ntf_01k".into(),
        at: Timestamp(1_795_312_800_000_000),
        title: "Billing: pay.send".into(),
        text: "“Billing” needs your approval: pay.send".into(),
        click: Some("https://entracte.example/a#lnk_s".into()),
        actions: Vec::new(),
        body: r#"{"type":"approval.requested","data":{"title":"Billing: pay.send"}}"#.into(),
    }
}

/// Parses head and body of a received request.
fn parsed(request: &str) -> (HeaderMap, String) {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut headers = HeaderMap::new();
    for line in head.lines().skip(1) {
        let (name, value) = line.split_once(": ").unwrap();
        headers.append(HeaderName::try_from(name).unwrap(), HeaderValue::try_from(value).unwrap());
    }
    (headers, body.to_owned())
}

#[tokio::test]
async fn webhook_is_verified_by_standard_webhooks_library() {
    // The library compares with the real clock, so the test uses the current time.
    let now = SystemClock.now();
    let peer = FakeHttpPeer::new(vec![answer(204, &[], "")]).await;
    let way = webhook(peer.url("127.0.0.1", "/hook"));
    let sent = Notification { at: now, ..told() };
    assert_eq!(senders(&["127.0.0.1"]).send(&ann(), &way, &sent).await, DeliveryOutcome::Taken);
    let (headers, body) = parsed(&peer.requests()[0]);
    assert_eq!(
        (body.as_str(), &headers["webhook-id"]),
        (told().body.as_str(), &HeaderValue::from_static("ntf_01k"))
    );
    let seconds = (now.0 / 1_000_000).to_string();
    assert_eq!(headers["webhook-timestamp"].to_str().unwrap(), seconds);
    let library = standardwebhooks::Webhook::new(KEY).unwrap();
    library.verify(body.as_bytes(), &headers).unwrap();
    let forged = body.replace("pay.send", "pay.all");
    assert!(library.verify(forged.as_bytes(), &headers).is_err());
    let other = standardwebhooks::Webhook::new("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap();
    assert!(other.verify(body.as_bytes(), &headers).is_err());
}

#[tokio::test]
async fn status_determines_outcome_and_redirects_are_not_followed() {
    let cases = [
        (answer(200, &[], "ok"), DeliveryOutcome::Taken),
        (answer(410, &[], ""), DeliveryOutcome::Gone),
        (answer(500, &[], "tk_secret_canary"), DeliveryOutcome::Refused("HTTP 500".into())),
        (answer(307, &["location: http://127.0.0.1:9/"], ""), DeliveryOutcome::Refused("HTTP 307".into())),
    ];
    for (act, expected) in cases {
        let peer = FakeHttpPeer::new(vec![act]).await;
        let way = webhook(peer.url("127.0.0.1", "/hook"));
        assert_eq!(senders(&["127.0.0.1"]).send(&ann(), &way, &told()).await, expected);
        assert_eq!(peer.requests().len(), 1);
    }
}

/// Input: the answers of a push service; expected: an ended subscription is gone, also where the service says that there is
/// none.
#[tokio::test]
async fn ended_push_subscription_is_gone() {
    let cases = [
        (answer(201, &[], ""), DeliveryOutcome::Taken),
        (answer(404, &[], ""), DeliveryOutcome::Gone),
        (answer(410, &[], ""), DeliveryOutcome::Gone),
        (answer(403, &[], ""), DeliveryOutcome::Refused("HTTP 403".into())),
        (answer(429, &["retry-after: 5"], ""), DeliveryOutcome::Refused("HTTP 429".into())),
    ];
    for (act, expected) in cases {
        let peer = FakeHttpPeer::new(vec![act]).await;
        let way = browser(peer.url("127.0.0.1", "/send/capability"));
        assert_eq!(senders(&["127.0.0.1"]).send(&ann(), &way, &told()).await, expected);
        let request = &peer.requests()[0];
        assert!(request.contains("content-encoding: aes128gcm"), "{request}");
    }
}

/// Input: a subscription with keys that no browser has, and a process without push messages; expected: each is refused
/// before anything is sent.
#[tokio::test]
async fn unusable_push_subscription_is_refused() {
    let texts = LocalizedTexts::for_language(Language::Fr);
    let wrong = DeliveryChannel::Push {
        endpoint: "https://1.1.1.1/send".into(),
        key: "BA".into(),
        auth: "Bw".into(),
    };
    let says = senders(&[]).check(&ann(), &wrong, texts).await.unwrap_err();
    assert!(says.contains("clés de l’abonnement"), "{says}");
    let clear = senders(&[]).check(&ann(), &browser("http://1.1.1.1/send"), texts).await.unwrap_err();
    assert!(clear.contains("sans chiffrement"), "{clear}");
    let without = NotificationSenders { push: None, ..senders(&["127.0.0.1"]) };
    let way = browser("http://127.0.0.1:9/send");
    assert!(without.refusal(&ann(), &way).is_some());
    assert!(matches!(without.send(&ann(), &way, &told()).await, DeliveryOutcome::Refused(_)));
    assert!(without.push_key().is_err() && senders(&[]).push_key().is_ok());
}

/// Input: an address with a secret path, stored in a variable; expected: the notification goes there, and no error
/// shows it.
#[tokio::test]
async fn secret_address_is_used_but_not_shown() {
    let peer = FakeHttpPeer::new(vec![answer(204, &[], ""), answer(200, &[], "")]).await;
    let address = peer.url("127.0.0.1", "/canary-of-the-path");
    let senders = senders_with(&["127.0.0.1"], &address);
    let kept = webhook("env:ADDRESS");
    assert_eq!(senders.check(&ann(), &kept, LocalizedTexts::for_language(Language::En)).await, Ok(()));
    assert_eq!(senders.send(&ann(), &kept, &told()).await, DeliveryOutcome::Taken);
    let topic = DeliveryChannel::Ntfy { url: "env:ADDRESS".into(), token: None };
    assert_eq!(senders.send(&ann(), &topic, &told()).await, DeliveryOutcome::Taken);
    let requests = peer.requests();
    assert!(requests[0].starts_with("POST /canary-of-the-path "), "{}", requests[0]);

    // No listener, not an address, a missing secret.
    let away = senders_with(&["127.0.0.1"], "http://127.0.0.1:1/canary-of-the-path");
    for senders in [away, senders_with(&[], &address), senders_with(&[], "canary of the path")] {
        let DeliveryOutcome::Refused(why) = senders.send(&ann(), &kept, &told()).await else {
            panic!("it was taken")
        };
        assert!(!why.contains("canary"), "{why}");
        let says = senders
            .check(&ann(), &kept, LocalizedTexts::for_language(Language::En))
            .await
            .err()
            .unwrap_or_default();
        assert!(!says.contains("canary"), "{says}");
    }
    let nowhere = senders
        .check(&ann(), &webhook("env:GONE"), LocalizedTexts::for_language(Language::En))
        .await
        .unwrap_err();
    assert!(nowhere.contains("GONE"), "{nowhere}");
}

#[tokio::test]
async fn ntfy_button_posts_and_clears_message() {
    let peer = FakeHttpPeer::new(vec![answer(200, &[], "")]).await;
    let way = DeliveryChannel::Ntfy { url: peer.url("127.0.0.1", "/mine"), token: None };
    let action = NotificationAction {
        label: "Approve".into(),
        url: "https://entracte.example/v1/links/act".into(),
        body: r#"{"secret":"lnk_s"}"#.into(),
    };
    let sent = Notification { actions: vec![action], ..told() };
    assert_eq!(senders(&["127.0.0.1"]).send(&ann(), &way, &sent).await, DeliveryOutcome::Taken);
    let body: serde_json::Value = serde_json::from_str(&parsed(&peer.requests()[0]).1).unwrap();
    let expected = serde_json::json!([{
        "action": "http", "label": "Approve", "url": "https://entracte.example/v1/links/act", "method": "POST",
        "body": r#"{"secret":"lnk_s"}"#, "headers": { "Content-Type": "application/json" }, "clear": true,
    }]);
    assert_eq!(body["actions"], expected);
}

#[tokio::test]
async fn no_target_leads_inward() {
    let peer = FakeHttpPeer::new(Vec::new()).await;
    let (senders, texts) = (senders(&[]), LocalizedTexts::for_language(Language::En));
    let inward = VECTORS.iter().filter(|(_, becomes)| *becomes != "ok");
    let mut tried = 0;
    for (url, becomes) in inward {
        let (hook, topic) =
            (webhook(*url), DeliveryChannel::Ntfy { url: format!("{url}topic"), token: None });
        assert!(senders.check(&ann(), &hook, texts).await.is_err(), "{url} ({becomes})");
        assert!(
            matches!(senders.send(&ann(), &hook, &told()).await, DeliveryOutcome::Refused(_)),
            "{url} ({becomes})"
        );
        assert!(
            matches!(senders.send(&ann(), &topic, &told()).await, DeliveryOutcome::Refused(_)),
            "{url} ({becomes})"
        );
        assert!(senders.check(&ann(), &browser(*url), texts).await.is_err(), "{url} ({becomes})");
        assert!(
            matches!(senders.send(&ann(), &browser(*url), &told()).await, DeliveryOutcome::Refused(_)),
            "{url} ({becomes})"
        );
        tried += 1;
    }
    assert!(tried > 100, "{tried}");
    assert_eq!(peer.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn unusable_target_is_refused_when_added() {
    let senders = senders(&["127.0.0.1"]);
    let says = async |way: DeliveryChannel, language| {
        senders.check(&ann(), &way, LocalizedTexts::for_language(language)).await.unwrap_err()
    };
    let at =
        |secret: &str| DeliveryChannel::Webhook { url: "http://127.0.0.1/x".into(), secret: env(secret) };
    assert!(senders.check(&ann(), &at("HOOK"), LocalizedTexts::for_language(Language::En)).await.is_ok());
    assert!(says(at("SHORT"), Language::En).await.contains("24 to 64 bytes"));
    assert!(says(at("NOT_SET"), Language::Fr).await.contains("NOT_SET"));
    let clear = webhook("http://1.1.1.1/x");
    assert!(says(clear, Language::Fr).await.contains("sans chiffrement"));
    let no_topic = DeliveryChannel::Ntfy { url: "http://127.0.0.1/".into(), token: None };
    assert!(says(no_topic, Language::En).await.contains("names no topic"));
    let nothing = DeliveryChannel::Command { program: "/nowhere/tell".into(), arguments: Vec::new() };
    assert!(says(nothing, Language::En).await.contains("/nowhere/tell"));
}

#[tokio::test]
async fn ntfy_request_has_token_and_notification_id() {
    let peer = FakeHttpPeer::new(vec![answer(200, &[], "{}")]).await;
    let way = DeliveryChannel::Ntfy { url: peer.url("127.0.0.1", "/my-topic"), token: Some(env("TOKEN")) };
    assert_eq!(senders(&["127.0.0.1"]).send(&ann(), &way, &told()).await, DeliveryOutcome::Taken);
    let (headers, body) = parsed(&peer.requests()[0]);
    assert_eq!(headers["authorization"], "Bearer tk_secret_canary");
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    let expected = serde_json::json!({
        "topic": "my-topic", "title": "Billing: pay.send", "sequence_id": "ntf_01k",
        "message": "“Billing” needs your approval: pay.send", "click": "https://entracte.example/a#lnk_s",
    });
    assert_eq!(body, expected);
    let (server, topic) = ntfy::parts("https://push.example/ntfy/my_topic/").unwrap();
    assert_eq!((server.as_str(), topic.as_str()), ("https://push.example/ntfy", "my_topic"));
    for wrong in ["https://ntfy.sh", "https://ntfy.sh/a b", "ntfy.sh/topic", "https://ntfy.sh/é"] {
        assert_eq!(ntfy::parts(wrong), None, "{wrong}");
    }
}

/// Input: a program as a target; expected: it reads the JSON, has title, body and link as variables and as arguments, and
/// no other variable.
#[tokio::test]
async fn command_target_gets_readable_message() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("told");
    let at = file.to_str().unwrap();
    let run = async |script: &str| {
        let arguments = ["-c", script, "sh", "{title}: {body}"].map(str::to_owned).to_vec();
        let way = DeliveryChannel::Command { program: "/bin/sh".into(), arguments };
        senders(&[]).send(&ann(), &way, &told()).await
    };
    let script = format!("/bin/cat > {at}; echo >> {at}; echo \"$1\" >> {at}; /usr/bin/env >> {at}");
    assert_eq!(run(&script).await, DeliveryOutcome::Taken);
    let kept = std::fs::read_to_string(&file).unwrap();
    let Notification { id, title, text, click, body, .. } = told();
    let environment = kept.strip_prefix(&format!("{body}\n{title}: {text}\n")).unwrap();
    for (name, value) in [("TITLE", title), ("BODY", text), ("LINK", click.unwrap()), ("ID", id)] {
        assert!(environment.contains(&format!("ENTRACTE_{name}={value}\n")), "{environment}");
    }
    // Variables that a shell sets by itself.
    let own = ["PWD=", "SHLVL=", "_=", "OLDPWD=", "ENTRACTE_"];
    assert!(environment.lines().all(|line| own.iter().any(|name| line.starts_with(name))), "{environment}");
    assert!(matches!(run("exit 3").await, DeliveryOutcome::Refused(why) if why.contains('3')));
}
