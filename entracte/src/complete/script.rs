//! Completion scripts: clap's script for words, extended to request ids from the program first.

use clap_complete::Shell;

/// The script of a shell, built from the one that completes words.
pub(crate) fn script(shell: Shell, words: String) -> String {
    match shell {
        Shell::Bash => words + BASH,
        Shell::Fish => words + FISH,
        Shell::Zsh => zsh(&words),
        // Other shells complete words only.
        _ => words,
    }
}

const BASH: &str = r#"
_entracte_ids() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(command entracte complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [ "${#COMPREPLY[@]}" -gt 0 ] || _entracte "$@"
}
complete -F _entracte_ids -o bashdefault -o default entracte
"#;

const FISH: &str = r"
complete -c entracte -k -a '(command entracte complete --described -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
";

/// The function called by zsh requests ids, and falls back to clap's function.
fn zsh(words: &str) -> String {
    let renamed = words.replacen("\n_entracte() {", "\n_entracte_words() {", 1);
    match renamed.rfind("\nif [ \"$funcstack[1]\"") {
        Some(end) if renamed.contains("\n_entracte_words() {") => {
            format!("{}{ZSH}{}", &renamed[..end], &renamed[end..])
        }
        Some(_) | None => words.to_owned(),
    }
}

const ZSH: &str = r#"
_entracte() {
    local line
    local -a ids shown
    while IFS= read -r line; do
        ids+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  }")
    done < <(command entracte complete --described -- "${(@)words[2,$CURRENT]}" 2>/dev/null)
    if (( ${#ids} )); then
        compadd -V ids -d shown -a ids
    else
        _entracte_words "$@"
    fi
}
"#;

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn made(shell: Shell) -> String {
        let mut words = Vec::new();
        clap_complete::generate(shell, &mut crate::args::Cli::command(), "entracte", &mut words);
        script(shell, String::from_utf8(words).unwrap())
    }

    /// Input: the script of each shell; expected: it requests ids, and completes words as before.
    #[test]
    fn every_script_requests_ids_and_completes_words() {
        let (bash, fish, zsh) = (made(Shell::Bash), made(Shell::Fish), made(Shell::Zsh));
        for script in [&bash, &fish, &zsh] {
            assert_eq!(script.matches("command entracte complete ").count(), 1);
        }
        assert!(
            bash.contains("_entracte() {")
                && bash.ends_with("complete -F _entracte_ids -o bashdefault -o default entracte\n")
        );
        assert!(zsh.contains("\n_entracte_words() {") && zsh.matches("\n_entracte() {").count() == 1);
        assert!(zsh.find("\n_entracte() {") < zsh.find("compdef _entracte entracte"));
    }
}
