//! Whole use cases on the real application: a model that plays its lines, an executor that records effects, people who
//! decide.

mod agents;
mod automations;
mod copies;
mod embedding;
mod enrichments;
mod idle_workspaces;
mod knowledge;
mod mandates;
mod notify;
mod rounds;
mod second_process;
mod semantic;
mod spending;
mod streams;
mod tasks;
mod timeouts;
mod tools;
mod validation;
mod worker_processes;
