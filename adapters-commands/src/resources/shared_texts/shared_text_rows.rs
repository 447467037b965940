//! The rows of shared texts: the text, with the number of its current version; its versions; its proposals. Versions
//! and proposals are children of the text, so they are deleted with it.
//!
//! Bodies, JSON: a text `{v, version, last_refresh?}`, a version `{v, version, text, note?, by?}`, a proposal `{v,
//! base, text, note?, by?}`. Version 0 means that the text was never published.

use entracte_application::command_naming::CommandPointer;
use entracte_application::ports::{ActionPlanError, ResourceFilter, StoreError};
use entracte_application::texts::say;
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use crate::json::{number, object};
use crate::resources::call_context::{ResourceCallContext, children_of};
use crate::resources::decoded_resource::{DecodedResource, new_row};
use crate::resources::refusal::refused_at;

/// The kind of a text's row; its id is the key.
pub(super) const TEXT: &str = "shared_text";
/// The kind of a version's row.
pub(super) const VERSION: &str = "shared_text_version";
/// The kind of a proposal's row.
pub(super) const PROPOSAL: &str = "shared_text_proposal";

/// The text with the key of the call.
pub(super) async fn text(ask: &ResourceCallContext<'_>) -> Result<DecodedResource, ActionPlanError> {
    let key = ask.required("key")?;
    let found = ask.find(TEXT, key).await?;
    found.ok_or_else(|| {
        let lister = ask.command_name(CommandPointer::SHARED_TEXTS);
        refused_at("NOT_FOUND", "/key", say!(ask.texts, "shared-no-text", key = key, lister = lister))
    })
}

/// The proposal that the call names, and its text.
pub(super) async fn proposal(
    ask: &ResourceCallContext<'_>,
) -> Result<(DecodedResource, DecodedResource), ActionPlanError> {
    let id = ask.required("proposal_id")?;
    let gone = || refused_at("NOT_FOUND", "/proposal_id", say!(ask.texts, "shared-no-proposal", id = id));
    let proposal = ask.find(PROPOSAL, id).await?.ok_or_else(gone)?;
    let text = ask.find(TEXT, proposal.parent()).await?.ok_or_else(gone)?;
    Ok((proposal, text))
}

/// The published version with this number; `None` if it is not retained.
pub(super) async fn version(
    ask: &ResourceCallContext<'_>,
    key: &str,
    version: u64,
) -> Result<Option<DecodedResource>, StoreError> {
    ask.find(VERSION, &version_id(key, version)).await
}

/// The content of the current version; empty if none was published.
pub(super) async fn current(
    ask: &ResourceCallContext<'_>,
    text: &DecodedResource,
) -> Result<String, StoreError> {
    match published(text) {
        0 => Ok(String::new()),
        now => {
            let row = version(ask, text.id(), now).await?.ok_or_else(|| {
                StoreError::Inconsistent(format!("{TEXT} {}: its version {now} is missing", text.id()))
            })?;
            Ok(words(&row).to_owned())
        }
    }
}

/// The proposals of a text, oldest first.
pub(super) async fn proposals(
    ask: &ResourceCallContext<'_>,
    key: &str,
) -> Result<Vec<DecodedResource>, StoreError> {
    ask.list(&children_of(PROPOSAL, key)).await
}

/// The latest versions of a text, latest first.
pub(super) async fn versions(
    ask: &ResourceCallContext<'_>,
    key: &str,
    most: u32,
) -> Result<Vec<DecodedResource>, StoreError> {
    let count = u32::try_from(ask.count(VERSION, key).await?).unwrap_or(u32::MAX);
    let filter =
        ResourceFilter { limit: Some(most), offset: count.saturating_sub(most), ..children_of(VERSION, key) };
    let mut rows = ask.list(&filter).await?;
    rows.sort_by_key(|row| std::cmp::Reverse(published(row)));
    Ok(rows)
}

/// The number of a version row, or of a text's current version.
pub(super) fn published(row: &DecodedResource) -> u64 {
    whole(row, "version")
}

/// The version number that a proposal is based on.
pub(super) fn base(proposal: &DecodedResource) -> u64 {
    whole(proposal, "base")
}

/// The content of a version or a proposal.
pub(super) fn words(row: &DecodedResource) -> &str {
    row.text("text").unwrap_or_default()
}

/// When a text was last published.
pub(super) fn last_refresh(text: &DecodedResource) -> Option<Timestamp> {
    text.member("last_refresh").as_i64().map(Timestamp)
}

/// The row of a text without a published version.
pub(super) fn new_text(key: &str, now: Timestamp) -> DecodedResource {
    new_row(TEXT, key.to_owned(), None, key.to_owned(), None, object([("version", Some(number(0)))]), now)
}

/// The row of a proposal; proposals are ordered by creation time.
pub(super) fn new_proposal(
    ask: &ResourceCallContext<'_>,
    text: &DecodedResource,
    words: &str,
) -> DecodedResource {
    let body = object([
        ("base", Some(number(published(text)))),
        ("text", Some(JsonValue::from(words))),
        ("note", ask.text("note").map(JsonValue::from)),
        ("by", ask.request.acts_as.as_deref().map(JsonValue::from)),
    ]);
    let (id, now) = (ask.new_id("prp"), ask.now());
    new_row(PROPOSAL, id, Some((TEXT, text.id())), text.id().to_owned(), Some(now), body, now)
}

/// The version row for a published proposal.
pub(super) fn new_version(
    ask: &ResourceCallContext<'_>,
    proposal: &DecodedResource,
    text: &DecodedResource,
) -> DecodedResource {
    let next = published(text) + 1;
    let kept = |name: &str| proposal.text(name).map(JsonValue::from);
    let body = object([
        ("version", Some(number(next))),
        ("text", Some(JsonValue::from(words(proposal)))),
        ("note", kept("note")),
        ("by", kept("by")),
    ]);
    let parent = Some((TEXT, text.id()));
    new_row(VERSION, version_id(text.id(), next), parent, next.to_string(), Some(ask.now()), body, ask.now())
}

/// A proposal as JSON: its author, its base version, and whether that is still current.
pub(super) fn proposal_value(
    ask: &ResourceCallContext<'_>,
    proposal: &DecodedResource,
    text: &DecodedResource,
) -> JsonValue {
    object([
        ("id", Some(JsonValue::from(proposal.id()))),
        ("base", Some(number(base(proposal)))),
        ("stale", Some(JsonValue::from(base(proposal) != published(text)))),
        ("note", proposal.text("note").map(JsonValue::from)),
        ("by", proposal.text("by").map(JsonValue::from)),
        ("at", proposal.row.at.map(|at| JsonValue::from(ask.calendar.format_instant(at)))),
    ])
}

/// A version as JSON for lists.
pub(super) fn version_value(ask: &ResourceCallContext<'_>, version: &DecodedResource) -> JsonValue {
    object([
        ("version", Some(number(published(version)))),
        ("at", version.row.at.map(|at| JsonValue::from(ask.calendar.format_instant(at)))),
        ("note", version.text("note").map(JsonValue::from)),
        ("by", version.text("by").map(JsonValue::from)),
    ])
}

/// A text as JSON for lists; `proposals` is the number of pending ones.
pub(super) fn text_value(ask: &ResourceCallContext<'_>, text: &DecodedResource, proposals: u64) -> JsonValue {
    let refreshed = last_refresh(text).map(|at| JsonValue::from(ask.calendar.format_instant(at)));
    JsonValue::from([
        ("key", JsonValue::from(text.id())),
        ("version", number(published(text))),
        ("last_refresh", refreshed.unwrap_or(JsonValue::Null)),
        ("proposals", number(proposals)),
    ])
}

fn whole(row: &DecodedResource, name: &str) -> u64 {
    row.member(name).as_i64().and_then(|value| u64::try_from(value).ok()).unwrap_or(0)
}

fn version_id(key: &str, version: u64) -> String {
    format!("{key}@{version}")
}
