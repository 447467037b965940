//! Resources of a console besides decisions: automations, model calls, data, session files.

use entracte_domain::id::RoundAttempt;
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, databases, json_body, send_request, text_body};
use entracte_adapters_http::limits::HttpServerLimits;

fn home(rest: &str) -> String {
    format!("/v1/workspaces/{HOME}/{rest}")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_automation_is_made_changed_and_read_back() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let new = json!({
            "name": "Weekly", "message": "How was my week?", "commands": ["zones.*"],
            "trigger": { "type": "cron", "expression": "0 9 * * 1", "zone": "Europe/Paris" },
            "policies": { "catch_up_ms": null, "overlap": "queue", "unattended": "refuse" },
        });
        let made = scene.post(&home("automations"), &ann, new).await;
        assert_eq!(made.status, 201, "{made:?}");
        assert_eq!(
            made.body["trigger"],
            json!({ "type": "cron", "expression": "0 9 * * 1", "zone": "Europe/Paris" })
        );
        let policies = &made.body["policies"];
        let told_policies =
            [&policies["catch_up_ms"], &policies["overlap"], &policies["unattended"], &policies["profile"]];
        assert_eq!(told_policies, [&Value::Null, &json!("queue"), &json!("refuse"), &Value::Null]);
        assert_eq!(made.body["begins"]["commands"], json!(["zones.*"]));

        let path = home(&format!("automations/{}", made.body["id"].as_str().unwrap()));
        let change = |etag: &str, edit: Value| {
            send_request(json_body(scene.request(Method::PATCH, &path, &ann).header("if-match", etag), &edit))
        };
        let edit = json!({
            "trigger": { "type": "every", "interval_ms": 60_000 }, "message": "And now?",
            "policies": { "unattended": null },
        });
        let etag = made.etag.unwrap();
        let changed = change(&etag, edit.clone()).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        assert_eq!(
            (&changed.body["trigger"]["interval_ms"], &changed.body["begins"]["message"]),
            (&json!(60_000), &json!("And now?"))
        );
        assert_eq!(
            (&changed.body["policies"]["unattended"], &changed.body["policies"]["overlap"]),
            (&Value::Null, &json!("queue"))
        );
        let late = change(&etag, edit).await;
        assert_eq!((late.status, late.code()), (412, "changed"));
        let etag = changed.etag.unwrap();
        let nothing = change(&etag, json!({})).await;
        assert_eq!((nothing.status, nothing.code()), (422, "invalid"));
        let reference = json!({ "type": "POINTER", "target": "zone", "id": "zon_nowhere" });
        let cases = [
            (json!({ "enrichments": [reference] }), 422),
            (json!({ "message": "Look.", "enrichments": [reference] }), 404),
            (json!({ "dialect": "morse" }), 422),
        ];
        for (wrong, status) in cases {
            assert_eq!(change(&etag, wrong.clone()).await.status, status, "{wrong}");
        }
        let native = change(&etag, json!({ "dialect": "tools" })).await;
        assert_eq!(native.body["begins"]["dialect"], "tools", "{native:?}");
        assert_eq!(scene.get(&home("automations"), &ann).await.body["damaged"], json!([]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_automation_names_field() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let manual = json!({ "type": "manual" });
    let cases = [
        (json!({ "trigger": { "type": "once", "at": "tomorrow" } }), "trigger.at"),
        (json!({ "trigger": manual, "policies": { "overlap": "both" } }), "policies.overlap"),
        (json!({ "trigger": manual, "provider": "gone" }), "provider"),
        (json!({ "trigger": manual, "commands": ["no good"] }), "commands"),
    ];
    for (wrong, field) in cases {
        let mut new = json!({ "name": "A", "message": "Go." });
        new.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        let refused = scene.post(&home("automations"), &ann, new).await;
        assert_eq!((refused.status, &refused.body["fields"][0]["path"]), (422, &json!(field)), "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cron_preview_uses_workspace_language() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    scene.life.chat(false).await;
    let path = home("automations/preview?cron=30+2+*+*+1&zone=Europe%2FParis");
    let english = scene.get(&path, &ann).await;
    assert_eq!((english.status, &english.body["says"]), (200, &json!("At 02:30, on Monday.")), "{english:?}");
    assert_eq!(english.body["instants"].as_array().unwrap().len(), 10);
    assert!(english.body["clock_change"]["minutes"].as_i64().unwrap().abs() == 60, "{english:?}");

    let settings = scene.get(&home("settings"), &ann).await;
    let request =
        scene.request(Method::PATCH, &home("settings"), &ann).header("if-match", settings.etag.unwrap());
    let changed = send_request(json_body(request, &json!({ "settings": { "language": "fr" } }))).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(scene.get(&path, &ann).await.body["says"], "À 02:30, le lundi.");

    for wrong in [
        "automations/preview?cron=30+2+*",
        "automations/preview?cron=0+9+*+*+1&zone=Mars",
        "automations/preview",
    ] {
        assert_eq!(scene.get(&home(wrong), &ann).await.status, 422, "{wrong}");
    }
}

/// Input: missing resources, requested in a workspace in English and then in French; expected: problems in its
/// language, without a command of the command line, which the client may not have.
#[tokio::test(flavor = "multi_thread")]
async fn refusal_uses_workspace_language() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    scene.life.chat(false).await;
    let detail = async |path: &str| {
        let refused = scene.get(&home(path), &ann).await;
        assert_eq!(refused.status, 404, "{refused:?}");
        refused.body["detail"].as_str().unwrap().to_owned()
    };
    let cases = [
        ("people/per_eve", "there is no person per_eve here", "il n’y a pas de personne per_eve ici"),
        (
            "model-calls/mc_01k2_3_1",
            "there is no model call mc_01k2_3_1; a session’s journal lists its own",
            "il n’y a pas d’appel de modèle mc_01k2_3_1\u{a0}; le journal d’une session liste les siens",
        ),
    ];
    for (path, english, _) in cases {
        assert_eq!(detail(path).await, english);
    }
    let settings = scene.get(&home("settings"), &ann).await;
    let request =
        scene.request(Method::PATCH, &home("settings"), &ann).header("if-match", settings.etag.unwrap());
    send_request(json_body(request, &json!({ "settings": { "language": "fr" } }))).await;
    for (path, _, french) in cases {
        assert_eq!(detail(path).await, french);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn past_model_call_is_read_with_parts() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (session, _) = scene.request_zone_approval().await;
    let calls = scene.get(&home(&format!("sessions/{session}/model-calls")), &ann).await;
    let id = calls.body["items"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(id, session.model_call_id(RoundAttempt { round: 1, attempt: 1 }).to_string());
    let prompt = scene.get(&home(&format!("model-calls/{id}")), &ann).await;
    assert_eq!((prompt.status, &prompt.body["model"]), (200, &json!("fake-1")), "{prompt:?}");
    assert!(prompt.body["body"].as_str().unwrap().contains("make a zone"));
    let parts = scene.get(&home(&format!("model-calls/{id}/parts")), &ann).await;
    let all = parts.body["parts"].as_array().unwrap();
    assert!(all.iter().any(|part| part["part"] == "turn"), "{parts:?}");
    assert_eq!(parts.body["estimated_tokens"], prompt.body["estimated_tokens"]);
    let beginning = scene.get(&home(&format!("model-calls/{}", &id[..id.len() - 1])), &ann).await;
    assert_eq!(beginning.status, 404, "only whole ids: {beginning:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_is_read_in_pages_with_its_versions() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (zone, tool, entry) = scene.data().await;
    let zones = scene.get(&home("zones"), &ann).await;
    assert_eq!(
        (&zones.body["items"][0]["id"], &zones.body["items"][0]["name"]),
        (&json!(zone), &json!("Body"))
    );
    let read = scene.get(&home(&format!("tools/{tool}")), &ann).await;
    assert_eq!((&read.body["parent"], &read.body["fields"]["tool_type"]), (&json!(zone), &json!("tracking")));
    assert_eq!(read.etag.as_deref(), Some("\"v1\""));
    let of_zone = scene.get(&home(&format!("tools?zone={zone}")), &ann).await;
    assert_eq!(of_zone.body["items"].as_array().unwrap().len(), 1);
    let entries = |rest: &str| {
        let path = home(&format!("tools/{tool}/entries{rest}"));
        let (scene, ann) = (&scene, &ann);
        async move { scene.get(&path, ann).await.body["items"].as_array().unwrap().len() }
    };
    assert_eq!(entries("").await, 1);
    assert_eq!(entries("?from=2026-11-20T08:31:00Z").await, 0);
    assert_eq!(entries("?until=2026-11-20T08:31:00Z").await, 1);
    let one = scene.get(&home(&format!("tools/{tool}/entries/{entry}")), &ann).await;
    assert_eq!(
        (&one.body["at"], &one.body["fields"]["data"]["value"]),
        (&json!("2026-11-20T08:30:00Z"), &json!(72.5))
    );
    assert_eq!(scene.get(&home(&format!("tools/other/entries/{entry}")), &ann).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn exported_session_file_is_imported() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (session, _) = scene.request_zone_approval().await;
    let file = scene.get(&home(&format!("sessions/{session}/export")), &ann).await;
    let path = home("imports?as_new=true");
    let made = send_request(text_body(scene.request(Method::POST, &path, &ann), &file.text)).await;
    assert_eq!((made.status, &made.body["from"]), (201, &json!(session.to_string())), "{made:?}");
    let copy = made.body["session"].as_str().unwrap();
    let verified = scene.post(&home(&format!("sessions/{copy}/verify")), &ann, json!({})).await;
    assert_eq!(verified.body["same"], true, "{verified:?}");
    let unread = scene.get(&home(&format!("sessions/{session}/unread")), &ann).await;
    assert!(
        unread.body["count"].as_u64().unwrap() > 0 && unread.body["up_to"].as_u64().unwrap() > 0,
        "{unread:?}"
    );
    let wrong = scene.post(&home("imports"), &ann, json!({ "no": "session" })).await;
    assert_eq!((wrong.status, wrong.code()), (422, "invalid"));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_setting_is_changed_and_reset() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    scene.life.chat(false).await;
    let path = home("settings/zone");
    let read = scene.get(&path, &ann).await;
    let (etag, default) = (read.etag.unwrap(), read.body["value"].clone());
    let set = |etag: String| {
        let request = scene.request(Method::PATCH, &path, &ann).header("if-match", etag);
        send_request(json_body(request, &json!({ "value": "Asia/Tokyo" })))
    };
    let changed = set(etag.clone()).await;
    assert_eq!((changed.status, &changed.body["value"]), (200, &json!("Asia/Tokyo")), "{changed:?}");
    assert_eq!(set(etag).await.code(), "changed");
    let request = scene.request(Method::DELETE, &path, &ann).header("if-match", changed.etag.unwrap());
    let reset = send_request(request).await;
    assert_eq!((reset.status, &reset.body["value"]), (200, &default), "{reset:?}");
    assert_eq!(scene.get(&home("settings/nothing"), &ann).await.status, 404);
    let checked = scene.post("/v1/providers/fake/check", &ann, json!({})).await;
    assert_eq!(checked.body, json!({ "is_right": true, "class": null, "says": "fake" }));
    let models = scene.get("/v1/providers/fake/models", &ann).await;
    assert_eq!(models.body, json!({ "models": null, "is_cut": false }));
}

/// Input: an automation that would create a zone; expected: a report of what a run would do, and no change.
#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_tells_what_a_run_would_do_and_leaves_nothing() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let new = json!({
            "name": "Order", "trigger": { "type": "every", "interval_ms": 3_600_000 }, "message": "Put things in order.",
            "require_validation": true,
        });
        let made = scene.post(&home("automations"), &ann, new).await;
        let id = made.body["id"].as_str().unwrap();
        let before = world(&scene, &ann).await;
        let script = "[[turn]]\nenvelope = '''{\"pre_text\": \"I make it.\", \"actions\": [{\"type\": \"CREATE_ZONE\", \
                      \"params\": {\"name\": \"Health\"}}], \"keep_control\": true}'''\n[[turn]]\nenvelope = \
                      '''{\"pre_text\": \"Done.\", \"completed\": true}'''\n";
        let asked = json!({ "script": script });
        let told = scene.post(&home(&format!("automations/{id}/dry-runs")), &ann, asked).await;
        assert_eq!((told.status, &told.body["would_work"]), (200, &json!(true)), "{told:?}");
        let call = &told.body["calls"][0];
        let seen = ["command", "waits_for_approval", "held_back"].map(|name| call[name].clone());
        assert_eq!(seen, [json!("zones.create"), json!(true), json!(true)], "{call}");
        assert!(call["says"].as_str().unwrap().contains("Health"), "{call}");
        assert!(told.body["request"]["message"].as_str().unwrap().contains("Put things in order."));
        assert_eq!(world(&scene, &ann).await, before);
        let wrong = json!({ "script": "[[turn]]\ntxt = 1\n" });
        let refused = scene.post(&home(&format!("automations/{id}/dry-runs")), &ann, wrong).await;
        assert_eq!((refused.status, refused.code()), (422, "invalid"));
    }
}

/// Everything that a run could leave behind.
async fn world(scene: &HttpServerFixture, token: &str) -> Vec<Value> {
    let mut lists = Vec::new();
    for list in ["zones", "sessions", "inbox", "automations"] {
        lists.push(scene.get(&home(list), token).await.body["items"].clone());
    }
    lists
}
