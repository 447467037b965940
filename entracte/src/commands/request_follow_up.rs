//! What follows a request: its turn is followed until it rests, on this machine or over the stream of a server.

use entracte_adapters_http::shapes::message::{ReadShape, UnreadShape};
use entracte_adapters_http::shapes::session::QueueShape;
use entracte_adapters_http::shapes::turn::TurnShape;
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_application::texts::say;

use super::turn::{SessionContext, print_turn, turn_watcher};
use crate::api_client::{ApiClient, put};
use crate::api_follow::{ServerTurnFollower, read_turn};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::TurnCompletion;
use crate::json::{TURN_SCHEMA, VersionedShape};
use crate::render::slot_place::place;
use crate::render::time::TimeFormatter;

/// What follows a request about a session.
pub(super) struct RequestFollowUp<'a> {
    context: &'a CommandContext,
    api: &'a ApiClient<'a>,
    session: String,
    place: FollowedPlace<'a>,
    /// The number of the last entry before the request.
    after: u64,
    /// Whether entries and words are printed as JSON objects.
    stream: bool,
}

/// Where the session is.
enum FollowedPlace<'a> {
    /// On this machine.
    Here(Box<SessionContext<'a>>),
    /// On a server, which does the work.
    Server,
}

impl<'a> RequestFollowUp<'a> {
    /// Prepares it, before the request is sent.
    pub(super) async fn begin(
        context: &'a CommandContext,
        api: &'a ApiClient<'a>,
        session: &str,
    ) -> Result<Self, CliError> {
        let begun = Self::since(context, api, session, 0).await?;
        let after = match &begun.place {
            FollowedPlace::Here(stage) => stage.last_sequence().await?,
            FollowedPlace::Server => read_turn(api, session, None).await?.last,
        };
        Ok(Self { after, ..begun })
    }

    /// Follows a session since an entry.
    pub(super) async fn since(
        context: &'a CommandContext,
        api: &'a ApiClient<'a>,
        session: &str,
        after: u64,
    ) -> Result<Self, CliError> {
        let here = SessionContext::open_here(context, api, session).await?;
        let place = here.map_or(FollowedPlace::Server, |stage| FollowedPlace::Here(Box::new(stage)));
        Ok(Self { context, api, session: session.to_owned(), place, after, stream: false })
    }

    /// Follows a session of a server since an entry; with `stream`, entries and words are printed as JSON objects.
    pub(super) fn on_server(
        context: &'a CommandContext,
        api: &'a ApiClient<'a>,
        session: &str,
        after: u64,
        stream: bool,
    ) -> Self {
        Self { context, api, session: session.to_owned(), place: FollowedPlace::Server, after, stream }
    }

    /// The session on this machine; `None` on a server.
    pub(super) fn here(&self) -> Option<&SessionContext<'a>> {
        match &self.place {
            FollowedPlace::Here(stage) => Some(stage),
            FollowedPlace::Server => None,
        }
    }

    /// The result of the request. A refusal ends the command, but must not interrupt the work that this process took up
    /// as the owner.
    pub(super) async fn check<T>(&self, answer: Result<T, CliError>) -> Result<T, CliError> {
        if let (Err(_), Some(stage)) = (&answer, self.here()) {
            stage.drain_owned_work().await?;
        }
        answer
    }

    /// Whether the session worked before the request.
    pub(super) async fn has_pending_work(&self) -> Result<bool, CliError> {
        match &self.place {
            FollowedPlace::Here(stage) => stage.has_pending_work(self.after).await,
            FollowedPlace::Server => Ok(!self.turn().await?.rests),
        }
    }

    /// Reports the turn after a stop, which is not an interruption of the command.
    pub(super) async fn follow_halt(&self) -> Result<CliExitCode, CliError> {
        let exit = match &self.place {
            FollowedPlace::Here(stage) => stage.report_halt(self.after).await?,
            FollowedPlace::Server => {
                let mut ended = self.follow_server().await?;
                // The requester knows of the interruption.
                let path = self.api.path(&["sessions", &self.session, "turn"]);
                let path = path.with("after", &self.after.to_string()).with("ignore_halt", "true");
                ended.turn = self.api.get(&path).await?;
                self.report(&ended).await?
            }
        };
        Ok(if exit == CliExitCode::Interrupted { CliExitCode::Done } else { exit })
    }

    /// Waits until the session rests. With `no_wait` it returns at once, unless this process runs the work.
    pub(super) async fn follow(&self, no_wait: bool) -> Result<CliExitCode, CliError> {
        if let Some(stage) = self.here() {
            return stage.follow_if_owner(no_wait, self.after).await;
        }
        if !no_wait {
            let ended = self.follow_server().await?;
            return self.report(&ended).await;
        }
        let turn = self.turn().await?;
        self.tell_recorded(turn.slot.as_ref()).await?;
        if self.context.out.json {
            self.context.out.write_json_line(&VersionedShape::new(TURN_SCHEMA, turn))?;
        }
        Ok(CliExitCode::Done)
    }

    /// Like [`follow`](Self::follow), for a run whose start was printed: with `no_wait` nothing more is.
    pub(super) async fn follow_run(&self, no_wait: bool) -> Result<CliExitCode, CliError> {
        let turn = self.turn().await?;
        let runs_here = match &self.place {
            FollowedPlace::Here(stage) => turn.slot.is_none() && stage.runtime.refresh_is_owner().await,
            FollowedPlace::Server => false,
        };
        if !no_wait || runs_here {
            return self.follow(false).await;
        }
        self.tell_recorded(turn.slot.as_ref()).await?;
        self.api.drain().await?;
        Ok(CliExitCode::Done)
    }

    /// Reports that the request is recorded, with the wait of its session for a slot if there is one.
    async fn tell_recorded(&self, slot: Option<&QueueShape>) -> Result<(), CliError> {
        let texts = self.api.texts().await?;
        let dial = TimeFormatter { zone: &self.context.zone, now: Some(SystemClock.now()) };
        self.context.out.write_notice(&match slot {
            Some(slot) => place(&self.session, slot, texts, dial),
            None => say!(texts, "recorded-elsewhere"),
        });
        Ok(())
    }

    async fn turn(&self) -> Result<TurnShape, CliError> {
        read_turn(self.api, &self.session, Some(self.after)).await
    }

    async fn follow_server(&self) -> Result<TurnCompletion, CliError> {
        let texts = self.api.texts().await?;
        let mut watcher = turn_watcher(self.context, &self.session, self.stream, texts);
        ServerTurnFollower::starting_after(self.api, &self.session, self.after)
            .until_rest(&mut *watcher)
            .await
    }

    /// Prints a turn of a server, which the person has read then.
    async fn report(&self, ended: &TurnCompletion) -> Result<CliExitCode, CliError> {
        let exit = print_turn(self.context, ended, self.api.texts().await?)?;
        mark_read(self.api, &self.session).await;
        Ok(exit)
    }
}

/// Marks a session as read up to here, if it has new messages. An error is ignored.
pub(super) async fn mark_read(api: &ApiClient<'_>, session: &str) {
    let path = |part: &str| api.path(&["sessions", session, part]);
    let marked = async {
        let unread: UnreadShape = api.get(&path("unread")).await?;
        match unread.up_to {
            0 => Ok(()),
            sequence => api.send_only(put(&path("read"), &ReadShape { sequence })).await,
        }
    };
    if let Err(error) = marked.await {
        tracing::debug!(%session, error = %error.to_text(), "what was shown is not marked as read");
    }
}
