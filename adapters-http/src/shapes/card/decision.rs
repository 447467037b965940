//! Shapes of decisions on approval cards.

use std::borrow::Cow;

use entracte_application::json_value::ExactJson;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::shapes::call::DecisionCommentShape;
use crate::shapes::rule_width::RuleWidthShape;
use crate::shapes::tagged::{RawMembers, read_by_tag};

read_by_tag! {
    /// A decision.
    #[derive(Clone, Debug, Serialize, ToSchema)]
    #[serde(tag = "decision", rename_all = "snake_case", deny_unknown_fields)]
    pub enum DecisionShape {
        /// Exactly what the card shows.
        Approve,
        /// With other arguments.
        Edit {
            /// All of them.
            #[schema(value_type = Value)]
            arguments: ExactJson,
        },
        /// This one, and those like it from now on.
        Always {
            /// In this session only.
            #[serde(default)]
            in_session: bool,
            /// For how many seconds; none: as the configuration says.
            lasts_seconds: Option<u32>,
            /// In the whole workspace for agents too. What is asked on the card of an agent always is.
            #[serde(default)]
            agents: bool,
            /// What it covers: as the card offers it, or other conditions that cover the call on the card; none: as
            /// `always` of the card says, any number of times.
            width: Option<RuleWidthShape>,
        },
        /// Not at all.
        Reject {
            /// What the model is told. Of a call that was decided before, it is stored as a comment on that decision.
            reason: Option<String>,
        },
        /// Not at all, and words in place of yes or no: a message that the model reads at once. Calls of the session that
        /// nobody decided on are cancelled, as by any message. It is sent alone, without other decisions.
        Answer {
            /// The words. An agent, which takes no messages, reads them as the reason.
            text: String,
        },
    }

    // `ToSchema` for its attributes only.
    #[derive(Deserialize, ToSchema)]
    #[serde(remote = "DecisionShape", rename_all = "snake_case", deny_unknown_fields)]
    mirror! { DecisionShapeByWord by "decision", units ["approve"] }
}

/// Decisions on several cards of a session: all are taken, or none.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionsShape {
    /// One for each card.
    pub decisions: Vec<CardDecisionShape>,
}

/// A decision on one card.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CardDecisionShape {
    /// The approval.
    pub approval: String,
    /// The digest of its card as it was read.
    pub digest: String,
    /// What is decided.
    #[serde(flatten)]
    pub decision: DecisionShape,
}

impl<'de> Deserialize<'de> for CardDecisionShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = RawMembers::read(deserializer)?;
        Ok(Self {
            approval: members.take::<_, D::Error>("approval")?,
            digest: members.take::<_, D::Error>("digest")?,
            decision: members.into_shape::<_, D::Error>()?,
        })
    }
}

/// What was decided on several cards.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AllDecidedShape {
    /// One for each, in the order they were sent.
    pub decisions: Vec<DecidedShape>,
}

/// What was decided.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DecidedShape {
    /// The approval.
    pub id: String,
    /// The call.
    pub call: String,
    /// `approved`, `edited`, `rejected`, `rule` or `policy`; null when it is not known.
    pub decision: Option<Cow<'static, str>>,
    /// Who decided.
    pub decided_by: Option<String>,
    /// The rule that was made with it.
    pub rule: Option<String>,
    /// Reasons that people gave who decided after that, the earliest first.
    pub comments: Vec<DecisionCommentShape>,
    /// Where the call is now.
    pub state: String,
}
