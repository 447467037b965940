//! All queries of the crate: one file per table, one small function per query, the same for every dialect.
//! Dialect-specific ones are in `dialect`. No function here opens a transaction.

pub(crate) mod access;
pub(crate) mod automations;
pub(crate) mod blobs;
pub(crate) mod calls;
pub(crate) mod census;
pub(crate) mod changes;
pub(crate) mod chunks;
pub(crate) mod cost_sums;
pub(crate) mod costs;
pub(crate) mod deletions;
pub(crate) mod documents;
pub(crate) mod files;
pub(crate) mod hashes;
pub(crate) mod inbox_items;
pub(crate) mod instructions;
pub(crate) mod libraries;
pub(crate) mod log;
pub(crate) mod mail;
pub(crate) mod outbox;
pub(crate) mod owner;
pub(crate) mod prefix_uses;
pub(crate) mod receipts;
pub(crate) mod resources;
pub(crate) mod retention;
mod session_names;
pub(crate) mod session_pages;
pub(crate) mod session_rows;
pub(crate) mod sessions;
pub(crate) mod tasks;
pub(crate) mod terms;
pub(crate) mod triage;
pub(crate) mod vectors;
pub(crate) mod workers;
pub(crate) mod workspaces;
