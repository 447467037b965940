//! A chat in your own program: pick adapters, build the services, acquire ownership, start, send, listen, print.
//!
//! The sessions are stored in `embed.db`. [`chat`] knows no adapter, so its tests mock the ports. The model's words are
//! printed as they stream ([`listen`]).
mod listen;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::sync::Arc;

use custom_provider::RuleClerk;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::runtime::{LocalRuntime, RuntimeServices, StaticProviderRegistry};
use entracte_application::stream::{LiveText, StreamReadStart};
use entracte_application::use_cases::{NewChat, SendMessage, StartChat, TurnView};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::UserMessage;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let database = Database::open("embed.db", DatabaseOptions::default())?;
    let clerk = RuleClerk::new("Dear Ann", &[("open", "we open at nine.")]);
    let services =
        RuntimeServices::new(&database, Arc::new(StaticProviderRegistry::new([Arc::new(clerk) as _])), &[])?;
    let turn = chat(services, "clerk", "When do you open?", |words| print!("{words}")).await?;
    println!();
    turn.troubles.iter().for_each(|(_, why)| eprintln!("{why}"));
    Ok(())
}

/// Starts a chat with a provider, sends one message, and shows the streamed words until the session is at rest.
async fn chat(
    services: RuntimeServices,
    provider: &str,
    text: &str,
    show: impl FnMut(&str),
) -> Result<TurnView, Box<dyn Error>> {
    let (workspace, live) = (WorkspaceKey::new("ann:home"), Arc::new(LiveText::default()));
    let services = Arc::new(RuntimeServices { feed: live.clone(), ..services });
    let owner = services.acquire_ownership().await?; // Only one process at a time handles the events of a database.
    let mail_sender = Arc::new(LocalRuntime::start(services.clone(), owner).await?);

    let start = StartChat::new(mail_sender.clone(), services.ids.clone());
    let session = start.run(&workspace, NewChat::new("First chat", provider)).await?.session;
    let reader = services.events(live).open(&workspace, Some(&session), StreamReadStart::Now, None).await?;
    let message = UserMessage::text(text);
    SendMessage::new(mail_sender.clone()).run(&workspace, &session, "ann".into(), message, None).await?;
    let follow = services.follow();
    Ok(listen::listen(reader, follow.run_until_idle(&workspace, &session, 0), show).await??)
}
