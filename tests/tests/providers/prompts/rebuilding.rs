//! Every past request is rebuilt from committed rows, byte for byte.

use std::sync::Arc;

use entracte_application::mail::{ForkSessionRequest, MailRequest};
use entracte_application::ports::{FileBytes, ProviderRegistry};
use entracte_application::use_cases::{RequestDigestCheck, UseCaseError};
use entracte_domain::file::{FileReference, ModelForm};
use entracte_domain::id::{Digest, RoundAttempt, SessionId};
use entracte_domain::session::Dialect;
use entracte_domain::session::failure::FailureClass;
use entracte_tests::contracts::file_store::image;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::runtime_fixture::RuntimeFixture;
use serde_json::json;

use super::fixture::{PromptFixture, asks, change_voice, home, post, says, set, show};
use super::recording_model::{NamedProviderRegistry, RecordedModelRequest, RecordingModelStep};

/// A session with everything that changes a prompt: errors and second attempts, a format error, a summary, other
/// settings, another dialect and back, repaired reasoning, a closing round.
async fn long_story(scene: &PromptFixture, life: &RuntimeFixture) -> SessionId {
    let session = life.chat(false).await;
    scene.model.will([
        asks("queries", &[("ZONES", json!({}))]),
        asks("actions", &[("CREATE_ZONE", json!({ "name": "Health" }))]),
        RecordingModelStep::Fails(FailureClass::Lost),
        says("after a lost one"),
        RecordingModelStep::Says("no envelope".into()),
        says("after a format error"),
    ]);
    for text in ["make a zone", "and?", "again"] {
        life.send_and_wait(&session, text).await;
    }
    set(life, &[("zone", "Asia/Tokyo"), ("language", "fr"), ("prompt_app_state", "true")]).await;
    scene.model.will([says("in another zone")]);
    life.send_and_wait(&session, "where are we?").await;
    scene.model.will([
        RecordingModelStep::Fails(FailureClass::ContextTooLong),
        RecordingModelStep::Says("They made the zone Health.".into()),
        says("after a summary"),
    ]);
    life.send_and_wait(&session, "too long").await;
    change_voice(life, &session, "fake-2", Dialect::Tools).await;
    scene.model.will([
        RecordingModelStep::Calls("zones_create", json!({ "name": "Work" })),
        RecordingModelStep::Fails(FailureClass::Repairable),
        RecordingModelStep::Says("with tools".into()),
    ]);
    life.send_and_wait(&session, "another zone").await;
    change_voice(life, &session, "fake-1", Dialect::Envelope).await;
    set(life, &[("limits_profile", "strict"), ("language", "en")]).await;
    scene.model.will((0..4).map(|number| asks("queries", &[("LOOK", json!({ "at": number.to_string() }))])));
    scene.model.will([says("I stop here")]);
    life.send_and_wait(&session, "look at everything").await;
    session
}

pub(crate) fn providers(scene: &PromptFixture) -> Arc<dyn ProviderRegistry> {
    NamedProviderRegistry::single_provider("fake", scene.model.clone())
}

/// The requests that a session sent.
fn sent(scene: &PromptFixture, session: &SessionId) -> Vec<RecordedModelRequest> {
    scene.model.all().into_iter().filter(|seen| seen.request.session == *session).collect()
}

/// Every request of a session that was sent, at least this many, is rebuilt byte for byte.
pub(crate) async fn check_all(scene: &PromptFixture, session: &SessionId, least: usize) {
    let (sent, rebuilt) = (sent(scene, session), scene.rebuild_all_calls(session, providers(scene)).await);
    assert!(sent.len() >= least, "the story got shorter: {}", sent.len());
    assert_eq!(rebuilt.len(), sent.len(), "every model call is known");
    for (sent, rebuilt) in sent.iter().zip(&rebuilt) {
        assert_eq!(rebuilt.request, sent.request, "{}", rebuilt.call.id);
        assert_eq!(rebuilt.body.as_ref().unwrap(), &sent.body, "{}", rebuilt.call.id);
        let digests = rebuilt.digests().unwrap();
        let answered = rebuilt.call.recorded.is_some();
        assert_eq!(
            matches!(digests, RequestDigestCheck::Match(_)),
            answered,
            "{}: {digests:?}",
            rebuilt.call.id
        );
    }
    let unanswered = rebuilt.iter().filter(|rebuilt| rebuilt.call.recorded.is_none()).count();
    assert!(rebuilt.len() > unanswered);
}

#[tokio::test(start_paused = true)]
async fn past_prompt_bytes_are_rebuilt() {
    let scene = PromptFixture::new();
    let life = scene.life().await;
    let session = long_story(&scene, &life).await;
    let closing = sent(&scene, &session).last().unwrap().request.commands;
    assert_eq!(
        closing,
        entracte_application::ports::CommandRequestPolicy::None,
        "the story ends with a closing call"
    );
    check_all(&scene, &session, 15).await;
    drop(life);

    let life = scene.life().await;
    scene.model.will([says("after a restart")]);
    life.send_and_wait(&session, "still there?").await;
    check_all(&scene, &session, 16).await;
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn copy_rebuilds_original_and_own_requests() {
    let scene = PromptFixture::new();
    let life = scene.life().await;
    let session = long_story(&scene, &life).await;
    let at = life.entries(&session).await.last().unwrap().sequence;
    let copy = SessionId::new("ses_copy");
    let fork = MailRequest::session(
        session.clone(),
        ForkSessionRequest { author: "ann".into(), id: copy.clone(), name: "copy".into(), at },
    );
    post(&life, fork).await;
    scene.model.will([says("in the copy")]);
    life.send_and_wait(&copy, "and here?").await;
    check_all(&scene, &copy, 1).await;

    let rebuild = scene.rebuild(providers(&scene));
    let calls = rebuild.calls(&life.workspace, &copy).await.unwrap();
    let copied: Vec<_> = calls.iter().filter(|call| call.sent_by == session).collect();
    assert_eq!(copied.len(), sent(&scene, &session).len());
    for (call, sent) in copied.iter().zip(sent(&scene, &session)) {
        assert_eq!(
            rebuild.run(&life.workspace, call.id.as_str()).await.unwrap().body.unwrap(),
            sent.body,
            "{}",
            call.id
        );
    }
}

/// Input: an image in a message, one in the result of a query, a restart and a copy; expected: each request has the bytes of
/// the images before it, and is rebuilt with them.
#[tokio::test(start_paused = true)]
async fn past_prompt_with_images_is_rebuilt() {
    let mut scene = PromptFixture::new();
    let (chart, shot) = (image("chart.png", b"chart", 1), image("shot.png", b"shot", 2));
    scene.files.put_file(&home(), chart.clone(), b"chart".to_vec().into()).await.unwrap();
    scene.files.put_file(&home(), shot.clone(), b"shot".to_vec().into()).await.unwrap();
    let looks = RecordingExecutor { files: vec![shot.file.clone()], ..RecordingExecutor::default() };
    scene.set_executors(vec![Arc::new(looks)]);
    let life = scene.life().await;
    let session = life.chat(false).await;
    scene.model.will([asks("queries", &[("LOOK", json!({ "at": 1 }))]), says("They are alike.")]);
    show(&life, &session, "Compare it.", &chart.file).await;
    let seen: Vec<(bool, bool)> = sent(&scene, &session)
        .iter()
        .map(|seen| &seen.request.files)
        .map(|files| (files.get(&chart.file.digest).is_some(), files.get(&shot.file.digest).is_some()))
        .collect();
    assert_eq!(seen, [(true, false), (true, true)]);
    check_all(&scene, &session, 2).await;
    drop(life);

    let life = scene.life().await;
    scene.model.will([says("after a restart"), says("in the copy")]);
    life.send_and_wait(&session, "still there?").await;
    check_all(&scene, &session, 3).await;
    let at = life.entries(&session).await.last().unwrap().sequence;
    let copy = SessionId::new("ses_copy");
    let fork = ForkSessionRequest { author: "ann".into(), id: copy.clone(), name: "copy".into(), at };
    post(&life, MailRequest::session(session.clone(), fork)).await;
    life.send_and_wait(&copy, "and here?").await;
    check_all(&scene, &copy, 1).await;
    let last = scene.model.last().request;
    assert_eq!(last.files.get(&shot.file.digest).map(|bytes| bytes.to_vec()), Some(b"shot".to_vec()));
    let named: Vec<_> = scene.files.session_files(&home(), &copy).await.unwrap().into_keys().collect();
    let mut both = [chart.file.digest, shot.file.digest];
    both.sort();
    assert_eq!(named, both, "the copy keeps the files");
}

/// Input: an image that models see in another form, which another version makes anew later; expected: every request has the
/// form that its message names, and is rebuilt with it; sessions and copies keep both forms, and not the image alone.
#[tokio::test(start_paused = true)]
async fn past_prompt_with_forms_of_images_is_rebuilt() {
    let scene = PromptFixture::new();
    let mut scan = image("scan.png", b"scan", 1);
    let mut sees = async |form: &'static [u8]| {
        let FileReference { digest, media_type, bytes, dimensions, .. } = image("scan.png", form, 1).file;
        let (dimensions, is_first_frame) = (dimensions.unwrap(), false);
        scan.file.model_form = Some(ModelForm { digest, media_type, bytes, dimensions, is_first_frame });
        let bytes = FileBytes { own: b"scan".to_vec(), form: Some(form.to_vec()) };
        scene.files.put_file(&home(), scan.clone(), bytes).await.unwrap();
        scan.file.clone()
    };
    let (first, second) = (sees(b"form").await, sees(b"another form").await);
    let life = scene.life().await;
    let session = life.chat(false).await;
    scene.model.will([says("A bill."), says("The same bill."), says("in the copy")]);
    for file in [&first, &second] {
        show(&life, &session, "Read it.", file).await;
    }
    let digest = |file: &FileReference| file.model_view().digest.clone();
    let last = scene.model.last().request;
    let content = |digest: &Digest| last.files.get(digest).map(|bytes| bytes.to_vec());
    assert_eq!(content(&digest(&first)), Some(b"form".to_vec()));
    assert_eq!(content(&digest(&second)), Some(b"another form".to_vec()));
    assert_eq!(content(&first.digest), None, "the image itself is not sent");
    check_all(&scene, &session, 2).await;
    let at = life.entries(&session).await.last().unwrap().sequence;
    let copy = SessionId::new("ses_copy");
    let fork = ForkSessionRequest { author: "ann".into(), id: copy.clone(), name: "copy".into(), at };
    post(&life, MailRequest::session(session.clone(), fork)).await;
    life.send_and_wait(&copy, "and here?").await;
    check_all(&scene, &copy, 1).await;
    let named: Vec<_> = scene.files.session_files(&home(), &copy).await.unwrap().into_keys().collect();
    let mut all = [first.digest.clone(), digest(&first), digest(&second)];
    all.sort();
    assert_eq!(named, all);
}

#[tokio::test(start_paused = true)]
async fn model_call_is_found_by_unique_id_prefix() {
    let scene = PromptFixture::new();
    let life = scene.life().await;
    let session = life.chat(false).await;
    scene.model.will([RecordingModelStep::Fails(FailureClass::Lost), says("one"), says("two")]);
    life.send_and_wait(&session, "a").await;
    life.send_and_wait(&session, "b").await;
    let rebuild = scene.rebuild(providers(&scene));
    let id = |named: String| {
        let (rebuild, workspace) = (&rebuild, &life.workspace);
        async move { rebuild.run(workspace, &named).await.map(|rebuilt| rebuilt.call.id.to_string()) }
    };
    let stem = session.stem();
    assert_eq!(id(format!("mc_{stem}_2_1")).await.unwrap(), format!("mc_{stem}_2_1"));
    assert_eq!(id(format!("{stem}_2")).await.unwrap(), format!("mc_{stem}_2_1"));
    let several = id(format!("mc_{stem}_1")).await.unwrap_err();
    let listed = format!("mc_{stem}_1_1, mc_{stem}_1_2;");
    assert!(matches!(&several, UseCaseError::Invalid(text) if text.contains(&listed)), "{several}");
    for nobody in [format!("mc_{stem}_9_1"), "mc_nobody_1_1".to_owned()] {
        let none = id(nobody).await.unwrap_err();
        assert!(matches!(none, UseCaseError::NotFound(_)), "{none}");
    }
}

/// Input: a request that the provider refuses, a summary that is faulty once, and the answer; expected: every one of
/// these requests is rebuilt, byte for byte.
#[tokio::test(start_paused = true)]
async fn summary_requests_are_rebuilt() {
    let scene = PromptFixture::new();
    let life = scene.life().await;
    let session = life.chat(false).await;
    let faulty = RecordingModelStep::Says(r#"{"drop":[{"key":7,"why":"done"}]}"#.into());
    let summary = RecordingModelStep::Says(r#"{"add":[{"kind":"fact","text":"They said much."}]}"#.into());
    scene.model.will([
        says("hello"),
        RecordingModelStep::Fails(FailureClass::ContextTooLong),
        faulty,
        summary,
    ]);
    scene.model.will([says("short")]);
    life.send_and_wait(&session, "hi").await;
    life.send_and_wait(&session, "long").await;
    let rebuild = scene.rebuild(providers(&scene));
    let calls = rebuild.calls(&life.workspace, &session).await.unwrap();
    let stem = session.stem();
    let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    let expected = ["1_1", "2_1", "2_2", "2_3", "2_4"].map(|of| format!("mc_{stem}_{of}"));
    assert_eq!(ids, expected);
    for (call, seen) in calls.iter().zip(scene.model.all()) {
        let rebuilt = rebuild.run(&life.workspace, call.id.as_str()).await.unwrap();
        assert_eq!(rebuilt.body.as_ref().unwrap(), &seen.body, "{}", call.id);
        match &call.recorded {
            Some(_) => {
                assert!(matches!(rebuilt.digests(), Some(RequestDigestCheck::Match(_))), "{}", call.id)
            }
            None => assert_eq!(call.id.as_str(), expected[1], "it got no answer"),
        }
    }
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn missing_or_changed_provider_is_reported_with_parts() {
    let scene = PromptFixture::new();
    let life = scene.life().await;
    let session = life.chat(false).await;
    scene.model.will([says("hello")]);
    life.send_and_wait(&session, "hi").await;
    let id = session.model_call_id(RoundAttempt { round: 1, attempt: 1 });
    let nobody = NamedProviderRegistry::single_provider("other", scene.model.clone());
    let gone = scene.rebuild(nobody).run(&life.workspace, id.as_str()).await.unwrap();
    assert!(gone.body.as_ref().unwrap_err().message.contains("there is no provider “fake”"));
    assert_eq!(gone.digests(), None);
    let names: Vec<&str> = gone.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names.first(), Some(&"role"));
    assert_eq!(names.last(), Some(&"1: 1 message"), "{names:?}");
    assert!(names.contains(&"commands") && names.contains(&"shape of a reply"), "{names:?}");
    let block = gone.request.system[0].chars().count() as u64;
    let level1: Vec<u64> =
        gone.parts.iter().filter(|part| part.kind == "level1").map(|part| part.chars).collect();
    let gaps = 2 * (level1.len() as u64 - 1);
    assert_eq!(level1.iter().sum::<u64>() + gaps, block, "the parts make up the whole");

    let rebuilt = scene.rebuild(providers(&scene)).run(&life.workspace, id.as_str()).await.unwrap();
    assert_eq!(rebuilt.context_tokens, Some(200_000));
    let other = entracte_application::use_cases::RebuiltPrompt { body: Ok(b"other".to_vec()), ..rebuilt };
    assert!(matches!(other.digests(), Some(RequestDigestCheck::Differ { .. })));
}
