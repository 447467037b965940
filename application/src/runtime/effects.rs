//! Performs one effect and returns its outcome. Dropping the future really stops the work.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{SummaryFault, SummaryRequest};
use entracte_domain::time::Millis;
use futures_util::FutureExt;
use tracing::Instrument as _;

use super::active_limits::{ActiveWorkLimits, ShownText, WorkLimit};
use super::call_limits::ModelCallMonitor;
use super::call_progress::progress_sink;
use super::compaction::{CompactionFailure, CompactionJob};
use super::context_budget::ContextBudgetExcess;
use super::dual_clock::DualClockInstant;
use super::ownership_lease::OwnershipLease;
use super::policy_check::ask_policy;
use super::pre_text::PreTextDecoder;
use super::round_spans;
use super::scrub::{self, StreamScrubber, secret_holders};
use super::services::RuntimeServices;
use super::workspace_input::EffectOutcome;
use crate::attempt_costs::usage_of_failure;
use crate::failpoints::{FailpointOperation, run_between_failpoints};
use crate::ports::{
    CallRequest, CommandExecutor, FeedEvent, ModelReply, ModelRequest, PolicyQuestion, ProviderFailure,
    ReplySink, RoundTrace, RuntimeObservation, Scrubber,
};
use crate::protocol::relay;
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// One effect with all the data it needs, so that performing it reads no state.
pub enum EffectJob {
    /// Call the model.
    Model {
        /// The round, from 1.
        round: u32,
        /// The attempt of the round.
        attempt: u32,
        /// Name of the provider entry.
        provider: String,
        /// Root session of the agent tree; `None` if the session is no agent.
        tree: Option<SessionId>,
        /// The person whose own secrets the calls of the exchange may have used, if any.
        acts_as: Option<String>,
        /// The request to send.
        request: Box<ModelRequest>,
        /// Whether the reply is an envelope; only its text is shown while it streams.
        envelope: bool,
        /// Time limit of the call if shorter than the provider's; 0 = the provider's limit.
        time: Millis,
        /// The trace id of the round.
        trace: Arc<str>,
    },
    /// Run a call, or query whether it happened.
    Call {
        /// Id of the call.
        call: CallId,
        /// The trace id of the session's current round.
        trace: Arc<str>,
        /// The attempt of the call.
        attempt: u32,
        /// Query the call's outcome instead of running it.
        ask: bool,
        /// The executor of the command; `None` if the command no longer exists.
        executor: Option<Arc<dyn CommandExecutor>>,
        /// The request for the executor.
        request: Box<CallRequest>,
        /// Time limit; 0 = no limit. The state machine decides what a timeout means.
        timeout: Millis,
        /// Name of the command, for messages.
        name: String,
    },
    /// Ask the policy hook about a call.
    Policy {
        /// Id of the call.
        call: CallId,
        /// Hash of the command that the hook is asked about.
        command_id: Digest,
        /// The question.
        question: Box<PolicyQuestion>,
    },
    /// Report that a request exceeds its budget: nothing is sent.
    TooLarge {
        /// The round, from 1.
        round: u32,
        /// The attempt of the round.
        attempt: u32,
        /// The sizes, and how the context is summarized.
        excess: ContextBudgetExcess,
    },
    /// Summarize the context.
    Compact {
        /// The round, from 1.
        round: u32,
        /// The attempt of the round.
        attempt: u32,
        /// Name of the provider entry.
        provider: String,
        /// Root session of the agent tree; `None` if the session is no agent.
        tree: Option<SessionId>,
        /// The person whose own secrets the calls of the exchange may have used, if any.
        acts_as: Option<String>,
        /// The summary request and its model request; `None` if no model is called.
        asked: Option<(SummaryRequest, Box<ModelRequest>)>,
        /// The source data of the summary.
        work: Box<CompactionJob>,
        /// The trace id of the round.
        trace: Arc<str>,
    },
}

impl EffectJob {
    /// The failpoint operation of this effect; `None` if it has none.
    fn operation(&self) -> Option<FailpointOperation> {
        match self {
            EffectJob::Model { .. } => Some(FailpointOperation::CallModel),
            EffectJob::Call { ask: false, .. } => Some(FailpointOperation::RunCommand),
            EffectJob::Call { ask: true, .. } => Some(FailpointOperation::AskCommand),
            EffectJob::Policy { .. } => Some(FailpointOperation::AskPolicy),
            EffectJob::Compact { .. } => Some(FailpointOperation::Summarize),
            EffectJob::TooLarge { .. } => None,
        }
    }
}

/// The services an effect is performed with.
#[derive(Clone)]
pub struct EffectContext {
    /// The ports of the runtime.
    pub services: Arc<RuntimeServices>,
    /// The lease of this owner: nothing is sent while it is not verified.
    pub owner: Arc<OwnershipLease>,
    /// When the turn that desired the effect began. A call is sent within its time limit from then on, or not at all,
    /// because a process that takes over queries and repeats it only after that time ([`CallOutcome::Lost`]).
    pub begun: DualClockInstant,
    /// Registry of the time limits of work under way.
    pub under_way: Arc<ActiveWorkLimits>,
    /// The language of the workspace, for failures that people and models read.
    pub language: Language,
}

impl EffectContext {
    fn texts(&self) -> &'static LocalizedTexts {
        LocalizedTexts::for_language(self.language)
    }

    /// Whether something may be sent now; waits until that is known.
    pub(super) async fn may_send(&self) -> bool {
        let may = self.owner.may_send().await;
        if !may {
            tracing::warn!("an effect is not sent: this process no longer owns the database");
        }
        may
    }

    /// The remaining time of a call; `None` if its time is over.
    fn remaining_time(&self, timeout: Millis) -> Option<Millis> {
        let left = Millis(timeout.0.saturating_sub(self.begun.age(&*self.services.clock).0));
        (left.0 > 0).then_some(left)
    }
}

/// Performs one effect of a session. Returns `None` if nothing was sent because another owner took over; that
/// owner decides what follows.
pub async fn perform(
    means: EffectContext,
    workspace: WorkspaceKey,
    session: SessionId,
    job: EffectJob,
) -> Option<EffectOutcome> {
    match job.operation() {
        Some(operation) => run_between_failpoints(operation, carry_out(means, workspace, session, job)).await,
        None => carry_out(means, workspace, session, job).await,
    }
}

async fn carry_out(
    means: EffectContext,
    workspace: WorkspaceKey,
    session: SessionId,
    job: EffectJob,
) -> Option<EffectOutcome> {
    let services = &means.services;
    Some(match job {
        EffectJob::Model { round, attempt, provider, tree, acts_as, request, envelope, time, trace } => {
            let secrets = services.secrets.scrubber(&secret_holders(&workspace, acts_as));
            let spoken = envelope.then(PreTextDecoder::default);
            let heard = std::sync::Mutex::new((spoken, StreamScrubber::new(secrets.clone())));
            let thought = std::sync::Mutex::new(StreamScrubber::new(secrets.clone()));
            let services = services.clone();
            let shown = Arc::<ShownText>::default();
            let _reply = means.under_way.register_reply(&session, shown.clone());
            let sink =
                Arc::new(FeedSink { services, workspace, session, round, attempt, heard, thought, shown });
            let span = round_spans::model_call_span(&provider, &request.model, attempt);
            let options = ModelCallOptions { provider: &provider, tree: tree.as_ref(), trace: &trace, time };
            let called = call_model(&means, options, *request, sink.clone(), &*secrets);
            let result = called.instrument(span).await?;
            sink.finish();
            EffectOutcome::Model { round, attempt, result }
        }
        EffectJob::Policy { call, command_id, question } => {
            let _turn = services.policy_queue.acquire(services.settings.policy_hook.at_once).await;
            if !means.may_send().await {
                return None;
            }
            let answer = ask_policy(services, *question, command_id, means.texts()).await;
            EffectOutcome::Policy { call, answer }
        }
        EffectJob::TooLarge { round, attempt, excess } => EffectOutcome::TooLarge { round, attempt, excess },
        EffectJob::Compact { round, attempt, asked: None, work, .. } => EffectOutcome::Compaction {
            round,
            attempt,
            result: Ok(Box::new(work.build_mechanical_summary())),
        },
        EffectJob::Compact {
            round,
            attempt,
            provider,
            tree,
            acts_as,
            asked: Some((asked, request)),
            work,
            trace,
        } => {
            let secrets = services.secrets.scrubber(&secret_holders(&workspace, acts_as));
            let sink = Arc::new(DiscardingReplySink);
            let span = round_spans::model_call_span(&provider, &request.model, attempt);
            let time = Millis(0);
            let options = ModelCallOptions { provider: &provider, tree: tree.as_ref(), trace: &trace, time };
            let called = call_model(&means, options, *request, sink, &*secrets).instrument(span);
            let result = match called.await? {
                Ok(reply) => work.apply_reply(&reply, asked, means.texts()),
                Err(failure) => Err(Box::new(CompactionFailure {
                    usage: usage_of_failure(failure.class, failure.usage.as_deref().copied()),
                    message: failure.message,
                    fault: SummaryFault::NoAnswer,
                    asked: Some(asked),
                })),
            };
            EffectOutcome::Compaction { round, attempt, result }
        }
        EffectJob::Call { call, trace, attempt, ask, executor, request, timeout, name } => {
            let run = CallRunOptions { trace: &trace, ask, timeout, name: &name };
            let outcome = match executor {
                Some(executor) => {
                    let span = round_spans::call_span(&call, &name, attempt, ask);
                    run_call(&means, executor, *request, run).instrument(span).await?
                }
                None => CallOutcome::Lost { found_by_start: None, lands_by: None },
            };
            EffectOutcome::Call { call, attempt, outcome }
        }
    })
}

async fn call_model(
    means: &EffectContext,
    options: ModelCallOptions<'_>,
    request: ModelRequest,
    sink: Arc<dyn ReplySink>,
    secrets: &dyn Scrubber,
) -> Option<Result<ModelReply, ProviderFailure>> {
    let (services, account) = (&means.services, options.provider);
    let provider = match services.providers.provider(account) {
        Ok(provider) => provider,
        Err(failure) => return Some(Err(failure)),
    };
    let (session, model) = (request.session.clone(), request.model.clone());
    let noted = means.under_way.register_limit(&request.session, WorkLimit::OfOthers);
    let _places = services.accounts.acquire_permits(account, options.tree).await;
    if let Some(left) = services.accounts.remaining_backoff(account, services.clock.now()) {
        return Some(Err(ProviderFailure {
            class: FailureClass::Throttled,
            message: say!(
                means.texts(),
                "provider-rate-limited",
                provider = account,
                seconds = ((left.0 + 999) / 1000).to_string()
            ),
            retry_after: Some(left),
            usage: None,
        }));
    }
    if !means.may_send().await {
        return None;
    }
    let limits = provider.limits(&request.model).with_time_cap(options.time);
    let listener = Arc::new(ModelCallMonitor::new(sink, services.clock.clone()));
    noted.replace_limit(WorkLimit::OfModelCall(listener.clone(), limits));
    tracing::debug!(provider = account, model = request.model, "the model call begins");
    let heard = listener.clone();
    let work = AssertUnwindSafe(async { provider.call(request, heard).await }).catch_unwind();
    let result = tokio::select! {
        // An answer that is already there counts, even at the time limit.
        biased;
        result = work => result.unwrap_or_else(|_| {
            tracing::error!(%session, "the provider's adapter panicked");
            Err(panicked(means.texts()))
        }),
        broken = listener.wait_for_breach(limits) => {
            tracing::warn!(%session, ?broken, "a model call was ended at its limit");
            Err(broken.into_failure(account, means.texts()))
        }
    };
    services.accounts.record_result(account, &result, services.clock.now());
    let round = RoundTrace { session: &session, trace: options.trace };
    record_model_call(services, round, account, &model, &listener, &result);
    Some(match result {
        Ok(reply) => Ok(scrub::scrub_reply(secrets, reply)),
        Err(failure) => Err(scrub::scrub_failure(secrets, failure)),
    })
}

fn record_model_call(
    services: &RuntimeServices,
    round: RoundTrace<'_>,
    provider: &str,
    model: &str,
    listener: &ModelCallMonitor,
    result: &Result<ModelReply, ProviderFailure>,
) {
    let (first, whole) = (listener.first_after(), listener.elapsed());
    let (answer, failed, usage) = match result {
        Ok(reply) => (Some((reply.model.as_deref(), &reply.end)), None, reply.usage.as_ref()),
        Err(failure) => (None, Some(failure.class), failure.usage.as_deref()),
    };
    let class = failed.map_or("answered", FailureClass::word);
    let (tokens_in, tokens_out) = usage.map_or((0, 0), |usage| (usage.all_input(), usage.output));
    let first_ms = first.map(|first| first.0);
    tracing::debug!(
        provider,
        class,
        first_ms,
        took_ms = whole.0,
        tokens_in,
        tokens_out,
        "the model call ends"
    );
    // A relay that only repeats calls is no model.
    if relay::is_relay(provider) {
        return;
    }
    services.observer.observe(RuntimeObservation::ModelCalled {
        round,
        provider,
        model,
        answer,
        failed,
        first,
        whole,
        usage,
    });
}

fn panicked(texts: &LocalizedTexts) -> ProviderFailure {
    ProviderFailure {
        class: FailureClass::Lost,
        message: say!(texts, "provider-panicked"),
        retry_after: None,
        usage: None,
    }
}

/// How a model is called.
struct ModelCallOptions<'a> {
    /// The account that is called.
    provider: &'a str,
    /// The root of the agent tree that the session belongs to, if any.
    tree: Option<&'a SessionId>,
    /// The trace id of the session's current round.
    trace: &'a str,
    /// Time limit of the call if shorter than the provider's; 0 = the provider's limit.
    time: Millis,
}

/// How a call is run.
struct CallRunOptions<'a> {
    /// The trace id of the session's current round.
    trace: &'a str,
    /// Query the call's outcome instead of running it.
    ask: bool,
    /// Time limit; 0 = no limit.
    timeout: Millis,
    /// Name of the command, for messages.
    name: &'a str,
}

async fn run_call(
    means: &EffectContext,
    executor: Arc<dyn CommandExecutor>,
    request: CallRequest,
    CallRunOptions { trace, ask, timeout, name }: CallRunOptions<'_>,
) -> Option<CallOutcome> {
    let request = CallRequest { progress: progress_sink(&means.services, &request), ..request };
    let (session, call) = (request.session.clone(), request.call.clone());
    if !means.may_send().await {
        return None;
    }
    // As in all rules, 0 means no limit.
    let is_limited = timeout.0 > 0;
    let Some(left) = means.remaining_time(timeout).or((!is_limited).then_some(timeout)) else {
        return Some(not_sent(name, means.texts()));
    };
    let end = Millis(means.services.clock.monotonic().0.saturating_add(left.0));
    let _noted = is_limited.then(|| means.under_way.register_limit(&session, WorkLimit::At(end)));
    tracing::debug!(command = name, "the call begins");
    let begun = means.services.clock.monotonic();
    let work =
        async { if ask { executor.probe_outcome(request).await } else { executor.run(request).await } };
    let work = AssertUnwindSafe(work).catch_unwind();
    let time_out = async {
        if !is_limited {
            std::future::pending::<()>().await;
        }
        means.services.clock.sleep(left).await;
    };
    let outcome = tokio::select! {
        // An answer that is already there counts, even at the time limit.
        biased;
        outcome = work => outcome.unwrap_or_else(|_| {
            tracing::error!(command = name, "the executor panicked");
            CallOutcome::Lost { found_by_start: None, lands_by: None }
        }),
        () = time_out => CallOutcome::TimedOut,
    };
    let (command, status) = (name, status_of(&outcome));
    let took = Millis(means.services.clock.monotonic().0.saturating_sub(begun.0));
    tracing::debug!(command, status, took_ms = took.0, "the call ends");
    let round = RoundTrace { session: &session, trace };
    means.services.observer.observe(RuntimeObservation::CallEnded {
        round,
        call: &call,
        command,
        status,
        took,
    });
    Some(outcome)
}

fn status_of(outcome: &CallOutcome) -> &'static str {
    match outcome {
        CallOutcome::Succeeded { .. } => "succeeded",
        CallOutcome::Accepted { .. } => "accepted",
        CallOutcome::Failed(_) => "failed",
        CallOutcome::TimedOut => "timed_out",
        CallOutcome::Lost { .. } => "lost",
        CallOutcome::Probed { .. } => "probed",
        CallOutcome::Reported { .. } => "reported",
    }
}

/// The outcome of a call whose time was over before it could be sent: certainly not done.
fn not_sent(name: &str, texts: &LocalizedTexts) -> CallOutcome {
    tracing::warn!(command = name, "the time of a call was over before it could be sent");
    CallOutcome::Failed(CallFailure {
        code: "NOT_SENT".into(),
        message: say!(texts, "call-not-sent"),
        path: None,
        retryable: true,
    })
}

/// Publishes the streamed text of a reply to its watchers.
struct FeedSink {
    services: Arc<RuntimeServices>,
    workspace: WorkspaceKey,
    session: SessionId,
    round: u32,
    attempt: u32,
    /// The decoder of the human text, if the reply is an envelope, and its scrubber.
    heard: std::sync::Mutex<(Option<PreTextDecoder>, StreamScrubber)>,
    /// The scrubber of the reasoning text.
    thought: std::sync::Mutex<StreamScrubber>,
    /// The text that was published.
    shown: Arc<ShownText>,
}

impl FeedSink {
    fn publish(&self, text: String, is_thought: bool) {
        if text.is_empty() {
            return;
        }
        let (workspace, session) = (self.workspace.clone(), self.session.clone());
        let (round, attempt) = (self.round, self.attempt);
        if !is_thought {
            self.shown.push(&text);
        }
        self.services.feed.publish(match is_thought {
            true => FeedEvent::Thought { workspace, session, round, attempt, text },
            false => FeedEvent::Said { workspace, session, round, attempt, text },
        });
    }

    /// Publishes the text held back so far; the stream has ended.
    fn finish(&self) {
        let rest = self.thought.lock().map(|mut thought| thought.finish());
        self.publish(rest.unwrap_or_default(), true);
        let rest = self.heard.lock().map(|mut heard| heard.1.finish());
        self.publish(rest.unwrap_or_default(), false);
    }
}

impl ReplySink for FeedSink {
    fn text(&self, piece: &str) {
        let words = self.heard.lock().map(|mut heard| {
            let (spoken, pieces) = &mut *heard;
            match spoken {
                None => pieces.push(piece),
                Some(spoken) => pieces.push(&spoken.push(piece)),
            }
        });
        self.publish(words.unwrap_or_default(), false);
    }

    fn thinking_text(&self, piece: &str) {
        let words = self.thought.lock().map(|mut thought| thought.push(piece));
        self.publish(words.unwrap_or_default(), true);
    }
}

struct DiscardingReplySink;

impl ReplySink for DiscardingReplySink {
    fn text(&self, _piece: &str) {}
}
