//! Selects the fallback model for a round whose provider failed.

use entracte_domain::id::SessionId;
use entracte_domain::session::failure::{FallbackModel, ModelFailure};
use entracte_domain::session::{ModelSelection, should_fall_back};

use super::{TurnStop, WorkspaceTurn};
use crate::runtime::prefix_cache::PrefixAudience;
use crate::runtime::turn_draft::TurnDraft;

impl WorkspaceTurn<'_> {
    /// The model that continues after the failed attempt, with the prefix of the generation that begins with it.
    /// `None` if the state machine first tries something else, or no fallback is left.
    pub(super) fn fallback_model(
        &self,
        draft: &mut TurnDraft,
        session: &SessionId,
        round: u32,
        attempt: u32,
        failure: &ModelFailure,
    ) -> Result<Option<Box<FallbackModel>>, TurnStop> {
        let Some(drafted) = draft.sessions.get(session) else { return Ok(None) };
        let facts = &drafted.facts;
        let Some(open) = drafted.phase.round().filter(|open| open.is_open(round, attempt)) else {
            return Ok(None);
        };
        if !should_fall_back(facts, open, failure, self.memory.rules.rules_for_session(facts)) {
            return Ok(None);
        }
        let named = self.memory.runtime.fallbacks.remaining_fallbacks(open, &facts.provider, failure.class);
        let Some(voice) = self.first_available_voice(&named)? else { return Ok(None) };
        tracing::warn!(
            from = facts.provider,
            to = voice.provider,
            class = failure.class.word(),
            "falling back"
        );
        let audience = PrefixAudience { voice: voice.clone(), ..PrefixAudience::of_session(facts) };
        self.count_prompt_authors(draft, session)?;
        let sections = self.sections(draft)?;
        let (prefix, told) = self.begin_generation(draft, &audience, &sections)?;
        Ok(Some(Box::new(FallbackModel { voice: audience.voice, prefix, told })))
    }

    /// The first model whose provider is available.
    fn first_available_voice<'v>(
        &self,
        named: &[&'v ModelSelection],
    ) -> Result<Option<&'v ModelSelection>, TurnStop> {
        for voice in named {
            match self.encoding(&voice.provider)? {
                Ok(_) => return Ok(Some(voice)),
                Err(why) => tracing::error!(provider = voice.provider, why, "cannot fall back to a provider"),
            }
        }
        Ok(None)
    }
}
