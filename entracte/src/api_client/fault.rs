//! Faults of the API as errors for people.

use entracte_adapters_http::api_transport::ApiFault;
use entracte_adapters_http::api_transport::server_address::ServerAddress;
use entracte_adapters_http::problem::ProblemCode;

use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// The error for a fault; on this machine it is the same as that of the use case.
pub(super) fn fault_error(fault: ApiFault, server: Option<&ServerAddress>) -> CliError {
    let problem = match fault {
        ApiFault::Refused(problem) => problem,
        fault => return unanswered(&fault, server),
    };
    if let Some(cause) = problem.cause() {
        return cause.into();
    }
    let error = CliError::new(exit_of(problem.code()), problem.detail().clone());
    match (problem.code(), server) {
        (ProblemCode::Unauthorized, Some(server)) => error.replace_next(login_command(server)),
        (ProblemCode::ScopeMissing, Some(server)) => error.or_next(login_command(server)),
        // Another person finds it there.
        (ProblemCode::FourEyes, _) => error.or_next("entracte inbox"),
        _ => error,
    }
}

/// The error for an answer that this program cannot read.
pub(super) fn damaged_answer(error: &serde_json::Error, server: Option<&ServerAddress>) -> CliError {
    tracing::warn!(%error, "an answer of the API cannot be read");
    let Some(server) = server else {
        return CliError::new(CliExitCode::Failure, error.to_string());
    };
    let text = message!("server-other-version", server = server.as_str(), why = error.to_string());
    CliError::with_next(CliExitCode::Failure, text, "entracte --version")
}

fn unanswered(fault: &ApiFault, server: Option<&ServerAddress>) -> CliError {
    let text = match fault {
        ApiFault::Unreachable { server, why } => message!("server-unreachable", server = server, why = why),
        ApiFault::Lost { server, why } => message!("server-lost", server = server, why = why),
        ApiFault::Unreadable { server, why } => {
            message!("server-other-version", server = server, why = why)
        }
        ApiFault::Redirected { server, place } => {
            message!("server-redirects", server = server, place = place)
        }
        ApiFault::NotEntracte { server, status } => {
            message!("server-is-another", server = server, status = status.to_string())
        }
        other => other.to_string().into(),
    };
    let exit = match fault {
        ApiFault::Unreachable { .. } => CliExitCode::TryAgain,
        ApiFault::Lost { .. } => CliExitCode::Unknown,
        _ => CliExitCode::Failure,
    };
    match server {
        Some(server) => CliError::with_next(exit, text, login_command(server)),
        None => CliError::new(exit, text),
    }
}

/// The command that logs in to a server.
pub(super) fn login_command(server: &ServerAddress) -> String {
    format!("entracte login --server {server}")
}

/// The exit code of a refusal.
fn exit_of(code: ProblemCode) -> CliExitCode {
    match code {
        ProblemCode::NotFound => CliExitCode::NotFound,
        ProblemCode::Conflict
        | ProblemCode::AlreadyDecided
        | ProblemCode::AlreadyHeld
        | ProblemCode::Ended
        | ProblemCode::NotApplicable
        | ProblemCode::Changed
        | ProblemCode::LinkSpent
        | ProblemCode::IdempotencyInProgress => CliExitCode::Conflict,
        ProblemCode::Malformed
        | ProblemCode::CursorInvalid
        | ProblemCode::Invalid
        | ProblemCode::TooLarge
        | ProblemCode::MediaType
        | ProblemCode::MethodNotAllowed
        | ProblemCode::IdempotencyMismatch
        | ProblemCode::PreconditionRequired => CliExitCode::Usage,
        ProblemCode::Unauthorized
        | ProblemCode::ScopeMissing
        | ProblemCode::FourEyes
        | ProblemCode::ConsentNeeded
        | ProblemCode::LoginNeeded
        | ProblemCode::LoginRefused
        | ProblemCode::HostRefused
        | ProblemCode::OriginRefused => CliExitCode::NotAllowed,
        ProblemCode::RateLimited | ProblemCode::TooManyStreams => CliExitCode::Limit,
        ProblemCode::Internal => CliExitCode::Failure,
        ProblemCode::NotTaken => CliExitCode::TimedOut,
        ProblemCode::DatabaseUnavailable | ProblemCode::ReadersBusy | ProblemCode::ShuttingDown => {
            CliExitCode::TryAgain
        }
    }
}
