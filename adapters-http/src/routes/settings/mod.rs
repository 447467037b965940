//! Routes of workspace settings.

pub(crate) mod change;
pub(crate) mod change_one;
pub(crate) mod get;
pub(crate) mod get_one;
pub(crate) mod reset;
pub(crate) mod reset_one;

use axum::response::Response;
use entracte_application::settings::{ApprovalSettings, SettingFault, SettingKey, WorkspaceSettings};
use entracte_application::texts::{ReaderLanguage, saying};
use entracte_application::use_cases::{ChangeSettings, SettingChange, settings_of};
use http::HeaderMap;

use crate::authentication::{WorkspacePrincipal, require_operator};
use crate::etag::read_if_match;
use crate::problem::{Problem, ProblemCode};
use crate::routes::{require_unchanged, response_with_etag, settings_shape};
use crate::server_state::ServerState;
use crate::shapes::workspace::SettingShape;

/// Only an operator may switch four eyes off, or change who must approve: a workspace administrator could approve their own
/// requests, and switch it on again.
fn check_approval_settings(
    caller: &WorkspacePrincipal,
    now: &WorkspaceSettings,
    changes: &[SettingChange],
) -> Result<(), Problem> {
    let is_off = |(key, value): &SettingChange| key == "four_eyes" && value.as_deref() != Some("true");
    if now.four_eyes && changes.iter().any(is_off) && require_operator(caller.principal()).is_err() {
        let text = saying!("refusal-four-eyes-off");
        return Err(Problem::new(ProblemCode::ScopeMissing, text));
    }
    let names_others = |change: &SettingChange| names_other_approvers(now, change);
    if changes.iter().any(names_others) && require_operator(caller.principal()).is_err() {
        let text = saying!("refusal-approvers-change");
        return Err(Problem::new(ProblemCode::ScopeMissing, text));
    }
    Ok(())
}

/// Whether a change may put other people in the place of those who must approve. The policy hook of the server names roles,
/// too, so their members always count; the first approvers and the first quorum of a workspace only tighten.
fn names_other_approvers(now: &WorkspaceSettings, (key, value): &SettingChange) -> bool {
    let is_of_approvers = ApprovalSettings::KEYS.contains(&key.as_str());
    let only_tightens = ["approvers", "quorum"].contains(&key.as_str()) && !now.approval.requires_approvers();
    let is_changed = SettingKey::find(key).is_ok_and(|known| {
        let wanted = value.clone().unwrap_or_else(|| known.value(&WorkspaceSettings::default()));
        known.value(now) != wanted
    });
    is_of_approvers && !only_tightens && is_changed
}

/// Reads one setting.
async fn setting(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    key: &str,
) -> Result<SettingShape, Problem> {
    let settings = settings_of(&*state.ports.store, caller.workspace()).await?;
    find_setting_shape(state, &settings, caller.reader(), key)
}

/// Finds one of these settings.
fn find_setting_shape(
    state: &ServerState,
    settings: &WorkspaceSettings,
    reader: ReaderLanguage,
    key: &str,
) -> Result<SettingShape, Problem> {
    let texts = settings.texts_for(reader);
    let unknown = |fault: SettingFault| Problem::new(ProblemCode::NotFound, fault.describe(texts));
    let name = SettingKey::find(key).map_err(unknown)?.name;
    let found = settings_shape(state, settings, reader).setting(name).cloned();
    found.ok_or_else(|| unknown(SettingFault::Unknown(key.to_owned())))
}

/// Changes one setting if its value is the one that was read; `None` restores the default.
async fn put(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    headers: &HeaderMap,
    key: &str,
    value: Option<String>,
) -> Result<Response, Problem> {
    let read = read_if_match(headers)?;
    let settings = settings_of(&*state.ports.store, caller.workspace()).await?;
    let now = find_setting_shape(state, &settings, caller.reader(), key)?;
    require_unchanged(&read, Some(now.tag()), &now)?;
    let changes = vec![(key.to_owned(), value)];
    check_approval_settings(caller, &settings, &changes)?;
    ChangeSettings::new(caller.mail_sender(state)).run(caller.workspace(), caller.author(), changes).await?;
    let shape = setting(state, caller, key).await?;
    Ok(response_with_etag(Some(shape.tag()), shape))
}
