use entracte_domain::id::SessionId;
use entracte_domain::session::{Dialect, ModelSelection};

use super::{Projection, PromptPrefix};
use crate::ports::{CommandRequestPolicy, ModelRequest, OutputShape};

/// Schema name of the reply for providers that enforce a schema.
const REPLY: &str = "entracte_reply";

/// The request of a round: the frozen prefix, then the conversation. `commands` = the commands that the round may
/// request; `relaunch` = whether results of calls began it. The same committed rows give the same request, when
/// it is sent and in any later replay.
pub fn model_request(
    session: SessionId,
    voice: &ModelSelection,
    prefix: &PromptPrefix,
    conversation: &Projection,
    commands: CommandRequestPolicy,
    relaunch: bool,
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
        files: Default::default(),
        written: conversation.written(),
    }
}
