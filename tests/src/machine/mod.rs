//! The kit of the machine tests: the acts of a session in short words ([`MachineAct`]), a session that applies them and
//! keeps its history ([`MachineRun`]), and an explorer that visits every state that small rules allow ([`explorer`]).
//!
//! All of it is deterministic and moves time explicitly.

mod act;
mod agent;
mod agent_tree;
mod command_request;
pub mod explorer;
mod phase_samples;
mod reply;
mod run;
mod transcript;

pub use act::*;
pub use agent::{AgentReplyKind, HELPER, called};
pub use agent_tree::{
    agent_created_act, mission_continued_act, mission_halted_act, new_agent_run, one_of_each_mission,
    reported, session_created_act,
};
pub use command_request::*;
pub use phase_samples::{one_of_each_phase, samples};
pub use reply::*;
pub use run::{MachineRun, agent, automation, call_outcome, chat, inputs, lost_attempt_inputs, seed};
pub use transcript::{show_appended, show_phase};
