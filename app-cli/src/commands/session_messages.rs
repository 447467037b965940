//! `session messages`, and the read marks of people.

use entracte_adapters_http::shapes::message::{ConversationShape, MessageShape};
use entracte_application::ports::SessionRow;
use entracte_application::texts::say;
use entracte_application::use_cases::{LocalizeEnrichments, MarkRead, ReadUnreadMessages};

use super::turn::SessionContext;
use crate::app_services::AppServices;
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
    let services = context.open_services()?;
    let (session, workspace) = services.session(&context.settings.workspace, named).await?;
    let facts = services.show().run(&workspace, &session).await?.facts;
    let unread = ReadUnreadMessages::new(services.log.clone()).run(&facts, &context.settings.author).await?;
    let mut shown = match only_unread {
        true => unread.messages.clone(),
        false => services.log_reader().conversation(&workspace, &session).await?,
    };
    let localize = LocalizeEnrichments::new(services.store.clone(), services.rows.clone());
    localize.run(&workspace, shown.iter_mut().map(|described| &mut described.message).collect()).await?;
    if context.out.json {
        let shape = |message| MessageShape::for_reader(message, &context.settings.author, &facts);
        let messages = shown.iter().map(shape).collect();
        let conversation = ConversationShape { session: session.to_string(), messages };
        context.out.write_json_line(&VersionedShape::new("entracte.messages/2", conversation))?;
    } else {
        let texts = context.texts(&services, &workspace).await?;
        for message in &shown {
            context.out.write_data_line(&messages::draw(
                message,
                context.out.style.colour,
                texts,
                &context.zone,
            ))?;
        }
        if shown.is_empty() && only_unread {
            context.out.write_notice(&say!(texts, "messages-none-unread"));
        }
    }
    if mark_read && unread.up_to > 0 {
        let stage = SessionContext::open_session(context, services.clone(), workspace, session).await?;
        let mark = MarkRead::new(stage.runtime.clone());
        let marked = mark.run(&stage.workspace, &stage.session, stage.author(), unread.up_to).await;
        stage.finish_request(marked).await?;
        stage.drain_owned_work().await?;
    }
    Ok(CliExitCode::Done)
}

/// The number of messages in each listed session that this person has not read; 0 for an unreadable session.
pub(crate) async fn counts(
    context: &CommandContext,
    services: &AppServices,
    rows: &[SessionRow],
) -> Vec<usize> {
    let read = ReadUnreadMessages::new(services.log.clone());
    let mut counts = Vec::with_capacity(rows.len());
    for row in rows {
        let count = read.count(row, &context.settings.author).await;
        counts.push(count.unwrap_or_else(|error| {
            tracing::debug!(session = %row.id, %error, "what is new in it cannot be counted");
            0
        }));
    }
    counts
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
