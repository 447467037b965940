//! The talk: lines of a person, streamed words of a model, approvals and questions between them.

use std::sync::Arc;

use entracte_application::codec::Entry;
use entracte_application::texts::{Texts, say};
use entracte_application::use_cases::{
    AnswerApprovals, AnswerQuestion, Approval, Choice, SendMessage, Shown, SlotPlace, Waiting,
};
use entracte_domain::message::Enrichment;
use entracte_domain::question::Question;
use entracte_domain::time::Millis;
use jiff::tz::TimeZone;

use super::attached::Attached;
use super::decide::{arguments, tell_rules};
use super::enrich;
use super::turn::{Stage, tell};
use crate::error::{CliError, Exit};
use crate::follow::{Ended, Watcher};
use crate::keyboard::{Keyboard, Typed};
use crate::message::message;
use crate::output::Output;
use crate::render;
use crate::render::approval::{card, question};
use crate::render::colour::paint;
use crate::render::rule::width;
use crate::render::talk::told;
use crate::render::text::{block, escaped_json};

/// Talks until the person leaves.
pub(crate) async fn run(stage: Stage<'_>) -> Result<Exit, CliError> {
    let keyboard = Keyboard::new(stage.desk.environment.stdin_terminal)?;
    let texts = stage.desk.texts(&stage.wiring, &stage.workspace).await?;
    let attached = Attached::begin(&stage).await;
    let talk = Talk { stage: &stage, attached: &attached, keyboard, last: 0, enrichments: Vec::new(), texts };
    let left = talk.run().await;
    attached.leave().await;
    stage.leave().await?;
    left
}

struct Talk<'a> {
    stage: &'a Stage<'a>,
    /// That the chat is open here.
    attached: &'a Attached,
    keyboard: Keyboard,
    /// The last entry that was shown.
    last: u64,
    /// What the next message refers to.
    enrichments: Vec<Enrichment>,
    /// In the language of the workspace.
    texts: &'static Texts,
}

/// What a person wants after a question.
enum AfterAnswer {
    /// The session works.
    Works,
    /// The person leaves.
    Leaves,
    /// Ask again.
    Again,
}

impl Talk<'_> {
    async fn run(mut self) -> Result<Exit, CliError> {
        self.stage.desk.out.say(&say!(self.texts, "talk-keys"));
        self.last = self.stage.last().await?;
        let mut ended = self.wait().await?;
        loop {
            let step = match ended.turn.waiting.clone() {
                Some(Waiting::Validation(approvals)) => self.ask_approval(&approvals).await?,
                Some(Waiting::Question(question)) => self.ask(&question).await?,
                None => self.speak().await?,
            };
            match step {
                AfterAnswer::Leaves => return self.left(&ended).await,
                AfterAnswer::Works | AfterAnswer::Again => ended = self.wait().await?,
            }
        }
    }

    /// What the person leaves behind. What was asked may have been decided elsewhere since.
    async fn left(&mut self, ended: &Ended) -> Result<Exit, CliError> {
        if ended.turn.waiting.is_none() || self.stage.works(self.last).await? {
            return Ok(Exit::Done);
        }
        let now = self.wait().await?;
        Ok(if now.turn.waiting.is_some() { tell(self.stage.desk, &now, self.texts) } else { Exit::Done })
    }

    /// Shows what happens until the session rests.
    async fn wait(&mut self) -> Result<Ended, CliError> {
        let desk = self.stage.desk;
        let mut voice = Voice {
            out: desk.out.clone(),
            author: desk.settings.author.clone(),
            texts: self.texts,
            zone: desk.zone.clone(),
            streamed: false,
        };
        let feed = self.stage.way.watch();
        let ended = self.stage.follower().until_rest(feed, self.last, &mut voice).await?;
        voice.end_line()?;
        self.last = ended.last;
        self.stage.mark_read().await;
        Ok(ended)
    }

    async fn speak(&mut self) -> Result<AfterAnswer, CliError> {
        let text = match self.keyboard.line(&say!(self.texts, "talk-you")).await? {
            Typed::Line(text) if text.trim().is_empty() => return Ok(AfterAnswer::Again),
            Typed::Line(text) => text,
            Typed::Interrupted => return Ok(self.hint()),
            Typed::End => return Ok(AfterAnswer::Leaves),
        };
        if let Some(written) = enrichment_of(&text) {
            let read =
                enrich::read_line(written, self.texts).map(|enrichment| self.enrichments.push(enrichment));
            return Ok(self.done(read));
        }
        self.attached.refresh().await;
        let send = SendMessage::new(self.stage.way.clone());
        let (workspace, session) = (&self.stage.workspace, &self.stage.session);
        let message = enrich::message(&text, self.enrichments.clone());
        let sent = send.run(workspace, session, self.stage.author(), message, None).await;
        // A refused message is written again; what it refers to need not be.
        if sent.is_ok() {
            self.enrichments.clear();
        }
        Ok(self.done(sent.map_err(CliError::from)))
    }

    async fn ask(&mut self, asked: &Question) -> Result<AfterAnswer, CliError> {
        let out = &self.stage.desk.out;
        out.complain(&question(asked, out.message_style.colour, self.texts));
        let text = match self.keyboard.line(&say!(self.texts, "talk-answer")).await? {
            Typed::Line(text) if text.trim().is_empty() => return Ok(AfterAnswer::Again),
            Typed::Line(text) => text,
            Typed::Interrupted => return Ok(self.hint()),
            Typed::End => return Ok(AfterAnswer::Leaves),
        };
        self.attached.refresh().await;
        let answer = AnswerQuestion::new(self.stage.way.clone());
        let (workspace, session) = (&self.stage.workspace, &self.stage.session);
        let answered = answer.run(workspace, session, self.stage.author(), text).await;
        Ok(self.done(answered.map_err(CliError::from)))
    }

    /// Asks for the first call that is open; the others come after it.
    async fn ask_approval(&mut self, approvals: &[Approval]) -> Result<AfterAnswer, CliError> {
        let Some(approval) = approvals.first() else { return Ok(AfterAnswer::Again) };
        let desk = self.stage.desk;
        desk.out.complain(&card(approval, desk.out.message_style.colour, &desk.zone));
        let lasts = desk.settings.runtime.always_expires;
        if let Some(width) = width(approval, false, lasts) {
            desk.out.complain(&width);
        }
        let mut choices = vec![say!(self.texts, "talk-choices")];
        choices.extend(approval.always.is_some().then(|| say!(self.texts, "talk-choice-always")));
        choices.extend(
            (approvals.len() > 1).then(|| say!(self.texts, "talk-choice-all", count = approvals.len())),
        );
        let prompt = format!("{}> ", choices.join(", "));
        let typed = match self.keyboard.line(&prompt).await? {
            Typed::Line(text) => text,
            Typed::Interrupted => return Ok(self.hint()),
            Typed::End => return Ok(AfterAnswer::Leaves),
        };
        let one = vec![Shown::of(approval)];
        match typed.trim().to_lowercase().as_str() {
            "y" | "yes" | "o" | "oui" => self.decide(one, Choice::Approve).await,
            "a" | "all" | "t" | "tous" => self.all(approvals).await,
            "w" | "always" | "j" | "toujours" if approval.always.is_some() => self.always(one, lasts).await,
            "n" | "no" | "non" => match self.keyboard.line(&say!(self.texts, "talk-why")).await? {
                Typed::Line(reason) => {
                    let reason = Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty());
                    self.decide(one, Choice::Reject(reason)).await
                }
                Typed::Interrupted | Typed::End => Ok(AfterAnswer::Again),
            },
            "e" | "edit" | "m" | "modifier" => self.edit(approval).await,
            _ => Ok(AfterAnswer::Again),
        }
    }

    /// All of them, once each was shown.
    async fn all(&mut self, approvals: &[Approval]) -> Result<AfterAnswer, CliError> {
        let desk = self.stage.desk;
        for approval in approvals.iter().skip(1) {
            desk.out.complain(&card(approval, desk.out.message_style.colour, &desk.zone));
        }
        let prompt = say!(self.texts, "talk-all", count = approvals.len());
        match self.keyboard.line(&prompt).await? {
            Typed::Line(text) if matches!(text.trim().to_lowercase().as_str(), "y" | "yes" | "o" | "oui") => {
                self.decide(approvals.iter().map(Shown::of).collect(), Choice::Approve).await
            }
            Typed::Line(_) | Typed::Interrupted | Typed::End => Ok(AfterAnswer::Again),
        }
    }

    /// Approval for this call and all like it, everywhere in the workspace, for as long as was shown.
    async fn always(&mut self, calls: Vec<Shown>, lasts: Millis) -> Result<AfterAnswer, CliError> {
        let after = self.last;
        let choice = Choice::Always { in_session: false, lasts: Some(lasts) };
        let step = self.decide(calls, choice).await?;
        if matches!(step, AfterAnswer::Works) {
            tell_rules(self.stage, after).await?;
        }
        Ok(step)
    }

    async fn edit(&mut self, approval: &Approval) -> Result<AfterAnswer, CliError> {
        let before = escaped_json(&approval.call.effective().arguments.to_json());
        let Typed::Line(text) = self.keyboard.edit(&say!(self.texts, "talk-parameters"), &before).await?
        else {
            return Ok(AfterAnswer::Again);
        };
        match arguments(message!("talk-written"), &text) {
            Ok(edited) => self.decide(vec![Shown::of(approval)], Choice::ApproveEdited(edited)).await,
            Err(error) => Ok(self.done::<()>(Err(error))),
        }
    }

    async fn decide(&mut self, calls: Vec<Shown>, choice: Choice) -> Result<AfterAnswer, CliError> {
        self.attached.refresh().await;
        let decide = AnswerApprovals::new(self.stage.way.clone(), self.stage.wiring.store.clone());
        let (workspace, session) = (&self.stage.workspace, &self.stage.session);
        let decided = decide.run_for_shown(workspace, session, self.stage.author(), &calls, &choice).await;
        Ok(self.done(decided.map_err(CliError::from)))
    }

    /// What was refused is said, and the person goes on.
    fn done<T>(&self, result: Result<T, CliError>) -> AfterAnswer {
        match result {
            Ok(_) => AfterAnswer::Works,
            Err(error) => {
                let error = error.spoken(self.texts);
                let words = block(&error.message);
                self.stage.desk.out.complain(&paint(&words, "31", self.stage.desk.out.message_style.colour));
                AfterAnswer::Again
            }
        }
    }

    fn hint(&self) -> AfterAnswer {
        self.stage.desk.out.say(&say!(self.texts, "talk-leave"));
        AfterAnswer::Again
    }
}

/// The JSON of a line that refers to something for the next message: `/enrich {…}`.
fn enrichment_of(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("/enrich")?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(rest.trim())
}

/// Shows words as they come.
struct Voice {
    out: Arc<Output>,
    author: String,
    texts: &'static Texts,
    zone: TimeZone,
    /// Words of the present reply were shown, and the line is open.
    streamed: bool,
}

impl Voice {
    fn end_line(&mut self) -> Result<(), CliError> {
        if std::mem::take(&mut self.streamed) { self.out.piece("\n") } else { Ok(()) }
    }
}

impl Watcher for Voice {
    fn waits(&mut self, place: &SlotPlace) {
        self.out.say(&render::place::place(place, self.texts, &self.zone));
    }

    fn entry(&mut self, entry: &Entry) -> Result<(), CliError> {
        let told = told(entry, &self.author, self.out.message_style, self.texts);
        let was_streamed = self.streamed;
        self.end_line()?;
        if let Some(said) = told.said.filter(|said| !was_streamed && !said.is_empty()) {
            self.out.data(&said)?;
        }
        told.lines.iter().for_each(|line| self.out.complain(line));
        told.after.iter().try_for_each(|text| self.out.data(text))
    }

    fn said(&mut self, text: &str) -> Result<(), CliError> {
        self.streamed = true;
        self.out.piece(&block(text))
    }
}
