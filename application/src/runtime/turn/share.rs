//! What is configured must leave room: what is always sent, and a single message, have a share of the budget each
//! ([adr 59](../../../../docs/adr/0059-nothing-is-sent-beyond-the-budget.md)).

use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::session::{SessionFacts, SessionKind};

use super::{Stop, Turn};
use crate::context::Ruler;
use crate::mail::MailAnswer;
use crate::prompt::Prefix;
use crate::runtime::budget::Budget;
use crate::runtime::draft::{Draft, texts};
use crate::runtime::prefixes::{Audience, voice_of};
use crate::runtime::turn::requests::refused;
use crate::texts::say;

/// Below so many tokens a message is not measured: a model that reads less than this at once cannot work at all, which
/// its first call says.
const MESSAGE_FROM: u64 = 500;

impl Turn<'_> {
    /// Why what would always be sent to them leaves too little of the budget. A window that is a guess refuses nothing.
    pub(super) fn overweight(
        &self,
        draft: &mut Draft,
        audience: &Audience,
    ) -> Result<Option<MailAnswer>, Stop> {
        let sections = self.sections(draft)?;
        let prefix = self.current_prefix(draft, audience, &sections)?;
        self.overweight_of(draft, audience, &prefix)
    }

    /// The same, for a prefix that is built already.
    pub(super) fn overweight_of(
        &self,
        draft: &Draft,
        audience: &Audience,
        prefix: &Prefix,
    ) -> Result<Option<MailAnswer>, Stop> {
        let Some(window) = self.window(&audience.voice)? else { return Ok(None) };
        let rules = self.memory.rules.of_voice(audience.kind, audience.policy, &audience.voice.provider);
        let budget = Budget::of(rules, window, Ruler::GUESS.tokens(prefix.bytes()));
        Ok(budget.overweight(prefix, Ruler::GUESS).map(|heavy| {
            let texts = texts(draft);
            let model = audience.voice.model.as_str();
            let text = say!(
                texts,
                "overweight-refused",
                says = heavy.says(texts),
                model = model,
                fix = heavy.fix(texts)
            );
            refused("invalid", &text)
        }))
    }

    /// Why a message cannot be read by the session's model: it has more than half of the budget.
    pub(super) fn message_excess(
        &self,
        draft: &Draft,
        facts: &SessionFacts,
        message: &UserMessage,
    ) -> Result<Option<MailAnswer>, Stop> {
        let length = message.segments.iter().map(|segment| match segment {
            Segment::Text(text) => text.len(),
            Segment::Enrichment(enrichment) => enrichment.summary.len(),
        });
        let length = length.sum();
        if Ruler::GUESS.tokens(length) < MESSAGE_FROM {
            return Ok(None);
        }
        let voice = voice_of(facts);
        let Some(window) = self.window(&voice)? else { return Ok(None) };
        // A template is read by its runs.
        let kind = if facts.kind == SessionKind::Seed { SessionKind::Automation } else { facts.kind };
        let rules = self.memory.rules.of_voice(kind, facts.policy, &voice.provider);
        let excess = Budget::of(rules, window, 0).message_excess(length);
        Ok(excess.map(|(tokens, most)| {
            let (tokens, most) = (tokens.to_string(), most.to_string());
            refused("invalid", &say!(texts(draft), "request-message-large", tokens = tokens, most = most))
        }))
    }
}
