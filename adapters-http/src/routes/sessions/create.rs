//! Starts a chat.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::{NewChat, ShowSession, StartChat};
use entracte_application::visible::one_line;
use http::StatusCode;

use crate::access::{Access, Chat};
use crate::body::Body;
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::path::OfWorkspace;
use crate::routes::sessions::{restriction, shape};
use crate::routes::tagged;
use crate::shapes::session::{NewSession, SessionShape};

/// Starts a chat.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions",
    operation_id = "start_chat",
    tag = "sessions",
    params(OfWorkspace),
    request_body = NewSession,
    responses((status = 201, body = SessionShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn start_chat(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Body(new): Body<NewSession>,
) -> Result<(StatusCode, Response), Problem> {
    let chat = new_chat(&house, new)?;
    let start = StartChat::new(house.ports.mail_sender.clone(), house.ports.ids.clone());
    let accepted = start.run(caller.workspace(), chat).await?;
    let view = ShowSession::new(house.ports.store.clone()).run(caller.workspace(), &accepted.session).await?;
    let shape = shape(&house, &view);
    Ok((StatusCode::CREATED, tagged(Some(shape.tag()), shape)))
}

fn new_chat(house: &House, new: NewSession) -> Result<NewChat, Problem> {
    let providers = &house.terms.providers;
    let entry = match &new.provider {
        Some(name) => providers.iter().find(|entry| entry.name == *name).ok_or_else(|| {
            let says = format!("there is no provider {}", one_line(name));
            Problem::new(Code::Invalid, format!("provider: {says}")).at("provider", says)
        })?,
        None => providers.iter().find(|entry| entry.is_default).ok_or_else(|| {
            let says = "the configuration names no default; give one, or set default_provider";
            Problem::new(Code::Invalid, format!("provider: {says}")).at("provider", says)
        })?,
    };
    let made = house.ports.providers.provider(&entry.name);
    let made = made.map_err(|failure| Problem::new(Code::Invalid, failure.message))?;
    Ok(NewChat {
        name: new.name.unwrap_or_default(),
        provider: entry.name.clone(),
        model: new.model.unwrap_or_else(|| made.info().default_model),
        dialect: entry.dialect,
        require_validation: new.require_validation,
        restriction: restriction(new.commands.as_deref())?.unwrap_or_default(),
    })
}
