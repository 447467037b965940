//! Reads the conversation of a session from its log.

use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};

use super::error::TurnError;
use super::prefix_cache::PrefixCache;
use super::services::RuntimeServices;
use crate::codec::decode_entry;
use crate::journal::JournalEntry;
use crate::ports::{LogRow, ProviderRegistry};
use crate::prompt::{Projection, PromptPrefix, PromptStyle, generation_prefix};

/// Entries read per page.
const PAGE: u32 = 200;

/// The committed conversation of a session; `style` is that of one whose prefix does not name one. The prefixes that its
/// entries name are added to `prefixes`.
///
/// # Errors
/// When an entry or a prefix cannot be read.
pub(super) async fn read_conversation(
    services: &RuntimeServices,
    workspace: &WorkspaceKey,
    prefixes: &mut PrefixCache,
    style: &PromptStyle,
    session: &SessionId,
) -> Result<Projection, TurnError> {
    let mut projection = Projection::new(style);
    let log = Arc::clone(&services.log);
    let page = |after| log.entries(workspace, session, after, PAGE);
    let mut rows = page(0).await?;
    while let Some(last) = rows.last() {
        // The next page is read while this one is processed.
        let (next, taken) =
            tokio::join!(page(last.seq), take_page(services, workspace, prefixes, &mut projection, &rows));
        taken?;
        rows = next?;
    }
    Ok(projection)
}

async fn take_page(
    services: &RuntimeServices,
    workspace: &WorkspaceKey,
    prefixes: &mut PrefixCache,
    projection: &mut Projection,
    rows: &[LogRow],
) -> Result<(), TurnError> {
    for row in rows {
        let entry = decode_entry(row)?;
        let prefix = match generation_prefix(&entry) {
            Some(digest) => Some(prefixes.load_prefix(services, workspace, &row.session, digest).await?),
            None => None,
        };
        push_entry(&*services.providers, projection, &entry, prefix.as_deref());
    }
    Ok(())
}

/// Adds the next entry to a conversation, whose files are counted as its model does.
pub(crate) fn push_entry(
    providers: &dyn ProviderRegistry,
    projection: &mut Projection,
    entry: &JournalEntry,
    prefix: Option<&PromptPrefix>,
) {
    projection.push(entry, prefix);
    let formula = projection.voice_of_uncounted_files().and_then(|voice| {
        let provider = providers.provider(&voice.provider).ok()?;
        Some(provider.file_tokens(&voice.model))
    });
    if let Some(formula) = formula {
        projection.count_files_by(formula);
    }
}
