//! Round trips: decoding returns the encoded value.

pub(crate) mod arbitrary;
mod declared_types;
mod encoded_sizes;
mod fixtures;
mod rights;
mod round_trips;
mod versions;
