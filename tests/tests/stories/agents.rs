//! Agents end to end, on the real application: who calls, who answers, what goes up and what never comes down.

mod cast;
mod missions;
mod people;
mod places;
mod policies;
mod restarts;
mod rights;
