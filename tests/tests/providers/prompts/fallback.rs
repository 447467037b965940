//! A provider fails, and a fallback takes over in the same round.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_application::attempt_costs::attempt_costs;
use entracte_application::ports::{PromptTurn, Provider, ProviderRegistry};
use entracte_application::settings::FallbackModels;
use entracte_application::use_cases::RequestDigestCheck;
use entracte_domain::id::SessionId;
use entracte_domain::message::{MessageBody, SystemKind};
use entracte_domain::session::failure::FailureClass::{self, *};
use entracte_domain::session::{Dialect, JournalNote, LogAppend, ModelSelection};
use entracte_tests::runtime_fixture::RuntimeFixture;
use serde_json::json;

use super::fixture::{PromptFixture, asks, says};
use super::recording_model::{NamedProviderRegistry, RecordingModel, RecordingModelStep};

/// Three providers; the first names the others as fallbacks.
struct FallbackFixture {
    scene: PromptFixture,
    models: BTreeMap<&'static str, Arc<RecordingModel>>,
}

fn voice(provider: &str, dialect: Dialect) -> ModelSelection {
    ModelSelection { provider: provider.into(), model: format!("{provider}-1"), dialect }
}

/// The fallbacks of the first provider for this failure class.
fn stage(class: FailureClass, to: &[(&str, Dialect)]) -> FallbackFixture {
    let mut scene = PromptFixture::new();
    let named = to.iter().map(|(name, dialect)| ("fake".to_owned(), class, voice(name, *dialect)));
    scene.settings.fallbacks = FallbackModels::new(named);
    let models = BTreeMap::from([
        ("fake", scene.model.clone()),
        ("second", Arc::new(RecordingModel::default())),
        ("third", Arc::new(RecordingModel::default())),
    ]);
    FallbackFixture { scene, models }
}

impl FallbackFixture {
    fn providers(&self) -> Arc<dyn ProviderRegistry> {
        let named = |(name, model): (&&str, &Arc<RecordingModel>)| {
            ((*name).to_owned(), model.clone() as Arc<dyn Provider>)
        };
        Arc::new(NamedProviderRegistry(self.models.iter().map(named).collect()))
    }

    fn will(&self, name: &str, answers: impl IntoIterator<Item = RecordingModelStep>) {
        self.models[name].will(answers);
    }

    fn asked(&self) -> Vec<(&'static str, usize)> {
        self.models.iter().map(|(name, model)| (*name, model.all().len())).collect()
    }
}

/// The fallbacks of a session: failed provider, successor, and failure class.
async fn fell_back(life: &RuntimeFixture, session: &SessionId) -> Vec<(String, String, FailureClass)> {
    let entries = life.entries(session).await;
    let noted = entries.into_iter().flat_map(|entry| entry.appended);
    let fell_back = noted.filter_map(|one| match one {
        LogAppend::Note(JournalNote::FellBack { from, to, class }) => Some((from, to, class)),
        LogAppend::Note(_) | LogAppend::Message(_) => None,
    });
    fell_back.collect()
}

/// The fallback messages that people read.
async fn told(life: &RuntimeFixture, session: &SessionId) -> Vec<String> {
    let entries = life.entries(session).await;
    let messages = entries.iter().flat_map(|entry| entry.messages());
    let errors = messages.filter_map(|message| match message.body {
        MessageBody::System(system) if system.kind == SystemKind::ProviderError => {
            Some(system.summary.to_plain_text().into_owned())
        }
        _ => None,
    });
    errors.collect()
}

/// Whether a part of a request contains this text.
fn holds(turns: &[Arc<PromptTurn>], text: &str) -> bool {
    format!("{turns:?}").contains(text)
}

#[tokio::test(start_paused = true)]
async fn a_fallback_is_journaled_and_its_prompt_is_rebuilt() {
    for dialect in [Dialect::Tools, Dialect::Envelope] {
        let stage = stage(Exhausted, &[("second", dialect)]);
        let life = stage.scene.life_with(stage.providers()).await;
        let session = life.chat(false).await;
        stage.will(
            "fake",
            [asks("queries", &[("LOOK", json!({ "at": "a" }))]), RecordingModelStep::Fails(Exhausted)],
        );
        let last = || match dialect {
            Dialect::Tools => RecordingModelStep::Says("It is there.".into()),
            Dialect::Envelope => says("It is there."),
        };
        stage.will("second", [last(), last()]);
        let turn = life.send_and_wait(&session, "look").await;
        assert_eq!(turn.reply.unwrap().text, "It is there.");
        assert_eq!((turn.rounds, turn.troubles), (2, vec![]), "who was reached after all has no trouble");
        let said = "fake has no credit left; going on with second. it is exhausted";
        assert_eq!(turn.fell_back, [said]);
        life.send_and_wait(&session, "and now?").await;

        assert_eq!(fell_back(&life, &session).await, [("fake".into(), "second".into(), Exhausted)]);
        assert_eq!(told(&life, &session).await, [said]);
        let facts = turn.session.facts;
        assert_eq!(
            (facts.provider.as_str(), facts.model.as_str(), facts.dialect),
            ("second", "second-1", dialect)
        );
        assert_eq!(stage.asked(), [("fake", 2), ("second", 2), ("third", 0)], "it stays with the second");
        for seen in stage.models["second"].all() {
            let turns = &seen.request.turns;
            assert!(!holds(turns, "no credit") && !holds(turns, "exhausted"), "not for the model: {turns:?}");
            assert!(!holds(turns, "raw of {\\\"pre_text\\\":\\\"One"), "nothing raw of another: {turns:?}");
            assert!(holds(turns, "LOOK") || holds(turns, "outside"), "what was found is there: {turns:?}");
        }

        let rebuilt = stage.scene.rebuild_all_calls(&session, stage.providers()).await;
        let voices: Vec<&str> = rebuilt.iter().map(|one| one.voice.provider.as_str()).collect();
        assert_eq!(voices, ["fake", "fake", "second", "second"]);
        let sent = ["fake", "second"].map(|name| stage.models[name].all()).concat();
        for (sent, rebuilt) in sent.iter().zip(&rebuilt) {
            assert_eq!(rebuilt.body.as_ref().unwrap(), &sent.body, "{}", rebuilt.call.id);
            let digests = rebuilt.digests().unwrap();
            assert_eq!(matches!(digests, RequestDigestCheck::Match(_)), rebuilt.call.recorded.is_some());
        }
        life.verify(&session).await;
        drop(life);

        // The next process builds the same request.
        let life = stage.scene.life_with(stage.providers()).await;
        stage.will("second", [last()]);
        life.send_and_wait(&session, "still there?").await;
        assert_eq!(stage.scene.rebuild_all_calls(&session, stage.providers()).await.len(), 5);
        let costs = attempt_costs(&session, &life.entries(&session).await);
        let by: Vec<&str> = costs.iter().map(|attempt| attempt.provider.as_str()).collect();
        assert_eq!(by, ["fake", "fake", "second", "second", "second"], "each is paid for what it was sent");
    }
}

#[tokio::test(start_paused = true)]
async fn remaining_fallbacks_are_called_after_one_failed() {
    let stage = stage(Exhausted, &[("second", Dialect::Envelope), ("third", Dialect::Tools)]);
    let life = stage.scene.life_with(stage.providers()).await;
    let session = life.chat(false).await;
    stage.will("fake", [RecordingModelStep::Fails(Exhausted)]);
    stage.will("second", [RecordingModelStep::Fails(Refused)]);
    stage.will("third", [RecordingModelStep::Says("I am the third.".into())]);
    let turn = life.send_and_wait(&session, "hello").await;
    assert_eq!(turn.reply.unwrap().text, "I am the third.");
    let expected = [("fake".into(), "second".into(), Exhausted), ("second".into(), "third".into(), Refused)];
    assert_eq!(fell_back(&life, &session).await, expected);

    // The third names no fallback: its failure is reported as usual.
    stage.will("third", [RecordingModelStep::Fails(Exhausted)]);
    let turn = life.send_and_wait(&session, "and now?").await;
    assert_eq!(turn.troubles, [(SystemKind::ProviderError, "it is exhausted".into())]);
    assert_eq!(stage.asked(), [("fake", 1), ("second", 1), ("third", 2)]);
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn one_that_cannot_be_had_is_passed_over_and_without_any_it_is_as_before() {
    let stage = stage(Refused, &[("gone", Dialect::Tools), ("third", Dialect::Envelope)]);
    let life = stage.scene.life_with(stage.providers()).await;
    let session = life.chat(false).await;
    stage.will("fake", [RecordingModelStep::Fails(Refused), RecordingModelStep::Fails(Exhausted)]);
    stage.will("third", [says("I do it.")]);
    assert_eq!(life.send_and_wait(&session, "do it").await.reply.unwrap().text, "I do it.");
    assert_eq!(fell_back(&life, &session).await, [("fake".into(), "third".into(), Refused)]);

    let other = life.chat(false).await;
    let turn = life.send_and_wait(&other, "do it").await;
    assert_eq!(
        turn.troubles,
        [(SystemKind::ProviderError, "it is exhausted".into())],
        "no list for that class"
    );
    assert_eq!(fell_back(&life, &other).await, []);
}
