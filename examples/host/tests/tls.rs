//! The TLS of a host stays its own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::egress::{EgressClient, EgressRequest, EgressSettings};
use entracte_adapters_commands::mcp::login::McpLoginStore;
use entracte_adapters_commands::mcp::{McpEnvironment, PinFile};
use entracte_adapters_http::api_transport::over_http::{ServerTransport, ServerTransportLimits};
use entracte_adapters_http::api_transport::server_address::ServerAddress;
use entracte_adapters_http::api_transport::{ApiRequest, ApiTransport as _};
use entracte_adapters_http::remote_stream_source::RemoteStreamSource;
use entracte_adapters_providers::config::ProviderConfig;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_adapters_providers::wire::{ClientTimeouts, TimedClient};
use entracte_application::ports::{ProviderRegistry as _, RemoteStreamClient as _, RemoteStreamLocation};
use entracte_application::settings::SchemaBounds;
use entracte_application::system::{SystemClock, SystemSecretStore};
use entracte_domain::id::{SessionId, WorkspaceKey};
use host::{SUITE, cryptography};
use http::Method;
use rustls::CipherSuite;
use rustls::crypto::CryptoProvider;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};

/// A server that reads the TLS hello of each connection, and closes it.
struct HelloReader {
    url: String,
    hellos: Arc<Mutex<Vec<Vec<CipherSuite>>>>,
}

impl HelloReader {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let hellos = Arc::new(Mutex::new(Vec::new()));
        let heard = hellos.clone();
        tokio::spawn(async move {
            while let Ok((mut connection, _)) = listener.accept().await {
                let suites = offered_suites(&mut connection).await;
                heard.lock().unwrap().push(suites);
            }
        });
        Self { url, hellos }
    }

    /// The hellos since the last call.
    fn take(&self) -> Vec<Vec<CipherSuite>> {
        std::mem::take(&mut self.hellos.lock().unwrap())
    }
}

/// The cipher suites of a hello, without the marker that every client adds.
async fn offered_suites(connection: &mut TcpStream) -> Vec<CipherSuite> {
    // The header of the record and of the message, the version, and the random.
    let mut head = [0; 5 + 4 + 2 + 32];
    connection.read_exact(&mut head).await.unwrap();
    let session = connection.read_u8().await.unwrap();
    connection.read_exact(&mut vec![0; session.into()]).await.unwrap();
    let mut suites = vec![0; connection.read_u16().await.unwrap().into()];
    connection.read_exact(&mut suites).await.unwrap();
    let suites = suites.chunks_exact(2).map(|pair| CipherSuite::from(u16::from_be_bytes([pair[0], pair[1]])));
    suites.filter(|suite| *suite != CipherSuite::TLS_EMPTY_RENEGOTIATION_INFO_SCSV).collect()
}

/// Input: a host whose cryptography has one cipher suite, and every client of the crates that calls an https address;
/// expected: each offers that suite alone, and nothing is installed for the process.
#[tokio::test]
async fn host_chooses_tls_provider() {
    let server = HelloReader::start().await;
    let url = server.url.as_str();
    let ours = vec![vec![SUITE]];

    assert!(
        TimedClient::new(url, ClientTimeouts::default(), cryptography())
            .unwrap()
            .post(url, &[], vec![])
            .await
            .is_err()
    );
    assert_eq!(server.take(), ours, "a wire of one's own");

    let entry = format!("kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"{url}/v1\"");
    let entries = BTreeMap::from([("x".to_owned(), ProviderConfig::from_toml("x", &entry).unwrap())]);
    let registry = ConfigProviderRegistry::new(
        entries,
        Arc::new(SystemSecretStore),
        Arc::new(SystemClock),
        cryptography(),
    );
    assert!(registry.provider("x").unwrap().models(1).await.is_err());
    assert_eq!(server.take(), ours, "a provider");

    let settings =
        EgressSettings { allowed: vec!["127.0.0.1".parse().unwrap()], ..EgressSettings::default() };
    let egress = EgressClient::new(settings, cryptography());
    assert!(egress.send(EgressRequest::get(url)).await.is_err());
    assert_eq!(server.take(), ours, "a tool");

    let folder = tempfile::tempdir().unwrap();
    let tools = McpExecutor::new(
        BTreeMap::from([(
            "s".to_owned(),
            serde_json::from_str(&format!("{{\"url\":\"{url}/mcp\"}}")).unwrap(),
        )]),
        PinFile::open(folder.path().join("pins.json")).unwrap(),
        McpEnvironment {
            secrets: Arc::new(SystemSecretStore),
            variables: BTreeMap::new(),
            logins: McpLoginStore::new(folder.path().join("logins"), cryptography()),
            folder: folder.path().join("servers"),
            bounds: SchemaBounds::default(),
            log: None,
            files: None,
            crypto: cryptography(),
        },
        [],
    );
    assert_eq!(tools.unwrap().connect_all().await.len(), 1);
    let hellos = server.take();
    assert!(
        !hellos.is_empty() && hellos.iter().all(|suites| *suites == [SUITE]),
        "an MCP server: {hellos:?}"
    );

    let address = ServerAddress::parse(url).unwrap();
    let api = ServerTransport::new(address, None, ServerTransportLimits::default(), cryptography()).unwrap();
    assert!(api.call(ApiRequest::new(Method::GET, "/v1")).await.is_err());
    assert_eq!(server.take(), ours, "a server of Entracte");

    let (workspace, session) = (WorkspaceKey::new("ann:home"), SessionId::new("ses_1"));
    let location = RemoteStreamLocation { url: url.to_owned(), is_here: true, workspace, session };
    let streams = RemoteStreamSource::new(cryptography());
    assert!(streams.stream_session(location, "token".into(), Arc::new(|_| ())).await.is_err());
    assert_eq!(server.take(), ours, "a stream of another process");

    assert!(CryptoProvider::get_default().is_none(), "nothing is installed for the process");
}
