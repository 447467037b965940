//! Renders native calls and their results as text, for models that do not have the tools.

use std::collections::HashMap;

use crate::ports::{AssistantTurn, PromptTurn, UserTurnPart};
use crate::protocol::tools::unwrap_native_call;
use crate::texts::{LocalizedTexts, say};

/// A turn without native parts. `names` maps tool names to the reader's names, where they differ.
pub(crate) fn render_turn_as_text(
    texts: &LocalizedTexts,
    turn: &PromptTurn,
    names: &HashMap<String, String>,
) -> PromptTurn {
    match turn {
        PromptTurn::User(parts) => {
            PromptTurn::User(parts.iter().flat_map(|part| render_part_as_text(texts, part)).collect())
        }
        PromptTurn::Assistant(said) => {
            let calls = said.calls.iter().map(|call| {
                let (name, arguments) = unwrap_native_call(call);
                let name = names.get(&name).unwrap_or(&name);
                let asks = say!(texts, "prompt-compaction-call", name = name, arguments = arguments);
                format!("\n{asks}")
            });
            let text = format!("{}{}", said.text, calls.collect::<String>());
            PromptTurn::Assistant(AssistantTurn { text, calls: Vec::new(), raw: None })
        }
    }
}

/// A part of a user turn without native content; the files of a result follow its text.
pub(super) fn render_part_as_text(texts: &LocalizedTexts, part: &UserTurnPart) -> Vec<UserTurnPart> {
    match part {
        UserTurnPart::Text(_) | UserTurnPart::System(_) | UserTurnPart::File(_) => vec![part.clone()],
        UserTurnPart::Result { content, is_error, files, .. } => {
            let key = if *is_error { "prompt-compaction-error" } else { "prompt-compaction-result" };
            let text = UserTurnPart::System(say!(texts, key, content = content));
            std::iter::once(text).chain(files.iter().cloned().map(UserTurnPart::File)).collect()
        }
    }
}

/// A turn without native parts and without files: its texts name them.
pub(super) fn render_turn_in_words(texts: &LocalizedTexts, turn: &PromptTurn) -> PromptTurn {
    match render_turn_as_text(texts, turn, &HashMap::new()) {
        PromptTurn::User(mut parts) => {
            parts.retain(|part| !matches!(part, UserTurnPart::File(_)));
            PromptTurn::User(parts)
        }
        said @ PromptTurn::Assistant(_) => said,
    }
}
