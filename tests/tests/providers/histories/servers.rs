//! Network providers, and the strict server behind each.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use entracte_adapters_providers::config::{ProviderConfig, ProviderKind};
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::commands::Catalog;
use entracte_application::ports::{
    CommandExecutor, MockClock, MockSecretStore, Provider, ProviderRegistry as _,
};
use entracte_application::prompt::{PromptPrefix, PromptStyle};
use entracte_application::protocol::envelope::schema_for;
use entracte_application::protocol::tools::declarations;
use entracte_application::settings::{ChunkImportance, Language};
use entracte_domain::session::{Dialect, ModelSelection, SessionKind};
use entracte_tests::cryptography::crypto;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::strict::StrictApi;

/// A provider that a session may use.
pub(crate) struct StrictProviderProfile {
    pub(crate) name: &'static str,
    pub(crate) api: StrictApi,
    pub(crate) model: &'static str,
    pub(crate) entry: ProviderConfig,
    pub(crate) provider: Arc<dyn Provider>,
}

/// All providers.
pub(crate) static SERVERS: LazyLock<Vec<StrictProviderProfile>> = LazyLock::new(|| {
    let rows = [
        ("claude", ProviderKind::Claude, StrictApi::Messages, "claude-opus-5-5"),
        ("openai", ProviderKind::Openai, StrictApi::Responses, "gpt-6-sol"),
        ("groq", ProviderKind::Groq, StrictApi::Chat, "openai/gpt-oss-120b"),
        ("compatible", ProviderKind::Compatible, StrictApi::Chat, "qwen3:8b"),
        ("mistral", ProviderKind::Mistral, StrictApi::Chat, "mistral-large-latest"),
    ];
    rows.map(|(name, kind, api, model)| {
        let entry = ProviderConfig {
            model: Some(model.to_owned()),
            base_url: Some("http://127.0.0.1:9".to_owned()),
            ..ProviderConfig::new(kind)
        };
        let entries = BTreeMap::from([(name.to_owned(), entry.clone())]);
        let registry = ConfigProviderRegistry::new(
            entries,
            Arc::new(MockSecretStore::new()),
            Arc::new(MockClock::new()),
            crypto(),
        );
        StrictProviderProfile { name, api, model, entry, provider: registry.provider(name).unwrap() }
    })
    .into()
});

/// The commands of every history.
pub(crate) static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let executor: Arc<dyn CommandExecutor> = Arc::new(RecordingExecutor::default());
    Catalog::new(&[executor]).unwrap()
});

/// The selected model, and its dialect.
pub(crate) fn voice(server: usize, dialect: Dialect) -> ModelSelection {
    let server = &SERVERS[server];
    ModelSelection { provider: server.name.into(), model: server.model.into(), dialect }
}

/// The frozen part of a generation.
pub(crate) fn prefix(server: usize, kind: SessionKind, dialect: Dialect, number: usize) -> PromptPrefix {
    let specs = CATALOG.specs();
    let (tools, reply_schema) = match dialect {
        Dialect::Tools => (declarations(&specs, kind, Language::En), None),
        Dialect::Envelope => (Vec::new(), Some(Arc::new(schema_for(&specs)))),
    };
    PromptPrefix {
        blocks: vec![format!("You keep notes ({number}).").into(), "Zones: health.".into()],
        parts: Vec::new(),
        instructions: Vec::new(),
        style: Some(PromptStyle {
            language: if number.is_multiple_of(2) { Language::En } else { Language::Fr },
            zone: "Europe/Paris".into(),
            result_max_chars: 40,
            layers: Some(ChunkImportance::Helpful),
            read_on: Some("READ_RESULT".into()),
            naming: None,
        }),
        encoding: SERVERS[server].provider.encoding(),
        tools: tools.into(),
        reply_schema,
        output_tokens: None,
    }
}
