use std::sync::Arc;

use entracte_domain::command::{Call, CallState};
use entracte_domain::id::SessionId;
use entracte_domain::session::ParkedWhy;

use super::UseCaseError;
use crate::codec::{Snapshot, decode_snapshot};
use crate::commands::Catalog;
use crate::ports::{LogReader, SessionFilter};

/// What is the matter with a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The session.
    pub session: SessionId,
    /// What is the matter.
    pub ailment: Ailment,
}

/// What may be the matter with a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ailment {
    /// Its row cannot be read; why.
    Unreadable(String),
    /// It died too often at the same place, and is left alone until a person lets it go on.
    Quarantined,
    /// It has a call to do whose command is gone.
    CommandGone {
        /// The command.
        command: String,
    },
    /// It has a call to do whose command is declared otherwise than when it was asked for: leave is asked again.
    CommandChanged {
        /// The command.
        command: String,
    },
}

/// Looks at every session that has not ended. Changes nothing.
///
/// ```
/// # use std::sync::Arc;
/// # use entracte_application::samples;
/// # use entracte_application::use_cases::{ExamineSessions, UseCaseError};
/// # use entracte_application::commands::Catalog;
/// # use entracte_application::ports::MockLogReader;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), UseCaseError> {
/// let mut log = MockLogReader::new();
/// log.expect_sessions().returning(|_| Ok(vec![samples::row(samples::facts()).unwrap()]));
/// let examine = ExamineSessions::new(Arc::new(log), Arc::new(Catalog::new(&[]).unwrap()));
/// let (looked_at, findings) = examine.run().await?;
/// assert_eq!((looked_at, findings.len()), (1, 0));
/// # Ok(())
/// # }
/// ```
pub struct ExamineSessions {
    log: Arc<dyn LogReader>,
    catalog: Arc<Catalog>,
}

impl ExamineSessions {
    /// Over these.
    pub fn new(log: Arc<dyn LogReader>, catalog: Arc<Catalog>) -> Self {
        Self { log, catalog }
    }

    /// How many sessions were looked at, and what is the matter with them.
    ///
    /// # Errors
    /// When the list of sessions cannot be read.
    pub async fn run(&self) -> Result<(usize, Vec<Finding>), UseCaseError> {
        let rows = self.log.sessions(&SessionFilter { open: true, ..SessionFilter::default() }).await?;
        let count = rows.len();
        let mut findings = Vec::new();
        for row in rows {
            let ailments = match decode_snapshot(&row.body) {
                Ok(snapshot) => self.ailments(&snapshot),
                Err(fault) => vec![Ailment::Unreadable(fault.to_string())],
            };
            let finding = |ailment| Finding { session: row.id.clone(), ailment };
            findings.extend(ailments.into_iter().map(finding));
        }
        Ok((count, findings))
    }

    fn ailments(&self, snapshot: &Snapshot) -> Vec<Ailment> {
        let mut ailments = Vec::new();
        if matches!(snapshot.facts.parked, Some(ParkedWhy::Quarantined)) {
            ailments.push(Ailment::Quarantined);
        }
        let calls = snapshot.phase.batch().map(|batch| batch.calls.as_slice()).unwrap_or_default();
        for ailment in calls.iter().filter_map(|call| self.of_call(call)) {
            if !ailments.contains(&ailment) {
                ailments.push(ailment);
            }
        }
        ailments
    }

    /// Only calls that are still to be done; one without terms was refused when it was asked for.
    fn of_call(&self, call: &Call) -> Option<Ailment> {
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
        match self.catalog.find(&command) {
            None => Some(Ailment::CommandGone { command }),
            Some(known) if known.version != terms.version => Some(Ailment::CommandChanged { command }),
            Some(_) => None,
        }
    }
}
