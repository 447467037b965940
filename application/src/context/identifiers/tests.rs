use proptest::prelude::*;

use super::*;

fn check(text: &str, expected: &[&str]) {
    assert_eq!(identifiers(text), expected, "{text}");
}

#[test]
fn identifiers_of_all_kinds_are_found() {
    check("Look at ses_k7 and at aut_abcdefgh.", &["ses_k7", "aut_abcdefgh"]);
    check("id 3f2504e0-4f89-11d3-9a0c-0305e82c3301!", &["3f2504e0-4f89-11d3-9a0c-0305e82c3301"]);
    check("commit da9c151f, as agreed", &["da9c151f"]);
    check("See https://example.org/a?b=c,d&e=(1). Then go.", &["https://example.org/a?b=c,d&e=(1)"]);
    check("(https://example.org/x)", &["https://example.org/x"]);
    check("Write to marie.dupont@example.org, please", &["marie.dupont@example.org"]);
    check("in /srv/data or ~/notes.md or src/main.rs", &["/srv/data", "~/notes.md", "src/main.rs"]);
    check(r"C:\Users\ann\a.txt", &[r"C:\Users\ann\a.txt"]);
    check("Invoice INV-2026/0042 of the 12345 others", &["INV-2026/0042", "12345"]);
    check("on 2026-11-23 at 2026-11-23T06:19:28+01:00", &["2026-11-23", "2026-11-23T06:19:28+01:00"]);
    check("call +33612345678", &["+33612345678"]);
    check("_INV-42_ and **INV-43**, `INV-44`: #INV-45", &["INV-42", "INV-43", "INV-44", "INV-45"]);
}

#[test]
fn plain_words_are_no_identifiers() {
    check("We agreed on either/or, 24/7, at 10:30, with 1,000 people: yes/no? It's 4 o'clock (well…).", &[]);
    check("Déjà vu – l’été, “naïve” — 日本語", &[]);
    check("", &[]);
    check(":: == -- // ...", &[]);
}

#[test]
fn iban_is_found_with_and_without_spaces() {
    check("IBAN DE89 3704 0044 0532 0130 00 PAID", &["DE89 3704 0044 0532 0130 00"]);
    check("to FR1420041010050500013M02606.", &["FR1420041010050500013M02606"]);
    check("FR14 2004 1010 0505 0001 3M02 606, due", &["FR14 2004 1010 0505 0001 3M02 606"]);
    check("DE89 3704 0044 0532 0130 01 PAID", &["DE89 3704 0044 0532 0130 01"]);
}

#[test]
fn an_amount_has_its_currency() {
    check("It costs 1 234,50 € today", &["1 234,50 €"]);
    check("EUR 1,234.50, not $12; -£3.20", &["EUR 1,234.50", "$12", "-£3.20"]);
    check("CHF 1'234.50 and 12\u{202f}000\u{a0}€", &["CHF 1'234.50", "12\u{202f}000\u{a0}€"]);
    check("3 EUROS, 12 k€", &["12 k€"]);
}

#[test]
fn value_of_identifier_key_is_an_identifier() {
    check("ref: AB, account=main; sku:X-Y", &["AB", "main", "X-Y"]);
    check(
        r#"{"id":"abc","order_id":7,"name":"Bob","orderId":"q r","note":"see INV-42\nand 1 € only"}"#,
        &["abc", "7", "q r", "INV-42", "1 €"],
    );
    check(r#"[{"number":["a","b"]},{"total":1250.5,"count":3}]"#, &["a", "b", "1250.5"]);
    check(r#"{"zon_1a":{"x":null}} "#, &["zon_1a"]);
    check(r#"cut off {"id": "abc", "iban""#, &["abc"]);
}

#[test]
fn identifiers_are_distinct_and_in_order() {
    check("b222 a111 b222", &["b222", "a111"]);
}

#[test]
fn word_beyond_maximum_is_no_identifier() {
    check(&format!("a1{} c333", "b".repeat(LONGEST)), &["c333"]);
}

#[test]
fn source_contains_only_whole_identifiers() {
    let source = IdentifierSource::of([
        "Pay DE89 3704 0044 0532 0130 00 for INV-42-B.",
        r#"{"total":1250.5,"currency":"EUR","text":"Line\nREF77"}"#,
        r#"[1] x: {"text":"Line\nREF88"} abc12345 9"#,
    ]);
    for there in ["DE89 3704 0044 0532 0130 00", "INV-42-B", "1250.5 EUR", "REF77", "REF88", "abc12345"] {
        assert!(source.contains_identifier(there), "{there}");
    }
    for other in ["DE89 3704 0044 0532 0130 01", "INV-42", "250.5 EUR", "bc12345", "REF7", "9999"] {
        assert!(!source.contains_identifier(other), "{other}");
    }
}

proptest! {
    #[test]
    fn any_text_can_be_read_and_what_is_found_stands_in_it(text in "(\\PC|[ \\n:=\"'/@.0-9A-Z€-]){0,60}") {
        let mut found = IdentifierCollector::default();
        scan(&text, &mut found);
        for one in found.list {
            prop_assert!(text.contains(&one), "{one}");
        }
    }

    #[test]
    fn an_identifier_is_found_wherever_it_stands(
        before in "[a-zé ,.(\"]{0,12}", id in "[A-Z]{2,5}-[0-9]{2,6}", after in "[.]? [a-zé ]{0,8}|[,)\"!?][a-zé ]{0,8}",
    ) {
        let text = format!("{before} {id}{after}");
        prop_assert_eq!(identifiers(&text), vec![id], "{}", text);
    }

    #[test]
    fn an_identifier_survives_its_json(id in "[A-Z]{2,5}-[0-9]{2,6}", beside in "\\PC{0,20}") {
        let text = serde_json::json!({ "text": format!("{beside} {id}\n"), "x": [true] }).to_string();
        prop_assert!(identifiers(&text).contains(&id), "{}", text);
    }
}
