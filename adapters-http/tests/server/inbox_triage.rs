use entracte_application::ports::{AccessReach, TokenScope};
use entracte_domain::id::WorkspaceKey;
use serde_json::{Value, json};

use super::every_route::unlimited;
use super::server_fixture::{HOME, HttpServerFixture, HttpTestResponse, OTHER, databases};

struct InboxTriageFixture {
    scene: HttpServerFixture,
    ann: String,
    /// Noe, who may decide too.
    noe: String,
    item: String,
}

impl InboxTriageFixture {
    async fn start_all() -> Vec<Self> {
        let mut all = Vec::new();
        for database in databases() {
            let scene = HttpServerFixture::start_on(database, unlimited()).await;
            let (_, item) = scene.request_zone_approval().await;
            let ann = scene.admin("ann", HOME).await;
            let home = AccessReach::Workspace(WorkspaceKey::new(HOME));
            let noe = scene.token("noe", home, &[TokenScope::Read, TokenScope::Approve]).await;
            all.push(Self { scene, ann, noe, item });
        }
        all
    }

    async fn post(&self, act: &str, token: &str, body: Value) -> HttpTestResponse {
        self.scene.post(&format!("/v1/workspaces/{HOME}/inbox/{act}"), token, body).await
    }

    async fn snooze(&self, token: &str, until: &str) -> HttpTestResponse {
        self.post("snooze", token, json!({ "items": [self.item], "until": until })).await
    }

    async fn assign(&self, token: &str, person: Value) -> HttpTestResponse {
        self.post("assign", token, json!({ "items": [self.item], "person": person })).await
    }

    async fn inbox(&self, token: &str, query: &str) -> Value {
        let read = self.scene.get(&format!("/v1/workspaces/{HOME}/inbox{query}"), token).await;
        assert_eq!(read.status, 200, "{read:?}");
        read.body
    }

    async fn ids(&self, token: &str, query: &str) -> Vec<String> {
        let page = self.inbox(token, query).await;
        let ids = page["items"].as_array().unwrap().iter();
        ids.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }
}

/// Input: ann snoozes an item; expected: it leaves her inbox and its counters, and nobody else's; she finds it among what she
/// snoozes and by its id, until she wakes it.
#[tokio::test(flavor = "multi_thread")]
async fn snooze_is_one_persons() {
    for stage in InboxTriageFixture::start_all().await {
        let InboxTriageFixture { ann, noe, item, .. } = &stage;
        let own = std::slice::from_ref(item);
        let snoozed = stage.snooze(ann, "3h").await;
        assert_eq!(snoozed.status, 200, "{snoozed:?}");
        assert!(snoozed.body["items"][0]["triage"]["snoozed_until"].is_string(), "{snoozed:?}");

        let page = stage.inbox(ann, "").await;
        assert_eq!((&page["items"], &page["waiting"], &page["total"]), (&json!([]), &json!(0), &json!(0)));
        assert_eq!(page["snoozed"], 1, "{page}");
        assert_eq!(stage.ids(ann, "?snoozed=true").await, own);
        let by_id = stage.inbox(ann, &format!("?only_item={item}")).await;
        assert_eq!((&by_id["items"][0]["id"], &by_id["total"]), (&json!(item), &json!(0)), "{by_id}");
        let of_noe = stage.inbox(noe, "").await;
        assert_eq!((&of_noe["waiting"], &of_noe["snoozed"]), (&json!(1), &json!(0)), "{of_noe}");
        assert!(of_noe["items"][0]["triage"].is_null(), "{of_noe}");

        let not_his = stage.post("wake", noe, json!({ "items": own })).await;
        assert_eq!((not_his.status, not_his.code()), (404, "not-found"), "{not_his:?}");
        let woken = stage.post("wake", ann, json!({ "items": own })).await;
        assert_eq!((woken.status, &woken.body["items"][0]["triage"]), (200, &Value::Null), "{woken:?}");
        assert_eq!(stage.ids(ann, "").await, own);
    }
}

/// Input: ends that are none, over or too far, and items that do not wait here; expected: refusals, and nothing is snoozed.
#[tokio::test(flavor = "multi_thread")]
async fn snooze_is_refused_with_its_reason() {
    for stage in InboxTriageFixture::start_all().await {
        let InboxTriageFixture { scene, ann, item, .. } = &stage;
        for until in ["soon", "2020-01-01", "0", "400d"] {
            let refused = stage.snooze(ann, until).await;
            assert_eq!((refused.status, refused.code()), (422, "invalid"), "{until}: {refused:?}");
        }
        let mixed = stage.post("snooze", ann, json!({ "items": [item, "apr_none"], "until": "3h" })).await;
        assert_eq!((mixed.status, mixed.code()), (404, "not-found"), "{mixed:?}");
        let none = stage.post("snooze", ann, json!({ "items": [], "until": "3h" })).await;
        assert_eq!((none.status, none.code()), (422, "invalid"), "{none:?}");
        let eve = scene.admin("eve", OTHER).await;
        let path = format!("/v1/workspaces/{OTHER}/inbox/snooze");
        let foreign = scene.post(&path, &eve, json!({ "items": [item], "until": "3h" })).await;
        assert_eq!((foreign.status, foreign.code()), (404, "not-found"), "{foreign:?}");
        assert_eq!(stage.inbox(ann, "").await["snoozed"], 0);
    }
}

/// Input: ann snoozed an item, and noe assigns it to her; expected: she sees it again, with who assigned it; the filters know
/// it, and noe may still decide on it.
#[tokio::test(flavor = "multi_thread")]
async fn assignment_wakes_and_permits_nothing() {
    for stage in InboxTriageFixture::start_all().await {
        let InboxTriageFixture { scene, ann, noe, item } = &stage;
        let own = std::slice::from_ref(item);
        stage.snooze(ann, "tomorrow").await;
        let assigned = stage.assign(noe, json!("ann")).await;
        assert_eq!(assigned.status, 200, "{assigned:?}");

        let page = stage.inbox(ann, "?assigned=me").await;
        let told = &page["items"][0]["triage"]["assigned"];
        assert_eq!((&told["person"], &told["author"]), (&json!("ann"), &json!("noe")), "{page}");
        assert_eq!(stage.ids(noe, "?assigned=me").await, Vec::<String>::new());
        assert_eq!(stage.ids(noe, "?assigned=ann").await, own);
        assert_eq!(stage.ids(noe, "?assigned=nobody").await, Vec::<String>::new());

        let stranger = stage.assign(noe, json!("zoe")).await;
        assert_eq!((stranger.status, stranger.code()), (422, "invalid"), "{stranger:?}");
        let nobody = stage.assign(ann, Value::Null).await;
        assert_eq!((nobody.status, &nobody.body["items"][0]["triage"]), (200, &Value::Null), "{nobody:?}");
        assert_eq!(stage.ids(noe, "?assigned=nobody").await, own);

        stage.assign(noe, json!("ann")).await;
        let card = scene.get(&format!("/v1/workspaces/{HOME}/approvals/{item}"), noe).await;
        let decided =
            scene.decide(item, noe, card.etag.as_deref().unwrap(), json!({ "decision": "approve" })).await;
        assert_eq!(decided.status, 200, "{decided:?}");
    }
}
