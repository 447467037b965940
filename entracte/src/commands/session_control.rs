//! `session stop | compact | interrupt | resume | confirm | reject-completion`.

use entracte_adapters_http::api_transport::ApiRequest;
use entracte_adapters_http::api_transport::api_path::ApiPath;
use entracte_adapters_http::shapes::session::{AcceptedShape, MetricsShape, RejectionShape, StopShape};
use entracte_application::texts::say;

use super::request_follow_up::RequestFollowUp;
use crate::api_client::{ApiClient, ShortIdKind, post, post_empty};
use crate::args::SessionCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};

/// A request that controls a session.
struct ControlRequest {
    session: String,
    /// The verb of its route.
    verb: &'static str,
    no_wait: bool,
    kind: ControlKind,
}

/// What is asked of a session.
enum ControlKind {
    /// To stop its work, for good if it says so.
    Stop { end: bool },
    /// To interrupt its round.
    Interrupt,
    /// To sum up its conversation.
    Compact,
    /// To go on.
    Resume,
    /// To count as completed.
    Confirm,
    /// Not to count as completed, for this reason.
    RejectCompletion { reason: Option<String> },
}

impl ControlRequest {
    /// The request of a command; `None` if the command controls no session.
    fn of(command: SessionCommand) -> Option<Self> {
        let request = |session, verb, no_wait, kind| Some(Self { session, verb, no_wait, kind });
        match command {
            SessionCommand::Stop { session, end, .. } => {
                request(session, "stop", false, ControlKind::Stop { end })
            }
            SessionCommand::Interrupt { session } => {
                request(session, "interrupt", false, ControlKind::Interrupt)
            }
            SessionCommand::Compact { session } => request(session, "compact", false, ControlKind::Compact),
            SessionCommand::Resume { session, no_wait } => {
                request(session, "resume", no_wait, ControlKind::Resume)
            }
            SessionCommand::Confirm { session, no_wait } => {
                request(session, "confirm", no_wait, ControlKind::Confirm)
            }
            SessionCommand::RejectCompletion { session, reason, no_wait } => {
                request(session, "reject-completion", no_wait, ControlKind::RejectCompletion { reason })
            }
            SessionCommand::List { .. }
            | SessionCommand::Open { .. }
            | SessionCommand::Show { .. }
            | SessionCommand::Messages { .. }
            | SessionCommand::Journal { .. }
            | SessionCommand::Calls { .. }
            | SessionCommand::Follow { .. }
            | SessionCommand::Prompt { .. }
            | SessionCommand::Copies(_)
            | SessionCommand::Verify { .. }
            | SessionCommand::Deleted { .. } => None,
        }
    }

    fn to_http(&self, path: &ApiPath) -> ApiRequest {
        match &self.kind {
            ControlKind::Stop { end } => post(path, &StopShape { end: *end }),
            ControlKind::RejectCompletion { reason } => {
                post(path, &RejectionShape { reason: reason.clone() })
            }
            ControlKind::Interrupt | ControlKind::Compact | ControlKind::Resume | ControlKind::Confirm => {
                post_empty(path)
            }
        }
    }
}

/// Runs one of the commands.
pub(crate) async fn run(context: &CommandContext, command: SessionCommand) -> Result<CliExitCode, CliError> {
    let Some(request) = ControlRequest::of(command) else { return Ok(CliExitCode::Done) };
    let api = ApiClient::open(context).await?;
    let session = api.find(ShortIdKind::Session, &request.session).await?;
    let follow_up = RequestFollowUp::begin(context, &api, &session).await?;
    let goes_on = matches!(request.kind, ControlKind::Resume) && follow_up.has_pending_work().await?;
    let asked = request.to_http(&api.path(&["sessions", &session, request.verb]));
    match api.send::<AcceptedShape>(asked).await {
        // It already works: its owner runs it, or this process took it up from a crashed one.
        Err(error) if error.exit == CliExitCode::Conflict && goes_on => {}
        answer => drop(follow_up.check(answer).await?),
    }
    if matches!(request.kind, ControlKind::Stop { .. } | ControlKind::Interrupt) {
        return follow_up.follow_halt().await;
    }
    let exit = follow_up.follow(request.no_wait).await?;
    if let (ControlKind::Compact, CliExitCode::Done) = (&request.kind, exit) {
        let metrics: MetricsShape = api.get(&api.path(&["sessions", &session, "metrics"])).await?;
        let texts = api.texts().await?;
        let full = crate::render::session_sheet::fullness(&metrics.context, texts);
        context.out.write_notice(&say!(texts, "talk-context", full = full));
    }
    Ok(exit)
}
