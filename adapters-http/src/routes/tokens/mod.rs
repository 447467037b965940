//! Routes of people and tokens.

pub(crate) mod accept;
pub(crate) mod add_person;
pub(crate) mod create;
pub(crate) mod current;
pub(crate) mod get;
pub(crate) mod invite;
pub(crate) mod list;
pub(crate) mod people;
pub(crate) mod person;
pub(crate) mod remove_person;
pub(crate) mod revoke;
pub(crate) mod revoke_current;

use entracte_application::ports::AccessReach;
use entracte_application::texts::saying;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::WorkspacePrincipal;
use crate::problem::{Problem, ProblemCode};

/// Which tokens.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TokenReachQuery {
    /// `true`: those for every workspace, on the machine of the server alone.
    #[serde(default)]
    everywhere: bool,
}

/// The reach of the tokens that a request is about: the workspace of its path, or every workspace, which is for the
/// user of this machine alone.
fn token_reach(caller: &WorkspacePrincipal, is_everywhere: bool) -> Result<AccessReach, Problem> {
    match (is_everywhere, caller.principal().is_local()) {
        (false, _) => Ok(AccessReach::Workspace(caller.workspace().clone())),
        (true, true) => Ok(AccessReach::Everywhere),
        (true, false) => {
            let text = saying!("refusal-tokens-everywhere");
            Err(Problem::new(ProblemCode::ScopeMissing, text))
        }
    }
}
