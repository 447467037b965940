//! `chat`: a new session or one that is there; one message, or a talk.

use std::io::Read;
use std::sync::Arc;

use entracte_application::use_cases::{NewChat, SendMessage, StartChat};
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_domain::session::Voice;

use super::turn::Stage;
use super::voice::new_voice;
use super::{enrich, talk};
use crate::args::ChatArgs;
use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::way::Way;
use crate::wiring::Wiring;

/// Runs `chat`.
pub(crate) async fn run(desk: &Desk, args: ChatArgs) -> Result<Exit, CliError> {
    let message = match args.message.as_deref() {
        Some("-") => Some(standard_input()?),
        Some(text) => Some(text.to_owned()),
        None if desk.out.json => {
            let text = "--json needs a message: entracte chat --json --message TEXT";
            return Err(CliError::new(Exit::Usage, text));
        }
        None => None,
    };
    let enrichments = enrich::read_all(&args.enrich)?;
    let wiring = desk.wire()?;
    let Some(text) = message else {
        return talk::run(stage(desk, wiring, &args).await?).await;
    };
    check(desk, &text, enrichments.len())?;
    let message = enrich::message(&text, enrichments);
    send(&stage(desk, wiring, &args).await?, message, args.client_key).await
}

/// One message, until the session rests.
async fn send(stage: &Stage<'_>, message: UserMessage, client_key: Option<String>) -> Result<Exit, CliError> {
    // A message that was sent before with this key: its turn began there.
    let before = match &client_key {
        Some(key) => stage.wiring.log.entry_by_client_key(&stage.session, key).await?,
        None => None,
    };
    let after = match before {
        Some(row) => row.seq.saturating_sub(1),
        None => stage.last().await?,
    };
    let feed = stage.way.watch();
    let send = SendMessage::new(stage.way.clone());
    let sent = send.run(&stage.workspace, &stage.session, stage.author(), message, client_key).await;
    stage.asked(sent).await?;
    stage.report(feed, after).await
}

/// A refused message must not leave an empty session behind.
fn check(desk: &Desk, text: &str, enrichments: usize) -> Result<(), CliError> {
    let most = desk.settings.runtime.message_max_enrichments;
    if most > 0 && enrichments > most {
        let text = format!(
            "the message has {enrichments} enrichments, at most {most} are taken (message.max_enrichments); \
             nothing was sent. Leave some out, or raise the setting: entracte config show --origin"
        );
        return Err(CliError::new(Exit::Usage, text));
    }
    let (length, most) = (text.chars().count(), desk.settings.runtime.message_max_chars);
    if text.trim().is_empty() {
        return Err(CliError::new(Exit::Usage, "the message is empty: entracte chat --message TEXT"));
    }
    if length > most {
        let text = format!(
            "the message has {length} characters, at most {most} are taken (message.max_chars); nothing was \
             sent. Shorten it, or raise the setting: entracte config show --origin"
        );
        return Err(CliError::new(Exit::Usage, text));
    }
    Ok(())
}

async fn stage<'a>(desk: &'a Desk, wiring: Arc<Wiring>, args: &ChatArgs) -> Result<Stage<'a>, CliError> {
    if let Some(named) = &args.session {
        let found = wiring.session(named).await?;
        return Stage::of(desk, wiring, found).await;
    }
    let chat = new_chat(desk, &wiring, args)?;
    let way = Way::open(wiring.clone()).await?;
    let start = StartChat::new(way.clone(), wiring.ids.clone());
    let workspace = desk.settings.workspace.clone();
    let session: SessionId = start.run(&workspace, chat).await?.session;
    desk.out.say(&format!("session {session}"));
    Ok(Stage { desk, wiring, way, workspace, session })
}

fn new_chat(desk: &Desk, wiring: &Wiring, args: &ChatArgs) -> Result<NewChat, CliError> {
    let voice = new_voice(desk, wiring, args.provider.as_deref(), args.model.as_deref())?;
    let Voice { provider, model, dialect } = voice;
    let require_validation = args.require_validation;
    let name = args.name.clone().unwrap_or_else(|| "chat".to_owned());
    let gate = args.commands.as_deref().map(crate::gate::gate).transpose()?.unwrap_or_default();
    Ok(NewChat { name, provider, model, dialect, require_validation, gate })
}

/// All of standard input.
pub(super) fn standard_input() -> Result<String, CliError> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().read_to_end(&mut bytes);
    let failed = |why: String| CliError::new(Exit::Usage, format!("the message cannot be read: {why}"));
    read.map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| failed("standard input is not UTF-8 text".to_owned()))
}
