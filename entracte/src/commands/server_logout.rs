//! `logout --server`: revokes the token of a login at its server, and forgets it.

use entracte_adapters_http::api_transport::ApiFault;
use entracte_adapters_http::api_transport::server_address::ServerAddress;
use entracte_adapters_http::problem::ProblemCode;
use secrecy::SecretString;
use serde_json::json;

use super::server_login::revoke_request;
use crate::api_client::ApiClient;
use crate::args::LogoutArgs;
use crate::command_context::CommandContext;
use crate::config::{ServerList, ServerListFault};
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// What became of a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogoutOutcome {
    /// There was none.
    Nothing,
    /// Its token was revoked.
    Revoked,
    /// Its token was not valid any more.
    Over,
    /// It is forgotten here, and its token still counts there.
    NotRevoked,
}

impl LogoutOutcome {
    /// The word in JSON.
    fn word(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Revoked => "revoked",
            Self::Over => "over",
            Self::NotRevoked => "not_revoked",
        }
    }

    /// The key of its text.
    fn key(self) -> &'static str {
        match self {
            Self::Nothing => "server-logout-nothing",
            Self::Revoked => "server-logout-revoked",
            Self::Over => "server-logout-over",
            Self::NotRevoked => "server-logout-not-revoked",
        }
    }
}

/// Runs `logout`.
pub(crate) async fn run(context: &CommandContext, args: &LogoutArgs) -> Result<CliExitCode, CliError> {
    let Some(server) = &context.server else {
        let text = message!("server-logout-no-server");
        return Err(CliError::with_next(CliExitCode::Usage, text, "entracte logout --server URL"));
    };
    let list = ServerList::for_environment(&context.environment);
    let unusable = |fault: ServerListFault| {
        CliError::with_next(CliExitCode::Failure, list.describe(&fault), "entracte doctor")
    };
    let Some(login) = list.login(server).map_err(unusable)? else {
        return tell(context, server, LogoutOutcome::Nothing);
    };
    let outcome = match revoke(context, server, login.token).await {
        Ok(outcome) => outcome,
        Err(error) if args.force => {
            context.out.write_notice(&error.to_text().localize(context.environment.texts()));
            LogoutOutcome::NotRevoked
        }
        Err(error) => {
            let text = message!("server-logout-kept", server = server.as_str(), why = error.to_text());
            let next = format!("entracte logout --server {server} --force");
            return Err(CliError::with_next(error.exit, text, next));
        }
    };
    list.forget(server).map_err(unusable)?;
    tell(context, server, outcome)
}

async fn revoke(
    context: &CommandContext,
    server: &ServerAddress,
    token: SecretString,
) -> Result<LogoutOutcome, CliError> {
    let api = ApiClient::connect_with(context, server, Some(token))?;
    match api.answer(revoke_request()).await {
        Ok(_) => Ok(LogoutOutcome::Revoked),
        Err(ApiFault::Refused(problem)) if problem.code() == ProblemCode::Unauthorized => {
            Ok(LogoutOutcome::Over)
        }
        Err(fault) => Err(api.error(fault)),
    }
}

fn tell(
    context: &CommandContext,
    server: &ServerAddress,
    outcome: LogoutOutcome,
) -> Result<CliExitCode, CliError> {
    let (out, texts) = (&context.out, context.environment.texts());
    if out.json {
        let (server, login) = (server.as_str(), outcome.word());
        out.write_json_line(
            &json!({ "schema": "entracte.server_logout/1", "server": server, "login": login }),
        )?;
    } else {
        out.write_data_line(&texts.render(outcome.key(), &[("server", server.as_str().into())]))?;
    }
    Ok(CliExitCode::Done)
}
