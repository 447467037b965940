//! Routes of approvals.

pub(crate) mod decide;
pub(crate) mod decide_all;
pub(crate) mod get;
pub(crate) mod list;

use entracte_application::commands::Catalog;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::{ReaderLanguage, saying};
use entracte_application::use_cases::{InboxItem, InboxKind, ReadInbox};
use entracte_domain::id::{ApprovalId, CallId, SessionId, WorkspaceKey};

use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::card::{CardContext, CardShape};

/// The use case that lists what waits for a person, for this reader.
pub(crate) fn inbox(state: &ServerState, reader: ReaderLanguage) -> ReadInbox {
    let ports = &state.ports;
    let (store, log, rows) = (ports.store.clone(), ports.log.clone(), ports.rows.clone());
    ReadInbox::new(store, log, rows, ports.catalog.get(), ports.clock.clone())
        .with_tasks(ports.tasks.clone())
        .with_automations(ports.automations.clone())
        .for_reader(reader)
}

/// The data that the cards of these items are built with.
pub(crate) fn card_context<'a>(
    state: &ServerState,
    catalog: &'a Catalog,
    items: &'a [InboxItem],
) -> CardContext<'a> {
    let (now, suggest_after) = (state.ports.clock.now(), state.terms.runtime.suggest_after);
    CardContext { catalog, now, items, suggest_after }
}

/// The card of an item, if it is an approval.
pub(in crate::routes) fn card_of(item: &InboxItem, look: &CardContext<'_>) -> Option<CardShape> {
    match &item.kind {
        InboxKind::Approval(approval) => Some(CardShape::new(item, approval, look)),
        InboxKind::Question(_)
        | InboxKind::Unsettled(_)
        | InboxKind::Parked(_)
        | InboxKind::Ended { .. }
        | InboxKind::Failed { .. }
        | InboxKind::Task { .. }
        | InboxKind::Ungranted { .. } => None,
    }
}

/// The call and session of an approval.
pub(crate) struct ApprovalSubject {
    session: SessionId,
    call: CallId,
    /// The card that is pending for this call now, even if it is another one, in the language of the reader. Its digest is
    /// the same in every language.
    pub(crate) card: Option<CardShape>,
}

impl ApprovalSubject {
    /// The session of the call.
    pub(in crate::routes) fn session(&self) -> &SessionId {
        &self.session
    }
}

/// Finds the call and session of an approval id.
pub(crate) async fn find_approval_subject(
    state: &ServerState,
    workspace: &WorkspaceKey,
    named: &str,
    reader: ReaderLanguage,
) -> Result<ApprovalSubject, Problem> {
    let unknown = || {
        let text = saying!("request-no-approval", approval = one_line(named));
        Problem::new(ProblemCode::NotFound, text)
    };
    if !named.starts_with("apr_") {
        return Err(unknown());
    }
    let call = ApprovalId::new(named).call_id();
    let row = state.ports.log.call(workspace, &call).await?.ok_or_else(unknown)?;
    let catalog = state.ports.catalog.get();
    let items = inbox(state, reader).read_session_items(workspace, &row.session).await?;
    let look = card_context(state, &catalog, &items);
    let mut cards = items.iter().filter_map(|item| card_of(item, &look));
    let card = cards.find(|card| card.call == call.as_str());
    Ok(ApprovalSubject { session: row.session, call, card })
}
