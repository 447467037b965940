//! Agents end to end, on the real application: who calls, who answers, what goes up and what never comes down.

mod concurrency_limit;
mod fixture;
mod missions;
mod policies;
mod restarts;
mod rights;
mod user_decisions;
