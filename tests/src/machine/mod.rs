//! The kit for the machine's tests: what can happen to a session as short words ([`Act`]), a session that takes
//! them in and keeps its whole story ([`MachineRun`]), and an explorer that visits every state that small rules allow
//! ([`explorer`]).
//!
//! All of it is deterministic and drives time by hand.

mod act;
mod ask;
pub mod explorer;
mod family;
mod gallery;
mod helper;
mod reply;
mod run;
mod show;

pub use act::*;
pub use ask::*;
pub use family::{
    agent_created_act, mission_continued_act, mission_halted_act, new_agent_run, one_of_each_mission,
    reported, session_created_act,
};
pub use gallery::{one_of_each_phase, samples};
pub use helper::{AgentReplyKind, HELPER, called};
pub use reply::*;
pub use run::{MachineRun, agent, automation, call_outcome, chat, inputs, lost_attempt_inputs, seed};
pub use show::{show_appended, show_phase};
