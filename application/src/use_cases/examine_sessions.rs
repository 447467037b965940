use std::sync::Arc;

use entracte_domain::call::{Call, CallState};
use entracte_domain::command::CommandTerms;
use entracte_domain::id::SessionId;
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::session::{ParkReason, SessionFacts};

use super::{OpenSessionPages, UseCaseError};
use crate::codec::decode_snapshot;
use crate::commands::{Catalog, CatalogEntry};
use crate::journal::Snapshot;
use crate::ports::{
    LogReader, ProviderRegistry, SessionFilter, SessionListRow, SessionRow, SessionRows, StoreError,
    UnreadableSession, WorkspaceStore,
};

/// A defect found in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFinding {
    /// The session with the defect.
    pub session: SessionId,
    /// The defect.
    pub ailment: SessionDefect,
}

/// The possible defects of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionDefect {
    /// Its row cannot be read, with the reason.
    Unreadable(String),
    /// It failed too often at the same point, and is quarantined until a person resumes it.
    Quarantined,
    /// It has an unfinished call of a command that no longer exists.
    CommandGone {
        /// The name of the command.
        command: String,
    },
    /// It has an unfinished call of a command whose declaration changed since the request: approval is requested
    /// again.
    CommandChanged {
        /// The name of the command.
        command: String,
        /// The changed properties, in the words of the catalog; empty if only others changed (its schema, its word).
        what: Vec<&'static str>,
    },
    /// It has an unfinished call whose arguments the command no longer accepts: its schema became stricter.
    ArgumentsUnfit {
        /// The name of the command.
        command: String,
        /// The first fault, with its path.
        fault: String,
    },
    /// It is restricted to commands, none of which matches this pattern.
    RestrictionEmpty {
        /// The pattern as written: `files.*`.
        pattern: String,
    },
    /// Its provider is no longer configured, or unusable.
    ProviderGone {
        /// The name of the provider.
        provider: String,
        /// The reason, with the fix.
        why: String,
    },
}

use_case! {
    /// Examines sessions that have not ended: those that wait for a person first, then the latest. Changes nothing.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut log = MockLogReader::new();
    /// log.expect_sessions().returning(|_| Ok(vec![samples::row(samples::facts()).unwrap()].into()));
    /// let mut providers = MockProviderRegistry::new();
    /// providers.expect_provider().returning(|_| Ok(Arc::new(MockProvider::new())));
    /// let catalog = Arc::new(Catalog::new(&[]).unwrap());
    /// let examine = ExamineSessions::new(Arc::new(log), catalog, Arc::new(providers));
    /// let (looked_at, findings) = examine.run(500).await?;
    /// assert_eq!((looked_at, findings.len()), (1, 0));
    /// # Ok(()) });
    /// ```
    pub struct ExamineSessions reads (log: dyn LogReader, catalog: Catalog, providers: dyn ProviderRegistry)
}

impl ExamineSessions {
    /// The number of examined sessions, at most `limit`, and the defects found.
    ///
    /// # Errors
    /// When the list of sessions cannot be read.
    pub async fn run(&self, limit: u32) -> Result<(usize, Vec<SessionFinding>), UseCaseError> {
        let open = SessionFilter { open: true, limit, ..SessionFilter::default() };
        let SessionRows { rows, unreadable } = self.log.sessions(&open).await?;
        let count = rows.len() + unreadable.len();
        let mut findings = Vec::new();
        findings.extend(unreadable.into_iter().map(|UnreadableSession { line, why }| SessionFinding {
            session: line.id,
            ailment: SessionDefect::Unreadable(why),
        }));
        for row in rows {
            let finding = |ailment| SessionFinding { session: row.id.clone(), ailment };
            findings.extend(self.row_ailments(&row).into_iter().map(finding));
        }
        Ok((count, findings))
    }

    /// The number of all sessions that have not ended, and the defects found in them. Besides the findings a page of their
    /// list and one session are in memory at a time.
    ///
    /// # Errors
    /// When the workspaces or a page of their lists cannot be read.
    pub async fn run_all(
        &self,
        store: &dyn WorkspaceStore,
    ) -> Result<(usize, Vec<SessionFinding>), UseCaseError> {
        let mut pages = OpenSessionPages::begin(store, self.log.clone()).await?;
        let (mut count, mut findings) = (0, Vec::new());
        while let Some(lines) = pages.next_page().await? {
            for SessionListRow { id, workspace, .. } in lines {
                let ailments = match store.session(&workspace, &id).await {
                    Ok(Some(row)) => self.row_ailments(&row),
                    // It was deleted meanwhile.
                    Ok(None) => continue,
                    Err(StoreError::Inconsistent(why)) => vec![SessionDefect::Unreadable(why)],
                    Err(error @ StoreError::Unavailable(_)) => return Err(error.into()),
                };
                count += 1;
                let finding = |ailment| SessionFinding { session: id.clone(), ailment };
                findings.extend(ailments.into_iter().map(finding));
            }
        }
        Ok((count, findings))
    }

    fn row_ailments(&self, row: &SessionRow) -> Vec<SessionDefect> {
        match decode_snapshot(&row.body) {
            Ok(snapshot) => self.ailments(&snapshot),
            Err(fault) => vec![SessionDefect::Unreadable(fault.to_string())],
        }
    }

    pub(super) fn ailments(&self, snapshot: &Snapshot) -> Vec<SessionDefect> {
        let mut ailments = Vec::new();
        if matches!(snapshot.phase.park_reason(), Some(ParkReason::Quarantined)) {
            ailments.push(SessionDefect::Quarantined);
        }
        ailments.extend(self.provider_defect(&snapshot.facts));
        ailments.extend(self.restriction_defects(&snapshot.facts.restriction));
        let calls = snapshot.phase.batch().map(|batch| batch.calls.as_slice()).unwrap_or_default();
        for ailment in calls.iter().filter_map(|call| self.call_defect(call)) {
            if !ailments.contains(&ailment) {
                ailments.push(ailment);
            }
        }
        ailments
    }

    fn provider_defect(&self, facts: &SessionFacts) -> Option<SessionDefect> {
        let failure = self.providers.provider(&facts.provider).err()?;
        Some(SessionDefect::ProviderGone { provider: facts.provider.clone(), why: failure.message })
    }

    /// The patterns of a restriction that match no command any more; the other allowed commands exist.
    fn restriction_defects(&self, restriction: &Restriction) -> Vec<SessionDefect> {
        let patterns = match restriction {
            Restriction::Open => &[],
            Restriction::Only(patterns) => patterns.as_slice(),
        };
        let is_empty = |pattern: &&CommandPattern| {
            !self.catalog.entries().any(|known| pattern.matches_command(&known.spec.name))
        };
        let ailment =
            |pattern: &CommandPattern| SessionDefect::RestrictionEmpty { pattern: pattern.to_string() };
        patterns.iter().filter(is_empty).map(ailment).collect()
    }

    /// Checks unfinished calls only; a call without terms was refused when it was requested.
    fn call_defect(&self, call: &Call) -> Option<SessionDefect> {
        let terms = call.terms.as_ref()?;
        match &call.state {
            CallState::Proposed
            | CallState::WaitingDecision
            | CallState::Approved(_)
            | CallState::Started { .. }
            | CallState::Delayed { .. } => {}
            CallState::Follows(_) | CallState::Finished { .. } => return None,
        }
        let command = call.command.name.clone();
        let Some(known) = self.catalog.find(&command) else {
            return Some(SessionDefect::CommandGone { command });
        };
        if known.version == terms.version {
            return None;
        }
        if let Some(fault) = known.faults(&call.effective_command().arguments).into_iter().next() {
            let fault = format!("{} {}", fault.path, fault.text).trim().to_owned();
            return Some(SessionDefect::ArgumentsUnfit { command, fault });
        }
        Some(SessionDefect::CommandChanged { command, what: differences(call, terms, known) })
    }
}

/// The properties of a declaration that changed since the call was requested.
fn differences(call: &Call, terms: &CommandTerms, known: &CatalogEntry) -> Vec<&'static str> {
    let spec = &known.spec;
    let looks = [
        ("kind", spec.kind != call.kind),
        ("effect class", spec.effect != terms.effect),
        ("destructive", spec.destructive != terms.destructive),
        ("always asks", spec.asks != terms.asks),
        ("independent", spec.independent != terms.independent),
        ("lifetime of its key", spec.key_lifetime.0 != terms.key_lifetime_ms),
    ];
    looks.into_iter().filter(|(_, differs)| *differs).map(|(what, _)| what).collect()
}
