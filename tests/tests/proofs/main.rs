//! Behaviour under failures of the process and its disk: kills, faults, torn logs, data of earlier releases, on both
//! databases alike. Real processes and real databases.

mod backends;
mod bench;
mod crash;
mod faults;
mod golden;
mod postgres;
mod statements;
mod torn_wal;
