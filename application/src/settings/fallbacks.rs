use std::collections::BTreeMap;

use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{ModelSelection, Round};

/// The fallback models of a session when its provider fails, by provider and failure class.
///
/// ```
/// use entracte_application::settings::FallbackModels;
/// use entracte_domain::session::failure::FailureClass;
/// use entracte_domain::session::{Dialect, ModelSelection};
///
/// let groq =
///     ModelSelection { provider: "groq".into(), model: "openai/gpt-oss-120b".into(), dialect: Dialect::Tools };
/// let fallbacks = FallbackModels::new([("openai".to_owned(), FailureClass::Exhausted, groq.clone())]);
/// assert_eq!(fallbacks.models_for_failure("openai", FailureClass::Exhausted).collect::<Vec<_>>(), [&groq]);
/// assert_eq!(fallbacks.models_for_failure("openai", FailureClass::Refused).count(), 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FallbackModels(BTreeMap<String, Vec<(FailureClass, ModelSelection)>>);

impl FallbackModels {
    /// Adds each model to the fallbacks of its provider and class, in the given order.
    pub fn new(named: impl IntoIterator<Item = (String, FailureClass, ModelSelection)>) -> Self {
        let mut all: BTreeMap<String, Vec<(FailureClass, ModelSelection)>> = BTreeMap::new();
        for (provider, class, voice) in named {
            all.entry(provider).or_default().push((class, voice));
        }
        Self(all)
    }

    /// The fallbacks of a provider for a failure class, in order.
    pub fn models_for_failure(
        &self,
        provider: &str,
        class: FailureClass,
    ) -> impl Iterator<Item = &ModelSelection> {
        let named = self.0.get(provider).into_iter().flatten();
        named.filter(move |(of, _)| *of == class).map(|(_, voice)| voice)
    }

    /// The models that may continue a round whose provider failed: the fallbacks of that provider, then the rest of
    /// the lists that led to it, latest first. No model is tried twice in a round.
    pub(crate) fn remaining_fallbacks(
        &self,
        round: &Round,
        provider: &str,
        class: FailureClass,
    ) -> Vec<&ModelSelection> {
        let earlier = round.left.iter().rev().map(|left| (left.provider.as_str(), left.class));
        let all = std::iter::once((provider, class)).chain(earlier);
        let named = all.flat_map(|(provider, class)| self.models_for_failure(provider, class));
        named.filter(|voice| voice.provider != provider && !round.has_left(&voice.provider)).collect()
    }
}
