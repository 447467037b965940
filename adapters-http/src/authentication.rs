//! Authentication and authorization. Only [`WorkspaceAccess`] creates a [`WorkspacePrincipal`], from which use cases
//! get their workspace and person: a route without the extractor has neither.

use std::marker::PhantomData;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use axum::extract::{FromRequestParts, MatchedPath, RawPathParams};
use entracte_application::mail::{Mail, MailAnswer};
use entracte_application::ports::{
    AccessReach, MailPostError, MailSender, Person, TokenKind, TokenRow, TokenScope, TokenScopes,
};
use entracte_application::texts::{LocalizedMessage, ReaderLanguage, saying};
use entracte_application::use_cases::{
    AuthenticateStreamTicket, AuthenticateToken, AuthenticationError, ReadReceipt,
};
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;
use http::request::Parts;
use http::{HeaderMap, Method, header};

use crate::disclosure;
use crate::embedding_origin;
use crate::idempotency::{IdempotentMailSender, IdempotentRequest};
use crate::origin_guard;
use crate::problem::{Problem, ProblemCode};
use crate::reader_language::reader_of;
use crate::server_state::ServerState;

/// The header in which a browser sends the CSRF proof beside its cookie.
pub const PROOF: &str = "entracte-proof";

/// The client address of a request, behind trusted proxies.
#[derive(Clone, Copy, Debug)]
pub struct ClientAddress(pub IpAddr);

/// An authenticated token with its person, not yet bound to a workspace.
#[derive(Clone, Debug)]
pub struct TokenPrincipal {
    token: TokenRow,
    person: Person,
    /// The hash of the stream ticket that was sent in place of the token.
    ticket: Option<Digest>,
    /// Whether it is the user of this process, who came by no connection and has no stored token.
    is_local: bool,
}

impl TokenPrincipal {
    /// The principal of the local user. Their actions are recorded under this name. Whoever can open the database has
    /// the operator's rights.
    pub(crate) fn local(name: &str) -> Self {
        let (id, reach) = (LOCAL_ID.to_owned(), AccessReach::Everywhere);
        let created_at = Timestamp(0);
        let token = TokenRow {
            id: id.clone(),
            person: id.clone(),
            reach: reach.clone(),
            kind: TokenKind::Program,
            name: id.clone(),
            hash: Digest::new(""),
            proof: None,
            scopes: TokenScopes::new(TokenScope::ALL.iter().copied()),
            embedded: None,
            created_at,
            expires_at: None,
            revoked_at: None,
            last_used: None,
            made_by: None,
            login_until: None,
        };
        let person = Person { id, reach, name: name.to_owned(), created_at, removed_at: None };
        Self { token, person, ticket: None, is_local: true }
    }

    /// The author of the principal's actions; includes the token's issuer if that was another person.
    pub fn author(&self) -> String {
        self.token.author(&self.person)
    }

    /// The authenticated person.
    pub fn person(&self) -> &Person {
        &self.person
    }

    /// The token that authenticated the request.
    pub fn token(&self) -> &TokenRow {
        &self.token
    }

    /// The hash of the stream ticket that was sent in place of the token, if one was.
    pub(crate) fn ticket(&self) -> Option<&Digest> {
        self.ticket.as_ref()
    }

    /// Requires that the token is still valid, if time passed since it was checked.
    ///
    /// # Errors
    /// As those of [`RequestTokenId::require_unrevoked`]; never for the local user.
    pub(crate) async fn require_unrevoked(&self, state: &ServerState) -> Result<(), Problem> {
        match self.is_local {
            true => Ok(()),
            false => RequestTokenId::of(self).require_unrevoked(state).await,
        }
    }

    /// Whether a person is logged in, with a browser or at this machine; otherwise a program has a token.
    pub(crate) fn has_login(&self) -> bool {
        self.token.kind == TokenKind::Browser || self.is_local
    }

    /// Whether it is the user of this process, who came by no connection.
    pub(crate) fn is_local(&self) -> bool {
        self.is_local
    }

    /// The workspaces that the token reaches.
    pub fn reach(&self) -> &AccessReach {
        &self.token.reach
    }

    /// The scopes of the token.
    pub fn scopes(&self) -> &TokenScopes {
        &self.token.scopes
    }
}

/// The id of the local user in place of those of a token and a person; no stored id is like it.
const LOCAL_ID: &str = "local";

/// Marks a request that this process makes to its own routes. No connection can set it: it is an extension of the
/// request, and no part of HTTP.
#[derive(Clone, Debug)]
pub(crate) struct LocalRequest(pub(crate) TokenPrincipal);

/// Where authentication notes the workspace that it let a request into, for the middleware around the route.
#[derive(Clone, Debug, Default)]
pub(crate) struct AdmittedWorkspace(Arc<OnceLock<WorkspaceKey>>);

impl AdmittedWorkspace {
    /// The workspace; `None` if the request was let into none.
    pub(crate) fn key(&self) -> Option<&WorkspaceKey> {
        self.0.get()
    }
}

/// An authenticated principal in the workspace of the path.
#[derive(Clone, Debug)]
pub struct WorkspacePrincipal {
    visitor: TokenPrincipal,
    workspace: WorkspaceKey,
    once: Option<Arc<IdempotentRequest>>,
    reader: ReaderLanguage,
}

impl WorkspacePrincipal {
    /// The workspace of the path, which the token reaches.
    pub fn workspace(&self) -> &WorkspaceKey {
        &self.workspace
    }

    /// The author of the principal's actions.
    pub fn author(&self) -> String {
        self.visitor.author()
    }

    /// The principal without the workspace.
    pub fn principal(&self) -> &TokenPrincipal {
        &self.visitor
    }

    /// The language that the request asks for.
    pub(crate) fn reader(&self) -> ReaderLanguage {
        self.reader
    }

    /// The mail sender for the principal's requests, with the request's idempotency key if there is one.
    pub(crate) fn mail_sender(&self, state: &ServerState) -> Arc<dyn MailSender> {
        let sender = self.mail_sender_without_key(state);
        match &self.once {
            Some(once) => Arc::new(IdempotentMailSender::new(sender, once.clone())),
            None => sender,
        }
    }

    /// The mail sender without the idempotency key, for routes that post more than one request.
    pub(crate) fn mail_sender_without_key(&self, state: &ServerState) -> Arc<dyn MailSender> {
        ScopedMailSender::wrap(state, self.visitor.scopes().allow(TokenScope::Approve), self.reader)
    }

    /// The stored answer to an earlier request under the same idempotency key. Checked first, because a request that
    /// succeeded then may be refused now.
    pub(crate) async fn find_replayed_answer(
        &self,
        state: &ServerState,
    ) -> Result<Option<MailAnswer>, Problem> {
        let Some((once, receipt)) =
            self.idempotent_request().and_then(|once| Some((once, once.to_receipt()?)))
        else {
            return Ok(None);
        };
        let (ports, kept) = (&state.ports, state.terms.runtime.retention.policy.receipt_age());
        let read = ReadReceipt::new(ports.store.clone(), ports.clock.clone(), kept);
        let found = read.run(&self.workspace, &receipt).await?;
        if found.is_some() {
            once.mark_replayed();
        }
        Ok(found)
    }

    /// The principal without the idempotency key, for routes that post several requests and are idempotent by other
    /// means.
    pub(crate) fn without_key(self) -> Self {
        Self { once: None, ..self }
    }

    /// The request's idempotency key, if it has one.
    pub(crate) fn idempotent_request(&self) -> Option<&IdempotentRequest> {
        self.once.as_deref()
    }
}

/// A mail sender that approves only if the token has the scope `approve`, in the language of the request.
pub(crate) struct ScopedMailSender {
    inner: Arc<dyn MailSender>,
    may_approve: bool,
    reader: ReaderLanguage,
}

impl ScopedMailSender {
    /// Wraps the mail sender of the server.
    pub(crate) fn wrap(
        state: &ServerState,
        may_approve: bool,
        reader: ReaderLanguage,
    ) -> Arc<dyn MailSender> {
        Arc::new(Self { inner: state.ports.mail_sender.clone(), may_approve, reader })
    }
}

#[async_trait]
impl MailSender for ScopedMailSender {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        let may_approve = mail.may_approve && self.may_approve;
        self.inner.post(workspace, Mail { may_approve, reader: self.reader, ..mail }).await
    }
}

/// The scope that a route needs.
pub trait RequiredScope {
    /// The required scope.
    const SCOPE: TokenScope;
}

macro_rules! needs {
    ($($name:ident),*) => {
        $(
            #[doc = concat!("Needs the scope ", stringify!($name), ".")]
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl RequiredScope for $name {
                const SCOPE: TokenScope = TokenScope::$name;
            }
        )*
    };
}

needs!(Read, Chat, Approve, Admin, Secret);

/// Proof that the scope was checked. Only this module constructs it.
#[derive(Debug)]
pub struct ScopeProof<S>(PhantomData<S>);

/// Extractor: a token with the scope `S`, for any workspace.
#[derive(Debug)]
pub struct TokenAccess<S>(pub TokenPrincipal, pub ScopeProof<S>);

/// Extractor: a token with the scope `S` for every workspace, that is the operator of the process.
#[derive(Debug)]
pub struct OperatorAccess<S>(pub TokenPrincipal, pub ScopeProof<S>);

/// Extractor: the operator in person, with the scope `S`: logged in with a browser, or the user of this process. A token
/// of a program is refused, whatever its scopes.
#[derive(Debug)]
pub struct OperatorLoginAccess<S>(pub TokenPrincipal, pub ScopeProof<S>);

/// Extractor: a token with the scope `S` in the workspace `{w}` of the path, which must exist.
#[derive(Debug)]
pub struct WorkspaceAccess<S>(pub WorkspacePrincipal, pub ScopeProof<S>);

/// Extractor: a token with the scope `S` for the workspace `{w}`, which the request creates.
#[derive(Debug)]
pub struct NewWorkspaceAccess<S>(pub WorkspacePrincipal, pub ScopeProof<S>);

impl<S: RequiredScope> FromRequestParts<Arc<ServerState>> for TokenAccess<S> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<ServerState>) -> Result<Self, Problem> {
        Ok(Self(authenticate_token(parts, state, S::SCOPE).await?, ScopeProof(PhantomData)))
    }
}

impl<S: RequiredScope> FromRequestParts<Arc<ServerState>> for OperatorAccess<S> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<ServerState>) -> Result<Self, Problem> {
        let visitor = authenticate_token(parts, state, S::SCOPE).await?;
        require_operator(&visitor)?;
        Ok(Self(visitor, ScopeProof(PhantomData)))
    }
}

impl<S: RequiredScope> FromRequestParts<Arc<ServerState>> for OperatorLoginAccess<S> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<ServerState>) -> Result<Self, Problem> {
        let OperatorAccess(visitor, proof) = OperatorAccess::from_request_parts(parts, state).await?;
        if visitor.has_login() {
            return Ok(Self(visitor, proof));
        }
        let text = saying!("refusal-login-only");
        Err(Problem::new(ProblemCode::LoginNeeded, text))
    }
}

/// Requires the operator, whose token reaches every workspace; only the operator may use routes for the whole process.
pub(crate) fn require_operator(visitor: &TokenPrincipal) -> Result<(), Problem> {
    match visitor.reach() {
        AccessReach::Everywhere => Ok(()),
        AccessReach::Workspace(_) => {
            let text = saying!("refusal-operator");
            Err(Problem::new(ProblemCode::ScopeMissing, text))
        }
    }
}

impl<S: RequiredScope> FromRequestParts<Arc<ServerState>> for NewWorkspaceAccess<S> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<ServerState>) -> Result<Self, Problem> {
        Ok(Self(authenticate_in_workspace(parts, state, S::SCOPE).await?, ScopeProof(PhantomData)))
    }
}

impl<S: RequiredScope> FromRequestParts<Arc<ServerState>> for WorkspaceAccess<S> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<ServerState>) -> Result<Self, Problem> {
        let caller = authenticate_in_workspace(parts, state, S::SCOPE).await?;
        // A token's own workspace may be created by its first message; one that an operator names must exist.
        // The local user's workspace too: reading in one without messages is no mistake.
        if *caller.visitor.reach() == AccessReach::Everywhere
            && !caller.visitor.is_local
            && state.ports.store.workspace(&caller.workspace).await?.is_none()
        {
            return Err(unknown_workspace_problem(&caller.workspace));
        }
        Ok(Self(caller, ScopeProof(PhantomData)))
    }
}

async fn authenticate_in_workspace(
    parts: &mut Parts,
    state: &Arc<ServerState>,
    scope: TokenScope,
) -> Result<WorkspacePrincipal, Problem> {
    let proven = authenticate_request(parts, state).await?;
    let params = RawPathParams::from_request_parts(parts, state).await;
    let params = params.map_err(|_| Problem::new(ProblemCode::NotFound, saying!("refusal-path-not-utf8")))?;
    let named = params.iter().find(|(name, _)| *name == "w").map(|(_, value)| value);
    let workspace = WorkspaceKey::new(named.unwrap_or_default());
    // A workspace out of reach is reported as missing, whatever the token may do elsewhere.
    if !proven.reach().covers(&workspace) {
        return Err(unknown_workspace_problem(&workspace));
    }
    if let Some(admitted) = parts.extensions.get::<AdmittedWorkspace>() {
        admitted.0.get_or_init(|| workspace.clone());
    }
    if let Some(embedded) = &proven.token.embedded {
        let session = params.iter().find(|(name, _)| *name == "s").map(|(_, value)| value);
        let route = parts.extensions.get::<MatchedPath>().map(MatchedPath::as_str);
        embedding_origin::restrict_to_session(proven.token.kind, embedded, session, &parts.method, route)?;
    }
    let visitor = require_scope(proven, parts, scope)?;
    remember_token(parts, &visitor);
    let once = parts.extensions.get::<Arc<IdempotentRequest>>().cloned();
    if let Some(once) = &once {
        once.claim_key(state.in_flight_keys(), &workspace, &visitor.person().id)?;
    }
    Ok(WorkspacePrincipal { visitor, workspace, once, reader: reader_of(&parts.headers) })
}

async fn authenticate_token(
    parts: &mut Parts,
    state: &Arc<ServerState>,
    scope: TokenScope,
) -> Result<TokenPrincipal, Problem> {
    let proven = authenticate_request(parts, state).await?;
    if proven.token.embedded.is_some() {
        return Err(embedding_origin::outside_session_problem());
    }
    let visitor = require_scope(proven, parts, scope)?;
    remember_token(parts, &visitor);
    Ok(visitor)
}

/// Remembers the token for a later check; the local user has none that could be revoked.
fn remember_token(parts: &mut Parts, visitor: &TokenPrincipal) {
    if !visitor.is_local {
        parts.extensions.insert(RequestTokenId::of(visitor));
    }
}

fn unknown_workspace_problem(workspace: &WorkspaceKey) -> Problem {
    let named = entracte_application::terminal_text::one_line(workspace.as_str());
    Problem::new(ProblemCode::NotFound, saying!("request-no-workspace", workspace = named))
}

/// Requires the scope of the route, and `read` if the answer contains data.
fn require_scope(
    visitor: TokenPrincipal,
    parts: &Parts,
    scope: TokenScope,
) -> Result<TokenPrincipal, Problem> {
    if visitor.scopes().allow(scope) {
        disclosure::require_read_scope(parts, visitor.scopes())?;
        return Ok(visitor);
    }
    let has = visitor.scopes().words().replace(' ', ", ");
    let text = saying!("request-scope-missing", scope = scope.word(), scopes = has);
    Err(Problem::new(ProblemCode::ScopeMissing, text))
}

/// The principal of a request that needs none; `None` if the request has no valid token.
pub(crate) async fn authenticate_optional(
    headers: &HeaderMap,
    state: &ServerState,
    client: IpAddr,
) -> Result<Option<TokenPrincipal>, Problem> {
    if origin_guard::read_token(headers).is_none() {
        return Ok(None);
    }
    match authenticate_headers(headers, state, Some(client)).await {
        // An embedded token identifies a person only inside its session.
        Ok(visitor) => Ok(Some(visitor).filter(|visitor| visitor.token.embedded.is_none())),
        Err(problem) if problem.code() == ProblemCode::Unauthorized => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Authenticates a request.
async fn authenticate_request(parts: &Parts, state: &Arc<ServerState>) -> Result<TokenPrincipal, Problem> {
    if let Some(LocalRequest(principal)) = parts.extensions.get() {
        return Ok(principal.clone());
    }
    if let Some(ticket) = read_stream_ticket(parts) {
        return authenticate_ticket(&ticket, parts, state).await;
    }
    let client = parts.extensions.get::<ClientAddress>().map(|client| client.0);
    authenticate_headers(&parts.headers, state, client).await
}

async fn authenticate_headers(
    headers: &HeaderMap,
    state: &ServerState,
    client: Option<IpAddr>,
) -> Result<TokenPrincipal, Problem> {
    let Some((kind, text)) = origin_guard::read_token(headers) else {
        let text = saying!("refusal-no-token-sent");
        return Err(Problem::new(ProblemCode::Unauthorized, text));
    };
    let proof = headers.get(PROOF).and_then(|proof| proof.to_str().ok());
    let authenticate = AuthenticateToken::new(state.ports.access.clone(), state.ports.clock.clone());
    let refused = |text: LocalizedMessage| {
        let problem = Problem::new(ProblemCode::Unauthorized, text);
        client.map_or(problem.clone(), |client| state.count_failure(client, problem))
    };
    let (token, person) = match authenticate.run(kind, text, proof).await {
        Ok(found) => found,
        Err(AuthenticationError::Store(error)) => return Err(error.into()),
        Err(AuthenticationError::Invalid) => return Err(refused(saying!("refusal-token-invalid"))),
        Err(AuthenticationError::Expired) => return Err(refused(saying!("refusal-token-expired"))),
        Err(AuthenticationError::Revoked) => return Err(refused(saying!("refusal-token-revoked"))),
    };
    state.count_request(&token.id)?;
    Ok(TokenPrincipal { token, person, ticket: None, is_local: false })
}

/// The ticket of a stream that a browser opens, because browsers cannot set headers there.
fn read_stream_ticket(parts: &Parts) -> Option<String> {
    let is_stream = parts.method == Method::GET && is_stream_path(parts.uri.path());
    if !is_stream || parts.headers.contains_key(header::AUTHORIZATION) {
        return None;
    }
    let query = url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
    let asked = query.into_iter().find(|(name, _)| name == "ticket").map(|(_, ticket)| ticket.into_owned());
    // The query of a WebSocket request may appear in logs elsewhere, but a browser can set its protocols.
    let protocols = parts.headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    let mut protocols = protocols.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
    asked.or_else(|| protocols.find_map(|name| name.trim().strip_prefix("ticket.").map(str::to_owned)))
}

/// Whether a path is that of a stream.
pub(crate) fn is_stream_path(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts.as_slice(),
        ["", "v1", "workspaces", _, "events"] | ["", "v1", "workspaces", _, "sessions", _, "stream"]
    )
}

/// The principal that requested the ticket, if the token is still valid.
async fn authenticate_ticket(
    ticket: &str,
    parts: &Parts,
    state: &Arc<ServerState>,
) -> Result<TokenPrincipal, Problem> {
    let refused = || Problem::new(ProblemCode::Unauthorized, saying!("refusal-ticket"));
    let authenticate = AuthenticateStreamTicket::new(state.ports.access.clone(), state.ports.clock.clone());
    let (ticket, token, person) = match authenticate.run(ticket, parts.uri.path()).await {
        Ok(found) => found,
        Err(AuthenticationError::Store(error)) => return Err(error.into()),
        // Guesses are counted, and so is a ticket of before once its row is gone.
        Err(AuthenticationError::Invalid) => {
            let client = parts.extensions.get::<ClientAddress>();
            return Err(client.map_or_else(refused, |client| state.count_failure(client.0, refused())));
        }
        Err(AuthenticationError::Expired | AuthenticationError::Revoked) => return Err(refused()),
    };
    state.count_request(&token.id)?;
    Ok(TokenPrincipal { token, person, ticket: Some(ticket.hash), is_local: false })
}

/// The token id of an authenticated request, to check the token again later.
#[derive(Clone, Debug)]
pub(crate) struct RequestTokenId(String);

impl RequestTokenId {
    /// The token id of a principal.
    pub(crate) fn of(visitor: &TokenPrincipal) -> Self {
        Self(visitor.token.id.clone())
    }

    /// Requires that the token is still valid, if time passed since it was checked.
    ///
    /// # Errors
    /// If the token was revoked in the meantime, or the database cannot be read.
    pub(crate) async fn require_unrevoked(&self, state: &ServerState) -> Result<(), Problem> {
        match state.ports.access.token(&self.0).await? {
            Some((token, _)) if token.revoked_at.is_none() => Ok(()),
            Some(_) | None => {
                let text = saying!("refusal-token-revoked-meanwhile");
                Err(Problem::new(ProblemCode::Unauthorized, text))
            }
        }
    }
}

/// Whether a request changes nothing.
pub(crate) fn is_safe_method(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}
