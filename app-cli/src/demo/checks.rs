//! What must be true when the story is told. Everything is read back: from the database, and from the file
//! outside of it.

use entracte_application::ports::ResourceFilter;
use entracte_application::runtime::House;
use entracte_application::use_cases::{CallView, ReadCalls, VerifySession};
use entracte_domain::command::CallStatus;

use super::house::{Files, session, workspace};
use super::story::{NOTE, ZONE};
use crate::error::CliError;

/// A check and its outcome.
pub(super) struct Check {
    pub(super) says: String,
    pub(super) holds: bool,
}

fn check(says: impl Into<String>, holds: bool) -> Check {
    Check { says: says.into(), holds }
}

/// What must be true when leave was given and the process was killed.
pub(super) async fn after_leave(house: &House, files: &Files, found: &str) -> Result<Vec<Check>, CliError> {
    let calls = ReadCalls::new(house.store.clone(), house.log.clone())
        .run(&session())
        .await
        .map_err(CliError::from)?;
    let zones = zones(house).await?;
    let notes = notes(files);
    let mut checks = vec![
        check("the model read before it acted", is(&calls, "zones.list", CallStatus::Succeeded)),
        check(
            format!("the killed process left the action started (phase {found})"),
            found == "EXECUTING_ACTIONS",
        ),
        check(format!("the zone “{ZONE}” is in the database once (found {zones})"), zones == 1),
        check(format!("the note “{NOTE}” is in the file outside once (found {notes})"), notes == 1),
        check(
            "both actions are told as done, the outside one after a second attempt with the same key",
            is(&calls, "zones.create", CallStatus::Succeeded) && second_attempt(&calls),
        ),
    ];
    checks.push(verified(house).await?);
    Ok(checks)
}

/// What must be true when leave was refused.
pub(super) async fn after_refusal(house: &House, files: &Files) -> Result<Vec<Check>, CliError> {
    let calls = ReadCalls::new(house.store.clone(), house.log.clone())
        .run(&session())
        .await
        .map_err(CliError::from)?;
    let refused = is(&calls, "zones.create", CallStatus::Rejected)
        && is(&calls, "outside.note_keyed", CallStatus::Rejected);
    Ok(vec![
        check("the model read before it asked", is(&calls, "zones.list", CallStatus::Succeeded)),
        check("both actions are told as refused", refused),
        check("nothing is in the database", zones(house).await? == 0),
        check("nothing is in the file outside", notes(files) == 0),
        verified(house).await?,
    ])
}

/// How many notes of the story the file outside holds.
pub(super) fn notes(files: &Files) -> usize {
    let text = std::fs::read_to_string(files.outside()).unwrap_or_default();
    text.lines().filter(|line| line.contains(NOTE)).count()
}

async fn zones(house: &House) -> Result<usize, CliError> {
    let filter = ResourceFilter { kind: "zone".into(), ..ResourceFilter::default() };
    let rows = house.rows.resources(&workspace(), &filter).await.map_err(CliError::from)?;
    Ok(rows.iter().filter(|row| row.name == ZONE).count())
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

async fn verified(house: &House) -> Result<Check, CliError> {
    let verify = VerifySession::new(house.store.clone(), house.log.clone());
    let mismatch = verify.run(&session()).await.map_err(CliError::from)?;
    Ok(check("replaying the journal gives the stored state", mismatch.is_none()))
}
