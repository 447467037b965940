//! Whole stories on the real application: a model that says its lines, an outside world that counts, people who decide.

mod agents;
mod automations;
mod beside;
mod copies;
mod embedding;
mod enrichments;
mod knowledge;
mod notify;
mod resting;
mod rounds;
mod semantic;
mod streams;
mod tasks;
mod timeouts;
mod tools;
mod validation;
