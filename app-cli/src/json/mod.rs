//! What is printed with `--json`: shapes of their own, so that the domain may change and they stay.

mod automation;
mod calls;
mod entry;
mod inbox;
mod messages;
mod prompt;
mod rule;
mod session;
mod turn;

pub(crate) use automation::{AutomationObject, AutomationsObject, HistoryObject, NextObject, RunObject};
pub(crate) use calls::CallsObject;
pub(crate) use entry::EntryObject;
pub(crate) use inbox::InboxObject;
pub(crate) use messages::MessagesObject;
pub(crate) use prompt::PromptObject;
pub(crate) use rule::{RuleObject, RulesObject};
pub(crate) use session::{SessionObject, SessionsObject, position};
pub(crate) use turn::{DeltaObject, TurnObject};

use entracte_domain::id::CallId;

/// The text of an id.
fn text(id: &CallId) -> String {
    id.as_str().to_owned()
}
