use entracte_application::ports::{AccessReach, TokenScope};
use entracte_application::use_cases::ChangeSettings;
use entracte_domain::id::WorkspaceKey;
use serde_json::json;

use super::server_fixture::{HOME, HttpServerFixture, databases};
use entracte_adapters_http::limits::HttpServerLimits;

/// Input: a four-eyes workspace, and two people with all scopes; expected: the author of the message is refused with a
/// specific code, whatever her scopes, and the other person's approval counts.
#[tokio::test(flavor = "multi_thread")]
async fn requester_may_not_approve_under_four_eyes() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let change = ChangeSettings::new(scene.life.mail_sender.clone());
        let changes = vec![("four_eyes".to_owned(), Some("true".to_owned()))];
        change.run(&scene.life.workspace, "ann".into(), changes).await.unwrap();
        let (session, approval) = scene.request_zone_approval().await;
        let ann = scene.admin("ann", HOME).await;
        let home = AccessReach::Workspace(WorkspaceKey::new(HOME));
        let noe = scene.token("noe", home, &[TokenScope::Read, TokenScope::Approve]).await;
        let card = scene.get(&format!("/v1/workspaces/{HOME}/approvals/{approval}"), &ann).await;
        let etag = card.etag.clone().unwrap();
        let said = (&card.body["four_eyes"], &card.body["asked_by"], &card.body["acts_as"]);
        assert_eq!(said, (&json!(true), &json!(["ann"]), &json!("ann")), "{card:?}");

        let before = scene.journal(&session).await;
        for decision in ["approve", "always"] {
            let refused = scene.decide(&approval, &ann, &etag, json!({ "decision": decision })).await;
            assert_eq!((refused.status, refused.code()), (403, "four-eyes"), "{refused:?}");
        }
        let edit = json!({ "decision": "edit", "arguments": { "name": "Mine" } });
        let refused = scene.decide(&approval, &noe, &etag, edit).await;
        assert_eq!((refused.status, refused.code()), (403, "four-eyes"), "{refused:?}");
        assert_eq!(scene.journal(&session).await, before, "nothing was decided");

        let decided = scene.decide(&approval, &noe, &etag, json!({ "decision": "approve" })).await;
        assert_eq!((decided.status, &decided.body["decided_by"]), (200, &json!("noe")), "{decided:?}");
        scene.life.verify(&session).await;
    }
}
