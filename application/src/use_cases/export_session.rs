use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_domain::id::{Digest, SessionId, WorkspaceKey};

use super::UseCaseError;
use super::read_session::session_not_found;
use crate::agents::agent_name_of_command;
use crate::codec::{decode_entry, decode_snapshot, encode_entry_as_json, encode_snapshot_as_json};
use crate::instructions::InstructionScope;
use crate::ports::{ContentBlob, LogReader, LogRow, SessionRow, StoreError, WorkspaceStore};
use crate::session_export::SessionExport;
use crate::texts::saying;

/// The number of entries read per page.
const PAGE: u32 = 500;

use_case! {
    /// Exports a session to one complete file: its entries, the rules they ran under, its prompt prefixes, its own
    /// instructions, and the same of each agent below it. Any process may do so, also while the session works.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut store = MockWorkspaceStore::new();
    /// store.expect_session().returning(|_, _| Ok(None));
    /// let export = ExportSession::new(Arc::new(store), Arc::new(MockLogReader::new()));
    /// let refused = export.run(&samples::workspace(), &samples::session()).await;
    /// assert!(matches!(refused, Err(UseCaseError::NotFound(_))));
    /// # Ok(()) });
    /// ```
    pub struct ExportSession reads (store: dyn WorkspaceStore, log: dyn LogReader)
}

impl ExportSession {
    /// The content of the file, with the agents below the session. Agents that went by the retention policy are not in
    /// it.
    ///
    /// # Errors
    /// When there is no such session, a part of it cannot be read, or it is going by the retention policy and the first
    /// part of its log is gone.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<SessionExport, UseCaseError> {
        let row = self.store.session(workspace, session).await?.ok_or_else(|| session_not_found(session))?;
        let mut export = self.export_whole(workspace, &row).await?;
        let mut callers = vec![row];
        while let Some(caller) = callers.pop() {
            let mut calls = self.log.calls(workspace, &caller.id).await?;
            // A call that followed the snapshot is not in the file.
            calls.retain(|call| {
                call.sequence <= caller.sequence && agent_name_of_command(&call.command).is_some()
            });
            for call in calls {
                let Some(row) = self.store.session(workspace, &call.id.child_session_id()).await? else {
                    continue;
                };
                if !decode_snapshot(&row.body)?.facts.is_called_by(&caller.id) {
                    continue;
                }
                let agent = self.export(workspace, &row).await?;
                if is_whole(&agent) {
                    export.agents.push(agent);
                    callers.push(row);
                }
            }
        }
        Ok(export)
    }

    /// The content of the file without the agents below the session.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_alone(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<SessionExport, UseCaseError> {
        let row = self.store.session(workspace, session).await?.ok_or_else(|| session_not_found(session))?;
        self.export_whole(workspace, &row).await
    }

    async fn export_whole(
        &self,
        workspace: &WorkspaceKey,
        row: &SessionRow,
    ) -> Result<SessionExport, UseCaseError> {
        let export = self.export(workspace, row).await?;
        if is_whole(&export) {
            return Ok(export);
        }
        let goes = saying!("verify-session-goes", session = row.id.as_str());
        Err(UseCaseError::NotApplicable(goes.into()))
    }

    async fn export(
        &self,
        workspace: &WorkspaceKey,
        row: &SessionRow,
    ) -> Result<SessionExport, UseCaseError> {
        // The snapshot is read first: entries that a working session adds meanwhile follow it and are omitted.
        let mut rows = self.rows_up_to(row).await?;
        let entries = rows.iter().map(decode_entry).collect::<Result<Vec<_>, _>>()?;
        for (row, entry) in rows.iter_mut().zip(&entries) {
            row.body = encode_entry_as_json(entry)?;
        }
        let mut blobs = Vec::new();
        for digest in SessionExport::needed_blobs(&entries) {
            blobs.push(self.blob(row, digest).await?);
        }
        // In the order of the file, so that writing and reading agree.
        blobs.sort_by(|one: &ContentBlob, other| one.digest.cmp(&other.digest));
        let own = [InstructionScope::Session(row.id.clone())];
        let told = self.log.instructions(workspace, &own).await?.pop();
        let instructions = told.filter(|told| !told.is_cleared()).map(|told| told.text);
        let state = encode_snapshot_as_json(&decode_snapshot(&row.body)?)?;
        let (session, agents, files) = (row.id.clone(), Vec::new(), BTreeMap::new());
        Ok(SessionExport { session, rows, blobs, state, instructions, agents, files })
    }

    async fn rows_up_to(&self, state: &SessionRow) -> Result<Vec<LogRow>, UseCaseError> {
        let SessionRow { workspace, id, sequence, .. } = state;
        let mut rows: Vec<LogRow> = Vec::new();
        loop {
            let after = rows.last().map_or(0, |row| row.seq);
            let page = self.log.entries(workspace, id, after, PAGE).await?;
            let is_last = page.last().is_none_or(|row| row.sequence >= *sequence);
            rows.extend(page.into_iter().filter(|row| row.sequence <= *sequence));
            if is_last {
                return Ok(rows);
            }
        }
    }

    async fn blob(&self, state: &SessionRow, digest: Digest) -> Result<ContentBlob, UseCaseError> {
        let missing =
            || StoreError::Inconsistent(format!("blobs: {digest}, which an entry names, is missing"));
        let bytes = self.log.blob(&state.workspace, &state.id, &digest).await?.ok_or_else(missing)?;
        Ok(ContentBlob { digest, bytes })
    }
}

/// Whether no first entries are missing: those of a session that is going by the retention policy are gone.
fn is_whole(export: &SessionExport) -> bool {
    export.rows.first().is_none_or(|first| first.sequence == 1)
}
