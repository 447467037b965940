//! Changes the settings of a session.

use entracte_application::texts::say;
use entracte_application::use_cases::{ChangeSession, SessionUpdate};
use entracte_domain::session::Dialect;

use super::super::turn::SessionContext;
use crate::api_client::{ApiClient, read_session_details};
use crate::app_services::AppServices;
use crate::args::{DialectName, ModeName, SetSessionArgs, YesNo};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{SESSION_SCHEMA, VersionedShape};
use crate::render::plan::mode_text;
use crate::user_text::message;

pub(super) async fn run(
    command_context: &CommandContext,
    args: SetSessionArgs,
) -> Result<CliExitCode, CliError> {
    let is_empty = args.model.is_none() && args.provider.is_none() && args.dialect.is_none();
    if is_empty && args.require_approval.is_none() && args.mode.is_none() && args.commands.is_none() {
        let text = message!("session-set-nothing");
        return Err(CliError::new(CliExitCode::Usage, text));
    }
    let services = command_context.open_services()?;
    let (session, workspace) = services.session(&command_context.settings.workspace, &args.session).await?;
    let now = services.show().run(&workspace, &session).await?.facts.provider;
    let change = change(command_context, &services, &args, &now)?;
    let stage = SessionContext::open_session(command_context, services, workspace, session).await?;
    let set = ChangeSession::new(stage.runtime.clone(), stage.services.store.clone());
    let changed = set.run(&stage.workspace, &stage.session, stage.author(), change).await;
    stage.finish_request(changed).await?;
    stage.drain_owned_work().await?;
    let api = ApiClient::open_here(command_context, stage.services.clone());
    let session = read_session_details(&api, stage.session.as_str()).await?;
    if command_context.out.json {
        command_context.out.write_json_line(&VersionedShape::new(SESSION_SCHEMA, session))?;
        return Ok(CliExitCode::Done);
    }
    let (texts, editable) = (api.texts().await?, &session.editable);
    let mut parts = vec![format!("{}, {} ({})", editable.provider, editable.model, editable.dialect)];
    parts.extend(editable.require_validation.then(|| say!(texts, "journal-every-action")));
    parts.extend(editable.mode.as_deref().map(|mode| mode_text(mode, texts)));
    parts.extend(
        crate::command_restriction::pattern_words(editable.commands.as_deref())
            .map(|all| say!(texts, "journal-commands", commands = all)),
    );
    command_context.out.write_notice(&say!(
        texts,
        "session-now",
        session = session.id.as_str(),
        what = parts.join("; ")
    ));
    Ok(CliExitCode::Done)
}

/// Another provider uses its own model and dialect unless the arguments name others.
fn change(
    command_context: &CommandContext,
    services: &AppServices,
    args: &SetSessionArgs,
    now: &str,
) -> Result<SessionUpdate, CliError> {
    let mut change = SessionUpdate {
        require_validation: args.require_approval.map(|answer| answer == YesNo::Yes),
        mode: args.mode.map(ModeName::mode),
        restriction: args.commands.as_deref().map(crate::command_restriction::restriction).transpose()?,
        provider: args.provider.clone(),
        model: args.model.clone(),
        dialect: args.dialect.map(|name| match name {
            DialectName::Envelope => Dialect::Envelope,
            DialectName::Tools => Dialect::Tools,
        }),
        name: None,
    };
    if let Some(provider) = args.provider.as_deref().filter(|provider| *provider != now) {
        let made = services.providers.provider(provider);
        let made = made.map_err(|failure| {
            CliError::new(CliExitCode::Usage, failure.message).or_next("entracte provider list")
        })?;
        change.model = change.model.or_else(|| Some(made.info().default_model));
        change.dialect = change.dialect.or_else(|| command_context.settings.dialect_of(provider));
    }
    Ok(change)
}
