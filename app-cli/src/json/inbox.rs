use std::collections::BTreeMap;

use entracte_adapters_http::shapes::agent::{ChainShape, chain};
use entracte_adapters_http::shapes::card::{QuestionShape, ReasonShape};
use entracte_adapters_http::shapes::rule::{ConditionShape, conditions};
use entracte_application::codec::decode_call;
use entracte_application::json_value::to_serde;
use entracte_application::ports::ExternalServerTools;
use entracte_application::settings::Language;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{ApprovalView, DisabledItem, InboxItem, InboxKind};
use entracte_domain::session::ParkReason;
use serde::Serialize;

use super::turn::reasons;
use crate::render::time::iso;

/// `entracte.inbox/1`: the items that wait for a person.
#[derive(Serialize)]
pub(crate) struct InboxObject {
    schema: &'static str,
    items: Vec<InboxItemObject>,
}

#[derive(Serialize)]
struct InboxItemObject {
    session: String,
    name: String,
    /// When it began to wait.
    asked_at: String,
    /// The person whose message or decision caused it.
    requester: Option<String>,
    /// The automation of the run.
    automation: Option<String>,
    /// The chain to the waiting agent; empty if no agent waits.
    chain: Vec<ChainShape>,
    #[serde(flatten)]
    kind: InboxItemKindObject,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum InboxItemKindObject {
    Approval(Box<ApprovalObject>),
    Question(QuestionShape),
    Unsettled {
        id: String,
        command: String,
        arguments: Option<serde_json::Value>,
    },
    Parked {
        why: String,
    },
    /// A run that failed; `inbox seen ID` removes it.
    Ended {
        id: String,
        why: &'static str,
        end_reason: &'static str,
        expired: Vec<String>,
    },
    /// A long task that asks (`why` is `asks`: `task answer ID`), or whose end no person was notified of; `inbox seen ID` removes it.
    Task {
        id: String,
        why: &'static str,
        command: String,
        state: &'static str,
        /// The number of reported ends that contradict the known one.
        contradicted: u32,
    },
    /// A notification target or secret that is disabled because it is invalid; it belongs to no session.
    Off {
        id: String,
        /// `target` or `secret`.
        what: &'static str,
        why: String,
    },
    /// An MCP server about whose tools nobody has decided: `mcp trust`, `mcp ask` or `mcp keep` decides. It belongs to no
    /// session.
    Tools {
        id: String,
        server: String,
        /// The tools about which nobody has decided.
        undecided: Vec<String>,
        /// The approvals of its undecided queries that wait.
        waiting: Vec<String>,
    },
    /// An automation with policy `allow` that no authorized person has granted: its actions wait.
    Ungranted {
        id: String,
    },
}

#[derive(Serialize)]
struct ApprovalObject {
    id: String,
    /// The digest that a decision is bound to: `approve --seen DIGEST`.
    digest: Option<String>,
    /// Whether the call differs from the requested one; a decision first gets a new card.
    changed: bool,
    /// The calls that must end before it starts.
    starts_after: Vec<String>,
    command: String,
    arguments: serde_json::Value,
    says: String,
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
    reasons: Vec<ReasonShape>,
    warnings: Vec<String>,
    /// The people whose messages are in the exchange.
    asked_by: Vec<String>,
    /// The person whose rights the call has.
    acts_as: Option<String>,
    /// The conditions on arguments of later calls with `--always`; null if it is not possible.
    always: Option<BTreeMap<String, ConditionShape>>,
    expires_at: String,
}

impl InboxObject {
    /// An object of these items, the disabled ones, and the servers with undecided tools.
    pub(crate) fn new(items: &[InboxItem], off: &[DisabledItem], servers: &[ExternalServerTools]) -> Self {
        let shape = |item: &InboxItem| InboxItemObject {
            session: item.session.to_string(),
            name: item.name.clone(),
            asked_at: iso(item.asked_at),
            requester: item.requester.clone(),
            automation: item.automation.clone(),
            chain: chain(&item.chain),
            kind: InboxItemKindObject::of(item),
        };
        let off = off.iter().map(|off| InboxItemObject {
            session: String::new(),
            name: off.name.clone(),
            asked_at: iso(off.since),
            requester: Some(off.person.clone()),
            automation: None,
            chain: Vec::new(),
            kind: InboxItemKindObject::Off {
                id: off.id.clone(),
                what: off.kind.word(),
                why: off.why.to_string(),
            },
        });
        let server = |server: &ExternalServerTools| {
            let undecided = server.tools.iter().filter(|tool| tool.is_undecided);
            let waiting = items.iter().filter(|item| item.is_query_of(server));
            InboxItemObject {
                session: String::new(),
                name: server.server.clone(),
                asked_at: iso(server.changed_at),
                requester: None,
                automation: None,
                chain: Vec::new(),
                kind: InboxItemKindObject::Tools {
                    id: format!("tools:{}", server.server),
                    server: server.server.clone(),
                    undecided: undecided.map(|tool| tool.tool.clone()).collect(),
                    waiting: waiting.filter_map(InboxItem::approval).map(|one| one.id.to_string()).collect(),
                },
            }
        };
        let servers = servers.iter().map(server);
        let items = items.iter().map(shape).chain(servers).chain(off).collect();
        Self { schema: "entracte.inbox/1", items }
    }
}

impl InboxItemKindObject {
    fn of(item: &InboxItem) -> Self {
        match &item.kind {
            InboxKind::Approval(approval) => {
                Self::Approval(Box::new(ApprovalObject::from(approval.as_ref())))
            }
            InboxKind::Question(question) => Self::Question(QuestionShape::from(question)),
            InboxKind::Unsettled(row) => {
                // An unreadable call is listed all the same.
                let call = decode_call(row).ok();
                let arguments = call.map(|call| to_serde(&call.effective_command().arguments));
                Self::Unsettled { id: row.id.to_string(), command: row.command.clone(), arguments }
            }
            InboxKind::Parked(why) => Self::Parked { why: parked(why) },
            InboxKind::Ended { why, reason, expired } => Self::Ended {
                id: item.session.to_string(),
                why: why.word(),
                end_reason: reason.word(),
                expired: expired.clone(),
            },
            InboxKind::Task { task, why } => Self::Task {
                id: task.id.to_string(),
                why: why.word(),
                command: task.command.clone(),
                state: task.state.word(),
                contradicted: task.contradicted,
            },
            InboxKind::Ungranted { automation } => Self::Ungranted { id: automation.to_string() },
        }
    }
}

impl From<&ApprovalView> for ApprovalObject {
    fn from(approval: &ApprovalView) -> Self {
        let command = approval.call.effective_command();
        let describe = &approval.description;
        Self {
            id: approval.id.to_string(),
            digest: approval.digest.as_ref().map(ToString::to_string),
            changed: approval.is_changed,
            starts_after: approval.starts_after.iter().map(ToString::to_string).collect(),
            command: command.name.clone(),
            arguments: to_serde(&command.arguments),
            says: describe.says.clone(),
            before: describe.before.iter().cloned().collect(),
            after: describe.after.iter().cloned().collect(),
            reasons: reasons(&approval.reasons),
            warnings: describe.warnings.clone(),
            asked_by: approval.call.asked_by.people.clone(),
            acts_as: approval.call.principal().map(str::to_owned),
            always: approval.always.as_deref().map(conditions),
            expires_at: iso(approval.expires_at),
        }
    }
}

fn parked(why: &ParkReason) -> String {
    crate::render::stored_words::parked_reason(why, LocalizedTexts::for_language(Language::En))
}

/// `entracte.seen/1`: the items marked as seen.
#[derive(Serialize)]
pub(crate) struct SeenItemsObject {
    schema: &'static str,
    items: Vec<String>,
}

impl SeenItemsObject {
    /// An object of these sessions and tasks.
    pub(crate) fn new(items: Vec<String>) -> Self {
        Self { schema: "entracte.seen/1", items }
    }
}
