//! The launchd agent. Pure.

use super::install_plan::{MARK, ServiceInstallPlan};

/// The label of the agent.
pub(super) const LABEL: &str = "dev.entracte.serve";

/// The property list. launchd stores no output of an agent, so the log goes to its file.
pub(super) fn agent(plan: &ServiceInstallPlan) -> String {
    let ServiceInstallPlan { program, arguments, variables: _, stop_seconds } = plan;
    let words = std::iter::once(program).chain(arguments);
    let words: String = words.map(|word| format!("\n        <string>{}</string>", escaped(word))).collect();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- {MARK} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
    <key>Label</key>
    <string>{LABEL}</string>
    <key>ProgramArguments</key>
    <array>{words}
    </array>
    <key>EnvironmentVariables</key>
    <dict>
        <key>ENTRACTE_LOG_FILE</key>
        <string>true</string>
    </dict>
    <key>RunAtLoad</key>
    <true/>
    <key>KeepAlive</key>
    <dict>
        <key>SuccessfulExit</key>
        <false/>
    </dict>
    <key>ExitTimeOut</key>
    <integer>{stop_seconds}</integer>
    <key>ProcessType</key>
    <string>Background</string>
    <key>Umask</key>
    <integer>63</integer>
</dict>
</plist>
"#
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::install_plan::ServiceGlobalOptions;
    use super::super::install_plan::tests::plan;
    use super::*;

    #[test]
    fn agent_matches_expected_plist() {
        insta::assert_snapshot!("agent", agent(&plan("/Users/ann", &ServiceGlobalOptions::default())));
    }

    #[test]
    fn special_characters_in_paths_are_escaped() {
        let text = agent(&plan("/Users/a <b> & c", &ServiceGlobalOptions::default()));
        assert!(text.contains("<string>/Users/a &lt;b&gt; &amp; c/entracte</string>"), "{text}");
    }
}
