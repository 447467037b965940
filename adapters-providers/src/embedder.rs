//! Vectors by an API that is compatible with OpenAI's `/v1/embeddings`: the address, the key, the headers and the waits are
//! those of an entry of the configuration. No retry, no sleep.

use async_trait::async_trait;
use entracte_application::ports::{EmbeddingClient, EmbeddingError, EmbeddingKind, EmbeddingModel};
use entracte_application::system::sha256;
use entracte_domain::session::failure::FailureClass;
use reqwest::Method;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::api_key::scrub_key;
use crate::failure::{FailureSubject, WireFailure};
use crate::network_provider::{NetworkProvider, failure_without_key};
use crate::responses::error::in_stream;

/// What is asked of an entry when vectors are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingsConfig {
    /// The entry `[providers.NAME]`.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Numbers of each vector.
    pub dims: u32,
    /// Whether the server is told to give so many; some models can.
    pub shorten: bool,
    /// Texts of one call.
    pub batch: u32,
    /// Characters of one text; what is longer is cut there.
    pub max_chars: u32,
    /// What is put before a question; some models want it.
    pub question_prefix: String,
    /// What is put before a text that is found.
    pub document_prefix: String,
}

impl EmbeddingsConfig {
    /// The model as the port knows it: whatever makes the vectors other ones is in the name that they are kept under.
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

/// Asks a server for vectors.
pub(crate) struct NetworkEmbeddings {
    /// The entry's client.
    pub(crate) client: NetworkProvider,
    /// What is asked.
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
    /// Its text; servers that leave it out answer in order.
    index: Option<usize>,
    /// Wider than what is kept: one that is too large for that is a number of a vector still, and told as such.
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

/// The vectors of an answer, in the order of their texts.
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

/// An answer that holds no vectors: some servers tell of a failure with the status of a success.
fn error_of_answer(text: &str, error: &serde_json::Error) -> WireFailure {
    match serde_json::from_str::<EmbeddingsErrorBody>(text) {
        Ok(failed) if !failed.error.is_null() => in_stream(text),
        Ok(_) | Err(_) => WireFailure::unreadable(error),
    }
}

/// As it is kept. One that is too large becomes infinite.
fn narrow(number: f64) -> f32 {
    number as f32
}

/// Whether another text may do: it is too long, refused, or a part of the request that nobody names.
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

/// Where vectors are asked for, after the base address.
const PATH: &str = "/embeddings";
/// Cap of an answer: numbers are written long.
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
    fn an_answer_that_does_not_fit_is_told() {
        let words = |text: &str| read(text, 1, 2).err().map(|trouble| trouble.words).unwrap_or_default();
        assert!(words(r#"{"data":[]}"#).contains("0 vectors for 1 texts"));
        assert!(words(r#"{"data":[{"embedding":[1]}]}"#).contains("set it to 1"));
        assert!(words(r#"{"data":[{"index":4,"embedding":[1,2]}]}"#).contains("the text 4"));
        assert!(words(r#"{"data":[{"embedding":[1e99,2]}]}"#).contains("not finite"));
        assert!(words("{}").contains("not an answer"));
    }

    #[test]
    fn whatever_makes_other_vectors_makes_another_name() {
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
