//! The client against peers in this process, with scripted name resolution.

mod connection;
mod redirects;
pub(crate) mod vectors;

use std::sync::Arc;
use std::time::Duration;

use super::fake_peer::{FakeHttpPeer, ScriptedResolver, answer, crypto};
use super::{AllowedHost, AllowedHostError, EgressClient, EgressError, EgressRequest, EgressSettings};

/// Settings that allow these hosts.
fn settings(allowed: &[&str]) -> EgressSettings {
    let allowed = allowed.iter().map(|host| host.parse().unwrap()).collect();
    EgressSettings { allowed, timeout: Duration::from_secs(20), ..EgressSettings::default() }
}

/// A client that may call this machine by its address; all of `names` resolve to it.
fn egress(names: &[&str]) -> EgressClient {
    let here: &[&[&str]] = &[&["127.0.0.1"]];
    let names: Vec<_> = names.iter().map(|name| (*name, here)).collect();
    EgressClient::with_resolver(settings(&["127.0.0.1"]), ScriptedResolver::new(&names), crypto())
}

/// The names used by the vectors.
pub(crate) fn world() -> Arc<ScriptedResolver> {
    ScriptedResolver::new(&[
        ("public.example", &[&["93.184.216.34"]]),
        ("public.example.", &[&["93.184.216.34"]]),
        ("v6.example", &[&["2606:2800:220:1:248:1893:25c8:1946"]]),
        ("translated.example", &[&["64:ff9b::5db8:d822"]]),
        ("loop.example", &[&["127.0.0.1"]]),
        ("mapped.example", &[&["::ffff:127.0.0.1"]]),
        ("private.example", &[&["10.0.0.1"]]),
        ("mixed.example", &[&["93.184.216.34", "10.0.0.1"]]),
        ("cloud.example", &[&["169.254.169.254"]]),
        ("metadata", &[&["93.184.216.34"]]),
        ("metadata.google.internal", &[&["93.184.216.34"]]),
        ("nothing.example", &[&[]]),
    ])
}

async fn verdict(egress: &EgressClient, url: &str) -> String {
    match egress.check(url).await {
        Ok(_) => "ok".to_owned(),
        Err(EgressError::Refused { class, .. }) => format!("{class:?}"),
        Err(EgressError::Url { .. }) => "url".to_owned(),
        Err(EgressError::Unresolved { .. }) => "nobody".to_owned(),
        Err(other) => panic!("{url}: {other}"),
    }
}

#[tokio::test]
async fn rebinding_and_redirect_are_refused() {
    let egress_of_world = EgressClient::with_resolver(settings(&[]), world(), crypto());
    assert!(vectors::VECTORS.len() > 150);
    for (url, expected) in vectors::VECTORS {
        assert_eq!(verdict(&egress_of_world, url).await, *expected, "{url:?}");
    }

    // The first address of the name may be called, the second may not: only the first is looked up, and the client
    // connects to it.
    let names = ScriptedResolver::new(&[("turns.example", &[&["127.0.0.1"], &["127.0.0.2"]])]);
    let egress = EgressClient::with_resolver(settings(&["127.0.0.1"]), names.clone(), crypto());
    let peer =
        FakeHttpPeer::new(vec![answer(200, &[], "hello"), answer(302, &["location: /again"], "")]).await;
    let url = peer.url("turns.example", "/");
    let first = egress.send(EgressRequest::get(&url)).await.unwrap();
    assert_eq!((first.body.as_slice(), names.resolved_names().len()), (b"hello".as_slice(), 1));
    // The next request gets the second address.
    assert_refused(egress.send(EgressRequest::get(&url)).await.unwrap_err(), "127.0.0.2 is a loopback");

    // A redirect resolves the name again, and is refused for its new address.
    let names = ScriptedResolver::new(&[("turns.example", &[&["127.0.0.1"], &["10.0.0.1"]])]);
    let egress = EgressClient::with_resolver(settings(&["127.0.0.1"]), names, crypto());
    assert_refused(egress.send(EgressRequest::get(&url)).await.unwrap_err(), "10.0.0.1 is a private");
    assert_eq!(peer.requests().len(), 2);

    // Every refused http vector is also refused as the target of a redirect.
    for (target, expected) in vectors::VECTORS.iter().filter(|(url, _)| url.starts_with("http://")) {
        if matches!(*expected, "ok" | "nobody" | "url") || !target.is_ascii() {
            continue;
        }
        let peer = FakeHttpPeer::new(vec![answer(302, &[&format!("location: {target}")], "")]).await;
        let egress = EgressClient::with_resolver(settings(&["start.example"]), starting_names(), crypto());
        let error = egress.send(EgressRequest::get(peer.url("start.example", "/"))).await.unwrap_err();
        let EgressError::Redirected { source, .. } = &error else { panic!("{target}: {error}") };
        let EgressError::Refused { class, .. } = source.as_ref() else { panic!("{target}: {error}") };
        assert_eq!(format!("{class:?}"), *expected, "{target}");
    }
}

/// Adds a name on this machine, where a redirect to the names of the vectors starts.
fn starting_names() -> Arc<ScriptedResolver> {
    ScriptedResolver::new(&[
        ("start.example", &[&["127.0.0.1"]]),
        ("loop.example", &[&["127.0.0.1"]]),
        ("mapped.example", &[&["::ffff:127.0.0.1"]]),
        ("private.example", &[&["10.0.0.1"]]),
        ("mixed.example", &[&["93.184.216.34", "10.0.0.1"]]),
        ("cloud.example", &[&["169.254.169.254"]]),
    ])
}

fn assert_refused(error: EgressError, words: &str) {
    assert!(error.to_string().contains(words), "{error}");
}

#[tokio::test]
async fn refusal_names_host_class_and_fix() {
    let egress = EgressClient::with_resolver(settings(&[]), world(), crypto());
    let says = async |url| egress.check(url).await.unwrap_err().to_string();
    assert_eq!(
        says("http://private.example:8080/secret?key=1").await,
        "“private.example:8080” was not called: its address 10.0.0.1 is a private address; \
         to allow it, set tools.http.allow = [\"private.example:8080\"]"
    );
    assert_eq!(
        says("http://cloud.example/").await,
        "“cloud.example” was not called: its address 169.254.169.254 is a cloud metadata address; \
         to allow it, set tools.http.allow = [\"169.254.169.254\"]"
    );
    assert_eq!(
        says("http://ann:word@public.example/").await,
        "the address cannot be used: it contains a user name or a password; put them in a header"
    );
}

#[tokio::test]
async fn hosts_allowed_by_name_are_called() {
    let check = async |allowed: &str, url: &str| {
        verdict(&EgressClient::with_resolver(settings(&[allowed]), world(), crypto()), url).await
    };
    for (allowed, url, expected) in [
        ("private.example", "http://private.example/", "ok"),
        ("Private.Example.", "http://private.example:99/", "ok"),
        ("private.example:8080", "http://private.example:8080/", "ok"),
        ("private.example:80", "http://private.example/", "ok"),
        ("private.example:8080", "http://private.example/", "Private"),
        ("private.example", "http://10.0.0.1/", "Private"),
        ("mixed.example", "http://mixed.example/", "ok"),
        ("10.0.0.1", "http://private.example/", "ok"),
        ("10.0.0.1:81", "http://private.example/", "Private"),
        ("10.0.0.0/8", "http://private.example/", "ok"),
        ("10.1.0.0/16", "http://private.example/", "Private"),
        ("127.0.0.1", "http://127.1/", "ok"),
        ("127.0.0.1", "http://[::ffff:127.0.0.1]/", "Loopback"),
        ("localhost", "http://localhost:3000/", "ok"),
        ("localhost:3000", "http://localhost:3001/", "Loopback"),
        ("[::1]:8080", "http://[::1]:8080/", "ok"),
        ("fd00::/8", "http://[fd12::1]/", "ok"),
        // Instance metadata is allowed only by its own name or address.
        ("0.0.0.0/0", "http://169.254.169.254/", "Metadata"),
        ("169.254.0.0/16", "http://169.254.169.254/", "Metadata"),
        ("cloud.example", "http://cloud.example/", "Metadata"),
        ("169.254.169.254", "http://cloud.example/", "ok"),
        ("metadata.google.internal", "http://metadata.google.internal/", "ok"),
    ] {
        assert_eq!(check(allowed, url).await, expected, "{allowed} and {url}");
    }
}

#[test]
fn malformed_allowed_hosts_are_refused() {
    for (text, shown) in [
        ("NAS.home", "nas.home"),
        ("nas.home:8080", "nas.home:8080"),
        ("127.1", "127.0.0.1"),
        ("10.1.2.3/8", "10.0.0.0/8"),
        ("[fd00::5]:80", "[fd00::5]:80"),
        ("fd00::5", "fd00::5"),
    ] {
        assert_eq!(text.parse::<AllowedHost>().unwrap().to_string(), shown);
        assert_eq!(shown.parse::<AllowedHost>().unwrap().to_string(), shown);
    }
    for text in
        ["", "http://nas.home", "*.home", "nas home", "ann@nas.home", "nas.home:x", "nas/8", "10.0.0.0/33"]
    {
        assert_eq!(text.parse::<AllowedHost>(), Err(AllowedHostError(text.to_owned())));
    }
}
