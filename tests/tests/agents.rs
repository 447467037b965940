//! Agents end to end, on the real application: who calls, who answers, what goes up and what never comes down.

#[path = "agents/cast.rs"]
mod cast;
#[path = "agents/missions.rs"]
mod missions;
#[path = "agents/people.rs"]
mod people;
#[path = "agents/places.rs"]
mod places;
#[path = "agents/policies.rs"]
mod policies;
#[path = "agents/restarts.rs"]
mod restarts;
#[path = "agents/rights.rs"]
mod rights;
