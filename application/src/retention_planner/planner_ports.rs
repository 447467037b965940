use crate::ports::{LogReader, WorkspaceStore};

/// The ports that the planner reads.
#[derive(Clone, Copy)]
pub struct RetentionPlannerPorts<'a> {
    /// Sessions and settings.
    pub store: &'a dyn WorkspaceStore,
    /// Sessions by age, entries and calls.
    pub log: &'a dyn LogReader,
}
