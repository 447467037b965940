//! Any stored thing: strategies over every variant of every stored type.

mod automations;
mod calls;
mod inputs;
mod leaves;
mod mail;
mod messages;
mod sessions;
mod tasks;

pub(in crate::codec) use automations::{automation, occurrence};
pub(in crate::codec) use calls::call;
pub(in crate::codec) use inputs::{entry, input};
pub(crate) use leaves::value;
pub(in crate::codec) use mail::{mail, mail_answer};
pub(in crate::codec) use sessions::{phase, rules, snapshot};
