use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use secrecy::SecretString;

use crate::ports::{SecretError, SecretReference, SecretStore};

/// Secrets from environment variables, files and programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemSecrets;

impl SecretStore for SystemSecrets {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError> {
        match reference {
            SecretReference::Environment(name) => match std::env::var(name) {
                Ok(secret) if !secret.trim().is_empty() => Ok(secret.trim().to_owned().into()),
                Ok(_) | Err(_) => Err(SecretError::NotSet(name.clone())),
            },
            SecretReference::File(path) => match std::fs::read_to_string(path) {
                Ok(secret) => Ok(secret.trim().to_owned().into()),
                Err(source) => Err(SecretError::Unreadable { path: path.clone(), source }),
            },
            SecretReference::Command(command) => printed(command),
        }
    }
}

/// How long a program may take to print a secret: somebody may have to unlock it.
const PRINTS_WITHIN: Duration = Duration::from_secs(30);
/// The most that is read of what it prints.
const PRINTS_BYTES: u64 = 64 << 10;

/// Where a program that prints a secret works. It has all variables of this process, and where the person stands somebody
/// else may have put a program of the name that it looks for.
const PRINTS_IN: &str = "/";

/// What a program prints. It is run without a shell, its errors are not read, and nothing of it is ever shown.
fn printed(command: &[String]) -> Result<SecretString, SecretError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(SecretError::NotPrinted { program: String::new(), problem: "none is named".to_owned() });
    };
    let failed = |problem: String| SecretError::NotPrinted { program: program.clone(), problem };
    let mut run = Command::new(program);
    run.args(arguments).current_dir(PRINTS_IN).env("PWD", PRINTS_IN);
    run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = run.spawn().map_err(|error| failed(error.to_string()))?;
    let text = output_of(&mut child);
    if text.is_none() {
        // It may be over by now; then there is nothing to kill.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    let Some(text) = text else {
        return Err(failed(format!("it was not done after {} s", PRINTS_WITHIN.as_secs())));
    };
    let text = String::from_utf8(text).map_err(|_| failed("what it prints is not text".to_owned()))?;
    match text.trim() {
        _ if !status.success() => Err(failed(format!("it ended with {status}"))),
        "" => Err(failed("it prints nothing".to_owned())),
        secret => Ok(secret.to_owned().into()),
    }
}

/// What it wrote until it ended its output; none when it took too long.
fn output_of(child: &mut Child) -> Option<Vec<u8>> {
    let stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(PRINTS_BYTES).read_to_end(&mut bytes);
        // Nobody listens any more once it took too long.
        let _ = sender.send(read.map(|_| bytes).unwrap_or_default());
    });
    receiver.recv_timeout(PRINTS_WITHIN).ok()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    fn of(command: &[&str]) -> Result<String, String> {
        let command = command.iter().map(|&word| word.to_owned()).collect();
        let secret = SystemSecrets.secret(&SecretReference::Command(command));
        secret.map(|secret| secret.expose_secret().to_owned()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_program_prints_a_secret() {
        assert_eq!(of(&["printf", " sk-1 $HOME\n"]), Ok("sk-1 $HOME".to_owned()), "no shell reads it");
        let nothing = of(&["true"]).unwrap_err();
        assert_eq!(nothing, "the program true gives no secret: it prints nothing");
        let failed = of(&["sh", "-c", "echo sk-1; exit 3"]).unwrap_err();
        assert!(failed.contains("exit status: 3") && !failed.contains("sk-1"), "{failed}");
        assert!(of(&["no-such-program-1"]).unwrap_err().contains("no-such-program-1"));
    }

    #[test]
    fn it_does_not_work_where_this_process_stands() {
        assert!(std::env::current_dir().unwrap().parent().is_some(), "which is another folder");
        assert_eq!(of(&["sh", "-c", "pwd -P"]), Ok("/".to_owned()));
        assert_eq!(of(&["printenv", "PWD"]), Ok("/".to_owned()), "nor does a variable tell it that folder");
    }
}
