//! What time brings: deadlines of sessions, the network, and the occurrences of automations.

mod automation_lookup;
mod automation_run;
mod automation_tick;
mod deadlines;
mod network_recovery;

pub(super) use self::automation_lookup::find_automation;
pub(super) use self::automation_run::{
    AutomationRunRequest, begin_run, find_free_instant, read_seed_messages,
};
pub(super) use self::automation_tick::{
    begin_due, begin_runs, judge_due, judge_next, list_due_automations, queue_heartbeats, send_heartbeat,
    skip_due, skip_next,
};
pub(super) use self::deadlines::{queue_due_sessions, reach_deadline, send_deadline};
pub(super) use self::network_recovery::{
    queue_network_resumes, resume_after_network, resume_due_after_network, schedule_network_resume,
};
