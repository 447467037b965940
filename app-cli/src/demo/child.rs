//! The process that runs the session. The first one is killed; the second one goes on from where it stood.

use std::path::Path;
use std::sync::Arc;

use entracte_application::codec::{Mail, MailRequest, NewSession};
use entracte_application::ports::Postbox;
use entracte_application::runtime::LocalRuntime;
use entracte_application::use_cases::{FollowTurn, SendMessage};
use entracte_domain::gate::Gate;
use entracte_domain::message::UserMessage;
use entracte_domain::session::{Dialect, SessionKind};

use super::house::{Files, house, session, workspace};
use super::story::MESSAGE;
use crate::error::{CliError, Exit};

/// Runs the session until it rests, and waits there for a decision of the process that watches. Ends when the
/// story is told.
pub(crate) async fn child(folder: &Path, hang: bool) -> Result<(), CliError> {
    let files = Files::in_folder(folder);
    let database = files.open()?;
    let _owned = database.try_own().map_err(CliError::from)?;
    let house = house(&files, &database, hang)?;
    let runtime: Arc<dyn Postbox> = Arc::new(
        LocalRuntime::start(house.clone())
            .await
            .map_err(|error| CliError::new(Exit::Failure, error.to_string()))?,
    );
    begin(&runtime).await?;
    let follow = FollowTurn::new(
        house.store.clone(),
        house.log.clone(),
        house.rows.clone(),
        house.catalog.clone(),
        house.clock.clone(),
    );
    loop {
        let turn = follow.until_rest(&session(), 0).await.map_err(CliError::from)?;
        if turn.waiting.is_none() {
            return Ok(());
        }
        follow.pause().await;
    }
}

/// Makes the session and sends the message; the same in every process, so a second one changes nothing.
async fn begin(runtime: &Arc<dyn Postbox>) -> Result<(), CliError> {
    let new = NewSession {
        id: session(),
        kind: SessionKind::Chat,
        name: "demo".into(),
        provider: "rehearsal".into(),
        model: "rehearsal".into(),
        dialect: Dialect::Envelope,
        require_validation: true,
        gate: Gate::Open,
    };
    let mail = Mail { session: Some(session()), request: MailRequest::StartSession(new) };
    runtime
        .post(&workspace(), mail)
        .await
        .map_err(|error| CliError::new(Exit::Failure, error.to_string()))?;
    let send = SendMessage::new(runtime.clone());
    let message = UserMessage::text(MESSAGE);
    send.run(&workspace(), &session(), "you".into(), message, Some("first".into()))
        .await
        .map_err(CliError::from)?;
    Ok(())
}
