//! The shape of a check of a session's journal.

use std::borrow::Cow;

use entracte_application::use_cases::ReplayMismatch;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What was found.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct VerdictShape {
    /// `ok`, `MISMATCH` where the journal gives another state, or `DAMAGED` where it cannot be read.
    #[serde(default)]
    pub verdict: Cow<'static, str>,
    /// The journal gives the stored state.
    pub same: bool,
    /// The stored state, when it does not.
    pub stored: Option<String>,
    /// What the journal gives.
    pub replayed: Option<String>,
    /// Why it cannot be read.
    pub why: Option<String>,
}

impl VerdictShape {
    /// The shape of a comparison.
    pub fn new(mismatch: Option<ReplayMismatch>) -> Self {
        let Some(ReplayMismatch { stored, replayed, .. }) = mismatch else {
            return Self { verdict: "ok".into(), same: true, stored: None, replayed: None, why: None };
        };
        let (stored, replayed) = (Some(stored), Some(replayed));
        Self { verdict: "MISMATCH".into(), same: false, stored, replayed, why: None }
    }

    /// The shape of a session that cannot be read, with the reason.
    pub fn damaged(why: String) -> Self {
        let why = Some(why);
        Self { verdict: "DAMAGED".into(), same: false, stored: None, replayed: None, why }
    }
}
