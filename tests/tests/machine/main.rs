//! The machine: its table, its properties, all its states, and whole lives of it in the simulator.

mod exploration;
mod properties;
mod simulation;
mod table;
