//! The trigger of a run as text.

use entracte_application::use_cases::SessionView;
use entracte_domain::message::{ExecutionMetadata, MessageBody};

use crate::app_services::AppServices;
use crate::error::CliError;

/// The trigger of a run; `None` for other sessions.
pub(super) async fn run_trigger_text(
    services: &AppServices,
    view: &SessionView,
) -> Result<Option<ExecutionMetadata>, CliError> {
    if view.facts.automation.is_none() {
        return Ok(None);
    }
    let messages = services.read_log().conversation(&view.facts.workspace, &view.facts.id).await?;
    Ok(messages.into_iter().find_map(|described| match described.message.body {
        MessageBody::Execution(began) => Some(began),
        MessageBody::Rich(_) | MessageBody::Text(_) | MessageBody::Ai(_) | MessageBody::System(_) => None,
    }))
}
