//! The rules that every provider has for a conversation.

use std::sync::Arc;

use super::fixture::show;
use crate::ports::{AssistantTurn, PromptTurn, UserTurnPart};

/// Turns alternate beginning with a user turn; native calls are answered immediately, each exactly once and
/// first.
pub(super) fn check_legal(turns: &[Arc<PromptTurn>]) {
    for (index, turn) in turns.iter().enumerate() {
        assert_eq!(matches!(**turn, PromptTurn::User(_)), index % 2 == 0, "turns alternate\n{}", show(turns));
        let PromptTurn::User(parts) = turn.as_ref() else { continue };
        let expected: Vec<&str> = match index.checked_sub(1).map(|before| turns[before].as_ref()) {
            Some(PromptTurn::Assistant(AssistantTurn { calls, .. })) => {
                calls.iter().map(|call| call.provider_call_id.as_str()).collect()
            }
            _ => Vec::new(),
        };
        let results: Vec<Option<&str>> = parts
            .iter()
            .map(|part| match part {
                UserTurnPart::Result { provider_call_id, .. } => Some(provider_call_id.as_str()),
                UserTurnPart::Text(_) | UserTurnPart::System(_) | UserTurnPart::File(_) => None,
            })
            .collect();
        let first: Vec<&str> = results.iter().map_while(|result| *result).collect();
        assert_eq!(first, expected, "results come first, one per call\n{}", show(turns));
        assert_eq!(results.iter().flatten().count(), expected.len());
        assert!(!parts.is_empty());
    }
}
