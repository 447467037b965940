//! Finds what goes by the retention policy, and has it removed: the planner reads, the redaction of results is pure, and
//! the owner of the workspace commits each batch.

mod deletion_steps;
mod passes;
mod planner;
mod planner_ports;
mod redaction;
mod removal;
mod session_size;
mod unread_documents;

pub use planner::{RetentionPlanError, RetentionPlanner};
pub use planner_ports::RetentionPlannerPorts;
pub use redaction::{RedactedEntry, redact_entry};
pub(crate) use redaction::{redact_call, redact_task};
pub use removal::{RetentionRemovalError, RetentionRemovalPorts, RetentionRun, remove_expired};
pub(crate) use unread_documents::{count_of_document, list_unread_documents, read_document_cutoff};
