//! Lists the messages of a session, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::files::{UnreadFileKinds, tell_unread_files};
use entracte_application::journal::ConversationMessage;
use entracte_application::ports::ProviderRegistry;
use entracte_application::use_cases::{LocalizeEnrichments, ReadLog, ShowSession, settings_of};
use entracte_domain::session::SessionFacts;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::pagination::{Page, PageQuery, descending, page_of_list};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::message::MessageShape;

/// The messages of a session, the latest first. `notice` of the first one with an image or a PDF says so if the model in use
/// reads none.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/messages",
    operation_id = "list_messages",
    tag = "sessions",
    params(SessionPath, PageQuery),
    responses((status = 200, body = Page<MessageShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_messages(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<MessageShape>> {
    let (workspace, session) = (caller.workspace(), path.session());
    let (store, log) = (state.ports.store.clone(), state.ports.log.clone());
    let facts = ShowSession::new(store.clone()).run(workspace, &session).await?.facts;
    let messages = ReadLog::new(log).conversation(workspace, &session).await?;
    let unread = unread_file_kinds(&*state.ports.providers, &facts);
    let told = tell_unread_files(messages.iter().map(|described| &described.message), unread);
    let numbered: Vec<NumberedMessage> = (0..)
        .zip(messages.into_iter().zip(told))
        .map(|(number, (message, told))| (number, message, told))
        .collect();
    let mut page =
        page_of_list(numbered, &format!("messages {session}"), &query, |(number, ..)| descending(*number))?;
    let shown = page.items.iter_mut().map(|(_, described, _)| &mut described.message).collect();
    let (rows, catalog) = (state.ports.rows.clone(), state.ports.catalog.get());
    let localize = LocalizeEnrichments::new(store, rows, catalog).for_reader(caller.reader());
    localize.run(workspace, shown).await?;
    let texts = settings_of(&*state.ports.store, workspace).await?.texts_for(caller.reader());
    let reader = caller.author();
    Ok(JsonResponse(page.map(|(_, message, told)| MessageShape {
        notice: told.message().map(|message| message.render(texts)),
        ..MessageShape::for_reader(&message, &reader, &facts)
    })))
}

/// A message with its number in the session, and the kinds of files that are told beside it.
type NumberedMessage = (u64, ConversationMessage, UnreadFileKinds);

/// The kinds of files that the model of a session does not read; none if its provider is unavailable, which its calls say.
fn unread_file_kinds(providers: &dyn ProviderRegistry, facts: &SessionFacts) -> UnreadFileKinds {
    let provider = providers.provider(&facts.provider).ok();
    let unread = provider.map(|found| UnreadFileKinds::of_model(found.file_tokens(&facts.model)));
    unread.unwrap_or_default()
}
