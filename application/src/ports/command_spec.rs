use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::time::Millis;

use crate::texts::{Language, Texts};

/// One command, declared once. Parser, checks, prompt documentation, verbalisation and native tools derive
/// from it.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSpec {
    /// What the model writes in the envelope: `CREATE_DATA`.
    pub word: String,
    /// `resource.operation`: `tool_data.batch_create`.
    pub name: String,
    /// Query or action.
    pub kind: CommandKind,
    /// What may be done when its outcome is not known.
    pub effect: EffectClass,
    /// JSON Schema of its arguments: an object with `additionalProperties: false`.
    pub schema: serde_json::Value,
    /// An identical query within the window may be answered from the ledger.
    pub cacheable: bool,
    /// May run beside its siblings.
    pub independent: bool,
    /// Cannot be undone: always needs approval.
    pub destructive: bool,
    /// Sends data out of the workspace: always needs approval.
    pub egress: bool,
    /// Always needs approval, by somebody whose words are not in the exchange.
    pub four_eyes: bool,
    /// What it reaches and sends beside its arguments, as its executor says it: method, address, names of headers, the
    /// program and its arguments. Part of its meaning, so an approval is bound to it. Secrets are in it by the place
    /// where they are kept only. Null for what changes the workspace's own data.
    pub target: serde_json::Value,
    /// Its own time-out instead of the general one.
    pub timeout: Option<Millis>,
    /// `probe`: how long after a lost outcome a "no" counts.
    pub settle: Millis,
    /// `idempotent`: how long its key holds.
    pub key_lifetime: Millis,
    /// What the model reads about it.
    pub doc: String,
    /// An example of its arguments, JSON; must be executable as it stands where the rows it names exist.
    pub example: Option<serde_json::Value>,
}

/// What the model reads about a command. Executors declare it in English; the catalogue of texts has it in other
/// languages for the commands of Entracte.
pub fn doc(spec: &CommandSpec, language: Language) -> String {
    let (key, texts) = (format!("doc-{}", spec.word), Texts::of(language));
    match language {
        Language::En => spec.doc.clone(),
        Language::Fr if texts.has(&key) => texts.say(&key, &[]),
        Language::Fr => spec.doc.clone(),
    }
}
