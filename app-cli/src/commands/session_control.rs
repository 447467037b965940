//! `session stop | compact | interrupt | resume | confirm | reject-completion`.

use entracte_application::texts::say;
use entracte_application::use_cases::{
    CompactSession, ConfirmCompletion, EndSession, InterruptRound, RejectCompletion, ResumeSession,
    StopSession, UseCaseError,
};

use super::turn::SessionContext;
use crate::args::SessionCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};

/// Runs one of the commands.
pub(crate) async fn run(context: &CommandContext, command: SessionCommand) -> Result<CliExitCode, CliError> {
    let named = match &command {
        SessionCommand::Stop { session, .. }
        | SessionCommand::Interrupt { session }
        | SessionCommand::Compact { session }
        | SessionCommand::Resume { session, .. }
        | SessionCommand::Confirm { session, .. }
        | SessionCommand::Open { session, .. }
        | SessionCommand::RejectCompletion { session, .. }
        | SessionCommand::Show { session }
        | SessionCommand::Messages { session, .. }
        | SessionCommand::Journal { session, .. }
        | SessionCommand::Follow { session, .. }
        | SessionCommand::Calls { session, .. } => session.clone(),
        SessionCommand::Prompt { .. }
        | SessionCommand::Copies(_)
        | SessionCommand::Verify { .. }
        | SessionCommand::Deleted { .. }
        | SessionCommand::List { .. } => {
            return Ok(CliExitCode::Done);
        }
    };
    let services = context.open_services()?;
    let (session, workspace) = services.session(&context.settings.workspace, &named).await?;
    let stage = SessionContext::open_session(context, services, workspace, session).await?;
    let after = stage.last_sequence().await?;
    let no_wait = matches!(
        &command,
        SessionCommand::Resume { no_wait: true, .. }
            | SessionCommand::Confirm { no_wait: true, .. }
            | SessionCommand::RejectCompletion { no_wait: true, .. }
    );
    let halts = matches!(&command, SessionCommand::Stop { .. } | SessionCommand::Interrupt { .. });
    let compacts = matches!(&command, SessionCommand::Compact { .. });
    let goes_on = matches!(&command, SessionCommand::Resume { .. }) && stage.has_pending_work(after).await?;
    match ask(&stage, command).await {
        // It already works: its owner runs it, or this process took it up from a crashed one.
        Err(UseCaseError::NotApplicable(_)) if goes_on => {}
        answer => stage.finish_request(answer).await?,
    }
    if halts {
        return Ok(exit_for_requested_stop(stage.report_halt(after).await?));
    }
    let exit = stage.follow_if_owner(no_wait, after).await?;
    if compacts && exit == CliExitCode::Done {
        let full = context.prompt_fullness(&stage.services, &stage.workspace, &stage.session).await?;
        let texts = context.workspace_texts().await;
        let full = crate::render::session_sheet::fullness(&full, texts);
        context.out.write_notice(&say!(texts, "talk-context", full = full));
    }
    Ok(exit)
}

/// The exit code after a requested stop, which is not an interruption of the command.
fn exit_for_requested_stop(exit: CliExitCode) -> CliExitCode {
    if exit == CliExitCode::Interrupted { CliExitCode::Done } else { exit }
}

/// Sends the request.
async fn ask(stage: &SessionContext<'_>, command: SessionCommand) -> Result<(), UseCaseError> {
    let (runtime, workspace, session) = (stage.runtime.clone(), &stage.workspace, &stage.session);
    let author = stage.author();
    match command {
        SessionCommand::Stop { end: true, .. } => {
            EndSession::new(runtime).run(workspace, session, author).await?
        }
        SessionCommand::Stop { end: false, .. } => {
            StopSession::new(runtime).run(workspace, session, author).await?
        }
        SessionCommand::Compact { .. } => {
            CompactSession::new(runtime).run(workspace, session, author).await?
        }
        SessionCommand::Interrupt { .. } => {
            InterruptRound::new(runtime).run(workspace, session, author).await?
        }
        SessionCommand::Confirm { .. } => {
            ConfirmCompletion::new(runtime).run(workspace, session, author).await?
        }
        SessionCommand::RejectCompletion { reason, .. } => {
            RejectCompletion::new(runtime).run(workspace, session, author, reason).await?
        }
        SessionCommand::Resume { .. } => ResumeSession::new(runtime).run(workspace, session, author).await?,
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
        | SessionCommand::Deleted { .. } => return Ok(()),
    };
    Ok(())
}
