//! `session open`: requests a slot for a chat without a model call.

use entracte_application::use_cases::QueuePosition;
use entracte_domain::session::Slot;
use entracte_domain::workspace::ActivationResult;

use super::chat_attachment::ChatAttachment;
use super::turn::SessionContext;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::{CtrlCListener, LOOKS_AT_PLACE, is_same_slot_place};
use crate::json::OpenChatObject;
use crate::render::automation::activation_text;
use crate::render::slot_place::place;
use crate::render::time::TimeFormatter;
use crate::user_text::message;

/// Runs `session open`.
pub(crate) async fn run(
    context: &CommandContext,
    named: &str,
    no_wait: bool,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let (session, workspace) = services.session(&context.settings.workspace, named).await?;
    let stage = SessionContext::open_session(context, services, workspace, session).await?;
    let (attached, mut opened) =
        stage.finish_request(ChatAttachment::attach_and_request_slot(&stage).await).await?;
    let mut waits = stage.services.slot_place(&stage.workspace, &stage.session).await?;
    if let Some(waiting) = &waits {
        tell(&stage, waiting).await;
        if !no_wait {
            wait(&stage, waiting.clone()).await?;
            (opened.activation, waits) = (Some(ActivationResult::Activated), None);
        }
    }
    attached.stop_renewing();
    if context.out.json {
        context.out.write_json_line(&OpenChatObject::new(&opened, waits.as_ref()))?;
    } else {
        let position = match opened.activation {
            Some(ActivationResult::Queued { position }) => usize::try_from(position).ok(),
            _ => None,
        };
        let activation = activation_text(opened.activation.map(ActivationResult::word), position);
        context.out.write_data_line(format!("{}  {activation}", stage.session).trim_end())?;
    }
    stage.drain_owned_work().await?;
    Ok(CliExitCode::Done)
}

async fn tell(stage: &SessionContext<'_>, waiting: &QueuePosition) {
    let texts = stage.context.workspace_texts().await;
    let dial = TimeFormatter { zone: &stage.context.zone, now: Some(stage.services.clock.now()) };
    stage.context.out.write_notice(&place(waiting.session.as_str(), &waiting.into(), texts, dial));
}

/// Waits until it has its slot.
async fn wait(stage: &SessionContext<'_>, mut told: QueuePosition) -> Result<(), CliError> {
    let follow = stage.services.follow();
    let mut ctrl_c = CtrlCListener::listen();
    let mut looks = 0_u32;
    loop {
        tokio::select! {
            biased;
            () = ctrl_c.wait_for_press() => return Err(interrupted(stage)),
            () = follow.wait_for_change() => looks = looks.wrapping_add(1),
        }
        stage.runtime.try_take_ownership(looks).await?;
        match stage.services.show().run(&stage.workspace, &stage.session).await?.facts.slot {
            Slot::Held => return Ok(()),
            Slot::None => return Err(replaced(stage)),
            Slot::Queued(_) | Slot::Suspended(_) => {}
        }
        if !looks.is_multiple_of(LOOKS_AT_PLACE) {
            continue;
        }
        let place = stage.services.slot_place(&stage.workspace, &stage.session).await?;
        if let Some(now) = place.filter(|now| !is_same_slot_place(&told, now)) {
            tell(stage, &now).await;
            told = now;
        }
    }
}

fn interrupted(stage: &SessionContext<'_>) -> CliError {
    let next = format!("entracte session open {}", stage.session);
    CliError::with_next(CliExitCode::Interrupted, message!("error-interrupted"), next)
}

fn replaced(stage: &SessionContext<'_>) -> CliError {
    let text = message!("open-replaced", session = stage.session.as_str());
    CliError::with_next(CliExitCode::Conflict, text, format!("entracte session open {}", stage.session))
}
