//! The talk: lines of a person, and what is stored between them. Whoever else moves the session meanwhile is seen here as
//! well.

mod approvals;
mod local_actions;
mod opening;
mod screen;
mod slash_command;

use entracte_application::commands::enrichments::compose_message;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{PendingDecision, SendMessage};
use entracte_domain::id::SessionId;
use entracte_domain::message::Enrichment;

use self::screen::ChatScreen;
use self::slash_command::{SlashCommand, slash};
use super::chat_attachment::ChatAttachment;
use super::enrichment;
use super::reviewed_cards::ReviewedCards;
use super::turn::{SessionContext, report_turn};
use crate::colour::paint;
use crate::error::{CliError, CliExitCode};
use crate::follow::{SessionEventCursor, TurnCompletion};
use crate::line_reader::{InputPurpose, LineHistory, LineInput, LineOrEvent, LineReader};
use crate::render::messages::plan;
use crate::render::plan as progress;
use crate::render::text::block;

/// Talks until the person leaves. A session that was made for it and in which nobody said anything goes with them.
pub(crate) async fn run(stage: SessionContext<'_>, is_new: bool) -> Result<CliExitCode, CliError> {
    let desk = stage.desk;
    let texts = desk.texts(&stage.wiring, &stage.workspace).await?;
    let rules = desk.rules(&stage.wiring, &stage.workspace).await?;
    // What comes after the last entry is told, whenever it is read.
    let reading = SessionEventCursor::starting_after(stage.last_sequence().await?);
    let attached = ChatAttachment::attach(&stage).await;
    let kept = LineHistory { file: desk.settings.data.join(HISTORY), most: desk.settings.chat_history };
    let keyboard = LineReader::new(desk.environment.stdin_terminal);
    let keyboard = keyboard.with_colour(desk.out.style.colour).with_history(&kept);
    let talk = ChatLoop {
        stage: &stage,
        attached: &attached,
        keyboard,
        reading,
        screen: ChatScreen::for_session(&stage, texts, rules),
        begun: String::new(),
        enrichments: Vec::new(),
        asking: None,
        seen: ReviewedCards::default(),
        texts,
    };
    let left = talk.run().await;
    attached.detach().await;
    match left? {
        ChatExit::AtRest(exit) => {
            if is_new {
                stage.discard_blank().await;
            }
            stage.drain_owned_work().await?;
            Ok(exit)
        }
        ChatExit::AtWork => Ok(CliExitCode::Done),
    }
}

/// The file of the messages that were typed, in the folder of the data.
const HISTORY: &str = "chat-history.txt";

/// How a person left.
enum ChatExit {
    /// Nothing is under way that was asked for here.
    AtRest(CliExitCode),
    /// The session works, and they wait for it no more.
    AtWork,
}

struct ChatLoop<'a> {
    stage: &'a SessionContext<'a>,
    /// That the chat is open here.
    attached: &'a ChatAttachment,
    keyboard: LineReader,
    /// How far the session was shown.
    reading: SessionEventCursor,
    screen: ChatScreen,
    /// A message that was begun when something else came.
    begun: String,
    /// What the next message refers to.
    enrichments: Vec<Enrichment>,
    /// The agent below the session that asks the person now; none where the session itself does.
    asking: Option<SessionId>,
    /// The cards that the person has read all of.
    seen: ReviewedCards,
    /// In the language of the workspace.
    texts: &'static LocalizedTexts,
}

/// What a person wants after a question.
enum QuestionFollowUp {
    /// The session works, or something came.
    Works,
    /// The person leaves.
    Leaves,
    /// Ask again.
    Again,
}

impl ChatLoop<'_> {
    async fn run(mut self) -> Result<ChatExit, CliError> {
        self.open().await?;
        loop {
            let ended = self.wait().await?;
            if ended.left {
                return self.leave_at_work().await;
            }
            self.asking = ended.turn.waits_in.last().map(|step| step.session.clone());
            let step = match ended.turn.waiting.clone() {
                Some(PendingDecision::Validation(approvals)) => self.ask_approval(&approvals).await?,
                Some(PendingDecision::Question(question)) => self.ask(&question).await?,
                None => self.prompt_for_message().await?,
            };
            match step {
                QuestionFollowUp::Leaves => return self.finish_chat(&ended).await.map(ChatExit::AtRest),
                QuestionFollowUp::Works | QuestionFollowUp::Again => {}
            }
        }
    }

    /// What the person leaves behind. What was asked may have been decided elsewhere since.
    async fn finish_chat(&mut self, ended: &TurnCompletion) -> Result<CliExitCode, CliError> {
        if ended.turn.waiting.is_none() || self.stage.has_pending_work(self.reading.last).await? {
            return Ok(CliExitCode::Done);
        }
        let now = self.wait().await?;
        Ok(if now.turn.waiting.is_some() {
            report_turn(self.stage.desk, &now, self.texts)
        } else {
            CliExitCode::Done
        })
    }

    /// Says what becomes of a session that is left while it works: it goes on where another process owns the database,
    /// and waits for the next one else.
    async fn leave_at_work(&self) -> Result<ChatExit, CliError> {
        let key =
            if self.stage.way.refresh_is_owner().await { "talk-left-waits" } else { "talk-left-goes-on" };
        let session = self.stage.session.as_str();
        self.stage.desk.out.write_notice(&say!(self.texts, key, session = session));
        Ok(ChatExit::AtWork)
    }

    /// Shows what happens until the session rests.
    async fn wait(&mut self) -> Result<TurnCompletion, CliError> {
        let begun = std::mem::take(&mut self.begun);
        let begun = self.screen.begin(begun);
        let ended = self.stage.follower().follow_until_rest(&mut self.reading, &mut self.screen).await;
        self.begun = self.screen.end(begun);
        self.screen.cards.clear();
        let ended = ended?;
        if !ended.left {
            self.stage.mark_read().await;
        }
        Ok(ended)
    }

    /// What a person types; none when something came before.
    async fn read(&mut self, wanted: InputPurpose, prompt: &str) -> Result<Option<LineInput>, CliError> {
        let begin = match wanted {
            InputPurpose::Message => std::mem::take(&mut self.begun),
            InputPurpose::Answer => String::new(),
        };
        let follower = self.stage.follower();
        let (screen, reading) = (&self.screen, &mut self.reading);
        let news = follower.wait_for_work_or_entry(reading, |entry| screen.is_visible(entry));
        match self.keyboard.read_line_or_event(wanted, prompt, &begin, news).await? {
            LineOrEvent::Typed(typed) => Ok(Some(typed)),
            LineOrEvent::News(news, begun) => {
                news?;
                // An answer that was begun was meant for what was asked then.
                if wanted == InputPurpose::Message {
                    self.begun = begun;
                }
                Ok(None)
            }
        }
    }

    async fn prompt_for_message(&mut self) -> Result<QuestionFollowUp, CliError> {
        let text = match self.read(InputPurpose::Message, &say!(self.texts, "talk-you")).await? {
            None => return Ok(QuestionFollowUp::Works),
            Some(LineInput::Line(text)) if text.trim().is_empty() => return Ok(QuestionFollowUp::Again),
            Some(LineInput::Line(text)) => text,
            Some(LineInput::Interrupted) => return Ok(self.hint()),
            Some(LineInput::End) => return Ok(QuestionFollowUp::Leaves),
        };
        match slash(&text) {
            Some(asked) => self.run_slash_command(asked).await,
            None => self.send(text).await,
        }
    }

    async fn send(&mut self, text: String) -> Result<QuestionFollowUp, CliError> {
        self.attached.refresh().await;
        let send = SendMessage::new(self.stage.way.clone());
        let (workspace, session) = (&self.stage.workspace, &self.stage.session);
        let message = compose_message(&text, self.enrichments.clone());
        let key = self.stage.wiring.ids.key();
        self.screen.own.record_message(key.clone());
        let sent = send.run(workspace, session, self.stage.author(), message, Some(key)).await;
        match &sent {
            // A refused message is written again; what it refers to need not be.
            Ok(_) => self.enrichments.clear(),
            Err(_) => self.begun = text,
        }
        Ok(self.report_outcome(sent.map_err(CliError::from)))
    }

    /// Does what a line asks of Entracte.
    async fn run_slash_command(&mut self, asked: SlashCommand<'_>) -> Result<QuestionFollowUp, CliError> {
        match asked {
            SlashCommand::Help => self.screen.print_wrapped(&say!(self.texts, "talk-help")),
            SlashCommand::Inbox => {
                super::inbox::run(self.stage.desk, None, true).await?;
            }
            SlashCommand::Plan => self.screen.print_wrapped(&self.plan().await?),
            SlashCommand::Model => {
                let view = self.stage.wiring.show().run(&self.stage.workspace, &self.stage.session).await?;
                self.screen.print_wrapped(&slash_command::model(&view, self.texts));
            }
            SlashCommand::Quit => return Ok(QuestionFollowUp::Leaves),
            SlashCommand::Enrich(written) => {
                let read = enrichment::read_line(written, self.texts);
                let read = read.map(|enrichment| self.enrichments.push(enrichment));
                return Ok(self.report_outcome(read));
            }
            SlashCommand::Unknown(word) => {
                self.screen.print_wrapped(&say!(self.texts, "talk-no-slash", word = word))
            }
        }
        Ok(QuestionFollowUp::Again)
    }

    /// The plan that was approved last and how far it is; else the one that the model told last.
    async fn plan(&self) -> Result<String, CliError> {
        let stage = &self.stage;
        let view = stage.wiring.show().run(&stage.workspace, &stage.session).await?;
        if let Some(approved) = &view.facts.plan {
            return Ok(progress::plan(approved, self.texts));
        }
        let turn = self.stage.wiring.follow().view(&self.stage.workspace, &self.stage.session, 0).await?;
        let told = turn.reply.and_then(|reply| plan(&reply.plan, self.texts));
        Ok(told.unwrap_or_else(|| say!(self.texts, "talk-no-plan")))
    }

    /// What was refused is said, and the person goes on.
    fn report_outcome<T>(&self, result: Result<T, CliError>) -> QuestionFollowUp {
        match result {
            Ok(_) => QuestionFollowUp::Works,
            Err(error) => {
                let error = error.localized(self.texts);
                let colour = self.stage.desk.out.message_style.colour;
                self.screen.print_wrapped(&paint(&block(&error.message), "31", colour));
                QuestionFollowUp::Again
            }
        }
    }

    fn hint(&self) -> QuestionFollowUp {
        self.screen.print_notice(&say!(self.texts, "talk-leave"));
        QuestionFollowUp::Again
    }
}
