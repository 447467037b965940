//! Finds the service that an API key belongs to, by the prefix of the key. Pure.

use entracte_adapters_providers::config::ProviderKind;

/// Prefixes of keys; the longest that fits counts.
const PREFIXES: [(&str, ProviderKind); 7] = [
    ("sk-ant-", ProviderKind::Claude),
    ("sk-or-", ProviderKind::Openrouter),
    ("sk-proj-", ProviderKind::Openai),
    ("sk-svcacct-", ProviderKind::Openai),
    ("gsk_", ProviderKind::Groq),
    ("AIza", ProviderKind::Gemini),
    ("pplx-", ProviderKind::Perplexity),
];

/// The kinds that a person may choose from, in the order shown.
pub(in crate::commands) const HOSTED: [ProviderKind; 8] = [
    ProviderKind::Claude,
    ProviderKind::Openai,
    ProviderKind::Groq,
    ProviderKind::Gemini,
    ProviderKind::Mistral,
    ProviderKind::Deepseek,
    ProviderKind::Openrouter,
    ProviderKind::Perplexity,
];

/// The service of a key; `None` for a prefix that several services use, and for an unknown one.
pub(super) fn kind_of_key(key: &str) -> Option<ProviderKind> {
    PREFIXES.into_iter().find(|(prefix, _)| key.starts_with(prefix)).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: the beginnings of keys; expected: whose they are. `sk-` alone is used by more than one service.
    #[test]
    fn keys_tell_their_service() {
        let kinds =
            ["sk-ant-api03-x", "sk-proj-x", "sk-or-v1-x", "gsk_x", "AIzaSyx", "sk-x", "x"].map(kind_of_key);
        assert_eq!(
            kinds,
            [
                Some(ProviderKind::Claude),
                Some(ProviderKind::Openai),
                Some(ProviderKind::Openrouter),
                Some(ProviderKind::Groq),
                Some(ProviderKind::Gemini),
                None,
                None
            ]
        );
    }
}
