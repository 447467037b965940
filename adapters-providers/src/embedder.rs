//! Computes embeddings through an API compatible with OpenAI's `/v1/embeddings`. Address, key, headers and timeouts
//! come from a configuration entry. No retry, no sleep.

use async_trait::async_trait;
use entracte_application::ports::{EmbeddingClient, EmbeddingError, EmbeddingKind, EmbeddingModel};
use entracte_application::system::sha256;
use entracte_domain::session::failure::FailureClass;
use reqwest::Method;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::api_key::scrub_key;
use crate::failure::{FailureSubject, WireFailure};
use crate::failure_table::in_stream;
use crate::network_provider::{NetworkProvider, failure_without_key};

/// Settings of embedding calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingsConfig {
    /// Name of the entry `[providers.NAME]`.
    pub provider: String,
    /// Name of the embedding model.
    pub model: String,
    /// Dimensions of each vector.
    pub dims: u32,
    /// Whether the request states `dims`; some models can shorten their vectors.
    pub shorten: bool,
    /// Most texts of one call.
    pub batch: u32,
    /// Most characters of one text; longer texts are cut.
    pub max_chars: u32,
    /// Prefix of search queries; some models need it.
    pub question_prefix: String,
    /// Prefix of indexed texts; some models need it.
    pub document_prefix: String,
}

impl EmbeddingsConfig {
    /// The model as the port knows it. Its name contains every setting that changes the vectors, so that different
    /// vectors are stored under different names.
    pub fn embedding_model(&self) -> EmbeddingModel {
        let Self { model, dims, question_prefix, document_prefix, .. } = self;
        let prefixes = match (question_prefix.as_str(), document_prefix.as_str()) {
            ("", "") => String::new(),
            (question, document) => {
                let hash = sha256(format!("{question}\n{document}").as_bytes());
                format!("+{}", hash.as_str().get(..8).unwrap_or_default())
            }
        };
        EmbeddingModel { name: format!("{model}@{dims}{prefixes}"), dims: *dims, max_input: self.max_chars }
    }
}

/// Requests embeddings from a server.
pub(crate) struct NetworkEmbeddings {
    /// Client of the entry.
    pub(crate) client: NetworkProvider,
    /// Settings of the calls.
    pub(crate) config: EmbeddingsConfig,
}

#[derive(Serialize)]
struct EmbeddingsRequest<'a> {
    model: &'a str,
    input: Vec<String>,
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<u32>,
}

#[derive(Deserialize)]
struct EmbeddingsResponse {
    data: Vec<EmbeddingsItem>,
}

#[derive(Deserialize)]
struct EmbeddingsItem {
    /// Index of the text; servers that leave it out answer in order.
    index: Option<usize>,
    /// Wider than the stored type: a number that is too large for that is still parsed, and reported as an invalid
    /// vector.
    embedding: Vec<f64>,
}

#[derive(Deserialize)]
struct EmbeddingsErrorBody {
    error: serde_json::Value,
}

#[async_trait]
impl EmbeddingClient for NetworkEmbeddings {
    fn model(&self) -> EmbeddingModel {
        self.config.embedding_model()
    }

    fn batch(&self) -> u32 {
        self.config.batch
    }

    async fn embed(&self, kind: EmbeddingKind, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let place = self.client.call_destination(&self.config.model);
        let key = self.client.read_key(&place).await.map_err(failed)?;
        let vectors = self.request_vectors(kind, texts, key.as_ref()).await;
        vectors.map_err(|trouble| {
            let is_about_text = is_about_text(&trouble);
            EmbeddingError { is_about_text, ..failed(failure_without_key(&place, trouble, key.as_ref())) }
        })
    }
}

impl NetworkEmbeddings {
    async fn request_vectors(
        &self,
        kind: EmbeddingKind,
        texts: &[String],
        key: Option<&SecretString>,
    ) -> Result<Vec<Vec<f32>>, WireFailure> {
        let Self { client, config } = self;
        let prefix = match kind {
            EmbeddingKind::Question => &config.question_prefix,
            EmbeddingKind::Document => &config.document_prefix,
        };
        let asked = EmbeddingsRequest {
            model: &config.model,
            input: texts.iter().map(|text| format!("{prefix}{text}")).collect(),
            encoding_format: "float",
            dimensions: config.shorten.then_some(config.dims),
        };
        let body = serde_json::to_vec(&asked).map_err(WireFailure::foreign)?;
        let url = client.url(PATH);
        let patience = client.config.call_timeouts(&config.model);
        let mut answer =
            client.transport.send(Method::POST, url, client.headers(key)?, body, patience).await?;
        if answer.status() != 200 {
            return Err(client.error_answer(answer, key).await);
        }
        let body = answer.body(ANSWER_LIMIT_BYTES).await?;
        WireFailure::require_utf8(&body)?;
        read(&scrub_key(&String::from_utf8_lossy(&body), key), texts.len(), config.dims)
    }
}

/// Parses the vectors of an answer, in the order of their texts.
fn read(text: &str, count: usize, dims: u32) -> Result<Vec<Vec<f32>>, WireFailure> {
    let answered: EmbeddingsResponse =
        serde_json::from_str(text).map_err(|error| error_of_answer(text, &error))?;
    if answered.data.len() != count {
        let found = answered.data.len();
        return Err(WireFailure::foreign(format!("it has {found} vectors for {count} texts")));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; count];
    for (place, vector) in answered.data.into_iter().enumerate() {
        let index = vector.index.unwrap_or(place);
        let length = vector.embedding.len();
        if length != usize::try_from(dims).unwrap_or(usize::MAX) {
            let words =
                format!("a vector has {length} numbers, but embeddings.dims is {dims}; set it to {length}");
            return Err(WireFailure::new((FailureClass::Misconfigured, FailureSubject::Request), words));
        }
        let numbers: Vec<f32> = vector.embedding.into_iter().map(narrow).collect();
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(WireFailure::foreign("a vector has a number that is not finite"));
        }
        match vectors.get_mut(index) {
            Some(slot @ None) => *slot = Some(numbers),
            Some(Some(_)) | None => {
                return Err(WireFailure::foreign(format!("it names the text {index} in a wrong place")));
            }
        }
    }
    let whole: Option<Vec<Vec<f32>>> = vectors.into_iter().collect();
    whole.ok_or_else(|| WireFailure::foreign("a text has no vector"))
}

/// The failure of an answer without vectors: some servers report an error with a success status.
fn error_of_answer(text: &str, error: &serde_json::Error) -> WireFailure {
    match serde_json::from_str::<EmbeddingsErrorBody>(text) {
        Ok(failed) if !failed.error.is_null() => in_stream(text),
        Ok(_) | Err(_) => WireFailure::unreadable(error),
    }
}

/// Converts to the stored type. A number that is too large becomes infinite.
fn narrow(number: f64) -> f32 {
    number as f32
}

/// Whether another text may succeed: this one is too long, refused, or an unspecified part of the request is invalid.
fn is_about_text(trouble: &WireFailure) -> bool {
    match trouble.about {
        FailureSubject::Size | FailureSubject::Content | FailureSubject::Repair => true,
        FailureSubject::Request => trouble.status.is_some(),
        FailureSubject::Network
        | FailureSubject::Proxy
        | FailureSubject::Certificate
        | FailureSubject::Cut
        | FailureSubject::Key
        | FailureSubject::Permission
        | FailureSubject::Model
        | FailureSubject::Address
        | FailureSubject::Encoding
        | FailureSubject::Summary
        | FailureSubject::CacheKey
        | FailureSubject::OutputLimit
        | FailureSubject::Spend
        | FailureSubject::Rate
        | FailureSubject::Busy => false,
    }
}

fn failed(failure: entracte_application::ports::ProviderFailure) -> EmbeddingError {
    let is_passing = match failure.class {
        FailureClass::Unreachable
        | FailureClass::Lost
        | FailureClass::Throttled
        | FailureClass::Overloaded => true,
        FailureClass::Exhausted
        | FailureClass::Refused
        | FailureClass::ContextTooLong
        | FailureClass::Repairable
        | FailureClass::Misconfigured => false,
    };
    EmbeddingError {
        message: failure.message,
        is_about_text: false,
        is_passing,
        retry_after: failure.retry_after,
    }
}

/// Path of the embeddings endpoint, after the base address.
const PATH: &str = "/embeddings";
/// Most bytes of an answer (64 MiB); numbers are long in JSON.
const ANSWER_LIMIT_BYTES: usize = 64 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_in_the_order_of_their_texts() {
        let swapped = r#"{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}"#;
        assert_eq!(read(swapped, 2, 2).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
        let plain = r#"{"object":"list","data":[{"embedding":[0.5,0]},{"embedding":[0,2]}],"usage":{}}"#;
        assert_eq!(read(plain, 2, 2).unwrap(), [[0.5, 0.0], [0.0, 2.0]]);
    }

    #[test]
    fn invalid_embedding_answer_is_reported() {
        let words = |text: &str| read(text, 1, 2).err().map(|trouble| trouble.words).unwrap_or_default();
        assert!(words(r#"{"data":[]}"#).contains("0 vectors for 1 texts"));
        assert!(words(r#"{"data":[{"embedding":[1]}]}"#).contains("set it to 1"));
        assert!(words(r#"{"data":[{"index":4,"embedding":[1,2]}]}"#).contains("the text 4"));
        assert!(words(r#"{"data":[{"embedding":[1e99,2]}]}"#).contains("not finite"));
        assert!(words("{}").contains("not an answer"));
    }

    #[test]
    fn settings_that_change_vectors_change_model_name() {
        let config = EmbeddingsConfig {
            provider: "x".into(),
            model: "m".into(),
            dims: 8,
            shorten: false,
            batch: 64,
            max_chars: 100,
            question_prefix: String::new(),
            document_prefix: String::new(),
        };
        assert_eq!(config.embedding_model().name, "m@8");
        let other = EmbeddingsConfig { document_prefix: "passage: ".into(), ..config.clone() };
        assert!(other.embedding_model().name.starts_with("m@8+"));
        assert_ne!(EmbeddingsConfig { dims: 4, ..config }.embedding_model().name, "m@8");
    }
}
