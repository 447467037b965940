//! Strategies for arbitrary stored objects: every variant of every stored type.

mod agents;
mod automations;
mod calls;
mod inputs;
mod mail;
mod messages;
mod scalars;
mod sessions;
mod tasks;

pub(in crate::codec) use agents::{rights, wish};
pub(in crate::codec) use automations::{automation, occurrence};
pub(in crate::codec) use calls::call;
pub(in crate::codec) use inputs::{entry, input};
pub(in crate::codec) use mail::{mail, mail_answer};
pub(crate) use scalars::value;
pub(in crate::codec) use sessions::{phase, rules, snapshot};
