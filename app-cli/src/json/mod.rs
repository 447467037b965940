//! The objects that `--json` prints: independent types, so that the domain may change while they stay stable.

mod agent;
mod automation;
mod chain;
mod cost;
mod deletion;
mod dry_run;
mod entry;
mod inbox;
mod ledger;
mod messages;
mod prompt;
mod rule;
mod session;
mod slot_queue;
mod task;
mod turn;

pub(crate) use agent::{AgentsObject, DeclaredAgentObject};
pub(crate) use automation::{
    AutomationHistoryObject, AutomationObject, AutomationsObject, NextOccurrencesObject, RunStartObject,
};
pub(crate) use cost::{CostObject, CostRowObject, csv};
pub(crate) use deletion::DeletionsObject;
pub(crate) use dry_run::DryRunObject;
pub(crate) use entry::EntryObject;
pub(crate) use inbox::{InboxObject, SeenItemsObject};
pub(crate) use ledger::CallsObject;
pub(crate) use messages::MessagesObject;
pub(crate) use prompt::PromptObject;
pub(crate) use rule::{RuleObject, RulesObject};
pub(crate) use session::{SessionObject, SessionsObject, SlotSnapshot, position};
pub(crate) use slot_queue::{OpenChatObject, SlotQueueObject};
pub(crate) use task::{TaskObject, TasksObject};
pub(crate) use turn::{CallProgressObject, ReasoningDeltaObject, ReplyDeltaObject, TurnObject};

use entracte_domain::id::CallId;

/// The text of an id.
fn text(id: &CallId) -> String {
    id.as_str().to_owned()
}
