//! The machine: its table, its properties, all its states, and its behaviour in the simulator.

mod exploration;
mod properties;
mod simulation;
mod table;
