use diesel::deserialize::QueryableByName;
use diesel::sql_types::{BigInt, Text};
use entracte_application::ports::ChunkQuery;

/// A chunk found by the index, with the id of its document.
#[derive(Debug, QueryableByName)]
pub(crate) struct ChunkIndexHit {
    #[diesel(sql_type = BigInt)]
    pub(crate) chunk_id: i64,
    #[diesel(sql_type = Text)]
    pub(crate) document: String,
    #[diesel(sql_type = BigInt)]
    pub(crate) ordinal: i64,
    #[diesel(sql_type = Text)]
    pub(crate) heading: String,
    #[diesel(sql_type = BigInt)]
    pub(crate) begins: i64,
    #[diesel(sql_type = BigInt)]
    pub(crate) ends: i64,
    #[diesel(sql_type = Text)]
    pub(crate) heading_terms: String,
    #[diesel(sql_type = Text)]
    pub(crate) terms: String,
    #[diesel(sql_type = Text)]
    pub(crate) text: String,
}

/// Renders a query in the index's language with each term between `mark`s; `None` if nothing can match. Words that are
/// not terms are in no chunk and are dropped, so that user text cannot become query syntax.
pub(super) fn to_index_query(wanted: &ChunkQuery, mark: char, and: &str, or: &str) -> Option<String> {
    let one_of = |terms: &[String]| {
        let terms: Vec<String> =
            terms.iter().filter(|term| is_term(term)).map(|term| format!("{mark}{term}{mark}")).collect();
        (!terms.is_empty()).then(|| format!("({})", terms.join(or)))
    };
    match wanted {
        ChunkQuery::All(words) => {
            let words: Option<Vec<String>> = words.iter().map(|word| one_of(word)).collect();
            words.filter(|words| !words.is_empty()).map(|words| words.join(and))
        }
        ChunkQuery::Any(terms) => one_of(terms),
    }
}

fn is_term(term: &str) -> bool {
    let is_letter = |character: char| {
        if character.is_ascii() {
            character.is_ascii_alphanumeric()
        } else {
            !character.is_whitespace() && !character.is_control()
        }
    };
    !term.is_empty() && term.chars().all(is_letter)
}
