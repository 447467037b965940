//! Routes of notification targets.

pub(crate) mod add;
pub(crate) mod change;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod notifications;
pub(crate) mod push_key;
pub(crate) mod remove;
pub(crate) mod test;

use entracte_application::notify::{NotificationTarget, TargetPreferences};
use entracte_application::ports::{DeliveryChannel, TokenScope};
use entracte_application::texts::saying;
use entracte_application::use_cases::{NotificationTargetView, ReadNotificationTargets};

use crate::authentication::WorkspacePrincipal;
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::target::{AddressDetail, TargetFieldError, TargetShape};

fn reader(state: &ServerState) -> ReadNotificationTargets {
    ReadNotificationTargets::new(state.ports.outbox.clone(), state.ports.store.clone())
}

/// The shape of a target, for this reader.
async fn shape(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    view: &NotificationTargetView,
) -> Result<TargetShape, Problem> {
    let detail = match caller.principal().is_local() {
        true => AddressDetail::Whole,
        false => AddressDetail::Origin,
    };
    let refused = state.ports.sender.refusal(&view.target.owner(), &view.target.way);
    let texts = state.texts_for(&view.target.workspace, caller.reader()).await?;
    Ok(TargetShape::new(view, detail, refused.map(|refused| refused.render(texts))))
}

/// Finds the target of exactly this id.
async fn target(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    id: &str,
) -> Result<NotificationTargetView, Problem> {
    let found = reader(state).one(caller.workspace(), id).await?;
    if found.target.id == id {
        return Ok(found);
    }
    let named = entracte_application::terminal_text::one_line(id);
    Err(Problem::new(ProblemCode::NotFound, saying!("refusal-no-target", target = named)))
}

fn wrong((path, says): TargetFieldError) -> Problem {
    Problem::new(ProblemCode::Invalid, says.clone()).with_field(path, says)
}

/// Requires more than the scope `chat` for notifications with more than a title: the receiver of a link can decide, and
/// the receiver of a card's content can read it.
fn may_want(caller: &WorkspacePrincipal, wants: &TargetPreferences) -> Result<(), Problem> {
    let scopes = caller.principal().scopes();
    let is_more = wants.has_links || wants.is_private || wants.is_full;
    if is_more && !(scopes.allow(TokenScope::Approve) && scopes.allow(TokenScope::Read)) {
        let text = saying!("refusal-target-scopes");
        return Err(Problem::new(ProblemCode::ScopeMissing, text));
    }
    Ok(())
}

/// Restricts a target that acts for its person, or runs a program of this machine, to that person and admins.
fn may_touch(caller: &WorkspacePrincipal, target: &NotificationTarget) -> Result<(), Problem> {
    let is_own = caller.author() == target.person;
    if is_own || caller.principal().scopes().allow(TokenScope::Admin) {
        return Ok(());
    }
    let acts = target.wants.has_links
        || target.wants.is_private
        || matches!(target.way, DeliveryChannel::Command { .. });
    if acts {
        let text = saying!("refusal-target-person");
        return Err(Problem::new(ProblemCode::ScopeMissing, text));
    }
    Ok(())
}
