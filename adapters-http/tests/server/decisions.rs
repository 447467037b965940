use entracte_application::ports::{AccessReach, TokenScope};
use entracte_domain::id::WorkspaceKey;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, databases};
use entracte_adapters_http::limits::HttpServerLimits;

fn home() -> AccessReach {
    AccessReach::Workspace(WorkspaceKey::new(HOME))
}

#[tokio::test(flavor = "multi_thread")]
async fn second_decider_is_told_who_decided() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let (session, approval) = scene.request_zone_approval().await;
        let ann = scene.token("ann", home(), &[TokenScope::Read, TokenScope::Approve]).await;
        let noe = scene.token("noe", home(), &[TokenScope::Approve]).await;
        let card = scene.get(&format!("/v1/workspaces/{HOME}/approvals/{approval}"), &ann).await;
        let etag = card.etag.clone().unwrap();
        assert_eq!(etag, format!("\"{}\"", card.body["digest"].as_str().unwrap()));

        let approve = json!({ "decision": "approve" });
        let first = scene.decide(&approval, &ann, &etag, approve.clone()).await;
        assert_eq!((first.status, &first.body["decided_by"]), (200, &json!("ann")), "{first:?}");
        let reject = json!({ "decision": "reject", "reason": "no" });
        let second = scene.decide(&approval, &noe, &etag, reject).await;
        assert_eq!((second.status, second.code()), (409, "already-decided"), "{second:?}");
        assert_eq!(second.body["current"]["decided_by"], "ann");
        assert_eq!(second.body["current"]["decision"], "approved");
        let comment = &second.body["current"]["comments"][0];
        assert_eq!((&comment["by"], &comment["text"]), (&json!("noe"), &json!("no")), "{second:?}");
        // The same decision again gets the same answer, for the same card and from the same person.
        let again = scene.decide(&approval, &ann, &etag, approve.clone()).await;
        assert_eq!((again.status, &again.body["decided_by"]), (200, &json!("ann")), "{again:?}");
        let other = scene.decide(&approval, &noe, &etag, approve.clone()).await;
        assert_eq!((other.status, other.code()), (409, "already-decided"), "{other:?}");
        assert_eq!(other.body["current"]["decided_by"], "ann");
        let unread = scene.decide(&approval, &ann, "\"of another card\"", approve).await;
        assert_eq!((unread.status, unread.code()), (412, "changed"), "{unread:?}");
        // The reason of the second one is stored with the decision; one for another card is not.
        let wrong = json!({ "decision": "reject", "reason": "wrong" });
        let unread = scene.decide(&approval, &noe, "\"of another card\"", wrong).await;
        assert_eq!((unread.status, unread.code()), (409, "already-decided"), "{unread:?}");
        let calls = scene.get(&format!("/v1/workspaces/{HOME}/sessions/{session}/calls"), &ann).await;
        let call = &calls.body["items"][0];
        assert_eq!((&call["decided_by"], &call["decision"]), (&json!("ann"), &json!("approved")));
        let comments = call["comments"].as_array().unwrap();
        assert_eq!((comments.len(), &comments[0]["by"]), (1, &json!("noe")), "{comments:?}");
        scene.life.verify(&session).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn decision_is_bound_to_read_card() {
    let scene = HttpServerFixture::new().await;
    let (session, approval) = scene.request_zone_approval().await;
    let ann = scene.admin("ann", HOME).await;
    let before = scene.journal(&session).await;
    let path = format!("/v1/workspaces/{HOME}/approvals/{approval}/decision");
    let approve = json!({ "decision": "approve" });
    let blind = scene.post(&path, &ann, approve.clone()).await;
    assert_eq!((blind.status, blind.code()), (428, "precondition-required"));
    for (etag, status) in [("*", 428), ("\"of another card\"", 412)] {
        let refused = scene.decide(&approval, &ann, etag, approve.clone()).await;
        assert_eq!(refused.status, status, "{refused:?}");
        if status == 412 {
            assert_eq!(refused.code(), "changed");
            assert_eq!(refused.body["current"]["id"], json!(approval));
        }
    }
    assert_eq!(scene.journal(&session).await, before, "nothing was decided");
}

#[tokio::test(flavor = "multi_thread")]
async fn card_contains_all_decision_facts() {
    let scene = HttpServerFixture::new().await;
    let (_, approval) = scene.request_zone_approval().await;
    let ann = scene.admin("ann", HOME).await;
    let listed = scene.get(&format!("/v1/workspaces/{HOME}/approvals"), &ann).await;
    let card = scene.get(&format!("/v1/workspaces/{HOME}/approvals/{approval}"), &ann).await.body;
    let mut listed = listed.body["items"][0].clone();
    assert!(listed["read_at"].as_str() >= card["asked_at"].as_str(), "{listed}");
    listed["read_at"] = card["read_at"].clone();
    assert_eq!(listed, card);
    assert_eq!(card["command"], "zones.create");
    assert_eq!(card["arguments"], json!({ "name": "Health" }));
    assert_eq!(card["arguments_text"], r#"{"name":"Health"}"#);
    assert_eq!(card["effect"], "local");
    assert_eq!(card["requester"], "ann");
    assert_eq!(card["marks"], json!([]));
    for field in ["digest", "says", "asked_at", "expires_at"] {
        assert!(card[field].as_str().is_some_and(|text| !text.is_empty()), "{field}");
    }
    assert_eq!(card["reasons"][0]["level"], "session");
    let levels = card["levels"].as_array().unwrap();
    let asks = levels.iter().map(|level| (level["level"].as_str().unwrap(), level["asks"] == true));
    let none = ["workspace", "zone", "tool", "ai_request", "catalog", "policy", "four_eyes", "approvers"]
        .map(|level| (level, false));
    let mut expected = none.to_vec();
    expected.insert(3, ("session", true));
    assert_eq!(asks.collect::<Vec<_>>(), expected, "all of them, asked or not");
    assert_eq!((&card["waits_for"], &card["then"]), (&json!([]), &json!([])), "it runs at once");
}

/// Input: a zone with three tools, which a model asks to delete; expected: the card lists each of them. The AG-UI
/// stream has the same shape.
#[tokio::test(flavor = "multi_thread")]
async fn zone_deletion_card_names_each_tool() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (zone, _, _) = scene.data().await;
    for name in ["Diary", "Dreams"] {
        let tool = json!({ "zone_id": zone, "tool_type": "notes", "name": name });
        scene.run_action("CREATE_TOOL", tool).await;
    }
    let session = scene.life.chat(false).await;
    let deletes = ("DELETE_ZONE", json!({ "zone_id": zone }));
    scene.model.push_lines([entracte_tests::runtime_fixture::command_request_line("actions", &[deletes])]);
    scene.life.send_and_wait(&session, "away with it").await;
    let listed = scene.get(&format!("/v1/workspaces/{HOME}/approvals"), &ann).await;
    let before = listed.body["items"][0]["before"].as_object().unwrap();
    let tools: Vec<&str> =
        before.values().filter_map(Value::as_str).filter(|said| said.starts_with("tool “")).collect();
    assert_eq!(tools.len(), 3, "{before:?}");
    for said in ["tool “Diary”, entries: none", "tool “Dreams”, entries: none", "tool “Weight”, entries: 1"]
    {
        assert_eq!(tools.iter().filter(|tool| tool.starts_with(said)).count(), 1, "{said}: {tools:?}");
    }
}

/// Two people in one chat: an action that one requests and the other approves runs once, and records both.
#[tokio::test(flavor = "multi_thread")]
async fn http_approval_runs_effect_once() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.token("ann", home(), &[TokenScope::Read, TokenScope::Chat]).await;
        let noe = scene.token("noe", home(), &[TokenScope::Read, TokenScope::Approve]).await;
        let home = format!("/v1/workspaces/{HOME}");
        let new = json!({ "name": "zones", "require_validation": true });
        let chat = scene.post(&format!("{home}/sessions"), &ann, new).await;
        assert_eq!(chat.status, 201, "{chat:?}");
        let session = chat.body["id"].as_str().unwrap().to_owned();

        let zone = ("CREATE_ZONE", json!({ "name": "Health" }));
        scene.model.push_lines([entracte_tests::runtime_fixture::command_request_line("actions", &[zone])]);
        let message = json!({ "text": "Make the zone Health.", "client_key": "k1" });
        let messages = format!("{home}/sessions/{session}/messages");
        let sent = scene.post(&messages, &ann, message.clone()).await;
        assert_eq!(sent.status, 202, "{sent:?}");
        let again = scene.post(&messages, &ann, message).await;
        assert_eq!(again.body["message"], sent.body["message"], "the same key is the same message");

        let approvals = format!("{home}/approvals");
        let waits = until(&scene, &approvals, &noe, |body| !body["items"][0].is_null()).await;
        let card = &waits["items"][0];
        let (approval, digest) = (card["id"].as_str().unwrap(), card["digest"].as_str().unwrap());
        let approve = json!({ "decision": "approve" });
        let mine = scene.decide(approval, &ann, &format!("\"{digest}\""), approve.clone()).await;
        assert_eq!((mine.status, mine.code()), (403, "scope-missing"));
        let decided = scene.decide(approval, &noe, &format!("\"{digest}\""), approve).await;
        assert_eq!(decided.status, 200, "{decided:?}");

        let calls = format!("{home}/sessions/{session}/calls");
        let calls = until(&scene, &calls, &ann, |body| body["items"][0]["state"] == "succeeded").await;
        assert_eq!(calls["items"][0]["decided_by"], "noe");
        let zones = scene.post(&format!("{home}/commands/zones.list/runs"), &ann, json!({})).await;
        assert_eq!(zones.body.to_string().matches("\"Health\"").count(), 1, "{zones:?}");
        let said = scene.get(&messages, &ann).await;
        let first = said.body["items"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&first["role"], &first["author"]), (&json!("user"), &json!("ann")));
    }
}

/// The answer was lost. Before the repeat, an earlier action changed the value that this one would overwrite, and
/// another card of the same call is pending.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_under_a_key_is_answered_before_the_card_is_compared() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (zone, _, _) = scene.data().await;
    let session = scene.life.chat(true).await;
    let describes = |text: &str| ("UPDATE_ZONE", json!({ "zone_id": zone, "description": text }));
    scene.model.push_lines([entracte_tests::runtime_fixture::command_request_line(
        "actions",
        &[describes("first"), describes("second")],
    )]);
    scene.life.send_and_wait(&session, "describe it twice").await;
    let list = format!("/v1/workspaces/{HOME}/approvals");
    let cards = scene.get(&list, &ann).await.body["items"].clone();
    let of = |text: &str| {
        let found = cards.as_array().unwrap().iter().find(|card| card["arguments"]["description"] == text);
        let card = found.unwrap();
        (card["id"].as_str().unwrap().to_owned(), format!("\"{}\"", card["digest"].as_str().unwrap()))
    };
    let ((first, first_tag), (second, second_tag)) = (of("first"), of("second"));
    let path = format!("{list}/{second}/decision");
    let decide = || {
        let request = scene.request(reqwest::Method::POST, &path, &ann).header("if-match", &second_tag);
        let request = request.header("idempotency-key", "k1");
        super::server_fixture::send_request(super::server_fixture::json_body(
            request,
            &json!({ "decision": "approve" }),
        ))
    };
    let decided = decide().await;
    assert_eq!(decided.status, 200, "{decided:?}");
    let done = scene.decide(&first, &ann, &first_tag, json!({ "decision": "approve" })).await;
    assert_eq!(done.status, 200, "{done:?}");
    let is_another = |body: &Value| {
        let card = &body["items"][0];
        card["arguments"]["description"] == "second" && card["id"] != json!(second)
    };
    until(&scene, &list, &ann, is_another).await;
    let again = decide().await;
    assert_eq!(
        (again.status, &again.headers["idempotency-replayed"]),
        (200, &"true".parse().unwrap()),
        "{again:?}"
    );
    let blind = scene.decide(&second, &ann, &second_tag, json!({ "decision": "approve" })).await;
    assert_eq!((blind.status, blind.code()), (412, "changed"), "without the key it is another decision");
    scene.life.verify(&session).await;
}

/// Repeats a request until a condition holds.
pub(crate) async fn until(
    scene: &HttpServerFixture,
    path: &str,
    token: &str,
    is_so: impl Fn(&Value) -> bool,
) -> Value {
    for _ in 0..500 {
        let told = scene.get(path, token).await;
        assert_eq!(told.status, 200, "{told:?}");
        if is_so(&told.body) {
            return told.body;
        }
        scene.life.follow().wait_for_change().await;
    }
    panic!("{path} never came to it")
}

/// Requests two zones at once: two cards of one reply.
async fn two_cards(scene: &HttpServerFixture, ann: &str) -> (String, Vec<Value>) {
    let session = scene.life.chat(true).await;
    let zone = |name: &str| ("CREATE_ZONE", json!({ "name": name }));
    scene.model.push_lines([entracte_tests::runtime_fixture::command_request_line(
        "actions",
        &[zone("Health"), zone("Work")],
    )]);
    scene.life.send_and_wait(&session, "make two zones").await;
    let listed = scene.get(&format!("/v1/workspaces/{HOME}/approvals"), ann).await;
    (session.to_string(), listed.body["items"].as_array().unwrap().clone())
}

fn decision_body(card: &Value, digest: &Value, decision: &str) -> Value {
    json!({ "approval": card["id"], "digest": digest, "decision": decision })
}

#[tokio::test(flavor = "multi_thread")]
async fn cards_are_decided_all_or_none() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let (session, cards) = two_cards(&scene, &ann).await;
        assert_eq!(cards.len(), 2, "{cards:?}");
        assert_eq!(
            (&cards[0]["then"], &cards[1]["waits_for"]),
            (&json!([cards[1]["call"]]), &json!([cards[0]["call"]]))
        );
        let path = format!("/v1/workspaces/{HOME}/sessions/{session}/decisions");
        let both = |last: &Value, decision: &str| {
            let first = decision_body(&cards[0], &cards[0]["digest"], "approve");
            json!({ "decisions": [first, decision_body(&cards[1], last, decision)] })
        };
        let stale = scene.post(&path, &ann, both(&json!("of another card"), "approve")).await;
        assert_eq!((stale.status, stale.code()), (412, "changed"), "{stale:?}");
        assert_eq!(stale.body["current"][0]["id"], cards[1]["id"], "the card as it is now");
        let waiting = scene.get(&format!("/v1/workspaces/{HOME}/approvals"), &ann).await;
        assert_eq!(waiting.body["items"].as_array().unwrap().len(), 2, "nothing was decided");

        let decided = scene.post(&path, &ann, both(&cards[1]["digest"], "reject")).await;
        assert_eq!(decided.status, 200, "{decided:?}");
        let what: Vec<&Value> =
            decided.body["decisions"].as_array().unwrap().iter().map(|one| &one["decision"]).collect();
        assert_eq!(what, ["approved", "rejected"]);
        let late = scene.post(&path, &ann, both(&cards[1]["digest"], "approve")).await;
        assert_eq!((late.status, late.code()), (409, "already-decided"), "{late:?}");
        assert_eq!(late.body["current"][1]["decision"], "rejected", "the first decision");
        let none = scene.post(&path, &ann, json!({ "decisions": [] })).await;
        assert_eq!((none.status, none.code()), (422, "invalid"));
    }
}

/// Input: a session in mode `plan`, and over HTTP a rejection with a reason and then an approval; expected: the card
/// lists the steps, nothing runs before the approval, and the session shows the plan's progress.
#[tokio::test(flavor = "multi_thread")]
async fn plan_is_rejected_then_next_approved() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let home = format!("/v1/workspaces/{HOME}");
    let chat = scene.post(&format!("{home}/sessions"), &ann, json!({ "mode": "plan" })).await;
    assert_eq!(chat.status, 201, "{chat:?}");
    let session = chat.body["id"].as_str().unwrap().to_owned();
    let plan = |title: &str| {
        let steps = json!([{ "id": "1", "text": "Create the zone Health" }, { "id": "2", "text": "Say so" }]);
        entracte_tests::runtime_fixture::command_request_line(
            "actions",
            &[("PROPOSE_PLAN", json!({ "title": title, "steps": steps }))],
        )
    };
    scene.model.push_lines([plan("Everything at once")]);
    let message = json!({ "text": "Follow my health." });
    scene.post(&format!("{home}/sessions/{session}/messages"), &ann, message).await;
    let approvals = format!("{home}/approvals");
    let titled = |title: &'static str| move |body: &Value| body["items"][0]["arguments"]["title"] == title;
    let waits = until(&scene, &approvals, &ann, titled("Everything at once")).await;
    let card = waits["items"][0].clone();
    assert_eq!(card["command"], "plan.propose");
    assert_eq!(card["arguments"]["steps"][0]["text"], "Create the zone Health");

    scene.model.push_lines([plan("Only the zone")]);
    let tag = |card: &Value| format!("\"{}\"", card["digest"].as_str().unwrap());
    let reject = json!({ "decision": "reject", "reason": "one thing at a time" });
    let refused = scene.decide(card["id"].as_str().unwrap(), &ann, &tag(&card), reject).await;
    assert_eq!(refused.status, 200, "{refused:?}");
    let card = until(&scene, &approvals, &ann, titled("Only the zone")).await["items"][0].clone();
    let zones = scene.post(&format!("{home}/commands/zones.list/runs"), &ann, json!({})).await;
    assert!(!zones.body.to_string().contains("Health"), "{zones:?}");

    let zone = ("CREATE_ZONE", json!({ "name": "Health" }));
    let step = ("PLAN_STEP", json!({ "id": "1", "state": "done" }));
    scene.model.push_lines([
        entracte_tests::runtime_fixture::command_request_line("actions", &[zone, step]),
        entracte_tests::runtime_fixture::envelope_line("Done."),
    ]);
    let approve = json!({ "decision": "approve" });
    let approved = scene.decide(card["id"].as_str().unwrap(), &ann, &tag(&card), approve).await;
    assert_eq!(approved.status, 200, "{approved:?}");
    let path = format!("{home}/sessions/{session}");
    let view = until(&scene, &path, &ann, |body| body["plan"]["steps"][0]["state"] == "done").await;
    assert_eq!(view["plan"]["title"], "Only the zone");
    assert_eq!(view["plan"]["approved_by"], "ann");
    let messages = scene.get(&format!("{path}/messages"), &ann).await.body.to_string();
    assert!(messages.contains("one thing at a time"), "{messages}");
}

/// Input: one request that names a card twice: with different decisions, with the same one, beside another card;
/// expected: refused, nothing runs and nothing is recorded. The card stays pending.
#[tokio::test(flavor = "multi_thread")]
async fn duplicate_card_in_decision_is_refused() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let (session, cards) = two_cards(&scene, &ann).await;
        let path = format!("/v1/workspaces/{HOME}/sessions/{session}/decisions");
        let of = |card: usize, decision: &str| decision_body(&cards[card], &cards[card]["digest"], decision);
        let is_undecided = |call: &Value| call["decided_by"].is_null() && call["state"] == "waiting_decision";
        for decisions in [
            vec![of(0, "approve"), of(0, "reject")],
            vec![of(0, "reject"), of(0, "approve")],
            vec![of(0, "approve"), of(0, "approve")],
            vec![of(0, "approve"), of(1, "approve"), of(0, "reject")],
        ] {
            let last = decisions.len() - 1;
            let twice = scene.post(&path, &ann, json!({ "decisions": decisions })).await;
            assert_eq!((twice.status, twice.code()), (422, "invalid"), "{twice:?}");
            assert_eq!(twice.body["fields"][0]["path"], format!("decisions[{last}].approval"));
        }
        let listed = scene.get(&format!("/v1/workspaces/{HOME}/approvals"), &ann).await;
        assert_eq!(listed.body["items"].as_array().unwrap().len(), 2, "both still wait");
        let calls = scene.get(&format!("/v1/workspaces/{HOME}/sessions/{session}/calls"), &ann).await;
        assert!(calls.body["items"].as_array().unwrap().iter().all(is_undecided), "{calls:?}");

        let entry = |card: usize, approved: bool| {
            let (id, digest) = (cards[card]["id"].as_str().unwrap(), cards[card]["digest"].as_str().unwrap());
            json!({
                "interruptId": format!("{id}~{digest}"), "status": "resolved",
                "payload": { "approved": approved },
            })
        };
        let resume = [entry(0, true), entry(1, true), entry(0, false)];
        let run = json!({ "threadId": session, "runId": "r1", "resume": resume });
        let run = scene.post(&format!("/v1/workspaces/{HOME}/agui"), &ann, run).await;
        assert!(run.text.contains("RUN_ERROR") && run.text.contains("twice"), "{run:?}");
        let calls = scene.get(&format!("/v1/workspaces/{HOME}/sessions/{session}/calls"), &ann).await;
        assert!(calls.body["items"].as_array().unwrap().iter().all(is_undecided), "{calls:?}");
    }
}

/// Input: words in place of a decision, by a token that may decide and not send messages, on one card and in a list;
/// expected: they are refused for the scope, and no message was sent; with both scopes they are accepted.
#[tokio::test(flavor = "multi_thread")]
async fn words_in_place_of_a_decision_need_chat() {
    let scene = HttpServerFixture::new().await;
    let (session, approval) = scene.request_zone_approval().await;
    let decider = scene.token("ann", home(), &[TokenScope::Read, TokenScope::Approve]).await;
    let card = scene.get(&format!("/v1/workspaces/{HOME}/approvals/{approval}"), &decider).await;
    let (etag, digest) = (card.etag.clone().unwrap(), card.body["digest"].clone());
    let words = json!({ "decision": "answer", "text": "Call it Sport." });
    let one = scene.decide(&approval, &decider, &etag, words.clone()).await;
    let each =
        json!({ "approval": approval, "digest": digest, "decision": "answer", "text": "Call it Sport." });
    let path = format!("/v1/workspaces/{HOME}/sessions/{session}/decisions");
    let all = scene.post(&path, &decider, json!({ "decisions": [each] })).await;
    for refused in [one, all] {
        assert_eq!((refused.status, refused.code()), (403, "scope-missing"), "{refused:?}");
    }
    let messages = scene.get(&format!("/v1/workspaces/{HOME}/sessions/{session}/messages"), &decider).await;
    assert!(!messages.body.to_string().contains("Call it Sport."), "{messages:?}");
    scene.model.push_lines([entracte_tests::runtime_fixture::envelope_line("As you like.")]);
    let both = [TokenScope::Read, TokenScope::Chat, TokenScope::Approve];
    let sent = scene.decide(&approval, &scene.token("ann", home(), &both).await, &etag, words).await;
    assert_eq!((sent.status, &sent.body["decision"]), (200, &json!("rejected")), "{sent:?}");
    scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
}

/// Input: words in place of a decision, the same again, no words, and a decision after it; expected: the call is rejected by
/// the person, the words are a message, and everything else is refused.
#[tokio::test(flavor = "multi_thread")]
async fn words_in_place_of_a_decision_are_a_message() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let (session, approval) = scene.request_zone_approval().await;
        let ann = scene.admin("ann", HOME).await;
        let card = scene.get(&format!("/v1/workspaces/{HOME}/approvals/{approval}"), &ann).await;
        let etag = card.etag.clone().unwrap();
        let none = scene.decide(&approval, &ann, &etag, json!({ "decision": "answer", "text": " " })).await;
        assert_eq!(none.status, 422, "{none:?}");
        scene.model.push_lines([entracte_tests::runtime_fixture::envelope_line("As you like.")]);
        let words = json!({ "decision": "answer", "text": "Call it Sport." });
        let sent = scene.decide(&approval, &ann, &etag, words.clone()).await;
        assert_eq!((sent.status, &sent.body["decision"]), (200, &json!("rejected")), "{sent:?}");
        assert_eq!((&sent.body["decided_by"], &sent.body["state"]), (&json!("ann"), &json!("rejected")));
        for late in [words, json!({ "decision": "approve" })] {
            let late = scene.decide(&approval, &ann, &etag, late).await;
            assert_eq!((late.status, late.code()), (409, "already-decided"), "{late:?}");
        }
        scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
        let said = scene.get(&format!("/v1/workspaces/{HOME}/sessions/{session}/messages"), &ann).await.body;
        let said = said.to_string();
        assert!(said.contains("Call it Sport.") && said.contains("As you like."), "{said}");
        scene.life.verify(&session).await;
    }
}

/// Input: a width that does not cover the call on the card, one with a limit that means nothing, then the one that the
/// card offers; expected: the first two are refused and decide nothing, and the last one makes a mandate with an empty
/// account.
#[tokio::test(flavor = "multi_thread")]
async fn offered_width_makes_a_mandate() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let (_, approval) = scene.request_zone_approval().await;
        let ann = scene.admin("ann", HOME).await;
        let card = scene.get(&format!("/v1/workspaces/{HOME}/approvals/{approval}"), &ann).await;
        let etag = card.etag.clone().unwrap();
        let always = |width: Value| json!({ "decision": "always", "width": width });
        let other = json!({ "arguments": { "name": { "is": "Home" } }, "limits": { "day": { "calls": 1 } } });
        let none = json!({ "arguments": { "name": "any" }, "limits": { "day": { "calls": 0 } } });
        for wrong in [other, none] {
            let refused = scene.decide(&approval, &ann, &etag, always(wrong)).await;
            assert_eq!((refused.status, refused.code()), (422, "invalid"), "{refused:?}");
        }
        let offered = &card.body["widths"][0];
        let text: Value = serde_json::from_str(offered["width_text"].as_str().unwrap()).unwrap();
        assert_eq!(text, offered["width"], "{offered:#}");
        let mut own = always(text.clone());
        (own["width"]["requester_only"], own["agents"]) = (json!(true), json!(true));
        let refused = scene.decide(&approval, &ann, &etag, own).await;
        assert_eq!((refused.status, refused.code()), (422, "invalid"), "a chat has no agents: {refused:?}");
        let made = scene.decide(&approval, &ann, &etag, always(text)).await;
        assert_eq!(made.status, 200, "{made:?}");
        let rule = made.body["rule"].as_str().unwrap();
        let rule = scene.get(&format!("/v1/workspaces/{HOME}/rules/{rule}"), &ann).await.body;
        assert_eq!(rule["limits"]["day"]["calls"], 5, "{rule:#}");
        assert_eq!(rule["used"]["total"], json!({ "calls": 0, "sum": "0" }), "{rule:#}");
    }
}

/// Input: rules whose scopes, numbers or sums contradict each other or are not exact; expected: each is refused.
#[tokio::test(flavor = "multi_thread")]
async fn contradictory_mandate_is_refused() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let any = json!({ "name": "any" });
        let cases = [
            (422, json!({ "session": "ses_a", "agent": "payer", "arguments": any })),
            (422, json!({ "times": 1, "limits": { "total": { "calls": 2 } }, "arguments": any })),
            (422, json!({ "limits": { "total": { "sum": "5" } }, "arguments": any })),
            (422, json!({ "arguments": { "name": { "prefix": "https://acme.example" } } })),
            (422, json!({ "arguments": { "name": { "range": { "least": "2", "most": "1" } } } })),
            (422, json!({ "denies": "no", "arguments": { "name": { "prefix": "x/" } } })),
            (404, json!({ "automation": "aut_none", "arguments": any })),
            (404, json!({ "agent": "nobody", "arguments": any })),
        ];
        for (status, mut rule) in cases {
            rule["command"] = json!("zones.create");
            let refused = scene.post(&format!("/v1/workspaces/{HOME}/rules"), &ann, rule.clone()).await;
            assert_eq!(refused.status, status, "{rule}: {refused:?}");
        }
        let inexact =
            json!({ "command": "zones.create", "arguments": { "name": { "range": { "most": 1.5 } } } });
        let refused = scene.post(&format!("/v1/workspaces/{HOME}/rules"), &ann, inexact).await;
        assert!(matches!(refused.status, 400 | 422), "a number has its digits in a text: {refused:?}");
    }
}
