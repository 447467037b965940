//! The benchmark runs and produces every row; its figures are not checked here.

use std::process::Command;

#[test]
fn every_row_of_the_benchmark_comes() {
    // The `streams` row starts the real program: the stream test of the command line covers it.
    let rows = "reference,rounds,growth,resume,idle,tick,prefix";
    let quick = ["--quick", "--store", "sqlite", "--rows", rows];
    let output = Command::new(env!("CARGO_BIN_EXE_bench")).args(quick).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");

    let lines = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {}", row["row"].as_str().unwrap(), row["case"].as_str().unwrap()))
        .collect();
    let expected = [
        "model alone",
        "raw commits",
        "reference 1x10",
        "rounds 1x10",
        "reference 5x4",
        "rounds 5x4",
        "growth 1x100",
        "resume 20 messages",
        "resume 40 messages",
        "idle empty",
        "idle 20 waiting",
        "idle 50 waiting",
        "tick 100 due",
        "tick 100 missed",
        "prefix 3 turns of 5",
    ];
    assert_eq!(names, expected, "{told}");

    // Figures that do not depend on the machine's speed must be right here too.
    let goal = |row: &str, what: &str| {
        let row = rows.iter().find(|found| found["row"] == row).unwrap();
        let goals = row["goals"].as_array().unwrap();
        goals.iter().find(|goal| goal["what"] == what).unwrap()["met"].as_bool().unwrap()
    };
    assert!(goal("rounds", "commits_per_round"), "{told}");
    assert!(goal("resume", "model_calls_made_again"), "{told}");
    assert!(goal("tick", "out_of_order"), "{told}");
    assert!(goal("prefix", "percent_of_the_prompt_before"), "{told}");
}
