//! Numbers pass from the model to the HTTP server without rounding.

use std::sync::Arc;

use entracte_application::commands::Catalog;
use entracte_application::json_value::to_text;
use entracte_application::ports::{CommandExecutor, MockResourceReader};
use entracte_domain::command::{CommandKind, EffectClass};

use super::*;
use crate::egress::fake_peer::answer;

#[tokio::test]
async fn shown_checked_and_run_are_the_same_digits() {
    let peer = FakeHttpPeer::new(vec![answer(200, &[], "ok"), answer(200, &[], "ok")]).await;
    let schema = json!({"type": "object", "properties": {"amount": {"type": "number", "maximum": 100}},
        "required": ["amount"], "additionalProperties": false});
    let declared = json!({"method": "POST", "body": "json", "arguments": schema});
    let executor: Arc<dyn CommandExecutor> = Arc::new(tools(&peer, declared));
    let catalog = Catalog::new(&[executor]).unwrap();
    let known = catalog.find("peer.call").unwrap();

    // A number that equals 100 as a double is still greater than 100.
    let faults = known.faults(&parse(r#"{"amount": 100.00000000000000000001}"#).unwrap());
    assert_eq!(faults[0].sentence(), "/amount: 100.00000000000000000001 is greater than the maximum of 100");

    for digits in ["99.99999999999999999999", "100.00000000000000000000"] {
        let arguments = format!("{{\"amount\":{digits}}}");
        let request = call(&arguments);
        assert_eq!(known.faults(&request.command.arguments), [], "checked");
        let shown =
            known.executor.describe(request.clone(), Arc::new(MockResourceReader::new())).await.unwrap();
        assert_eq!(shown.after, [("amount".to_owned(), digits.to_owned())], "shown");
        // The output of `--json`.
        let printed = to_text(&request.command.arguments);
        assert_eq!(printed, arguments, "printed");
        known.executor.run(request).await;
        assert!(peer.requests().last().unwrap().ends_with(&arguments), "run: {:?}", peer.requests());
    }
}

#[tokio::test]
async fn query_with_approval_stays_query() {
    let peer = FakeHttpPeer::new(vec![]).await;
    let spec = |declared: Value| tools(&peer, declared).commands().remove(0);
    let plain = spec(json!({}));
    assert_eq!((plain.kind, plain.egress), (CommandKind::Query, false));
    let asked = spec(json!({"approval": true}));
    assert_eq!((asked.kind, asked.effect), (CommandKind::Query, EffectClass::Read));
    assert!(!plain.may_need_approval() && asked.may_need_approval());
    assert!(asked.egress && !asked.destructive, "a rule may approve it in advance");
    let wrong = config(&peer, json!({"method": "POST", "approval": false})).check().unwrap_err().to_string();
    assert!(wrong.contains("approval: is false, but an action always needs approval"), "{wrong}");
}
