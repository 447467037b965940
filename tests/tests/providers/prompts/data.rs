//! Data that is always sent: in the prefix when a generation starts, and as news when it changes.

use entracte_application::ports::{ResourceFilter, ResourceRow};
use entracte_application::settings::RuntimeSettings;
use entracte_application::use_cases::ApprovalChoice;
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::FailureClass;
use entracte_tests::runtime_fixture::RuntimeFixture;
use serde_json::{Value, json};

use super::fixture::{PromptFixture, asks, home, says, set};
use super::recording_model::{RecordedModelRequest, RecordingModelStep};

async fn rows(life: &RuntimeFixture, kind: &str) -> Vec<ResourceRow> {
    let filter = ResourceFilter { kind: kind.into(), ..ResourceFilter::default() };
    life.services.rows.resources(&home(), &filter).await.unwrap()
}

async fn id_of(life: &RuntimeFixture, name: &str) -> String {
    let tools = rows(life, "tool").await;
    tools.into_iter().find(|tool| tool.name == name).unwrap().id
}

/// Lets a session execute these actions, one after the other.
async fn act(scene: &PromptFixture, life: &RuntimeFixture, session: &SessionId, actions: &[(&str, Value)]) {
    scene.model.will([asks("actions", actions)]);
    life.send_and_wait(session, "do it").await;
    let failed: Vec<_> =
        life.calls(session).await.into_iter().filter(|(_, state)| state == "failed").collect();
    assert_eq!(failed, []);
}

fn tool(zone: &str, name: &str, always_send: bool) -> (&'static str, Value) {
    let params = json!({
        "zone_id": zone, "name": name, "tool_type": "tracking", "always_send": always_send,
        "config": {"kind": "numeric", "unit": "kg"},
    });
    ("CREATE_TOOL", params)
}

/// A workspace with the tools Weight, which is always sent, and Mood, which is not; and the session that created them.
async fn furnished(scene: &PromptFixture, life: &RuntimeFixture) -> SessionId {
    let maker = life.chat(false).await;
    act(scene, life, &maker, &[("CREATE_ZONE", json!({ "name": "Health" }))]).await;
    let zone = rows(life, "zone").await.remove(0).id;
    act(scene, life, &maker, &[tool(&zone, "Weight", true), tool(&zone, "Mood", false)]).await;
    maker
}

/// Sends a message and returns the resulting request.
async fn hear(scene: &PromptFixture, life: &RuntimeFixture, session: &SessionId) -> RecordedModelRequest {
    scene.model.will([says("I see")]);
    life.send_and_wait(session, "and now?").await;
    scene.model.last()
}

/// The news in a request.
fn news(seen: &RecordedModelRequest) -> Vec<String> {
    seen.system_parts().into_iter().filter(|part| part.contains("RULES_CHANGED")).collect()
}

/// The additional news of the later request, which must repeat every byte of the earlier one.
fn more(earlier: &RecordedModelRequest, later: &RecordedModelRequest) -> Vec<String> {
    assert_eq!(later.request.system, earlier.request.system, "no generation began");
    let before = earlier.request.turns.len();
    assert_eq!(&later.request.turns[..before], &earlier.request.turns[..], "what was sent stays");
    news(later).split_off(news(earlier).len())
}

/// Checks that there is one piece of news with these texts and without those.
fn check(news: &[String], holds: &[&str], not: &[&str]) {
    let [only] = news else { panic!("{news:?}") };
    for text in holds {
        assert!(only.contains(text), "no {text} in {only}");
    }
    for text in not {
        assert!(!only.contains(text), "{text} in {only}");
    }
}

async fn generations(life: &RuntimeFixture, session: &SessionId) -> usize {
    life.entries(session).await.iter().filter_map(entracte_application::prompt::generation_prefix).count()
}

#[tokio::test(start_paused = true)]
async fn changed_level2_data_reaches_the_next_round() {
    let scene = PromptFixture::new();
    let life = scene.life().await;
    let maker = furnished(&scene, &life).await;
    let (weight, mood) = (id_of(&life, "Weight").await, id_of(&life, "Mood").await);
    let reader = life.chat(false).await;
    let first = hear(&scene, &life, &reader).await;
    assert!(first.request.system[1].contains(&format!("\"id\":\"{weight}\"")), "{:?}", first.request.system);
    assert!(!first.request.system[1].contains(&mood) && news(&first).is_empty());

    // Its own action, in the same exchange.
    let rename = json!({ "tool_id": weight, "name": "Body weight" });
    let envelope = json!({
        "pre_text": "One moment.", "keep_control": true,
        "actions": [{ "type": "UPDATE_TOOL", "params": rename }],
    });
    scene.model.will([RecordingModelStep::Says(envelope.to_string()), says("renamed")]);
    life.send_and_wait(&reader, "rename it").await;
    let all = scene.model.all();
    let [.., asked, second] = all.as_slice() else { panic!() };
    check(&more(asked, second), &["Body weight", &weight], &["Mood", "\"Weight\""]);
    let third = hear(&scene, &life, &reader).await;
    assert_eq!(more(second, &third), [] as [String; 0], "nothing is told twice");

    // Another session.
    act(&scene, &life, &maker, &[("UPDATE_TOOL", json!({ "tool_id": weight, "config": { "max": 150 } }))])
        .await;
    let fourth = hear(&scene, &life, &reader).await;
    check(&more(&third, &fourth), &["\"max\":150"], &["Mood"]);

    // A tool under another name that is sent from now on, and one that no longer is.
    let send = json!({ "tool_id": mood, "always_send": true, "name": "Spirits" });
    act(&scene, &life, &maker, &[("UPDATE_TOOL", send)]).await;
    let fifth = hear(&scene, &life, &reader).await;
    check(&more(&fourth, &fifth), &["Spirits"], &["Body weight", "Mood"]);
    scene.model.will([asks("actions", &[("DELETE_TOOL", json!({ "tool_id": mood }))])]);
    life.send_and_wait(&maker, "delete it").await;
    life.decide_and_wait(&maker, ApprovalChoice::Approve).await;
    let sixth = hear(&scene, &life, &reader).await;
    check(&more(&fifth, &sixth), &[&mood], &["Body weight"]);
    assert_eq!(generations(&life, &reader).await, 1, "data alone begins no generation");
    life.verify(&reader).await;
}

#[tokio::test(start_paused = true)]
async fn new_generation_has_current_data_without_news() {
    let scene = PromptFixture::new();
    let life = scene.life().await;
    let maker = furnished(&scene, &life).await;
    let weight = id_of(&life, "Weight").await;
    let limit = |max: u32| ("UPDATE_TOOL", json!({ "tool_id": weight, "config": { "max": max } }));
    let reader = life.chat(false).await;
    hear(&scene, &life, &reader).await;
    act(&scene, &life, &maker, &[limit(150)]).await;
    assert_eq!(news(&hear(&scene, &life, &reader).await).len(), 1);

    act(&scene, &life, &maker, &[limit(151)]).await;
    let summary = RecordingModelStep::Says("They asked what is new.".into());
    scene.model.will([RecordingModelStep::Fails(FailureClass::ContextTooLong), summary]);
    let summed = hear(&scene, &life, &reader).await;
    assert!(summed.request.system[1].contains("\"max\":151"), "{:?}", summed.request.system);
    assert_eq!(news(&summed), [] as [String; 0], "the prefix holds it");
    let after = hear(&scene, &life, &reader).await;
    assert_eq!(more(&summed, &after), [] as [String; 0], "nothing is told twice");

    act(&scene, &life, &maker, &[limit(152)]).await;
    check(&more(&after, &hear(&scene, &life, &reader).await), &["\"max\":152"], &[]);
    act(&scene, &life, &maker, &[limit(153)]).await;
    set(&life, &[("zone", "Asia/Tokyo")]).await;
    let elsewhere = hear(&scene, &life, &reader).await;
    assert!(elsewhere.request.system[1].contains("\"max\":153"), "{:?}", elsewhere.request.system);
    assert_eq!(news(&elsewhere), [] as [String; 0], "old news would tell the model what is no more");
    life.verify(&reader).await;
}

#[tokio::test(start_paused = true)]
async fn workspace_state_is_sent_if_setting_is_on() {
    let scene = PromptFixture::new();
    let life = scene.life().await;
    let maker = furnished(&scene, &life).await;
    set(&life, &[("prompt_app_state", "true")]).await;
    let reader = life.chat(false).await;
    let first = hear(&scene, &life, &reader).await;
    assert!(first.request.system[1].contains("\"zones\":[{\"id\":"), "{:?}", first.request.system);
    act(&scene, &life, &maker, &[("CREATE_ZONE", json!({ "name": "Work" }))]).await;
    check(&more(&first, &hear(&scene, &life, &reader).await), &["app.state", "Work"], &["latest_entries"]);
}

#[tokio::test(start_paused = true)]
async fn limits_of_the_data_hold() {
    let settings = RuntimeSettings { data_entries: 2, data_max_chars: 400, ..RuntimeSettings::default() };
    let mut scene = PromptFixture::new();
    scene.settings = settings;
    let life = scene.life().await;
    let maker = furnished(&scene, &life).await;
    let weight = id_of(&life, "Weight").await;
    let entries: Vec<Value> = (70..74).map(|kilos| json!({ "data": { "value": kilos } })).collect();
    let create = json!({ "tool_id": weight, "entries": entries });
    scene.model.will([
        asks("queries", &[("SCHEMA", json!({ "tool_id": weight }))]),
        asks("actions", &[("CREATE_DATA", create)]),
    ]);
    life.send_and_wait(&maker, "log them").await;
    assert_eq!(rows(&life, "entry").await.len(), 4, "{:?}", life.calls(&maker).await);
    let reader = life.chat(false).await;
    let data = hear(&scene, &life, &reader).await.request.system[1].to_string();
    assert_eq!(data.matches("\"value\"").count(), 2, "{data}");

    let long = json!({ "tool_id": weight, "name": "w".repeat(80) });
    act(&scene, &life, &maker, &[("UPDATE_TOOL", long)]).await;
    let told = news(&hear(&scene, &life, &reader).await).remove(0);
    let section = &told[told.find("## ").unwrap()..told.find('…').unwrap()];
    assert_eq!(section.chars().count(), 400, "{told}");
}
