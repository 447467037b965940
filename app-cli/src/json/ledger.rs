use entracte_application::json_value::to_serde;
use entracte_application::use_cases::CallView;
use serde::Serialize;

use crate::render::session_sheet;
use crate::render::time::iso;

/// `entracte.calls/1`: the ledger of a session.
#[derive(Serialize)]
pub(crate) struct CallsObject {
    schema: &'static str,
    session: String,
    calls: Vec<LedgerRowObject>,
}

#[derive(Serialize)]
struct LedgerRowObject {
    id: String,
    command: String,
    kind: &'static str,
    effect: &'static str,
    /// The arguments the call ran with, or would run with.
    arguments: serde_json::Value,
    /// The arguments the model requested, if a person changed them.
    proposed: Option<serde_json::Value>,
    state: String,
    attempt: u32,
    /// `approved`, `edited`, `rejected`, `rule` or `policy`.
    decision: Option<&'static str>,
    decided_by: Option<String>,
    rule: Option<String>,
    requested_at: String,
    started_at: Option<String>,
    finished_at: Option<String>,
    /// From the first start to the result, in milliseconds.
    duration_ms: Option<i64>,
    /// The failure, as the model reads it.
    code: Option<String>,
    is_error: Option<bool>,
    /// The path of the faulty argument.
    path: Option<String>,
    /// The levels that required approval.
    reasons: Vec<&'static str>,
    content: Option<String>,
}

impl CallsObject {
    /// The calls of a session.
    pub(crate) fn new(session: &str, views: &[CallView]) -> Self {
        let shape = |view: &CallView| LedgerRowObject {
            id: super::text(&view.call.id),
            command: view.call.effective_command().name.clone(),
            kind: view.call.kind.word(),
            effect: view.call.effect_class().word(),
            arguments: to_serde(&view.call.effective_command().arguments),
            proposed: proposed(view),
            state: view.state.clone(),
            attempt: view.call.attempt,
            decision: view.decided.as_ref().map(|decided| decided.what),
            decided_by: view.decided.as_ref().and_then(|decided| decided.by.clone()),
            rule: view.decided.as_ref().and_then(|decided| decided.rule.clone()),
            requested_at: iso(view.call.requested_at),
            started_at: view.call.first_started_at.map(iso),
            finished_at: view.finished_at.map(iso),
            duration_ms: session_sheet::call_duration(view).map(|span| span.0),
            code: view.call.result().and_then(|result| result.code.clone()),
            is_error: view.call.result().map(|result| result.is_error()),
            path: view.call.result().and_then(|result| result.path.clone()),
            reasons: view.call.reasons.iter().map(|reason| reason.level.word()).collect(),
            content: view.content.clone(),
        };
        let calls = views.iter().map(shape).collect();
        Self { schema: "entracte.calls/1", session: session.to_owned(), calls }
    }
}

/// The arguments the model requested, if a person changed them.
fn proposed(view: &CallView) -> Option<serde_json::Value> {
    let edited = view.call.decision().is_some_and(|decision| decision.edited.is_some());
    edited.then(|| to_serde(&view.call.command.arguments))
}
