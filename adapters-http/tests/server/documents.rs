use entracte_application::ports::{AccessReach, TokenScope};
use entracte_domain::id::WorkspaceKey;
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, OTHER, databases, json_body, send_request};

/// Input: Ann stores, reads, searches and removes documents; expected: each works, on both databases, and no other
/// workspace finds any of them.
#[tokio::test(flavor = "multi_thread")]
async fn documents_are_stored_searched_and_removed() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(
            database,
            entracte_adapters_http::limits::HttpServerLimits::default(),
        )
        .await;
        let home = || AccessReach::Workspace(WorkspaceKey::new(HOME));
        let ann = scene.token("ann", home(), &[TokenScope::Read, TokenScope::Chat]).await;
        let reader = scene.token("bob", home(), &[TokenScope::Read]).await;
        let eve = scene.admin("eve", OTHER).await;
        let path = |name: &str| format!("/v1/workspaces/{HOME}/documents/{name}");
        let put = |token: &str, name: &str, body: Value| {
            send_request(json_body(scene.request(Method::PUT, &path(name), token), &body))
        };
        let guide = json!({ "text": "# Travel\n\nTrains are second class.\n", "source": "https://intra.example/travel" });
        let added = put(&ann, "guides%2Ftravel.md", guide.clone()).await;
        assert_eq!((added.status, &added.body["outcome"]), (201, &json!("added")), "{added:?}");
        assert_eq!(added.body["document"]["name"], "guides/travel.md");
        assert_eq!(added.body["document"]["author"], "ann");
        assert_eq!(put(&ann, "guides%2Ftravel.md", guide).await.body["outcome"], "unchanged");
        let rows = json!({ "text": "name,city\nAnn,Lyon\n", "format": "csv" });
        assert_eq!(put(&ann, "staff.csv", rows).await.status, 201);
        assert_eq!(put(&reader, "x.md", json!({ "text": "x" })).await.status, 403);
        let empty = put(&ann, "x.md", json!({ "text": " \n" })).await;
        assert_eq!((empty.status, empty.code()), (422, "invalid"));
        let wrong = put(&ann, "x.json", json!({ "text": "{", "format": "json" })).await;
        assert_eq!((wrong.status, wrong.code()), (422, "invalid"));

        let list = |query: &str, token: &str| {
            let path = format!("/v1/workspaces/{HOME}/documents{query}");
            let token = token.to_owned();
            let scene = &scene;
            async move { scene.get(&path, &token).await }
        };
        let first = list("?limit=1", &reader).await;
        assert_eq!(first.body["items"][0]["name"], "guides/travel.md");
        let next = first.body["next"].as_str().unwrap().to_owned();
        let second = list(&format!("?limit=1&after={next}"), &reader).await;
        assert_eq!(
            (&second.body["items"][0]["name"], &second.body["next"]),
            (&json!("staff.csv"), &Value::Null)
        );
        let shown = scene.get(&path("guides%2Ftravel.md"), &reader).await;
        assert_eq!(shown.body["text"], "# Travel\n\nTrains are second class.\n");
        let part = scene.get(&format!("{}?from=10&length=6", path("guides%2Ftravel.md")), &reader).await;
        assert_eq!((&part.body["text"], &part.body["more"]), (&json!("Trains"), &json!(true)));

        let search = format!("/v1/workspaces/{HOME}/knowledge?q=train");
        let found = scene.get(&search, &reader).await;
        assert_eq!(
            found.body["results"][0]["document"]["source"], "https://intra.example/travel",
            "{found:?}"
        );
        assert_eq!(scene.get(&search, &eve).await.status, 404);
        assert_eq!(scene.get(&path("staff.csv"), &eve).await.status, 404);
        let id = added.body["document"]["id"].as_str().unwrap();
        let hers = format!("/v1/workspaces/{OTHER}/documents/{id}");
        assert_eq!(scene.get(&hers, &eve).await.status, 404, "the id is of another workspace");
        assert_eq!(send_request(scene.request(Method::DELETE, &hers, &eve)).await.status, 404);

        assert_eq!(
            send_request(scene.request(Method::DELETE, &path("guides%2Ftravel.md"), &ann)).await.status,
            204
        );
        assert_eq!(
            send_request(scene.request(Method::DELETE, &path("guides%2Ftravel.md"), &ann)).await.status,
            404
        );
        assert_eq!(scene.get(&search, &reader).await.body["results"], json!([]));
    }
}

/// Input: a PDF with text, a damaged one, one that is not base64, and one that is too large; expected: the first is
/// found by its words, the others are refused with the reason, and nothing of them is stored.
#[tokio::test(flavor = "multi_thread")]
async fn pdf_is_stored_over_http() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let put = |name: &str, pdf: &str| {
        let path = format!("/v1/workspaces/{HOME}/documents/{name}/pdf");
        send_request(json_body(scene.request(Method::PUT, &path, &ann), &json!({ "pdf": pdf })))
    };
    let kept = put("travel.pdf", PDF).await;
    assert_eq!((kept.status, &kept.body["document"]["format"]), (201, &json!("pdf")), "{kept:?}");
    assert_eq!(put("travel.pdf", PDF).await.body["outcome"], "unchanged");
    let found = scene.get(&format!("/v1/workspaces/{HOME}/knowledge?q=trains"), &ann).await;
    assert_eq!(found.body["results"][0]["document"]["name"], "travel.pdf", "{found:?}");
    for (pdf, status, code) in [("bm8gcGRm", 422, "invalid"), ("?", 422, "invalid")] {
        let refused = put("wrong.pdf", pdf).await;
        assert_eq!((refused.status, refused.code()), (status, code), "{refused:?}");
    }
    let large = put("large.pdf", &"A".repeat(15 << 20)).await;
    assert_eq!((large.status, large.code()), (413, "too-large"), "{large:?}");
    let list = scene.get(&format!("/v1/workspaces/{HOME}/documents"), &ann).await;
    assert_eq!(list.body["items"].as_array().unwrap().len(), 1);
}

/// One page: “Trains are second class”.
const PDF: &str = "\
JVBERi0xLjQKMSAwIG9iago8PCAvVHlwZSAvQ2F0YWxvZyAvUGFnZXMgMiAwIFIgPj4KZW5kb2JqCjIgMCBvYmoKPDwgL1R5\
cGUgL1BhZ2VzIC9LaWRzIFszIDAgUl0gL0NvdW50IDEgPj4KZW5kb2JqCjMgMCBvYmoKPDwgL1R5cGUgL1BhZ2UgL1BhcmVu\
dCAyIDAgUiAvTWVkaWFCb3ggWzAgMCAzMDAgMTQ0XSAvQ29udGVudHMgNCAwIFIgL1Jlc291cmNlcyA8PCAvRm9udCA8PCAv\
RjEgNSAwIFIgPj4gPj4gPj4KZW5kb2JqCjQgMCBvYmoKPDwgL0xlbmd0aCA1NCA+PgpzdHJlYW0KQlQgL0YxIDEyIFRmIDIw\
IDEwMCBUZCAoVHJhaW5zIGFyZSBzZWNvbmQgY2xhc3MpIFRqIEVUCmVuZHN0cmVhbQplbmRvYmoKNSAwIG9iago8PCAvVHlw\
ZSAvRm9udCAvU3VidHlwZSAvVHlwZTEgL0Jhc2VGb250IC9IZWx2ZXRpY2EgL0VuY29kaW5nIC9XaW5BbnNpRW5jb2Rpbmcg\
Pj4KZW5kb2JqCnhyZWYKMCA2CjAwMDAwMDAwMDAgNjU1MzUgZiAKMDAwMDAwMDAwOSAwMDAwMCBuIAowMDAwMDAwMDU4IDAw\
MDAwIG4gCjAwMDAwMDAxMTUgMDAwMDAgbiAKMDAwMDAwMDI0MSAwMDAwMCBuIAowMDAwMDAwMzQ1IDAwMDAwIG4gCnRyYWls\
ZXIKPDwgL1NpemUgNiAvUm9vdCAxIDAgUiA+PgpzdGFydHhyZWYKNDQyCiUlRU9GCg==";
