//! `session open`: a chat asks for its slot without a model call.

use entracte_application::use_cases::QueuePosition;
use entracte_domain::session::Slot;
use entracte_domain::workspace::ActivationResult;

use super::attached::ChatAttachment;
use super::turn::SessionContext;
use crate::desk::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::{CtrlCListener, LOOKS_AT_PLACE, is_same};
use crate::json::OpenChatObject;
use crate::message::message;
use crate::render::automation::activation;
use crate::render::place::place;
use crate::render::time::TimeFormatter;

/// Runs `session open`.
pub(crate) async fn run(desk: &CommandContext, named: &str, no_wait: bool) -> Result<CliExitCode, CliError> {
    let wiring = desk.wire()?;
    let found = wiring.session(&desk.settings.workspace, named).await?;
    let stage = SessionContext::of(desk, wiring, found).await?;
    let (attached, mut opened) = stage.asked(ChatAttachment::asking(&stage).await).await?;
    let mut waits = stage.wiring.place(&stage.workspace, &stage.session).await?;
    if let Some(waiting) = &waits {
        tell(&stage, waiting).await;
        if !no_wait {
            wait(&stage, waiting.clone()).await?;
            (opened.activation, waits) = (Some(ActivationResult::Activated), None);
        }
    }
    attached.let_go();
    if desk.out.json {
        desk.out.object(&OpenChatObject::new(&opened, waits.as_ref()))?;
    } else {
        desk.out.data(format!("{}  {}", stage.session, activation(opened.activation)).trim_end())?;
    }
    stage.leave().await?;
    Ok(CliExitCode::Done)
}

async fn tell(stage: &SessionContext<'_>, waiting: &QueuePosition) {
    let texts = stage.desk.spoken_texts().await;
    let dial = TimeFormatter { zone: &stage.desk.zone, now: Some(stage.wiring.clock.now()) };
    stage.desk.out.say(&place(waiting, texts, dial));
}

/// Waits until it has its slot.
async fn wait(stage: &SessionContext<'_>, mut told: QueuePosition) -> Result<(), CliError> {
    let follow = stage.wiring.follow();
    let mut ctrl_c = CtrlCListener::listen();
    let mut looks = 0_u32;
    loop {
        tokio::select! {
            biased;
            () = ctrl_c.pressed() => return Err(interrupted(stage)),
            () = follow.wait_for_change() => looks = looks.wrapping_add(1),
        }
        stage.way.step_in(looks).await?;
        match stage.wiring.show().run(&stage.workspace, &stage.session).await?.facts.slot {
            Slot::Held => return Ok(()),
            Slot::None => return Err(replaced(stage)),
            Slot::Queued(_) | Slot::Suspended(_) => {}
        }
        if !looks.is_multiple_of(LOOKS_AT_PLACE) {
            continue;
        }
        let place = stage.wiring.place(&stage.workspace, &stage.session).await?;
        if let Some(now) = place.filter(|now| !is_same(&told, now)) {
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
