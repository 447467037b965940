//! The talk: lines of a person, and what is stored between them. Whoever else moves the session meanwhile is seen here as
//! well.

mod ask;
mod opening;
mod own;
mod screen;
mod slash;

use entracte_application::commands::enrich::composed;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{PendingDecision, SendMessage};
use entracte_domain::id::SessionId;
use entracte_domain::message::Enrichment;

use self::screen::Screen;
use self::slash::{Slash, slash};
use super::attached::Attached;
use super::enrich;
use super::seen::SeenCards;
use super::turn::{Stage, tell};
use crate::colour::paint;
use crate::error::{CliError, Exit};
use crate::follow::{Ended, Reading};
use crate::keyboard::{KeptLines, Keyboard, LineOr, Typed, Wanted};
use crate::render::messages::plan;
use crate::render::plan as progress;
use crate::render::text::block;

/// Talks until the person leaves. A session that was made for it and in which nobody said anything goes with them.
pub(crate) async fn run(stage: Stage<'_>, is_new: bool) -> Result<Exit, CliError> {
    let desk = stage.desk;
    let texts = desk.texts(&stage.wiring, &stage.workspace).await?;
    let rules = desk.rules(&stage.wiring, &stage.workspace).await?;
    // What comes after the last entry is told, whenever it is read.
    let reading = Reading::after(stage.last().await?);
    let attached = Attached::begin(&stage).await;
    let kept = KeptLines { file: desk.settings.data.join(HISTORY), most: desk.settings.chat_history };
    let keyboard = Keyboard::new(desk.environment.stdin_terminal);
    let keyboard = keyboard.coloured(desk.out.style.colour).remembering(&kept);
    let talk = Talk {
        stage: &stage,
        attached: &attached,
        keyboard,
        reading,
        screen: Screen::of(&stage, texts, rules),
        begun: String::new(),
        enrichments: Vec::new(),
        asking: None,
        seen: SeenCards::default(),
        texts,
    };
    let left = talk.run().await;
    attached.leave().await;
    match left? {
        Left::AtRest(exit) => {
            if is_new {
                stage.discard_blank().await;
            }
            stage.leave().await?;
            Ok(exit)
        }
        Left::AtWork => Ok(Exit::Done),
    }
}

/// The file of the messages that were typed, in the folder of the data.
const HISTORY: &str = "chat-history.txt";

/// How a person left.
enum Left {
    /// Nothing is under way that was asked for here.
    AtRest(Exit),
    /// The session works, and they wait for it no more.
    AtWork,
}

struct Talk<'a> {
    stage: &'a Stage<'a>,
    /// That the chat is open here.
    attached: &'a Attached,
    keyboard: Keyboard,
    /// How far the session was shown.
    reading: Reading,
    screen: Screen,
    /// A message that was begun when something else came.
    begun: String,
    /// What the next message refers to.
    enrichments: Vec<Enrichment>,
    /// The agent below the session that asks the person now; none where the session itself does.
    asking: Option<SessionId>,
    /// The cards that the person has read all of.
    seen: SeenCards,
    /// In the language of the workspace.
    texts: &'static LocalizedTexts,
}

/// What a person wants after a question.
enum AfterAnswer {
    /// The session works, or something came.
    Works,
    /// The person leaves.
    Leaves,
    /// Ask again.
    Again,
}

impl Talk<'_> {
    async fn run(mut self) -> Result<Left, CliError> {
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
                None => self.speak().await?,
            };
            match step {
                AfterAnswer::Leaves => return self.left(&ended).await.map(Left::AtRest),
                AfterAnswer::Works | AfterAnswer::Again => {}
            }
        }
    }

    /// What the person leaves behind. What was asked may have been decided elsewhere since.
    async fn left(&mut self, ended: &Ended) -> Result<Exit, CliError> {
        if ended.turn.waiting.is_none() || self.stage.works(self.reading.last).await? {
            return Ok(Exit::Done);
        }
        let now = self.wait().await?;
        Ok(if now.turn.waiting.is_some() { tell(self.stage.desk, &now, self.texts) } else { Exit::Done })
    }

    /// Says what becomes of a session that is left while it works: it goes on where another process owns the database,
    /// and waits for the next one else.
    async fn leave_at_work(&self) -> Result<Left, CliError> {
        let key = if self.stage.way.owns().await { "talk-left-waits" } else { "talk-left-goes-on" };
        let session = self.stage.session.as_str();
        self.stage.desk.out.say(&say!(self.texts, key, session = session));
        Ok(Left::AtWork)
    }

    /// Shows what happens until the session rests.
    async fn wait(&mut self) -> Result<Ended, CliError> {
        let begun = std::mem::take(&mut self.begun);
        let begun = self.screen.begin(begun);
        let ended = self.stage.follower().read_on(&mut self.reading, &mut self.screen).await;
        self.begun = self.screen.end(begun);
        self.screen.cards.clear();
        let ended = ended?;
        if !ended.left {
            self.stage.mark_read().await;
        }
        Ok(ended)
    }

    /// What a person types; none when something came before.
    async fn read(&mut self, wanted: Wanted, prompt: &str) -> Result<Option<Typed>, CliError> {
        let begin = match wanted {
            Wanted::Message => std::mem::take(&mut self.begun),
            Wanted::Answer => String::new(),
        };
        let follower = self.stage.follower();
        let (screen, reading) = (&self.screen, &mut self.reading);
        let news = follower.news(reading, |entry| screen.shows(entry));
        match self.keyboard.line_or(wanted, prompt, &begin, news).await? {
            LineOr::Typed(typed) => Ok(Some(typed)),
            LineOr::News(news, begun) => {
                news?;
                // An answer that was begun was meant for what was asked then.
                if wanted == Wanted::Message {
                    self.begun = begun;
                }
                Ok(None)
            }
        }
    }

    async fn speak(&mut self) -> Result<AfterAnswer, CliError> {
        let text = match self.read(Wanted::Message, &say!(self.texts, "talk-you")).await? {
            None => return Ok(AfterAnswer::Works),
            Some(Typed::Line(text)) if text.trim().is_empty() => return Ok(AfterAnswer::Again),
            Some(Typed::Line(text)) => text,
            Some(Typed::Interrupted) => return Ok(self.hint()),
            Some(Typed::End) => return Ok(AfterAnswer::Leaves),
        };
        match slash(&text) {
            Some(asked) => self.obey(asked).await,
            None => self.send(text).await,
        }
    }

    async fn send(&mut self, text: String) -> Result<AfterAnswer, CliError> {
        self.attached.refresh().await;
        let send = SendMessage::new(self.stage.way.clone());
        let (workspace, session) = (&self.stage.workspace, &self.stage.session);
        let message = composed(&text, self.enrichments.clone());
        let key = self.stage.wiring.ids.key();
        self.screen.own.says(key.clone());
        let sent = send.run(workspace, session, self.stage.author(), message, Some(key)).await;
        match &sent {
            // A refused message is written again; what it refers to need not be.
            Ok(_) => self.enrichments.clear(),
            Err(_) => self.begun = text,
        }
        Ok(self.done(sent.map_err(CliError::from)))
    }

    /// Does what a line asks of Entracte.
    async fn obey(&mut self, asked: Slash<'_>) -> Result<AfterAnswer, CliError> {
        match asked {
            Slash::Help => self.screen.tells(&say!(self.texts, "talk-help")),
            Slash::Inbox => {
                super::inbox::run(self.stage.desk, None, true).await?;
            }
            Slash::Plan => self.screen.tells(&self.plan().await?),
            Slash::Model => {
                let view = self.stage.wiring.show().run(&self.stage.workspace, &self.stage.session).await?;
                self.screen.tells(&slash::model(&view, self.texts));
            }
            Slash::Quit => return Ok(AfterAnswer::Leaves),
            Slash::Enrich(written) => {
                let read = enrich::read_line(written, self.texts);
                let read = read.map(|enrichment| self.enrichments.push(enrichment));
                return Ok(self.done(read));
            }
            Slash::Unknown(word) => self.screen.tells(&say!(self.texts, "talk-no-slash", word = word)),
        }
        Ok(AfterAnswer::Again)
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
    fn done<T>(&self, result: Result<T, CliError>) -> AfterAnswer {
        match result {
            Ok(_) => AfterAnswer::Works,
            Err(error) => {
                let error = error.spoken(self.texts);
                let colour = self.stage.desk.out.message_style.colour;
                self.screen.tells(&paint(&block(&error.message), "31", colour));
                AfterAnswer::Again
            }
        }
    }

    fn hint(&self) -> AfterAnswer {
        self.screen.says(&say!(self.texts, "talk-leave"));
        AfterAnswer::Again
    }
}
