//! Ids of native calls that every server takes.
//!
//! What a model said goes back to its own server byte for byte, ids included. What is written anew for a server (after
//! a change of provider, or when it could not be kept) may hold ids of another one: some repeat theirs, leave them
//! out, or write what they like, and Claude refuses all of that. Such ids are replaced, in the call and in its result
//! alike, by ones that depend on nothing but the place, so that the next request begins with the same bytes.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashSet;
use std::sync::Arc;

use entracte_application::ports::{AssistantTurn, ModelRequest, NativeCall, Turn, UserPart};

use crate::text::elements_of;

/// The request with ids that any server takes, for an adapter that sends turns of this dialect back as they came.
pub(crate) fn with_good_ids<'a>(request: &'a ModelRequest, raw_dialect: &str) -> Cow<'a, ModelRequest> {
    let mut request = Cow::Borrowed(request);
    let mut used = HashSet::new();
    for place in 0..request.turns.len() {
        let Some(Turn::Assistant(said)) = request.turns.get(place).map(|turn| turn.as_ref()) else {
            continue;
        };
        let ids = good_ids(said, place, raw_dialect, &used);
        if ids.iter().ne(said.calls.iter().map(|call| &call.provider_call_id)) {
            rename(&mut request.to_mut().turns, place, &ids);
        }
        used.extend(ids);
    }
    request
}

/// The ids of a turn's calls, as they are sent.
fn good_ids(said: &AssistantTurn, turn: usize, raw_dialect: &str, used: &HashSet<String>) -> Vec<String> {
    // Looked at where an id needs it only: this is done for every turn of every request.
    let goes_back = LazyCell::new(|| elements_of(said.raw.as_ref(), raw_dialect).is_some());
    let mut ids: Vec<String> = Vec::with_capacity(said.calls.len());
    for (place, call) in said.calls.iter().enumerate() {
        let id = &call.provider_call_id;
        let is_good = is_id(id) && !used.contains(id) && !ids.contains(id) || *goes_back;
        ids.push(if is_good { id.clone() } else { format!("entracte_{turn}_{place}") });
    }
    ids
}

/// Gives the calls of a turn, and their results in the turn after it, these ids.
fn rename(turns: &mut [Arc<Turn>], place: usize, ids: &[String]) {
    if let Some(Turn::Assistant(said)) = turns.get_mut(place).map(Arc::make_mut) {
        for (call, id) in said.calls.iter_mut().zip(ids) {
            call.provider_call_id.clone_from(id);
        }
    }
    let Some(Turn::User(parts)) = turns.get_mut(place + 1).map(Arc::make_mut) else { return };
    let results = parts.iter_mut().filter_map(|part| match part {
        UserPart::Result { provider_call_id, .. } => Some(provider_call_id),
        UserPart::Text(_) | UserPart::System(_) => None,
    });
    // Results stand in the order of their calls, one each.
    for (result, id) in results.zip(ids) {
        result.clone_from(id);
    }
}

/// Whether every server takes it: `^[a-zA-Z0-9_-]{1,64}$`. Tools have names of the same kind.
pub(crate) fn is_id(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=ID_MAX).contains(&text.len()) && text.bytes().all(fits)
}

/// Whether servers take a call's id and name back.
pub(crate) fn is_named(call: &NativeCall) -> bool {
    is_id(&call.provider_call_id) && is_id(&call.name)
}

const ID_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;
    use entracte_domain::message::ProviderTurn;

    const DIALECT: &str = "chat_completions/groq";

    fn turns(ids: &[&str], raw: Option<&str>) -> [Arc<Turn>; 2] {
        let call = |id: &&str| NativeCall {
            provider_call_id: (*id).to_owned(),
            name: "look".into(),
            arguments: "{}".into(),
        };
        let result = |id: &&str| UserPart::Result {
            provider_call_id: (*id).to_owned(),
            content: "5 km".into(),
            is_error: false,
        };
        let raw = raw.map(|bytes| ProviderTurn { dialect: DIALECT.into(), bytes: bytes.into() });
        let said = AssistantTurn { text: String::new(), calls: ids.iter().map(call).collect(), raw };
        let answered = std::iter::once(UserPart::Text("so".into())).chain(ids.iter().map(result)).collect();
        [Arc::new(Turn::Assistant(said)), Arc::new(Turn::User(answered))]
    }

    /// Ids of calls, and of results, as they are sent.
    fn sent(turns: Vec<Arc<Turn>>) -> Vec<Vec<String>> {
        let request = ModelRequest { turns, ..request(None) };
        let ids = |turn: &Arc<Turn>| match turn.as_ref() {
            Turn::Assistant(said) => said.calls.iter().map(|call| call.provider_call_id.clone()).collect(),
            Turn::User(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    UserPart::Result { provider_call_id, .. } => Some(provider_call_id.clone()),
                    UserPart::Text(_) | UserPart::System(_) => None,
                })
                .collect(),
        };
        with_good_ids(&request, DIALECT).turns.iter().map(ids).collect()
    }

    #[test]
    fn ids_that_no_server_takes_are_replaced_in_call_and_result() {
        let [said, answered] = turns(&["call_1", "", "call_1", "functions.x:0"], None);
        let expected = ["call_1", "entracte_0_1", "entracte_0_2", "entracte_0_3"];
        assert_eq!(sent(vec![said.clone(), answered.clone()]), [expected, expected]);
        let [again, _] = turns(&["call_1"], None);
        assert_eq!(sent(vec![said, answered, again])[2], ["entracte_2_0"], "no id twice in a conversation");
    }

    #[test]
    fn what_goes_back_as_it_came_keeps_its_ids() {
        let [said, answered] = turns(&["functions.x:0"], Some("[]"));
        assert_eq!(sent(vec![said, answered]), [["functions.x:0"], ["functions.x:0"]]);
    }
}
