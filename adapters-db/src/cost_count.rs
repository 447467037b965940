//! Adds up the costs of sessions from their logs: of those stored before costs were kept, when a database is opened,
//! and of all, on request. Each group of sessions is one transaction, so an interrupted count continues where it was.

use entracte_application::attempt_costs::AttemptCostCollector;
use entracte_application::codec::decode_entry;
use entracte_application::ports::AttemptCostRow;
use entracte_domain::id::SessionId;

use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::dialect;
use crate::hash_dictionary::HashDictionary;
use crate::opening_progress::{OpeningCallback, OpeningStep};
use crate::queries::session_rows::{SessionIdentity, SessionRowKey};
use crate::queries::{costs, log};

/// Sessions of one transaction.
const GROUP: i64 = 200;

/// Entries that are read at once.
const ENTRIES: u32 = 500;

/// The result of adding up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostCountResult {
    /// Sessions whose attempts were added up.
    pub counted: u64,
    /// Sessions whose log cannot be read; their attempts stay as they were.
    pub unreadable: u64,
}

/// Adds up the attempts of all sessions that nobody has tried yet.
pub(crate) fn count_untried(
    conn: &mut DbConnection,
    tell: OpeningCallback<'_>,
) -> Result<CostCountResult, DbError> {
    let mut result = CostCountResult::default();
    if !costs::has_untried(conn)? {
        return Ok(result);
    }
    let total = costs::count_untried(conn)?.unsigned_abs();
    let hashes = HashDictionary::default();
    loop {
        tell(OpeningStep::AddsUpCosts { done: result.counted + result.unreadable, total });
        let mut seen = false;
        in_transaction(conn, |conn| {
            for session in costs::untried(conn, GROUP)? {
                seen = true;
                let is_counted = count_session(conn, &hashes, &session)?;
                costs::end_count(conn, session.session_id, is_counted)?;
                result.counted += u64::from(is_counted);
                result.unreadable += u64::from(!is_counted);
            }
            Ok(())
        })?;
        if !seen {
            return Ok(result);
        }
    }
}

/// Adds up the attempts of all sessions anew.
pub(crate) fn recount(
    conn: &mut DbConnection,
    tell: OpeningCallback<'_>,
) -> Result<CostCountResult, DbError> {
    in_transaction(conn, costs::begin_recount)?;
    count_untried(conn, tell)
}

/// Runs work as one transaction.
pub(crate) fn in_transaction(
    conn: &mut DbConnection,
    work: impl FnOnce(&mut DbConnection) -> Result<(), DbError>,
) -> Result<(), DbError> {
    dialect::begin(conn)?;
    match work(conn) {
        Ok(()) => Ok(dialect::commit(conn)?),
        Err(fault) => {
            dialect::roll_back(conn)?;
            Err(fault)
        }
    }
}

/// Writes the attempts of a session in place of the stored ones; `false` if its log cannot be read.
fn count_session(
    conn: &mut DbConnection,
    hashes: &HashDictionary,
    session: &SessionIdentity,
) -> Result<bool, DbError> {
    let key = session.key();
    // A commit of this workspace waits, so that none adds an attempt meanwhile.
    dialect::lock_workspace(conn, key.workspace_id)?;
    let rows = match read_attempts(conn, hashes, key, &SessionId::new(session.id.clone())) {
        Ok(rows) => rows,
        Err(DbError::Damaged(fault)) => {
            tracing::warn!(session = session.id, %fault, "the costs of a session cannot be added up");
            return Ok(false);
        }
        Err(fault) => return Err(fault),
    };
    // The first entries of a session that is going are gone: its stored attempts are complete.
    if log::page_of_session(conn, key, &SessionId::new(session.id.clone()), None, 1)?
        .first()
        .is_some_and(|first| first.sequence > 1)
    {
        return Ok(true);
    }
    costs::delete_without_reservation(conn, key)?;
    rows.iter().try_for_each(|row| costs::put(conn, key, row))?;
    Ok(true)
}

fn read_attempts(
    conn: &mut DbConnection,
    hashes: &HashDictionary,
    key: SessionRowKey,
    session: &SessionId,
) -> Result<Vec<AttemptCostRow>, DbError> {
    let mut collector = AttemptCostCollector::new(session.clone());
    let mut after = None;
    loop {
        let mut page = log::page_of_session(conn, key, session, after, ENTRIES)?;
        let Some(last) = page.last() else { return Ok(collector.into_rows()) };
        after = Some(last.sequence);
        hashes.decode_bodies(conn, page.iter_mut().map(|row| &mut row.body))?;
        for row in &page {
            let entry = decode_entry(row).map_err(|fault| DbError::Damaged(fault.to_string()))?;
            collector.add(&entry);
        }
    }
}
