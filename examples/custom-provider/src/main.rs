//! Asks the clerk, and shows its words as they come.

use std::sync::Arc;

use custom_provider::Clerk;
use entracte_application::ports::{
    CommandUse, ModelRequest, OutputShape, Provider, ProviderFailure, ReplySink, Turn, UserPart, Written,
};
use entracte_domain::id::SessionId;

struct Screen;

impl ReplySink for Screen {
    fn text(&self, piece: &str) {
        print!("{piece}");
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ProviderFailure> {
    let clerk = Clerk::new("Dear Ann", &[("open", "we open at nine.")]);
    println!("{}", clerk.check().await?);
    let request = ModelRequest {
        session: SessionId::new("ses_a"),
        model: String::new(),
        encoding: clerk.encoding(),
        system: Vec::new(),
        turns: vec![Arc::new(Turn::User(vec![UserPart::Text("When do you open?".into())]))],
        tools: Arc::new([]),
        commands: CommandUse::None,
        relaunch: false,
        output_tokens: None,
        output: OutputShape::Text,
        written: Written::default(),
    };
    println!("sends {}", String::from_utf8_lossy(&clerk.body(&request)?));
    let reply = clerk.call(request, Arc::new(Screen)).await?;
    println!("\nsent {}", reply.body_digest.unwrap_or_default());
    Ok(())
}
