//! The process that runs the session. The first one is killed; the second one continues where it stopped.

use std::path::Path;
use std::sync::Arc;

use entracte_application::mail::{ChangeSettingsRequest, Mail, MailRequest, NewSessionRequest};
use entracte_application::ports::{MailPostError, MailSender};
use entracte_application::runtime::LocalRuntime;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{FollowTurn, SendMessage};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, SessionKind};

use super::services::{DemoFiles, services, session, workspace};
use super::story::message;
use crate::error::{CliError, CliExitCode};

/// Runs the session until it rests, and waits for a decision of the presenter. Returns at the end of the story.
pub(crate) async fn child(folder: &Path, hang: bool, texts: &'static LocalizedTexts) -> Result<(), CliError> {
    let files = DemoFiles::in_folder(folder);
    let database = files.open()?;
    let services = services(&files, &database, hang, texts)?;
    let owner = services.acquire_ownership().await.map_err(CliError::from)?;
    let runtime: Arc<dyn MailSender> = Arc::new(
        LocalRuntime::start(services.clone(), owner)
            .await
            .map_err(|error| CliError::new(CliExitCode::Failure, error.to_string()))?,
    );
    begin(&runtime, texts).await?;
    let follow = FollowTurn::new(
        services.store.clone(),
        services.log.clone(),
        services.rows.clone(),
        services.catalog.get(),
        services.clock.clone(),
    );
    loop {
        let turn = follow.run_until_idle(&workspace(), &session(), 0).await.map_err(CliError::from)?;
        if turn.waiting.is_none() {
            return Ok(());
        }
        follow.wait_for_change().await;
    }
}

/// Creates the session and sends the message; idempotent, because every process does the same.
async fn begin(runtime: &Arc<dyn MailSender>, texts: &LocalizedTexts) -> Result<(), CliError> {
    let language = say!(texts, "demo-story-language");
    let changes = vec![("language".to_owned(), Some(language))];
    let request =
        MailRequest::workspace(ChangeSettingsRequest { author: say!(texts, "demo-author"), changes });
    let settings = Mail::from_request(request);
    let failed = |error: MailPostError| CliError::new(CliExitCode::Failure, error.to_string());
    runtime.post(&workspace(), settings).await.map_err(failed)?;
    let new = NewSessionRequest {
        id: session(),
        kind: SessionKind::Chat,
        name: "demo".into(),
        provider: "rehearsal".into(),
        model: "rehearsal".into(),
        dialect: Dialect::Envelope,
        mode: None,
        require_validation: true,
        restriction: Restriction::Open,
    };
    let mail = Mail::from_request(MailRequest::workspace(new));
    runtime.post(&workspace(), mail).await.map_err(failed)?;
    let send = SendMessage::new(runtime.clone());
    let message = UserMessage::text(message(texts));
    send.run(&workspace(), &session(), say!(texts, "demo-author"), message, Some("first".into()))
        .await
        .map_err(CliError::from)?;
    Ok(())
}
