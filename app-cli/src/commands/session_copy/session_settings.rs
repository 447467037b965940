//! Changes the settings of a session.

use entracte_application::texts::say;
use entracte_application::use_cases::{ChangeSession, MeasureSession, SessionUpdate};
use entracte_domain::session::Dialect;

use super::super::run_trigger::run_trigger_text;
use super::super::turn::SessionContext;
use crate::app_services::AppServices;
use crate::args::{DialectName, ModeName, SetSessionArgs, YesNo};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{SessionObject, SlotSnapshot};
use crate::render::plan::mode_words;
use crate::render::session_sheet::SessionMeasurements;
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
    let view = stage.services.show().run(&stage.workspace, &stage.session).await?;
    if command_context.out.json {
        let metrics = MeasureSession::new(stage.services.store.clone(), stage.services.log.clone())
            .run(&stage.workspace, &stage.session)
            .await?;
        let full = command_context.prompt_fullness(&stage.services, &stage.workspace, &stage.session).await?;
        let place = stage.services.slot_place(&stage.workspace, &stage.session).await?;
        let rules = command_context.rules(&stage.services, &stage.workspace).await?;
        let began = run_trigger_text(&stage.services, &view).await?;
        let slot = SlotSnapshot { place: place.as_ref(), now: stage.services.clock.now() };
        let tasks = stage.services.session_tasks(&stage.workspace, &stage.session).await?;
        command_context.out.write_json_line(&SessionObject::new(
            &view,
            began.as_ref(),
            None,
            slot,
            SessionMeasurements { metrics: &metrics, context: &full },
            &rules,
            &tasks,
        ))?;
        return Ok(CliExitCode::Done);
    }
    let facts = &view.facts;
    let texts = command_context.workspace_texts().await;
    let dialect = facts.dialect.word();
    let mut parts = vec![format!("{}, {} ({dialect})", facts.provider, facts.model)];
    parts.extend(facts.require_validation.then(|| say!(texts, "journal-every-action")));
    parts.extend(facts.mode.map(|mode| mode_words(mode, texts)));
    parts.extend(
        crate::command_restriction::words(&facts.restriction)
            .map(|all| say!(texts, "journal-commands", commands = all)),
    );
    command_context.out.write_notice(&say!(
        texts,
        "session-now",
        session = facts.id.as_str(),
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
        let entry = command_context.settings.providers.iter().find(|entry| entry.name == provider);
        change.model = change.model.or_else(|| Some(made.info().default_model));
        change.dialect = change.dialect.or_else(|| entry.map(|entry| entry.dialect));
    }
    Ok(change)
}
