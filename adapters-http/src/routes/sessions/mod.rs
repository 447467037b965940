//! Routes of sessions.

pub(crate) mod agents;
pub(crate) mod answer;
pub(crate) mod attach;
pub(crate) mod calls;
pub(crate) mod change;
pub(crate) mod compact;
pub(crate) mod confirm;
pub(crate) mod count_unread;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod deletions;
mod details;
pub(crate) mod export;
pub(crate) mod fork;
pub(crate) mod get;
pub(crate) mod import;
pub(crate) mod interrupt;
pub(crate) mod journal;
pub(crate) mod leave;
pub(crate) mod list;
pub(crate) mod mark_read;
pub(crate) mod messages;
pub(crate) mod metrics;
pub(crate) mod open;
pub(crate) mod queue;
pub(crate) mod record_script;
pub(crate) mod reject;
pub(crate) mod resume;
pub(crate) mod send;
pub(crate) mod spending;
pub(crate) mod stop;
pub(crate) mod stream;
pub(crate) mod turn;
pub(crate) mod verify;

use entracte_application::texts::saying;
use entracte_application::use_cases::{ReadRunningTree, SessionView, settings_of};
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::Dialect;

use crate::authentication::WorkspacePrincipal;
use crate::problem::Problem;
use crate::server_state::ServerState;
use crate::shapes::session::SessionShape;
use crate::shapes::wire_words::{dialect, dialect_of};

/// The shape of a session. A visitor of an embedded chat sees nothing of the agents below it.
async fn shape(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    view: &SessionView,
) -> Result<SessionShape, Problem> {
    let store = &state.ports.store;
    let mut running = ReadRunningTree::new(store.clone()).below(view.clone()).await?;
    let is_embedded = caller.principal().token().embedded.is_some();
    if is_embedded {
        running.retain(|running| running.view.facts.id == view.facts.id);
    }
    let rules = state.terms.rules.for_workspace(&settings_of(&**store, caller.workspace()).await?);
    let mut shape = SessionShape::new(view, &running, &rules, state.ports.clock.now());
    if is_embedded {
        shape.usage = shape.own_usage.clone();
    }
    Ok(shape)
}

/// Whether a plan is required before actions; `None` if the request does not say.
fn mode_of(word: Option<&str>) -> Result<Option<PlanMode>, Problem> {
    let read = |word: &str| {
        PlanMode::from_word(word)
            .ok_or_else(|| Problem::unknown_word("mode", word, &PlanMode::ALL.map(PlanMode::word)))
    };
    word.map(read).transpose()
}

/// How commands are encoded for the model; `None` if the request does not say.
pub(in crate::routes) fn parse_dialect(word: Option<&str>) -> Result<Option<Dialect>, Problem> {
    let read = |word: &str| {
        dialect_of(word).ok_or_else(|| {
            let words = [Dialect::Envelope, Dialect::Tools].map(dialect);
            Problem::unknown_word("dialect", word, &words)
        })
    };
    word.map(read).transpose()
}

/// The commands that a session may request; `None` if the request does not say.
pub(in crate::routes) fn restriction(commands: Option<&[String]>) -> Result<Option<Restriction>, Problem> {
    let Some(commands) = commands else { return Ok(None) };
    if commands.is_empty() {
        return Ok(Some(Restriction::Only(Vec::new())));
    }
    let parsed = Restriction::parse(commands.iter().map(|pattern| pattern.trim()));
    parsed.map(Some).map_err(|fault| {
        Problem::invalid_field("commands", saying!("refusal-command-pattern", given = fault.given))
    })
}
