//! A session as a file: exported from one database and imported into another, completely or not at all.

use entracte_application::codec::CodecError;
use entracte_application::ports::ContentBlob;
use entracte_application::prompt::{PromptPrefix, generation_prefix};
use entracte_application::session_export::{SESSION_FILE_MAX_BYTES, SessionExport};
use entracte_application::use_cases::{
    ApprovalChoice, ExportSession, ImportSession, ListSessions, ReadLog, SessionImport, UseCaseError,
};
use entracte_domain::automation::RunPolicy;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{Dialect, Input, SessionCopyOrigin};
use entracte_tests::runtime_fixture::RuntimeFixture;

use super::bilingual_model::{BilingualModelStep, look_step, send_step};
use super::fixture::{SessionCopyFixture, all_stores, chat, memory, view};

async fn export(life: &RuntimeFixture, session: &SessionId) -> SessionExport {
    let services = &life.services;
    ExportSession::new(services.store.clone(), services.log.clone())
        .run(&life.workspace, session)
        .await
        .unwrap()
}

async fn import(life: &RuntimeFixture, text: &str, as_new: bool) -> Result<SessionImport, UseCaseError> {
    let import = ImportSession::new(life.mail_sender.clone(), life.services.ids.clone());
    import.run(&life.workspace, "bob".into(), text.to_owned(), as_new).await
}

/// A process with a session that read data, acted with approval, and was switched to another model.
async fn told(stage: &SessionCopyFixture, dialect: Dialect) -> (RuntimeFixture, SessionId) {
    stage.model.push_steps([look_step("weight"), send_step("bob"), BilingualModelStep::Words("Done.")]);
    let life = stage.life().await;
    let session = chat(&life, dialect, true).await;
    life.send_and_wait(&session, "tell bob").await;
    life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    (life, session)
}

/// The content of each entry, without its number in the workspace.
fn bodies(document: &SessionExport) -> Vec<(u64, i64, String, Vec<u8>)> {
    let row = |row: &entracte_application::ports::LogRow| {
        (row.sequence, row.at.0, row.label.clone(), row.body.clone())
    };
    document.rows.iter().map(row).collect()
}

async fn check_round_trip(stage: &SessionCopyFixture, other: &SessionCopyFixture, dialect: Dialect) {
    let (life, session) = told(stage, dialect).await;
    let mut away = other.life().await;
    away.workspace = WorkspaceKey::new("bob:away");
    let document = export(&life, &session).await;
    let text = document.encode().unwrap();
    // The blobs of the file are ordered by hash, independent of their order of arrival.
    assert_eq!(SessionExport::decode(&text).unwrap().encode().unwrap(), text);

    let imported = import(&away, &text, false).await.unwrap();
    assert_eq!((&imported.session, imported.entries), (&session, document.rows.len() as u64));
    let again = export(&away, &session).await;
    assert_eq!(bodies(&again)[..document.rows.len()], bodies(&document));
    let entries = away.entries(&session).await;
    let added = &entries[document.rows.len()..];
    let [copied] = added else { panic!("one entry is added: {added:?}") };
    let expected = Input::SessionCopied {
        from: session.clone(),
        at: document.rows.len() as u64,
        how: SessionCopyOrigin::Import,
        author: "bob".into(),
        policy: Some(RunPolicy::default()),
        counts_authors: true,
        call: None,
    };
    assert_eq!(copied.input, expected);
    SessionExport::decode(&again.encode().unwrap()).unwrap().verify().unwrap();

    let read = |life: &RuntimeFixture| ReadLog::new(life.services.log.clone());
    assert_eq!(
        read(&away).conversation(&away.workspace, &session).await.unwrap(),
        read(&life).conversation(&life.workspace, &session).await.unwrap()
    );
    assert_eq!(away.calls(&session).await, life.calls(&session).await);
    assert_eq!(view(&away, &session).await.facts.workspace, away.workspace);
    away.verify(&session).await;

    // Every sent prompt can be rebuilt: its prefix is in the file.
    let mut prefixes = 0;
    for digest in entries.iter().filter_map(generation_prefix) {
        let bytes = away.services.log.blob(&away.workspace, &session, digest).await.unwrap().unwrap();
        assert_eq!(PromptPrefix::decode(&bytes).unwrap().digest(), *digest);
        prefixes += 1;
    }
    assert!(prefixes > 0);

    other.model.push_steps([BilingualModelStep::Words("I am here now.")]);
    let turn = away.send_and_wait(&session, "are you there?").await;
    assert_eq!(turn.reply.unwrap().text, "I am here now.");
    assert_eq!((stage.effects(), other.effects()), (2, 0), "nothing ran again");
    away.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn export_import_round_trip() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        for (here, there) in all_stores().into_iter().zip(all_stores().into_iter().rev()) {
            check_round_trip(
                &SessionCopyFixture::with_stores(here, []),
                &SessionCopyFixture::with_stores(there, []),
                dialect,
            )
            .await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn import_with_taken_id_needs_new_id() {
    let stage = SessionCopyFixture::with_stores(memory(), []);
    let (life, session) = told(&stage, Dialect::Tools).await;
    let document = export(&life, &session).await;
    let text = document.encode().unwrap();
    let refused = import(&life, &text, false).await;
    let Err(UseCaseError::Conflict(why)) = refused else { panic!("{refused:?}") };
    assert!(why.ends_with("import it as a new one"), "{why}");

    let copy = import(&life, &text, true).await.unwrap().session;
    assert_ne!(copy, session);
    assert_eq!(life.calls(&copy).await, life.calls(&session).await);
    stage.model.push_steps([BilingualModelStep::Words("Both of us.")]);
    life.send_and_wait(&copy, "are you there?").await;
    for session in [&copy, &session] {
        life.verify(session).await;
    }
}

async fn sessions(life: &RuntimeFixture) -> usize {
    let list = ListSessions::new(life.services.log.clone());
    list.run(&Default::default()).await.unwrap().rows.len()
}

/// Imports a changed copy of a good file; returns the reason of its refusal.
async fn refused(change: impl FnOnce(String) -> String) -> String {
    let stage = SessionCopyFixture::with_stores(memory(), []);
    let (life, session) = told(&stage, Dialect::Envelope).await;
    let text = change(export(&life, &session).await.encode().unwrap());
    let other = SessionCopyFixture::with_stores(memory(), []);
    let away = other.life().await;
    let answer = import(&away, &text, false).await;
    assert_eq!(sessions(&away).await, 0, "nothing was stored");
    assert!(away.services.store.workspaces().await.unwrap().is_empty(), "nothing was stored");
    let Err(UseCaseError::Invalid(why)) = answer else { panic!("{answer:?}") };
    assert!(why.starts_with("nothing was imported: "), "{why}");
    why.to_string()
}

/// The file, changed and written with a matching hash: a person who changes a file can do that, too.
fn resealed(text: &str, change: impl FnOnce(&mut SessionExport)) -> String {
    let mut document = SessionExport::decode(text).unwrap();
    change(&mut document);
    document.encode().unwrap()
}

#[tokio::test(start_paused = true)]
async fn incomplete_file_is_refused_and_stores_nothing() {
    let changed = refused(|text| text.replacen("tell bob", "tell eve", 1)).await;
    assert!(changed.contains("it was changed or cut"), "{changed}");
    for end in [1, 2, 100, 2000] {
        let cut = refused(|text| text[..text.len() - end].to_owned()).await;
        assert!(cut.contains("it is incomplete: it was cut"), "{cut}");
    }
    let newer = refused(|text| text.replacen("session_export/1", "session_export/4", 1)).await;
    assert!(newer.contains("has version 4, but this Entracte reads version 3 and older"), "{newer}");
    let other = refused(|_| "{\"schema\": \"entracte.turn/1\"}".to_owned()).await;
    assert!(other.contains("it says “entracte.turn/1”"), "{other}");
    for nothing in ["", "hello", "[]", "{}"] {
        let why = refused(|_| nothing.to_owned()).await;
        assert!(why.contains("session file"), "{why}");
    }
    let large = refused(|text| text + &" ".repeat(SESSION_FILE_MAX_BYTES)).await;
    assert!(large.contains(&format!("at most {SESSION_FILE_MAX_BYTES} are allowed")), "{large}");
}

#[tokio::test(start_paused = true)]
async fn file_with_matching_hash_is_still_checked() {
    let without_last = refused(|text| resealed(&text, |file| drop(file.rows.pop()))).await;
    assert!(without_last.contains("does not give the state that it records"), "{without_last}");
    let without_one = refused(|text| resealed(&text, |file| drop(file.rows.remove(2)))).await;
    assert!(without_one.contains("entries are missing"), "{without_one}");
    let without_all = refused(|text| resealed(&text, |file| file.rows.clear())).await;
    assert!(without_all.contains("entries are missing"), "{without_all}");
    let without_blobs = refused(|text| resealed(&text, |file| file.blobs.clear())).await;
    assert!(without_blobs.contains("are missing"), "{without_blobs}");
    let is_prefix = |blob: &ContentBlob| PromptPrefix::decode(&blob.bytes).is_ok();
    let without_prefix =
        refused(|text| resealed(&text, |file| file.blobs.retain(|blob| !is_prefix(blob)))).await;
    assert!(without_prefix.contains("of a prompt is missing"), "{without_prefix}");
    let id = refused(|text| resealed(&text, |file| file.session = SessionId::new("ses_a b; rm"))).await;
    assert!(id.contains("the id of its session is not valid"), "{id}");
}

#[test]
fn the_error_of_a_newer_version_names_both() {
    let fault = SessionExport::decode("{\"schema\":\"entracte.session_export/7\"}").unwrap_err();
    assert!(matches!(fault, CodecError::UnknownVersion { found: 7, known: 3, .. }), "{fault:?}");
}
