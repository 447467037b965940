use entracte_application::json::to_serde;
use entracte_application::use_cases::CallView;
use serde::Serialize;

use crate::render::time::iso;
use crate::render::words;

/// `entracte.calls/1`: the ledger of a session.
#[derive(Serialize)]
pub(crate) struct CallsObject {
    schema: &'static str,
    session: String,
    calls: Vec<LedgerObject>,
}

#[derive(Serialize)]
struct LedgerObject {
    id: String,
    command: String,
    kind: &'static str,
    effect: &'static str,
    arguments: serde_json::Value,
    state: String,
    attempt: u32,
    decided_by: Option<String>,
    requested_at: String,
    finished_at: Option<String>,
    content: Option<String>,
}

impl CallsObject {
    /// The calls of a session.
    pub(crate) fn new(session: &str, views: &[CallView]) -> Self {
        let shape = |view: &CallView| LedgerObject {
            id: super::text(&view.call.id),
            command: view.call.effective().name.clone(),
            kind: words::kind(view.call.kind),
            effect: words::effect(view.call.effect()),
            arguments: to_serde(&view.call.effective().arguments),
            state: view.state.clone(),
            attempt: view.call.attempt,
            decided_by: view.call.decision().map(|decision| decision.author.clone()),
            requested_at: iso(view.call.requested_at),
            finished_at: view.finished_at.map(iso),
            content: view.content.clone(),
        };
        let calls = views.iter().map(shape).collect();
        Self { schema: "entracte.calls/1", session: session.to_owned(), calls }
    }
}
