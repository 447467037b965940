use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use entracte_adapters_providers::rehearsal::RehearsalProvider;
use entracte_application::system::SystemClock;
use entracte_domain::session::Dialect;

use super::file::read;
use super::layers::{merge, of_flags, of_variables};
use super::settings::AppSettings;
use super::show::effective_settings;
use super::{ConfigFlags, load};
use crate::environment::ProcessEnvironment;
use crate::program_parts::{HostProvider, ProgramParts};

fn environment(variables: &[(&str, &str)]) -> ProcessEnvironment {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    ProcessEnvironment {
        variables: variables.collect(),
        data_dir: "/data".into(),
        ..ProcessEnvironment::default()
    }
}

fn fault(text: &str) -> String {
    read("entracte.toml", text, Path::new("")).unwrap_err().to_string()
}

#[test]
fn every_layer_gives_way_to_the_one_above_it_and_says_where_it_stood() {
    let user = "workspace = \"ann:user\"\nauthor = \"user\"\n[limits]\nrounds = 3\nequal_failures = 9\n";
    let local = "author = \"local\"\n[limits.chat]\nrounds = 4\n[database]\nurl = \"e.db\"\n";
    let variables = environment(&[("ENTRACTE_AUTHOR", "variable"), ("ENTRACTE_LIMITS_CHAT_WAIT", "1m")]);
    let merged = merge([
        of_flags(&[("workspace", Some("ann:flag".into())), ("data", None)]),
        of_variables(&variables.variables).unwrap(),
        read("./entracte.toml", local, Path::new("/nowhere/ann")).unwrap(),
        read("user.toml", user, Path::new("")).unwrap(),
    ]);
    let settings = AppSettings::from_layers(merged, &variables).unwrap();
    let wanted =
        ["workspace", "author", "database.url", "rounds", "equal_failures", "chat_wait", "max_chars"];
    let lines: Vec<String> = effective_settings(&settings)
        .into_iter()
        .filter(|line| wanted.iter().any(|end| line.key.ends_with(end)))
        .map(|line| format!("{} = {} ({})", line.key, line.value, line.origin))
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_wrong_file_is_told_with_line_caret_and_names() {
    let wrong = [
        "workspace = \n",
        "[limits]\nruonds = 5\n",
        "[limits]\nrounds = \"five\"\n",
        "[limits.chat]\nchat_wait = 30\n",
        "[limits]\nnetwork = \"never\"\n",
        "limits = 3\n",
        "[limit]\nrounds = 1\n",
        "[providers.a]\nkind = \"claud\"\n",
        "[providers.a]\nkind = \"claude\"\nmodle = \"x\"\n",
        "[providers.a]\nkind = \"claude\"\n",
        "author = \"a\"\nauthor = \"b\"\n",
    ];
    let all: Vec<String> = wrong.iter().map(|text| fault(text)).collect();
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn invalid_variable_is_named() {
    let variables: BTreeMap<String, String> = [("ENTRACTE_LIMITS_ROUNDS".into(), "many".into())].into();
    let says = of_variables(&variables).unwrap_err().to_string();
    assert_eq!(says, "ENTRACTE_LIMITS_ROUNDS=many: it must be a whole number from 0 to 4294967295");
}

#[test]
fn default_dialect_follows_kind_and_paths_follow_file() {
    let text = "[providers.z]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
                [providers.y]\nkind = \"rehearsal\"\nscript = \"story.toml\"\ndialect = \"tools\"\n\
                [providers.a]\nkind = \"claude\"\nmodel = \"m\"\n\
                [providers.b]\nkind = \"claude\"\nmodel = \"m\"\ndialect = \"envelope\"\n";
    let layer = read("x.toml", text, Path::new("/nowhere/ann")).unwrap();
    let names: Vec<_> = layer.providers.iter().map(|entry| (entry.name.as_str(), entry.dialect)).collect();
    use Dialect::{Envelope, Tools};
    use entracte_domain::session::Dialect;
    let expected = [("z", Envelope), ("y", Tools), ("a", Tools), ("b", Envelope)];
    assert_eq!(names, expected, "in the order of the file");
    assert!(super::layers::built_in_providers().iter().all(|entry| entry.dialect == Tools));
    assert_eq!(layer.providers[0].config.script.as_deref(), Some("/nowhere/ann/story.toml"));
    let settings = AppSettings::from_layers(layer, &environment(&[])).unwrap();
    assert_eq!(settings.default_provider.as_deref(), Some("z"));
}

#[test]
fn programs_are_resolved_in_file_folder() {
    let text = "[providers.a]\nkind = \"groq\"\nmodel = \"m\"\napi_key_command = [\"bin/key\", \"./a\"]\n\
                [providers.b]\nkind = \"groq\"\nmodel = \"m\"\napi_key_command = [\"pass\", \"show\"]\n\
                api_key_command_cwd = \"keys\"\n\
                [mcp.a]\ncommand = \"npx\"\n\
                [mcp.b]\ncommand = \"npx\"\ncwd = \"deeper\"\n\
                [mcp.c]\ncommand = \"npx\"\ncwd = \"/srv\"\n\
                [mcp.d]\nurl = \"https://mcp.example/\"\n";
    let layer = read("x.toml", text, Path::new("/nowhere/ann")).unwrap();
    let folders: Vec<_> = layer.tools.mcp.iter().map(|(_, server)| server.cwd.as_deref()).collect();
    assert_eq!(folders, [None, Some("/nowhere/ann/deeper"), Some("/srv"), None]);
    let beside: Vec<_> = layer.tools.mcp.iter().map(|(_, server)| server.file_folder.as_deref()).collect();
    assert_eq!(beside, [Some("/nowhere/ann"), Some("/nowhere/ann"), Some("/nowhere/ann"), None]);
    let commands = layer.providers.iter().filter_map(|entry| entry.config.api_key_command.clone());
    let keys: Vec<_> = commands.collect();
    assert_eq!(keys, [["/nowhere/ann/bin/key", "./a"], ["pass", "show"]], "a name is looked for in PATH");
    let folders: Vec<_> =
        layer.providers.iter().map(|entry| entry.config.api_key_command_cwd.as_deref()).collect();
    assert_eq!(folders, [Some("/nowhere/ann"), Some("/nowhere/ann/keys")], "its arguments count from there");

    let here = std::fs::canonicalize(".").unwrap().display().to_string();
    let layer = read("entracte.toml", text, Path::new("")).unwrap();
    assert_eq!(layer.tools.mcp[0].1.file_folder, Some(here), "a folder's own file is beside its programs");
}

/// Input: a file with paths in every possible place; expected: each is resolved in the folder of that file, and texts
/// that are not paths are unchanged.
#[test]
fn every_path_is_resolved_in_file_folder() {
    let secret = "{ secret_file = \"token\" }";
    let arguments = "{ type = \"object\", properties = {}, additionalProperties = false }";
    let text = format!(
        "data = \"data\"\n[backup]\nfolder = \"../backups\"\n\
         [providers.a]\nkind = \"groq\"\nmodel = \"m\"\napi_key_file = \"token\"\n\
         [providers.b]\nkind = \"rehearsal\"\nscript = \"token\"\n\
         [mcp.a]\ncommand = \"npx\"\nenv = {{ TOKEN = {secret}, PLAIN = \"token\" }}\n\
         [mcp.b]\nurl = \"https://mcp.example/\"\nheaders = {{ X-Token = {secret} }}\n\
         [mcp.c]\nurl = \"https://mcp.example/\"\noauth = {{ client_id = \"c\", client_secret = {secret} }}\n\
         [[tools.http.tool]]\nname = \"notes.read\"\nmethod = \"GET\"\nurl = \"https://notes.example/\"\n\
         headers = {{ Authorization = {secret} }}\ndoc = \"Reads.\"\narguments = {arguments}\n\
         [[tools.tasks.task]]\nname = \"books.close\"\nurl = \"https://books.example/tasks\"\n\
         secrets = [{secret}]\ndoc = \"Closes.\"\narguments = {arguments}\n"
    );
    let layer = read("x.toml", &text, Path::new("/nowhere/ann")).unwrap();
    assert_eq!(layer.text("data"), Some("/nowhere/ann/data"));
    assert_eq!(layer.text("backup.folder"), Some("/nowhere/ann/../backups"));
    let whole = "/nowhere/ann/token";
    let [key, script] = layer.providers.as_slice() else { panic!("{:?}", layer.providers) };
    assert_eq!(
        (key.config.api_key_file.as_deref(), script.config.script.as_deref()),
        (Some(whole), Some(whole))
    );
    let written = serde_json::to_string(&(
        &layer.tools.mcp.iter().map(|(_, server)| server).collect::<Vec<_>>(),
        &layer.tools.http,
        &layer.tools.tasks,
    ));
    let written = written.unwrap();
    assert_eq!(written.matches(&format!("\"secret_file\":\"{whole}\"")).count(), 5, "{written}");
    assert!(written.contains("\"PLAIN\":\"token\""), "{written}");
}

/// Input: a wrong value in an entry of each kind; expected: the fault shows its line with a caret, and a missing key
/// shows the line of its entry.
#[test]
fn invalid_entry_value_is_reported_with_its_line() {
    let arguments = "arguments = { type = \"object\", properties = {}, additionalProperties = false }";
    let tool =
        "name = \"notes.read\"\nmethod = \"GET\"\nurl = \"https://notes.example/\"\ndoc = \"Reads.\"\n";
    let tool = format!("[[tools.http.tool]]\n{tool}{arguments}\n");
    let lines = [
        ("[providers.a]\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"not a url\"\n".to_owned(), 4),
        (
            "[providers.a]\nkind = \"openai\"\nmodel = \"m\"\n[providers.a.fallback]\ndown = [\"a\"]\n"
                .to_owned(),
            5,
        ),
        ("[providers.a]\nkind = \"openai\"\n".to_owned(), 1),
        ("[mcp.a]\nargs = [\"x\"]\nurl = \"nope\"\n".to_owned(), 3),
        ("[mcp.a]\ncommand = \"x\"\n[mcp.a.tools.t]\nkind = \"query\"\neffect = \"once\"\n".to_owned(), 5),
        (
            format!(
                "{tool}{}",
                tool.replace("\"https://notes.example/\"", "\"nope\"").replace(".read", ".find")
            ),
            10,
        ),
        (
            format!(
                "[[tools.tasks.task]]\nname = \"books.close\"\ndoc = \"Closes.\"\nurl = \"nope\"\n\
                 secrets = [{{ secret_env = \"BOOKS\" }}]\n{arguments}\n"
            ),
            4,
        ),
        ("[agents.A]\ninstructions = { role = \"You plan.\" }\ndescription = \" \"\n".to_owned(), 3),
    ];
    for (text, line) in lines {
        let told = fault(&text);
        assert!(told.starts_with(&format!("entracte.toml line {line}: ")), "line {line}: {told}\n{text}");
    }
    let told = fault("[providers.a]\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"not a url\"\n");
    assert!(told.contains("\n  4 | base_url = \"not a url\"\n    |            ^^^^^^^^^^^"), "{told}");
}

/// Input: data locations in a flag, a variable and a file; expected: the highest one wins, whether folder, file or
/// server, and hides all lower ones.
#[test]
fn highest_data_setting_wins() {
    let database = |words: &[&str]| {
        let mut layers: Vec<_> =
            words.iter().map(|word| of_flags(&[("data", Some((*word).to_owned()))])).collect();
        super::settle_data(&mut layers);
        let settings = AppSettings::from_layers(merge(layers), &environment(&[])).unwrap();
        let place = format!("{:?}", settings.database);
        (place, settings.data.display().to_string(), settings.names_place())
    };
    let found = |place: &str, data: &str| (place.to_owned(), data.to_owned(), true);
    let server = "postgres://db/e";
    assert_eq!(database(&["here", server]), found("database.url = here/entracte.db", "here"));
    assert_eq!(database(&["here", "/srv/e.db"]), found("database.url = here/entracte.db", "here"));
    assert_eq!(database(&["/srv/e.db", "here"]), found("database.url = /srv/e.db", "/srv"));
    assert_eq!(database(&["e.db"]), found("database.url = e.db", "."));
    assert_eq!(database(&[server, "here"]), found("database.url = postgres://db/e", "here"));
    assert_eq!(database(&["env:PLACE", "/srv/e.db"]), found("database.url_env = PLACE", "/data"));
    let by_itself = ("database.url = /data/entracte.db".to_owned(), "/data".to_owned(), false);
    assert_eq!(database(&[]), by_itself);
}

#[test]
fn first_provider_with_key_is_default_without_file() {
    let of = |variables: &[(&str, &str)]| {
        AppSettings::from_layers(merge([]), &environment(variables)).unwrap().default_provider
    };
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[("GROQ_API_KEY", "k"), ("OPENAI_API_KEY", "k")]).as_deref(), Some("openai"));
    assert_eq!(of(&[("ANTHROPIC_API_KEY", ""), ("GROQ_API_KEY", "k")]).as_deref(), Some("groq"));
}

#[test]
fn data_folder_without_home_is_refused() {
    let homeless =
        ProcessEnvironment { data_dir: ".local/share/entracte".into(), ..ProcessEnvironment::default() };
    let says = AppSettings::from_layers(merge([]), &homeless).unwrap_err().to_string();
    assert_eq!(says, "there is no home folder for the data; set HOME, or name one: --data DIR");
    let named = of_flags(&[("data", Some("here".into()))]);
    assert_eq!(AppSettings::from_layers(named, &homeless).unwrap().data, Path::new("here"));
}

#[test]
fn workspace_key_needs_two_parts() {
    for wrong in ["ann", "ann:", ":x", "a b:c"] {
        let layer = of_flags(&[("workspace", Some(wrong.into()))]);
        let says = AppSettings::from_layers(layer, &environment(&[])).unwrap_err().to_string();
        assert!(says.contains(wrong) && says.contains("user:collection"), "{says}");
    }
}

/// Input: no limit of the check of an address, one, and 0; expected: what HTTP tools and long tasks are checked with.
#[test]
fn address_check_has_a_setting() {
    for (text, expected) in [("", 2_000), ("address_check = \"50ms\"", 50), ("address_check = \"0s\"", 0)] {
        let file = format!("[network]\n{text}\n[tools.http]\nallow = [\"nas.home\"]\n");
        let layer = read("entracte.toml", &file, Path::new("")).unwrap();
        let egress = AppSettings::from_layers(merge([layer]), &environment(&[])).unwrap().tool_egress();
        assert_eq!((egress.precheck_timeout.as_millis(), egress.allowed.len()), (expected, 1), "{text}");
    }
}

/// Input: public addresses with and without the base path; expected: what others open is under it, once.
#[test]
fn public_address_has_base_path_once() {
    for (url, base, expected) in [
        ("https://a.example", "/assistant", "https://a.example/assistant"),
        ("https://a.example/assistant/", "/assistant", "https://a.example/assistant"),
        ("https://a.example/office", "/assistant/", "https://a.example/office/assistant"),
        ("https://a.example/", "/", "https://a.example"),
    ] {
        let file = format!("[server]\npublic_url = \"{url}\"\nbase_path = \"{base}\"\n");
        let layer = read("entracte.toml", &file, Path::new("")).unwrap();
        let settings = AppSettings::from_layers(merge([layer]), &environment(&[])).unwrap();
        assert_eq!(settings.server.public_address().as_deref(), Some(expected), "{url}, {base}");
    }
}

/// Input: a provider of a host under the name of a built-in one, and an agent on it; expected: new sessions and the agent use
/// it, and write commands as the host says.
#[test]
fn agent_uses_provider_of_host() {
    const SCRIPT: &str = "[[turn]]\ntext = \"One.\"\n";
    let provider = Arc::new(RehearsalProvider::from_script(SCRIPT, Arc::new(SystemClock)).unwrap());
    let given = HostProvider { provider, dialect: Dialect::Envelope };
    let providers = BTreeMap::from([("groq".to_owned(), given)]);
    let parts = Arc::new(ProgramParts { providers, ..ProgramParts::default() });
    let file = "[agents.Clerk]\ndescription = \"Sorts.\"\nprovider = \"groq\"\n\
                instructions = { role = \"You sort.\" }\n";
    let layer = read("entracte.toml", file, Path::new("")).unwrap();
    let settings = AppSettings::resolve(merge([layer]), &environment(&[]), parts).unwrap();
    assert_eq!(settings.default_provider.as_deref(), Some("groq"));
    let voice = settings.agents[0].voice.as_ref().unwrap();
    assert_eq!((voice.provider.as_str(), voice.dialect), ("groq", Dialect::Envelope));
}

/// Input: settings of a host beside a variable, one that does not exist, and one with a wrong value; expected: they win over
/// the variable, and the wrong ones are named.
#[test]
fn host_settings_win_over_variables() {
    let of_host = |settings: &[(&str, &str)]| {
        let host = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        load(&ConfigFlags { host, ..ConfigFlags::default() }, &environment(&[("ENTRACTE_DATA", "other")]))
    };
    let settings = of_host(&[("data", "own"), ("server.base_path", "/assistant/")]).unwrap();
    assert_eq!(
        (settings.data.as_path(), settings.server.base_path.as_str()),
        (Path::new("own"), "/assistant")
    );
    let unknown = of_host(&[("server.base", "/assistant")]).unwrap_err().to_string();
    assert!(unknown.contains("there is no setting") && unknown.contains("server.base"), "{unknown}");
    let wrong = of_host(&[("server.grace", "soon")]).unwrap_err().to_string();
    assert!(wrong.contains("server.grace") && wrong.contains("a duration"), "{wrong}");
}
