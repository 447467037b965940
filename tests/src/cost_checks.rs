//! Compares the sums of costs that a store keeps with what a full read of the logs gives.

#![expect(clippy::unwrap_used, reason = "these are tests, in a library")]

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_application::attempt_costs::attempt_costs;
use entracte_application::ports::{
    AttemptCostRow, CostFilter, CostSum, CostSumBy, CostSumKey, LogReader, SessionFilter,
};
use entracte_application::use_cases::ReadLog;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::usage::Usage;

/// Everything that sums may have in common.
pub const ALL_SUMS: [CostSumBy; 11] = [
    CostSumBy::Everything,
    CostSumBy::Attempt,
    CostSumBy::Round,
    CostSumBy::Session,
    CostSumBy::Tree,
    CostSumBy::Automation,
    CostSumBy::QuarterHour,
    CostSumBy::Model,
    CostSumBy::Provider,
    CostSumBy::Initiator,
    CostSumBy::CommandSet,
];

/// Sums that are read at once: fewer than there are, so that pages are followed.
const PAGE: u32 = 2;

/// The attempts that the logs of a workspace's sessions record, or that of one session.
pub async fn attempts_of_logs(
    log: &Arc<dyn LogReader>,
    workspace: &WorkspaceKey,
    only: Option<&SessionId>,
) -> Vec<AttemptCostRow> {
    let here = SessionFilter { workspace: Some(workspace.clone()), ..SessionFilter::default() };
    let mut found = Vec::new();
    for line in log.session_list(&here).await.unwrap() {
        if only.is_none_or(|only| line.id == *only) {
            let entries = ReadLog::new(log.clone()).entries(workspace, &line.id, 0).await.unwrap();
            found.extend(attempt_costs(&line.id, &entries));
        }
    }
    found
}

/// All sums of a filter, page by page.
pub async fn all_sums(log: &Arc<dyn LogReader>, filter: &CostFilter) -> Vec<CostSum> {
    let mut filter = CostFilter { limit: PAGE, ..filter.clone() };
    let mut found = Vec::new();
    loop {
        let page = log.cost_sums(&filter).await.unwrap();
        assert!(page.sums.len() <= PAGE as usize);
        found.extend(page.sums);
        match page.next {
            Some(next) => filter.after = Some(next),
            None => return found,
        }
    }
}

/// Checks that the stored sums of the attempts of a session equal those that its log records, while it may work.
pub async fn check_session_sums(log: &Arc<dyn LogReader>, workspace: &WorkspaceKey, session: &SessionId) {
    let of_session = CostFilter {
        session: Some(session.clone()),
        ..CostFilter::new(workspace.clone(), CostSumBy::Attempt, 1)
    };
    let by_model = CostFilter { by: CostSumBy::Model, ..of_session.clone() };
    let mut attempts = attempts_of_logs(log, workspace, Some(session)).await;
    loop {
        let (of_session_sums, by_model_sums) =
            (all_sums(log, &of_session).await, all_sums(log, &by_model).await);
        let later = attempts_of_logs(log, workspace, Some(session)).await;
        // What was read between two equal readings of the log belongs to them.
        if later == attempts {
            compare_sums(of_session_sums, &of_session, &attempts);
            return compare_sums(by_model_sums, &by_model, &attempts);
        }
        attempts = later;
    }
}

/// Checks that the stored sums of the attempts of a filter equal those of these attempts.
pub async fn check_sums(log: &Arc<dyn LogReader>, filter: &CostFilter, attempts: &[AttemptCostRow]) {
    compare_sums(all_sums(log, filter).await, filter, attempts);
}

fn compare_sums(stored: Vec<CostSum>, filter: &CostFilter, attempts: &[AttemptCostRow]) {
    let mut expected: BTreeMap<CostSumKey, (u64, Usage)> = BTreeMap::new();
    for row in attempts {
        for key in row.sum_keys(filter) {
            let (count, usage) = expected.entry(key).or_default();
            *count += 1;
            usage.add(row.usage);
        }
    }
    let count = stored.len();
    let stored: BTreeMap<_, _> = stored.into_iter().map(|sum| (sum.key, (sum.attempts, sum.usage))).collect();
    assert_eq!((&stored, count), (&expected, expected.len()), "{filter:?}");
}

/// Checks all sums of a workspace.
pub async fn check_all_sums(log: &Arc<dyn LogReader>, workspace: &WorkspaceKey) {
    let attempts = attempts_of_logs(log, workspace, None).await;
    let middle = attempts.iter().map(|row| row.at).max();
    for by in ALL_SUMS {
        let all = CostFilter::new(workspace.clone(), by, PAGE);
        check_sums(log, &all, &attempts).await;
        check_sums(log, &CostFilter { since: middle, ..all.clone() }, &attempts).await;
        check_sums(log, &CostFilter { until: middle, ..all.clone() }, &attempts).await;
        let session = attempts.first().map(|row| row.session.clone());
        check_sums(log, &CostFilter { session: session.clone(), ..all.clone() }, &attempts).await;
        check_sums(log, &CostFilter { tree: session, ..all.clone() }, &attempts).await;
        // An agent, which has sessions above it.
        let agent = attempts.iter().find(|row| row.session.is_agent_session()).map(|row| row.session.clone());
        check_sums(log, &CostFilter { tree: agent, ..all }, &attempts).await;
    }
}
