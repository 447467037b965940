//! What becomes of the effects of a session, and of its local actions.

mod effect_outcome;
mod fallback;
mod local_plans;

pub(super) use self::effect_outcome::apply_outcome;
pub(super) use self::local_plans::{plan_local_action, plan_next_action};
