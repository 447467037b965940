//! What the altered store reads beside sessions: the log, resources, automations and tasks.

use async_trait::async_trait;
use entracte_application::instructions::{InstructionScope, InstructionVersion};
use entracte_application::ports::{
    AutomationReader, AutomationRow, CallRow, CostFilter, CostPage, DeletionRow, LogReader, LogRow,
    OccurrenceRow, ResourceChangeRow, ResourceFilter, ResourceReader, ResourceRow, RestingSessionFilter,
    SessionFilter, SessionListRow, SessionRow, SessionRows, SessionStatistics, StoreError, TaskArrivalRow,
    TaskFilter, TaskReader, TaskRow, TriageRows, WakeSchedule,
};
use entracte_domain::id::{AutomationId, CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::AlteredStore;

impl AlteredStore {
    /// The filter of a list of sessions, in the workspace that a method looks into.
    fn sessions_asked(&self, method: &str, filter: &SessionFilter) -> SessionFilter {
        let workspace = filter.workspace.as_ref().map(|asked| self.place(method, asked));
        SessionFilter { workspace, limit: self.session_limit(method, filter.limit), ..filter.clone() }
    }

    /// A limit of sessions, of which 0 is none.
    fn session_limit(&self, method: &str, asked: u32) -> u32 {
        if self.limit(method, asked) == asked { asked } else { 0 }
    }

    /// The filter of a list of resources.
    fn resources_asked(&self, filter: &ResourceFilter) -> ResourceFilter {
        let limit = filter.limit.map(|asked| self.limit("resources", asked));
        let until = self.before("resources", filter.until, |at| Timestamp(at.0 + 1));
        ResourceFilter { limit, until, ..filter.clone() }
    }
}

#[async_trait]
impl LogReader for AlteredStore {
    async fn entries(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("entries", workspace);
        let limit = self.limit("entries", limit);
        let after = self.after("entries", after);
        let rows = self.memory.entries(&workspace, session, after, limit).await?;
        Ok(self.ordered("entries", rows, |row| row.seq.to_string(), false))
    }

    async fn entries_since(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        sequence: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("entries_since", workspace);
        let limit = self.limit("entries_since", limit);
        let sequence = self.after("entries_since", sequence);
        let rows = self.memory.entries_since(&workspace, session, sequence, limit).await?;
        Ok(self.ordered("entries_since", rows, |row| row.seq.to_string(), false))
    }

    async fn entries_of_all(
        &self,
        workspace: &WorkspaceKey,
        after: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("entries_of_all", workspace);
        let limit = self.limit("entries_of_all", limit);
        let after = self.after("entries_of_all", after);
        let rows = self.memory.entries_of_all(&workspace, after, limit).await?;
        Ok(self.ordered("entries_of_all", rows, |row| row.seq.to_string(), false))
    }

    async fn entry(&self, workspace: &WorkspaceKey, seq: u64) -> Result<Option<LogRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("entry", workspace);
        Ok(self.found("entry", self.memory.entry(&workspace, seq).await?))
    }

    async fn entry_by_client_key(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        client_key: &str,
    ) -> Result<Option<LogRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("entry_by_client_key", workspace);
        Ok(self.found(
            "entry_by_client_key",
            self.memory.entry_by_client_key(&workspace, session, client_key).await?,
        ))
    }

    async fn calls(&self, workspace: &WorkspaceKey, session: &SessionId) -> Result<Vec<CallRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("calls", workspace);
        let rows = self.memory.calls(&workspace, session).await?;
        Ok(self.ordered("calls", rows, |row| format!("{} {}", row.sequence, row.ordinal), false))
    }

    async fn call(&self, workspace: &WorkspaceKey, id: &CallId) -> Result<Option<CallRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("call", workspace);
        Ok(self.found("call", self.memory.call(&workspace, id).await?))
    }

    async fn calls_with_command_id(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        command_id: &Digest,
        exchange: u64,
    ) -> Result<Vec<CallRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("calls_with_command_id", workspace);
        let rows = self.memory.calls_with_command_id(&workspace, session, command_id, exchange).await?;
        Ok(self.list("calls_with_command_id", rows))
    }

    async fn sessions(&self, filter: &SessionFilter) -> Result<SessionRows, StoreError> {
        self.begin().await;
        let SessionRows { rows, unreadable } =
            self.memory.sessions(&self.sessions_asked("sessions", filter)).await?;
        Ok(SessionRows { rows: self.list("sessions", rows), unreadable })
    }

    async fn session_list(&self, filter: &SessionFilter) -> Result<Vec<SessionListRow>, StoreError> {
        self.begin().await;
        let filter = self.sessions_asked("session_list", filter);
        Ok(self.list("session_list", self.memory.session_list(&filter).await?))
    }

    async fn sessions_by_prefix(
        &self,
        workspace: &WorkspaceKey,
        prefix: &str,
    ) -> Result<Vec<SessionId>, StoreError> {
        self.begin().await;
        let workspace = self.place("sessions_by_prefix", workspace);
        let rows = self.memory.sessions_by_prefix(&workspace, prefix).await?;
        Ok(self.list("sessions_by_prefix", rows))
    }

    async fn calls_with_unknown_outcome(&self, workspace: &WorkspaceKey) -> Result<Vec<CallRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("calls_with_unknown_outcome", workspace);
        let rows = self.memory.calls_with_unknown_outcome(&workspace).await?;
        Ok(self.list("calls_with_unknown_outcome", rows))
    }

    async fn session_statistics(&self, of: &SessionFilter) -> Result<SessionStatistics, StoreError> {
        self.begin().await;
        Ok(self.found("session_statistics", self.memory.session_statistics(of).await?))
    }

    async fn resting_sessions(&self, filter: &RestingSessionFilter) -> Result<Vec<SessionRow>, StoreError> {
        self.begin().await;
        let rows = self.memory.resting_sessions(filter).await?;
        Ok(self.list("resting_sessions", rows))
    }

    async fn cost_sums(&self, filter: &CostFilter) -> Result<CostPage, StoreError> {
        self.begin().await;
        Ok(self.found("cost_sums", self.memory.cost_sums(filter).await?))
    }

    async fn changes(
        &self,
        workspace: &WorkspaceKey,
        after: u64,
        limit: u32,
    ) -> Result<Vec<ResourceChangeRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("changes", workspace);
        let limit = self.limit("changes", limit);
        let after = self.after("changes", after);
        let rows = self.memory.changes(&workspace, after, limit).await?;
        Ok(self.list("changes", rows))
    }

    async fn deletions(&self, workspace: &WorkspaceKey, limit: u32) -> Result<Vec<DeletionRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("deletions", workspace);
        let limit = self.limit("deletions", limit);
        let rows = self.memory.deletions(&workspace, limit).await?;
        Ok(self.list("deletions", rows))
    }

    async fn inbox_triage(&self, workspace: &WorkspaceKey) -> Result<TriageRows, StoreError> {
        self.begin().await;
        let workspace = self.place("inbox_triage", workspace);
        Ok(self.found("inbox_triage", self.memory.inbox_triage(&workspace).await?))
    }

    async fn instructions(
        &self,
        workspace: &WorkspaceKey,
        scopes: &[InstructionScope],
    ) -> Result<Vec<InstructionVersion>, StoreError> {
        self.begin().await;
        let workspace = self.place("instructions", workspace);
        let rows = self.memory.instructions(&workspace, scopes).await?;
        Ok(self.list("instructions", rows))
    }

    async fn versions_of_instructions(
        &self,
        workspace: &WorkspaceKey,
        scope: &InstructionScope,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<InstructionVersion>, StoreError> {
        self.begin().await;
        let workspace = self.place("versions_of_instructions", workspace);
        let limit = self.limit("versions_of_instructions", limit);
        let before = self.before("versions_of_instructions", before, |version| version + 1);
        let rows = self.memory.versions_of_instructions(&workspace, scope, before, limit).await?;
        Ok(self.ordered("versions_of_instructions", rows, |row| row.version.to_string(), true))
    }

    async fn blob(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        digest: &Digest,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.begin().await;
        let workspace = self.place("blob", workspace);
        Ok(self.found("blob", self.memory.blob(&workspace, session, digest).await?))
    }
}

#[async_trait]
impl ResourceReader for AlteredStore {
    async fn resource(
        &self,
        workspace: &WorkspaceKey,
        kind: &str,
        id: &str,
    ) -> Result<Option<ResourceRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("resource", workspace);
        Ok(self.found("resource", self.memory.resource(&workspace, kind, id).await?))
    }

    async fn resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("resources", workspace);
        let filter = self.resources_asked(filter);
        let rows = self.memory.resources(&workspace, &filter).await?;
        Ok(self.ordered("resources", rows, |row| row.at.map_or(0, |at| at.0).to_string(), false))
    }

    async fn resources_named(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
        name: &str,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        self.begin().await;
        let rows = self.memory.resources_named(workspace, filter, name).await?;
        Ok(self.list("resources_named", rows))
    }

    async fn last_resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
        most: u32,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        self.begin().await;
        let rows = self.memory.last_resources(workspace, filter, most).await?;
        Ok(self.list("last_resources", rows))
    }

    async fn count(&self, workspace: &WorkspaceKey, filter: &ResourceFilter) -> Result<u64, StoreError> {
        self.begin().await;
        let workspace = self.place("count", workspace);
        Ok(self.found("count", self.memory.count(&workspace, filter).await?))
    }

    async fn versions(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        self.begin().await;
        let workspace = self.place("versions", workspace);
        let rows = self.memory.versions(&workspace, filter).await?;
        Ok(self.list("versions", rows))
    }
}

#[async_trait]
impl AutomationReader for AlteredStore {
    async fn automations(&self, workspace: &WorkspaceKey) -> Result<Vec<AutomationRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("automations", workspace);
        let rows = self.memory.automations(&workspace).await?;
        Ok(self.list("automations", rows))
    }

    async fn automation(
        &self,
        workspace: &WorkspaceKey,
        id: &AutomationId,
    ) -> Result<Option<AutomationRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("automation", workspace);
        Ok(self.found("automation", self.memory.automation(&workspace, id).await?))
    }

    async fn occurrences(
        &self,
        workspace: &WorkspaceKey,
        automation: &AutomationId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<OccurrenceRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("occurrences", workspace);
        let limit = self.limit("occurrences", limit);
        let before = self.before("occurrences", before, |at| Timestamp(at.0 + 1));
        let rows = self.memory.occurrences(&workspace, automation, before, limit).await?;
        Ok(self.ordered("occurrences", rows, |row| row.at.0.to_string(), true))
    }

    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        self.begin().await;
        let now = self.now("automation_schedule", now);
        let schedule = AutomationReader::wake_schedule(&*self.memory, now).await?;
        Ok(self.found("automation_schedule", schedule))
    }
}

#[async_trait]
impl TaskReader for AlteredStore {
    async fn task(&self, workspace: &WorkspaceKey, id: &TaskId) -> Result<Option<TaskRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("task", workspace);
        Ok(self.found("task", self.memory.task(&workspace, id).await?))
    }

    async fn task_in_any_workspace(&self, id: &TaskId) -> Result<Option<TaskRow>, StoreError> {
        self.begin().await;
        Ok(self.found("task_in_any_workspace", self.memory.task_in_any_workspace(id).await?))
    }

    async fn tasks(&self, workspace: &WorkspaceKey, filter: TaskFilter) -> Result<Vec<TaskRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("tasks", workspace);
        let limit = filter.limit.map(|asked| self.limit("tasks", asked));
        let rows = self.memory.tasks(&workspace, TaskFilter { limit, ..filter }).await?;
        Ok(self.ordered("tasks", rows, |row| row.created_at.0.to_string(), true))
    }

    async fn due_tasks(&self, workspace: &WorkspaceKey, now: Timestamp) -> Result<Vec<TaskRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("due_tasks", workspace);
        let now = self.now("due_tasks", now);
        let rows = self.memory.due_tasks(&workspace, now).await?;
        Ok(self.ordered("due_tasks", rows, |row| row.wake_at.map_or(0, |at| at.0).to_string(), false))
    }

    async fn next_task(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        self.begin().await;
        let workspace = self.place("next_task", workspace);
        Ok(self.found("next_task", self.memory.next_task(&workspace).await?))
    }

    async fn task_wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        self.begin().await;
        let now = self.now("task_wake_schedule", now);
        Ok(self.found("task_wake_schedule", self.memory.task_wake_schedule(now).await?))
    }

    async fn arrival(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        webhook_id: &str,
    ) -> Result<Option<TaskArrivalRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("arrival", workspace);
        Ok(self.found("arrival", self.memory.arrival(&workspace, task, webhook_id).await?))
    }

    async fn arrivals(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
    ) -> Result<Vec<TaskArrivalRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("arrivals", workspace);
        let rows = self.memory.arrivals(&workspace, task).await?;
        Ok(self.list("arrivals", rows))
    }
}
