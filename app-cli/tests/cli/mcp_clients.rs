//! `entracte mcp` as real clients read it: the official ones, and an agent.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::cli_fixture::CliFixture;

/// A script among the peers of the tests.
fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests").join(name)
}

/// Runs a client, with the command of `entracte mcp` as its last arguments; returns the JSON that it prints.
fn run_client(stage: &CliFixture, program: &Path, arguments: &[&Path]) -> Value {
    // Not every client starts its server in the folder of the test.
    let (config, data) = (stage.folder.path().join("entracte.toml"), stage.folder.path().join("data"));
    let mut server = stage.command(&["--config", config.to_str().unwrap(), "mcp"]);
    server.env("ENTRACTE_DATA", data);
    let mut client = Command::new(program);
    client.args(arguments).arg(server.get_program()).args(server.get_args());
    // The agent looks for the programs of its own.
    client.env_clear().env("PATH", option_env!("PATH").unwrap_or("/usr/local/bin:/usr/bin:/bin"));
    client.envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = client.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(out.trim()).unwrap_or_else(|fault| panic!("{fault}\n{out}\n{err}"))
}

/// The value of a variable that `.ci/world` sets where it has installed the software.
#[expect(clippy::disallowed_methods, reason = "the script that installs the software says where it is")]
pub(crate) fn from_world(name: &str) -> Option<String> {
    std::env::vars().find(|(known, _)| known == name).map(|(_, value)| value)
}

#[test]
#[cfg(unix)]
fn tool_results_match_output_schema() {
    let mut clients = vec![(crate::files::node(), script("mcp/official_client.mjs"))];
    if let Some(modules) = from_world("ENTRACTE_TEST_MCP_WORLD") {
        clients.push((crate::files::node(), Path::new(&modules).join("official_client.mjs")));
    }
    let pythons = from_world("ENTRACTE_TEST_MCP_PYTHONS").unwrap_or_default();
    for python in std::env::split_paths(&pythons).filter(|path| !path.as_os_str().is_empty()) {
        clients.push((python, script("mcp/official_client.py")));
    }
    for (program, client) in clients {
        let stage = CliFixture::with_script("");
        let said = run_client(&stage, &program, &[&client]);
        assert_eq!(said["schemas"], said["tools"], "every tool declares its results: {said}");
        let results = said["results"].as_array().unwrap();
        let status = |index: usize| results[index]["structuredContent"]["status"].as_str().unwrap();
        let expected = ["succeeded", "succeeded", "invalid_arguments", "waiting_for_approval"];
        assert_eq!([0, 1, 2, 3].map(status), expected, "{}", client.display());
        assert_eq!(results[1]["structuredContent"]["result"]["zones"][0]["name"], "Health");
        assert!(results[2]["structuredContent"]["message"].as_str().unwrap().contains("name"), "{said}");
        assert!(results[3]["structuredContent"]["next"].as_str().unwrap().contains("entracte approve"));
        for result in results {
            let text: Value = serde_json::from_str(result["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, result["structuredContent"]);
        }
    }
}

/// The agent hands its model only one part of a result. It is large, so `.ci/world mcp` installs it.
#[test]
#[cfg(unix)]
fn structured_content_carries_the_result() {
    let Some(agent) = from_world("ENTRACTE_TEST_CODEX") else { return };
    let stage = CliFixture::with_script("");
    stage.run(&["zone", "add", "Health"]).expect(0);
    let home = stage.folder.path().join("agent");
    let said =
        run_client(&stage, &crate::files::node(), &[&script("mcp/codex.mjs"), Path::new(&agent), &home]);
    let output = said["output"].as_str().unwrap();
    assert!(output.contains(r#""name":"Health""#) && output.contains(r#""status":"succeeded""#), "{output}");
}
