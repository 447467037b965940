//! Agents and the sessions that called them.

mod agents;

pub(super) use self::agents::{
    create_agent_session, crosses_principals, drop_cross_principal_answers, exchange_with_relatives,
    list_child_sessions, resume_with_answer, stop_agents_below,
};
