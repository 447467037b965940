//! Routes without a token: logins, and the health of the server.

pub(crate) mod healthz;
pub(crate) mod login;
pub(crate) mod logout;
pub(crate) mod metrics;
pub(crate) mod readyz;

use serde::Serialize;
use utoipa::ToSchema;

use crate::origin_guard::COOKIE;
use crate::server_state::ServerState;

/// That the process answers.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct HealthShape {
    /// `ok`.
    pub(crate) status: &'static str,
}

/// That the server can do its work.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct ReadyShape {
    /// `ready`.
    pub(crate) status: &'static str,
    /// This process owns the database.
    pub(crate) owner: bool,
    /// How long ago the last turn was committed; null when none was since the server began.
    pub(crate) last_commit_seconds: Option<i64>,
}

/// The login cookie of a browser: hidden from scripts, and never sent by other sites.
fn cookie(state: &ServerState, value: &str, seconds: i64) -> String {
    let path = format!("{}/", state.terms.base_path);
    let secure = if state.terms.is_secure { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}
