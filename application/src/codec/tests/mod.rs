//! What is stored comes back as it was.

pub(crate) mod arbitrary;
mod declared_types;
mod encoded_sizes;
mod fixtures;
mod rights;
mod round_trips;
mod versions;
