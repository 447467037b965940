//! The checks at the end of the story. Everything is read back: from the database, and from the external file.

use entracte_application::ports::ResourceFilter;
use entracte_application::runtime::RuntimeServices;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{CallView, ReadCalls, VerifySession};
use entracte_domain::call::CallStatus;

use super::services::{DemoFiles, session, workspace};
use super::story::{note, zone};
use crate::error::CliError;

/// A check and its outcome.
pub(super) struct DemoCheck {
    pub(super) says: String,
    pub(super) holds: bool,
}

fn check(says: impl Into<String>, holds: bool) -> DemoCheck {
    DemoCheck { says: says.into(), holds }
}

/// Checks after an approval and a kill.
pub(super) async fn after_approval(
    services: &RuntimeServices,
    files: &DemoFiles,
    found: &str,
    texts: &LocalizedTexts,
) -> Result<Vec<DemoCheck>, CliError> {
    let calls = ReadCalls::new(services.store.clone(), services.log.clone())
        .run(&workspace(), &session())
        .await
        .map_err(CliError::from)?;
    let zones = zones(services, texts).await?;
    let notes = notes(files, texts);
    let mut checks = vec![
        check(say!(texts, "demo-read-first"), is(&calls, "zones.list", CallStatus::Succeeded)),
        check(say!(texts, "demo-killed-during", phase = found), found == "EXECUTING_ACTIONS"),
        check(say!(texts, "demo-zone-once", zone = zone(texts), found = zones), zones == 1),
        check(say!(texts, "demo-note-once", note = note(texts), found = notes), notes == 1),
        check(
            say!(texts, "demo-both-succeeded"),
            is(&calls, "zones.create", CallStatus::Succeeded) && second_attempt(&calls),
        ),
    ];
    checks.push(verified(services, texts).await?);
    Ok(checks)
}

/// Checks after a rejection.
pub(super) async fn after_rejection(
    services: &RuntimeServices,
    files: &DemoFiles,
    texts: &LocalizedTexts,
) -> Result<Vec<DemoCheck>, CliError> {
    let calls = ReadCalls::new(services.store.clone(), services.log.clone())
        .run(&workspace(), &session())
        .await
        .map_err(CliError::from)?;
    let refused = is(&calls, "zones.create", CallStatus::Rejected)
        && is(&calls, "outside.note_keyed", CallStatus::Rejected);
    Ok(vec![
        check(say!(texts, "demo-read-before"), is(&calls, "zones.list", CallStatus::Succeeded)),
        check(say!(texts, "demo-both-rejected"), refused),
        check(say!(texts, "demo-no-zone"), zones(services, texts).await? == 0),
        check(say!(texts, "demo-no-note"), notes(files, texts) == 0),
        verified(services, texts).await?,
    ])
}

/// The number of the story's notes in the external file.
pub(super) fn notes(files: &DemoFiles, texts: &LocalizedTexts) -> usize {
    let note = note(texts);
    let text = std::fs::read_to_string(files.outside()).unwrap_or_default();
    text.lines().filter(|line| line.contains(&note)).count()
}

async fn zones(services: &RuntimeServices, texts: &LocalizedTexts) -> Result<usize, CliError> {
    let filter = ResourceFilter { kind: "zone".into(), ..ResourceFilter::default() };
    let rows = services.rows.resources(&workspace(), &filter).await.map_err(CliError::from)?;
    let name = zone(texts);
    Ok(rows.iter().filter(|row| row.name == name).count())
}

fn is(calls: &[CallView], command: &str, status: CallStatus) -> bool {
    calls.iter().any(|view| view.call.command.name == command && view.state == status.word())
}

fn second_attempt(calls: &[CallView]) -> bool {
    calls.iter().any(|view| {
        view.call.command.name == "outside.note_keyed"
            && view.call.attempt == 2
            && view.state == CallStatus::Succeeded.word()
    })
}

async fn verified(services: &RuntimeServices, texts: &LocalizedTexts) -> Result<DemoCheck, CliError> {
    let verify = VerifySession::new(services.store.clone(), services.log.clone());
    let mismatch = verify.run(&workspace(), &session()).await.map_err(CliError::from)?;
    Ok(check(say!(texts, "demo-replayed"), mismatch.is_none()))
}
