//! One command of the catalog.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::settings_of;
use entracte_application::visible::one_line;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::path::OfCommand;
use crate::shapes::workspace::CommandShape;

/// One command of the catalog.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/commands/{n}",
    operation_id = "get_command",
    tag = "commands",
    params(OfCommand),
    responses((status = 200, body = CommandShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_command(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfCommand>,
) -> Answer<CommandShape> {
    let language = settings_of(&*house.ports.store, caller.workspace()).await?.language;
    let catalog = (house.ports.catalog)();
    let known = catalog
        .find(&path.n)
        .ok_or_else(|| Problem::new(Code::NotFound, format!("there is no command {}", one_line(&path.n))))?;
    Ok(Json(CommandShape::new(&known.spec, language)))
}
