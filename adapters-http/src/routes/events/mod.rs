//! Routes of live workspace events.

pub(crate) mod presence;
pub(crate) mod read;
pub(crate) mod ticket;

use serde::Deserialize;
use utoipa::IntoParams;

/// From where a stream goes on.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct StreamQuery {
    /// The id of the last frame that was read, `now` (unless given), or `0` for everything. The header Last-Event-ID comes before it.
    pub(crate) after: Option<String>,
    /// The timeline of the first frame that `after` goes back to.
    pub(crate) timeline: Option<String>,
    /// Each entry also has its stored form, as the journal has it; false unless given.
    pub(crate) stored: Option<bool>,
    /// A ticket, for clients that cannot send a token: `POST /v1/tickets`.
    #[serde(rename = "ticket")]
    #[param(rename = "ticket")]
    _ticket: Option<String>,
}
