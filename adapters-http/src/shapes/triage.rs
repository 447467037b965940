//! Shapes of snoozes and assignments of inbox items.

use entracte_application::ports::AssignmentRow;
use entracte_application::use_cases::{InboxItem, InboxTriage};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::iso;

/// What people noted about an item, as it is for who reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ItemTriageShape {
    /// Until when who reads it snoozes it; null if it is awake for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snoozed_until: Option<String>,
    /// To whom it is assigned; null: to nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned: Option<AssignmentShape>,
}

/// To whom an item is assigned. It gives no permission: whoever may decide on the item still may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AssignmentShape {
    /// The person.
    pub person: String,
    /// Who assigned it.
    pub author: String,
    /// When.
    pub at: String,
}

impl From<&AssignmentRow> for AssignmentShape {
    fn from(AssignmentRow { person, author, at, .. }: &AssignmentRow) -> Self {
        Self { person: person.clone(), author: author.clone(), at: iso(*at) }
    }
}

impl ItemTriageShape {
    /// What is noted about an item; `None` if nothing is.
    pub fn of_item(triage: &InboxTriage, item: &InboxItem) -> Option<Self> {
        Self::of_notes(triage.snoozed_until(item), triage.assignment(item))
    }

    /// What is noted about an item of this id, whether it still waits or not; `None` if nothing is.
    pub fn of_id(triage: &InboxTriage, id: &str) -> Option<Self> {
        let (until, assignment) = triage.notes_of_id(id);
        Self::of_notes(until, assignment)
    }

    fn of_notes(until: Option<Timestamp>, assignment: Option<&AssignmentRow>) -> Option<Self> {
        let (snoozed_until, assigned) = (until.map(iso), assignment.map(AssignmentShape::from));
        let is_noted = snoozed_until.is_some() || assigned.is_some();
        is_noted.then_some(Self { snoozed_until, assigned })
    }
}

/// The items to snooze: all of them, or none.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnoozeItemsShape {
    /// Their ids.
    pub items: Vec<String>,
    /// Until when: `later`, `tomorrow` or `monday` (in the morning), a duration such as `3h` or `2d`, a date (its morning), or
    /// an instant as RFC 3339. Days are those of the workspace's time zone. An item with a deadline comes back before it.
    pub until: String,
}

/// The items that wake: all of them, or none.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WakeItemsShape {
    /// Their ids.
    pub items: Vec<String>,
}

/// The items to assign: all of them, or none.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AssignItemsShape {
    /// Their ids.
    pub items: Vec<String>,
    /// The name of a person, or `me`; null: nobody.
    pub person: Option<String>,
}

/// What is noted about items now.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TriagedItemsShape {
    /// One for each item, in the order they were sent.
    pub items: Vec<TriagedItemShape>,
}

/// What is noted about an item now.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TriagedItemShape {
    /// The item.
    pub id: String,
    /// What is noted; null: nothing.
    pub triage: Option<ItemTriageShape>,
}
