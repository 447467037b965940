//! Selects the fallback model for a round whose provider failed.

use entracte_domain::id::{RoundAttempt, SessionId};
use entracte_domain::session::failure::{FallbackModel, ModelFailure};
use entracte_domain::session::{ModelSelection, should_fall_back};

use crate::runtime::prefix_cache::PrefixAudience;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::prefix::{begin_generation, count_prompt_authors, current_sections};
use crate::runtime::turn::questions::ProviderEncodingQuestion;

/// The model that continues after the failed attempt, with the prefix of the generation that begins with it.
/// `None` if the state machine first tries something else, or no fallback is left.
pub(crate) fn fallback_model(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    number: RoundAttempt,
    failure: &ModelFailure,
) -> Result<Option<Box<FallbackModel>>, TurnStop> {
    let Some(drafted) = draft.sessions.get(session) else { return Ok(None) };
    let facts = &drafted.facts;
    let Some(open) = drafted.phase.round().filter(|open| open.is_open(number)) else {
        return Ok(None);
    };
    if !should_fall_back(facts, open, failure, turn.memory.rules.rules_for_session(facts)) {
        return Ok(None);
    }
    let named = turn.memory.runtime.fallbacks.remaining_fallbacks(open, &facts.provider, failure.class);
    let Some(voice) = first_available_voice(turn, &named)? else { return Ok(None) };
    tracing::warn!(from = facts.provider, to = voice.provider, class = failure.class.word(), "falling back");
    let audience = PrefixAudience { voice: voice.clone(), ..PrefixAudience::of_session(facts) };
    count_prompt_authors(turn, draft, session)?;
    let sections = current_sections(turn, draft)?;
    let (prefix, told) = begin_generation(turn, draft, &audience, &sections)?;
    Ok(Some(Box::new(FallbackModel { voice: audience.voice, prefix, told })))
}

/// The first model whose provider is available.
fn first_available_voice<'v>(
    turn: &TurnContext<'_>,
    named: &[&'v ModelSelection],
) -> Result<Option<&'v ModelSelection>, TurnStop> {
    for voice in named {
        match turn.ask(ProviderEncodingQuestion(voice.provider.clone()))? {
            Ok(_) => return Ok(Some(voice)),
            Err(why) => tracing::error!(provider = voice.provider, why, "cannot fall back to a provider"),
        }
    }
    Ok(None)
}
