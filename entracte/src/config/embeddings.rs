//! The embedding provider, and the limits of shared texts. Pure.

use entracte_adapters_commands::SharedTextLimits;
use entracte_adapters_providers::embedder::EmbeddingsConfig;
use entracte_application::ports::{EmbeddingClient, EmbeddingModel};
use entracte_application::semantic::SemanticSearchLimits;

use super::layers::ConfigLayer;
use super::value::{SettingValue, SettingValueKind};
use crate::program_parts::ProgramParts;
use crate::user_text::ConfigFault;
use crate::user_text::message;

/// Settings of semantic search and of shared texts.
pub(super) const KEYS: [(&str, SettingValueKind); 14] = [
    ("embeddings.provider", SettingValueKind::Text),
    ("embeddings.model", SettingValueKind::Text),
    ("embeddings.dims", SettingValueKind::Count(EmbeddingModel::DIMS_MAX as u64)),
    ("embeddings.shorten", SettingValueKind::Flag),
    ("embeddings.batch", SettingValueKind::Count(2_048)),
    ("embeddings.max_chars", SettingValueKind::Count(1_000_000)),
    ("embeddings.question_prefix", SettingValueKind::Text),
    ("embeddings.document_prefix", SettingValueKind::Text),
    ("embeddings.timeout", SettingValueKind::Span),
    ("embeddings.keep", SettingValueKind::Span),
    ("embeddings.memory_bytes", SettingValueKind::Count(1 << 40)),
    ("shared_texts.max_chars", SettingValueKind::Count(1_000_000)),
    ("shared_texts.versions", SettingValueKind::Count(100_000)),
    ("shared_texts.proposals", SettingValueKind::Count(10_000)),
];

/// The settings that say how a server is asked for vectors.
const OF_SERVERS: [&str; 7] = [
    "embeddings.model",
    "embeddings.dims",
    "embeddings.shorten",
    "embeddings.batch",
    "embeddings.max_chars",
    "embeddings.question_prefix",
    "embeddings.document_prefix",
];

/// The default number of texts in one request.
const BATCH: u32 = 64;
/// The default limit of characters of one text: the longest chunk with its headings.
const MAX_CHARS: u32 = 4_000;

/// Settings of semantic search, which is off without a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EmbeddingsSettings {
    config: EmbeddingsConfig,
    /// Limits of memory and time.
    pub(crate) terms: SemanticSearchLimits,
}

impl EmbeddingsSettings {
    /// The embedding provider, if one is configured.
    pub(crate) fn config(&self) -> Option<&EmbeddingsConfig> {
        Some(&self.config).filter(|config| !config.provider.is_empty())
    }
}

/// The semantic-search settings of the layers, with the makers of vectors that the host gives.
///
/// # Errors
/// When the provider is unknown or makes no vectors, or settings are missing, or are those of another kind of provider.
pub(super) fn embeddings(set: &ConfigLayer, parts: &ProgramParts) -> Result<EmbeddingsSettings, ConfigFault> {
    let text = |name: &str| set.text(name).unwrap_or_default().to_owned();
    let usual = SemanticSearchLimits::default();
    let config = EmbeddingsConfig {
        provider: text("embeddings.provider"),
        model: text("embeddings.model"),
        dims: set.small("embeddings.dims", 0),
        shorten: matches!(set.values.get("embeddings.shorten"), Some((SettingValue::Flag(true), _))),
        batch: set.small("embeddings.batch", BATCH).max(1),
        max_chars: set.small("embeddings.max_chars", MAX_CHARS).max(1),
        question_prefix: text("embeddings.question_prefix"),
        document_prefix: text("embeddings.document_prefix"),
    };
    let config = match parts.embeddings.get(&config.provider) {
        Some(client) => of_host(set, config, &**client)?,
        None => {
            check_entry(set, parts, &config)?;
            config
        }
    };
    let terms = SemanticSearchLimits {
        memory_bytes: set.count("embeddings.memory_bytes", usual.memory_bytes),
        keep: set.span("embeddings.keep", usual.keep),
        patience: set.span("embeddings.timeout", usual.patience),
    };
    Ok(EmbeddingsSettings { config, terms })
}

/// The settings of a maker of vectors that the host gives, as it decides on them.
fn of_host(
    set: &ConfigLayer,
    config: EmbeddingsConfig,
    client: &dyn EmbeddingClient,
) -> Result<EmbeddingsConfig, ConfigFault> {
    if let Some(key) = OF_SERVERS.iter().find(|key| set.values.contains_key(**key)) {
        let name = config.provider.as_str();
        return Err(ConfigFault::new(message!("config-embeddings-of-host", key = *key, name = name)));
    }
    let EmbeddingModel { name: model, dims, max_input: max_chars } = client.model();
    Ok(EmbeddingsConfig { model, dims, max_chars, batch: client.batch(), ..config })
}

/// Checks the settings of an entry whose server makes the vectors; nothing if there is none.
fn check_entry(
    set: &ConfigLayer,
    parts: &ProgramParts,
    config: &EmbeddingsConfig,
) -> Result<(), ConfigFault> {
    let name = config.provider.as_str();
    if name.is_empty() {
        return Ok(());
    }
    let is_configured = set.providers.iter().any(|entry| entry.name == name);
    Err(ConfigFault::new(match (is_configured, parts.providers.contains_key(name)) {
        (true, _) if !config.model.is_empty() && config.dims > 0 => return Ok(()),
        (true, _) => message!("config-embeddings-incomplete"),
        (false, true) => message!("config-embeddings-host-none", name = name),
        (false, false) => message!("config-embeddings-provider", name = name),
    }))
}

/// The shared-text limits of the layers.
pub(super) fn shared_texts(set: &ConfigLayer) -> SharedTextLimits {
    let usual = SharedTextLimits::default();
    SharedTextLimits {
        chars: set.small("shared_texts.max_chars", usual.chars).max(1),
        versions: set.small("shared_texts.versions", usual.versions).max(1),
        proposals: set.small("shared_texts.proposals", usual.proposals).max(1),
    }
}

/// Each setting with its value.
pub(super) fn shown(
    embeddings: &EmbeddingsSettings,
    texts: &SharedTextLimits,
) -> Vec<(&'static str, SettingValue)> {
    let EmbeddingsSettings { config, terms } = embeddings;
    vec![
        ("embeddings.provider", SettingValue::Text(config.provider.clone())),
        ("embeddings.model", SettingValue::Text(config.model.clone())),
        ("embeddings.dims", SettingValue::Count(config.dims.into())),
        ("embeddings.shorten", SettingValue::Flag(config.shorten)),
        ("embeddings.batch", SettingValue::Count(config.batch.into())),
        ("embeddings.max_chars", SettingValue::Count(config.max_chars.into())),
        ("embeddings.question_prefix", SettingValue::Text(config.question_prefix.clone())),
        ("embeddings.document_prefix", SettingValue::Text(config.document_prefix.clone())),
        ("embeddings.timeout", SettingValue::Span(terms.patience)),
        ("embeddings.keep", SettingValue::Span(terms.keep)),
        ("embeddings.memory_bytes", SettingValue::Count(terms.memory_bytes)),
        ("shared_texts.max_chars", SettingValue::Count(texts.chars.into())),
        ("shared_texts.versions", SettingValue::Count(texts.versions.into())),
        ("shared_texts.proposals", SettingValue::Count(texts.proposals.into())),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use async_trait::async_trait;
    use entracte_adapters_providers::rehearsal::RehearsalProvider;
    use entracte_application::ports::{EmbeddingError, EmbeddingKind};
    use entracte_application::system::SystemClock;
    use entracte_domain::session::Dialect;

    use super::*;
    use crate::config::layers::built_in_providers;
    use crate::program_parts::HostProvider;

    #[test]
    fn every_setting_is_shown_and_provider_is_required() {
        let none = ConfigLayer::default();
        let settings = embeddings(&none, &ProgramParts::default()).unwrap();
        assert_eq!(settings.config(), None);
        let shown = shown(&settings, &shared_texts(&none));
        assert_eq!(shown.iter().map(|(key, _)| *key).collect::<Vec<_>>(), KEYS.map(|(key, _)| key));
    }

    #[test]
    fn provider_needs_model_and_dimensions() {
        let providers = built_in_providers();
        let here = providers.first().map(|entry| entry.name.clone()).unwrap_or_default();
        let said = |values: &[(&str, SettingValue)]| {
            let values =
                values.iter().map(|(key, value)| ((*key).to_owned(), (value.clone(), String::new())));
            let set = ConfigLayer {
                values: values.collect(),
                providers: providers.clone(),
                ..ConfigLayer::default()
            };
            embeddings(&set, &ProgramParts::default())
        };
        let provider = |name: &str| ("embeddings.provider", SettingValue::Text(name.to_owned()));
        let model = ("embeddings.model", SettingValue::Text("e".to_owned()));
        let dims = ("embeddings.dims", SettingValue::Count(768));
        let whole = said(&[provider(&here), model.clone(), dims.clone()]).unwrap();
        let config = whole.config().unwrap();
        assert_eq!((config.model.as_str(), config.dims, config.batch), ("e", 768, BATCH));
        assert!(said(&[provider(&here), model.clone()]).is_err());
        assert!(said(&[provider(&here), dims.clone()]).is_err());
        assert!(said(&[provider("there"), model, dims]).is_err());
    }

    /// Makes vectors of three numbers.
    struct ThreeNumbers;

    #[async_trait]
    impl EmbeddingClient for ThreeNumbers {
        fn model(&self) -> EmbeddingModel {
            EmbeddingModel { name: "three".to_owned(), dims: 3, max_input: 500 }
        }

        fn batch(&self) -> u32 {
            8
        }

        async fn embed(&self, _: EmbeddingKind, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
            Ok(texts.iter().map(|_| vec![1.0, 0.0, 0.0]).collect())
        }
    }

    /// Input: the name of a maker of vectors of the host, alone, with a model beside it, and that of a provider of the host
    /// which makes none; expected: its own model and sizes, and faults that say what to do.
    #[test]
    fn embeddings_name_client_of_host() {
        let script = "[[turn]]\ntext = \"One.\"\n";
        let provider = Arc::new(RehearsalProvider::from_script(script, Arc::new(SystemClock)).unwrap());
        let given = HostProvider { provider, dialect: Dialect::Envelope };
        let client: Arc<dyn EmbeddingClient> = Arc::new(ThreeNumbers);
        let parts = ProgramParts {
            providers: BTreeMap::from([("clerk".to_owned(), given)]),
            embeddings: BTreeMap::from([("vectors".to_owned(), client)]),
            ..ProgramParts::default()
        };
        let said = |values: &[(&str, &str)]| {
            let value = |(key, text): &(&str, &str)| {
                ((*key).to_owned(), (SettingValue::Text((*text).to_owned()), String::new()))
            };
            let set = ConfigLayer { values: values.iter().map(value).collect(), ..ConfigLayer::default() };
            embeddings(&set, &parts).map_err(|fault| fault.to_string())
        };
        let settings = said(&[("embeddings.provider", "vectors")]).unwrap();
        let config = settings.config().unwrap();
        assert_eq!(
            (config.model.as_str(), config.dims, config.batch, config.max_chars),
            ("three", 3, 8, 500)
        );
        let with_model = said(&[("embeddings.provider", "vectors"), ("embeddings.model", "e")]).unwrap_err();
        assert!(
            with_model.starts_with("embeddings.model is set, but “vectors” decides on it"),
            "{with_model}"
        );
        let without = said(&[("embeddings.provider", "clerk")]).unwrap_err();
        assert!(without.contains("“clerk”") && without.contains("makes no vectors"), "{without}");
    }
}
