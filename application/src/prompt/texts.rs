//! Every text that the model reads, in one place.
