use std::hash::{Hash, Hasher};

use entracte_domain::call::Call;
use entracte_domain::command::{CallTask, Command};
use entracte_domain::id::Digest;
use entracte_domain::session::{ApprovalRecheck, CallLookup, RequestedCall, SessionFacts};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{ApprovalReason, ExchangePrincipal, StandingApprovalRule};

use super::{QuestionReader, TurnQuestion};
use crate::commands::{CallLookupContext, CommandInvocation};
use crate::runtime::error::TurnError;
use crate::settings::WorkspaceSettings;

/// The session, rules and settings that calls are resolved under, owned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runtime) struct OwnedCallLookupContext {
    facts: SessionFacts,
    settings: WorkspaceSettings,
    rules: Vec<StandingApprovalRule>,
    asked_by: ExchangePrincipal,
    acts_as: Option<String>,
    last_action_at: Option<Timestamp>,
    ai_request: bool,
    now: Timestamp,
}

impl OwnedCallLookupContext {
    pub(in crate::runtime) fn from_context(setting: CallLookupContext<'_>) -> Box<Self> {
        let CallLookupContext {
            facts,
            settings,
            rules,
            asked_by,
            acts_as,
            last_action_at,
            ai_request,
            // A call that exists has its answer with it.
            policy: _,
            now,
        } = setting;
        let (facts, settings, rules) = (facts.clone(), settings.clone(), rules.to_vec());
        let (asked_by, acts_as) = (asked_by.clone(), acts_as.map(str::to_owned));
        Box::new(Self { facts, settings, rules, asked_by, acts_as, last_action_at, ai_request, now })
    }

    fn as_context(&self) -> CallLookupContext<'_> {
        CallLookupContext {
            facts: &self.facts,
            settings: &self.settings,
            rules: &self.rules,
            asked_by: &self.asked_by,
            acts_as: self.acts_as.as_deref(),
            last_action_at: self.last_action_at,
            ai_request: self.ai_request,
            policy: None,
            now: self.now,
        }
    }
}

/// How these requested calls resolve against catalog, ledger and data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runtime) struct CallLookupQuestion {
    pub(in crate::runtime) context: Box<OwnedCallLookupContext>,
    pub(in crate::runtime) asked: Vec<CommandInvocation>,
}

/// A turn has few of these for one session.
impl Hash for CallLookupQuestion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.context.facts.id.hash(state);
    }
}

impl TurnQuestion for CallLookupQuestion {
    type Answer = Vec<RequestedCall>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<RequestedCall>, TurnError> {
        let context = self.context.as_context();
        let before = reader.sessions.get(&context.facts.id).map(|live| &live.before);
        let calls = reader.pipeline.look_up(context, self.asked.clone(), before).await?;
        Ok(assign_task_ids(reader, calls))
    }
}

/// Assigns task ids to calls that become tasks. They are drawn here, so that they cannot be guessed.
fn assign_task_ids(reader: QuestionReader<'_>, mut calls: Vec<RequestedCall>) -> Vec<RequestedCall> {
    for call in &mut calls {
        let CallLookup::Known { terms, .. } = &mut call.lookup else { continue };
        let spec = reader.pipeline.catalog.find(&call.command.name).and_then(|known| known.spec.task);
        terms.task =
            spec.map(|spec| CallTask { id: reader.services.ids.task(), is_registered: spec.is_registered });
    }
    calls
}

/// The changes in the approval that these calls, which have not started, need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runtime) struct ApprovalRecheckQuestion {
    pub(in crate::runtime) context: Box<OwnedCallLookupContext>,
    pub(in crate::runtime) calls: Vec<Call>,
}

/// A turn has few of these for one session.
impl Hash for ApprovalRecheckQuestion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.context.facts.id.hash(state);
    }
}

impl TurnQuestion for ApprovalRecheckQuestion {
    type Answer = Vec<ApprovalRecheck>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<ApprovalRecheck>, TurnError> {
        Ok(reader.pipeline.recheck(self.context.as_context(), &self.calls).await?)
    }
}

/// Why a call needs approval, and the digest of the card that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runtime) struct ShownCard {
    /// Why approval is needed; empty if it is not.
    pub(in crate::runtime) reasons: Vec<ApprovalReason>,
    /// The digest of the card; `None` if no approval is needed, or the command no longer exists.
    pub(in crate::runtime) digest: Option<Digest>,
}

/// The card of a call with this command: its own, or one whose arguments a person edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runtime) struct CardQuestion {
    pub(in crate::runtime) context: Box<OwnedCallLookupContext>,
    pub(in crate::runtime) call: Call,
    pub(in crate::runtime) command: Command,
}

/// A turn has few of these for one call.
impl Hash for CardQuestion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.call.id.hash(state);
    }
}

impl TurnQuestion for CardQuestion {
    type Answer = ShownCard;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<ShownCard, TurnError> {
        let Self { context, call, command } = self;
        let Some(known) = reader.pipeline.catalog.find(&command.name) else {
            return Ok(ShownCard { reasons: call.reasons.clone(), digest: None });
        };
        let (reasons, digest) = reader.pipeline.card_now(context.as_context(), known, call, command).await?;
        Ok(ShownCard { reasons, digest })
    }
}
