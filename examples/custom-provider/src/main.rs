//! Calls the clerk and prints its words as they stream.

use std::sync::Arc;

use custom_provider::RuleClerk;
use entracte_application::ports::{
    CommandRequestPolicy, EncodedRequestCache, ModelRequest, OutputShape, PromptTurn, Provider,
    ProviderFailure, ReplySink, UserTurnPart,
};
use entracte_domain::id::SessionId;

struct TerminalSink;

impl ReplySink for TerminalSink {
    fn text(&self, piece: &str) {
        print!("{piece}");
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ProviderFailure> {
    let clerk = RuleClerk::new("Dear Ann", &[("open", "we open at nine.")]);
    println!("{}", clerk.check().await?);
    let request = ModelRequest {
        session: SessionId::new("ses_a"),
        model: String::new(),
        encoding: clerk.encoding(),
        system: Vec::new(),
        turns: vec![Arc::new(PromptTurn::User(vec![UserTurnPart::Text("When do you open?".into())]))],
        tools: Arc::new([]),
        commands: CommandRequestPolicy::None,
        relaunch: false,
        output_tokens: None,
        output: OutputShape::Text,
        files: Default::default(),
        written: EncodedRequestCache::default(),
    };
    println!("sends {}", String::from_utf8_lossy(&clerk.body(&request)?));
    let reply = clerk.call(request, Arc::new(TerminalSink)).await?;
    println!("\nsent {}", reply.body_digest.unwrap_or_default());
    Ok(())
}
