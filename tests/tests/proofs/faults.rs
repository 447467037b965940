//! Database faults: no space, no write permission, a lock of another program, a cut in the middle of a COMMIT. A
//! request is refused at once with the remedy; the process stays up; afterwards the sessions continue, and nothing is
//! lost or repeated.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod fixture;
mod full_disk;
mod locked;
mod lost_connection;
mod read_only;
