//! `session messages`, and the read marks of people.

use entracte_application::ports::SessionRow;
use entracte_application::texts::say;
use entracte_application::use_cases::{LocalizeEnrichments, MarkRead, ReadUnreadMessages};

use super::turn::SessionContext;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::MessagesObject;
use crate::render::messages;

/// Shows a conversation, in full or only the messages this person has not read.
pub(crate) async fn conversation(
    desk: &CommandContext,
    named: &str,
    only_unread: bool,
    mark_read: bool,
) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let (session, workspace) = wiring.session(&desk.settings.workspace, named).await?;
    let facts = wiring.show().run(&workspace, &session).await?.facts;
    let unread = ReadUnreadMessages::new(wiring.log.clone()).run(&facts, &desk.settings.author).await?;
    let shown = match only_unread {
        true => unread.messages.clone(),
        false => wiring.log_reader().messages(&workspace, &session).await?,
    };
    let shown =
        LocalizeEnrichments::new(wiring.store.clone(), wiring.rows.clone()).run(&workspace, shown).await?;
    if desk.out.json {
        let entries = wiring.log_reader().entries(&workspace, &session, 0).await?;
        desk.out.write_json_line(&MessagesObject::new(&facts, &shown, &unread.messages, &entries))?;
    } else {
        let texts = desk.texts(&wiring, &workspace).await?;
        for message in &shown {
            desk.out.write_data_line(&messages::draw(message, desk.out.style.colour, texts, &desk.zone))?;
        }
        if shown.is_empty() && only_unread {
            desk.out.write_notice(&say!(texts, "messages-none-unread"));
        }
    }
    if mark_read && unread.up_to > 0 {
        let stage = SessionContext::open_session(desk, wiring.clone(), workspace, session).await?;
        let mark = MarkRead::new(stage.way.clone());
        let marked = mark.run(&stage.workspace, &stage.session, stage.author(), unread.up_to).await;
        stage.finish_request(marked).await?;
        stage.drain_owned_work().await?;
    }
    Ok(CliExitCode::Done)
}

/// The number of messages in each listed session that this person has not read; 0 for an unreadable session.
pub(crate) async fn counts(desk: &CommandContext, wiring: &AppServices, rows: &[SessionRow]) -> Vec<usize> {
    let read = ReadUnreadMessages::new(wiring.log.clone());
    let mut counts = Vec::with_capacity(rows.len());
    for row in rows {
        let count = read.count(row, &desk.settings.author).await;
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
        let facts = self.wiring.show().run(&self.workspace, &self.session).await?.facts;
        let unread = ReadUnreadMessages::new(self.wiring.log.clone()).run(&facts, &self.author()).await?;
        if unread.up_to == 0 {
            return Ok(());
        }
        let mark = MarkRead::new(self.way.clone());
        mark.run(&self.workspace, &self.session, self.author(), unread.up_to).await
    }
}
