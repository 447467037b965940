//! A session recorded as a script and played again.

#![expect(clippy::unwrap_used, reason = "these are the helpers of tests")]

use std::sync::Arc;

use entracte_adapters_providers::rehearsal::{RecordingOptions, RehearsalProvider, record_script};
use entracte_application::ports::NoopScrubber;
use entracte_application::use_cases::{NewChat, StartChat};
use entracte_domain::id::SessionId;
use entracte_domain::message::{Message, MessageBody};
use entracte_domain::session::Dialect;
use entracte_tests::runtime_fixture::{
    FakeModelLine, RuntimeFixture, SequentialIds, command_request_line, envelope_line,
};
use serde_json::{Value, json};

use super::fixture::{ValidationFixture, last_resource_id};

/// The text of a message, independent of the session's id.
fn reads(message: &Message, session: &SessionId) -> String {
    let words = match &message.body {
        MessageBody::Rich(said) => said.linear_text(),
        MessageBody::Text(text) => text.to_plain_text().into_owned(),
        MessageBody::Ai(said) => {
            let own: Vec<String> = said.own_calls.iter().map(|call| call.arguments.to_json()).collect();
            let asked: Vec<String> =
                said.queries.iter().chain(&said.actions).map(|asked| asked.canonical_bytes()).collect();
            format!("{} {asked:?} {own:?} {:?} {}", said.pre_text, said.post_text, said.original)
        }
        MessageBody::System(told) => {
            let results: Vec<String> = told
                .results
                .iter()
                .map(|one| format!("{} {} {}", one.command, one.status.word(), one.content.to_plain_text()))
                .collect();
            format!("{} {} {results:?}", told.kind.word(), told.summary.to_plain_text())
        }
        MessageBody::Execution(started) => started.trigger.clone(),
    };
    words.replace(&format!("_{}_", session.stem()), "_S_")
}

async fn conversation(life: &RuntimeFixture, session: &SessionId) -> Vec<String> {
    let entries = life.entries(session).await;
    entries.iter().flat_map(|entry| entry.messages()).map(|message| reads(&message, session)).collect()
}

async fn chat(life: &RuntimeFixture, dialect: Dialect) -> SessionId {
    let chat = NewChat { dialect, model: "fake-1".into(), ..NewChat::new("zones", "fake") };
    let start = StartChat::new(life.mail_sender.clone(), life.services.ids.clone());
    start.run(&life.workspace, chat).await.unwrap().session
}

/// The reply of a model of this dialect that requests an action.
fn action(dialect: Dialect, word: &str, name: &str, params: Value) -> FakeModelLine {
    match dialect {
        Dialect::Envelope => command_request_line("actions", &[(word, params)]),
        Dialect::Tools => FakeModelLine::Calls(vec![(name.to_owned(), params)]),
    }
}

#[tokio::test(start_paused = true)]
async fn a_recorded_session_plays_again() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        let stage = ValidationFixture::new([]);
        let life = stage.life().await;
        let session = chat(&life, dialect).await;
        let last = || match dialect {
            // An envelope's action ends the turn.
            Dialect::Envelope => None,
            Dialect::Tools => Some(FakeModelLine::Says("So it is.".into())),
        };
        let zone = action(dialect, "CREATE_ZONE", "zones.create", json!({ "name": "Health" }));
        stage.model.push_lines([Some(zone), last()].into_iter().flatten());
        life.send_and_wait(&session, "a zone").await;
        let tool = json!({
            "zone_id": last_resource_id(&life, "zone").await, "tool_type": "tracking", "name": "Weight",
            "config": { "kind": "numeric", "min": 30, "max": 200.5 },
        });
        let broken = FakeModelLine::Says("{ no envelope".into());
        let tool = action(dialect, "CREATE_TOOL", "tools.create", tool);
        let words = match dialect {
            Dialect::Envelope => vec![broken, tool],
            Dialect::Tools => vec![tool, FakeModelLine::Says("It is there: \"Weight\".".into())],
        };
        stage.model.push_lines(words);
        life.send_and_wait(&session, "a tool in it").await;
        let thanks = match dialect {
            Dialect::Envelope => envelope_line("You are welcome."),
            Dialect::Tools => FakeModelLine::Says("You are welcome.".into()),
        };
        stage.model.push_lines([thanks]);
        life.send_and_wait(&session, "thank you").await;
        let held = conversation(&life, &session).await;

        let entries = life.entries(&session).await;
        let script = record_script(&session, &entries, RecordingOptions::default(), &NoopScrubber).unwrap();
        assert!(!script.contains("a tool in it"), "what people wrote is not in it: {script}");
        let mut again = ValidationFixture::new([]);
        let rehearsal = RehearsalProvider::from_script(&script, again.parts.clock.clone()).unwrap();
        again.parts.provider = Arc::new(rehearsal);
        again.parts.ids = Arc::new(SequentialIds::with_prefix("other"));
        let life = again.life().await;
        let played = chat(&life, dialect).await;
        assert_ne!(played, session);
        for text in ["a zone", "a tool in it", "thank you"] {
            life.send_and_wait(&played, text).await;
        }
        assert_eq!(conversation(&life, &played).await, held, "{dialect:?}\n{script}");
        let zone = last_resource_id(&life, "zone").await;
        assert!(zone.contains("_other"), "it is the zone of the session that played: {zone}");
    }
}
