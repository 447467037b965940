//! `session messages`, and the read marks of people.

use entracte_adapters_http::shapes::message::{ConversationShape, MessageShape, ReadShape, UnreadShape};
use entracte_application::texts::say;
use entracte_application::use_cases::{MarkRead, ReadUnreadMessages};

use super::picture_display::PictureDisplay;
use super::turn::SessionContext;
use crate::api_client::{ApiClient, ShortIdKind, put};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::messages;

/// Shows a conversation, in full or only the messages this person has not read.
pub(crate) async fn conversation(
    context: &CommandContext,
    named: &str,
    only_unread: bool,
    mark_read: bool,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let session = api.find(ShortIdKind::Session, named).await?;
    let path = |part: &str| api.path(&["sessions", &session, part]);
    let unread: Option<UnreadShape> = match only_unread || mark_read {
        true => Some(api.get(&path("unread")).await?),
        false => None,
    };
    let up_to = unread.as_ref().map_or(0, |unread| unread.up_to);
    let mut conversation: Vec<MessageShape> = match unread.filter(|_| only_unread) {
        Some(unread) => unread.messages,
        None => api.list(&path("messages")).await?,
    };
    // A conversation is read from its beginning.
    conversation.reverse();
    if context.out.json {
        let shape = ConversationShape { session: session.clone(), messages: conversation };
        context.out.write_json_line(&VersionedShape::new("entracte.messages/2", shape))?;
    } else {
        let (texts, pictures) = (api.texts().await?, PictureDisplay::new(context));
        for message in &conversation {
            let drawn = messages::draw(message, context.out.style.colour, texts, &context.zone);
            context.out.write_data_line(&drawn)?;
            let results = message.results.iter().flat_map(|result| &result.files);
            for file in message.segments.iter().filter_map(|segment| segment.file.as_ref()).chain(results) {
                if let Some(picture) = pictures.draw(&api, file).await {
                    context.out.write_data_line(&picture)?;
                }
            }
        }
        if conversation.is_empty() && only_unread {
            context.out.write_notice(&say!(texts, "messages-none-unread"));
        }
    }
    if mark_read && up_to > 0 {
        api.change_only(put(&path("read"), &ReadShape { sequence: up_to })).await?;
    }
    Ok(CliExitCode::Done)
}

impl SessionContext<'_> {
    /// Marks the session as read up to here, if it had new messages. An error is ignored.
    pub(crate) async fn mark_read(&self) {
        if let Err(error) = self.try_mark_read().await {
            tracing::debug!(session = %self.session, %error, "what was shown is not marked as read");
        }
    }

    async fn try_mark_read(&self) -> Result<(), entracte_application::use_cases::UseCaseError> {
        let facts = self.services.show().run(&self.workspace, &self.session).await?.facts;
        let unread = ReadUnreadMessages::new(self.services.log.clone()).run(&facts, &self.author()).await?;
        if unread.up_to == 0 {
            return Ok(());
        }
        let mark = MarkRead::new(self.runtime.clone());
        mark.run(&self.workspace, &self.session, self.author(), unread.up_to).await
    }
}
