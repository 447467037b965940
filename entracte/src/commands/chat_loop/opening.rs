//! The beginning of a chat: the model, and for a reopened session the last exchange.

use entracte_adapters_http::shapes::entry::EntryShape;
use entracte_adapters_http::shapes::session::{EditableShape, MetricsShape};
use entracte_application::journal::JournalEntry;
use entracte_application::ports::ContextWindowSource;
use entracte_application::texts::say;
use entracte_domain::message::{Author, Message, MessageBody};

use super::ChatLoop;
use crate::api_client::read_journal;
use crate::commands::mcp_tools;
use crate::error::CliError;
use crate::render::text::name_of;

impl ChatLoop<'_> {
    /// Shows the banner and, on a terminal, the last exchange.
    pub(super) async fn open(&self) -> Result<(), CliError> {
        let (stage, out) = (self.stage, &self.stage.context.out);
        if self.screen.is_terminal {
            let session = stage.read().await?;
            let editable = &session.editable;
            self.screen.print_notice(&say!(
                self.texts,
                "talk-banner",
                name = name_of(&session.name, self.texts),
                provider = &editable.provider,
                model = &editable.model
            ));
            if session.rounds > 0 {
                self.tell_fullness().await?;
            }
            self.tell_guessed_window(editable).await;
        }
        let listed =
            stage.here().map(|here| mcp_tools::describe_first_listed(&here.services.mcp(), self.texts));
        for line in listed.into_iter().flatten() {
            self.screen.print_notice(&line);
        }
        self.screen.print_notice(&say!(self.texts, "talk-keys"));
        if self.screen.is_terminal && !out.quiet {
            self.recap().await?;
        }
        Ok(())
    }

    /// Says that the context window of the model is a guess, if neither the configuration nor the provider tells it. A chat
    /// on a server says nothing: its configuration is another person's.
    async fn tell_guessed_window(&self, editable: &EditableShape) {
        let Some(here) = self.stage.here() else { return };
        let provider = here.services.providers.provider(&editable.provider).ok();
        let Some(provider) = provider.filter(|provider| provider.info().base_url.is_some()) else { return };
        let window = provider.learn_window(&editable.model).await;
        if window.told == ContextWindowSource::Guess {
            self.screen.print_notice(&say!(
                self.texts,
                "talk-window-guess",
                model = &editable.model,
                tokens = window.tokens.to_string(),
                provider = &editable.provider
            ));
        }
    }

    /// Shows how full the prompt is.
    async fn tell_fullness(&self) -> Result<(), CliError> {
        let (api, session) = (self.stage.api, &self.stage.session);
        let metrics: MetricsShape = api.get(&api.path(&["sessions", session, "metrics"])).await?;
        let words = crate::render::session_sheet::fullness(&metrics.context, self.texts);
        self.screen.print_notice(&say!(self.texts, "talk-context", full = words));
        if let Some(heavy) = &metrics.context.prefix_advice {
            self.screen.print_notice(heavy);
        }
        Ok(())
    }

    /// Shows the last exchange, as stored.
    async fn recap(&self) -> Result<(), CliError> {
        let (api, session) = (self.stage.api, &self.stage.session);
        let entries = read_journal(api, session, 0).await?;
        let entries = entries.iter().map(EntryShape::decode).collect::<Result<Vec<JournalEntry>, _>>()?;
        // Entries since the read began are shown with the rest.
        let before = entries.iter().take_while(|entry| entry.seq <= self.follower.last());
        let messages: Vec<Message> = before.flat_map(JournalEntry::messages).collect();
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
