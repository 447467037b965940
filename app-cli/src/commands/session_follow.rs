//! `session follow`: shows the events of a session live. The owner of the database does the work; this process only
//! reads.

use entracte_application::journal::JournalEntry;
use entracte_application::stream::{Cursor, ReplyChannel, SessionLevelCall, StreamFrame, StreamReadStart};
use entracte_application::texts::LocalizedTexts;
use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;

use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::CtrlCListener;
use crate::json::{CallProgressObject, EntryObject, ReasoningDeltaObject, ReplyDeltaObject};
use crate::model_stream::ModelStreamSubscription;
use crate::render::entry::EntryRenderer;
use crate::render::progress::words;
use crate::render::text::one_line;

/// The interval for polling entries of another process.
const LOOK: Millis = Millis(250);

/// Shows the events after a given one, or from now on, until the session ends, or rests if requested.
pub(super) async fn run(
    context: &CommandContext,
    named: &str,
    after: Option<u64>,
    until_rest: bool,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let (session, workspace) = services.session(&context.settings.workspace, named).await?;
    let texts = context.texts(&services, &workspace).await?;
    let follow = services.follow();
    let mut last = match after {
        Some(after) => after,
        None => follow.last_entry_number(&workspace, &session).await?,
    };
    let from = StreamReadStart::At(Cursor { seq: last, spoken: None });
    let mut events = services.events().open(&workspace, Some(&session), from, None).await?;
    let _words =
        ModelStreamSubscription::subscribe(&services, None, &workspace, &session, &context.settings.author);
    let shown = FollowedSessionOutput {
        context,
        lines: context.entry_renderer(context.out.style, texts),
        session: &session,
        texts,
    };
    let mut ctrl_c = CtrlCListener::listen();
    loop {
        loop {
            let told = events.read_available(true).await?;
            if told.is_empty() {
                break;
            }
            for told in &told {
                if let StreamFrame::Entry(entry) = &told.frame {
                    last = entry.seq;
                }
                shown.print_event(&told.frame)?;
            }
        }
        let now = follow.read_update(&workspace, &session, last).await?;
        let is_over = now.session.phase.end_reason().is_some() || (until_rest && now.rests);
        if is_over && now.entries.is_empty() {
            let waits = follow.view(&workspace, &session, last).await?.waiting.is_some();
            return Ok(if waits { CliExitCode::Waiting } else { CliExitCode::Done });
        }
        tokio::select! {
            biased;
            () = ctrl_c.wait_for_press() => return Ok(CliExitCode::Done),
            () = events.wait_for_change() => {}
            () = services.clock.sleep(LOOK) => events.invalidate(),
        }
    }
}

/// The output of a followed session.
struct FollowedSessionOutput<'a> {
    context: &'a CommandContext,
    lines: EntryRenderer,
    session: &'a SessionId,
    texts: &'static LocalizedTexts,
}

impl FollowedSessionOutput<'_> {
    /// Prints an event as a line. Streamed text is printed in JSON mode as it arrives, otherwise with its event.
    fn print_event(&self, frame: &StreamFrame) -> Result<(), CliError> {
        let out = &self.context.out;
        match frame {
            StreamFrame::Entry(entry) => self.entry(entry),
            StreamFrame::StreamChunk { channel, text, .. } if out.json => match channel {
                ReplyChannel::Text => out.write_json_line(&ReplyDeltaObject::new(self.session, text)),
                ReplyChannel::Reasoning => {
                    out.write_json_line(&ReasoningDeltaObject::new(self.session, text))
                }
            },
            StreamFrame::Session(level) => self.print_progress(&level.calls),
            // Frames may grow: unknown ones are not shown.
            _ => Ok(()),
        }
    }

    /// Prints how far the running calls are: as a line of progress, or in JSON mode as an object for each.
    fn print_progress(&self, calls: &[SessionLevelCall]) -> Result<(), CliError> {
        let out = &self.context.out;
        for call in calls {
            let Some(progress) = &call.progress else { continue };
            if out.json {
                out.write_json_line(&CallProgressObject::new(self.session, call, progress))?;
            } else {
                out.progress(&one_line(&format!("{}: {}", call.command, words(progress, self.texts))));
            }
        }
        Ok(())
    }

    fn entry(&self, entry: &JournalEntry) -> Result<(), CliError> {
        if !self.context.out.json {
            return self.context.out.write_data_line(&self.lines.draw(entry));
        }
        let object = EntryObject::new(entry);
        self.context
            .out
            .write_json_line(&object.map_err(|fault| CliError::new(CliExitCode::Failure, fault.to_string()))?)
    }
}
