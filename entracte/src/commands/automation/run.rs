//! `automation run`: starts a run now, on request or for an external event.

use std::borrow::Cow;

use entracte_adapters_http::shapes::automation::NewRun;
use entracte_adapters_http::shapes::session::{AcceptedShape, QueueShape};
use serde::Serialize;

use super::super::request_follow_up::RequestFollowUp;
use super::named_shape;
use crate::api_client::{ApiClient, post};
use crate::api_follow::read_turn;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::automation::activation_text;
use crate::user_text::message;

pub(super) async fn run(
    context: &CommandContext,
    name: &str,
    event: Option<&str>,
    no_wait: bool,
) -> Result<CliExitCode, CliError> {
    let event = event.map(read).transpose()?;
    let api = ApiClient::open(context).await?;
    let automation = named_shape(&api, name).await?.id;
    let path = api.path(&["automations", &automation, "runs"]);
    let begun = api.send::<AcceptedShape>(post(&path, &NewRun { event })).await;
    let begun = match begun {
        Ok(begun) => begun,
        Err(error) => {
            api.drain().await?;
            return Err(error.or_next(format!("entracte automation show {automation}")));
        }
    };
    // The turn is the whole run.
    let follow_up = RequestFollowUp::since(context, &api, &begun.session, 0).await?;
    let slot = follow_up.check(read_turn(&api, &begun.session, Some(0)).await).await?.slot;
    let position = slot.as_ref().and_then(|slot| slot.position);
    if context.out.json {
        let (session, activation) = (begun.session.clone(), begun.activation.clone());
        let object = RunStartObject { automation, session, activation, position, slot };
        context.out.write_json_line(&VersionedShape::new("entracte.run/1", object))?;
    } else {
        let activation = activation_text(begun.activation.as_deref(), position);
        context.out.write_data_line(format!("{}  {activation}", begun.session).trim_end())?;
    }
    follow_up.follow_run(no_wait).await
}

/// What `automation run --json` prints first: a requested run.
#[derive(Serialize)]
struct RunStartObject {
    automation: String,
    session: String,
    activation: Option<Cow<'static, str>>,
    position: Option<usize>,
    /// Its place in the slot queue; null if it does not wait.
    slot: Option<QueueShape>,
}

/// The event of the flag: JSON, or `@` and a file with it.
pub(super) fn read(flag: &str) -> Result<String, CliError> {
    let Some(file) = flag.strip_prefix('@') else { return Ok(flag.to_owned()) };
    std::fs::read_to_string(file).map_err(|fault| {
        let why = message!("cannot-be-read", file = file, why = fault.to_string());
        let says = message!("flag-says", flag = "--event", says = why);
        CliError::with_next(CliExitCode::NotFound, says, "entracte automation run --help")
    })
}
