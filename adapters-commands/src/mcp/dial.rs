//! The way to a conversation with a server: start or connect, agree on a protocol, look at its tools.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::SecretStore;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::common::client_side_sse::FixedInterval;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};

use super::child::{self, ServerProcess};
use super::config::{Handshake, McpServerConfig};
use super::connection::{Connection, Parts};
use super::error::StartError;
use super::handler::{Handler, Signals};
use super::http;
use super::pins::PinFile;
use super::secrets::Revealed;
use super::stderr::LastWords;
use crate::secret::Scrubber;

/// Everything that a start needs.
pub(super) struct Dial<'a> {
    pub(super) server: &'a str,
    pub(super) config: &'a McpServerConfig,
    pub(super) secrets: &'a dyn SecretStore,
    pub(super) variables: &'a BTreeMap<String, String>,
    pub(super) pins: &'a Arc<PinFile>,
}

/// A server that agreed on a protocol.
struct Agreed {
    service: RunningService<RoleClient, Handler>,
    process: Option<ServerProcess>,
    scrubber: Scrubber,
}

impl Dial<'_> {
    /// A conversation whose tools were compared with what was accepted; and whether the server only knew the
    /// older way to begin one. `older_way` is what was found out the last time.
    pub(super) async fn connect(&self, older_way: bool) -> Result<(Connection, bool), StartError> {
        let limit = self.config.start_timeout();
        let words = LastWords::default();
        let connected = tokio::time::timeout(limit, self.begin(older_way, &words)).await;
        connected.unwrap_or_else(|_| Err(self.late(&words)))
    }

    async fn begin(&self, older_way: bool, words: &LastWords) -> Result<(Connection, bool), StartError> {
        let signals = Arc::new(Signals::default());
        let (agreed, older_way) = self.agree(older_way, &signals, words).await?;
        let parts = Parts {
            server: self.server.to_owned(),
            service: agreed.service,
            process: agreed.process,
            scrubber: agreed.scrubber,
            signals,
            pins: Arc::clone(self.pins),
            limit: self.config.start_timeout(),
        };
        Ok((Connection::new(parts).await?, older_way))
    }

    /// Old servers answer an unknown first message with an error, and then take the older one. Some say nothing
    /// or end instead: those are started again and get the older one at once.
    async fn agree(
        &self,
        older_way: bool,
        signals: &Arc<Signals>,
        words: &LastWords,
    ) -> Result<(Agreed, bool), StartError> {
        let begin = |way| self.attempt(way, Arc::clone(signals), words);
        match self.config.handshake {
            Handshake::Discover => Ok((begin(discover()).await?, false)),
            Handshake::Initialize => Ok((begin(ClientLifecycleMode::Initialize).await?, true)),
            Handshake::Auto if older_way => Ok((begin(ClientLifecycleMode::Initialize).await?, true)),
            Handshake::Auto => {
                let probe = self.config.start_timeout() / PROBE_PART;
                match tokio::time::timeout(probe, begin(auto())).await {
                    Ok(Ok(agreed)) => Ok((agreed, false)),
                    Ok(Err(StartError::Handshake { other_way: true, .. })) | Err(_) => {
                        Ok((begin(ClientLifecycleMode::Initialize).await?, true))
                    }
                    Ok(Err(error)) => Err(error),
                }
            }
        }
    }

    async fn attempt(
        &self,
        way: ClientLifecycleMode,
        signals: Arc<Signals>,
        words: &LastWords,
    ) -> Result<Agreed, StartError> {
        let handler = Handler { server: self.server.to_owned(), signals };
        let agreed = match &self.config.url {
            Some(url) => self.over_http(url, handler, way).await,
            None => self.over_pipes(handler, way, words).await,
        }?;
        match agreed.service.peer_info() {
            Some(info) if ProtocolVersion::KNOWN_VERSIONS.contains(&info.protocol_version) => Ok(agreed),
            Some(info) => Err(StartError::Protocol(info.protocol_version.to_string())),
            None => Err(StartError::Protocol("none".to_owned())),
        }
    }

    async fn over_pipes(
        &self,
        handler: Handler,
        way: ClientLifecycleMode,
        words: &LastWords,
    ) -> Result<Agreed, StartError> {
        let env = Revealed::of(&self.config.env, self.secrets)?;
        let (process, (stdout, stdin)) = child::start(self.server, self.config, &env, self.variables, words)?;
        let pipes = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MESSAGE_MAX_BYTES);
        match handler.serve_with_lifecycle(pipes, way).await {
            Ok(service) => Ok(Agreed { service, process: Some(process), scrubber: env.scrubber() }),
            Err(error) => {
                drop(process);
                Err(refused(&error, &env.scrubber(), words.all().await))
            }
        }
    }

    async fn over_http(
        &self,
        url: &str,
        handler: Handler,
        way: ClientLifecycleMode,
    ) -> Result<Agreed, StartError> {
        let headers = Revealed::of(&self.config.headers, self.secrets)?;
        let client = http::client(url, self.config.start_timeout())?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(url)
            .custom_headers(header_map(&headers)?)
            .max_sse_event_size(MESSAGE_MAX_BYTES);
        // A new session may have other tools; they are compared where the connection is made again.
        config.reinit_on_expired_session = false;
        let mut retries = FixedInterval::default();
        retries.max_times = Some(STREAM_RETRIES);
        config.retry_config = Arc::new(retries);
        let transport = StreamableHttpClientTransport::with_client(client, config);
        match handler.serve_with_lifecycle(transport, way).await {
            Ok(service) => Ok(Agreed { service, process: None, scrubber: headers.scrubber() }),
            Err(error) => Err(refused(&error, &headers.scrubber(), String::new())),
        }
    }

    fn late(&self, words: &LastWords) -> StartError {
        StartError::Late { seconds: self.config.start_timeout().as_secs(), words: words.so_far() }
    }
}

fn discover() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

fn auto() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    }
}

fn header_map(headers: &Revealed) -> Result<HashMap<HeaderName, HeaderValue>, StartError> {
    let mut map = HashMap::new();
    for (name, value) in headers.iter() {
        let wrong = || StartError::Header(name.to_owned());
        let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        map.insert(parsed, value);
    }
    Ok(map)
}

fn refused(error: &ClientInitializeError, scrubber: &Scrubber, words: String) -> StartError {
    let other_way = match error {
        ClientInitializeError::TransportError { error, .. } => !http::never_connected(error.error.as_ref()),
        ClientInitializeError::JsonRpcError(_)
        | ClientInitializeError::NoCompatibleProtocolVersion { .. }
        | ClientInitializeError::LegacyFallbackFailed { .. } => false,
        _ => !error.is_authorization_required(),
    };
    let says = match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended before it was ready".to_owned(),
        error if error.is_authorization_required() => {
            "it wants to know who asks; add headers with authorization = { secret_env = \"NAME\", prefix = \"Bearer \" }".to_owned()
        }
        ClientInitializeError::TransportError { error, .. } => http::says(error.error.as_ref()),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => fallback.to_string(),
        error => error.to_string(),
    };
    let says = super::text::line(&scrubber.scrubbed(says), SAYS_MAX_CHARS);
    StartError::Handshake { says, words, other_way }
}

/// The part of the start's time after which an unanswered first message counts as not understood: one half.
const PROBE_PART: u32 = 2;
/// Largest message of a server, in bytes. A larger one is dropped, and its call runs into its time-out.
pub(super) const MESSAGE_MAX_BYTES: usize = 16 * 1024 * 1024;
/// How often a stream of answers that broke is taken up again.
const STREAM_RETRIES: usize = 3;
/// Longest complaint of a server in an error, in characters.
const SAYS_MAX_CHARS: usize = 500;
/// Longest wait until a server was told that we leave.
pub(super) const CLOSE_WAIT: Duration = Duration::from_secs(2);
