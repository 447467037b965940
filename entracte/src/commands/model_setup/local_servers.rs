//! Finds model servers on this machine, at the ports that they listen on unless told otherwise.

use std::sync::Arc;
use std::time::Duration;

use entracte_adapters_providers::config::{ProviderConfig, ProviderKind};
use entracte_application::ports::ProviderFailure;
use entracte_domain::session::Dialect;
use entracte_domain::session::failure::FailureClass;
use tokio::task::JoinSet;

use crate::app_services::providers;
use crate::config::LayerProviderEntry;
use crate::program_parts::ProgramParts;

/// How long a server may take to list its models. One on this machine answers at once or not at all.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long a service may take to list its models.
pub(super) const SERVICE_PATIENCE: Duration = Duration::from_secs(15);

/// The most models that are offered.
const MODELS_SHOWN: usize = 30;

/// The model of an entry that only lists models.
pub(super) const ANY_MODEL: &str = "any";

/// A server at its usual address.
struct UsualServer {
    /// The name that its provider gets.
    name: &'static str,
    kind: ProviderKind,
    base_url: &'static str,
}

const USUAL_SERVERS: [UsualServer; 4] = [
    UsualServer { name: "ollama", kind: ProviderKind::Ollama, base_url: "http://localhost:11434/v1" },
    UsualServer { name: "lmstudio", kind: ProviderKind::Compatible, base_url: "http://localhost:1234/v1" },
    UsualServer { name: "llamacpp", kind: ProviderKind::Compatible, base_url: "http://localhost:8080/v1" },
    UsualServer { name: "vllm", kind: ProviderKind::Vllm, base_url: "http://localhost:8000/v1" },
];

/// A server that listed its models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) struct LocalModelServer {
    /// The name that its provider gets.
    pub(in crate::commands) name: String,
    /// What it speaks.
    pub(in crate::commands) kind: ProviderKind,
    /// The address of its API.
    pub(in crate::commands) base_url: String,
    /// The names of its models that hold conversations, in its order; never empty.
    pub(in crate::commands) models: Vec<String>,
}

/// The servers that list a model: the one at this address, or those at their usual ports.
pub(in crate::commands) async fn find_servers(
    parts: &Arc<ProgramParts>,
    address: Option<&str>,
) -> Vec<LocalModelServer> {
    let is_there = |usual: &&UsualServer| address.is_none_or(|address| address == usual.base_url);
    let usual = USUAL_SERVERS.iter().filter(is_there);
    let mut candidates: Vec<(String, ProviderKind, String)> =
        usual.map(|usual| (usual.name.to_owned(), usual.kind, usual.base_url.to_owned())).collect();
    if let (true, Some(address)) = (candidates.is_empty(), address) {
        candidates.push(("local".to_owned(), ProviderKind::Compatible, address.to_owned()));
    }
    let mut asked = JoinSet::new();
    for (place, (name, kind, base_url)) in candidates.into_iter().enumerate() {
        let parts = parts.clone();
        asked.spawn(async move {
            let models = listed_models(&parts, &name, kind, &base_url).await;
            (place, LocalModelServer { name, kind, base_url, models })
        });
    }
    let mut found = asked.join_all().await;
    found.retain(|(_, server)| !server.models.is_empty());
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, server)| server).collect()
}

/// The models of a server; empty if it does not answer.
async fn listed_models(parts: &ProgramParts, name: &str, kind: ProviderKind, base_url: &str) -> Vec<String> {
    let config = ProviderConfig {
        base_url: Some(base_url.to_owned()),
        // An entry needs a model; the list does not depend on it.
        model: Some(ANY_MODEL.to_owned()),
        ..ProviderConfig::new(kind)
    };
    let entry = LayerProviderEntry {
        name: name.to_owned(),
        config,
        dialect: Dialect::Tools,
        origin: String::new(),
        model_origin: None,
        line: 0,
    };
    models_of(parts, &entry, PATIENCE).await.unwrap_or_default()
}

/// The models of an entry's server that hold conversations; empty if it lists none.
pub(super) async fn models_of(
    parts: &ProgramParts,
    entry: &LayerProviderEntry,
    patience: Duration,
) -> Result<Vec<String>, ProviderFailure> {
    let provider = providers(parts, std::slice::from_ref(entry)).provider(&entry.name)?;
    let late = |_| ProviderFailure {
        class: FailureClass::Unreachable,
        message: format!("it listed no models within {} s", patience.as_secs()),
        retry_after: None,
        usage: None,
    };
    let listed = tokio::time::timeout(patience, provider.models(MODELS_SHOWN)).await.map_err(late)??;
    let models = listed.into_iter().flat_map(|listed| listed.models);
    Ok(models.map(|model| model.id).filter(|id| holds_conversations(id)).collect())
}

/// Whether a model answers messages, as far as its name tells.
fn holds_conversations(id: &str) -> bool {
    let name = id.to_lowercase();
    !["embed", "rerank", "whisper", "tts", "moderation"].iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedders_are_not_offered() {
        let names = ["llama4:8b", "nomic-embed-text", "Qwen3-Embedding-0.6B", "whisper-large"];
        assert_eq!(names.map(holds_conversations), [true, false, false, false]);
    }
}
