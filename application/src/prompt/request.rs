use entracte_domain::id::SessionId;
use entracte_domain::session::{Dialect, ModelSelection};

use super::{Projection, PromptPrefix};
use crate::ports::{CommandRequestPolicy, ModelRequest, OutputShape};

/// The name of the reply's schema at providers that enforce one.
const REPLY: &str = "entracte_reply";

/// The request of a round, with what it may ask for and whether the results of calls began it: the frozen prefix, then the
/// conversation. The same committed rows give the same request,
/// when it is sent and whenever it is looked at again.
pub fn model_request(
    session: SessionId,
    voice: &ModelSelection,
    prefix: &PromptPrefix,
    conversation: &Projection,
    (commands, relaunch): (CommandRequestPolicy, bool),
) -> ModelRequest {
    let output = match (voice.dialect, &prefix.reply_schema) {
        (Dialect::Envelope, Some(schema)) => OutputShape::Json { name: REPLY.into(), schema: schema.clone() },
        (Dialect::Envelope, None) | (Dialect::Tools, _) => OutputShape::Text,
    };
    ModelRequest {
        session,
        model: voice.model.clone(),
        system: prefix.blocks.clone(),
        turns: conversation.turns(),
        tools: prefix.tools.clone(),
        commands,
        relaunch,
        output_tokens: prefix.output_tokens,
        output,
        encoding: prefix.encoding.clone(),
        written: conversation.written(),
    }
}
