//! What a frozen prefix is made of, by size.

use super::generation::Prefix;

entracte_domain::words! {
    /// What a part of a prefix is, in the words of `session prompt --parts`.
    pub enum PartKind {
        /// A chunk of level 1.
        Level1 = "level1",
        /// Instructions that people gave.
        Instructions = "instructions",
        /// The data that is always sent.
        Data = "data",
        /// The commands as native tools.
        Tools = "tools",
        /// The shape of a reply.
        Schema = "schema",
    }
}

/// A part of a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weight {
    /// What it is.
    pub kind: PartKind,
    /// The chunk, or whose instructions; empty where there is one part of its kind.
    pub name: String,
    /// Its bytes.
    pub bytes: usize,
}

impl Weight {
    fn new(kind: PartKind, name: &str, bytes: usize) -> Self {
        Self { kind, name: name.to_owned(), bytes }
    }
}

impl Prefix {
    /// Its parts, in the order in which a model reads them.
    pub fn weights(&self) -> Vec<Weight> {
        let of_block = |kind, named: Option<Vec<(&str, &str)>>, whole: Option<&str>| match named {
            Some(named) => named.iter().map(|(name, text)| Weight::new(kind, name, text.len())).collect(),
            None => whole.map(|whole| Weight::new(kind, "", whole.len())).into_iter().collect::<Vec<_>>(),
        };
        let level1 = self.blocks.first().map(|block| &**block);
        let told = self.instruction_block().map(|block| &**block);
        let mut weights = of_block(PartKind::Level1, self.named_parts(), level1);
        weights.extend(of_block(PartKind::Instructions, self.named_instructions(), told));
        let data = self.data_blocks().iter().map(|block| block.len()).sum();
        let tools = self.tools.iter().map(|tool| {
            let schema = serde_json::to_vec(&tool.schema).map_or(0, |json| json.len());
            tool.name.len() + tool.description.len() + schema
        });
        let schema = self.reply_schema.as_deref();
        let schema = schema.and_then(|schema| serde_json::to_vec(schema).ok()).map_or(0, |json| json.len());
        weights.extend(
            [
                Weight::new(PartKind::Data, "", data),
                Weight::new(PartKind::Tools, "", tools.sum()),
                Weight::new(PartKind::Schema, "", schema),
            ]
            .into_iter()
            .filter(|weight| weight.bytes > 0),
        );
        weights
    }

    /// The bytes of all its parts.
    pub fn bytes(&self) -> usize {
        self.weights().iter().map(|weight| weight.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ports::ToolDeclaration;
    use crate::prompt::PrefixPart;

    #[test]
    fn parts_are_weighed_in_the_order_of_the_prompt() {
        let part = |name: &str, bytes| PrefixPart { name: name.into(), bytes };
        let prefix = Prefix {
            blocks: vec![Arc::from("role\n\nformats"), Arc::from("You are Nora."), Arc::from("data")],
            parts: vec![part("role", 4), part("format", 7)],
            instructions: vec![part("workspace", 13)],
            tools: Arc::new([ToolDeclaration {
                name: "look".into(),
                description: "Looks.".into(),
                schema: serde_json::json!({}),
            }]),
            ..Prefix::default()
        };
        let expected = [
            Weight::new(PartKind::Level1, "role", 4),
            Weight::new(PartKind::Level1, "format", 7),
            Weight::new(PartKind::Instructions, "workspace", 13),
            Weight::new(PartKind::Data, "", 4),
            Weight::new(PartKind::Tools, "", 12),
        ];
        assert_eq!(prefix.weights(), expected);
        assert_eq!(prefix.bytes(), 40);
        let older = Prefix { parts: Vec::new(), ..prefix };
        assert_eq!(older.weights()[0], Weight::new(PartKind::Level1, "", 13));
    }
}
