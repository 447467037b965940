//! Establishes a connection: starts the process or connects over HTTP, negotiates the protocol, compares the tools.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::pin::pin;
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
use rustls::crypto::CryptoProvider;
use tokio::time::{Instant, interval_at};

use super::config::{HandshakeMode, McpServerConfig};
use super::connection::{McpConnection, McpConnectionParts};
use super::error::{HandshakeRefusal, McpStartError};
use super::exact_numbers::{MARKED_LENGTH_MAX, ToolPayloads};
use super::exact_pipes::{MarkedLineReader, PlainLineWriter};
use super::handler::{McpClientHandler, ToolListSignals};
use super::handshake_probe::{ProbeFindings, ProbedTransport};
use super::http;
use super::login::{McpCredentials, McpLoginStore};
use super::open_calls::OpenCalls;
use super::pins::{PinFile, PinKey};
use super::secrets::ResolvedSecretValues;
use super::server_memory::ServerMemory;
use super::server_process::{self, McpServerProcess};
use super::stderr_tail::StderrTail;
use super::tool_lister::ToolListLimits;
use entracte_application::system::SecretScrubber;

/// The inputs for starting a server.
pub(super) struct McpConnector<'a> {
    pub(super) key: &'a PinKey,
    pub(super) config: &'a McpServerConfig,
    pub(super) secrets: &'a dyn SecretStore,
    pub(super) variables: &'a BTreeMap<String, String>,
    pub(super) own_folder: &'a Path,
    pub(super) logins: &'a McpLoginStore,
    pub(super) pins: &'a Arc<PinFile>,
    pub(super) crypto: &'a Arc<CryptoProvider>,
    /// The longest wait until the server is ready.
    pub(super) limit: Duration,
}

/// A server that has negotiated a protocol.
struct NegotiatedServer {
    service: RunningService<RoleClient, McpClientHandler>,
    process: Option<McpServerProcess>,
    scrubber: SecretScrubber,
    login: Option<Arc<McpCredentials>>,
    memory: ServerMemory,
}

impl McpConnector<'_> {
    /// A connection whose tools were compared with the accepted ones, and whether the server only understands the
    /// older handshake. `older_way` is that result of the last start.
    pub(super) async fn connect(&self, older_way: bool) -> Result<(McpConnection, bool), McpStartError> {
        let output = StderrTail::default();
        let mut connected = pin!(tokio::time::timeout(self.limit, self.start_connection(older_way, &output)));
        let mut ticks = interval_at(Instant::now() + PROGRESS_FIRST, PROGRESS_EVERY);
        let begun = Instant::now();
        loop {
            tokio::select! {
                biased;
                connected = &mut connected => {
                    return connected.unwrap_or_else(|_| Err(self.start_timeout_error(&output)));
                }
                _ = ticks.tick() => {
                    let (seconds, said) = (begun.elapsed().as_secs(), output.last_line().unwrap_or_default());
                    tracing::warn!(
                        target: "entracte::mcp", server = self.key.server, seconds, limit = self.limit.as_secs(), said,
                        "the MCP server is still starting"
                    );
                }
            }
        }
    }

    async fn start_connection(
        &self,
        older_way: bool,
        output: &StderrTail,
    ) -> Result<(McpConnection, bool), McpStartError> {
        let (signals, open_calls) = (Arc::new(ToolListSignals::default()), Arc::new(OpenCalls::default()));
        let handler = || McpClientHandler {
            server: self.key.server.clone(),
            signals: Arc::clone(&signals),
            open_calls: Arc::clone(&open_calls),
        };
        let (agreed, older_way) = self.negotiate_protocol(older_way, &handler, output).await?;
        let parts = McpConnectionParts {
            key: self.key.clone(),
            service: agreed.service,
            process: agreed.process,
            scrubber: agreed.scrubber,
            login: agreed.login,
            memory: agreed.memory,
            signals,
            open_calls,
            pins: Arc::clone(self.pins),
            limit: self.config.start_timeout(),
            sizes: ToolListLimits::from_config(self.config),
        };
        Ok((McpConnection::new(parts).await?, older_way))
    }

    /// Old servers answer an unknown first message with an error, then accept the older handshake. A program that does
    /// not answer gets it too, without a restart; one that exits is restarted, and gets it first.
    async fn negotiate_protocol(
        &self,
        older_way: bool,
        handler: &impl Fn() -> McpClientHandler,
        output: &StderrTail,
    ) -> Result<(NegotiatedServer, bool), McpStartError> {
        let probe = ProbeFindings::default();
        let begin = |way| self.attempt(way, handler(), output, &probe);
        match self.config.handshake {
            HandshakeMode::Discover => Ok((begin(discover()).await?, false)),
            HandshakeMode::Initialize => Ok((begin(ClientLifecycleMode::Initialize).await?, true)),
            HandshakeMode::Auto if older_way => Ok((begin(ClientLifecycleMode::Initialize).await?, true)),
            HandshakeMode::Auto if self.config.url.is_some() => {
                match tokio::time::timeout(self.limit / PROBE_PART, begin(auto())).await {
                    Ok(Ok(agreed)) => Ok((agreed, false)),
                    Ok(Err(McpStartError::Handshake { other_way: true, .. })) | Err(_) => {
                        Ok((begin(ClientLifecycleMode::Initialize).await?, true))
                    }
                    Ok(Err(error)) => Err(error),
                }
            }
            HandshakeMode::Auto => match begin(auto()).await {
                Ok(agreed) => Ok((agreed, probe.fell_back())),
                Err(_) if probe.has_late_discovery() => Ok((begin(discover()).await?, false)),
                Err(McpStartError::Handshake { other_way: true, .. }) => {
                    Ok((begin(ClientLifecycleMode::Initialize).await?, true))
                }
                Err(error) => Err(error),
            },
        }
    }

    async fn attempt(
        &self,
        way: ClientLifecycleMode,
        handler: McpClientHandler,
        output: &StderrTail,
        probe: &ProbeFindings,
    ) -> Result<NegotiatedServer, McpStartError> {
        let agreed = match &self.config.url {
            Some(url) => self.over_http(url, handler, way).await,
            None => self.over_pipes(handler, way, output, probe).await,
        }?;
        match agreed.service.peer_info() {
            Some(info) if ProtocolVersion::KNOWN_VERSIONS.contains(&info.protocol_version) => Ok(agreed),
            Some(info) => Err(McpStartError::Protocol(Some(info.protocol_version.to_string()))),
            None => Err(McpStartError::Protocol(None)),
        }
    }

    async fn over_pipes(
        &self,
        handler: McpClientHandler,
        way: ClientLifecycleMode,
        output: &StderrTail,
        probe: &ProbeFindings,
    ) -> Result<NegotiatedServer, McpStartError> {
        let env = ResolvedSecretValues::resolve(&self.config.env, self.secrets)?;
        let (process, (stdout, stdin)) = server_process::start(
            &self.key.server,
            self.config,
            self.own_folder,
            &env,
            self.variables,
            output,
        )?;
        let line_max_bytes = self.config.message_max_bytes();
        let reader = MarkedLineReader::new(stdout, ToolPayloads::OF_SERVER, line_max_bytes);
        let writer = PlainLineWriter::new(stdin, ToolPayloads::OF_CLIENT);
        let pipes = AsyncRwTransport::new_client(reader, writer)
            .with_max_line_length(line_max_bytes.saturating_mul(MARKED_LENGTH_MAX));
        let is_auto = matches!(way, ClientLifecycleMode::Auto { .. });
        let silence = is_auto.then(|| PROBE_SILENCE.min(self.limit / PROBE_PART));
        let pipes = ProbedTransport::new(pipes, silence, probe.clone());
        match handler.serve_with_lifecycle(pipes, way).await {
            Ok(service) => Ok(NegotiatedServer {
                service,
                process: Some(process),
                scrubber: env.scrubber(),
                login: None,
                memory: ServerMemory::Process,
            }),
            Err(error) => {
                drop(process);
                Err(refused(&error, &env.scrubber(), output.wait_for_output().await))
            }
        }
    }

    async fn over_http(
        &self,
        url: &str,
        handler: McpClientHandler,
        way: ClientLifecycleMode,
    ) -> Result<NegotiatedServer, McpStartError> {
        let headers = ResolvedSecretValues::resolve(&self.config.headers, self.secrets)?;
        let (timeout, max_bytes) = (self.config.start_timeout(), self.config.message_max_bytes());
        let client = http::client(url, timeout, max_bytes, Arc::clone(self.crypto))?;
        let memory = ServerMemory::HttpSession(Arc::clone(&client.has_session));
        let mut config = StreamableHttpClientTransportConfig::with_uri(url)
            .custom_headers(header_map(&headers)?)
            .max_sse_event_size(self.config.message_max_bytes().saturating_mul(MARKED_LENGTH_MAX));
        // A new session may have other tools; they are compared when the connection is made again.
        config.reinit_on_expired_session = false;
        let mut retries = FixedInterval::default();
        retries.max_times = Some(STREAM_RETRIES);
        config.retry_config = Arc::new(retries);
        let login = self.logins.manager(&self.key.server, self.config, self.secrets).await?;
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
            Ok(service) => {
                let scrubber = headers.scrubber();
                Ok(NegotiatedServer { service, process: None, scrubber, login, memory })
            }
            Err(error) => Err(self.http_refusal(&error, &headers, login.as_deref())),
        }
    }

    /// Why an HTTP server refused the handshake.
    fn http_refusal(
        &self,
        error: &ClientInitializeError,
        headers: &ResolvedSecretValues,
        login: Option<&McpCredentials>,
    ) -> McpStartError {
        if needs_login(error) && !self.config.has_own_authorization() {
            return McpStartError::Login { server: self.key.server.clone(), again: login.is_some() };
        }
        let scrubber = match login {
            Some(login) => headers.scrubber().merge(&login.scrubber()),
            None => headers.scrubber(),
        };
        refused(error, &scrubber, None)
    }

    fn start_timeout_error(&self, output: &StderrTail) -> McpStartError {
        McpStartError::Late { seconds: self.limit.as_secs(), output: output.so_far() }
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

fn header_map(headers: &ResolvedSecretValues) -> Result<HashMap<HeaderName, HeaderValue>, McpStartError> {
    let mut map = HashMap::new();
    for (name, value) in headers.iter() {
        let wrong = || McpStartError::Header(name.to_owned());
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

fn refused(
    error: &ClientInitializeError,
    scrubber: &SecretScrubber,
    output: Option<String>,
) -> McpStartError {
    let never_connected = match error {
        ClientInitializeError::TransportError { error, .. } => http::never_connected(error.error.as_ref()),
        _ => false,
    };
    let other_way = match error {
        ClientInitializeError::TransportError { error, .. } => {
            !never_connected && !http::is_login_failure(error.error.as_ref())
        }
        ClientInitializeError::JsonRpcError(_)
        | ClientInitializeError::NoCompatibleProtocolVersion { .. }
        | ClientInitializeError::LegacyFallbackFailed { .. } => false,
        _ => !error.is_authorization_required(),
    };
    let says =
        |text: String| HandshakeRefusal::Says(super::text::line(&scrubber.scrub_owned(text), SAYS_MAX_CHARS));
    let refusal = match error {
        ClientInitializeError::ConnectionClosed(_) => HandshakeRefusal::Ended,
        error if error.is_authorization_required() => HandshakeRefusal::Unauthorized,
        ClientInitializeError::TransportError { error, .. } => {
            says(http::transport_error_text(error.error.as_ref()))
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => says(fallback.to_string()),
        error => says(error.to_string()),
    };
    McpStartError::Handshake { refusal, output, other_way, never_connected }
}

/// The divisor of the start time-out after which an unanswered first message counts as not understood at the latest.
const PROBE_PART: u32 = 2;
/// The silence after which a first message counts as not understood by a process, which keeps running.
const PROBE_SILENCE: Duration = Duration::from_secs(5);
/// When a start that takes long is mentioned first, and how often afterwards.
const PROGRESS_FIRST: Duration = Duration::from_secs(3);
const PROGRESS_EVERY: Duration = Duration::from_secs(15);
/// The most attempts to resume a broken response stream.
const STREAM_RETRIES: usize = 3;
/// The most characters of a server's error text that are repeated.
const SAYS_MAX_CHARS: usize = 500;
/// The longest wait for the disconnect message to be sent.
pub(super) const CLOSE_WAIT: Duration = Duration::from_secs(2);
