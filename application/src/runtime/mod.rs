//! The runtime: one worker per workspace handles all its events in order.
//!
//! ```text
//! request / outcome / wake-up -> handle -> turn: transition per session, then placement -> one commit -> publish
//!                                   turn -> question -> read through the ports -> turn ...
//!        -> desired effects -> perform: provider | executor -> outcome -> handle ...
//! ```
//!
//! [`LoadedWorkspace::handle`] is the single writer of a workspace. A turn is a pure function of its inputs
//! (`turn`); its questions are read for it. It works on a draft, which memory takes over when its commit is
//! acknowledged, so memory is never ahead of the database. [`perform`] performs one
//! effect. Effects are derived, not stored: a desired effect that does not run is started, and a running one that
//! is no longer desired is dropped. [`LocalRuntime`] runs both in one process.
//!
//! # Modules, from the bottom
//!
//! Each imports from and calls only those above it: `layers_hold_in_every_crate` reads this table, and a new module gets its
//! row here.
//!
//! | module | what it is |
//! |---|---|
//! | `title` | The automatic title of a chat, from its first message. |
//! | `lock` | A lock that no panic poisons. |
//! | `dual_clock` | An instant on both clocks of the machine: wall and monotonic. |
//! | `trace_id` | The trace id of a round, the same in every process. |
//! | `error` | Why a turn could not be made. |
//! | `call_timeout` | How long a call may take. |
//! | `overlay` | Resource rows as they will be once the changes of this turn are committed. |
//! | `data_sections` | The always-sent data (levels 2 and 3 of the prompt), as the resource model makes it. |
//! | `context_budget` | The size limits of a request, and what follows if it exceeds them. |
//! | `compaction` | A compaction under way: the request to the model, the handling of its reply, and the part of the conversation that stays (adr 59). |
//! | `workspace_input` | The inputs of a workspace's worker. |
//! | `remote_mail` | Requests from a process beside the owner. |
//! | `scrub` | Removes the configured secrets from a model's text before it is shown, read or stored. |
//! | `pre_text` | Decodes the human text of an envelope while it streams: the value of `pre_text`, piece by piece. |
//! | `partial_reply` | Replies that the model did not end itself: the text that is kept, and none of their calls. |
//! | `garbled_batch` | Batches of native calls that arrived damaged: their actions are refused. |
//! | `automation_schedule` | The automations of a workspace in memory, as committed, and when each is examined next. |
//! | `provider_registry` | A registry of providers given by name. |
//! | `call_limits` | Enforces the limits of a model call, whatever its adapter does. |
//! | `agent_trees` | Bounds the concurrent model calls of one tree of agents: a tree has one slot and must not use up its provider account. |
//! | `provider_accounts` | The state of the provider accounts of a process, shared by all sessions: concurrent calls, requested backoff and reachability. |
//! | `policy_queue` | The questions to the policy hook that wait for their turn. |
//! | `active_limits` | The time limits of the work under way in this process, which the watchdog spares, and the words of its replies. |
//! | `process_lease` | The right of this process to handle events, with its lease: it owns the whole store, or works on it beside other processes (adr 25). |
//! | `ownership_lease` | The exclusive right of this runtime to handle events: of a whole store, of a process among several, or of one workspace of such a process. |
//! | `refusals` | The errors sent to waiting requests of this process that could not be handled. |
//! | `prompt_parts` | The parts of prompts that are the same in every workspace, built once a process. |
//! | `services` | The ports that the runtime and the use cases are built on. |
//! | `call_progress` | The progress of a running call, on its way to the watchers of its session. |
//! | `prefix_cache` | The frozen prefixes of prompt generations, stored once by hash. |
//! | `conversation` | Reads the conversation of a session from its log. |
//! | `instructions` | The instructions in memory, as committed. |
//! | `session_draft` | A session as a turn works on it, and as memory holds it between turns. |
//! | `round_spans` | The tracing of rounds: every line and span of a round has one trace id, and at `debug` its beginning and end are logged. |
//! | `policy_check` | Asks the policy hook about a call; without an answer in time a person is asked. |
//! | `effects` | Performs one effect and returns its outcome. |
//! | `task_work` | Communicates with the remote side of a task: queries its state, cancels it, sends it an answer. |
//! | `loaded_session` | A session in memory, as committed. |
//! | `turn` | A workspace turn: a pure function from committed state and answers to one commit. Its own documentation names its modules in order. |
//! | `workspace_acquisition` | Acquires a workspace for this process before anything is handled in it. |
//! | `loaded_workspace` | One workspace in memory, and the handling of its inputs. |
//! | `effect_jobs` | Builds effect jobs: reads everything a job needs from committed state. |
//! | `wake_timer` | The single wake timer of a process. |
//! | `retention_job` | Removes what goes by the retention policy, a commit at a time, while the process owns the database or is the first of several (adr 82). |
//! | `workspace_worker` | The worker of one workspace in memory: it receives inputs, wakes for its deadlines, runs effects, and ends when it has been at rest for a while. |
//! | `local_runtime` | The runtime of one process: it owns the database, or works on it beside other processes, and runs a worker for each workspace with work, plus background jobs: the wake timer, the mail poller, the lease renewal, the network watcher, retention, and the takeover of workspaces that became free. |

mod active_limits;
mod agent_trees;
mod automation_schedule;
mod call_limits;
mod call_progress;
mod call_timeout;
mod compaction;
mod context_budget;
mod conversation;
mod data_sections;
mod dual_clock;
mod effect_jobs;
mod effects;
mod error;
mod garbled_batch;
mod instructions;
mod loaded_session;
mod loaded_workspace;
mod local_runtime;
mod lock;
mod overlay;
mod ownership_lease;
mod partial_reply;
mod policy_check;
mod policy_queue;
mod pre_text;
mod prefix_cache;
mod process_lease;
mod prompt_parts;
mod provider_accounts;
mod provider_registry;
mod refusals;
mod remote_mail;
mod retention_job;
mod round_spans;
mod scrub;
mod services;
mod session_draft;
mod task_work;
mod title;
mod trace_id;
mod turn;
mod wake_timer;
mod workspace_acquisition;
mod workspace_input;
mod workspace_worker;

pub use active_limits::ActiveWorkLimits;
pub use context_budget::{ContextBudget, ContextBudgetExcess, PrefixOverrun};
pub(crate) use conversation::push_entry;
pub use dual_clock::DualClockInstant;
pub use effects::{EffectContext, EffectJob, perform};
pub use error::TurnError;
pub use loaded_workspace::{LoadedWorkspace, TurnFollowUp};
pub use local_runtime::LocalRuntime;
pub use ownership_lease::{OwnershipLease, OwnershipStatus};
pub use policy_queue::PolicyHookQueue;
pub use prompt_parts::SharedPromptParts;
pub use provider_accounts::ProviderAccounts;
pub use provider_registry::StaticProviderRegistry;
pub use remote_mail::RemoteMailSender;
pub use services::{RuntimeServices, StorePorts};
pub use task_work::{TaskWorkJob, perform_task_work};
pub use workspace_input::{EffectOutcome, WorkspaceInput};

#[cfg(test)]
mod tests;
