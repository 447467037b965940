//! `session fork | export | import | delete | set`.

mod file;
mod set;

use entracte_application::texts::say;
use entracte_application::use_cases::{DeleteSession, ForkSession};
use serde_json::json;

use super::sure::is_sure;
use super::turn::Stage;
use crate::args::CopyCommand;
use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::render::text::one_line;

/// Runs one of them.
pub(crate) async fn run(desk: &Desk, command: CopyCommand) -> Result<Exit, CliError> {
    match command {
        CopyCommand::Fork { session, at, name } => fork(desk, &session, at, name).await,
        CopyCommand::Export { session, output, force } => {
            file::export(desk, &session, output.as_deref(), force).await
        }
        CopyCommand::Import { file, as_new } => file::import(desk, &file, as_new).await,
        CopyCommand::Delete { session, force } => delete(desk, &session, force).await,
        CopyCommand::Set(args) => set::run(desk, args).await,
    }
}

async fn fork(desk: &Desk, named: &str, at: Option<u64>, name: Option<String>) -> Result<Exit, CliError> {
    let wiring = desk.wire()?;
    let found = wiring.session(&desk.settings.workspace, named).await?;
    let stage = Stage::of(desk, wiring, found).await?;
    let (way, wiring) = (stage.way.clone(), &stage.wiring);
    let fork = ForkSession::new(way, wiring.store.clone(), wiring.ids.clone());
    let forked = fork.run(&stage.workspace, &stage.session, stage.author(), at, name).await;
    let forked = stage.asked(forked).await?;
    stage.leave().await?;
    let next = go_on(forked.session.as_str());
    if desk.out.json {
        desk.out.object(&json!({
            "schema": "entracte.fork/1",
            "session": forked.session.as_str(),
            "name": forked.name,
            "from": stage.session.as_str(),
            "at": forked.at,
            "next": next,
        }))?;
    } else {
        desk.out.data(forked.session.as_str())?;
        let texts = desk.spoken_texts().await;
        let says = say!(texts, "session-forked", name = one_line(&forked.name));
        desk.out.say(&format!("{says}\n  {next}"));
    }
    Ok(Exit::Done)
}

/// The command that goes on with a session.
fn go_on(session: &str) -> String {
    format!("entracte chat --session {session}")
}

async fn delete(desk: &Desk, named: &str, force: bool) -> Result<Exit, CliError> {
    let wiring = desk.wire()?;
    let found = wiring.session(&desk.settings.workspace, named).await?;
    let facts = wiring.show().run(&found.1, &found.0).await?.facts;
    let (id, name) = (facts.id.as_str(), one_line(&facts.name));
    let texts = desk.spoken_texts().await;
    let prompt = say!(texts, "session-delete-ask", session = id, name = &name);
    if !force && !is_sure(desk, id, &prompt, &format!("entracte session delete {id}")).await? {
        desk.out.say(&say!(texts, "deleted-nothing"));
        return Ok(Exit::Interrupted);
    }
    let stage = Stage::of(desk, wiring, found).await?;
    let delete = DeleteSession::new(stage.way.clone());
    let deleted = delete.run(&stage.workspace, &stage.session, stage.author()).await;
    stage.asked(deleted).await?;
    stage.leave().await?;
    if desk.out.json {
        desk.out.object(&json!({ "schema": "entracte.delete/1", "session": facts.id.as_str() }))?;
    } else {
        desk.out.say(&say!(texts, "session-deleted", session = facts.id.as_str()));
    }
    Ok(Exit::Done)
}
