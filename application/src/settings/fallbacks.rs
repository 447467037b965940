use std::collections::BTreeMap;

use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{ModelSelection, Round};

/// Which models a session goes to when its provider fails, by provider and class of failure.
///
/// ```
/// use entracte_application::settings::Fallbacks;
/// use entracte_domain::session::failure::FailureClass;
/// use entracte_domain::session::{Dialect, Voice};
///
/// let groq =
///     Voice { provider: "groq".into(), model: "openai/gpt-oss-120b".into(), dialect: Dialect::Tools };
/// let fallbacks = Fallbacks::new([("openai".to_owned(), FailureClass::Exhausted, groq.clone())]);
/// assert_eq!(fallbacks.of("openai", FailureClass::Exhausted).collect::<Vec<_>>(), [&groq]);
/// assert_eq!(fallbacks.of("openai", FailureClass::Refused).count(), 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FallbackModels(BTreeMap<String, Vec<(FailureClass, ModelSelection)>>);

impl FallbackModels {
    /// For each provider and class: this model, after those that come before it here.
    pub fn new(named: impl IntoIterator<Item = (String, FailureClass, ModelSelection)>) -> Self {
        let mut all: BTreeMap<String, Vec<(FailureClass, ModelSelection)>> = BTreeMap::new();
        for (provider, class, voice) in named {
            all.entry(provider).or_default().push((class, voice));
        }
        Self(all)
    }

    /// What a provider names for a class, in the order of asking.
    pub fn models_for_failure(
        &self,
        provider: &str,
        class: FailureClass,
    ) -> impl Iterator<Item = &ModelSelection> {
        let named = self.0.get(provider).into_iter().flatten();
        named.filter(move |(of, _)| *of == class).map(|(_, voice)| voice)
    }

    /// Who may go on in a round whose provider failed: those whom the provider itself names, then what is left of the
    /// lists that led to it, the latest first. Nobody is asked twice in a round.
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
