//! `session follow`: shows the events of a session live. The owner of the database does the work; this process only
//! reads.

use entracte_adapters_http::shapes::frame::{FrameShape, LevelCallShape};
use entracte_application::texts::LocalizedTexts;

use crate::api_client::{ApiClient, ShortIdKind};
use crate::api_follow::{SessionStream, read_turn};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::CtrlCListener;
use crate::json::{CallProgressObject, ReasoningDeltaObject, ReplyDeltaObject, entry_object};
use crate::render::entry::EntryRenderer;
use crate::render::progress::words;
use crate::render::text::one_line;

/// Shows the events after a given one, or from now on, until the session ends, or rests if requested.
pub(super) async fn run(
    context: &CommandContext,
    named: &str,
    after: Option<u64>,
    until_rest: bool,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let session = api.find(ShortIdKind::Session, named).await?;
    let texts = api.texts().await?;
    let begin = match after {
        Some(after) => after,
        None => read_turn(&api, &session, None).await?.last,
    };
    let mut events = SessionStream::starting_after(&api, &session, begin);
    let _words = api.subscribe_to_words(&session);
    let lines = context.entry_renderer(context.out.style, texts);
    let shown = FollowedSessionOutput { context, lines, session: &session, texts };
    let mut ctrl_c = CtrlCListener::listen();
    loop {
        while let Some(frame) = events.pop() {
            shown.print_event(&frame)?;
        }
        let last = events.last;
        let turn = tokio::select! {
            biased;
            () = ctrl_c.wait_for_press() => return Ok(CliExitCode::Done),
            turn = events.step(last) => turn?,
        };
        if let Some(turn) = turn {
            let is_over = turn.end_reason.is_some() || (until_rest && turn.rests);
            if is_over && turn.last <= last {
                return Ok(if turn.waiting.is_some() { CliExitCode::Waiting } else { CliExitCode::Done });
            }
        }
    }
}

/// The output of a followed session.
struct FollowedSessionOutput<'a> {
    context: &'a CommandContext,
    lines: EntryRenderer,
    session: &'a str,
    texts: &'static LocalizedTexts,
}

impl FollowedSessionOutput<'_> {
    /// Prints an event as a line. Streamed text is printed in JSON mode as it arrives, otherwise with its event.
    fn print_event(&self, frame: &FrameShape) -> Result<(), CliError> {
        let out = &self.context.out;
        match frame {
            FrameShape::Entry { .. } => match frame.stored_entry()? {
                Some(entry) if out.json => out.write_json_line(&entry_object(&entry)?),
                Some(entry) => out.write_data_line(&self.lines.draw(&entry)),
                None => Ok(()),
            },
            FrameShape::StreamChunk { channel, text, .. } if out.json => match &**channel {
                "text" => out.write_json_line(&ReplyDeltaObject::new(self.session, text)),
                _ => out.write_json_line(&ReasoningDeltaObject::new(self.session, text)),
            },
            FrameShape::Session(level) => self.print_progress(&level.calls),
            // Frames may grow: unknown ones are not shown.
            _ => Ok(()),
        }
    }

    /// Prints how far the running calls are: as a line of progress, or in JSON mode as an object for each.
    fn print_progress(&self, calls: &[LevelCallShape]) -> Result<(), CliError> {
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
}
