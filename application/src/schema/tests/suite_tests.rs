//! The official test suite of JSON Schema. `.ci/world schemas` installs it; without it the test says so and passes.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::{Schema, SchemaRemark};
use crate::json_value::from_serde;
use crate::settings::SchemaBounds;

/// The results of the test cases of one or more files.
#[derive(Debug, Default, PartialEq, Eq)]
struct SuiteResults {
    cases: usize,
    /// How many cases have a schema that is not accepted, or a value that is not checked.
    refused: usize,
    /// How many cases have a dialect of their own, which is read as another and said.
    other_dialects: usize,
    /// The cases with another answer than the suite's.
    wrong: Vec<String>,
}

impl SuiteResults {
    /// Runs the cases of a file, read in the dialect that its folder is for.
    fn run_file(&mut self, file: &Path, dialect: &str) {
        let text = std::fs::read_to_string(file).expect("the suite has the file");
        let groups: Vec<Json> = serde_json::from_str(&text).expect("it is JSON");
        for group in groups {
            let mut schema = group["schema"].clone();
            if let Some(members) = schema.as_object_mut() {
                members.entry("$schema").or_insert_with(|| json!(dialect));
            }
            let schema = Schema::of_tool(&schema, &SchemaBounds::default());
            let cases = group["tests"].as_array().expect("cases");
            self.cases += cases.len();
            let is_other = |remark: &SchemaRemark| matches!(remark, SchemaRemark::UnknownDialect(_));
            if schema.as_ref().is_ok_and(|schema| schema.remarks().iter().any(is_other)) {
                self.other_dialects += cases.len();
                continue;
            }
            for case in cases {
                let value = from_serde(&case["data"]);
                match schema.as_ref().map(|schema| schema.faults(&value, 1)) {
                    Ok(Ok(faults)) if json!(faults.is_empty()) == case["valid"] => {}
                    Ok(Ok(_)) => self.wrong.push(format!(
                        "{}: {}: {}",
                        file.display(),
                        group["description"],
                        case["description"]
                    )),
                    Ok(Err(_)) | Err(_) => self.refused += 1,
                }
            }
        }
    }
}

/// The folder of the suite's tests.
fn suite() -> Option<PathBuf> {
    std::env::var_os("ENTRACTE_TEST_SCHEMA_SUITE").map(PathBuf::from)
}

/// The files of required cases of a draft, by name.
fn required_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the suite has the draft");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

/// Input: the required cases of three drafts; expected: no answer is wrong beside `format`, which the suite takes for a
/// remark and this program checks; few schemas are refused.
#[test]
fn official_suite_is_answered() {
    let Some(suite) = suite() else {
        eprintln!("official_suite_is_answered is skipped: .ci/world schemas installs the suite");
        return;
    };
    let drafts = [
        ("draft2020-12", "https://json-schema.org/draft/2020-12/schema", 60),
        ("draft2019-09", "https://json-schema.org/draft/2019-09/schema", 60),
        ("draft7", "http://json-schema.org/draft-07/schema#", 30),
    ];
    for (folder, dialect, refused_max) in drafts {
        let mut results = SuiteResults::default();
        for file in required_files(&suite.join(folder)) {
            if file.file_name().is_some_and(|name| name != "format.json") {
                results.run_file(&file, dialect);
            }
        }
        let SuiteResults { cases, refused, other_dialects, wrong } = &results;
        println!(
            "{folder}: {cases} cases, {refused} refused, {other_dialects} of other dialects, {} wrong",
            wrong.len()
        );
        assert!(*other_dialects <= 5, "{folder}: {other_dialects} cases have dialects of their own");
        assert!(*cases > 500, "{folder} has its cases");
        assert!(wrong.is_empty(), "{folder}: {wrong:#?}");
        assert!(*refused <= refused_max, "{folder}: {refused} cases are refused");
    }
    for name in ["idn-hostname", "idn-email"] {
        let mut results = SuiteResults::default();
        let (folder, dialect, _) = drafts[0];
        results.run_file(&suite.join(folder).join(format!("optional/format/{name}.json")), dialect);
        println!("{name}: {} cases, {} wrong", results.cases, results.wrong.len());
        assert!(results.cases > 0 && results.refused == 0, "{name}: {results:?}");
        assert!(results.wrong.is_empty(), "{name}: {:#?}", results.wrong);
    }
}
