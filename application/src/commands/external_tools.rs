//! The tools of a server outside, as a person read them.

use entracte_domain::id::Digest;

use crate::ports::{ExternalServerTools, ExternalTool};
use crate::system::sha256;

impl ExternalServerTools {
    /// The digest of all that a person sees of the tools; a decision is bound to it.
    pub fn digest(&self) -> Digest {
        let line = |tool: &ExternalTool| {
            format!(
                "{}\n{}\n{}\n{}\n{:?}\n{:?}\n{}\n",
                tool.tool,
                tool.kind.word(),
                tool.asks,
                tool.source.word(),
                tool.sends_out,
                tool.hints,
                tool.state.word()
            )
        };
        let lines: String = self.tools.iter().map(line).collect();
        sha256(format!("{}\n{lines}", self.server).as_bytes())
    }
}
