//! The systemd user unit. Pure.

use super::install_plan::{MARK, ServiceInstallPlan};

/// The name of the unit.
pub(super) const NAME: &str = "entracte.service";

/// The text of the unit.
///
/// It has the hardening options that work in a user unit and do not affect the programs of tools. It restarts for
/// ever, except after an invalid configuration (2) or beside another server (6).
pub(super) fn unit(plan: &ServiceInstallPlan) -> String {
    let ServiceInstallPlan { program, arguments, variables, stop_seconds } = plan;
    // systemd starts no program whose path contains one of these characters, so a shell executes it.
    let program = match program.contains(['"', '\'', '\\']) {
        true => format!(r#"/bin/sh -c "exec \"$$0\" \"$$@\"" {}"#, quoted(program, true)),
        false => quoted(program, false),
    };
    let arguments: String = arguments.iter().map(|argument| format!(" {}", quoted(argument, true))).collect();
    let variables = variables.replace('%', "%%");
    format!(
        "# {MARK}
[Unit]
Description=Entracte: AI sessions that can wait
StartLimitIntervalSec=0

[Service]
Type=notify
ExecStart={program}{arguments}
WorkingDirectory=~
# Keys that the configuration reads from variables: NAME=value, one a line.
EnvironmentFile=-{variables}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2 6
TimeoutStartSec=2min
TimeoutStopSec={stop_seconds}
WatchdogSec=2min
UMask=0077
NoNewPrivileges=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes

[Install]
WantedBy=default.target
"
    )
}

/// One word of a command line. systemd replaces variables only in arguments, so only there a dollar is doubled.
fn quoted(word: &str, is_argument: bool) -> String {
    let word = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    let word = if is_argument { word.replace('$', "$$") } else { word };
    format!("\"{word}\"")
}

#[cfg(test)]
mod tests {
    use super::super::install_plan::ServiceGlobalOptions;
    use super::super::install_plan::tests::plan;
    use super::*;

    #[test]
    fn unit_matches_expected_text() {
        insta::assert_snapshot!("unit", unit(&plan("/home/ann", &ServiceGlobalOptions::default())));
    }

    #[test]
    fn special_characters_in_paths_are_escaped() {
        let text = unit(&plan("/home/a b %h $HOME", &ServiceGlobalOptions::default()));
        assert!(text.contains(r#"ExecStart="/home/a b %%h $HOME/entracte" "serve""#), "{text}");
        assert!(text.contains(r#""--tls-cert" "/home/a b %%h $$HOME/tls/cert.pem""#), "{text}");
        assert!(text.contains("EnvironmentFile=-/home/a b %%h $HOME/service.env"), "{text}");
        let text = unit(&plan(r#"/home/"b"\n$x"#, &ServiceGlobalOptions::default()));
        let shell = r#"ExecStart=/bin/sh -c "exec \"$$0\" \"$$@\"" "/home/\"b\"\\n$$x/entracte" "serve""#;
        assert!(text.contains(shell), "{text}");
    }
}
