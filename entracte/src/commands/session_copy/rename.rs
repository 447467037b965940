//! `session rename`: gives a session another name.

use entracte_application::texts::say;
use entracte_application::use_cases::{ChangeSession, SessionUpdate};
use serde_json::json;

use super::super::turn::SessionContext;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;

pub(super) async fn run(
    context: &CommandContext,
    named: &str,
    name: String,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let (session, workspace) = services.session(&context.settings.workspace, named).await?;
    let stage = SessionContext::open_session(context, services, workspace, session).await?;
    let rename = ChangeSession::new(stage.runtime.clone(), stage.services.store.clone());
    let change = SessionUpdate { name: Some(name), ..SessionUpdate::default() };
    let renamed = rename.run(&stage.workspace, &stage.session, stage.author(), change).await;
    stage.finish_request(renamed).await?;
    stage.drain_owned_work().await?;
    let facts = stage.services.show().run(&stage.workspace, &stage.session).await?.facts;
    if context.out.json {
        let (session, name) = (facts.id.as_str(), &facts.name);
        context
            .out
            .write_json_line(&json!({ "schema": "entracte.rename/1", "session": session, "name": name }))?;
    } else {
        let texts = context.workspace_texts().await;
        let says = say!(texts, "session-renamed", session = facts.id.as_str(), name = one_line(&facts.name));
        context.out.write_notice(&says);
    }
    Ok(CliExitCode::Done)
}
