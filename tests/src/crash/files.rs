//! Stores a file of a conversation with its form for models and deletes another, the same in each process: a killed process
//! left each change complete or not at all. A message names the first one.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use entracte_adapters_db::Database;
use entracte_application::ports::{FileBytes, FileRow};
use entracte_application::system::sha256;
use entracte_domain::file::{FileReference, ModelForm, PixelDimensions};
use entracte_domain::id::SessionId;
use entracte_domain::time::Timestamp;

use super::findings::CrashFindings;
use super::scenario::CrashScenario;
use super::scenario_run::{CrashScenarioRun, workspace};
use crate::contracts::file_store::image;

/// The bytes of the file that stays.
const CHART: &[u8] = b"\x89PNG chart";
/// The bytes of its form for models.
const FORM: &[u8] = b"\x89PNG small chart";
/// The bytes of the file that goes.
const PASSING: &[u8] = b"\x89PNG passing";

/// Whether the first message of a scenario names the file that stays.
pub(super) fn has_file(scene: &CrashScenario) -> bool {
    scene.name == "approvals"
}

/// The file that stays.
pub(super) fn chart() -> FileReference {
    let form = ModelForm {
        digest: sha256(FORM),
        media_type: "image/png".to_owned(),
        bytes: FORM.len() as u64,
        dimensions: PixelDimensions { width: 640, height: 360 },
        is_first_frame: false,
    };
    FileReference { model_form: Some(form), ..image("chart.png", CHART, 50).file }
}

/// Stores two files, and deletes the older one, which no session names.
pub(super) async fn store_and_delete_files(database: &Database, session: &SessionId) {
    let (store, home) = (database.file_store(), workspace(session));
    let chart = FileRow { file: chart(), ..image("chart.png", CHART, 50) };
    let passing = image("passing.png", PASSING, 5);
    let bytes = FileBytes { own: CHART.to_vec(), form: Some(FORM.to_vec()) };
    store.put_file(&home, chart.clone(), bytes).await.expect("the file is kept");
    store.put_file(&home, passing.clone(), PASSING.to_vec().into()).await.expect("the other one is kept");
    let deleted = store.delete_unnamed_files(&home, Timestamp(50)).await.expect("files are deleted");
    // Mail that a killed process left unanswered keeps it: a message may name it.
    assert!(deleted <= 1, "only the old one goes");
    let row = store.file(&home, &passing.file.digest).await.expect("files are read");
    assert_eq!(row.is_none(), deleted == 1);
    assert_eq!(store.file(&home, &chart.file.digest).await.expect("files are read"), Some(chart));
}

/// After a kill: a file that is there is whole, and has its form.
pub(super) async fn check_whole(database: &Database, story: &CrashScenarioRun, findings: &mut CrashFindings) {
    if !has_file(story.scene) {
        return;
    }
    let (store, home, chart) = (database.file_store(), workspace(&story.session), chart());
    let Some(row) = store.file(&home, &chart.digest).await.expect("files are read") else { return };
    if row.file != chart {
        findings.fault(format!("{story}: the file is without its form: {row:?}"));
    }
    for (digest, whole) in [(sha256(CHART), CHART), (sha256(FORM), FORM)] {
        let bytes = store.file_bytes(&home, &digest).await.expect("files are read");
        if bytes.as_deref() != Some(whole) {
            findings.fault(format!("{story}: the bytes of {digest} are {bytes:?}"));
        }
    }
}

/// At the end: the session names the file and its form, which are there.
pub(super) async fn check_end(database: &Database, story: &CrashScenarioRun, findings: &mut CrashFindings) {
    if !has_file(story.scene) {
        return;
    }
    check_whole(database, story, findings).await;
    let (store, home) = (database.file_store(), workspace(&story.session));
    let named = store.session_files(&home, &story.session).await.expect("files are read");
    let mut expected = [sha256(CHART), sha256(FORM)];
    expected.sort();
    if !named.keys().eq(&expected) {
        findings.record_loss(format!("{story}: the session names {named:?}"));
    }
}
