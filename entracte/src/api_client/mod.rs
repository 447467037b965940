//! The API as commands use it: on the database of this machine, or on a server (`--server`).
//!
//! | module | what it is |
//! |---|---|
//! | `fault` | Faults of the API as errors for people. |
//! | `lists` | Lists, page after page. |
//! | `session_reads` | A session with its details, and its journal. |
//! | `target` | The server of a command, its token and its workspace. |

mod fault;
mod lists;
mod session_reads;
mod target;

use std::sync::Arc;

use entracte_adapters_http::api_transport::api_path::ApiPath;
use entracte_adapters_http::api_transport::event_stream::ApiEventStream;
use entracte_adapters_http::api_transport::over_http::{ServerTransport, ServerTransportLimits};
use entracte_adapters_http::api_transport::server_address::ServerAddress;
use entracte_adapters_http::api_transport::{ApiAnswer, ApiFault, ApiRequest, ApiTransport};
use entracte_adapters_http::problem::{Problem, ProblemCode};
use entracte_adapters_http::shapes::found_id::FoundIdShape;
use entracte_adapters_http::shapes::token::MeShape;
use entracte_application::ports::IdGenerator;
use entracte_application::settings::{WorkspaceLocale, WorkspaceSettings};
use entracte_application::system::RandomIdGenerator;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Millis;
use http::Method;
use secrecy::SecretString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::OnceCell;

use self::fault::{damaged_answer, fault_error};
pub(crate) use self::session_reads::{read_journal, read_session_details};
use self::target::ServerTarget;
pub(crate) use self::target::named_server;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::CliError;
use crate::follow::drain_before_exit;
use crate::model_stream::ModelStreamSubscription;
use crate::runtime_access::{LazyRuntimeAccess, RuntimeAccess};

/// How often a change of a resource is sent that others change meanwhile.
const LATEST_TRIES: u32 = 5;

/// The API for one command.
pub(crate) struct ApiClient<'a> {
    context: &'a CommandContext,
    transport: Arc<dyn ApiTransport>,
    workspace: WorkspaceKey,
    place: ApiPlace,
    texts: OnceCell<&'static LocalizedTexts>,
}

/// Where the API is.
enum ApiPlace {
    /// In this process, over the database of this machine.
    Here(Arc<AppServices>, Arc<LazyRuntimeAccess>),
    /// On a server.
    Server(ServerAddress),
}

/// What a shortened id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShortIdKind {
    /// A session.
    Session,
    /// A call, or the approval of one.
    Call,
    /// A standing approval or refusal.
    Rule,
    /// A long task.
    Task,
    /// An automation; its name names it too.
    Automation,
    /// A notification target; its name names it too.
    Target,
    /// A model call.
    ModelCall,
}

impl ShortIdKind {
    fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Call => "call",
            Self::Rule => "rule",
            Self::Task => "task",
            Self::Automation => "automation",
            Self::Target => "target",
            Self::ModelCall => "model_call",
        }
    }
}

impl<'a> ApiClient<'a> {
    /// The API of the server that the command names, or of this machine.
    pub(crate) async fn open(context: &'a CommandContext) -> Result<Self, CliError> {
        match &context.server {
            None => Ok(Self::open_here(context, context.open_services()?)),
            Some(server) => Self::connect(context, server),
        }
    }

    /// The API of this machine over services that are open already.
    pub(crate) fn open_here(context: &'a CommandContext, services: Arc<AppServices>) -> Self {
        let runtime = Arc::new(LazyRuntimeAccess::new(services.clone()));
        let transport = context.local_api(&services, &runtime);
        let workspace = context.settings.workspace.clone();
        let place = ApiPlace::Here(services, runtime);
        Self { context, transport, workspace, place, texts: OnceCell::new() }
    }

    fn connect(context: &'a CommandContext, server: &ServerAddress) -> Result<Self, CliError> {
        let target = ServerTarget::read(context, server)?;
        let client = Self::connect_with(context, server, Some(target.token))?;
        Ok(Self { workspace: target.workspace, ..client })
    }

    /// The API of a server with this token, or without one for the routes that need none.
    pub(crate) fn connect_with(
        context: &'a CommandContext,
        server: &ServerAddress,
        token: Option<SecretString>,
    ) -> Result<Self, CliError> {
        let limits = ServerTransportLimits::default();
        let crypto = context.settings.parts.crypto();
        let transport = ServerTransport::new(server.clone(), token, limits, crypto)
            .map_err(|fault| fault_error(fault, Some(server)))?
            .for_reader(context.settings.reader);
        let (workspace, place) = (context.settings.workspace.clone(), ApiPlace::Server(server.clone()));
        Ok(Self { context, transport: Arc::new(transport), workspace, place, texts: OnceCell::new() })
    }

    /// The workspace of the command.
    pub(crate) fn workspace(&self) -> &WorkspaceKey {
        &self.workspace
    }

    /// A path of the workspace.
    pub(crate) fn path(&self, segments: &[&str]) -> ApiPath {
        ApiPath::in_workspace(&self.workspace, segments)
    }

    /// The texts in the language of the reader; also sets the zone of displayed times. Read once.
    pub(crate) async fn texts(&self) -> Result<&'static LocalizedTexts, CliError> {
        self.texts.get_or_try_init(|| self.read_texts()).await.copied()
    }

    async fn read_texts(&self) -> Result<&'static LocalizedTexts, CliError> {
        Ok(self.context.use_settings(self.settings().await?))
    }

    /// Language and zone of the workspace; `None` if it has no settings of its own.
    pub(crate) async fn settings(&self) -> Result<Option<WorkspaceSettings>, CliError> {
        match &self.place {
            ApiPlace::Here(services, _) => services.stored_settings(&self.workspace).await,
            ApiPlace::Server(_) => {
                let settings: Option<target::ReceivedSettings> =
                    self.get(&self.path(&["settings"])).await.ok();
                Ok(settings.and_then(target::ReceivedSettings::into_settings))
            }
        }
    }

    /// The language of the reader and the zone of the workspace; of one without settings of its own, those that it begins
    /// with.
    pub(crate) async fn locale(&self) -> Result<WorkspaceLocale, CliError> {
        let first = || WorkspaceSettings::of_new_workspace(&self.context.settings.runtime);
        let settings = self.settings().await?.unwrap_or_else(first);
        Ok(settings.locale_for(self.context.settings.reader))
    }

    /// The name of the person in whose name the command acts.
    pub(crate) async fn person(&self) -> Result<String, CliError> {
        Ok(self.get::<MeShape>(&ApiPath::new(&["me"])).await?.token.person.name)
    }

    /// The author of the entries of this command: on this machine the person of the settings.
    pub(crate) async fn author(&self) -> Result<String, CliError> {
        match &self.place {
            ApiPlace::Here(..) => Ok(self.context.settings.author.clone()),
            ApiPlace::Server(_) => self.person().await,
        }
    }

    /// Reads a resource.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &ApiPath) -> Result<T, CliError> {
        let answer = self.call(ApiRequest::new(Method::GET, path.target())).await?;
        self.parse(&answer)
    }

    /// The bytes of a file of conversations.
    pub(crate) async fn file_bytes(&self, digest: &str) -> Result<Vec<u8>, CliError> {
        let path = self.path(&["files", digest]);
        Ok(self.call(ApiRequest::new(Method::GET, path.target())).await?.body.into())
    }

    /// The answer of a request that changes nothing although it is no GET.
    pub(crate) async fn read_by<T: DeserializeOwned>(&self, request: ApiRequest) -> Result<T, CliError> {
        let answer = self.call(request).await?;
        self.parse(&answer)
    }

    /// The full id of which this is a unique beginning.
    pub(crate) async fn find(&self, kind: ShortIdKind, named: &str) -> Result<String, CliError> {
        Ok(self.find_with_session(kind, named).await?.id)
    }

    /// The full id of which this is a unique beginning, with the session of a call.
    pub(crate) async fn find_with_session(
        &self,
        kind: ShortIdKind,
        named: &str,
    ) -> Result<FoundIdShape, CliError> {
        self.get(&self.path(&["ids"]).with("kind", kind.word()).with("begins", named)).await
    }

    /// Sends a request that changes something, and returns its answer. On this machine it waits for the work that this
    /// process took up meanwhile, also after a refusal.
    pub(crate) async fn change<T: DeserializeOwned>(&self, request: ApiRequest) -> Result<T, CliError> {
        let answer = self.send(request).await;
        self.drain().await?;
        answer
    }

    /// Like [`change`](Self::change), for a request whose answer says nothing.
    pub(crate) async fn change_only(&self, request: ApiRequest) -> Result<(), CliError> {
        let answer = self.send_only(request).await;
        self.drain().await?;
        answer
    }

    /// Like [`change`](Self::change), without the wait: [`drain`](Self::drain) has to follow the last request.
    pub(crate) async fn send<T: DeserializeOwned>(&self, request: ApiRequest) -> Result<T, CliError> {
        let answer = self.submit(request).await?;
        self.parse(&answer)
    }

    /// Like [`send`](Self::send), for a request whose answer says nothing.
    pub(crate) async fn send_only(&self, request: ApiRequest) -> Result<(), CliError> {
        self.submit(request).await.map(|_| ())
    }

    /// Waits for the work that this process took up; nothing if it took up none.
    pub(crate) async fn drain(&self) -> Result<(), CliError> {
        match &self.place {
            ApiPlace::Here(services, runtime) if runtime.is_open() => {
                let runtime = runtime.open().await?;
                drain_before_exit(services, &runtime, |line| self.context.out.write_notice(line)).await
            }
            ApiPlace::Here(..) | ApiPlace::Server(_) => Ok(()),
        }
    }

    /// The services and the runtime access of this machine, opened; `None` on a server, which does the work itself.
    pub(crate) async fn open_here_runtime(
        &self,
    ) -> Result<Option<(Arc<AppServices>, Arc<RuntimeAccess>)>, CliError> {
        match &self.place {
            ApiPlace::Here(services, runtime) => Ok(Some((services.clone(), runtime.open().await?))),
            ApiPlace::Server(_) => Ok(None),
        }
    }

    /// Changes a resource whatever its version is: reads the tag of its version, and sends the request with it; once more
    /// where another change came between.
    pub(crate) async fn change_latest<T: DeserializeOwned>(
        &self,
        path: &ApiPath,
        request: ApiRequest,
    ) -> Result<T, CliError> {
        let answer = self.submit_for_latest(path, request).await?;
        self.parse(&answer)
    }

    /// Like [`change_latest`](Self::change_latest), for what a process keeps beside its database: the runtime is not opened
    /// for it.
    pub(crate) async fn configure_latest<T: DeserializeOwned>(
        &self,
        path: &ApiPath,
        request: ApiRequest,
    ) -> Result<T, CliError> {
        let answer = self.call_for_latest(path, &request).await?;
        self.parse(&answer)
    }

    /// Like [`change_latest`](Self::change_latest), for a request whose answer says nothing.
    pub(crate) async fn change_latest_only(
        &self,
        path: &ApiPath,
        request: ApiRequest,
    ) -> Result<(), CliError> {
        self.submit_for_latest(path, request).await.map(|_| ())
    }

    async fn submit_for_latest(&self, path: &ApiPath, request: ApiRequest) -> Result<ApiAnswer, CliError> {
        self.open_runtime().await?;
        let answer = self.call_for_latest(path, &request).await;
        self.drain().await?;
        answer
    }

    async fn call_for_latest(&self, path: &ApiPath, request: &ApiRequest) -> Result<ApiAnswer, CliError> {
        let mut tries = LATEST_TRIES;
        loop {
            let read = self.call(ApiRequest::new(Method::GET, path.target())).await?;
            let tagged = request.clone().with_if_match(read.etag.unwrap_or_default());
            tries -= 1;
            match self.transport.call(tagged).await {
                Err(ApiFault::Refused(problem)) if is_changed(&problem) && tries > 0 => {}
                answer => return answer.map_err(|fault| fault_error(fault, self.server())),
            }
        }
    }

    async fn submit(&self, request: ApiRequest) -> Result<ApiAnswer, CliError> {
        self.open_runtime().await?;
        let request = if request.method == Method::POST { self.keyed(request) } else { request };
        self.call(request).await
    }

    /// The request with a key, under which a server does it once however often it is sent; on this machine as it is.
    pub(crate) fn keyed(&self, request: ApiRequest) -> ApiRequest {
        match &self.place {
            ApiPlace::Server(_) => request.with_idempotency_key(RandomIdGenerator.key()),
            ApiPlace::Here(..) => request,
        }
    }

    /// Opens the runtime of this machine before the first request, so that a database in another process's hands is
    /// reported first.
    pub(crate) async fn open_runtime(&self) -> Result<(), CliError> {
        match &self.place {
            ApiPlace::Here(_, runtime) => runtime.open().await.map(|_| ()),
            ApiPlace::Server(_) => Ok(()),
        }
    }

    async fn call(&self, request: ApiRequest) -> Result<ApiAnswer, CliError> {
        self.answer(request).await.map_err(|fault| self.error(fault))
    }

    /// Sends a request as it is, for a caller who handles some faults itself.
    pub(crate) async fn answer(&self, request: ApiRequest) -> Result<ApiAnswer, ApiFault> {
        self.transport.call(request).await
    }

    /// The services of this machine; `None` on a server.
    pub(crate) fn services(&self) -> Option<&Arc<AppServices>> {
        match &self.place {
            ApiPlace::Here(services, _) => Some(services),
            ApiPlace::Server(_) => None,
        }
    }

    /// The transport, for what goes on beside the command.
    pub(crate) fn transport(&self) -> Arc<dyn ApiTransport> {
        self.transport.clone()
    }

    /// Opens a stream.
    pub(crate) async fn stream(&self, path: &ApiPath) -> Result<ApiEventStream, ApiFault> {
        self.transport.stream(ApiRequest::new(Method::GET, path.target())).await
    }

    /// Receives the words of a server that owns the database of this machine, while a session of it is read here; `None` on
    /// a server, whose stream has them.
    pub(crate) fn subscribe_to_words(&self, session: &str) -> Option<ModelStreamSubscription> {
        let ApiPlace::Here(services, _) = &self.place else { return None };
        let (session, person) = (SessionId::new(session), &self.context.settings.author);
        Some(ModelStreamSubscription::subscribe(services, None, &self.workspace, &session, person))
    }

    /// The error for a fault.
    pub(crate) fn error(&self, fault: ApiFault) -> CliError {
        fault_error(fault, self.server())
    }

    /// Parses an answer.
    pub(crate) fn parse<T: DeserializeOwned>(&self, answer: &ApiAnswer) -> Result<T, CliError> {
        serde_json::from_slice(&answer.body).map_err(|error| damaged_answer(&error, self.server()))
    }

    /// How long a server that is away is asked again.
    pub(crate) fn reconnect_for(&self) -> Millis {
        self.context.settings.reconnect_for
    }

    /// The address of the server; empty on this machine.
    pub(crate) fn server_name(&self) -> &str {
        self.server().map_or("", ServerAddress::as_str)
    }

    fn server(&self) -> Option<&ServerAddress> {
        match &self.place {
            ApiPlace::Here(..) => None,
            ApiPlace::Server(server) => Some(server),
        }
    }
}

/// A POST with this body.
pub(crate) fn post(path: &ApiPath, body: &impl Serialize) -> ApiRequest {
    with_json(Method::POST, path, body)
}

/// A POST without a body.
pub(crate) fn post_empty(path: &ApiPath) -> ApiRequest {
    ApiRequest::new(Method::POST, path.target())
}

/// A PUT with this body.
pub(crate) fn put(path: &ApiPath, body: &impl Serialize) -> ApiRequest {
    with_json(Method::PUT, path, body)
}

/// A PATCH with this body.
pub(crate) fn patch(path: &ApiPath, body: &impl Serialize) -> ApiRequest {
    with_json(Method::PATCH, path, body)
}

/// A DELETE.
pub(crate) fn delete(path: &ApiPath) -> ApiRequest {
    ApiRequest::new(Method::DELETE, path.target())
}

fn with_json(method: Method, path: &ApiPath, body: &impl Serialize) -> ApiRequest {
    // Bodies are texts, numbers, lists and maps with text keys; an empty one is refused with the reason.
    ApiRequest::new(method, path.target()).with_body(serde_json::to_vec(body).unwrap_or_default())
}

fn is_changed(problem: &Problem) -> bool {
    problem.code() == ProblemCode::Changed
}
