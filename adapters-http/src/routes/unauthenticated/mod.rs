//! What needs no token: logins, and whether the server is well.

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

/// The cookie of a browser: no script reads it, and no other site sends it.
fn cookie(house: &ServerState, value: &str, seconds: i64) -> String {
    let path = format!("{}/", house.terms.base_path);
    let secure = if house.terms.is_secure { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}
