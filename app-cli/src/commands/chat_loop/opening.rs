//! The beginning of a chat: the model, and for a reopened session the last exchange.

use entracte_application::texts::say;
use entracte_domain::message::{Author, Message, MessageBody};

use super::ChatLoop;
use crate::commands::mcp_tools;
use crate::error::CliError;
use crate::render::text::name_of;

impl ChatLoop<'_> {
    /// Shows the banner and, on a terminal, the last exchange.
    pub(super) async fn open(&self) -> Result<(), CliError> {
        let (stage, out) = (self.stage, &self.stage.context.out);
        let facts = stage.services.show().run(&stage.workspace, &stage.session).await?.facts;
        if self.screen.is_terminal {
            let (name, provider, model) = (&facts.name, &facts.provider, &facts.model);
            self.screen.print_notice(&say!(
                self.texts,
                "talk-banner",
                name = name_of(name, self.texts),
                provider = provider,
                model = model
            ));
            if facts.counters.rounds_total > 0 {
                let full =
                    stage.context.prompt_fullness(&stage.services, &stage.workspace, &stage.session).await?;
                let words = crate::render::session_sheet::fullness(&full, self.texts);
                self.screen.print_notice(&say!(self.texts, "talk-context", full = words));
                if let Some(heavy) = &full.overweight {
                    self.screen.print_notice(&crate::render::session_sheet::heavy_words(heavy, self.texts));
                }
            }
        }
        for line in mcp_tools::describe_first_listed(&stage.services.mcp, self.texts) {
            self.screen.print_notice(&line);
        }
        self.screen.print_notice(&say!(self.texts, "talk-keys"));
        if self.screen.is_terminal && !out.quiet {
            self.recap().await?;
        }
        Ok(())
    }

    /// Shows the last exchange, as stored.
    async fn recap(&self) -> Result<(), CliError> {
        let (workspace, session) = (&self.stage.workspace, &self.stage.session);
        let entries = self.stage.services.read_log().entries(workspace, session, 0).await?;
        // Entries since the read began are shown with the rest.
        let before = entries.iter().take_while(|entry| entry.seq <= self.reading.last);
        let messages: Vec<Message> =
            before.flat_map(entracte_application::journal::JournalEntry::messages).collect();
        let is_person = |message: &Message| {
            matches!((&message.author, &message.body), (Author::Person(_), MessageBody::Rich(_)))
        };
        let Some(begin) = messages.iter().rposition(is_person) else { return Ok(()) };
        if begin > 0 {
            let says = say!(self.texts, "talk-earlier", session = session.as_str());
            self.screen.print_notice(&says);
        }
        messages.iter().skip(begin).try_for_each(|message| self.screen.print_past_message(message))
    }
}
