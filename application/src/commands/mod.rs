//! Commands: the catalog and the pipeline that every call goes through.

mod catalog;

pub use catalog::*;
