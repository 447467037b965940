//! What is printed with `--json`: shapes of their own, so that the domain may change and they stay.

mod inbox;
mod session;
mod turn;

pub(crate) use inbox::InboxObject;
pub(crate) use session::{CallsObject, EntryObject, MessagesObject, SessionObject, SessionsObject};
pub(crate) use turn::TurnObject;

use entracte_domain::id::CallId;

/// The text of an id.
fn text(id: &CallId) -> String {
    id.as_str().to_owned()
}
