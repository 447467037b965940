use std::sync::Arc;

use entracte_domain::id::{AutomationId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::codec::decode_occurrence;
use crate::journal::{Occurrence, OccurrenceOutcome};
use crate::ports::{AutomationReader, WorkspaceStore};
use crate::use_cases::{SessionView, UseCaseError};

/// An occurrence with the state of its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OccurrenceView {
    /// The stored occurrence.
    pub occurrence: Occurrence,
    /// Its run; `None` if it was skipped, or the session was deleted since.
    pub run: Option<SessionView>,
    /// The run because of which it was skipped, as it stands now; `None` for other outcomes, if it is not recorded, or
    /// if the session was deleted since.
    pub blocking: Option<SessionView>,
}

use_case! {
    /// Reads the past occurrences of an automation with their results.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut automations = MockAutomationReader::new();
    /// automations.expect_occurrences().returning(|_, _, _, _| Ok(vec![samples::occurrence_row().unwrap()]));
    /// let history = ReadAutomationHistory::new(Arc::new(samples::store()), Arc::new(automations));
    /// let past = history.run(&samples::workspace(), &samples::automation().id, None, 10).await?;
    /// assert_eq!(past[0].run.as_ref().unwrap().standing, Standing::Open);
    /// # Ok(()) });
    /// ```
    pub struct ReadAutomationHistory reads (store: dyn WorkspaceStore, automations: dyn AutomationReader)
}

impl ReadAutomationHistory {
    /// The latest occurrences of a workspace's automation before an instant (`None`: all), latest first, at most
    /// `limit`.
    ///
    /// # Errors
    /// When one cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        automation: &AutomationId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<OccurrenceView>, UseCaseError> {
        let mut past = Vec::new();
        for row in self.automations.occurrences(workspace, automation, before, limit).await? {
            past.push(self.past(workspace, decode_occurrence(&row)?).await?);
        }
        Ok(past)
    }

    /// The occurrences decided since an instant, of all existing automations of a workspace: latest first, at most
    /// `limit`, each with the name of its automation.
    ///
    /// # Errors
    /// When one cannot be read.
    pub async fn run_for_all(
        &self,
        workspace: &WorkspaceKey,
        since: Timestamp,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<(String, OccurrenceView)>, UseCaseError> {
        let mut decided = Vec::new();
        for automation in self.automations.automations(workspace).await? {
            for row in self.automations.occurrences(workspace, &automation.id, before, limit).await? {
                // An occurrence that was due long ago may have run only now, after the computer was off.
                if row.decided_at >= since {
                    decided.push((automation.name.clone(), row));
                }
            }
        }
        decided.sort_by_key(|(_, one)| std::cmp::Reverse(one.at));
        decided.truncate(limit as usize);
        let mut past = Vec::with_capacity(decided.len());
        for (name, row) in decided {
            past.push((name, self.past(workspace, decode_occurrence(&row)?).await?));
        }
        Ok(past)
    }

    async fn past(
        &self,
        workspace: &WorkspaceKey,
        occurrence: Occurrence,
    ) -> Result<OccurrenceView, UseCaseError> {
        let run = match &occurrence.outcome {
            OccurrenceOutcome::Run(session) => self.store.session(workspace, session).await?,
            OccurrenceOutcome::Skipped(_) => None,
        };
        let run = run.as_ref().map(SessionView::from_row).transpose()?;
        let blocking = match &occurrence.blocked_by {
            Some(session) => self.store.session(workspace, session).await?,
            None => None,
        };
        let blocking = blocking.as_ref().map(SessionView::from_row).transpose()?;
        Ok(OccurrenceView { occurrence, run, blocking })
    }
}
