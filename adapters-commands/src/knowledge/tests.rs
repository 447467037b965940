use std::fs;

use entracte_application::json_value::to_text;
use entracte_application::ports::{
    DocumentContent, DocumentConversionError, DocumentConverter, DocumentFormat,
};
use entracte_application::schema::Schema;
use entracte_application::settings::{KnowledgeSettings, SchemaBounds};
use entracte_domain::id::WorkspaceKey;

use super::DocumentReader;
use super::folder::{FileSkipReason, FolderLimits, read, read_plain, scan_folder};

/// The JSON text of data.
fn structured(content: DocumentContent) -> String {
    match content {
        DocumentContent::Structured(value) => to_text(&value),
        other => panic!("it is data: {other:?}"),
    }
}

async fn of(format: DocumentFormat, bytes: &[u8]) -> Result<DocumentContent, DocumentConversionError> {
    let reader = DocumentReader::new(&KnowledgeSettings::default());
    reader.convert(&WorkspaceKey::new("ann:home"), format, bytes.to_vec()).await
}

#[tokio::test]
async fn table_becomes_records_with_any_separator() {
    // A number keeps its digits.
    let expected = concat!(
        r#"[{"code":"007","column 4":null,"name":"Ann","pay":3000.50},"#,
        r#"{"code":"+33 1","column 4":"x","column 5":"more","name":"Bob; jr","pay":-1}]"#
    );
    for mark in [",", ";", "\t", "|"] {
        let rows = ["name,pay,code,", "Ann,3000.50,007,", "'Bob; jr',-1,+33 1,x,more"];
        let text = rows.join("\r\n").replace(',', mark).replace('\'', "\"");
        let read = of(DocumentFormat::Csv, text.as_bytes()).await.expect("it is read");
        assert_eq!(structured(read), expected, "{mark:?}");
    }
}

/// Inputs: exports of banks and spreadsheets, with a preamble, blank lines, quoted separators and decimal commas.
#[tokio::test]
async fn bank_csv_exports_are_parsed() {
    let german = "\u{feff}\"Konto\";\"DE00 1234\"\r\n\"Zeitraum\";\"01.11.2026 - 30.11.2026\"\r\n\r\n\
        \"Buchungstag\";\"Text\";\"Betrag\";\"Saldo\"\r\n\"02.11.2026\";\"Miete; Lyon, November\";\"-1.234,50\";\"10\"\r\n\
        \"03.11.2026\";\"Zug\";\"12,5\";\"22,50\"\r\n;;;\r\n";
    let french =
        "sep=;\nDate;Libell\u{e9};Montant\n2026-11-02;Caf\u{e9}, gare;3,20\n2026-11-03;Loyer;1 000,00\n";
    let english = "Statement of account\nDate,Payee,Amount\n2026-11-02,\"Rent, Lyon\",\"1,234\"\n2026-11-03,Train,12.50\n";
    let expected = [
        (
            german,
            concat!(
                r#"[{"Betrag":-1234.50,"Buchungstag":"02.11.2026","Saldo":10,"Text":"Miete; Lyon, November"},"#,
                r#"{"Betrag":12.5,"Buchungstag":"03.11.2026","Saldo":22.50,"Text":"Zug"}]"#
            ),
        ),
        (
            french,
            concat!(
                "[{\"Date\":\"2026-11-02\",\"Libell\u{e9}\":\"Caf\u{e9}, gare\",\"Montant\":3.20},",
                "{\"Date\":\"2026-11-03\",\"Libell\u{e9}\":\"Loyer\",\"Montant\":1000.00}]"
            ),
        ),
        (
            english,
            concat!(
                r#"[{"Amount":1234,"Date":"2026-11-02","Payee":"Rent, Lyon"},"#,
                r#"{"Amount":12.50,"Date":"2026-11-03","Payee":"Train"}]"#
            ),
        ),
    ];
    for (text, rows) in expected {
        let read = of(DocumentFormat::Csv, text.as_bytes()).await.expect("it is read");
        assert_eq!(structured(read), rows, "{text}");
    }
}

#[tokio::test]
async fn json_or_json_lines_are_read() {
    let read = of(DocumentFormat::Json, br#"{"a": 72.50}"#).await.expect("it is read");
    assert_eq!(structured(read), r#"{"a":72.50}"#, "numbers keep their text");
    let read =
        of(DocumentFormat::Json, br#"{"z": 1E5, "a": 12345678901234567890.12}"#).await.expect("it is read");
    assert_eq!(
        structured(read),
        r#"{"a":12345678901234567890.12,"z":1e+5}"#,
        "exponents as libraries print them"
    );
    let lines = of(DocumentFormat::Json, b"{\"a\":1}\n\n{\"a\":2}\n").await.expect("it is read");
    assert_eq!(structured(lines), r#"[{"a":1},{"a":2}]"#);
    let wrong = of(DocumentFormat::Json, b"{\"a\":").await.expect_err("it is cut");
    assert!(
        matches!(wrong, DocumentConversionError::Unreadable { format: DocumentFormat::Json, .. }),
        "{wrong}"
    );
    let deep = "[".repeat(100_000);
    assert!(of(DocumentFormat::Json, deep.as_bytes()).await.is_err());
}

#[tokio::test]
async fn web_page_becomes_markdown_with_headings_and_tables() {
    let page = b"<html><head><title>Travel &amp; costs</title><style>p{}</style></head><body>
        <script>alert(1)</script><nav>Home</nav><h2>Trains</h2><p>Second <b>class</b>.</p>
        <table><tr><th>City</th><th>Price</th></tr><tr><td>Lyon</td><td>90</td></tr></table></body></html>";
    let DocumentContent::Extracted { text, .. } = of(DocumentFormat::Html, page).await.expect("it is read")
    else {
        panic!("it is Markdown")
    };
    assert!(text.starts_with("# Travel & costs\n"), "{text}");
    assert!(text.contains("## Trains") && text.contains("Second **class**."), "{text}");
    assert!(text.contains("| Lyon") && !text.contains("alert") && !text.contains("Home"), "{text}");
}

/// Input: many elements without an end tag, or that end immediately; expected: they are read, because they do not
/// nest deeply.
#[tokio::test]
async fn page_without_end_tags_is_not_too_deep() {
    let page = format!(
        "<h1>List</h1><!-- {} --><script>'{}'</script><ul>{}</ul>{}",
        "<div>".repeat(6_000),
        "<div>".repeat(6_000),
        "<li>one<br>".repeat(6_000),
        "<div><a name=x>here</div>".repeat(200),
    );
    let DocumentContent::Extracted { text, .. } =
        of(DocumentFormat::Html, page.as_bytes()).await.expect("it is read")
    else {
        panic!("it is Markdown")
    };
    assert_eq!(text.matches("one").count(), 6_000);
    assert_eq!(text.matches("here").count(), 200);
}

/// Inputs that would overflow a stack, or are not text; expected: an error that says so.
#[tokio::test]
async fn hostile_files_are_refused_and_hinder_nobody() {
    let deep = "<div>".repeat(200_000);
    let refused = of(DocumentFormat::Html, deep.as_bytes()).await.expect_err("it is too deep");
    assert!(refused.to_string().contains("deep"), "{refused}");
    let binary = of(DocumentFormat::Markdown, b"\x7fELF\0\0\0").await;
    assert_eq!(binary, Err(DocumentConversionError::NotText));
    for bytes in [&b"%PDF-1.7\ngarbage"[..], b"", b"%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 1 0 R>> endobj"] {
        assert!(of(DocumentFormat::Pdf, bytes).await.is_err());
    }
}

#[cfg(unix)]
#[test]
fn nothing_leads_out_of_a_folder() {
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("secret.md"), "secret").expect("it is written");
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir_all(root.join("a/b/c")).expect("they are made");
    for (name, text) in
        [("guide.md", "g"), ("a/x.TXT", "x"), ("a/b/c/deep.md", "d"), (".env.md", "k"), ("z.exe", "")]
    {
        fs::write(root.join(name), text).expect("it is written");
    }
    std::os::unix::fs::symlink(outside.path(), root.join("out")).expect("a link");
    std::os::unix::fs::symlink(outside.path().join("secret.md"), root.join("link.md")).expect("a link");
    std::os::unix::fs::symlink(root, root.join("round")).expect("a link");
    let made = std::process::Command::new("mkfifo").arg(root.join("pipe.md")).status().expect("it runs");
    assert!(made.success());
    let limits = FolderLimits { depth: 2, files: 10, bytes: 100 };
    let found = scan_folder(root, limits).expect("it is looked at");
    let names: Vec<&str> = found.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a/x.TXT", "guide.md"]);
    let left: Vec<(String, FileSkipReason)> = found
        .left_out
        .iter()
        .map(|(path, why)| (path.strip_prefix(root).expect("inside").display().to_string(), *why))
        .collect();
    let expected = [
        (".env.md", FileSkipReason::Hidden),
        ("a/b/c", FileSkipReason::Depth),
        ("link.md", FileSkipReason::Link),
        ("out", FileSkipReason::Link),
        ("pipe.md", FileSkipReason::Special),
        ("round", FileSkipReason::Link),
        ("z.exe", FileSkipReason::Format),
    ];
    assert_eq!(left, expected.map(|(path, why)| (path.to_owned(), why)));

    // A file that became a link after the scan is not read.
    assert!(read(root, &root.join("link.md"), 100).is_err());
    assert!(read(root, &root.join("out/secret.md"), 100).is_err());
    assert!(read_plain(&root.join("pipe.md"), 100).is_err());
    assert_eq!(read(root, &root.join("guide.md"), 100).expect("it is read"), b"g");
    let few = scan_folder(root, FolderLimits { files: 1, ..limits }).expect("it is looked at");
    assert!(few.left_out.iter().any(|(_, why)| *why == FileSkipReason::Number));
}

#[test]
fn schemas_of_commands_are_valid() {
    for spec in super::specs::all() {
        let schema = Schema::new(&spec.schema, &SchemaBounds::default());
        assert!(schema.is_ok(), "{}: {schema:?}", spec.name);
    }
}
