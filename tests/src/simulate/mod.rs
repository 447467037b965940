//! The simulator: the real application on virtual time, with a model and an outside that do as chance says, and a
//! process that dies between any two steps. After each step it checks what must hold whatever happens. One number
//! makes the whole story, so what was found once is found again.

#![expect(clippy::unwrap_used, reason = "these are tests, in a library")]

mod acts;
mod agent_invariants;
mod agents;
mod cards;
mod four_eyes;
mod invariants;
mod notice_log;
mod rng;
mod task_invariants;
mod task_server;
mod tasks;
mod workspace;

pub(crate) use self::invariants::stuck;
use self::rng::SeededRng;
use self::workspace::{SimulatedWorkspace, SimulationKind};

/// How a story is told.
#[derive(Clone, Copy, Debug)]
pub struct SimulationConfig {
    /// The number that makes the story.
    pub seed: u64,
    /// Steps of the story.
    pub steps: u32,
}

/// What a story came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulationReport {
    /// Hash of everything that was written, the same for the same seed.
    pub digest: u64,
    /// Sessions that were made.
    pub sessions: usize,
    /// Occurrences that were decided.
    pub occurrences: usize,
    /// Effects that happened outside.
    pub effects: usize,
    /// Deaths of the process.
    pub deaths: u32,
    /// Long tasks that were begun.
    pub tasks: usize,
    /// Agents that were called.
    pub agents: usize,
}

/// What must hold and did not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("seed {seed}, step {step} ({act}): {what}")]
pub struct SimulationFailure {
    /// The number that tells the story again.
    pub seed: u64,
    /// The step after which it was found.
    pub step: u32,
    /// What the step did.
    pub act: String,
    /// What was found.
    pub what: String,
}

/// Tells one story.
///
/// # Errors
/// With what did not hold, and where.
pub async fn run_simulation(plan: SimulationConfig) -> Result<SimulationReport, SimulationFailure> {
    let mut chance = SeededRng::new(plan.seed);
    // Of five stories one, of each kind; by the number, so that the others stay what they were.
    let kind = match plan.seed % 5 {
        1 => SimulationKind::FallsBack,
        3 => SimulationKind::Helped,
        _ => SimulationKind::Plain,
    };
    let mut city = SimulatedWorkspace::create_workspace(&mut chance, kind).await;
    for step in 1..=plan.steps {
        let act = city.act(&mut chance).await;
        city.check().await.map_err(|what| SimulationFailure { seed: plan.seed, step, act, what })?;
    }
    city.run_to_completion().await;
    let broken = |what| SimulationFailure { seed: plan.seed, step: plan.steps, act: "the end".into(), what };
    city.check().await.map_err(broken)?;
    city.check_at_end().await.map_err(broken)?;
    Ok(city.build_report().await)
}
