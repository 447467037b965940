//! The rows of shared texts: the text itself, which says the version that counts; its versions; its proposals. Versions
//! and proposals live in the text, so they go with it.
//!
//! Bodies, JSON: a text `{v, version, last_refresh?}`, a version `{v, version, text, note?, by?}`, a proposal
//! `{v, base, text, note?, by?}`. The version 0 is that of a text that was never published.

use entracte_application::command_naming::CommandPointer;
use entracte_application::ports::{ActionPlanError, ResourceFilter, StoreError};
use entracte_application::texts::say;
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use crate::json::{number, object};
use crate::resources::call_context::{ResourceCallContext, children_of};
use crate::resources::decoded_resource::{DecodedResource, new_row};
use crate::resources::refusal::refused_at;

/// Kind of a text's row; its id is the key.
pub(super) const TEXT: &str = "shared_text";
/// Kind of a version's row.
pub(super) const VERSION: &str = "shared_text_version";
/// Kind of a proposal's row.
pub(super) const PROPOSAL: &str = "shared_text_proposal";

/// The text of that key.
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

/// The published version of that number; none where it is not kept.
pub(super) async fn version(
    ask: &ResourceCallContext<'_>,
    key: &str,
    version: u64,
) -> Result<Option<DecodedResource>, StoreError> {
    ask.find(VERSION, &version_id(key, version)).await
}

/// The words of the version that counts; nothing where none was published.
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

/// The proposals of a text, the oldest first.
pub(super) async fn proposals(
    ask: &ResourceCallContext<'_>,
    key: &str,
) -> Result<Vec<DecodedResource>, StoreError> {
    ask.list(&children_of(PROPOSAL, key)).await
}

/// The last versions of a text, the latest first.
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

/// The number of a version, or of the one that counts of a text.
pub(super) fn published(row: &DecodedResource) -> u64 {
    whole(row, "version")
}

/// The version that a proposal changes.
pub(super) fn base(proposal: &DecodedResource) -> u64 {
    whole(proposal, "base")
}

/// The words of a version or a proposal.
pub(super) fn words(row: &DecodedResource) -> &str {
    row.text("text").unwrap_or_default()
}

/// When a text was published last.
pub(super) fn last_refresh(text: &DecodedResource) -> Option<Timestamp> {
    text.member("last_refresh").as_i64().map(Timestamp)
}

/// A text that was never published.
pub(super) fn new_text(key: &str, now: Timestamp) -> DecodedResource {
    new_row((TEXT, key.to_owned()), None, key.to_owned(), None, object([("version", Some(number(0)))]), now)
}

/// A proposal; it stands among the others by when it was made.
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
    new_row((PROPOSAL, id), Some((TEXT, text.id())), text.id().to_owned(), Some(now), body, now)
}

/// The version that a proposal becomes.
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
    new_row(
        (VERSION, version_id(text.id(), next)),
        parent,
        next.to_string(),
        Some(ask.now()),
        body,
        ask.now(),
    )
}

/// A proposal as it is read: who made it, of which version, and whether that is the one that counts.
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

/// A version as it is listed.
pub(super) fn version_value(ask: &ResourceCallContext<'_>, version: &DecodedResource) -> JsonValue {
    object([
        ("version", Some(number(published(version)))),
        ("at", version.row.at.map(|at| JsonValue::from(ask.calendar.format_instant(at)))),
        ("note", version.text("note").map(JsonValue::from)),
        ("by", version.text("by").map(JsonValue::from)),
    ])
}

/// A text as it is listed; `proposals` is how many wait.
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
