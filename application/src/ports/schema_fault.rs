/// A fault of arguments against their schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFault {
    /// JSON pointer to the faulty value; empty for the whole.
    pub path: String,
    /// Description of the fault.
    pub text: String,
}

impl SchemaFault {
    /// The fault as one sentence.
    pub fn sentence(&self) -> String {
        if self.path.is_empty() { self.text.clone() } else { format!("{}: {}", self.path, self.text) }
    }
}
