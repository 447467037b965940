//! Shapes of the items of an inbox.

use std::borrow::Cow;
use std::collections::BTreeSet;

use entracte_application::codec::decode_call;
use entracte_application::json_value::ExactJson;
use entracte_application::ports::ExternalServerTools;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{DisabledItem, InboxItem, InboxKind};
use entracte_domain::session::ParkReason;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CardContext, CardShape, QuestionShape};
use crate::shapes::agent::{ChainShape, chain};
use crate::shapes::cost::SpendingQuestionShape;
use crate::shapes::tagged::read_by_tag;
use crate::shapes::task::TaskFormShape;
use crate::shapes::tool_server::ToolCountsShape;
use crate::shapes::triage::ItemTriageShape;
use crate::shapes::{iso, wire_words};

read_by_tag! {
    /// What waits for a person.
    #[derive(Clone, Debug, Serialize, ToSchema)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    pub enum InboxShape {
        /// An approval.
        Approval(Box<CardShape>),
        /// A question.
        Question {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// It.
            question: QuestionShape,
        },
        /// An action whose outcome nobody knows.
        Unsettled {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// The call.
            call: String,
            /// Its command.
            command: String,
            /// What it ran with; null when that cannot be read.
            #[schema(value_type = Option<Value>)]
            arguments: Option<ExactJson>,
        },
        /// A session that rests until somebody does something.
        Parked {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// `exhausted`, `interrupted`, `quarantined` or `spending`.
            why: Cow<'static, str>,
            /// What it lacks or asks, where `why` does not say all of it.
            #[serde(default)]
            says: String,
            /// What may be answered where `why` is `spending`; null elsewhere.
            spending: Option<SpendingQuestionShape>,
        },
        /// A run that came to nothing, until somebody has seen it.
        Ended {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// What is to be seen.
            why: Cow<'static, str>,
            /// How it ended.
            end_reason: Cow<'static, str>,
            /// The commands whose approvals expired.
            expired: Vec<String>,
        },
        /// A call that failed after a person approved it, until that person has seen it.
        Failed {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// The call.
            call: String,
            /// Its command.
            command: String,
            /// The person who approved the call.
            approver: String,
            /// The code of the failure.
            code: Option<String>,
        },
        /// A long task of which nobody else was told, until somebody has seen it.
        Task {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// What is to be seen: `contradicted` or `undelivered`; or `asks`, until it is answered.
            why: Cow<'static, str>,
            /// The task.
            task: String,
            /// Its command.
            command: String,
            /// How it ended: `completed`, `failed`, `cancelled` or `expired`.
            state: Cow<'static, str>,
            /// How many reported ends contradict the known one.
            #[serde(default)]
            contradicted: u32,
            /// What it asks.
            question: Option<String>,
            /// The same as a form; null where there is none.
            form: Option<Vec<TaskFormShape>>,
        },
        /// A target of notifications or an own secret that is off because it does not fit, until it does or is removed.
        Off {
            /// Where: its session is empty, and its name is that of the target or the secret.
            #[serde(flatten)]
            place: PlaceShape,
            /// `target` or `secret`.
            what: Cow<'static, str>,
            /// Why, and what to do.
            says: String,
        },
        /// An MCP server about whose tools nobody has decided: queries that ask, or actions that run unasked.
        Tools {
            /// Where: its session is empty, and its name is that of the server.
            #[serde(flatten)]
            place: PlaceShape,
            /// The server.
            server: String,
            /// How its tools are used now.
            counts: ToolCountsShape,
            /// The tools that no person has decided about yet.
            #[serde(default)]
            undecided: Vec<String>,
            /// The approvals of its undecided queries that wait in this workspace.
            waiting: Vec<String>,
        },
        /// An automation that says `allow` where nobody who may approve said so for the words that it has now: its actions wait.
        Ungranted {
            /// Where: the session is the one that holds its message.
            #[serde(flatten)]
            place: PlaceShape,
        },
    }

    // `ToSchema` for its attributes only.
    #[derive(Deserialize, ToSchema)]
    #[serde(remote = "InboxShape", rename_all = "snake_case")]
    mirror! { InboxShapeByKind by "kind", units [] }
}

/// Where something waits.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlaceShape {
    /// Its id.
    pub id: String,
    /// The session.
    pub session: String,
    /// Its name.
    pub session_name: String,
    /// Who asked for it.
    pub requester: Option<String>,
    /// The automation it runs for.
    pub automation: Option<String>,
    /// From the session that a person began to the agent that waits, itself last; empty where no agent waits.
    pub chain: Vec<ChainShape>,
    /// Since when.
    pub asked_at: String,
    /// What people noted about it, in the list of the inbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triage: Option<ItemTriageShape>,
}

impl InboxShape {
    /// The shape of an item, in this language.
    pub fn new(item: &InboxItem, look: &CardContext<'_>, texts: &LocalizedTexts) -> Self {
        let place = || PlaceShape {
            id: item.id(),
            session: item.session.to_string(),
            session_name: item.name.clone(),
            requester: item.requester.clone(),
            automation: item.automation.clone(),
            chain: chain(&item.chain),
            asked_at: iso(item.asked_at),
            triage: None,
        };
        match &item.kind {
            InboxKind::Approval(approval) => Self::Approval(Box::new(CardShape::new(item, approval, look))),
            InboxKind::Question(question) => Self::Question { place: place(), question: question.into() },
            InboxKind::Unsettled(row) => Self::Unsettled {
                place: place(),
                call: row.id.to_string(),
                command: row.command.clone(),
                // A call with unreadable arguments can be settled too.
                arguments: decode_call(row)
                    .ok()
                    .map(|call| ExactJson::sorted(&call.effective_command().arguments)),
            },
            InboxKind::Parked(why) => {
                let (says, spending) = match why {
                    ParkReason::Exhausted(text) => (text.clone(), None),
                    ParkReason::Interrupted | ParkReason::Quarantined => (String::new(), None),
                    ParkReason::Spending(question) => {
                        (texts.render_speech(&question.text()), Some(question.into()))
                    }
                };
                Self::Parked { place: place(), why: wire_words::parked(why).into(), says, spending }
            }
            InboxKind::Ended { why, reason, expired } => Self::Ended {
                place: place(),
                why: why.word().into(),
                end_reason: reason.word().into(),
                expired: expired.clone(),
            },
            InboxKind::Failed { row, approver, code } => Self::Failed {
                place: place(),
                call: row.id.to_string(),
                command: row.command.clone(),
                approver: approver.clone(),
                code: code.clone(),
            },
            InboxKind::Task { task, why } => Self::Task {
                place: place(),
                why: why.word().into(),
                task: task.id.to_string(),
                command: task.command.clone(),
                state: task.state.word().into(),
                contradicted: task.contradicted,
                question: task.question.clone().filter(|_| task.is_asking()),
                form: TaskFormShape::of(task),
            },
            InboxKind::Ungranted { .. } => Self::Ungranted { place: place() },
        }
    }

    /// The shape of a disabled item, in this language.
    pub fn off(off: &DisabledItem, texts: &LocalizedTexts) -> Self {
        let place = PlaceShape {
            id: off.id.clone(),
            session: String::new(),
            session_name: off.name.clone(),
            requester: Some(off.person.clone()),
            automation: None,
            chain: Vec::new(),
            asked_at: iso(off.since),
            triage: None,
        };
        Self::Off { place, what: off.kind.word().into(), says: off.why.render(texts) }
    }

    /// The shape of a server with undecided tools. `waiting` are the ids of the pending approvals of its queries.
    pub fn tools(found: &ExternalServerTools, waiting: Vec<String>) -> Self {
        let place = PlaceShape {
            id: format!("tools:{}", found.server),
            session: String::new(),
            session_name: found.server.clone(),
            requester: None,
            automation: None,
            chain: Vec::new(),
            asked_at: iso(found.changed_at),
            triage: None,
        };
        let undecided = found.tools.iter().filter(|tool| tool.is_undecided);
        let undecided = undecided.map(|tool| tool.tool.clone()).collect();
        Self::Tools { place, server: found.server.clone(), counts: found.into(), undecided, waiting }
    }

    fn head(&self) -> InboxItemHead<'_> {
        match self {
            Self::Approval(card) => {
                InboxItemHead { id: &card.id, asked_at: &card.asked_at, triage: card.triage.as_ref() }
            }
            Self::Question { place, .. }
            | Self::Unsettled { place, .. }
            | Self::Parked { place, .. }
            | Self::Ended { place, .. }
            | Self::Failed { place, .. }
            | Self::Task { place, .. }
            | Self::Off { place, .. }
            | Self::Tools { place, .. }
            | Self::Ungranted { place } => {
                InboxItemHead { id: &place.id, asked_at: &place.asked_at, triage: place.triage.as_ref() }
            }
        }
    }

    /// The id of the item.
    pub fn id(&self) -> &str {
        self.head().id
    }

    /// The item with what people noted about it.
    #[must_use]
    pub fn with_triage(mut self, triage: Option<ItemTriageShape>) -> Self {
        match &mut self {
            Self::Approval(card) => card.triage = triage,
            Self::Question { place, .. }
            | Self::Unsettled { place, .. }
            | Self::Parked { place, .. }
            | Self::Ended { place, .. }
            | Self::Failed { place, .. }
            | Self::Task { place, .. }
            | Self::Off { place, .. }
            | Self::Tools { place, .. }
            | Self::Ungranted { place } => place.triage = triage,
        }
        self
    }

    /// What people noted about the item.
    pub fn triage(&self) -> Option<&ItemTriageShape> {
        self.head().triage
    }

    /// Whether who reads the list snoozes the item.
    pub fn is_snoozed(&self) -> bool {
        self.triage().is_some_and(|triage| triage.snoozed_until.is_some())
    }

    /// The time since which the item waits.
    pub fn asked_at(&self) -> &str {
        self.head().asked_at
    }
}

/// What items of all kinds have.
struct InboxItemHead<'a> {
    id: &'a str,
    asked_at: &'a str,
    triage: Option<&'a ItemTriageShape>,
}

/// The approvals that stand on the card of their server.
pub fn folded_approvals(items: &[InboxShape]) -> BTreeSet<String> {
    let servers = items.iter().filter_map(|item| match item {
        InboxShape::Tools { waiting, .. } => Some(waiting),
        InboxShape::Approval(_)
        | InboxShape::Question { .. }
        | InboxShape::Unsettled { .. }
        | InboxShape::Parked { .. }
        | InboxShape::Ended { .. }
        | InboxShape::Failed { .. }
        | InboxShape::Task { .. }
        | InboxShape::Off { .. }
        | InboxShape::Ungranted { .. } => None,
    });
    servers.flatten().cloned().collect()
}
