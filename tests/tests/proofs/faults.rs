//! What hinders a database: no room, no right to write, a lock of somebody else, an end in the middle of a COMMIT. Who
//! asks is told at once and with the mend; the process stays up; when it is over the sessions go on, and nothing is
//! lost or done twice.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod fixture;
mod full_disk;
mod locked;
mod lost_connection;
mod read_only;
