//! Pages of lists that grow: followed to the end, they have each item once, in the order of the whole list.

use entracte_adapters_http::limits::HttpServerLimits;
use serde_json::Value;

use super::server_fixture::{HOME, HttpServerFixture, databases};

/// The values of a field of all items of a list, page by page.
async fn followed(
    scene: &HttpServerFixture,
    ann: &str,
    (path, items, field): (&str, &str, &str),
) -> Vec<String> {
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let sign = if path.contains('?') { '&' } else { '?' };
        let path = format!("/v1/workspaces/{HOME}/{path}{sign}limit=2{after}");
        let page = scene.get(&path, ann).await;
        assert_eq!(page.status, 200, "{path}: {page:?}");
        let rows = page.body[items].as_array().unwrap();
        assert!(rows.len() <= 2, "{path}");
        found.extend(rows.iter().map(|row| row[field].as_str().unwrap().to_owned()));
        match &page.body["next"] {
            Value::Null => return found,
            next => after = format!("&after={}", next.as_str().unwrap()),
        }
    }
}

/// Input: five sessions that each wait for an approval, and a cursor of another list; expected: pages of two have all of
/// them, the one that has waited longest first in the inbox and among the approvals, last among the sessions; the cursor
/// is refused, and every page of costs has the total of the first.
#[tokio::test(flavor = "multi_thread")]
async fn pages_have_each_item_once_in_order() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let (mut sessions, mut approvals) = (Vec::new(), Vec::new());
        for _ in 0..5 {
            let (session, approval) = scene.request_zone_approval().await;
            sessions.push(session.to_string());
            approvals.push(approval);
        }
        assert_eq!(followed(&scene, &ann, ("inbox", "items", "id")).await, approvals);
        assert_eq!(followed(&scene, &ann, ("approvals", "items", "id")).await, approvals);
        assert_eq!(followed(&scene, &ann, ("costs?by=session", "rows", "key")).await, sessions);
        let latest_first: Vec<String> = sessions.iter().rev().cloned().collect();
        for list in ["sessions", "sessions?waiting=true", "sessions?open=true", "sessions?q=te"] {
            assert_eq!(followed(&scene, &ann, (list, "items", "id")).await, latest_first, "{list}");
        }
        assert_eq!(
            followed(&scene, &ann, ("sessions?phase=IDLE", "items", "id")).await,
            Vec::<String>::new()
        );
        let page = scene.get(&format!("/v1/workspaces/{HOME}/costs?limit=2"), &ann).await;
        let cursor = page.body["next"].as_str().unwrap();
        let wrong = scene.get(&format!("/v1/workspaces/{HOME}/costs?by=model&after={cursor}"), &ann).await;
        assert_eq!((wrong.status, wrong.code()), (400, "cursor-invalid"));
        // What comes meanwhile changes no total of pages that are followed.
        scene.request_zone_approval().await;
        let second = scene.get(&format!("/v1/workspaces/{HOME}/costs?limit=2&after={cursor}"), &ann).await;
        let total = |page: &Value| (page["total"].clone(), page["total_attempts"].as_u64().unwrap());
        assert_eq!(total(&second.body), total(&page.body));
        let anew = scene.get(&format!("/v1/workspaces/{HOME}/costs?limit=2"), &ann).await;
        assert!(total(&anew.body).1 > total(&page.body).1);
    }
}
