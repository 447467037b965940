//! Real servers of npm and PyPI: each is listed, queried, made to act, killed, and used again. `.ci/world mcp` installs
//! them and names their folders; elsewhere there is nothing to test.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use entracte_application::ports::CommandExecutor as _;
use entracte_domain::call::CallOutcome;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::server_fixture::{McpServerFixture, command_names, entry, format_outcome, installed, request_at};

/// A server with a query and an action of it.
struct RealServer {
    name: &'static str,
    program: PathBuf,
    arguments: Vec<String>,
    query: (&'static str, Value),
    action: (&'static str, Value),
}

/// The folders in which the servers are installed.
struct InstalledServers {
    /// Modules of npm.
    modules: PathBuf,
    /// Environments of Python.
    environments: PathBuf,
    /// The program of the browser.
    browser: String,
}

impl InstalledServers {
    /// `None` where `.ci/world` has installed nothing.
    #[expect(clippy::disallowed_methods, reason = "the script that installs the software says where it is")]
    fn find() -> Option<Self> {
        let named = |name: &str| std::env::vars().find(|(known, _)| known == name).map(|(_, value)| value);
        Some(Self {
            modules: named("ENTRACTE_TEST_MCP_WORLD")?.into(),
            environments: named("ENTRACTE_TEST_MCP_SERVERS")?.into(),
            browser: named("ENTRACTE_TEST_BROWSER")?,
        })
    }

    fn npm(&self, name: &str) -> PathBuf {
        self.modules.join("node_modules/.bin").join(name)
    }

    fn python(&self, environment: &str, name: &str) -> PathBuf {
        self.environments.join(environment).join("bin").join(name)
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// The address of a page, which is served until the tests end.
fn page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 4096]);
            let body = "<html><body><p>Hello from a page.</p></body></html>";
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    format!("http://{address}/")
}

/// The servers of npm.
fn servers_of_npm(known: &InstalledServers, folder: &Path) -> Vec<RealServer> {
    let node = PathBuf::from("node");
    let graph = json!({"entities": [{"name": "Ann", "entityType": "person", "observations": ["likes tea"]}]});
    let thought =
        json!({"thought": "Think.", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1});
    let library = json!({"query": "how to list files", "libraryName": "react"});
    let server =
        |name, program, arguments, query, action| RealServer { name, program, arguments, query, action };
    vec![
        server(
            "filesystem",
            node.clone(),
            vec![installed("server-filesystem"), text(folder)],
            ("list_directory", json!({"path": folder})),
            ("write_file", json!({"path": folder.join("b.txt"), "content": "b"})),
        ),
        server(
            "everything",
            node,
            vec![installed("server-everything"), "stdio".to_owned()],
            ("get-sum", json!({"a": 1, "b": 2})),
            ("echo", json!({"message": "a"})),
        ),
        server(
            "memory",
            known.npm("mcp-server-memory"),
            vec![],
            ("read_graph", json!({})),
            ("create_entities", graph),
        ),
        server(
            "sequential-thinking",
            known.npm("mcp-server-sequential-thinking"),
            vec![],
            ("sequentialthinking", thought.clone()),
            ("sequentialthinking", thought),
        ),
        server(
            "context7",
            known.npm("context7-mcp"),
            vec![],
            ("resolve-library-id", library.clone()),
            ("resolve-library-id", library),
        ),
        server(
            "playwright",
            known.npm("playwright-mcp"),
            ["--headless", "--isolated", "--no-sandbox", "--executable-path", known.browser.as_str()]
                .map(str::to_owned)
                .into(),
            ("browser_snapshot", json!({})),
            ("browser_navigate", json!({"url": page()})),
        ),
    ]
}

/// The servers of PyPI.
fn servers_of_python(known: &InstalledServers, folder: &Path) -> Vec<RealServer> {
    let repository = folder.join("repository");
    Command::new("git").arg("init").arg(&repository).output().unwrap();
    std::fs::write(repository.join("a.txt"), "a").unwrap();
    std::fs::write(folder.join("page.html"), "<p>Hello</p>").unwrap();
    let (book, page) = (folder.join("book.xlsx"), page());
    let convert = json!({"uri": format!("file://{}", text(&folder.join("page.html")))});
    let (at, zones) = (
        json!({"timezone": "UTC"}),
        json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Europe/Paris"}),
    );
    let of = |name| known.python("servers", name);
    let server =
        |name, program, arguments, query, action| RealServer { name, program, arguments, query, action };
    vec![
        server(
            "git",
            of("mcp-server-git"),
            vec!["--repository".to_owned(), text(&repository)],
            ("git_status", json!({"repo_path": repository})),
            ("git_add", json!({"repo_path": repository, "files": ["a.txt"]})),
        ),
        server("time", of("mcp-server-time"), vec![], ("get_current_time", at), ("convert_time", zones)),
        server(
            "fetch",
            of("mcp-server-fetch"),
            vec!["--ignore-robots-txt".to_owned(), "--allow-private-ips".to_owned()],
            ("fetch", json!({"url": page})),
            ("fetch", json!({"url": page, "raw": true})),
        ),
        server(
            "excel",
            of("excel-mcp-server"),
            vec!["stdio".to_owned()],
            ("describe_workbook", json!({"path": book})),
            ("create_workbook", json!({"path": book, "overwrite": true})),
        ),
        server(
            "sqlite",
            known.python("version1", "mcp-server-sqlite"),
            vec!["--db-path".to_owned(), text(&folder.join("data.db"))],
            ("list_tables", json!({})),
            ("create_table", json!({"query": "CREATE TABLE IF NOT EXISTS notes (id INTEGER)"})),
        ),
        server(
            "markitdown",
            known.python("markitdown", "markitdown-mcp"),
            vec![],
            ("convert_to_markdown", convert.clone()),
            ("convert_to_markdown", convert),
        ),
    ]
}

/// The processes that have this mark in their environment.
fn marked_processes(mark: &str) -> Vec<i32> {
    let has_mark = |id: &i32| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(mark)
    };
    let entries = std::fs::read_dir("/proc").unwrap().map_while(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(has_mark).collect()
}

/// Lists a server, lets it act and answer, kills it, and asks it again. Returns the fault.
async fn check(server: &RealServer) -> Result<(), String> {
    let stage = McpServerFixture::new();
    let mark = text(stage.folder.path());
    let config = entry(json!({
        "command": server.program, "args": server.arguments, "start_timeout_seconds": 60,
        "env": {
            "ENTRACTE_WORLD": mark, "HOME": stage.folder.path(), "MEMORY_FILE_PATH": stage.path("memory.json"),
        },
    }));
    let executor = stage.executor(config);
    let failed = executor.connect_all().await;
    if let Some(failed) = failed.first() {
        return Err(failed.to_string());
    }
    let names = command_names(&executor);
    let call = async |second, (tool, arguments): &(&str, Value)| {
        let command = format!("s.{tool}");
        if !names.contains(&command) {
            return Err(format!("no {tool} in {names:?}"));
        }
        match executor.run(request_at(second, &command, arguments.clone())).await {
            CallOutcome::Succeeded { .. } => Ok(()),
            other => Err(format!("{tool}: {}", format_outcome(&other))),
        }
    };
    call(0, &server.action).await?;
    call(0, &server.query).await?;
    let processes = marked_processes(&mark);
    if processes.is_empty() {
        return Err("no process".to_owned());
    }
    for process in processes {
        // A child may have ended with its parent.
        let _ = kill(Pid::from_raw(process), Signal::SIGKILL);
    }
    // The end is noticed at the first call at the latest.
    let _ = call(100, &server.action).await;
    call(200, &server.action).await?;
    call(200, &server.query).await?;
    executor.close().await;
    Ok(())
}

#[tokio::test]
async fn real_servers_are_listed_called_and_restarted() {
    let Some(known) = InstalledServers::find() else { return };
    let stage = McpServerFixture::new();
    let folder = std::fs::canonicalize(stage.folder.path()).unwrap();
    let mut servers = servers_of_npm(&known, &folder);
    servers.extend(servers_of_python(&known, &folder));
    assert_eq!(servers.len(), 12);
    let mut faults = Vec::new();
    for server in &servers {
        if let Err(fault) = check(server).await {
            faults.push(format!("{}: {fault}", server.name));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
