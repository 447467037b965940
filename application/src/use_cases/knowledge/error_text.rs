//! The texts of document errors, for people and for models.

use super::KnowledgeError;
use crate::knowledge::{DocumentPathFault, PathEnd};
use crate::texts::{LocalizedMessage, saying};

impl KnowledgeError {
    /// The error, and what to do about it.
    pub fn message(&self) -> LocalizedMessage {
        match self {
            Self::Unknown(name) => saying!("knowledge-error-unknown", name = name),
            Self::Name { most } => saying!("knowledge-error-name", most = *most),
            Self::TooLarge { bytes, most } => saying!("knowledge-error-size", bytes = *bytes, most = *most),
            Self::Empty => saying!("knowledge-error-empty"),
            Self::Full { most } => saying!("knowledge-error-full", most = *most),
            Self::NotStructured(name) => saying!("knowledge-error-structured", name = name),
            Self::Path(fault) => path_message(fault),
            Self::Stopped(why) => saying!("knowledge-error-stopped", why = why),
            Self::Store(error) => saying!("knowledge-error-stopped", why = error.to_string()),
            Self::Convert(error) => error.message(),
        }
    }

    /// The error of the file of this name.
    pub fn message_of_file(&self, name: &str) -> LocalizedMessage {
        saying!("knowledge-error-file", path = name, why = self.message())
    }
}

fn path_message(fault: &DocumentPathFault) -> LocalizedMessage {
    let DocumentPathFault::Nothing { upto, found } = fault else { return saying!("knowledge-no-records") };
    let upto = if upto.is_empty() { "/" } else { upto.as_str() };
    match found {
        PathEnd::Names { first, count } if first.len() < *count => {
            let (keys, more) = (first.join(", "), count - first.len());
            saying!("knowledge-no-path-more", upto = upto, keys = keys, more = more)
        }
        PathEnd::Names { first, .. } => {
            saying!("knowledge-no-path", upto = upto, keys = first.join(", "))
        }
        PathEnd::Items(count) => saying!("knowledge-no-path-list", upto = upto, count = *count),
        PathEnd::Value => saying!("knowledge-no-path-value", upto = upto),
    }
}
