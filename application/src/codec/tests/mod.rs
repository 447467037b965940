//! What is stored comes back as it was.

pub(crate) mod arbitrary;
mod declared;
mod fixtures;
mod rights;
mod round_trips;
mod sizes;
mod versions;
