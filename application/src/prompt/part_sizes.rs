//! The parts of a frozen prefix, with their sizes.

use super::generation::PromptPrefix;
use crate::ports::{ToolDeclaration, schema_bytes};

entracte_domain::words! {
    /// The kind of a prefix part, as named by `session prompt --parts`.
    pub enum PromptPartKind {
        /// A chunk of level 1.
        Level1 = "level1",
        /// Instructions that people gave.
        Instructions = "instructions",
        /// The always-sent data.
        Data = "data",
        /// The commands as native tools.
        Tools = "tools",
        /// The JSON Schema of a reply.
        Schema = "schema",
    }
}

/// A part of a prefix with its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptPartSize {
    /// The kind of the part.
    pub kind: PromptPartKind,
    /// Name of the chunk, or scope of the instructions; empty if its kind has only one part.
    pub name: String,
    /// Size in bytes.
    pub bytes: usize,
}

impl PromptPartSize {
    fn new(kind: PromptPartKind, name: &str, bytes: usize) -> Self {
        Self { kind, name: name.to_owned(), bytes }
    }
}

impl PromptPrefix {
    /// The parts in the order in which a model reads them.
    pub fn weights(&self) -> Vec<PromptPartSize> {
        let of_block = |kind, named: Option<Vec<(&str, &str)>>, whole: Option<&str>| match named {
            Some(named) => {
                named.iter().map(|(name, text)| PromptPartSize::new(kind, name, text.len())).collect()
            }
            None => {
                whole.map(|whole| PromptPartSize::new(kind, "", whole.len())).into_iter().collect::<Vec<_>>()
            }
        };
        let level1 = self.blocks.first().map(|block| &**block);
        let told = self.instruction_block().map(|block| &**block);
        let mut weights = of_block(PromptPartKind::Level1, self.named_parts(), level1);
        weights.extend(of_block(PromptPartKind::Instructions, self.named_instructions(), told));
        let data = self.data_blocks().iter().map(|block| block.len()).sum();
        let tools = self.tools.iter().map(ToolDeclaration::bytes).sum();
        let schema = self.reply_schema.as_deref().map_or(0, schema_bytes);
        weights.extend(
            [
                PromptPartSize::new(PromptPartKind::Data, "", data),
                PromptPartSize::new(PromptPartKind::Tools, "", tools),
                PromptPartSize::new(PromptPartKind::Schema, "", schema),
            ]
            .into_iter()
            .filter(|weight| weight.bytes > 0),
        );
        weights
    }

    /// The total bytes of all parts.
    pub fn bytes(&self) -> usize {
        self.weights().iter().map(|weight| weight.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::prompt::PrefixPart;

    #[test]
    fn parts_are_measured_in_prompt_order() {
        let part = |name: &str, bytes| PrefixPart { name: name.into(), bytes };
        let prefix = PromptPrefix {
            blocks: vec![Arc::from("role\n\nformats"), Arc::from("You are Nora."), Arc::from("data")],
            parts: vec![part("role", 4), part("format", 7)],
            instructions: vec![part("workspace", 13)],
            tools: Arc::new([ToolDeclaration {
                name: "look".into(),
                description: "Looks.".into(),
                schema: serde_json::json!({}).into(),
            }]),
            ..PromptPrefix::default()
        };
        let expected = [
            PromptPartSize::new(PromptPartKind::Level1, "role", 4),
            PromptPartSize::new(PromptPartKind::Level1, "format", 7),
            PromptPartSize::new(PromptPartKind::Instructions, "workspace", 13),
            PromptPartSize::new(PromptPartKind::Data, "", 4),
            PromptPartSize::new(PromptPartKind::Tools, "", 12),
        ];
        assert_eq!(prefix.weights(), expected);
        assert_eq!(prefix.bytes(), 40);
        let older = PromptPrefix { parts: Vec::new(), ..prefix };
        assert_eq!(older.weights()[0], PromptPartSize::new(PromptPartKind::Level1, "", 13));
    }
}
