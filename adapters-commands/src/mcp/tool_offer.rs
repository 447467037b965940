//! What a server offers: declarations of a size that can be kept, and the names of the others.

use std::collections::BTreeMap;
use std::io::{Error, Write};

use entracte_application::system::sha256;
use entracte_application::texts::{LocalizedTexts, say};
use rmcp::model::Tool;
use serde::{Deserialize, Serialize};

use super::declaration::McpToolDeclaration;
use super::text::line;

/// A tool as it is offered.
#[derive(Debug)]
pub(super) enum ToolOffer {
    /// It can be looked at.
    Whole(McpToolDeclaration),
    /// It is too large. Nothing of it is kept but its name.
    Refused { name: String, why: ToolSizeExcess },
}

/// What of a tool is too large to be looked at, and how large it may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolSizeExcess {
    /// Its declaration.
    Declaration {
        /// The most bytes.
        bytes_max: usize,
    },
    /// Its name.
    Name {
        /// The most bytes.
        bytes_max: usize,
    },
}

impl ToolSizeExcess {
    /// In words.
    pub(super) fn message(&self, texts: &LocalizedTexts) -> String {
        match self {
            Self::Declaration { bytes_max } => say!(texts, "bounds-tool-declaration", most = *bytes_max),
            Self::Name { bytes_max } => say!(texts, "bounds-tool-name", most = *bytes_max),
        }
    }
}

/// Everything that a server offers.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolOfferList {
    /// In the server's order.
    pub(super) whole: Vec<McpToolDeclaration>,
    /// Why, by name.
    pub(super) refused: BTreeMap<String, ToolSizeExcess>,
}

impl ToolOfferList {
    /// Adds one. Of two tools with one name the first is the one; the other could only confuse.
    pub(super) fn add(&mut self, offer: ToolOffer) {
        match offer {
            ToolOffer::Whole(declaration) => self.whole.push(declaration),
            ToolOffer::Refused { name, why } => {
                if self.whole.iter().all(|known| known.name != name) {
                    self.refused.entry(name).or_insert(why);
                }
            }
        }
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.whole.len() + self.refused.len()
    }
}

/// A tool, let go when its declaration has more than `bytes_max` bytes.
pub(super) fn offer(tool: Tool, bytes_max: usize) -> ToolOffer {
    if tool.name.len() > NAME_MAX_BYTES {
        let hash = sha256(tool.name.as_bytes());
        let name = format!("{}…{}", line(&tool.name, NAME_SHOWN_CHARS), hash.short());
        return ToolOffer::Refused { name, why: ToolSizeExcess::Name { bytes_max: NAME_MAX_BYTES } };
    }
    let declaration = McpToolDeclaration::from(tool);
    if declaration.fits(bytes_max) {
        return ToolOffer::Whole(declaration);
    }
    ToolOffer::Refused { name: declaration.name, why: ToolSizeExcess::Declaration { bytes_max } }
}

/// A place to write to that counts, and takes no more than it may.
pub(super) struct ByteLimitWriter {
    left: usize,
}

impl ByteLimitWriter {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { left: bytes_max }
    }
}

impl Write for ByteLimitWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let left = self.left.checked_sub(bytes.len());
        self.left = left.ok_or_else(|| Error::other("it is too large"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Longest name of a tool, in bytes.
const NAME_MAX_BYTES: usize = 256;
/// Characters of a longer one that are kept.
const NAME_SHOWN_CHARS: usize = 40;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn offered(name: &str, description: &str, bytes_max: usize) -> Result<String, String> {
        let tool = json!({"name": name, "description": description, "inputSchema": {"type": "object"}});
        match offer(serde_json::from_value(tool).unwrap(), bytes_max) {
            ToolOffer::Whole(declaration) => Ok(declaration.name),
            ToolOffer::Refused { name, why } => {
                let texts = LocalizedTexts::for_language(entracte_application::settings::Language::En);
                Err(format!("{name}: {}", why.message(texts)))
            }
        }
    }

    #[test]
    fn what_is_too_large_leaves_its_name_only() {
        assert_eq!(offered("a", "Adds.", 1000), Ok("a".to_owned()));
        let why = "a: its declaration has more than 1000 bytes (declaration_max_bytes)";
        assert_eq!(offered("a", &"x".repeat(1000), 1000), Err(why.to_owned()));
        let long = offered(&"n".repeat(300), "", 1000).unwrap_err();
        assert!(long.starts_with(&format!("{}…", "n".repeat(40))), "{long}");
        assert!(long.ends_with(": its name has more than 256 bytes") && long.len() < 120, "{long}");
    }
}
