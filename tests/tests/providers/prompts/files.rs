//! Images in prompts that have little room for them, end to end.

use std::collections::BTreeSet;
use std::sync::Arc;

use entracte_application::commands::FilesExecutor;
use entracte_application::ports::{FileRow, FileStore, PromptTurn, UserTurnPart};
use entracte_domain::call::CallOutcome;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::session::Input;
use entracte_tests::contracts::file_store::image;
use serde_json::json;

use super::fixture::{PromptFixture, asks, home, says, show};
use super::rebuilding::{check_all, providers};

/// Stores images of a workspace, whose bytes are their names.
async fn store<const N: usize>(files: &dyn FileStore, at: &WorkspaceKey, names: [&str; N]) -> [FileRow; N] {
    let rows = names.map(|name| image(name, name.as_bytes(), 1));
    for row in &rows {
        files.put_file(at, row.clone(), row.file.name.as_bytes().to_vec().into()).await.unwrap();
    }
    rows
}

/// The names of the files that the last request shows, in order.
fn shown(scene: &PromptFixture) -> Vec<String> {
    let mut names = Vec::new();
    for turn in scene.model.last().request.turns {
        let PromptTurn::User(parts) = &*turn else { continue };
        for part in parts {
            match part {
                UserTurnPart::File(file) => names.push(file.name.clone()),
                UserTurnPart::Result { files, .. } => {
                    names.extend(files.iter().map(|file| file.name.clone()))
                }
                UserTurnPart::Text(_) | UserTurnPart::System(_) => {}
            }
        }
    }
    names
}

/// Input: three rounds with an image each, on a budget that has room for exactly their requests; expected: in the next
/// round the images of earlier rounds leave, their names and digests stay, nothing is summarized, and every request is
/// rebuilt byte for byte, those with the images too.
#[tokio::test(start_paused = true)]
async fn images_are_dropped_first() {
    let mut scene = PromptFixture::new();
    let images = store(&*scene.files, &home(), ["cat.png", "dog.png", "bird.png"]).await;
    let life = scene.life().await;
    let session = life.chat(false).await;
    scene.model.will([says("A cat."), says("A dog."), says("A bird.")]);
    for image in &images {
        show(&life, &session, "What is it?", &image.file).await;
    }
    assert_eq!(shown(&scene), ["cat.png", "dog.png", "bird.png"]);
    let sizes = scene.rebuild_all_calls(&session, providers(&scene)).await;
    let full = sizes.last().unwrap().size.tokens;
    drop(life);

    scene.change_rules(|rules| rules.context_tokens = u32::try_from(full).unwrap());
    let life = scene.life().await;
    scene.model.will([says("Three animals.")]);
    life.send_and_wait(&session, "And together?").await;
    assert_eq!(shown(&scene), ["bird.png"]);
    let text = format!("{:?}", scene.model.last().request.turns);
    for image in &images {
        assert!(text.contains(&image.file.line()), "{text}");
    }
    let entries = life.entries(&session).await;
    let is_cut = |input: &Input| matches!(input, Input::BudgetReached { files_from: Some(_), .. });
    assert_eq!(entries.iter().filter(|entry| is_cut(&entry.input)).count(), 1);
    assert!(!entries.iter().any(|entry| matches!(entry.input, Input::ContextCompacted { .. })));
    check_all(&scene, &session, 4).await;
    life.verify(&session).await;
}

/// Input: three rounds with an image each, of which a request has room for the bytes of two; expected: the first image
/// leaves, its name and digest stay, nothing is summarized, and every request is rebuilt byte for byte.
#[tokio::test(start_paused = true)]
async fn images_leave_for_their_bytes() {
    let mut scene = PromptFixture::new();
    scene.settings.files.request_bytes = 15;
    let images = store(&*scene.files, &home(), ["cat.png", "dog.png", "bird.png"]).await;
    let life = scene.life().await;
    let session = life.chat(false).await;
    scene.model.will([says("A cat."), says("A dog."), says("A bird.")]);
    for image in &images {
        show(&life, &session, "What is it?", &image.file).await;
    }
    assert_eq!(shown(&scene), ["dog.png", "bird.png"]);
    let text = format!("{:?}", scene.model.last().request.turns);
    assert!(text.contains(&images[0].file.line()), "{text}");
    let entries = life.entries(&session).await;
    let is_cut = |input: &Input| matches!(input, Input::BudgetReached { files_from: Some(_), .. });
    assert_eq!(entries.iter().filter(|entry| is_cut(&entry.input)).count(), 1);
    assert!(!entries.iter().any(|entry| matches!(entry.input, Input::ContextCompacted { .. })));
    check_all(&scene, &session, 3).await;
    life.verify(&session).await;
}

/// Input: a model that asks for an image of its session, for one of another session, for one of another workspace, and for
/// one that nobody holds; expected: it looks at the first again, under the name that the session knows, and reads the same
/// refusal for each of the others.
#[tokio::test(start_paused = true)]
async fn model_looks_again_at_files_of_its_session_alone() {
    let mut scene = PromptFixture::new();
    scene.set_executors(vec![Arc::new(FilesExecutor::new(scene.files.clone()))]);
    let [own, other] = store(&*scene.files, &home(), ["own.png", "other.png"]).await;
    let [foreign] = store(&*scene.files, &WorkspaceKey::new("bob:home"), ["foreign.png"]).await;
    let missing = image("missing.png", b"missing.png", 1);
    let life = scene.life().await;
    let (session, beside) = (life.chat(false).await, life.chat(false).await);
    let look = |row: &FileRow| ("LOOK_AT_FILE", json!({ "digest": row.file.digest.as_str() }));
    scene.model.will([says("Nice."), says("Nice.")]);
    show(&life, &beside, "Mine.", &other.file).await;
    show(&life, &session, "Mine too.", &own.file).await;
    // Somebody else stores the same bytes under another name.
    let renamed = image("secret.png", b"own.png", 2);
    scene.files.put_file(&home(), renamed, b"own.png".to_vec().into()).await.unwrap();
    scene.model.will([
        asks("queries", &[look(&own), look(&other), look(&foreign), look(&missing)]),
        says("I see one of them."),
    ]);
    life.send_and_wait(&session, "Look again.").await;
    assert_eq!(shown(&scene), ["own.png", "own.png"]);
    let entries = life.entries(&session).await;
    let refusals: BTreeSet<String> = entries
        .iter()
        .filter_map(|entry| match &entry.input {
            Input::CallFinished { outcome: CallOutcome::Failed(failure), .. } => {
                Some(format!("{} {}", failure.code, failure.message))
            }
            _ => None,
        })
        .collect();
    let refusal = |row: &FileRow| format!("NOT_FOUND this session has no such file: {}", row.file.digest);
    let expected: BTreeSet<String> = [&other, &foreign, &missing].map(refusal).into();
    assert_eq!(refusals, expected);
    check_all(&scene, &session, 3).await;
    life.verify(&session).await;
}
