//! The people of a workspace, by name.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::{AccessReach, Person};
use entracte_application::use_cases::ListTokens;

use crate::access::{Access, Admin};
use crate::body::{Answer, Json, Query};
use crate::house::House;
use crate::page::{Page, PageQuery, cut};
use crate::routes::path::OfWorkspace;
use crate::shapes::token::PersonShape;

/// The people of a workspace, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/people",
    operation_id = "list_people",
    tag = "tokens",
    params(OfWorkspace, PageQuery),
    responses((status = 200, body = Page<PersonShape>)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn list_people(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Admin>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<PersonShape>> {
    let here = AccessReach::Workspace(caller.workspace().clone());
    let people = ListTokens::new(house.ports.access.clone()).people(&here).await?;
    let list = format!("people {}", caller.workspace());
    let page = cut(people, &list, &query, |person: &Person| person.name.clone())?;
    Ok(Json(page.map(|person| PersonShape::from(&person))))
}
