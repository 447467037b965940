//! Settings of a workspace.

pub(crate) mod change;
pub(crate) mod get;
pub(crate) mod one;
pub(crate) mod reset;
pub(crate) mod set;
pub(crate) mod unset;

use axum::response::Response;
use entracte_application::settings::WorkspaceSettings;
use entracte_application::use_cases::{ChangeSettings, SettingChange, settings_of};
use entracte_application::visible::one_line;
use entracte_domain::id::WorkspaceKey;
use http::HeaderMap;

use crate::access::{WorkspacePrincipal, operates};
use crate::etag::{EntityTag, if_match};
use crate::house::ServerState;
use crate::problem::{Problem, ProblemCode};
use crate::routes::{must_match, tagged};
use crate::shapes::workspace::{SettingShape, SettingsShape};

/// Refuses to an administrator of this workspace alone what switches four eyes off: they would approve what they asked for,
/// and switch them on again.
fn check_four_eyes(
    caller: &WorkspacePrincipal,
    now: &WorkspaceSettings,
    changes: &[SettingChange],
) -> Result<(), Problem> {
    let is_off = |(key, value): &SettingChange| key == "four_eyes" && value.as_deref() != Some("true");
    if now.four_eyes && changes.iter().any(is_off) && operates(caller.visitor()).is_err() {
        let text = "only an operator, whose token reaches every workspace, switches four eyes off";
        return Err(Problem::new(ProblemCode::ScopeMissing, text));
    }
    Ok(())
}

/// One setting as it is.
async fn setting(house: &ServerState, workspace: &WorkspaceKey, key: &str) -> Result<SettingShape, Problem> {
    one_of(&settings_of(&*house.ports.store, workspace).await?, key)
}

/// One of these settings.
fn one_of(settings: &WorkspaceSettings, key: &str) -> Result<SettingShape, Problem> {
    let all = SettingsShape::from(settings);
    let found = all.settings.into_iter().find(|shape| shape.key == key);
    found.ok_or_else(|| Problem::new(ProblemCode::NotFound, format!("there is no setting {}", one_line(key))))
}

/// Changes one setting that is what was read; none puts its default back.
async fn put(
    house: &ServerState,
    caller: &WorkspacePrincipal,
    headers: &HeaderMap,
    key: &str,
    value: Option<String>,
) -> Result<Response, Problem> {
    let read = if_match(headers)?;
    let settings = settings_of(&*house.ports.store, caller.workspace()).await?;
    let now = one_of(&settings, key)?;
    must_match(&read, Some(EntityTag::of(&now)), &now)?;
    let changes = vec![(key.to_owned(), value)];
    check_four_eyes(caller, &settings, &changes)?;
    ChangeSettings::new(caller.sender(house)).run(caller.workspace(), caller.author(), changes).await?;
    let shape = setting(house, caller.workspace(), key).await?;
    Ok(tagged(Some(EntityTag::of(&shape)), shape))
}
