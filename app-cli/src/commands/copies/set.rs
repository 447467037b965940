//! What is set for a session.

use entracte_application::use_cases::{ChangeSession, MeasureSession, SessionChange};
use entracte_domain::session::Dialect;

use super::super::turn::Stage;
use crate::args::{DialectName, SetArgs, YesNo};
use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::json::{SessionObject, position};
use crate::render::words;
use crate::wiring::Wiring;

pub(super) async fn run(desk: &Desk, args: SetArgs) -> Result<Exit, CliError> {
    let is_empty = args.model.is_none() && args.provider.is_none() && args.dialect.is_none();
    if is_empty && args.require_validation.is_none() && args.commands.is_none() {
        let text = "nothing is named that could be set: entracte session set --help";
        return Err(CliError::new(Exit::Usage, text));
    }
    let wiring = desk.wire()?;
    let found = wiring.session(&args.session).await?;
    let now = wiring.show().run(&found.0).await?.facts.provider;
    let change = change(desk, &wiring, &args, &now)?;
    let stage = Stage::of(desk, wiring, found).await?;
    let set = ChangeSession::new(stage.way.clone(), stage.wiring.store.clone());
    let changed = set.run(&stage.workspace, &stage.session, stage.author(), change).await;
    stage.asked(changed).await?;
    stage.leave().await?;
    let view = stage.wiring.show().run(&stage.session).await?;
    if desk.out.json {
        let metrics = MeasureSession::new(stage.wiring.store.clone(), stage.wiring.log.clone())
            .run(&stage.session)
            .await?;
        let queue = stage.wiring.queue(&stage.workspace).await?;
        desk.out.object(&SessionObject::new(&view, None, position(&queue, &stage.session), &metrics))?;
        return Ok(Exit::Done);
    }
    let facts = &view.facts;
    let leave = if facts.require_validation { "; every action needs leave" } else { "" };
    let dialect = words::dialect(facts.dialect);
    let only = crate::gate::words(&facts.gate).map(|all| format!("; commands: {all}")).unwrap_or_default();
    let text = format!("{}: {}, {} ({dialect}){leave}{only}", facts.id, facts.provider, facts.model);
    desk.out.say(&text);
    Ok(Exit::Done)
}

/// Another provider speaks with its own model and in its own dialect, where nothing else is asked for.
fn change(desk: &Desk, wiring: &Wiring, args: &SetArgs, now: &str) -> Result<SessionChange, CliError> {
    let mut change = SessionChange {
        require_validation: args.require_validation.map(|answer| answer == YesNo::Yes),
        gate: args.commands.as_deref().map(crate::gate::gate).transpose()?,
        provider: args.provider.clone(),
        model: args.model.clone(),
        dialect: args.dialect.map(|name| match name {
            DialectName::Envelope => Dialect::Envelope,
            DialectName::Tools => Dialect::Tools,
        }),
    };
    if let Some(provider) = args.provider.as_deref().filter(|provider| *provider != now) {
        let made = wiring.providers.provider(provider);
        let made = made.map_err(|failure| {
            CliError::new(Exit::Usage, failure.message).or_next("entracte provider list")
        })?;
        let entry = desk.settings.providers.iter().find(|entry| entry.name == provider);
        change.model = change.model.or_else(|| Some(made.info().default_model));
        change.dialect = change.dialect.or_else(|| entry.map(|entry| entry.dialect));
    }
    Ok(change)
}
