//! Does one effect and gives its outcome. Drop the future and the work stops for real.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use entracte_domain::command::CallOutcome;
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use futures_util::FutureExt;

use super::house::House;
use super::letter::Outcome;
use super::spoken::SpokenText;
use crate::failpoints::{Deed, around};
use crate::ports::{
    CallRequest, CommandExecutor, FeedEvent, ModelReply, ModelRequest, ProviderFailure, ReplyEnd, ReplySink,
};

/// One effect with all it needs, so that performing it reads no state.
pub enum Job {
    /// Call the model.
    Model {
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// Name of the provider.
        provider: String,
        /// The request.
        request: Box<ModelRequest>,
        /// The reply is an envelope; only its text is shown while it comes.
        envelope: bool,
    },
    /// Run a call, or ask whether it happened.
    Call {
        /// The call.
        call: CallId,
        /// Its attempt.
        attempt: u32,
        /// Ask instead of run.
        ask: bool,
        /// Who runs it; none when the command is gone.
        executor: Option<Arc<dyn CommandExecutor>>,
        /// The request.
        request: Box<CallRequest>,
        /// Its time; 0 = no limit. What a time-out means is decided by the machine.
        timeout: Millis,
        /// Name of the command.
        name: String,
    },
    /// Sum the context up.
    Compact {
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// Name of the provider.
        provider: String,
        /// The request.
        request: Box<ModelRequest>,
    },
}

impl Job {
    fn deed(&self) -> Deed {
        match self {
            Job::Model { .. } => Deed::CallModel,
            Job::Call { ask: false, .. } => Deed::RunCommand,
            Job::Call { ask: true, .. } => Deed::AskCommand,
            Job::Compact { .. } => Deed::Summarize,
        }
    }
}

/// Does one effect of a session.
pub async fn perform(house: Arc<House>, session: SessionId, job: Job) -> Outcome {
    around(job.deed(), carry_out(house, session, job)).await
}

async fn carry_out(house: Arc<House>, session: SessionId, job: Job) -> Outcome {
    match job {
        Job::Model { round, attempt, provider, request, envelope } => {
            let sink = Arc::new(FeedSink::new(house.clone(), session, round, attempt, envelope));
            let result = call_model(&house, &provider, *request, sink).await;
            Outcome::Model { round, attempt, result }
        }
        Job::Compact { round, attempt, provider, request } => {
            let result = match call_model(&house, &provider, *request, Arc::new(Silent)).await {
                Ok(reply) if reply.end == ReplyEnd::Done && !reply.text.trim().is_empty() => {
                    Ok((reply.text, reply.usage))
                }
                Ok(_) => Err("the summary was empty or cut".to_owned()),
                Err(failure) => Err(failure.message),
            };
            Outcome::Compaction { round, attempt, result }
        }
        Job::Call { call, attempt, ask, executor, request, timeout, name } => {
            let outcome = match executor {
                Some(executor) => run_call(&house, executor, *request, ask, timeout, &name).await,
                None => CallOutcome::Lost { found_by_start: None },
            };
            Outcome::Call { call, attempt, outcome }
        }
    }
}

async fn call_model(
    house: &House,
    provider: &str,
    request: ModelRequest,
    sink: Arc<dyn ReplySink>,
) -> Result<ModelReply, ProviderFailure> {
    let account = provider;
    let provider = house.providers.provider(account)?;
    let session = request.session.to_string();
    let _place = house.accounts.place(account).await;
    if let Some(left) = house.accounts.closed_for(account, house.clock.now()) {
        return Err(ProviderFailure {
            class: FailureClass::Throttled,
            message: format!(
                "The provider “{account}” asked to be left alone for {} s more.",
                (left.0 + 999) / 1000
            ),
            retry_after: Some(left),
            usage: None,
        });
    }
    let work = async { provider.call(request, sink).await };
    let result = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(session, "the provider's adapter panicked");
        Err(ProviderFailure {
            class: FailureClass::Lost,
            message: "The provider's adapter failed inside Entracte.".into(),
            retry_after: None,
            usage: None,
        })
    });
    house.accounts.note(account, &result, house.clock.now());
    result
}

async fn run_call(
    house: &House,
    executor: Arc<dyn CommandExecutor>,
    request: CallRequest,
    ask: bool,
    timeout: Millis,
    name: &str,
) -> CallOutcome {
    let work = async { if ask { executor.ask(request).await } else { executor.run(request).await } };
    let work = AssertUnwindSafe(work).catch_unwind();
    let time_out = async {
        // As in all rules, 0 is no limit.
        if timeout.0 <= 0 {
            std::future::pending::<()>().await;
        }
        house.clock.sleep(timeout).await;
    };
    tokio::select! {
        // An answer that is there counts, also in the last moment.
        biased;
        outcome = work => outcome.unwrap_or_else(|_| {
            tracing::error!(command = name, "the executor panicked");
            CallOutcome::Lost { found_by_start: None }
        }),
        () = time_out => CallOutcome::TimedOut,
    }
}

/// Hands the words of a reply to those who watch.
struct FeedSink {
    house: Arc<House>,
    session: SessionId,
    round: u32,
    attempt: u32,
    spoken: Option<std::sync::Mutex<SpokenText>>,
}

impl FeedSink {
    fn new(house: Arc<House>, session: SessionId, round: u32, attempt: u32, envelope: bool) -> Self {
        let spoken = envelope.then(|| std::sync::Mutex::new(SpokenText::default()));
        Self { house, session, round, attempt, spoken }
    }
}

impl ReplySink for FeedSink {
    fn text(&self, piece: &str) {
        let text = match &self.spoken {
            None => piece.to_owned(),
            Some(spoken) => match spoken.lock() {
                Ok(mut spoken) => spoken.push(piece),
                Err(_) => return,
            },
        };
        if !text.is_empty() {
            let (session, round, attempt) = (self.session.clone(), self.round, self.attempt);
            self.house.feed.publish(FeedEvent::Said { session, round, attempt, text });
        }
    }
}

struct Silent;

impl ReplySink for Silent {
    fn text(&self, _piece: &str) {}
}
