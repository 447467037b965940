//! Push messages: from an approval that waits to the phone, through a fake push service, read as a browser reads them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc::{Receiver, channel};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::SystemRandom;
use ring::signature;
use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::decisions::MAKES;
use crate::server::{end, send_request, serve, token};

/// The secret that the phone shares with the server.
const AUTH: [u8; 16] = [9; 16];

/// A push service on this machine, which answers with these statuses in turn, and with the last one from then on.
struct FakePushService {
    endpoint: String,
    messages: Receiver<(String, Vec<u8>)>,
}

impl FakePushService {
    fn open(statuses: &'static [&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}/send/capability-canary", listener.local_addr().unwrap());
        let (told, messages) = channel();
        std::thread::spawn(move || {
            for (place, stream) in listener.incoming().map_while(Result::ok).enumerate() {
                let mut reader = BufReader::new(&stream);
                let mut head = String::new();
                while reader.read_line(&mut head).is_ok_and(|read| read > 2) {}
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
                reader.read_exact(&mut body).unwrap();
                if told.send((head.clone(), body)).is_err() {
                    return;
                }
                let status = statuses.get(place).or(statuses.last()).unwrap();
                let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                let _ = (&stream).write_all(answer.as_bytes());
            }
        });
        Self { endpoint, messages }
    }
}

/// A phone that subscribed: the private key stays with it.
fn phone(service: &FakePushService) -> (EphemeralPrivateKey, Value) {
    let private = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
    let key = URL_SAFE_NO_PAD.encode(private.compute_public_key().unwrap());
    let push = json!({ "endpoint": service.endpoint, "p256dh": key, "auth": URL_SAFE_NO_PAD.encode(AUTH) });
    (private, json!({ "name": "my phone", "push": push }))
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn derive<const N: usize>(salt: &[u8], key: &[u8], info: &[&[u8]]) -> [u8; N] {
    let mut out = [0; N];
    Salt::new(HKDF_SHA256, salt).extract(key).expand(info, Length(N)).unwrap().fill(&mut out).unwrap();
    out
}

/// What the phone reads of a message (RFC 8291).
fn read(private: EphemeralPrivateKey, message: &[u8]) -> Value {
    let own = private.compute_public_key().unwrap();
    let (salt, sender, record) = (&message[..16], &message[21..86], &message[86..]);
    let peer = UnparsedPublicKey::new(&ECDH_P256, sender);
    let text = agree_ephemeral(private, &peer, |shared| {
        let input: [u8; 32] = derive(&AUTH, shared, &[b"WebPush: info\0", own.as_ref(), sender]);
        let key: [u8; 16] = derive(salt, &input, &[b"Content-Encoding: aes128gcm\0"]);
        let nonce: [u8; 12] = derive(salt, &input, &[b"Content-Encoding: nonce\0"]);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
        let mut record = record.to_vec();
        let nonce = Nonce::assume_unique_for_key(nonce);
        key.open_in_place(nonce, Aad::empty(), &mut record).unwrap().to_vec()
    });
    let text = text.unwrap();
    let (end, text) = text.split_last().unwrap();
    assert_eq!(*end, 2, "it is the last record");
    serde_json::from_slice(text).unwrap()
}

/// Checks that the request is signed by the key that the browser subscribed with, for this push service.
fn assert_signed(head: &str, key: &str, service: &FakePushService) {
    assert!(head.starts_with("POST /send/capability-canary "), "{head}");
    let given = head.lines().find_map(|line| line.strip_prefix("authorization: vapid t=")).unwrap();
    let (jwt, public) = given.trim().split_once(", k=").unwrap();
    assert_eq!(public, key);
    let (signed, proof) = jwt.rsplit_once('.').unwrap();
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
    let verifier = signature::UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, bytes(key));
    verifier.verify(signed.as_bytes(), &bytes(proof)).unwrap();
    let claims: Value = serde_json::from_slice(&bytes(signed.split_once('.').unwrap().1)).unwrap();
    let origin = service.endpoint.split("/send/").next().unwrap();
    assert_eq!(claims["aud"], origin, "{claims}");
}

/// Input: a phone whose first subscription the push service ended, and which subscribes again, while an approval waits;
/// expected: the ended one is said to be gone; then one encrypted message, without words, that leads to the card; and
/// nobody reads the address of the subscription or the key of the server anywhere.
#[test]
fn web_push_reaches_the_phone() {
    let service = FakePushService::open(&["410 Gone", "201 Created"]);
    let stage = CliFixture::with_script(MAKES).on_this_machine().on_a_file();
    let provider = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    stage.write("entracte.toml", &format!("{provider}[notify]\nallow = [\"127.0.0.1\"]\npoll = \"20ms\"\n"));
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,approve"]);
    let mut served = serve(&stage);
    let home = |path: &str| format!("/v1/workspaces/local:main/{path}");
    let (status, key) = send_request(&served, "GET", &home("push-key"), &ann, "", &Value::Null);
    assert_eq!(status, 200, "{key}");
    let key = key["key"].as_str().unwrap();
    let file = stage.folder.path().join("data/push-key.pem");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let (_, first) = phone(&service);
    let (status, made) = send_request(&served, "POST", &home("targets"), &ann, "", &first);
    assert_eq!((status, &made["way"], &made["private"]), (201, &json!("push"), &json!(true)), "{made}");
    let asked = ["--json", "chat", "--require-approval", "--message", "Make a zone"];
    let asked = stage.run(&asked).expect(3).json();
    let approval = asked["waiting"]["items"][0]["id"].as_str().unwrap();
    service.messages.recv().unwrap();
    let listed = stage.wait_for_output(&["--json", "notify", "list"], "\"disabled\":\"410\"");
    assert!(!listed.contains("canary"), "{listed}");

    let (private, again) = phone(&service);
    let (status, made) = send_request(&served, "POST", &home("targets"), &ann, "", &again);
    assert_eq!(status, 201, "the ended one holds its name no longer: {made}");
    let (head, message) = service.messages.recv().unwrap();
    assert_signed(&head, key, &service);
    for wanted in ["content-encoding: aes128gcm", "ttl: 86400", "urgency: high", "topic: "] {
        assert!(head.contains(wanted), "{wanted}: {head}");
    }
    let seen = String::from_utf8_lossy(&message).into_owned();
    assert!(!seen.contains("inbox") && !seen.contains(approval), "the push service reads nothing");
    let read = read(private, &message);
    assert_eq!((&read["count"], &read["test"]), (&json!(1), &json!(false)));
    assert_eq!(read["page"], format!("/inbox/{approval}?w=local%3Amain"), "a press opens the card");
    assert_eq!(read.as_object().unwrap().len(), 4, "no words: {read}");

    let (_, kept) = send_request(&served, "GET", &home("notifications"), &ann, "", &Value::Null);
    assert!(!kept.to_string().contains("canary"), "{kept}");
    assert_eq!(end(&mut served), 0);
    let secret = std::fs::read_to_string(&file).unwrap();
    let secret: String = secret.lines().filter(|line| !line.starts_with("---")).collect();
    let database = std::fs::read(stage.folder.path().join("data/entracte.db")).unwrap();
    assert!(
        !String::from_utf8_lossy(&database).contains(&secret[..40]),
        "the private key is in its file alone"
    );
}

/// Input: a subscription at an address of this machine that no setting allows; expected: it is refused, and nothing is sent.
#[test]
fn push_subscription_leads_nowhere_inward() {
    let service = FakePushService::open(&["201 Created"]);
    let stage = CliFixture::with_script(MAKES).on_this_machine().on_a_file();
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,approve"]);
    let mut served = serve(&stage);
    let (_, new) = phone(&service);
    let path = "/v1/workspaces/local:main/targets";
    let (status, refused) = send_request(&served, "POST", path, &ann, "", &new);
    assert!(status == 422 && refused.to_string().contains("notify.allow"), "{refused}");
    assert!(service.messages.try_recv().is_err());
    assert_eq!(end(&mut served), 0);
}
