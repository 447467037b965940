//! `mcp login | logout | status`: manages a person's logins at MCP servers; the other `mcp` commands are in `mcp_decision`
//! and `mcp_prompts`.

use std::time::Duration;

use entracte_adapters_commands::mcp::McpServerConfig;
use entracte_adapters_commands::mcp::login::{
    McpLogin, McpLoginError, McpLogoutOutcome, OauthCallback, OauthCallbackListener, PendingMcpLogin,
};
use entracte_adapters_http::shapes::tool_server::ToolChoiceShape;
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Timestamp;
use serde_json::json;

use crate::args::McpCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};
use crate::render::text::one_line;
use crate::render::time::{day, iso};
use crate::secrets::secrets;
use crate::tools::logins;
use crate::user_text::message;

use super::login_link_file::LoginLinkFile;
use super::{browser, mcp_decision, mcp_prompts, mcp_waiting};

/// Runs one of the commands.
pub(super) async fn run(context: &CommandContext, command: McpCommand) -> Result<CliExitCode, CliError> {
    let texts = context.environment.texts();
    match command {
        McpCommand::Login { server, no_browser, within } => {
            McpLoginContext {
                context,
                texts,
                server: &server,
                config: config(context, texts, &server)?,
                no_browser,
            }
            .log_in(Duration::from_secs(u64::from(within)))
            .await
        }
        McpCommand::Logout { server } => log_out(context, texts, &server).await,
        McpCommand::Status => status(context, texts),
        McpCommand::Tools { server } => mcp_decision::list(context, server.as_deref()).await,
        McpCommand::Prompts { server } => mcp_prompts::list(context, server.as_deref()).await,
        McpCommand::Trust { server, tools, approve_waiting: false, .. } => {
            mcp_decision::decide(context, &server, ToolChoiceShape::Trust, &tools).await
        }
        McpCommand::Trust { server, tools, approve_waiting: true, yes } => {
            mcp_waiting::trust_and_approve(context, &server, &tools, yes).await
        }
        McpCommand::Ask { server, tools } => {
            mcp_decision::decide(context, &server, ToolChoiceShape::Ask, &tools).await
        }
        McpCommand::Keep { server, tools } => {
            mcp_decision::decide(context, &server, ToolChoiceShape::Keep, &tools).await
        }
    }
}

fn config<'a>(
    context: &'a CommandContext,
    texts: &LocalizedTexts,
    server: &str,
) -> Result<&'a McpServerConfig, CliError> {
    let known = context.settings.tools.mcp.iter().find(|(name, _)| name == server);
    known.map(|(_, config)| config).ok_or_else(|| {
        let text = say!(texts, "login-unknown", server = server);
        CliError::with_next(CliExitCode::NotFound, text, "entracte mcp status")
    })
}

/// A login in progress.
struct McpLoginContext<'a> {
    context: &'a CommandContext,
    texts: &'static LocalizedTexts,
    server: &'a str,
    config: &'a McpServerConfig,
    no_browser: bool,
}

impl McpLoginContext<'_> {
    async fn log_in(&self, within: Duration) -> Result<CliExitCode, CliError> {
        let port = self.config.oauth.as_ref().and_then(|login| login.redirect_port);
        let listener = OauthCallbackListener::open(port).await.map_err(|error| self.failed(&error))?;
        let settings = &self.context.settings;
        let (logins, secrets) = (logins(settings), secrets(&settings.parts));
        let address = listener.address();
        let begun = logins.begin(self.server, self.config, &*secrets, &address).await;
        let pending = begun.map_err(|error| self.failed(&error))?;
        // Removed when the login ends.
        let _file = self.show(&pending)?;
        let came = tokio::time::timeout(within, self.callback(&listener, &pending.state())).await;
        let late = || {
            let text = say!(self.texts, "login-late", seconds = within.as_secs());
            CliError::with_next(CliExitCode::TimedOut, text, format!("entracte mcp login {}", self.server))
        };
        let callback = came.map_err(|_| late())??;
        let login = pending.finish(&callback).await.map_err(|error| self.failed(&error))?;
        self.tell(&login)?;
        Ok(CliExitCode::Done)
    }

    /// Shows the address, and opens a browser if there is one and the configuration names the host. Returns the file
    /// with the address if there is no terminal.
    fn show(&self, pending: &PendingMcpLogin) -> Result<Option<LoginLinkFile>, CliError> {
        let out = &self.context.out;
        let (issuer, host) = (one_line(pending.issuer()), one_line(&pending.host()));
        let has_browser = !self.no_browser && !out.json && self.context.environment.stderr_terminal;
        // The login needs the address, so it is shown with --quiet too.
        out.write_warning(&say!(self.texts, "login-open", issuer = issuer, host = &host));
        let file = if self.context.environment.stderr_terminal {
            out.write_warning(&one_line(pending.url()));
            None
        } else {
            let file = LoginLinkFile::write(&self.context.settings, LINK, pending.url())?;
            out.write_warning(&say!(self.texts, "link-in-file", file = file.shown()));
            Some(file)
        };
        if has_browser && !pending.is_expected_host() {
            out.write_warning(&say!(self.texts, "login-other-host", host = host, server = self.server));
        } else if has_browser && browser::open(pending.url()) {
            out.write_warning(&say!(self.texts, "login-opened"));
        }
        if self.reads_lines() {
            out.write_notice(&say!(self.texts, "login-paste"));
        }
        Ok(file)
    }

    fn reads_lines(&self) -> bool {
        self.no_browser || self.context.environment.stdin_terminal
    }

    /// The callback: received by the listener, or pasted by the person.
    async fn callback(
        &self,
        listener: &OauthCallbackListener,
        state: &str,
    ) -> Result<OauthCallback, CliError> {
        let (page, refused) = (say!(self.texts, "login-page"), say!(self.texts, "login-page-refused"));
        tokio::select! {
            came = listener.wait(state, &page, &refused) => came.map_err(|error| self.failed(&error)),
            pasted = self.pasted() => pasted,
            _ = tokio::signal::ctrl_c() => {
                Err(CliError::new(CliExitCode::Interrupted, message!("error-interrupted")))
            }
        }
    }

    /// A pasted address. Without a person at the terminal, this waits for ever.
    async fn pasted(&self) -> Result<OauthCallback, CliError> {
        if !self.reads_lines() {
            return std::future::pending().await;
        }
        let mut lines = crate::line_reader::spawn_line_reader();
        while let Some(line) = lines.recv().await {
            match OauthCallback::from_address(&line) {
                Ok(callback) => return Ok(callback),
                Err(_) if line.trim().is_empty() => {}
                Err(error) => self.context.out.write_warning(&error.message(self.texts)),
            }
        }
        std::future::pending().await
    }

    fn tell(&self, login: &McpLogin) -> Result<(), CliError> {
        if self.context.out.json {
            let object = json!({
                "schema": "entracte.mcp_login/1",
                "server": self.server,
                "issuer": login.issuer,
                "scopes": login.scopes,
                "expires_at": login.expires_at.map(|seconds| iso(instant(seconds))),
                "renews": login.renews,
            });
            return self.context.out.write_json_line(&object);
        }
        let issuer = one_line(&login.issuer);
        self.context.out.write_data_line(&say!(
            self.texts,
            "login-done",
            server = self.server,
            issuer = issuer
        ))
    }

    fn failed(&self, error: &McpLoginError) -> CliError {
        failed(self.texts, self.server, error)
    }
}

fn failed(texts: &LocalizedTexts, server: &str, error: &McpLoginError) -> CliError {
    let why = error.message(texts);
    let text = say!(texts, "login-failed", server = server, why = why);
    CliError::with_next(exit(error), text, "entracte mcp status")
}

fn exit(error: &McpLoginError) -> CliExitCode {
    match error {
        McpLoginError::NoAddress
        | McpLoginError::OwnAuthorization
        | McpLoginError::NoRegistration
        | McpLoginError::NoConfiguredIssuer
        | McpLoginError::NotTheAddress
        | McpLoginError::Secret(_) => CliExitCode::Usage,
        McpLoginError::Declined(_) => CliExitCode::NotAllowed,
        McpLoginError::Busy { .. } => CliExitCode::Conflict,
        McpLoginError::NotOffered
        | McpLoginError::NoPkce
        | McpLoginError::NotRegistered(_)
        | McpLoginError::NotExchanged(_)
        | McpLoginError::NoAuthorizationServer { .. }
        | McpLoginError::OtherResource { .. }
        | McpLoginError::OtherIssuer { .. }
        | McpLoginError::NoIssuer { .. }
        | McpLoginError::OtherLogin
        | McpLoginError::NotEncrypted { .. }
        | McpLoginError::NotAPage { .. }
        | McpLoginError::ShortToken
        | McpLoginError::Request(_)
        | McpLoginError::Listen { .. }
        | McpLoginError::File { .. }
        | McpLoginError::Damaged { .. }
        | McpLoginError::Version { .. }
        | McpLoginError::Says(_) => CliExitCode::Failure,
    }
}

/// The file name of a login's address.
const LINK: &str = "mcp-login-link";

async fn log_out(
    context: &CommandContext,
    texts: &LocalizedTexts,
    server: &str,
) -> Result<CliExitCode, CliError> {
    let config = config(context, texts, server)?;
    let out = logins(&context.settings).logout(server, config).await;
    let out = out.map_err(|error| failed(texts, server, &error))?;
    let (word, says) = match &out {
        McpLogoutOutcome::Nothing => ("none", say!(texts, "login-out-nothing", server = server)),
        McpLogoutOutcome::Forgotten => ("forgotten", say!(texts, "login-out-forgotten", server = server)),
        McpLogoutOutcome::Revoked => ("revoked", say!(texts, "login-out-revoked", server = server)),
        McpLogoutOutcome::NotRevoked(error) => {
            let why = error.message(texts);
            let says = say!(texts, "login-out-not-revoked", server = server, why = why);
            context.out.write_warning(&format!("{} {}", say!(texts, "screen-warning"), one_line(&says)));
            ("not_revoked", String::new())
        }
    };
    if context.out.json {
        context.out.write_json_line(
            &json!({ "schema": "entracte.mcp_logout/1", "server": server, "login": word }),
        )?;
    } else if !says.is_empty() {
        context.out.write_data_line(&says)?;
    }
    Ok(CliExitCode::Done)
}

/// The status of a server's login, for people and as JSON.
pub(super) struct McpLoginStatus {
    /// The status word in JSON.
    pub(super) word: &'static str,
    /// The status as text.
    pub(super) says: String,
    login: Option<McpLogin>,
}

/// The status of the login at a server.
pub(super) fn standing(
    context: &CommandContext,
    texts: &LocalizedTexts,
    server: &str,
    config: &McpServerConfig,
) -> Result<McpLoginStatus, McpLoginError> {
    let plain = |word, says| Ok(McpLoginStatus { word, says, login: None });
    if config.url.is_none() {
        return plain("not_needed", say!(texts, "login-status-program"));
    }
    if config.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization")) {
        return plain("configured", say!(texts, "login-status-key"));
    }
    let Some(login) = logins(&context.settings).login(server, config)? else {
        return plain("none", say!(texts, "login-status-not", server = server));
    };
    let issuer = one_line(&login.issuer);
    let (word, says) = match login.expires_at.map(instant) {
        _ if login.renews => ("logged_in", say!(texts, "login-status-renews", issuer = issuer)),
        None => ("logged_in", say!(texts, "login-status-in", issuer = issuer)),
        Some(until) if until <= SystemClock.now() => {
            ("expired", say!(texts, "login-status-expired", server = server))
        }
        Some(until) => {
            let until = day(until, &context.zone);
            ("logged_in", say!(texts, "login-status-until", issuer = issuer, until = until))
        }
    };
    Ok(McpLoginStatus { word, says, login: Some(login) })
}

fn instant(seconds: u64) -> Timestamp {
    Timestamp(i64::try_from(seconds.saturating_mul(MICROS)).unwrap_or(i64::MAX))
}

fn status(context: &CommandContext, texts: &LocalizedTexts) -> Result<CliExitCode, CliError> {
    let servers = &context.settings.tools.mcp;
    let mut rows = Vec::new();
    for (name, config) in servers {
        let standing = standing(context, texts, name, config);
        rows.push((
            name,
            config,
            standing.unwrap_or_else(|error| McpLoginStatus {
                word: "unreadable",
                says: error.message(texts),
                login: None,
            }),
        ));
    }
    if context.out.json {
        let object = |(name, config, standing): &(&String, &McpServerConfig, McpLoginStatus)| {
            let login = standing.login.as_ref();
            json!({
                "server": name,
                "url": config.url,
                "command": config.command,
                "login": standing.word,
                "issuer": login.map(|login| &login.issuer),
                "scopes": login.map(|login| &login.scopes),
                "expires_at": login.and_then(|login| login.expires_at).map(|seconds| iso(instant(seconds))),
                "renews": login.map(|login| login.renews),
            })
        };
        let servers: Vec<_> = rows.iter().map(object).collect();
        context.out.write_json_line(&json!({ "schema": "entracte.mcp_servers/1", "servers": servers }))?;
        return Ok(CliExitCode::Done);
    }
    let row = |(name, config, standing): &(&String, &McpServerConfig, McpLoginStatus)| {
        let place = config.url.as_deref().or(config.command.as_deref()).unwrap_or_default();
        vec![(*name).clone(), standing.says.clone(), place.to_owned()]
    };
    let heads = heads(texts, &["name", "login", "place"]);
    write_table(&context.out, &heads, &rows.iter().map(row).collect::<Vec<_>>())?;
    if rows.is_empty() {
        context.out.write_notice(&say!(texts, "login-status-none"));
    }
    Ok(CliExitCode::Done)
}

/// Microseconds per second.
const MICROS: u64 = 1_000_000;
