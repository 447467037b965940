use std::collections::BTreeMap;
use std::path::Path;

use super::file::read;
use super::layers::{merge, of_flags, of_variables};
use super::settings::Settings;
use super::show::shown;
use crate::environment::Environment;

fn environment(variables: &[(&str, &str)]) -> Environment {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Environment { variables: variables.collect(), data_dir: "/data".into(), ..Environment::default() }
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
        read("./entracte.toml", local, Path::new("")).unwrap(),
        read("user.toml", user, Path::new("")).unwrap(),
    ]);
    let settings = Settings::of(merged, &variables).unwrap();
    let wanted =
        ["workspace", "author", "database.url", "rounds", "equal_failures", "chat_wait", "max_chars"];
    let lines: Vec<String> = shown(&settings)
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
fn a_wrong_variable_is_named() {
    let variables: BTreeMap<String, String> = [("ENTRACTE_LIMITS_ROUNDS".into(), "many".into())].into();
    let says = of_variables(&variables).unwrap_err().to_string();
    assert_eq!(says, "ENTRACTE_LIMITS_ROUNDS=many: it must be a whole number from 0 to 4294967295");
}

#[test]
fn a_dialect_that_is_not_said_follows_from_the_kind_and_paths_count_from_the_file() {
    let text = "[providers.z]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
                [providers.y]\nkind = \"rehearsal\"\nscript = \"story.toml\"\ndialect = \"tools\"\n\
                [providers.a]\nkind = \"claude\"\nmodel = \"m\"\n\
                [providers.b]\nkind = \"claude\"\nmodel = \"m\"\ndialect = \"envelope\"\n";
    let layer = read("x.toml", text, Path::new("folder")).unwrap();
    let names: Vec<_> = layer.providers.iter().map(|entry| (entry.name.as_str(), entry.dialect)).collect();
    use Dialect::{Envelope, Tools};
    use entracte_domain::session::Dialect;
    let expected = [("z", Envelope), ("y", Tools), ("a", Tools), ("b", Envelope)];
    assert_eq!(names, expected, "in the order of the file");
    assert!(super::layers::built_in_providers().iter().all(|entry| entry.dialect == Tools));
    assert_eq!(layer.providers[0].config.script.as_deref(), Some("folder/story.toml"));
    let settings = Settings::of(layer, &environment(&[])).unwrap();
    assert_eq!(settings.default_provider.as_deref(), Some("z"));
}

#[test]
fn programs_count_from_the_file_wherever_the_person_stands() {
    let text = "[providers.a]\nkind = \"groq\"\nmodel = \"m\"\napi_key_command = [\"bin/key\", \"./a\"]\n\
                [providers.b]\nkind = \"groq\"\nmodel = \"m\"\napi_key_command = [\"pass\", \"show\"]\n\
                [mcp.a]\ncommand = \"npx\"\n\
                [mcp.b]\ncommand = \"npx\"\ncwd = \"deeper\"\n\
                [mcp.c]\ncommand = \"npx\"\ncwd = \"/srv\"\n\
                [mcp.d]\nurl = \"https://mcp.example/\"\n";
    let layer = read("x.toml", text, Path::new("/nowhere/ann")).unwrap();
    let folders: Vec<_> = layer.tools.mcp.iter().map(|(_, server)| server.cwd.as_deref()).collect();
    assert_eq!(folders, [Some("/nowhere/ann"), Some("/nowhere/ann/deeper"), Some("/srv"), None]);
    let commands = layer.providers.iter().filter_map(|entry| entry.config.api_key_command.clone());
    let keys: Vec<_> = commands.collect();
    assert_eq!(keys, [["/nowhere/ann/bin/key", "./a"], ["pass", "show"]], "a name is looked for in PATH");

    let here = std::fs::canonicalize(".").unwrap().display().to_string();
    let layer = read("entracte.toml", text, Path::new("")).unwrap();
    assert_eq!(layer.tools.mcp[0].1.cwd, Some(here), "a folder's own file is beside its programs");
}

#[test]
fn without_a_file_the_first_provider_with_a_key_is_the_default() {
    let of = |variables: &[(&str, &str)]| {
        Settings::of(merge([]), &environment(variables)).unwrap().default_provider
    };
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[("GROQ_API_KEY", "k"), ("OPENAI_API_KEY", "k")]).as_deref(), Some("openai"));
    assert_eq!(of(&[("ANTHROPIC_API_KEY", ""), ("GROQ_API_KEY", "k")]).as_deref(), Some("groq"));
}

#[test]
fn without_a_home_the_data_are_not_those_of_the_folder() {
    let homeless = Environment { data_dir: ".local/share/entracte".into(), ..Environment::default() };
    let says = Settings::of(merge([]), &homeless).unwrap_err().to_string();
    assert_eq!(says, "there is no home folder for the data; set HOME, or name one: --data DIR");
    let named = of_flags(&[("data", Some("here".into()))]);
    assert_eq!(Settings::of(named, &homeless).unwrap().data, Path::new("here"));
}

#[test]
fn a_workspace_key_has_two_halves() {
    for wrong in ["ann", "ann:", ":x", "a b:c"] {
        let layer = of_flags(&[("workspace", Some(wrong.into()))]);
        let says = Settings::of(layer, &environment(&[])).unwrap_err().to_string();
        assert!(says.contains(wrong) && says.contains("user:collection"), "{says}");
    }
}
