use entracte_domain::value::JsonValue;
use proptest::prelude::*;

use super::*;
use crate::json_value::from_serde;
use crate::ports::{ChunkCandidate, ChunkHit, ChunkQuery, DocumentChunk, KnowledgeStatistics};
use crate::settings::ChunkSizeBounds;
use crate::texts::Language;

/// A value as it is written.
macro_rules! json {
    ($($json:tt)+) => { from_serde(&serde_json::json!($($json)+)) };
}

fn joined(text: &str, tongue: IndexLanguage) -> String {
    terms(text, tongue).join(" ")
}

#[test]
fn words_become_terms() {
    let cases = [
        (IndexLanguage::En, "The printers are printing!", "printer print"),
        (IndexLanguage::Fr, "L'imprimante n'imprime plus les étiquettes.", "imprim imprim etiquet"),
        (IndexLanguage::Fr, "Œuvre œuvres oeuvre", "oeuvr oeuvr oeuvr"),
        (IndexLanguage::De, "Die Größe der Straßen", "gross strass"),
        (IndexLanguage::En, "ﬁle Ｆｕｌｌ", "file full"),
        (IndexLanguage::En, "invoice INV-2026/004 of v1.2", "invoic inv 2026 004 inv2026004 v1 2 v12"),
        (IndexLanguage::En, "top-level pthread_create()", "top level pthread creat"),
        (IndexLanguage::Other, "東京都の天気", "東京 京都 都の の天 天気"),
        (IndexLanguage::Other, "", ""),
        (IndexLanguage::En, "a the of", ""),
    ];
    for (tongue, text, expected) in cases {
        assert_eq!(joined(text, tongue), expected, "{text}");
    }
}

#[test]
fn language_is_detected_short_text_uses_workspace() {
    let french = "Le service de la comptabilité paie les factures des fournisseurs à la fin de chaque mois, après \
                  la validation de la direction.";
    assert_eq!(IndexLanguage::detect(french, Language::En), IndexLanguage::Fr);
    let english = "The accounting department pays the invoices of suppliers at the end of each month, after they \
                   were approved by the management.";
    assert_eq!(IndexLanguage::detect(english, Language::Fr), IndexLanguage::En);
    assert_eq!(IndexLanguage::detect("TVA 20 %", Language::Fr), IndexLanguage::Fr);
    for tongue in IndexLanguage::ALL {
        assert_eq!(IndexLanguage::from_word(tongue.word()), Some(tongue));
    }
}

fn sizes(wanted: usize, most: usize, overlap: usize) -> ChunkSizeBounds {
    ChunkSizeBounds { wanted, most, overlap }
}

#[test]
fn a_text_is_cut_at_its_headings() {
    let long = "Words of a section that is long enough to stand alone. ".repeat(3);
    let text = format!("# Guide\n\n## Travel\n\n{long}\n\n## Meals\n\n{long}\n\n### Team\n\nSmall.\n");
    let pieces = cut_markdown(&text, sizes(400, 600, 50));
    let headings: Vec<String> = pieces.iter().map(|piece| piece.heading.join(" > ")).collect();
    assert_eq!(headings, ["Guide > Travel", "Guide > Meals", "Guide > Meals > Team"]);
    assert!(pieces[0].text.starts_with("# Guide\n\n## Travel"), "{}", pieces[0].text);
    assert!(pieces[2].text.contains("Small."));
}

#[test]
fn code_stays_whole_and_long_paragraphs_overlap() {
    let code = format!("```\n{}```\n", "let a = 1;\n".repeat(14));
    let text = format!("Before.\n\n{code}\nAfter.\n");
    let pieces = cut_markdown(&text, sizes(100, 300, 20));
    assert!(pieces.iter().any(|piece| piece.text.contains(&code)), "{pieces:?}");

    let paragraph = "One sentence follows the other. ".repeat(20);
    let pieces = cut_text(&paragraph, sizes(200, 300, 40));
    assert!(pieces.len() > 2);
    for pair in pieces.windows(2) {
        assert!(pair[0].at.end > pair[1].at.start, "they have something in common: {pair:?}");
    }
}

proptest! {
    /// For any text, its chunks cover all of it in order, and none exceeds the maximum length.
    #[test]
    fn chunks_cover_the_text(text in "([#|`\\-= a-zA-Zéß東0-9.\n]{0,40}(\n|\n\n|```\n|# |\\| )){0,40}", wanted in 100..300usize) {
        let sizes = sizes(wanted, wanted + 100, 30);
        for pieces in [cut_markdown(&text, sizes), cut_text(&text, sizes)] {
            let mut whole = String::new();
            for piece in &pieces {
                prop_assert!(piece.at.start <= whole.len() && piece.at.end > whole.len());
                prop_assert_eq!(&text[piece.at.clone()], &piece.text);
                whole.push_str(&text[whole.len()..piece.at.end]);
            }
            prop_assert_eq!(&whole, &text);
        }
    }

    #[test]
    fn no_text_makes_a_panic(text in ".{0,300}") {
        for tongue in [IndexLanguage::En, IndexLanguage::Fr, IndexLanguage::Other] {
            for term in terms(&text, tongue) {
                prop_assert!(term.chars().count() <= MAX_TERM_CHARS && !term.contains(' '));
            }
            let asked = SearchTerms::from_question(&text, &[tongue, IndexLanguage::De]);
            let shown = snippet(&text, tongue, &asked.terms(), 40);
            prop_assert!(shown.chars().count() <= 42, "{}", shown);
        }
    }
}

#[test]
fn records_are_chunks_with_their_pointer() {
    let people: Vec<_> = (0..30)
        .map(|n| serde_json::json!({"name": format!("Person {n}"), "site": {"city": "Lyon"}}))
        .collect();
    let document = json!({"staff": people, "year": 2026});
    let pieces = cut_records(&document, sizes(200, 400, 20), usize::MAX).unwrap();
    assert_eq!(pieces[0].heading, ["/staff/0"]);
    assert!(
        pieces[0].text.starts_with("staff name: Person 0\nstaff site city: Lyon\n"),
        "{}",
        pieces[0].text
    );
    assert_eq!(pieces.last().unwrap().heading, ["/year"]);
    assert!(pieces.windows(2).all(|pair| pair[0].at.end == pair[1].at.start));
}

/// Input: names and a heading of 100,000 characters over 10,000 values; expected: their repetition for each value is
/// bounded.
#[test]
fn long_names_and_headings_are_not_multiplied() {
    let long = "n".repeat(100_000);
    let document = json!({ long.clone(): vec![1; 10_000] });
    assert_eq!(cut_records(&document, sizes(200, 400, 20), 1_000_000), Err(RecordTextOverflow));

    let text = format!("# {long}\n\n{}", "Words of a paragraph.\n\n".repeat(10_000));
    let pieces = cut_markdown(&text, sizes(200, 400, 20));
    let headings: usize = pieces.iter().flat_map(|piece| &piece.heading).map(String::len).sum();
    assert!(pieces.len() > 100 && headings <= pieces.len() * 300, "{headings}");
}

fn candidate(number: u64, heading: &str, text: &str) -> ChunkCandidate {
    ChunkCandidate {
        chunk: chunk(number),
        heading_terms: terms(heading, IndexLanguage::En),
        terms: terms(text, IndexLanguage::En),
    }
}

fn chunk(number: u64) -> DocumentChunk {
    DocumentChunk {
        number,
        document: "doc_1".into(),
        ordinal: 0,
        heading: Vec::new(),
        text: String::new(),
        start: 0,
        end: 0,
    }
}

#[test]
fn the_rare_word_and_the_heading_count_more() {
    let question = SearchTerms::from_question("How do I print the label?", &[IndexLanguage::En]);
    assert_eq!(question.terms(), ["label", "print"]);
    let frequencies: ChunkFrequencies = [("print".to_owned(), 90), ("label".to_owned(), 3)].into();
    let library = KnowledgeStatistics { chunks: 100, terms: 600, ..KnowledgeStatistics::default() };
    let candidates = vec![
        candidate(1, "", "print print print and some other words"),
        candidate(2, "", "a label and some other words"),
        candidate(3, "Label", "to print it choose some other words"),
        candidate(4, "", "nothing of it"),
        candidate(2, "", "a label and some other words"),
    ];
    let ranked: Vec<u64> =
        rank(candidates, &question, &frequencies, &library).iter().map(|hit| hit.chunk.number).collect();
    assert_eq!(ranked, [3, 2, 1]);
}

#[test]
fn words_beside_each_other_count_more() {
    let question = SearchTerms::from_question("the value of a symbolic link", &[IndexLanguage::En]);
    let frequencies: ChunkFrequencies =
        [("valu".to_owned(), 9), ("symbol".to_owned(), 9), ("link".to_owned(), 9)].into();
    let library = KnowledgeStatistics { chunks: 100, terms: 600, ..KnowledgeStatistics::default() };
    let candidates = vec![
        candidate(1, "", "link symbol value link"),
        candidate(2, "", "it has the value of the symbolic link"),
    ];
    let ranked = rank(candidates, &question, &frequencies, &library);
    assert_eq!(ranked[0].chunk.number, 2, "{ranked:?}");
}

#[test]
fn all_words_are_searched_before_rarest() {
    let question =
        SearchTerms::from_question("les factures of the printer", &[IndexLanguage::En, IndexLanguage::Fr]);
    assert_eq!(question.words(), [vec!["factur".to_owned()], vec!["print".to_owned(), "printer".to_owned()]]);
    let known: ChunkFrequencies = [("factur".to_owned(), 800), ("printer".to_owned(), 40)].into();
    assert_eq!(
        question.match_all(&known),
        Some(ChunkQuery::All(vec![vec!["factur".into()], vec!["printer".into()]]))
    );
    assert_eq!(question.match_rarest(&known), Some(ChunkQuery::Any(vec!["printer".into()])));
    let half: ChunkFrequencies = [("factur".to_owned(), 800)].into();
    assert_eq!(question.match_all(&half), None, "a word that stands nowhere");
    assert_eq!(question.match_rarest(&half), Some(ChunkQuery::Any(vec!["factur".into()])), "one at least");
    assert_eq!(question.match_rarest(&ChunkFrequencies::new()), None);
    assert!(
        !SearchTerms::from_question("to be or not to be", &[IndexLanguage::En, IndexLanguage::Fr]).is_empty()
    );
    assert!(SearchTerms::from_question("?!", &[IndexLanguage::En]).is_empty());
}

#[test]
fn ranks_are_fused_keyword_hits_win_ties() {
    let hits = |numbers: &[u64]| -> Vec<ChunkHit> {
        numbers.iter().map(|number| ChunkHit { chunk: chunk(*number), score: 1.0 }).collect()
    };
    let numbers = |hits: Vec<ChunkHit>| -> Vec<u64> { hits.iter().map(|hit| hit.chunk.number).collect() };
    assert_eq!(numbers(fuse(&hits(&[1, 2, 3]), &hits(&[4, 2]))), [2, 1, 4, 3]);
    assert_eq!(numbers(fuse(&hits(&[1, 2]), &[])), [1, 2]);
}

#[test]
fn a_snippet_shows_where_the_words_are() {
    let text =
        format!("{}The printer prints labels.\nThen {}", "Nothing here. ".repeat(30), "more. ".repeat(60));
    let question = SearchTerms::from_question("printer labels", &[IndexLanguage::En]);
    let shown = snippet(&text, IndexLanguage::En, &question.terms(), 80);
    assert!(shown.contains("The printer prints labels. Then"), "{shown}");
    assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
    assert_eq!(snippet("Short.", IndexLanguage::En, &[], 80), "Short.");
}

#[test]
fn records_are_read_by_path_and_filter() {
    let document = json!({
        "staff": [
            {"name": "Ann", "site": {"city": "Lyon"}, "pay": 3000.50, "since": "2021-04-01", "tags": ["lead"]},
            {"name": "Bob", "site": {"city": "Paris"}, "pay": "2900", "since": "2023-01-15", "tags": []},
            {"name": "Cem", "site": {"city": "Lyon"}, "pay": 10000, "since": "2019-09-30"},
        ],
        "teams": {"it": {"head": "Ann"}, "hr": {"head": "Cem"}},
    });
    let ask = |pointer: &str, filters: &[(&str, FieldComparison, JsonValue)]| {
        let filters = filters
            .iter()
            .map(|(field, comparison, value)| FieldFilter {
                field: (*field).to_owned(),
                comparison: *comparison,
                value: value.clone(),
            })
            .collect();
        let fields = vec!["name".to_owned()];
        read_path(
            &document,
            &StructuredQuery {
                pointer: pointer.to_owned(),
                filters,
                fields,
                limit: 10,
                offset: 0,
                columns: false,
            },
        )
    };
    let names = |filters: &[(&str, FieldComparison, JsonValue)]| match ask("/staff", filters).unwrap() {
        StructuredResult::Many { items, .. } => {
            let names = items.iter().map(|item| item.get("name").and_then(JsonValue::as_text).unwrap());
            names.collect::<Vec<_>>().join(" ")
        }
        StructuredResult::One(value) => value.to_json(),
    };
    assert_eq!(names(&[]), "Ann Bob Cem");
    assert_eq!(names(&[("site.city", FieldComparison::Eq, json!("Lyon"))]), "Ann Cem");
    assert_eq!(names(&[("/site/city", FieldComparison::Ne, json!("Lyon"))]), "Bob");
    assert_eq!(names(&[("pay", FieldComparison::Gt, json!(2900))]), "Ann Cem", "a number, not its letters");
    assert_eq!(names(&[("pay", FieldComparison::Le, json!("3000.5"))]), "Ann Bob");
    assert_eq!(names(&[("since", FieldComparison::Lt, json!("2021-04-02"))]), "Ann Cem");
    assert_eq!(names(&[("since", FieldComparison::Ge, json!("2021-04-01"))]), "Ann Bob");
    assert_eq!(names(&[("name", FieldComparison::In, json!(["Bob", "Cem"]))]), "Bob Cem");
    assert_eq!(names(&[("name", FieldComparison::Contains, json!("AN"))]), "Ann");
    assert_eq!(names(&[("tags", FieldComparison::Contains, json!("lead"))]), "Ann");
    assert_eq!(names(&[("tags", FieldComparison::Eq, json!(null))]), "Cem", "what is not there is null");
    let both = [("site.city", FieldComparison::Eq, json!("Lyon")), ("pay", FieldComparison::Lt, json!(5000))];
    assert_eq!(names(&both), "Ann");

    assert_eq!(ask("/teams/it/head", &[]), Ok(StructuredResult::One(json!("Ann"))));
    let heads = ask("/teams", &[("head", FieldComparison::Eq, json!("Cem"))]).unwrap();
    assert_eq!(
        heads,
        StructuredResult::Many {
            total: 2,
            matched: 1,
            items: vec![json!({"key": "hr"})],
            remarks: vec![],
            columns: vec![]
        }
    );
    assert_eq!(
        ask("/teams/it/head", &[("x", FieldComparison::Eq, json!(1))]),
        Err(DocumentPathFault::NoRecords)
    );
    let astray = ask("/teams/legal/head", &[]);
    assert_eq!(
        astray,
        Err(DocumentPathFault::Nothing {
            upto: "/teams".into(),
            found: PathEnd::Names { first: vec!["hr".into(), "it".into()], count: 2 },
        })
    );
    let beyond = Err(DocumentPathFault::Nothing { upto: "/staff".into(), found: PathEnd::Items(3) });
    assert_eq!(ask("/staff/3", &[]), beyond);
    let below_text = Err(DocumentPathFault::Nothing { upto: "/staff/0/name".into(), found: PathEnd::Value });
    assert_eq!(ask("/staff/0/name/first", &[]), below_text);
    let page =
        StructuredQuery { pointer: "/staff".into(), limit: 1, offset: 1, ..StructuredQuery::default() };
    let Ok(StructuredResult::Many { total: 3, matched: 3, items, .. }) = read_path(&document, &page) else {
        panic!()
    };
    assert_eq!(items[0].get("name"), Some(&json!("Bob")));
}

/// Inputs: filters on dates and on numbers with units, as a table has them; expected: they compare what is meant, and
/// report what they cannot compare.
#[test]
fn filter_compares_dates_and_units_of_column() {
    let records = json!([
        {"day": "02.11.2026", "weight": "9 kg", "due": "03/04/2026", "size": "12 kg"},
        {"day": "15.10.2026", "weight": "12,5 kg", "due": "05/06/2026", "size": "300 g"},
        {"day": "soon", "weight": "free", "due": null, "size": "5 g"},
    ]);
    let asked = |name: &str, comparison, value: JsonValue| {
        let filter = FieldFilter { field: name.to_owned(), comparison, value };
        let query = StructuredQuery { filters: vec![filter], limit: 9, ..StructuredQuery::default() };
        match read_path(&records, &query) {
            Ok(StructuredResult::Many { matched, remarks, .. }) => (matched, remarks),
            other => panic!("{other:?}"),
        }
    };
    let odd = |name: &str, count| vec![FilterRemark::Incomparable { field: name.to_owned(), count }];
    let (gt, eq) = (FieldComparison::Gt, FieldComparison::Eq);
    for day in ["2026-10-31", "31.10.2026", "2026-11"] {
        assert_eq!(asked("day", gt, json!(day)), (1, odd("day", 1)), "{day}");
    }
    assert_eq!(asked("day", eq, json!("2026-11-02")), (1, vec![]));
    assert_eq!(asked("weight", gt, json!(10)), (1, odd("weight", 1)));
    assert_eq!(asked("weight", eq, json!("12.5kg")), (1, vec![]));
    assert_eq!(asked("weight", gt, json!("10 g")), (0, odd("weight", 3)));
    assert_eq!(asked("size", gt, json!("100 g")), (1, odd("size", 1)));
    assert_eq!(asked("size", gt, json!(100)), (0, odd("size", 3)));
    let unclear = vec![FilterRemark::AmbiguousDates { field: "due".to_owned(), count: 2 }];
    assert_eq!(asked("due", gt, json!("2026-04-01")), (0, unclear));
}

/// Inputs: a column in euros with decimal commas, and one in dollars; expected: what may be thousands is read by the
/// other values of its column, in records and in filters.
#[test]
fn filter_reads_thousands_by_column() {
    let records = json!([
        {"eur": "12,50 €", "usd": "$12.50", "mixed": "12,50"},
        {"eur": "1.234 €", "usd": "$1,234", "mixed": "1.234"},
        {"eur": "-3,00 €", "usd": "$3", "mixed": "n/a"},
    ]);
    let asked = |name: &str, comparison, value: JsonValue| {
        let filter = FieldFilter { field: name.to_owned(), comparison, value };
        let query = StructuredQuery { filters: vec![filter], limit: 9, ..StructuredQuery::default() };
        match read_path(&records, &query) {
            Ok(StructuredResult::Many { items, .. }) => items.len(),
            other => panic!("{other:?}"),
        }
    };
    let (gt, eq) = (FieldComparison::Gt, FieldComparison::Eq);
    for column in ["eur", "usd", "mixed"] {
        assert_eq!(asked(column, gt, json!(1000)), 1, "{column}");
        assert_eq!(asked(column, eq, json!(1234)), 1, "{column}");
        assert_eq!(asked(column, eq, json!(1.234)), 0, "{column}");
    }
    assert_eq!(asked("eur", eq, json!("1.234 €")), 1);
    assert_eq!(asked("usd", eq, json!("1,234.00")), 1);
}

#[test]
fn filter_reports_incomparable_values() {
    let records = json!([{"price": 10, "day": "2026-01-01"}, {"price": "12,50"}, {"price": "free"}, {"price": null}, {}]);
    let asked = |name: &str, value: JsonValue| {
        let filter = FieldFilter { field: name.to_owned(), comparison: FieldComparison::Gt, value };
        let query = StructuredQuery { filters: vec![filter], limit: 9, ..StructuredQuery::default() };
        match read_path(&records, &query) {
            Ok(StructuredResult::Many { matched, remarks, .. }) => (matched, remarks),
            other => panic!("{other:?}"),
        }
    };
    let incomparable = FilterRemark::Incomparable { field: "price".to_owned(), count: 1 };
    assert_eq!(asked("price", json!(11)), (1, vec![incomparable.clone()]), "the decimal comma is understood");
    assert_eq!(asked("price", json!("9,5")), (2, vec![incomparable]), "a word is not compared with a number");
    let known = vec!["day".to_owned(), "price".to_owned()];
    assert_eq!(asked("cost", json!(1)), (0, vec![FilterRemark::NoField { field: "cost".to_owned(), known }]));
}
