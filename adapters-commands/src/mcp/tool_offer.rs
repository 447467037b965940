//! The tools a server offers: declarations within the size limit, and the names of the others.

use std::collections::BTreeMap;
use std::io::{Error, Write};

use entracte_application::system::sha256;
use entracte_application::texts::{LocalizedTexts, say};
use rmcp::model::Tool;
use serde::{Deserialize, Serialize};

use super::declaration::McpToolDeclaration;
use super::text::line;

/// One offered tool.
#[derive(Debug)]
pub(super) enum ToolOffer {
    /// A declaration within the limits.
    Whole(McpToolDeclaration),
    /// A declaration that is too large; only its name is kept.
    Refused { name: String, why: ToolSizeExcess },
}

/// The part of a tool that exceeds its limit, with the limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolSizeExcess {
    /// The declaration.
    Declaration {
        /// The limit in bytes.
        bytes_max: usize,
    },
    /// The name.
    Name {
        /// The limit in bytes.
        bytes_max: usize,
    },
}

impl ToolSizeExcess {
    /// Renders the reason for display.
    pub(super) fn message(&self, texts: &LocalizedTexts) -> String {
        match self {
            Self::Declaration { bytes_max } => say!(texts, "bounds-tool-declaration", most = *bytes_max),
            Self::Name { bytes_max } => say!(texts, "bounds-tool-name", most = *bytes_max),
        }
    }
}

/// All tools that a server offers.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolOfferList {
    /// The declarations, in the server's order.
    pub(super) whole: Vec<McpToolDeclaration>,
    /// The refused tools by name, with the reason.
    pub(super) refused: BTreeMap<String, ToolSizeExcess>,
}

impl ToolOfferList {
    /// Adds a tool. Of two tools with one name the first counts; the second could only confuse.
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

    /// Adds the declarations whose names no tool of the server has.
    pub(super) fn add_missing(&mut self, declarations: impl IntoIterator<Item = McpToolDeclaration>) {
        for declaration in declarations {
            let is_offered = self.whole.iter().any(|known| known.name == declaration.name);
            if !is_offered && !self.refused.contains_key(&declaration.name) {
                self.whole.push(declaration);
            }
        }
    }

    /// The number of tools, refused ones included.
    pub(super) fn len(&self) -> usize {
        self.whole.len() + self.refused.len()
    }
}

/// An offer, refused if its declaration has more than `bytes_max` bytes.
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

/// A writer that counts the bytes, and fails beyond its limit.
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

/// The most bytes of a tool's name.
const NAME_MAX_BYTES: usize = 256;
/// The number of characters kept of a longer name.
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
    fn oversized_tool_keeps_only_name() {
        assert_eq!(offered("a", "Adds.", 1000), Ok("a".to_owned()));
        let why = "a: its declaration has more than 1000 bytes (declaration_max_bytes)";
        assert_eq!(offered("a", &"x".repeat(1000), 1000), Err(why.to_owned()));
        let long = offered(&"n".repeat(300), "", 1000).unwrap_err();
        assert!(long.starts_with(&format!("{}…", "n".repeat(40))), "{long}");
        assert!(long.ends_with(": its name has more than 256 bytes") && long.len() < 120, "{long}");
    }
}
