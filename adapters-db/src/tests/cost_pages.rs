//! Pages of sums of sessions, which include the agents below.

use diesel::connection::SimpleConnection;
use entracte_application::ports::{CostFilter, CostSumBy, CostSumKey};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::{open, place};
use crate::connection::ConnectionRole;
use crate::queries::cost_sums::{CostRowsOf, sums};

/// A chat with an agent below an agent, two other chats, and attempts of a session that is gone: each session with its
/// number and id, each attempt with its session's number and its time.
const ROWS: &str = "
    INSERT INTO workspaces (workspace_id, key, seq, body, created_at, epoch) VALUES (1, 'ann:a', 1, x'00', 1, 0);
    INSERT INTO sessions (session_id, workspace_id, id, kind, name, standing, phase, sequence, placed, working, rank,
        created_at, last_activity, body)
    SELECT column1, 1, column2, 'chat', '', 'open', 'IDLE', 1, 0, 0, 1, 1, 1, x'00' FROM (VALUES
        (1, 'ses_a'), (2, 'ses_a-3-0'), (3, 'ses_b'), (4, 'ses_a-3-0-7-1'), (5, 'ses_c'));
    INSERT INTO costs (workspace_id, session_id, round, attempt, at, provider, model, input, cache_read, cache_write,
        output, unknown_attempts, micros, rest, priced)
    SELECT 1, column1, column2, 1, column3, 'claude', 'm', 10, 0, 0, 0, 0, 1, 999999, 10 FROM (VALUES
        (1, 1, 1), (2, 1, 2), (4, 1, 10), (4, 2, 11), (3, 1, 12), (5, 1, 3), (-1, 1, 13));";

/// Input: a period in which of a chat with its agents only the last agent has attempts; expected: pages of every size have
/// each session once that has attempts of its own or below it, with the sum of both, and none of the period before.
#[test]
fn sessions_above_attempts_are_paged_once() {
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
    conn.batch_execute(ROWS).expect("they are written");
    for limit in 1..=6 {
        let of = CostRowsOf { workspace_id: 1, session_id: None };
        let all = CostFilter::new(WorkspaceKey::new("ann:a"), CostSumBy::Session, limit);
        let mut filter = CostFilter { since: Some(Timestamp(10)), ..all };
        let mut told = Vec::new();
        loop {
            let page = sums(&mut conn, of, &filter).expect("they are read");
            for sum in page.sums {
                let CostSumKey::Session(session) = sum.key else { panic!("it is of a session") };
                told.push((session.to_string(), sum.attempts, sum.usage.cost.to_string()));
            }
            assert!(told.len() <= 5, "{limit}: {told:?}");
            match page.next {
                Some(next) => filter.after = Some(next),
                None => break,
            }
        }
        let row = |id: &str, attempts: u64, cost: &str| (id.to_owned(), attempts, cost.to_owned());
        let one = |id: &str| row(id, 1, "0.000001999999");
        let two = |id: &str| row(id, 2, "0.000003999998");
        // The sessions that are gone have no id.
        let expected = [one(""), one("ses_b"), two("ses_a"), two("ses_a-3-0"), two("ses_a-3-0-7-1")];
        assert_eq!(told, expected, "{limit}");
    }
}
