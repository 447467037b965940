//! Follows a turn on a server until its session rests.

use entracte_adapters_http::api_transport::ApiFault;
use entracte_adapters_http::problem::{Problem, ProblemCode};
use entracte_adapters_http::shapes::frame::{FrameShape, LevelCallShape};
use entracte_adapters_http::shapes::session::QueueShape;
use entracte_adapters_http::shapes::turn::TurnShape;
use entracte_application::journal::JournalEntry;
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_domain::id::RoundAttempt;
use entracte_domain::time::Millis;

use super::SessionStream;
use super::stream_faults::no_stored_entry;
use crate::api_client::{ApiClient, post_empty};
use crate::error::CliError;
use crate::follow::{CtrlCListener, ReplyTextDelta, SessionWatcher, TurnCompletion, left_alone_error};
use crate::raw_keyboard::TurnKeyAction;
use crate::render::progress::SessionActivity;

/// The wait between two looks at the keyboard.
const TICK: Millis = Millis(50);

/// Follows a session on a server until it rests. The server does the work, whoever looks.
pub(crate) struct ServerTurnFollower<'a> {
    api: &'a ApiClient<'a>,
    stream: SessionStream<'a>,
    /// The round and number of the attempt whose words are received.
    speaks: RoundAttempt,
    calls: Vec<LevelCallShape>,
    activity: Option<SessionActivity>,
    slot: Option<QueueShape>,
}

impl<'a> ServerTurnFollower<'a> {
    /// Follows what comes after this entry.
    pub(crate) fn starting_after(api: &'a ApiClient<'a>, session: &str, last: u64) -> Self {
        let stream = SessionStream::starting_after(api, session, last);
        let (speaks, calls) = (RoundAttempt::default(), Vec::new());
        Self { api, stream, speaks, calls, activity: None, slot: None }
    }

    /// The number of the last entry that was shown.
    pub(crate) fn last(&self) -> u64 {
        self.stream.last
    }

    /// Shows entries and words until the session rests. The turn consists of the entries from here on.
    pub(crate) async fn until_rest(
        &mut self,
        watcher: &mut dyn SessionWatcher,
    ) -> Result<TurnCompletion, CliError> {
        let (after, mut ctrl_c) = (self.last(), CtrlCListener::listen());
        let mut interrupted = false;
        // What was done since the last turn is not known here.
        self.stream.expect_news();
        loop {
            self.show(watcher)?;
            match self.wait(after, watcher, &mut ctrl_c).await? {
                ServerFollowWakeup::Received => {}
                ServerFollowWakeup::Read(turn) => {
                    self.report_state(&turn, watcher);
                    // Entries that were committed before are shown first.
                    if turn.rests && turn.last <= self.last() {
                        return Ok(TurnCompletion { turn: *turn, interrupted, left: false });
                    }
                }
                ServerFollowWakeup::Left => {
                    return Ok(TurnCompletion { turn: self.turn(after).await?, interrupted, left: true });
                }
                ServerFollowWakeup::Interrupted if interrupted => {
                    return Err(left_alone_error(self.stream.session()));
                }
                ServerFollowWakeup::Interrupted => {
                    self.interrupt(&mut ctrl_c).await?;
                    interrupted = true;
                    self.stream.expect_news();
                }
            }
        }
    }

    /// Waits for the next step of the stream, for a key, or for Ctrl-C.
    async fn wait(
        &mut self,
        after: u64,
        watcher: &mut dyn SessionWatcher,
        ctrl_c: &mut CtrlCListener,
    ) -> Result<ServerFollowWakeup, CliError> {
        let Self { stream, activity, .. } = self;
        let mut step = std::pin::pin!(stream.step(after));
        loop {
            activity.iter().for_each(|activity| watcher.on_session_state(activity));
            match watcher.poll_key() {
                Some(TurnKeyAction::Leaves) => return Ok(ServerFollowWakeup::Left),
                Some(TurnKeyAction::Interrupts) => return Ok(ServerFollowWakeup::Interrupted),
                None => {}
            }
            tokio::select! {
                biased;
                () = ctrl_c.wait_for_press() => return Ok(ServerFollowWakeup::Interrupted),
                stepped = &mut step => {
                    let turn = stepped?.map(Box::new);
                    return Ok(turn.map_or(ServerFollowWakeup::Received, ServerFollowWakeup::Read));
                }
                () = SystemClock.sleep(TICK) => {}
            }
        }
    }

    /// Waits until the session works, or until an entry to show arrives; other entries count as shown. It may be dropped
    /// while it waits.
    pub(crate) async fn wait_for_work_or_entry(
        &mut self,
        is_shown: impl Fn(&JournalEntry) -> bool,
    ) -> Result<(), CliError> {
        loop {
            for frame in self.stream.received() {
                if frame.stored_entry()?.is_some_and(|entry| is_shown(&entry)) {
                    return Ok(());
                }
            }
            // Words are shown when their entries are.
            while let Some(frame) = self.stream.pop() {
                self.note(&frame);
            }
            let last = self.last();
            if self.stream.step(last).await?.is_some_and(|turn| !turn.rests) {
                return Ok(());
            }
        }
    }

    /// The turn since an entry.
    pub(crate) async fn turn(&self, after: u64) -> Result<TurnShape, CliError> {
        read_turn(self.api, self.stream.session(), Some(after)).await
    }

    /// Interrupts the round. It is no error if nothing runs any more; a second press gives up.
    async fn interrupt(&self, ctrl_c: &mut CtrlCListener) -> Result<(), CliError> {
        let path = self.api.path(&["sessions", self.stream.session(), "interrupt"]);
        let answer = tokio::select! {
            biased;
            () = ctrl_c.wait_for_press() => return Err(left_alone_error(self.stream.session())),
            answer = self.api.answer(post_empty(&path)) => answer,
        };
        match answer {
            Ok(_) => Ok(()),
            Err(ApiFault::Refused(problem)) if is_over(&problem) => {
                tracing::debug!(code = ?problem.code(), "there was nothing to interrupt");
                Ok(())
            }
            Err(fault) => Err(self.api.error(fault)),
        }
    }

    fn report_state(&mut self, turn: &TurnShape, watcher: &mut dyn SessionWatcher) {
        self.activity = Some(SessionActivity::of_turn(turn, &self.calls));
        let is_same = |before: &QueueShape, now: &QueueShape| {
            let ahead = |place: &QueueShape| -> Vec<(String, String)> {
                place.ahead.iter().map(|ahead| (ahead.session.clone(), ahead.standing.to_string())).collect()
            };
            before.position == now.position && ahead(before) == ahead(now)
        };
        let slot = turn.slot.clone().filter(|_| !turn.rests);
        if let Some(now) = &slot
            && !self.slot.as_ref().is_some_and(|before| is_same(before, now))
        {
            watcher.on_slot_wait(&turn.session, now);
        }
        self.slot = slot;
    }

    /// Shows the received frames.
    fn show(&mut self, watcher: &mut dyn SessionWatcher) -> Result<(), CliError> {
        while let Some(frame) = self.stream.pop() {
            self.note(&frame);
            match &frame {
                FrameShape::Entry { .. } => {
                    let entry = frame.stored_entry()?.ok_or_else(|| no_stored_entry(self.api))?;
                    watcher.on_entry(&entry)?;
                }
                FrameShape::StreamChunk { channel, text, .. } => {
                    let piece = ReplyTextDelta { number: self.speaks, text };
                    match &**channel {
                        "text" => watcher.on_reply_delta(&piece)?,
                        _ => watcher.on_reasoning_delta(&piece)?,
                    }
                }
                FrameShape::Session(_) => watcher.on_call_progress(&self.calls),
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes what a frame says of the attempt and of the calls.
    fn note(&mut self, frame: &FrameShape) {
        match frame {
            FrameShape::StreamStart { model_call, .. } => self.speaks = number_of(model_call),
            FrameShape::Session(level) => self.calls = level.calls.clone(),
            _ => {}
        }
    }
}

/// Whether a refusal says that no round runs any more.
fn is_over(problem: &Problem) -> bool {
    matches!(problem.code(), ProblemCode::NotApplicable | ProblemCode::Conflict | ProblemCode::Ended)
}

/// What ended a wait.
enum ServerFollowWakeup {
    /// Frames came, or the connection changed.
    Received,
    /// The turn was read.
    Read(Box<TurnShape>),
    /// The person leaves.
    Left,
    /// The person interrupts.
    Interrupted,
}

/// Reads the turn of a session since an entry; without one, the empty turn that begins now.
pub(crate) async fn read_turn(
    api: &ApiClient<'_>,
    session: &str,
    after: Option<u64>,
) -> Result<TurnShape, CliError> {
    let after = after.map(|after| after.to_string());
    api.get(&api.path(&["sessions", session, "turn"]).with_some("after", after.as_deref())).await
}

/// The round and number of an attempt, from the id of its model call: `mc_STEM_ROUND_ATTEMPT`.
fn number_of(model_call: &str) -> RoundAttempt {
    let mut parts = model_call.rsplit('_').map(|part| part.parse().unwrap_or_default());
    let (attempt, round) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    RoundAttempt { round, attempt }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_call_names_round_and_attempt() {
        assert_eq!(number_of("mc_01k_3_2"), RoundAttempt { round: 3, attempt: 2 });
        assert_eq!(number_of("later"), RoundAttempt::default());
    }
}
