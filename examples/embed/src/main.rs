//! A chat in a program of one's own: pick adapters, build a house, start, send, follow, print.
//!
//! The sessions are kept in `embed.db`. [`chat`] knows no adapter, so its tests mock the ports.
#[cfg(test)]
mod tests;

use std::error::Error;
use std::sync::Arc;

use custom_provider::Clerk;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::runtime::{House, LocalRuntime, Providers};
use entracte_application::use_cases::{NewChat, SendMessage, StartChat, TurnView};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::UserMessage;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let database = Database::open("embed.db", DatabaseOptions::default())?;
    let _owner = database.try_own()?; // One process at a time handles the events of a database.
    let clerk = Clerk::new("Dear Ann", &[("open", "we open at nine.")]);
    let house = House::new(&database, Arc::new(Providers::new([Arc::new(clerk) as _])), &[])?;
    let turn = chat(house, "clerk", "When do you open?").await?;
    println!("{}", turn.reply.map_or_else(|| format!("{:?}", turn.troubles), |reply| reply.text));
    Ok(())
}

/// Begins a chat with a provider, says one thing, and waits until the session does nothing more by itself.
async fn chat(house: House, provider: &str, text: &str) -> Result<TurnView, Box<dyn Error>> {
    let (workspace, house) = (WorkspaceKey::new("ann:home"), Arc::new(house));
    let postbox = Arc::new(LocalRuntime::start(house.clone()).await?);

    let start = StartChat::new(postbox.clone(), house.ids.clone());
    let session = start.run(&workspace, NewChat::new("First chat", provider)).await?.session;
    let message = UserMessage::text(text);
    SendMessage::new(postbox.clone()).run(&workspace, &session, "ann".into(), message, None).await?;
    Ok(house.follow().until_rest(&session, 0).await?)
}
