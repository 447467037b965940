//! Four eyes: in half of the simulations the author of a message may not approve the actions it led to.

use std::collections::BTreeMap;

use entracte_application::codec::{decode_call, decode_entry};
use entracte_application::mail::{ChangeSettingsRequest, MailRequest};
use entracte_application::ports::LogReader;
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::{Input, JournalNote, LogAppend};
use entracte_domain::validation::is_four_eyes;

use super::rng::SeededRng;
use super::workspace::SimulatedWorkspace;
use crate::virtual_workspace::home;

/// The people who send messages and decide.
const PEOPLE: [&str; 3] = ["ann", "bob", "eve"];

/// One of them at random.
pub(super) fn somebody(chance: &mut SeededRng) -> String {
    PEOPLE[chance.below(PEOPLE.len())].to_owned()
}

impl SimulatedWorkspace {
    /// Four eyes from the beginning, or never.
    pub(super) async fn choose_four_eyes(&mut self, chance: &mut SeededRng) {
        let changes = vec![("four_eyes".to_owned(), Some(chance.percent(50).to_string()))];
        self.post_request(MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes }))
            .await;
    }

    /// Under four eyes, no action was approved by an author of the messages it was done for. The authors are read from
    /// the journal, not from the machine's own record.
    pub(super) async fn nobody_approved_for_himself(&self) -> Result<(), String> {
        for row in self.world.sessions().await {
            let askers = self.askers(&row.id).await;
            for row in self.world.store.calls(&home(), &row.id).await.unwrap() {
                let call = decode_call(&row).unwrap();
                let Some(approval) = call.decision().filter(|_| is_four_eyes(&call.reasons)) else {
                    continue;
                };
                if askers.get(&call.id).is_some_and(|people| people.contains(&approval.author)) {
                    return Err(format!("{} approved {}, for which they asked", approval.author, call.id));
                }
            }
        }
        Ok(())
    }

    /// The authors of all messages in the prompt before each call was requested.
    async fn askers(&self, session: &SessionId) -> BTreeMap<CallId, Vec<String>> {
        let rows = self.world.store.entries(&home(), session, 0, u32::MAX).await.unwrap();
        let (mut authors, mut people, mut askers) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
        for row in rows {
            let entry = decode_entry(&row).unwrap();
            match &entry.input {
                Input::UserMessageSent(sent) => {
                    authors.insert(session.message_id(row.sequence, 0), sent.author.clone());
                }
                Input::SessionCreated(creation) => {
                    let seed = creation.run.iter().flat_map(|run| &run.messages);
                    people.extend(seed.map(|(author, _)| author.clone()));
                }
                Input::AiResponseReceived(response) => {
                    let ids = (0..response.calls.len()).map(|ordinal| session.call_id(row.sequence, ordinal));
                    askers.extend(ids.map(|id| (id, people.clone())));
                }
                _ => {}
            }
            for appended in &entry.appended {
                if let LogAppend::Note(JournalNote::MessagesJoined(ids)) = appended {
                    people.extend(ids.iter().filter_map(|id| authors.get(id).cloned()));
                }
            }
        }
        askers
    }
}
