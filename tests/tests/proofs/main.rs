//! What holds whatever happens to the process and its disk: deaths, faults, torn logs, releases before this one, both
//! databases alike. Real processes and real databases.

mod backends;
mod bench;
mod crash;
mod faults;
mod golden;
mod postgres;
mod torn_wal;
