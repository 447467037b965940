//! Agents end to end, on the real application: callers, answers, reports, and messages that must not reach an agent.

mod concurrency_limit;
mod copies;
mod costs;
mod fixture;
mod missions;
mod policies;
mod restarts;
mod rights;
mod user_decisions;
