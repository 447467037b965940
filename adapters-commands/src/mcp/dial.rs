//! How a connection to a server is made: start or connect, agree on a protocol, compare its tools.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::SecretStore;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::auth::AuthClient;
use rmcp::transport::common::client_side_sse::FixedInterval;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};

use super::child::{self, ServerProcess};
use super::config::{Handshake, McpServerConfig};
use super::connection::{Connection, Parts};
use super::error::{Refusal, StartError};
use super::handler::{Handler, Signals};
use super::http;
use super::lister::Sizes;
use super::login::{Credentials, Logins};
use super::pins::PinFile;
use super::secrets::Revealed;
use super::stderr::LastOutput;
use entracte_application::system::SecretScrubber;

/// What is needed to start a server.
pub(super) struct Dial<'a> {
    pub(super) server: &'a str,
    pub(super) config: &'a McpServerConfig,
    pub(super) secrets: &'a dyn SecretStore,
    pub(super) variables: &'a BTreeMap<String, String>,
    pub(super) logins: &'a Logins,
    pub(super) pins: &'a Arc<PinFile>,
}

/// A server that agreed on a protocol.
struct Agreed {
    service: RunningService<RoleClient, Handler>,
    process: Option<ServerProcess>,
    scrubber: SecretScrubber,
    login: Option<Arc<Credentials>>,
}

impl Dial<'_> {
    /// A connection whose tools were compared with what was accepted; and whether the server only knew the older
    /// way to begin one. `older_way` is what was found out last time.
    pub(super) async fn connect(&self, older_way: bool) -> Result<(Connection, bool), StartError> {
        let limit = self.config.start_timeout();
        let output = LastOutput::default();
        let connected = tokio::time::timeout(limit, self.begin(older_way, &output)).await;
        connected.unwrap_or_else(|_| Err(self.late(&output)))
    }

    async fn begin(&self, older_way: bool, output: &LastOutput) -> Result<(Connection, bool), StartError> {
        let signals = Arc::new(Signals::default());
        let (agreed, older_way) = self.agree(older_way, &signals, output).await?;
        let parts = Parts {
            server: self.server.to_owned(),
            service: agreed.service,
            process: agreed.process,
            scrubber: agreed.scrubber,
            login: agreed.login,
            signals,
            pins: Arc::clone(self.pins),
            limit: self.config.start_timeout(),
            sizes: Sizes::of(self.config),
        };
        Ok((Connection::new(parts).await?, older_way))
    }

    /// Old servers answer an unknown first message with an error, and then accept the older one. Some do not
    /// answer, or end: those are started again and get the older one at once.
    async fn agree(
        &self,
        older_way: bool,
        signals: &Arc<Signals>,
        output: &LastOutput,
    ) -> Result<(Agreed, bool), StartError> {
        let begin = |way| self.attempt(way, Arc::clone(signals), output);
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
        output: &LastOutput,
    ) -> Result<Agreed, StartError> {
        let handler = Handler { server: self.server.to_owned(), signals };
        let agreed = match &self.config.url {
            Some(url) => self.over_http(url, handler, way).await,
            None => self.over_pipes(handler, way, output).await,
        }?;
        match agreed.service.peer_info() {
            Some(info) if ProtocolVersion::KNOWN_VERSIONS.contains(&info.protocol_version) => Ok(agreed),
            Some(info) => Err(StartError::Protocol(Some(info.protocol_version.to_string()))),
            None => Err(StartError::Protocol(None)),
        }
    }

    async fn over_pipes(
        &self,
        handler: Handler,
        way: ClientLifecycleMode,
        output: &LastOutput,
    ) -> Result<Agreed, StartError> {
        let env = Revealed::of(&self.config.env, self.secrets)?;
        let (process, (stdout, stdin)) =
            child::start(self.server, self.config, &env, self.variables, output)?;
        let pipes =
            AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(self.config.message_max_bytes());
        match handler.serve_with_lifecycle(pipes, way).await {
            Ok(service) => {
                Ok(Agreed { service, process: Some(process), scrubber: env.scrubber(), login: None })
            }
            Err(error) => {
                drop(process);
                Err(refused(&error, &env.scrubber(), output.all().await))
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
            .max_sse_event_size(self.config.message_max_bytes());
        // A new session may have other tools; they are compared where the connection is made again.
        config.reinit_on_expired_session = false;
        let mut retries = FixedInterval::default();
        retries.max_times = Some(STREAM_RETRIES);
        config.retry_config = Arc::new(retries);
        let login = self.logins.manager(self.server, self.config, self.secrets).await?;
        let (began, login) = match login {
            None => {
                let transport = StreamableHttpClientTransport::with_client(client, config);
                (handler.serve_with_lifecycle(transport, way).await, None)
            }
            Some((manager, credentials)) => {
                let client = AuthClient::new(client, manager);
                let transport = StreamableHttpClientTransport::with_client(client, config);
                (handler.serve_with_lifecycle(transport, way).await, Some(credentials))
            }
        };
        match began {
            Ok(service) => Ok(Agreed { service, process: None, scrubber: headers.scrubber(), login }),
            Err(error) => Err(self.turned_away(&error, &headers, login.as_deref())),
        }
    }

    /// Why a server with an address refused to begin.
    fn turned_away(
        &self,
        error: &ClientInitializeError,
        headers: &Revealed,
        login: Option<&Credentials>,
    ) -> StartError {
        if needs_login(error) && !self.config.has_own_authorization() {
            return StartError::Login { server: self.server.to_owned(), again: login.is_some() };
        }
        let scrubber = match login {
            Some(login) => headers.scrubber().and(&login.scrubber()),
            None => headers.scrubber(),
        };
        refused(error, &scrubber, None)
    }

    fn late(&self, output: &LastOutput) -> StartError {
        StartError::Late { seconds: self.config.start_timeout().as_secs(), output: output.so_far() }
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

fn needs_login(error: &ClientInitializeError) -> bool {
    let of_transport = match error {
        ClientInitializeError::TransportError { error, .. } => http::needs_login(error.error.as_ref()),
        _ => false,
    };
    of_transport || error.is_authorization_required()
}

fn refused(error: &ClientInitializeError, scrubber: &SecretScrubber, output: Option<String>) -> StartError {
    let other_way = match error {
        ClientInitializeError::TransportError { error, .. } => {
            !http::never_connected(error.error.as_ref()) && !http::failed_to_log_in(error.error.as_ref())
        }
        ClientInitializeError::JsonRpcError(_)
        | ClientInitializeError::NoCompatibleProtocolVersion { .. }
        | ClientInitializeError::LegacyFallbackFailed { .. } => false,
        _ => !error.is_authorization_required(),
    };
    let says = |text: String| Refusal::Says(super::text::line(&scrubber.scrubbed(text), SAYS_MAX_CHARS));
    let refusal = match error {
        ClientInitializeError::ConnectionClosed(_) => Refusal::Ended,
        error if error.is_authorization_required() => Refusal::Unauthorized,
        ClientInitializeError::TransportError { error, .. } => says(http::says(error.error.as_ref())),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => says(fallback.to_string()),
        error => says(error.to_string()),
    };
    StartError::Handshake { refusal, output, other_way }
}

/// The part of the start's time after which an unanswered first message counts as not understood: one half.
const PROBE_PART: u32 = 2;
/// How often a broken stream of answers is resumed.
const STREAM_RETRIES: usize = 3;
/// Longest error text of a server that is repeated, in characters.
const SAYS_MAX_CHARS: usize = 500;
/// Longest wait until a server has been told that we disconnect.
pub(super) const CLOSE_WAIT: Duration = Duration::from_secs(2);
