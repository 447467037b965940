//! Reads a session with its details, and its journal.

use entracte_adapters_http::api_transport::ApiAnswer;
use entracte_adapters_http::shapes::entry::EntryShape;
use entracte_adapters_http::shapes::session::SessionShape;

use super::ApiClient;
use super::fault::damaged_answer;
use super::lists::ListExtent;
use crate::error::CliError;

/// Reads a session with its details.
pub(crate) async fn read_session_details(
    api: &ApiClient<'_>,
    session: &str,
) -> Result<SessionShape, CliError> {
    api.get(&api.path(&["sessions", session]).with("details", "true")).await
}

/// Reads the entries of a session after one, in order, as they are stored.
pub(crate) async fn read_journal(
    api: &ApiClient<'_>,
    session: &str,
    after: u64,
) -> Result<Vec<EntryShape>, CliError> {
    let path = api.path(&["sessions", session, "journal"]).with("order", "earliest");
    let path = path.with("since", &after.to_string());
    // Not by way of a value, which has another order of members.
    let parse = |answer: &ApiAnswer| {
        serde_json::from_slice(&answer.body).map_err(|error| damaged_answer(&error, api.server()))
    };
    api.list_parsed(&path, ListExtent::ALL, |_| true, parse).await
}
