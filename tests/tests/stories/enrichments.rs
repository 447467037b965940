//! Enrichments end to end: the references of a message are read before the model is called, on the real application
//! with the real commands.

mod fixture;

use std::sync::atomic::Ordering;

use entracte_application::calendar::Calendar;
use entracte_application::command_naming::CommandNaming;
use entracte_application::commands::Catalog;
use entracte_application::json_value;
use entracte_application::settings::{Language, WorkspaceLocale};
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{LocalizeEnrichments, ReadLog, UseCaseError};
use entracte_domain::command::CommandKind;
use entracte_domain::message::{Enrichment, EnrichmentKind, MessageBody, Segment};
use entracte_domain::session::{Dialect, Input, JournalNote, LogAppend};
use entracte_domain::value::JsonValue;
use entracte_tests::runtime_fixture::{FakeModelLine, command_request_line, envelope_line};
use fixture::{EnrichmentFixture, parse_enrichment, succeeded};
use proptest::prelude::*;
use serde_json::json;

const USE_ALL: &str = r#"{"type": "USE", "id": "tool_x_2_0"}"#;
const USE_WEEK: &str = r#"{"type": "USE", "id": "tool_x_2_0", "period": "0_WEEK"}"#;

#[tokio::test(start_paused = true)]
async fn data_precedes_first_model_call_in_both_dialects() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        let reply = match dialect {
            Dialect::Envelope => envelope_line("You weigh 72.5 kg."),
            Dialect::Tools => FakeModelLine::Says("You weigh 72.5 kg.".into()),
        };
        let scene = EnrichmentFixture::with_rows([reply]).await;
        let life = scene.life().await;
        let session = scene.session(&life, dialect).await;
        let turn = scene.turn(&life, &session, "How do I do?", &[USE_WEEK]).await;
        assert_eq!((turn.rounds, turn.troubles.len()), (1, 0), "{dialect:?}");
        let names = ["tools.get", "schemas.get", "tool_data.get", "tool_data.stats"];
        assert_eq!(life.calls(&session).await, names.map(succeeded), "{dialect:?}");

        let request = scene.request(0);
        let asked = request.find("How do I do?").unwrap();
        let naming = CommandNaming::from_dialect(dialect);
        for title in names.map(|name| format!("] {}: succeeded", naming.format_name(name))) {
            assert!(request.find(&title).unwrap() > asked, "{title} in {request}");
        }
        assert!(request.contains("72.5") && request.contains("2026-11-16T00:00:00Z"), "{request}");
        assert!(
            request.contains("[the tool “Scale” (tool_x_2_0) with its data from 2026-11-16"),
            "{request}"
        );

        let entries = life.entries(&session).await;
        let notes = entries.iter().flat_map(|entry| &entry.appended).filter_map(|appended| match appended {
            LogAppend::Note(JournalNote::EnrichmentsExecuted) => Some("enrichments"),
            LogAppend::Note(JournalNote::RoundStarted { .. }) => Some("round"),
            LogAppend::Message(message) if matches!(message.body, MessageBody::System(_)) => Some("data"),
            LogAppend::Note(_) | LogAppend::Message(_) => None,
        });
        assert_eq!(notes.collect::<Vec<_>>(), ["data", "enrichments", "round"], "{dialect:?}");
        life.verify(&session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn periods_are_settled_when_the_message_is_sent() {
    let scene = EnrichmentFixture::with_rows([envelope_line("fine")]).await;
    let life = scene.life().await;
    let session = life.chat(false).await;
    scene.turn(&life, &session, "this week?", &[USE_WEEK]).await;
    let entries = life.entries(&session).await;
    let sent = entries.iter().find_map(|entry| match &entry.input {
        Input::UserMessageSent(sent) => Some(sent),
        _ => None,
    });
    let week = r#""from":"2026-11-16T00:00:00Z","until":"2026-11-23T00:00:00Z""#;
    let sent = sent.unwrap();
    let data = sent.enrichments.iter().find(|call| call.command.name == "tool_data.get").unwrap();
    assert_eq!(data.command.arguments.to_json(), format!(r#"{{"tool_id":"tool_x_2_0",{week}}}"#));
    let stored = sent.message.segments.iter().find_map(|segment| match segment {
        Segment::Enrichment(enrichment) => Some(enrichment.config.to_json()),
        Segment::Text(_) | Segment::File(_) => None,
    });
    assert_eq!(stored.unwrap(), format!(r#"{{"id":"tool_x_2_0","period":{{{week}}}}}"#));
}

#[tokio::test(start_paused = true)]
async fn a_seed_keeps_relative_periods_for_its_runs() {
    let scene = EnrichmentFixture::with_rows([]).await;
    let life = scene.life().await;
    let session = scene.seed(&life, "this week?", &[USE_WEEK]).await;
    assert_eq!(life.calls(&session).await, [], "a template reads nothing");
    let messages =
        ReadLog::new(life.services.log.clone()).conversation(&life.workspace, &session).await.unwrap();
    let MessageBody::Rich(message) = &messages[0].message.body else { panic!("{messages:?}") };
    let wanted = Segment::Enrichment(Enrichment {
        summary: "[the tool “Scale” (tool_x_2_0) with its data of the period 0_WEEK]".into(),
        ..parse_enrichment(USE_WEEK)
    });
    assert_eq!(message.segments.last(), Some(&wanted));
}

#[tokio::test(start_paused = true)]
async fn missing_tool_does_not_fail_others() {
    let scene = EnrichmentFixture::with_rows([envelope_line("one of them is gone")]).await;
    let life = scene.life().await;
    let session = life.chat(false).await;
    let gone = r#"{"type": "POINTER", "target": "tool", "id": "tool_gone"}"#;
    let zone = r#"{"type": "POINTER", "target": "zone", "id": "zon_x_1_0"}"#;
    let turn = scene.turn(&life, &session, "look", &[gone, zone]).await;
    assert_eq!(turn.rounds, 1);
    assert_eq!(
        life.calls(&session).await,
        [("tools.get".into(), "failed".to_owned()), succeeded("zones.get")]
    );
    let request = scene.request(0);
    assert!(request.contains("tool_gone (deleted)"), "{request}");
    assert!(request.contains("there is no tool “tool_gone”") && request.contains("Rooms"), "{request}");
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn crash_during_enrichments_repeats_reads() {
    let scene = EnrichmentFixture::with_rows([envelope_line("here you are")]).await;
    scene.gate.shut.store(true, Ordering::SeqCst);
    let first = scene.life().await;
    let session = first.chat(false).await;
    scene.send(&first, &session, "look", &[USE_ALL]).await.unwrap();
    while scene.gate.waiting.load(Ordering::SeqCst) < 4 {
        tokio::task::yield_now().await;
    }
    assert_eq!(first.phase(&session).await, "EXECUTING_ENRICHMENTS");
    assert!(scene.model.requests.lock().unwrap().is_empty(), "the model is called when the data is there");
    drop(first);

    scene.gate.shut.store(false, Ordering::SeqCst);
    let second = scene.life().await;
    let turn = second.follow().run_until_idle(&second.workspace, &session, 0).await.unwrap();
    assert_eq!(turn.rounds, 1);
    let names = ["tools.get", "schemas.get", "tool_data.get", "tool_data.stats"];
    assert_eq!(second.calls(&session).await, names.map(succeeded));
    assert!(scene.request(0).contains("72.5"));
    second.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn joining_message_brings_its_data() {
    let scene = EnrichmentFixture::with_rows([
        command_request_line("queries", &[("ZONE_CONFIG", json!({ "zone_id": "zon_x_1_0" }))]),
        envelope_line("both heard"),
    ])
    .await;
    scene.gate.shut.store(true, Ordering::SeqCst);
    let life = scene.life().await;
    let session = life.chat(false).await;
    scene.send(&life, &session, "first", &[]).await.unwrap();
    while scene.gate.waiting.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let pointer = r#"{"type": "POINTER", "target": "tool", "id": "tool_x_2_0"}"#;
    scene.send(&life, &session, "second", &[pointer]).await.unwrap();
    scene.send(&life, &session, "third", &[pointer, USE_ALL]).await.unwrap();
    assert_eq!(life.phase(&session).await, "EXECUTING_DATA_QUERIES");
    assert_eq!(life.calls(&session).await.len(), 1, "the queries of waiting messages wait");

    scene.gate.open();
    let turn = life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    assert_eq!(turn.rounds, 2);
    let calls = life.calls(&session).await;
    let duplicate = ("tools.get".to_owned(), "duplicate".to_owned());
    let rest = ["schemas.get", "tool_data.get", "tool_data.stats"].map(succeeded);
    assert_eq!(calls[..3], [succeeded("zones.get"), succeeded("tools.get"), duplicate]);
    assert_eq!(calls[3..], rest);
    assert_eq!(scene.gate.runs("tools.get"), 1, "equal queries of two messages run once");
    assert!(scene.request(1).contains("72.5"));
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn equal_queries_of_enrichments_run_once() {
    let scene = EnrichmentFixture::with_rows([envelope_line("seen")]).await;
    let life = scene.life().await;
    let session = life.chat(false).await;
    let modify = r#"{"type": "MODIFY_CONFIG", "id": "tool_x_2_0"}"#;
    scene.turn(&life, &session, "look", &[USE_ALL, modify, USE_ALL]).await;
    let names = ["tools.get", "schemas.get", "tool_data.get", "tool_data.stats"];
    assert_eq!(life.calls(&session).await, names.map(succeeded));
    assert!(names.iter().all(|name| scene.gate.runs(name) == 1));
}

#[tokio::test(start_paused = true)]
async fn data_of_earlier_message_is_read_again() {
    let scene = EnrichmentFixture::with_rows([envelope_line("seen"), envelope_line("seen again")]).await;
    let life = scene.life().await;
    let session = life.chat(false).await;
    let pointer = r#"{"type": "POINTER", "target": "tool", "id": "tool_x_2_0"}"#;
    scene.turn(&life, &session, "look", &[pointer]).await;
    scene.turn(&life, &session, "look", &[pointer]).await;
    assert_eq!(life.calls(&session).await, [succeeded("tools.get"), succeeded("tools.get")]);
}

#[tokio::test(start_paused = true)]
async fn the_schema_that_use_shows_counts_as_seen() {
    let write = || {
        command_request_line(
            "actions",
            &[(
                "CREATE_DATA",
                json!({ "tool_id": "tool_x_2_0", "entries": [{ "data": { "value": 71.5 } }] }),
            )],
        )
    };
    for (enrichments, becomes) in [(vec![], "schema_required"), (vec![USE_ALL], "succeeded")] {
        let scene = EnrichmentFixture::with_rows([write(), envelope_line("done")]).await;
        let life = scene.life().await;
        let session = life.chat(false).await;
        scene.turn(&life, &session, "I weigh 71.5", &enrichments).await;
        let calls = life.calls(&session).await;
        assert_eq!(calls.last().unwrap(), &("tool_data.batch_create".to_owned(), becomes.to_owned()));
        life.verify(&session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn person_may_exceed_query_limit_of_reply() {
    let scene = EnrichmentFixture::with_rows([envelope_line("nothing there")]).await;
    let life = scene.life().await;
    let session = life.chat(false).await;
    let tools = ["a", "b", "c"].map(|id| format!(r#"{{"type": "USE", "id": "{id}"}}"#));
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    scene.turn(&life, &session, "look", &tools).await;
    let calls = life.calls(&session).await;
    assert_eq!(calls.len(), 12, "limits.calls_per_reply is 10");
    assert!(calls.iter().all(|(_, state)| state == "failed"), "{calls:?}");
}

#[tokio::test(start_paused = true)]
async fn every_example_works_as_it_stands() {
    for &example in fixture::CATALOG.enrichment_format().examples {
        let scene = EnrichmentFixture::with_rows([envelope_line("seen")]).await;
        let life = scene.life().await;
        let session = life.chat(false).await;
        scene.turn(&life, &session, "look", &[example]).await;
        let calls = life.calls(&session).await;
        assert!(!calls.is_empty(), "{example}");
        assert!(calls.iter().all(|(_, state)| state == "succeeded"), "{example}: {calls:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_enrichment_is_refused_and_stores_nothing() {
    let scene = EnrichmentFixture::with_rows([]).await;
    let life = scene.life().await;
    let session = life.chat(false).await;
    let before = life.entries(&session).await.len();
    let wrong =
        |config: JsonValue| Enrichment { kind: EnrichmentKind::Use, config, summary: "trust me".into() };
    let config = JsonValue::from([("id", JsonValue::from("t")), ("period", JsonValue::from("0_DAYS"))]);
    let refused = scene.send_all(&life, &session, vec![parse_enrichment(USE_ALL), wrong(config)]).await;
    let Err(UseCaseError::Invalid(text)) = refused else { panic!("{refused:?}") };
    assert!(text.starts_with("enrichment 2: /period: “DAYS”"), "{text}");
    let refused = scene.send_all(&life, &session, vec![parse_enrichment(USE_ALL); 21]).await;
    let Err(UseCaseError::Invalid(text)) = refused else { panic!("{refused:?}") };
    assert!(
        text.contains("21 enrichments, but at most 20") && text.contains("message.max_enrichments"),
        "{text}"
    );
    assert_eq!(life.entries(&session).await.len(), before);
}

#[tokio::test(start_paused = true)]
async fn model_keeps_old_names_and_people_read_current() {
    let scene = EnrichmentFixture::with_rows([envelope_line("seen"), envelope_line("seen")]).await;
    let life = scene.life().await;
    let session = life.chat(false).await;
    scene.turn(&life, &session, "look at ", &[r#"{"type": "MODIFY_CONFIG", "id": "tool_x_2_0"}"#]).await;
    assert_eq!(
        scene.read(&life, &session).await,
        "look at [the configuration of the tool “Scale”, to be changed]"
    );

    scene.make(8, "tools.update", &json!({"tool_id": "tool_x_2_0", "name": "Weight"})).await;
    assert_eq!(
        scene.read(&life, &session).await,
        "look at [the configuration of the tool “Weight”, to be changed]"
    );
    scene.speak(Language::Fr).await;
    assert_eq!(
        scene.read(&life, &session).await,
        "look at [la configuration de l’outil «\u{a0}Weight\u{a0}», à modifier]"
    );
    scene.make(9, "tools.delete", &json!({"tool_id": "tool_x_2_0"})).await;
    assert!(scene.read(&life, &session).await.contains("tool_x_2_0 (supprimé)"));

    drop(life);
    let life = scene.life().await;
    scene.turn(&life, &session, "and?", &[]).await;
    assert!(scene.request(1).contains("[the configuration of the tool “Scale” (tool_x_2_0), to be changed]"));
}

fn configurations() -> impl Strategy<Value = (EnrichmentKind, JsonValue)> {
    let words = prop_oneof![
        Just("id"),
        Just("target"),
        Just("period"),
        Just("tool_type"),
        Just("zone"),
        Just("type"),
        Just("action")
    ];
    let texts = prop_oneof![
        Just(JsonValue::from("zone")),
        Just(JsonValue::from("tool")),
        Just(JsonValue::from("tool_x_2_0")),
        Just(JsonValue::from("-1_MONTH")),
        Just(JsonValue::from("DELETE_TOOL")),
        Just(JsonValue::from([
            ("from", JsonValue::from("2026-01-01")),
            ("until", JsonValue::from("2026-02-01"))
        ])),
        "[a-z]{0,3}".prop_map(JsonValue::from),
        Just(JsonValue::Null),
    ];
    let members = proptest::collection::btree_map(words.prop_map(str::to_owned), texts, 0..5);
    (proptest::sample::select(&EnrichmentKind::ALL[..]), members)
        .prop_map(|(kind, members)| (kind, JsonValue::Object(members.into_iter().collect())))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_configuration_becomes_an_action((kind, config) in configurations()) {
        let catalog: &Catalog = &fixture::CATALOG;
        let (calendar, texts) = (Calendar::from_locale(&WorkspaceLocale::default()), LocalizedTexts::for_language(Language::En));
        let enrichment = Enrichment { kind, config, summary: String::new() };
        let model = catalog.resource_model().unwrap();
        if let Ok(resolved) = model.resolve_enrichment(&enrichment, None, &calendar, texts) {
            for command in resolved.queries {
                let known = catalog.find(&command.name).unwrap();
                prop_assert_eq!(known.spec.kind, CommandKind::Query);
                prop_assert_eq!(known.faults(&command.arguments), vec![]);
            }
        }
    }
}

impl EnrichmentFixture {
    /// The first message as people read it now.
    #[expect(clippy::unwrap_used, reason = "a test")]
    async fn read(
        &self,
        life: &entracte_tests::runtime_fixture::RuntimeFixture,
        session: &entracte_domain::id::SessionId,
    ) -> String {
        let mut messages =
            ReadLog::new(life.services.log.clone()).conversation(&life.workspace, session).await.unwrap();
        let (store, rows) = (life.services.store.clone(), life.services.rows.clone());
        let reword = LocalizeEnrichments::new(store, rows, life.services.catalog.get());
        let shown = messages.iter_mut().map(|described| &mut described.message).collect();
        reword.run(&life.workspace, shown).await.unwrap();
        match &messages[0].message.body {
            MessageBody::Rich(said) => said.linear_text(),
            other => format!("{other:?}"),
        }
    }
}

#[test]
fn written_enrichments_are_read() {
    assert_eq!(parse_enrichment(USE_ALL).config, json_value::parse(r#"{"id": "tool_x_2_0"}"#).unwrap());
}
