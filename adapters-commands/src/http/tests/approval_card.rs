//! What a person is asked about a call: nothing that would surely be refused, and by a sentence of the configuration.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::commands::Catalog;
use entracte_application::ports::CommandExecutor;
use serde_json::{Value, json};

use super::{HttpToolSecretStoreFixture, NOBODY, call, config, texts, tools};
use crate::egress::fake_peer::{FakeHttpPeer, ScriptedResolver, crypto};
use crate::egress::{EgressClient, EgressSettings, NameResolver};
use crate::http::HttpToolExecutor;
use crate::http::tool::HttpTool;

/// Input: tools at an address that is allowed, at one that is refused, at a name that leads to the refused one, and at a
/// name that is not found now; expected: only what would surely be refused is, before anybody is asked.
#[tokio::test]
async fn refused_address_is_known_before_approval() {
    let peer = FakeHttpPeer::new(vec![]).await;
    let fault = async |url: &str, allowed: &[&str]| {
        let allowed = allowed.iter().map(|host| host.parse().unwrap()).collect();
        let settings = EgressSettings { allowed, ..EgressSettings::default() };
        let names = ScriptedResolver::new(&[("inside.example", &[&["10.0.0.7"]])]);
        let egress = Arc::new(EgressClient::with_resolver(settings, names, crypto()));
        let config = config(&peer, json!({"method": "POST", "url": url}));
        let tools = HttpToolExecutor::new(vec![config], egress, Arc::new(HttpToolSecretStoreFixture));
        tools.unwrap().precheck(call("{}")).await.map(|fault| fault.message)
    };
    assert_eq!(fault("http://127.0.0.1/pay", &["127.0.0.1"]).await, None);
    for refused in ["http://127.0.0.1/pay", "http://10.0.0.7/pay", "https://inside.example/pay"] {
        let says = fault(refused, &[]).await.unwrap_or_default();
        assert!(says.contains("tools.http.allow"), "{refused}: {says}");
    }
    assert_eq!(fault("https://nowhere.example/pay", &[]).await, None, "the network may be back");
    assert_eq!(peer.requests().len(), 0, "nothing was sent");
}

/// A resolver that never answers.
struct SilentResolver;

#[async_trait]
impl NameResolver for SilentResolver {
    async fn addresses(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        std::future::pending().await
    }
}

/// Input: a tool at a name for which no resolver answers; expected: the check before the approval gives up, and refuses
/// nothing.
#[tokio::test]
async fn silent_resolver_refuses_nothing() {
    let peer = FakeHttpPeer::new(vec![]).await;
    let settings = EgressSettings { precheck_timeout: Duration::from_millis(1), ..EgressSettings::default() };
    let egress = Arc::new(EgressClient::with_resolver(settings, Arc::new(SilentResolver), crypto()));
    let config = config(&peer, json!({"method": "POST", "url": "https://slow.example/pay"}));
    let tools = HttpToolExecutor::new(vec![config], egress, Arc::new(HttpToolSecretStoreFixture)).unwrap();
    assert_eq!(tools.precheck(call("{}")).await, None);
}

/// Input: the same action without and with two templates of its card; expected: each is another version of the command, its
/// card is the sentence, and a template that names no argument is refused.
#[tokio::test]
async fn card_template_is_part_of_the_version() {
    let peer = FakeHttpPeer::new(vec![]).await;
    let declared = |card: Value| {
        let mut declared = json!({"method": "POST", "body": "json", "arguments": texts(&["to"])});
        if !card.is_null() {
            declared["card"] = card;
        }
        declared
    };
    let version = |card: Value| {
        let executor: Arc<dyn CommandExecutor> = Arc::new(tools(&peer, declared(card)));
        Catalog::new(&[executor]).unwrap().find("peer.call").unwrap().version.clone()
    };
    let versions = [Value::Null, json!("Pay {to}"), json!("Pay it to {to}")].map(version);
    assert!(versions[0] != versions[1] && versions[1] != versions[2] && versions[0] != versions[2]);
    let tool = HttpTool::new(config(&peer, declared(json!("Pay {to}")))).unwrap();
    let card = tool.describe(&call(r#"{"to": "Bob"}"#), NOBODY);
    assert_eq!(card.says, "Pay “Bob”");
    assert_eq!(card.after, [("to".to_owned(), "Bob".to_owned())], "every argument stands below it");
    let wrong = config(&peer, declared(json!("Pay {whom}"))).check().unwrap_err().to_string();
    assert!(wrong.contains("“{whom}” is not an argument"), "{wrong}");
}
