//! What needs no token: logins, and whether the server is well.

pub(crate) mod healthz;
pub(crate) mod login;
pub(crate) mod logout;
pub(crate) mod readyz;

use serde::Serialize;
use utoipa::ToSchema;

use crate::guard::COOKIE;
use crate::house::House;

/// How the server is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct HealthShape {
    /// `ok` or `ready`.
    pub(crate) status: &'static str,
}

/// The cookie of a browser: no script reads it, and no other site sends it.
fn cookie(house: &House, value: &str, seconds: i64) -> String {
    let path = format!("{}/", house.terms.base_path);
    let secure = if house.terms.is_secure { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}
