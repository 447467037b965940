//! Replaces ids of native calls by ids that every server accepts.
//!
//! A model's output is sent back to its own server byte for byte, ids included. A turn that is re-encoded for a server
//! (after a change of provider, or if its raw form could not be stored) may contain ids of another one: some repeat
//! ids, leave them out, or use any format, and Claude refuses all of that. Such ids are replaced, in the call and in
//! its result alike, by ids that depend only on the position, so that the next request begins with the same bytes.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashSet;

use entracte_application::ports::{AssistantTurn, PromptTurn, UserTurnPart};

use crate::call_id_format::NativeCallPosition;
use crate::profiles::ProviderProfile;
use crate::text::elements_of;

/// Gives the turns of a conversation, one after the other, ids that any server accepts.
#[derive(Debug, Default)]
pub(crate) struct CallIdNormalizer<'a> {
    /// The used ids of the earlier turns, if this normalizer continues after them.
    before: Option<&'a HashSet<String>>,
    used: HashSet<String>,
    /// The index of the next turn.
    place: usize,
    /// The ids of the previous turn's calls, if they were replaced: their results get them too.
    replaced: Option<Vec<String>>,
}

impl CallIdNormalizer<'static> {
    /// A normalizer for the turns after these; they may be normalized again later.
    pub(crate) fn for_following_turns(&self) -> CallIdNormalizer<'_> {
        let (before, replaced) = (Some(&self.used), self.replaced.clone());
        CallIdNormalizer { before, used: HashSet::new(), place: self.place, replaced }
    }
}

impl CallIdNormalizer<'_> {
    /// Normalizes the next turn, for a profile that sends raw turns of its own dialect back unchanged.
    pub(crate) fn normalize_turn<'t>(
        &mut self,
        turn: &'t PromptTurn,
        profile: &ProviderProfile,
    ) -> Cow<'t, PromptTurn> {
        let place = self.place;
        self.place += 1;
        match turn {
            PromptTurn::Assistant(said) => {
                let ids = self.valid_call_ids(said, place, profile);
                self.used.extend(ids.iter().cloned());
                if ids.iter().eq(said.calls.iter().map(|call| &call.provider_call_id)) {
                    self.replaced = None;
                    return Cow::Borrowed(turn);
                }
                let mut said = said.clone();
                for (call, id) in said.calls.iter_mut().zip(&ids) {
                    call.provider_call_id.clone_from(id);
                }
                self.replaced = Some(ids);
                Cow::Owned(PromptTurn::Assistant(said))
            }
            PromptTurn::User(parts) => match self.replaced.take() {
                Some(ids) => Cow::Owned(PromptTurn::User(with_ids(parts, &ids))),
                None => Cow::Borrowed(turn),
            },
        }
    }

    /// The ids of a turn's calls, as they are sent.
    fn valid_call_ids(&self, said: &AssistantTurn, turn: usize, profile: &ProviderProfile) -> Vec<String> {
        let is_used =
            |id: &String| self.used.contains(id) || self.before.is_some_and(|before| before.contains(id));
        // Evaluated only if an id is not valid.
        let goes_back = LazyCell::new(|| elements_of(said.raw.as_ref(), profile.raw_dialect).is_some());
        let mut ids: Vec<String> = Vec::with_capacity(said.calls.len());
        for (place, call) in said.calls.iter().enumerate() {
            let id = &call.provider_call_id;
            let is_good = profile.call_ids.accepts_id(id) && !is_used(id) && !ids.contains(id) || *goes_back;
            ids.push(if is_good {
                id.clone()
            } else {
                profile.call_ids.id_for_position(NativeCallPosition { turn, place })
            });
        }
        ids
    }
}

/// The parts of a turn, its results with these ids, one each, in the order of their calls.
fn with_ids(parts: &[UserTurnPart], ids: &[String]) -> Vec<UserTurnPart> {
    let mut ids = ids.iter();
    let mut parts = parts.to_vec();
    for part in &mut parts {
        if let UserTurnPart::Result { provider_call_id, .. } = part
            && let Some(id) = ids.next()
        {
            provider_call_id.clone_from(id);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider_kind::ProviderKind;
    use entracte_application::ports::NativeCall;
    use entracte_domain::message::ProviderTurn;

    const DIALECT: &str = "chat_completions/groq";

    fn turns(ids: &[&str], raw: Option<&str>) -> [PromptTurn; 2] {
        let call = |id: &&str| NativeCall {
            provider_call_id: (*id).to_owned(),
            name: "look".into(),
            arguments: "{}".into(),
        };
        let result = |id: &&str| UserTurnPart::Result {
            provider_call_id: (*id).to_owned(),
            name: "look".into(),
            content: "5 km".into(),
            is_error: false,
            files: Vec::new(),
        };
        let raw = raw.map(|bytes| ProviderTurn { dialect: DIALECT.into(), bytes: bytes.into() });
        let said = AssistantTurn { text: String::new(), calls: ids.iter().map(call).collect(), raw };
        let answered =
            std::iter::once(UserTurnPart::Text("so".into())).chain(ids.iter().map(result)).collect();
        [PromptTurn::Assistant(said), PromptTurn::User(answered)]
    }

    /// The ids of calls, and of results, as they are sent.
    fn sent(turns: &[PromptTurn]) -> Vec<Vec<String>> {
        sent_to(ProviderKind::Groq, turns)
    }

    fn sent_to(kind: ProviderKind, turns: &[PromptTurn]) -> Vec<Vec<String>> {
        let profile = ProviderProfile::of_kind(kind).unwrap();
        let mut given = CallIdNormalizer::default();
        let ids = |turn: &PromptTurn| match given.normalize_turn(turn, profile).as_ref() {
            PromptTurn::Assistant(said) => {
                said.calls.iter().map(|call| call.provider_call_id.clone()).collect()
            }
            PromptTurn::User(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    UserTurnPart::Result { provider_call_id, .. } => Some(provider_call_id.clone()),
                    UserTurnPart::Text(_) | UserTurnPart::System(_) | UserTurnPart::File(_) => None,
                })
                .collect(),
        };
        turns.iter().map(ids).collect()
    }

    #[test]
    fn invalid_ids_are_replaced_in_call_and_result() {
        let [said, answered] = turns(&["call_1", "", "call_1", "functions.x:0"], None);
        let expected = ["call_1", "entracte_0_1", "entracte_0_2", "entracte_0_3"];
        assert_eq!(sent(&[said.clone(), answered.clone()]), [expected, expected]);
        let [again, _] = turns(&["call_1"], None);
        assert_eq!(sent(&[said, answered, again])[2], ["entracte_2_0"], "no id twice in a conversation");
    }

    #[test]
    fn ids_follow_format_of_server() {
        let sent = sent_to(ProviderKind::Mistral, &turns(&["toolu_01", "aB3dE6gH9"], None));
        assert_eq!(sent, [["e00000000", "aB3dE6gH9"], ["e00000000", "aB3dE6gH9"]]);
    }

    #[test]
    fn raw_turns_keep_their_ids() {
        let [said, answered] = turns(&["functions.x:0"], Some("[]"));
        assert_eq!(sent(&[said, answered]), [["functions.x:0"], ["functions.x:0"]]);
    }
}
