//! The common part of all updates: replaces a row, and describes the difference.

use entracte_application::ports::{ActionDescription, ResourceChange};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;

use super::call_context::ResourceCallContext;
use super::changes::{difference, names};
use super::command::ResourceActionPlan;
use super::decoded_resource::DecodedResource;

/// The plan that replaces `before` by `after`; no changes if they are equal.
pub(crate) fn plan_update(
    ask: &ResourceCallContext<'_>,
    what: &str,
    before: &DecodedResource,
    after: DecodedResource,
    warnings: Vec<String>,
) -> ResourceActionPlan {
    let (old, new) = difference(ask, before, &after);
    let changed = old.iter().map(|(name, _)| JsonValue::from(name.as_str())).collect::<Vec<_>>();
    let content =
        JsonValue::from([("id", JsonValue::from(after.id())), ("changed", JsonValue::from(changed))]);
    let says = say!(ask.texts, "resources-update", what = what, fields = names(ask.texts, &old));
    let expected = before.row.version;
    let changes =
        if old.is_empty() { Vec::new() } else { vec![ResourceChange::Update { row: after.row, expected }] };
    ResourceActionPlan {
        changes,
        content,
        description: ActionDescription { says, before: old, after: new, warnings },
    }
}
