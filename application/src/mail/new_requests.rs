//! What a request wants made, or made otherwise: sessions, rules, automations.

use entracte_domain::automation::{AutomationPolicies, Trigger};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, ModelSelection, SessionKind};
use entracte_domain::time::Millis;
use entracte_domain::validation::ArgumentCondition;

/// What a new session is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSessionRequest {
    /// Its id, drawn by the one who asks, so that asking twice makes one session.
    pub id: SessionId,
    /// Its kind.
    pub kind: SessionKind,
    /// Name for people.
    pub name: String,
    /// Name of the provider.
    pub provider: String,
    /// Name of the model.
    pub model: String,
    /// How commands are encoded.
    pub dialect: Dialect,
    /// Every action needs approval.
    pub require_validation: bool,
    /// Whether a plan comes before its actions; none as the workspace says.
    pub mode: Option<PlanMode>,
    /// Which commands it may ask for.
    pub restriction: Restriction,
}

/// What a new automation is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAutomationRequest {
    /// Its id, drawn by the one who asks, so that asking twice makes one automation.
    pub id: AutomationId,
    /// Name for people.
    pub name: String,
    /// When it runs.
    pub trigger: Trigger,
    /// How it runs.
    pub policies: AutomationPolicies,
    /// Whether it runs by itself from now on.
    pub enabled: bool,
    /// What its runs begin with.
    pub seed: NewSeedRequest,
}

/// What the runs of an automation begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSeedRequest {
    /// Id of the seed session, drawn by the one who asks.
    pub id: SessionId,
    /// The message; periods stay relative.
    pub message: UserMessage,
    /// The model that speaks in the runs.
    pub voice: ModelSelection,
    /// Every action of the runs needs approval.
    pub require_validation: bool,
    /// Which commands they may ask for.
    pub restriction: Restriction,
}

/// What is changed of an automation; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutomationChangeRequest {
    /// Its name.
    pub name: Option<String>,
    /// When it runs.
    pub trigger: Option<Trigger>,
    /// How it runs.
    pub policies: Option<AutomationPolicies>,
    /// Whether it runs by itself.
    pub enabled: Option<bool>,
    /// What its runs begin with; takes the place of the seed it has.
    pub seed: Option<NewSeedRequest>,
    /// The person says again that what its policies let through is allowed, for the words that it has now.
    pub grants: bool,
}

/// A rule that a person makes by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRuleRequest {
    /// Name or word of the command; for a rule that denies also all of a resource: `files.*`.
    pub command: String,
    /// What each argument must be. One that approves allows no other argument.
    pub arguments: Vec<(String, ArgumentCondition)>,
    /// The only session it counts in; none: all of the workspace.
    pub session: Option<SessionId>,
    /// Why such calls are refused; none when they are approved.
    pub denies: Option<String>,
    /// For how long; none: one that approves as the setting `validation.always_expires` says, one that denies until it is
    /// revoked.
    pub lasts: Option<Millis>,
    /// For how many calls, of one that approves; none: as many as there are.
    pub times: Option<u32>,
    /// One that approves in the whole workspace counts for agents too, in all sessions that may call them.
    pub agents: bool,
    /// The people whose words one that approves is given for, beside whoever makes it.
    pub people: Vec<String>,
}
