//! A chat in a program of one's own: pick adapters, build the services, own the store, start, send, listen, print.
//!
//! The sessions are kept in `embed.db`. [`chat`] knows no adapter, so its tests mock the ports. What the model says is
//! printed while it says it ([`listen`]).
mod listen;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::sync::Arc;

use custom_provider::Clerk;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::runtime::{LocalRuntime, Providers, Services};
use entracte_application::stream::{LiveText, Start};
use entracte_application::use_cases::{NewChat, SendMessage, StartChat, TurnView};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::UserMessage;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let database = Database::open("embed.db", DatabaseOptions::default())?;
    let clerk = Clerk::new("Dear Ann", &[("open", "we open at nine.")]);
    let services = Services::new(&database, Arc::new(Providers::new([Arc::new(clerk) as _])), &[])?;
    let turn = chat(services, "clerk", "When do you open?", |words| print!("{words}")).await?;
    println!();
    turn.troubles.iter().for_each(|(_, why)| eprintln!("{why}"));
    Ok(())
}

/// Begins a chat with a provider, says one thing, and shows what is said until the session does nothing more by itself.
async fn chat(
    services: Services,
    provider: &str,
    text: &str,
    show: impl FnMut(&str),
) -> Result<TurnView, Box<dyn Error>> {
    let (workspace, live) = (WorkspaceKey::new("ann:home"), Arc::new(LiveText::default()));
    let services = Arc::new(Services { feed: live.clone(), ..services });
    let owner = services.own().await?; // One process at a time handles the events of a database.
    let mail_sender = Arc::new(LocalRuntime::start(services.clone(), owner).await?);

    let start = StartChat::new(mail_sender.clone(), services.ids.clone());
    let session = start.run(&workspace, NewChat::new("First chat", provider)).await?.session;
    let reader = services.events(live).open(&workspace, Some(&session), Start::Now, None).await?;
    let message = UserMessage::text(text);
    SendMessage::new(mail_sender.clone()).run(&workspace, &session, "ann".into(), message, None).await?;
    let follow = services.follow();
    Ok(listen::listen(reader, follow.until_rest(&workspace, &session, 0), show).await??)
}
