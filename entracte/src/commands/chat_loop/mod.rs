//! The chat loop: reads the person's lines, and shows the stored entries between them, also those caused by other
//! processes.

mod approvals;
mod attached_files;
mod local_actions;
mod opening;
mod prompts;
mod screen;
mod slash_command;

use entracte_adapters_http::shapes::file::FileShape;
use entracte_adapters_http::shapes::message::NewMessage;
use entracte_adapters_http::shapes::session::AcceptedShape;
use entracte_adapters_http::shapes::turn::TurnWaitShape;
use entracte_application::ports::IdGenerator;
use entracte_application::system::RandomIdGenerator;
use entracte_application::texts::{LocalizedTexts, say};

use self::screen::ChatScreen;
use self::slash_command::{SlashCommand, slash};
use super::attachment::unread_files_notice;
use super::chat_stage::{ChatFollower, ChatPresence, ChatStage};
use super::enrichment::{self, WrittenEnrichment};
use super::reviewed_cards::ReviewedCards;
use super::turn::report_turn;
use crate::api_client::post;
use crate::api_follow::read_turn;
use crate::args::InboxListArgs;
use crate::colour::paint;
use crate::error::{CliError, CliExitCode};
use crate::follow::TurnCompletion;
use crate::line_reader::{InputPurpose, LineHistory, LineInput, LineOrEvent, LineReader};
use crate::render::messages::plan;
use crate::render::plan as progress;
use crate::render::text::block;

/// Runs the chat until the person leaves; `first` is a message that was typed already. A session created for it is deleted
/// if no message was sent.
pub(crate) async fn run(
    stage: ChatStage<'_>,
    is_new: bool,
    first: Option<String>,
) -> Result<CliExitCode, CliError> {
    let context = stage.context;
    let texts = stage.api.texts().await?;
    let waits_most = waits_most(&stage).await?;
    // Shows every entry after the last one, whenever it is read.
    let follower = stage.follow().await?;
    let attached = stage.attach().await;
    let kept = LineHistory { file: context.settings.data.join(HISTORY), most: context.settings.chat_history };
    let keyboard = LineReader::new(context.environment.stdin_terminal);
    let keyboard = keyboard.with_colour(context.out.style.colour).with_history(&kept);
    let talk = ChatLoop {
        stage: &stage,
        attached: &attached,
        keyboard,
        follower,
        screen: ChatScreen::new(context, stage.api.author().await?, texts, waits_most),
        begun: String::new(),
        unanswered: None,
        enrichments: Vec::new(),
        files: Vec::new(),
        asking: None,
        seen: ReviewedCards::default(),
        texts,
    };
    let left = talk.run(first).await;
    attached.detach(&stage).await;
    match left? {
        ChatExit::AtRest(exit) => {
            if is_new {
                stage.discard_blank().await;
            }
            stage.drain().await?;
            Ok(exit)
        }
        ChatExit::AtWork => Ok(CliExitCode::Done),
    }
}

/// How often a round waits for its provider before it gives up; 0 where that is not known.
async fn waits_most(stage: &ChatStage<'_>) -> Result<u32, CliError> {
    let Some(here) = stage.here() else { return Ok(0) };
    let rules = stage.context.rules(&here.services, &here.workspace).await?;
    let facts = here.services.show().run(&here.workspace, &here.session).await?.facts;
    Ok(rules.rules_for_session(&facts).chat_waits)
}

/// The history file of typed messages, in the data folder.
const HISTORY: &str = "chat-history.txt";

/// How a person left the chat.
enum ChatExit {
    /// No work requested here is running.
    AtRest(CliExitCode),
    /// The session works, and the person no longer waits.
    AtWork,
}

struct ChatLoop<'a> {
    stage: &'a ChatStage<'a>,
    /// The lease of the open chat.
    attached: &'a ChatPresence,
    keyboard: LineReader,
    /// Shows the entries.
    follower: ChatFollower<'a>,
    screen: ChatScreen,
    /// A message that was being typed when an event came.
    begun: String,
    /// The last message, if it was not accepted.
    unanswered: Option<NewMessage>,
    /// The references for the next message.
    enrichments: Vec<WrittenEnrichment>,
    /// The stored files for the next message.
    files: Vec<FileShape>,
    /// The agent below the session that asks now; `None` if the session itself does.
    asking: Option<String>,
    /// The cards that the person has read in full.
    seen: ReviewedCards,
    /// The texts in the workspace's language.
    texts: &'static LocalizedTexts,
}

/// The person's choice after a question.
enum QuestionFollowUp {
    /// The session works, or an event came.
    Works,
    /// The person leaves.
    Leaves,
    /// The question is asked again.
    Again,
}

impl ChatLoop<'_> {
    async fn run(mut self, first: Option<String>) -> Result<ChatExit, CliError> {
        self.open().await?;
        if let Some(text) = first
            && matches!(self.take_line(text).await?, QuestionFollowUp::Leaves)
        {
            return Ok(ChatExit::AtRest(CliExitCode::Done));
        }
        loop {
            let ended = self.wait().await?;
            if ended.left {
                return self.leave_at_work().await;
            }
            self.asking = ended.turn.waits_in.last().map(|step| step.session.clone());
            let step = match ended.turn.waiting.clone() {
                Some(TurnWaitShape::Validation(approvals)) => self.ask_approval(&approvals).await?,
                Some(TurnWaitShape::Question(questions)) => self.ask(&questions).await?,
                None => self.prompt_for_message().await?,
            };
            match step {
                QuestionFollowUp::Leaves => return self.finish_chat(&ended).await.map(ChatExit::AtRest),
                QuestionFollowUp::Works | QuestionFollowUp::Again => {}
            }
        }
    }

    /// The exit code for the state that the person leaves. Another person may have decided open requests meanwhile.
    async fn finish_chat(&mut self, ended: &TurnCompletion) -> Result<CliExitCode, CliError> {
        if ended.turn.waiting.is_none() || self.follower.has_pending_work().await? {
            return Ok(CliExitCode::Done);
        }
        let now = self.wait().await?;
        Ok(if now.turn.waiting.is_some() {
            report_turn(self.stage.context, &now, self.texts)
        } else {
            CliExitCode::Done
        })
    }

    /// Reports what happens to a session left while it works: it continues if another process owns the database;
    /// otherwise it waits for the next owner.
    async fn leave_at_work(&self) -> Result<ChatExit, CliError> {
        let key = if self.stage.runs_here().await { "talk-left-waits" } else { "talk-left-goes-on" };
        let session = self.stage.session.as_str();
        self.stage.context.out.write_notice(&say!(self.texts, key, session = session));
        Ok(ChatExit::AtWork)
    }

    /// Shows entries until the session rests.
    async fn wait(&mut self) -> Result<TurnCompletion, CliError> {
        let begun = std::mem::take(&mut self.begun);
        let begun = self.screen.begin(begun);
        let ended = self.follower.until_rest(&mut self.screen).await;
        self.begun = self.screen.end(begun);
        self.screen.cards.clear();
        let ended = ended?;
        if !ended.left {
            self.stage.mark_read().await;
        }
        Ok(ended)
    }

    /// Reads a person's line; `None` if an event came first.
    async fn read(&mut self, wanted: InputPurpose, prompt: &str) -> Result<Option<LineInput>, CliError> {
        let begin = match wanted {
            InputPurpose::Message => std::mem::take(&mut self.begun),
            InputPurpose::Answer => String::new(),
        };
        let (screen, follower) = (&self.screen, &mut self.follower);
        let news = follower.wait_for_work_or_entry(|entry| screen.is_visible(entry));
        match self.keyboard.read_line_or_event(wanted, prompt, &begin, news).await? {
            LineOrEvent::Typed(typed) => Ok(Some(typed)),
            LineOrEvent::News(news, begun) => {
                news?;
                // An unfinished answer belonged to the old question.
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
        self.take_line(text).await
    }

    /// Sends what the person typed, or does what it asks the program for.
    async fn take_line(&mut self, text: String) -> Result<QuestionFollowUp, CliError> {
        match slash(&text) {
            Some(asked) => self.run_slash_command(asked).await,
            None => match self.dropped_files(&text) {
                Some(paths) => Ok(self.attach_files(&paths).await),
                None => self.send(text).await,
            },
        }
    }

    async fn send(&mut self, text: String) -> Result<QuestionFollowUp, CliError> {
        self.attached.refresh().await;
        let enrichments: Vec<_> = self.enrichments.iter().map(|one| one.written.clone()).collect();
        let files: Vec<String> = self.files.iter().map(|file| file.digest.clone()).collect();
        // The same message again: it may have arrived, although no answer came.
        let unanswered = self.unanswered.take().filter(|before| {
            before.text == text && before.enrichments == enrichments && before.files == files
        });
        let key = unanswered.and_then(|before| before.client_key).unwrap_or_else(|| RandomIdGenerator.key());
        self.screen.own.record_message(key.clone());
        let (uploads, client_key) = (Vec::new(), Some(key));
        let message = NewMessage { text: text.clone(), enrichments, files, uploads, client_key };
        let api = self.stage.api;
        let path = api.path(&["sessions", &self.stage.session, "messages"]);
        let sent = api.send::<AcceptedShape>(post(&path, &message)).await;
        match &sent {
            // A refused message is typed again, with the same references and files.
            Ok(accepted) => {
                if !self.files.is_empty() {
                    let (session, message) = (&self.stage.session, accepted.message.as_deref());
                    let notice = unread_files_notice(api, session, message).await;
                    notice.iter().for_each(|notice| self.screen.print_notice(notice));
                }
                self.enrichments.clear();
                self.files.clear();
            }
            Err(_) => (self.begun, self.unanswered) = (text, Some(message)),
        }
        Ok(self.report_outcome(sent))
    }

    /// Runs a slash command.
    async fn run_slash_command(&mut self, asked: SlashCommand<'_>) -> Result<QuestionFollowUp, CliError> {
        match asked {
            SlashCommand::Help => self.screen.print_wrapped(&say!(self.texts, "talk-help")),
            SlashCommand::Inbox => {
                let all = InboxListArgs { list: true, ..InboxListArgs::default() };
                super::inbox::run(self.stage.context, None, all).await?;
            }
            SlashCommand::Plan => self.screen.print_wrapped(&self.plan().await?),
            SlashCommand::Model => {
                let session = self.stage.read().await?;
                self.screen.print_wrapped(&slash_command::model(&session, self.texts));
            }
            SlashCommand::Quit => return Ok(QuestionFollowUp::Leaves),
            SlashCommand::Enrich(written) => {
                let read = enrichment::read_line(written, self.texts);
                let read = read.map(|enrichment| self.enrichments.push(enrichment));
                return Ok(self.report_outcome(read));
            }
            SlashCommand::Attach(written) => return Ok(self.attach_written(written).await),
            SlashCommand::Prompts => return self.list_prompts().await,
            SlashCommand::Prompt { server, prompt, arguments } => {
                return self.send_prompt(server, prompt, arguments).await;
            }
            SlashCommand::Unknown(word) => {
                self.screen.print_wrapped(&say!(self.texts, "talk-no-slash", word = word))
            }
        }
        Ok(QuestionFollowUp::Again)
    }

    /// The latest approved plan with its progress; else the model's latest plan.
    async fn plan(&self) -> Result<String, CliError> {
        if let Some(approved) = &self.stage.read().await?.plan {
            return Ok(progress::plan(approved, self.texts));
        }
        let turn = read_turn(self.stage.api, &self.stage.session, Some(0)).await?;
        let told = turn.reply.and_then(|reply| plan(&reply.plan, self.texts));
        Ok(told.unwrap_or_else(|| say!(self.texts, "talk-no-plan")))
    }

    /// Reports a refusal, after which the chat continues.
    fn report_outcome<T>(&self, result: Result<T, CliError>) -> QuestionFollowUp {
        match result {
            Ok(_) => QuestionFollowUp::Works,
            Err(error) => {
                let error = error.localized(self.texts);
                let colour = self.stage.context.out.message_style.colour;
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
