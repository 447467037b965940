//! Checks for every route of the document, including future ones.

use std::collections::BTreeMap;

use entracte_adapters_http::openapi::build_openapi;
use entracte_application::ports::{AccessReach, TokenScope};
use entracte_domain::id::{RoundAttempt, WorkspaceKey};
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, HttpTestResponse, OTHER, json_body, send_request};

pub(crate) struct DocumentedRoute {
    pub method: Method,
    pub path: String,
    pub operation: String,
    pub scope: Option<String>,
    /// Whether the answer contains data and thus needs `read` beside the route's scope.
    pub shows: bool,
    pub has_body: bool,
    pub takes_key: bool,
    /// Whether the route concerns the whole process.
    pub is_everywhere: bool,
    /// Whether the response is an endless stream.
    pub is_stream: bool,
}

pub(crate) fn routes() -> Vec<DocumentedRoute> {
    let document = build_openapi();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            all.push(DocumentedRoute {
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                operation: operation["operationId"].as_str().unwrap().to_owned(),
                scope: operation["x-scope"].as_str().map(str::to_owned),
                shows: operation["x-shows"] == "read",
                has_body: operation["requestBody"].is_object(),
                takes_key: operation["parameters"].to_string().contains("Idempotency-Key"),
                is_everywhere: operation["x-reach"] == "everywhere",
                is_stream: operation["responses"]["200"]["content"]["text/event-stream"].is_object(),
            });
        }
    }
    assert!(all.len() > 45, "the routes are found: {}", all.len());
    all
}

/// A body that the route accepts. Add new routes whose body cannot be empty here.
pub(crate) fn body(operation: &str) -> Value {
    match operation {
        "send_message" | "answer_question" | "answer_task" => json!({ "text": "hello" }),
        "decide_approval" => json!({ "decision": "approve" }),
        "decide_all" => {
            json!({ "decisions": [{ "approval": "apr_ses_1_1_0", "digest": "d", "decision": "approve" }] })
        }
        "settle_call" => json!({ "happened": true }),
        "answer_spending" => json!({ "go_on": true }),
        "settle_model_call" => json!({ "cost_usd": "0" }),
        "mark_read" => json!({ "sequence": 1 }),
        "create_automation" => json!({ "name": "New", "trigger": { "type": "manual" }, "message": "Go." }),
        "add_rule" => json!({ "command": "DELETE_ZONE", "denies": "no" }),
        "hold_retention" => json!({ "reason": "The auditor looks at it." }),
        "snooze_items" => json!({ "items": ["apr_ses_1_1_0"], "until": "3h" }),
        "wake_items" => json!({ "items": ["apr_ses_1_1_0"] }),
        "assign_items" => json!({ "items": ["apr_ses_1_1_0"], "person": "me" }),
        "create_token" => json!({ "person": "ann", "name": "t", "scopes": ["read"] }),
        "invite_person" => json!({ "person": "ann", "name": "t", "scopes": ["read"] }),
        "accept_invitation" => json!({ "code": "guess" }),
        "change_setting" => json!({ "value": "UTC" }),
        "keep_document" => json!({ "text": "# Guide" }),
        "keep_pdf" => json!({ "pdf": "JVBERi0xLjc=" }),
        "keep_own_secret" => json!({ "secret": "hush-hush" }),
        "create_ticket" => json!({ "path": format!("/v1/workspaces/{HOME}/events") }),
        "login" | "open_link" | "claim_terminal_login" => json!({ "secret": "guess" }),
        "create_login_link" => json!({ "origin": "http://localhost" }),
        "open_terminal_login" => json!({ "name": "ann@laptop" }),
        "decide_terminal_login" => json!({ "allow": true, "scopes": ["read"] }),
        "act_by_link" => json!({ "secret": "guess", "nonce": "guess", "decision": "approve" }),
        "change_workspace_instructions"
        | "change_automation_instructions"
        | "change_session_instructions" => {
            json!({ "text": "Be brief." })
        }
        "decide_tools" => json!({ "choice": "trust" }),
        "set_up_provider" => json!({ "source": "rehearsed" }),
        "put_provider" => json!({ "settings": { "kind": "groq" } }),
        "put_config_entry" => json!({ "settings": { "url": "https://files.example/mcp" } }),
        "add_person" => json!({ "name": "zoe" }),
        "add_zone" => json!({ "name": "Mind" }),
        // A zone with this id exists only for Ann.
        "add_tool" => json!({ "zone": "zon_none", "type": "notes", "name": "Notes" }),
        "propose_text" => json!({ "key": "house", "version": 0, "text": "Be kind.\n" }),
        "add_entry" => json!({ "data": { "value": 80 } }),
        "run_agent" => json!({ "threadId": "t1", "runId": "r1" }),
        "add_target" => json!({ "name": "new", "ntfy": "https://ntfy.example/new" }),
        _ => json!({}),
    }
}

/// The query parameters that a route requires.
fn query(operation: &str, ids: &RouteParamIds) -> String {
    match operation {
        "preview_schedule" => "?cron=0+9+*+*+1".to_owned(),
        "search_knowledge" => "?q=guide".to_owned(),
        "find_id" => format!("?kind=rule&begins={}", ids["r"]),
        _ => String::new(),
    }
}

/// The ids of Ann's resources.
pub(crate) type RouteParamIds = BTreeMap<&'static str, String>;

pub(crate) async fn create_route_data(
    scene: &HttpServerFixture,
) -> (RouteParamIds, String, entracte_domain::id::SessionId) {
    let (zone, tool, entry) = scene.data().await;
    let (text, proposal) = scene.text().await;
    let file = scene.file("notes.pdf").await;
    let session = scene.life.chat(true).await;
    scene.show_file(&session, &file).await;
    let approval = scene.request_zone_approval_in(&session).await;
    let (rule, automation) = scene.create_rule_and_automation(&session).await;
    let task = scene.task(&scene.life.chat(false).await).await;
    let ann = scene.admin("ann", HOME).await;
    let tokens = scene.get(&format!("/v1/workspaces/{HOME}/tokens"), &ann).await;
    let target = scene.target("phone", json!({})).await;
    let document = scene.document("guide.md").await;
    let terminal = json!({ "name": "ann@laptop" });
    let terminal = scene.post("/v1/login/terminals", "", terminal).await;
    let token = tokens.body["items"][0]["id"].as_str().unwrap().to_owned();
    let ids = RouteParamIds::from([
        ("w", HOME.to_owned()),
        ("key", "zone".to_owned()),
        ("code", terminal.body["code"].as_str().unwrap().to_owned()),
        ("z", zone),
        ("m", session.message_id(1, 0).to_string()),
        ("tool", tool),
        ("e", entry),
        ("text", text),
        ("prp", proposal),
        ("mc", session.model_call_id(RoundAttempt { round: 1, attempt: 1 }).to_string()),
        ("s", session.to_string()),
        ("held", session.to_string()),
        ("c", approval.replacen("apr_", "cal_", 1)),
        ("apr", approval),
        ("r", rule),
        ("target", target),
        ("person", tokens.body["items"][0]["person"]["id"].as_str().unwrap().to_owned()),
        ("a", automation),
        ("t", token),
        ("task", task),
        ("n", "zones.list".to_owned()),
        ("d", document),
        ("digest", file),
        ("p", "fake".to_owned()),
        ("agent", "JobManager".to_owned()),
        ("server", "files".to_owned()),
        ("section", "mcp-servers".to_owned()),
        ("entry", "files".to_owned()),
    ]);
    (ids, ann, session)
}

pub(crate) fn fill_path_params(path: &str, ids: &RouteParamIds) -> String {
    ids.iter().fold(path.to_owned(), |path, (name, id)| path.replace(&format!("{{{name}}}"), id))
}

pub(crate) async fn ask(
    scene: &HttpServerFixture,
    route: &DocumentedRoute,
    path: &str,
    token: &str,
) -> HttpTestResponse {
    let request = scene.request(route.method.clone(), path, token).header("if-match", "\"what was read\"");
    let request = if route.has_body { json_body(request, &body(&route.operation)) } else { request };
    send_request(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_ids_are_404_on_every_route() {
    for database in super::server_fixture::databases() {
        let scene = HttpServerFixture::start_on(database, unlimited()).await;
        let (ids, ann, session) = create_route_data(&scene).await;
        let eve = scene.admin("eve", OTHER).await;
        let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
        let before = scene.journal(&session).await;
        let within = |workspace: &str| -> RouteParamIds {
            let place = |name: &str, id: &String| if name == "w" { workspace.to_owned() } else { id.clone() };
            ids.iter().map(|(name, id)| (*name, place(name, id))).collect()
        };
        let (from_hers, nowhere) = (within(OTHER), within("no:where"));
        let (mut walls, mut others) = (0, 0);
        for route in routes().iter().filter(|route| route.path.contains("{w}")) {
            // Ann's workspace, with Eve's token.
            let through_wall = ask(&scene, route, &fill_path_params(&route.path, &ids), &eve).await;
            assert_eq!((through_wall.status, through_wall.code()), (404, "not-found"), "{}", route.operation);
            walls += 1;
            // A workspace that does not exist, with the operator's token; `make_workspace` would create it.
            if route.operation != "make_workspace" {
                let told = ask(&scene, route, &fill_path_params(&route.path, &nowhere), &root).await;
                assert_eq!(told.status, 404, "{}: {told:?}", route.operation);
            }
            // Eve's own workspace, with Ann's ids. The catalog is the same for all.
            let names_something = [
                "{s}", "{c}", "{apr}", "{r}", "{a}", "{t}", "{target}", "{z}", "{tool}", "{e}", "{mc}",
                "{person}", "{text}", "{prp}", "{task}", "{digest}",
            ];
            if names_something.iter().any(|name| route.path.contains(name)) {
                let foreign = ask(&scene, route, &fill_path_params(&route.path, &from_hers), &eve).await;
                assert_eq!(
                    (foreign.status, foreign.code()),
                    (404, "not-found"),
                    "{}: {foreign:?}",
                    route.operation
                );
                others += 1;
            }
        }
        assert!(walls > 40 && others > 25, "{walls} and {others} routes were tried");
        assert_eq!(scene.journal(&session).await, before, "nothing of Ann's was touched");
        let mine = scene.get(&format!("/v1/workspaces/{HOME}/sessions/{session}"), &ann).await;
        assert_eq!(mine.status, 200, "the ids were right");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_needs_its_scope() {
    let scene = HttpServerFixture::start_on(super::server_fixture::open_sqlite(), unlimited()).await;
    let (ids, _, session) = create_route_data(&scene).await;
    let before = scene.journal(&session).await;
    let home = AccessReach::Workspace(WorkspaceKey::new(HOME));
    for route in routes() {
        let Some(scope) = &route.scope else { continue };
        let others: Vec<TokenScope> = TokenScope::ALL
            .into_iter()
            .filter(|other| other.word() != scope && *other != TokenScope::Admin)
            .collect();
        let token = scene.token("ann", home.clone(), &others).await;
        let refused = ask(&scene, &route, &fill_path_params(&route.path, &ids), &token).await;
        assert_eq!((refused.status, refused.code()), (403, "scope-missing"), "{}", route.operation);
        if route.is_everywhere {
            let of_one = scene.admin("ann", HOME).await;
            let refused = ask(&scene, &route, &fill_path_params(&route.path, &ids), &of_one).await;
            assert_eq!((refused.status, refused.code()), (403, "scope-missing"), "{}", route.operation);
        }
        let unauthenticated =
            ask(&scene, &route, &fill_path_params(&route.path, &ids), "entr_k1.guess").await;
        assert_eq!(
            (unauthenticated.status, unauthenticated.code()),
            (401, "unauthorized"),
            "{}",
            route.operation
        );
    }
    assert_eq!(scene.journal(&session).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_origin_or_host_is_refused() {
    let scene = HttpServerFixture::start_on(super::server_fixture::open_sqlite(), unlimited()).await;
    let (ids, ann, session) = create_route_data(&scene).await;
    let before = scene.journal(&session).await;
    let sets = forged_header_sets(&scene.host);
    assert_eq!(sets.len(), 40);
    for route in routes() {
        let path = fill_path_params(&route.path, &ids);
        for headers in &sets {
            let mut request = scene.request(route.method.clone(), &path, &ann).header("if-match", "\"x\"");
            for (name, value) in headers {
                request = request.header(*name, value);
            }
            let request = if route.has_body { json_body(request, &body(&route.operation)) } else { request };
            let refused = send_request(request).await;
            let is_refusal = ["host-refused", "origin-refused"].contains(&refused.code());
            assert!(refused.status == 403 && is_refusal, "{} {headers:?}: {refused:?}", route.operation);
        }
    }
    assert_eq!(scene.journal(&session).await, before);
}

/// Header sets of other pages, other ports and other host names.
fn forged_header_sets(host: &str) -> Vec<Vec<(&'static str, String)>> {
    let port = host.rsplit(':').next().unwrap();
    let mut sets: Vec<Vec<(&'static str, String)>> = Vec::new();
    let hosts = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "localhost".to_owned(),
        "127.0.0.1".to_owned(),
        "127.0.0.1:1".to_owned(),
        format!("127.0.0.1.evil.example:{port}"),
        format!("0.0.0.0:{port}"),
        format!("localhost.:{port}"),
    ];
    for host in &hosts {
        sets.push(vec![("host", host.clone())]);
        sets.push(vec![("host", host.clone()), ("origin", format!("http://{host}"))]);
    }
    let origins = [
        "http://evil.example".to_owned(),
        format!("https://127.0.0.1:{port}"),
        "http://127.0.0.1:1".to_owned(),
        "http://localhost".to_owned(),
        "null".to_owned(),
        "file://".to_owned(),
    ];
    for origin in &origins {
        sets.push(vec![("origin", origin.clone())]);
        sets.push(vec![("origin", origin.clone()), ("sec-fetch-site", "same-origin".into())]);
    }
    for site in ["cross-site", "same-site", "none", "SAME-ORIGIN2"] {
        sets.push(vec![("sec-fetch-site", site.into())]);
        sets.push(vec![("sec-fetch-site", site.into()), ("sec-fetch-mode", "navigate".into())]);
        sets.push(vec![("sec-fetch-site", site.into()), ("origin", format!("http://{host}"))]);
    }
    sets
}

#[tokio::test(flavor = "multi_thread")]
async fn get_never_decides() {
    let scene = HttpServerFixture::start_on(super::server_fixture::open_sqlite(), unlimited()).await;
    let (ids, ann, session) = create_route_data(&scene).await;
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let before = scene.journal(&session).await;
    let reading = || routes().into_iter().filter(|route| route.method == Method::GET);
    for route in reading() {
        let path = fill_path_params(&route.path, &ids);
        let path = format!("{path}{}", query(&route.operation, &ids));
        if route.is_stream {
            let read = scene.request(Method::GET, &path, &ann).send().await.unwrap();
            assert_eq!(read.status(), 200, "{}", route.operation);
        } else {
            let read = scene.get(&path, if route.is_everywhere { &root } else { &ann }).await;
            assert_eq!(read.status, 200, "{}: {read:?}", route.operation);
        }
        // Methods that a link scanner may try.
        for method in [Method::HEAD, Method::OPTIONS] {
            send_request(scene.request(method, &path, &ann)).await;
        }
        let by_query = format!("{path}?decision=approve&_method=POST");
        send_request(scene.request(Method::GET, &by_query, &ann).header("x-http-method-override", "POST"))
            .await;
    }
    let decision = format!("/v1/workspaces/{HOME}/approvals/{}/decision", ids["apr"]);
    let got = scene.get(&decision, &ann).await;
    assert_eq!((got.status, got.code()), (405, "method-not-allowed"));
    assert_eq!(scene.journal(&session).await, before, "nothing was decided or changed");
    assert_eq!(scene.life.phase(&session).await, "WAITING_VALIDATION");
}

/// Every documented path exists on the server, and any other path is a problem.
#[tokio::test(flavor = "multi_thread")]
async fn unknown_path_is_a_problem() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    for path in ["/nothing", "/v1", "/v2/me", "/v1/workspaces/ann:home/nothing", "/../etc/passwd"] {
        let told = scene.get(path, &ann).await;
        assert_eq!((told.status, told.code()), (404, "not-found"), "{path}");
        assert!(told.body["request_id"].as_str().is_some_and(|id| id.starts_with("req_")));
    }
    let document = scene.get("/v1/openapi.json", &ann).await;
    assert_eq!(document.body, entracte_adapters_http::openapi::build_openapi());
}

pub(crate) fn unlimited() -> entracte_adapters_http::limits::HttpServerLimits {
    entracte_adapters_http::limits::HttpServerLimits { requests: 0, failed_logins: 0, ..Default::default() }
}
