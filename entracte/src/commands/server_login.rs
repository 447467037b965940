//! `login --server`: asks a person in the console of a server for a token, or takes one from standard input, and keeps
//! it for exactly that address. Without a server, `login` is `web_login`.

use std::time::Duration;

use entracte_adapters_http::api_transport::api_path::ApiPath;
use entracte_adapters_http::api_transport::server_address::ServerAddress;
use entracte_adapters_http::api_transport::{ApiFault, ApiRequest};
use entracte_adapters_http::problem::ProblemCode;
use entracte_adapters_http::shapes::instant;
use entracte_adapters_http::shapes::terminal_login::{
    NewTerminalLoginShape, OpenedTerminalLoginShape, TERMINAL_NAME_MAX, TerminalClaimShape,
    TerminalTokenShape,
};
use entracte_adapters_http::shapes::token::{MeShape, TokenShape};
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_application::texts::{LocalizedTexts, say};
use http::StatusCode;
use serde_json::json;

use super::browser;
use super::chat::standard_input;
use super::web_login;
use crate::api_client::{ApiClient, delete, post};
use crate::args::LoginArgs;
use crate::command_context::CommandContext;
use crate::config::{ServerList, ServerListFault, ServerLogin};
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::render::time::{clock, day};
use crate::user_text::message;

/// What stands for standard input.
const INPUT: &str = "-";

/// Runs `login`.
pub(crate) async fn run(context: &CommandContext, args: &LoginArgs) -> Result<CliExitCode, CliError> {
    let Some(server) = &context.server else {
        return match args.token.is_some() || args.no_browser {
            true => Err(usage(message!("server-login-no-server"), "entracte login --server URL")),
            false => web_login::run(context, args.qr).await,
        };
    };
    if args.qr {
        return Err(usage(message!("login-qr-of-server"), "entracte login --server URL"));
    }
    let list = ServerList::for_environment(&context.environment);
    ServerLoginContext { context, texts: context.environment.texts(), server, list }.log_in(args).await
}

/// The login at a server.
struct ServerLoginContext<'a> {
    context: &'a CommandContext,
    texts: &'static LocalizedTexts,
    server: &'a ServerAddress,
    list: ServerList,
}

impl ServerLoginContext<'_> {
    async fn log_in(&self, args: &LoginArgs) -> Result<CliExitCode, CliError> {
        // A list that cannot be used is told before anybody is asked.
        let is_replaced = self.list.login(self.server).map_err(|fault| self.unusable(&fault))?.is_some();
        let token = match &args.token {
            Some(given) => self.check_token(given).await?,
            None => self.ask_person(args.no_browser).await?,
        };
        let login = ServerLogin {
            token: token.token.clone().into(),
            workspace: token.workspace.clone(),
            person: token.person.clone(),
        };
        if let Err(fault) = self.list.keep(self.server, &login) {
            if args.token.is_none() {
                self.revoke(&login).await;
            }
            return Err(self.unusable(&fault));
        }
        if is_replaced {
            let replaced = say!(self.texts, "server-login-replaced", server = self.server.as_str());
            self.context.out.write_notice(&replaced);
        }
        self.tell(&token)?;
        Ok(CliExitCode::Done)
    }

    /// The token of standard input, as the server knows it.
    async fn check_token(&self, given: &str) -> Result<TerminalTokenShape, CliError> {
        let next = format!("entracte login --server {} --token - < FILE", self.server);
        // What was given is not repeated: it may be the token.
        if given != INPUT {
            return Err(usage(message!("server-login-token-argument"), &next));
        }
        if self.context.environment.stdin_terminal {
            return Err(usage(message!("server-login-token-terminal"), &next));
        }
        let token = standard_input()?.trim().to_owned();
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(usage(message!("server-login-token-invalid"), &next));
        }
        let api = ApiClient::connect_with(self.context, self.server, Some(token.clone().into()))?;
        let me: MeShape = api.get(&ApiPath::new(&["me"])).await?;
        let TokenShape { person, workspace, scopes, expires_at, .. } = me.token;
        Ok(TerminalTokenShape { token, person: person.name, workspace, scopes, expires_at })
    }

    /// The token that a person allows in the console.
    async fn ask_person(&self, no_browser: bool) -> Result<TerminalTokenShape, CliError> {
        let api = ApiClient::connect_with(self.context, self.server, None)?;
        let new = NewTerminalLoginShape { name: terminal_name(self.context) };
        let opened: OpenedTerminalLoginShape =
            api.change(post(&ApiPath::new(&["login", "terminals"]), &new)).await?;
        self.show(&opened, no_browser)?;
        tokio::select! {
            token = self.wait_for_token(&api, &opened) => token,
            _ = tokio::signal::ctrl_c() => {
                Err(CliError::new(CliExitCode::Interrupted, message!("error-interrupted")))
            }
        }
    }

    /// Shows the address and the code, and opens the browser where there is one.
    fn show(&self, opened: &OpenedTerminalLoginShape, no_browser: bool) -> Result<(), CliError> {
        let Some(url) = page_url(self.server, &opened.page) else {
            let why = format!("page = {}", one_line(&opened.page));
            let text = message!("server-other-version", server = self.server.as_str(), why = why);
            return Err(CliError::new(CliExitCode::Failure, text));
        };
        let (out, environment) = (&self.context.out, &self.context.environment);
        if out.json {
            let object = json!({
                "schema": "entracte.server_login_wait/1",
                "server": self.server.as_str(),
                "code": opened.code,
                "url": url,
                "expires_at": opened.expires_at,
            });
            out.write_json_line(&object)?;
        }
        // The login needs them, so they are shown with --quiet too.
        out.write_warning(&say!(self.texts, "server-login-open", server = self.server.as_str()));
        out.write_warning(&format!("  {url}"));
        out.write_warning(&say!(self.texts, "server-login-code", code = one_line(&opened.code)));
        if let Some(until) = instant(&opened.expires_at) {
            let until = clock(until, &self.context.zone);
            out.write_notice(&say!(self.texts, "server-login-waits", until = until));
        }
        let opens = !no_browser && !out.json && environment.stderr_terminal;
        if opens && browser::has_display(environment) && browser::open(&url) {
            out.write_notice(&say!(self.texts, "login-opened"));
        }
        Ok(())
    }

    /// Asks until a person has decided. A network that is away comes back: only the server knows whether the login has
    /// expired, unless its time is over here too.
    async fn wait_for_token(
        &self,
        api: &ApiClient<'_>,
        opened: &OpenedTerminalLoginShape,
    ) -> Result<TerminalTokenShape, CliError> {
        let claim = TerminalClaimShape { secret: opened.secret.clone() };
        let until = instant(&opened.expires_at).unwrap_or(SystemClock.now());
        let asks = || post(&ApiPath::new(&["login", "terminals", "claim"]), &claim);
        loop {
            tokio::time::sleep(Duration::from_secs(opened.poll_seconds.max(1))).await;
            match api.answer(asks()).await {
                Ok(answer) if answer.status == StatusCode::ACCEPTED.as_u16() => {}
                Ok(answer) => return api.parse(&answer),
                Err(fault) if may_pass(&fault) && SystemClock.now() < until => {}
                Err(fault) => return Err(self.ended(api, fault)),
            }
        }
    }

    /// Why the login came to nothing.
    fn ended(&self, api: &ApiClient<'_>, fault: ApiFault) -> CliError {
        let server = self.server.as_str();
        let (exit, text) = match &fault {
            ApiFault::Refused(problem) => match problem.code() {
                ProblemCode::LoginRefused => {
                    (CliExitCode::NotAllowed, message!("server-login-refused", server = server))
                }
                ProblemCode::LinkSpent => {
                    (CliExitCode::TimedOut, message!("server-login-over", server = server))
                }
                _ => return api.error(fault),
            },
            _ => return api.error(fault),
        };
        CliError::with_next(exit, text, format!("entracte login --server {server}"))
    }

    /// Revokes a token that cannot be kept. Nobody knows it, so it may also expire.
    async fn revoke(&self, login: &ServerLogin) {
        let Ok(api) = ApiClient::connect_with(self.context, self.server, Some(login.token.clone())) else {
            return;
        };
        if let Err(fault) = api.answer(revoke_request()).await {
            tracing::warn!(%fault, "a token that could not be kept was not revoked");
        }
    }

    fn tell(&self, token: &TerminalTokenShape) -> Result<(), CliError> {
        let (out, server) = (&self.context.out, self.server.as_str());
        if out.json {
            return out.write_json_line(&json!({
                "schema": "entracte.server_login/1",
                "server": server,
                "person": token.person,
                "workspace": token.workspace,
                "scopes": token.scopes,
                "expires_at": token.expires_at,
            }));
        }
        let reach = match &token.workspace {
            Some(workspace) => {
                say!(self.texts, "server-login-workspace", workspace = one_line(workspace))
            }
            None => say!(self.texts, "server-login-everywhere"),
        };
        let end = match token.expires_at.as_deref().and_then(instant) {
            Some(until) => {
                say!(self.texts, "server-login-until", until = day(until, &self.context.zone))
            }
            None => say!(self.texts, "server-login-endless"),
        };
        let (person, scopes) = (one_line(&token.person), one_line(&token.scopes.join(", ")));
        out.write_data_line(&say!(
            self.texts,
            "server-login-done",
            server = server,
            person = person,
            reach = reach,
            scopes = scopes,
            end = end
        ))
    }

    fn unusable(&self, fault: &ServerListFault) -> CliError {
        CliError::with_next(CliExitCode::Failure, self.list.describe(fault), "entracte doctor")
    }
}

/// The request that revokes the token that it is sent with.
pub(super) fn revoke_request() -> ApiRequest {
    delete(&ApiPath::new(&["me", "token"]))
}

/// Whether the same request may succeed later: the network, or the server behind a proxy, is away for now.
fn may_pass(fault: &ApiFault) -> bool {
    match fault {
        ApiFault::Unreachable { .. } | ApiFault::Lost { .. } => true,
        ApiFault::Refused(problem) => problem.code().status() == 503,
        ApiFault::NotEntracte { status, .. } => (502..=504).contains(status),
        _ => false,
    }
}

/// The page of a server, below its own address; `None` if the path would lead elsewhere.
fn page_url(server: &ServerAddress, path: &str) -> Option<String> {
    let is_path = path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic());
    is_path.then(|| format!("{server}{path}"))
}

/// What this terminal calls itself: `ann@laptop`.
fn terminal_name(context: &CommandContext) -> String {
    let host = nix::unistd::gethostname().ok().and_then(|host| host.into_string().ok()).unwrap_or_default();
    let name = match host.is_empty() {
        true => context.environment.user().to_owned(),
        false => format!("{}@{host}", context.environment.user()),
    };
    one_line(&name).chars().take(TERMINAL_NAME_MAX).collect::<String>().trim_end().to_owned()
}

fn usage(text: impl Into<crate::user_text::UserText>, next: &str) -> CliError {
    CliError::with_next(CliExitCode::Usage, text, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: paths as a server may send them; expected: the page is below its address, or none is opened.
    #[test]
    fn page_stays_below_the_server() {
        let server = ServerAddress::parse("https://agents.example/team").unwrap();
        assert_eq!(
            page_url(&server, "/terminal?code=WXZB-CDFG").as_deref(),
            Some("https://agents.example/team/terminal?code=WXZB-CDFG")
        );
        for path in ["", ".evil.example/", "@evil.example/", "https://evil.example", "/a b", "/a\u{202e}"] {
            assert_eq!(page_url(&server, path), None, "{path:?}");
        }
    }
}
