use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};

use super::START_FOLDER;
use crate::ports::{SECRET_LEAST_CHARS, SecretError, SecretProgramSpec, SecretReference, SecretStore};

/// Reads secrets from environment variables, files and programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemSecretStore;

impl SecretStore for SystemSecretStore {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError> {
        match reference {
            SecretReference::Environment(name) => match std::env::var(name) {
                Ok(secret) if !secret.trim().is_empty() => Ok(secret.trim().to_owned().into()),
                Ok(_) | Err(_) => Err(SecretError::NotSet(name.clone())),
            },
            SecretReference::File(path) => read_secret_file(path, PRINTS_WITHIN),
            SecretReference::Command(program) => run_secret_program(program, PRINTS_WITHIN),
        }
    }
}

/// The maximum number of bytes read from a file or a program.
const SECRET_BYTES: u64 = 64 << 10;

/// Reads a file. A relative path is refused: another person may have put a file of that name in the current directory.
fn read_secret_file(path: &str, within: Duration) -> Result<SecretString, SecretError> {
    let file = Path::new(path);
    let unreadable = |source: io::Error| SecretError::Unreadable { path: path.to_owned(), source };
    if file.is_relative() {
        let whole = std::path::absolute(file).map_err(unreadable)?.display().to_string();
        return Err(SecretError::Relative { path: path.to_owned(), whole });
    }
    let is_file = std::fs::metadata(file).map_err(unreadable)?.is_file();
    let bytes = if is_file { read_file_prefix(file) } else { read_pipe_prefix(file, path, within)? };
    let bytes = bytes.map_err(unreadable)?;
    if bytes.len() as u64 > SECRET_BYTES {
        return Err(SecretError::TooLarge { path: path.to_owned(), most: SECRET_BYTES });
    }
    // The error of the conversion is dropped: it contains the bytes.
    let no_text = |_| unreadable(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"));
    let text = String::from_utf8(bytes).map_err(no_text)?;
    match text.trim() {
        "" => Err(SecretError::Empty(path.to_owned())),
        secret => Ok(secret.to_owned().into()),
    }
}

/// The bytes of a file, up to one more than the maximum.
fn read_file_prefix(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(SECRET_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same for a pipe, which may never deliver anything.
fn read_pipe_prefix(file: &Path, path: &str, within: Duration) -> Result<io::Result<Vec<u8>>, SecretError> {
    let (sender, receiver) = mpsc::channel();
    let file = file.to_owned();
    thread::spawn(move || {
        // After the time-out the receiver is gone.
        let _ = sender.send(read_file_prefix(&file));
    });
    let silent = |_| SecretError::Silent { path: path.to_owned(), seconds: within.as_secs() };
    receiver.recv_timeout(within).map_err(silent)
}

/// The time limit for a program to print a secret, and again to exit, and for a pipe to deliver one: a person may have
/// to unlock it.
const PRINTS_WITHIN: Duration = Duration::from_secs(30);
/// The polling interval for the exit of a program.
const LOOK: Duration = Duration::from_millis(2);

/// Runs a program that prints a secret. It runs without a shell, its errors are not read, and its output is never
/// shown. It gets all variables of this process, except the one with the current directory.
fn run_secret_program(program: &SecretProgramSpec, within: Duration) -> Result<SecretString, SecretError> {
    let failed = |problem: String| SecretError::NotPrinted { program: program.name().to_owned(), problem };
    let mut run = command(program).map_err(failed)?;
    run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = run.spawn().map_err(|error| failed(error.to_string()))?;
    let text = read_child_output(&mut child, within);
    let status = match text {
        Some(_) => wait_for_exit(&mut child, within),
        None => Ok(None),
    };
    if !matches!(status, Ok(Some(_))) {
        // It may have exited already; a killed one exits soon.
        let _ = child.kill();
        let _ = child.wait();
    }
    let (Some(text), Some(status)) = (text, status.map_err(|error| failed(error.to_string()))?) else {
        return Err(failed(format!("it was not done after {} s", within.as_secs())));
    };
    let text = String::from_utf8(text).map_err(|_| failed("what it prints is not text".to_owned()))?;
    match text.trim() {
        _ if !status.success() => Err(failed(format!("it ended with {status}"))),
        "" => Err(failed("it prints nothing".to_owned())),
        secret => Ok(secret.to_owned().into()),
    }
}

/// The command in its folder, or why it cannot be started.
fn command(program: &SecretProgramSpec) -> Result<Command, String> {
    let (name, arguments) = program.line.split_first().ok_or("none is named")?;
    let folder = Path::new(program.folder.as_deref().unwrap_or(START_FOLDER));
    if folder.is_relative() || !folder.is_dir() {
        return Err(format!("there is no folder {} for it to work in", folder.display()));
    }
    // The system does not define which of the two folders a relative program refers to.
    let mut run = if name.contains('/') { Command::new(folder.join(name)) } else { Command::new(name) };
    run.args(arguments).current_dir(folder).env("PWD", folder);
    Ok(run)
}

/// The output until its end; `None` after the time-out.
fn read_child_output(child: &mut Child, within: Duration) -> Option<Vec<u8>> {
    let stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(SECRET_BYTES).read_to_end(&mut bytes);
        // After the time-out the receiver is gone.
        let _ = sender.send(read.map(|_| bytes).unwrap_or_default());
    });
    receiver.recv_timeout(within).ok()
}

/// The exit status; `None` if the program does not exit in time after the end of its output.
fn wait_for_exit(child: &mut Child, within: Duration) -> io::Result<Option<ExitStatus>> {
    let mut waited = Duration::ZERO;
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(Some(status)),
            None if waited >= within => return Ok(None),
            None => thread::sleep(LOOK),
        }
        waited += LOOK;
    }
}

/// The secrets of a store, without those too short to be scrubbed from texts.
pub struct MinLengthSecretStore(pub Arc<dyn SecretStore>);

impl SecretStore for MinLengthSecretStore {
    fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError> {
        let secret = self.0.secret(reference)?;
        if secret.expose_secret().chars().count() < SECRET_LEAST_CHARS {
            return Err(SecretError::TooShort { place: reference.words() });
        }
        Ok(secret)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(reference: &SecretReference) -> Result<String, String> {
        let secret = SystemSecretStore.secret(reference);
        secret.map(|secret| secret.expose_secret().to_owned()).map_err(|error| error.to_string())
    }

    fn program(line: &[&str], folder: Option<&Path>) -> SecretProgramSpec {
        let line = line.iter().map(|&word| word.to_owned()).collect();
        SecretProgramSpec { line, folder: folder.map(|folder| folder.display().to_string()) }
    }

    fn of(line: &[&str]) -> Result<String, String> {
        read(&SecretReference::Command(program(line, None)))
    }

    /// A folder for this test only.
    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("entracte-secrets-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::canonicalize(folder).unwrap()
    }

    #[test]
    fn a_program_prints_a_secret() {
        assert_eq!(of(&["printf", " sk-1 $HOME\n"]), Ok("sk-1 $HOME".to_owned()), "no shell reads it");
        let nothing = of(&["true"]).unwrap_err();
        assert_eq!(nothing, "the program true gives no secret: it prints nothing");
        let failed = of(&["sh", "-c", "echo sk-1; exit 3"]).unwrap_err();
        assert!(failed.contains("exit status: 3") && !failed.contains("sk-1"), "{failed}");
        assert!(of(&["no-such-program-1"]).unwrap_err().contains("no-such-program-1"));
        assert!(of(&[]).unwrap_err().contains("none is named"));
    }

    /// Input: secrets of seven and of eight characters; expected: the first is refused with its location, and never
    /// repeated.
    #[test]
    fn short_secret_is_refused_with_its_location() {
        let store = MinLengthSecretStore(Arc::new(SystemSecretStore));
        let read = |text: &str| {
            let reference = SecretReference::Command(program(&["printf", "%s", text], None));
            store.secret(&reference).map(|secret| secret.expose_secret().to_owned())
        };
        assert_eq!(read("éight-8c").unwrap(), "éight-8c");
        let refused = read("seven-7").unwrap_err().to_string();
        assert!(refused.contains("command:printf has fewer than 8 characters"), "{refused}");
        assert!(!refused.contains("seven-7"), "{refused}");
    }

    #[test]
    fn program_does_not_run_in_current_directory() {
        assert!(std::env::current_dir().unwrap().parent().is_some(), "which is another folder");
        assert_eq!(of(&["sh", "-c", "pwd -P"]), Ok("/".to_owned()));
        assert_eq!(of(&["printenv", "PWD"]), Ok("/".to_owned()), "nor does a variable tell it that folder");
    }

    /// Input: a program and an argument relative to the folder of their file; expected: both are found there. A
    /// missing folder is named.
    #[test]
    fn program_runs_in_configured_folder() {
        let folder = folder("program");
        fs::write(folder.join("key.sh"), "pwd -P").unwrap();
        let sh = |folder: &Path| {
            let run = if folder.join("sh").exists() { "./sh" } else { "sh" };
            read(&SecretReference::Command(program(&[run, "key.sh"], Some(folder))))
        };
        assert_eq!(sh(&folder), Ok(folder.display().to_string()));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/bin/sh", folder.join("sh")).unwrap();
            assert_eq!(sh(&folder), Ok(folder.display().to_string()), "the program itself too");
        }
        fs::remove_dir_all(&folder).unwrap();
        let told = sh(&folder).unwrap_err();
        assert!(told.contains(&format!("there is no folder {}", folder.display())), "{told}");
    }

    /// Input: a program that ends its output and keeps running; expected: it is not waited for without a limit.
    #[test]
    fn program_that_does_not_exit_times_out() {
        let line = ["sh", "-c", "echo sk-1; exec >&-; exec sleep 600"];
        let told =
            run_secret_program(&program(&line, None), Duration::from_millis(20)).unwrap_err().to_string();
        assert!(told.contains("it was not done after") && !told.contains("sk-1"), "{told}");
    }

    /// Input: files with and without a valid secret; expected: the secret, or the fault with its path and the fix. A
    /// pipe without a writer is not waited for without a limit.
    #[test]
    fn secret_is_read_from_absolute_file_path() {
        let folder = folder("files");
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            fs::write(&path, bytes).unwrap();
            read(&SecretReference::File(path.display().to_string()))
        };
        assert_eq!(file("key", b" sk-1\n"), Ok("sk-1".to_owned()));
        assert!(file("empty", b" \n").unwrap_err().ends_with("empty is empty; write the secret into it"));
        assert!(file("large", &[b'x'; 70_000]).unwrap_err().contains("has more than 65536 bytes"));
        let binary = SystemSecretStore.secret(&SecretReference::File({
            fs::write(folder.join("binary"), [b's', b'k', 0xff]).unwrap();
            folder.join("binary").display().to_string()
        }));
        assert!(!format!("{binary:?}").contains("115, 107"), "none of its bytes is told: {binary:?}");
        let unread = read(&SecretReference::File(folder.display().to_string())).unwrap_err();
        assert!(unread.contains("cannot be read"), "{unread}");
        let pipe = folder.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let pipe = pipe.display().to_string();
        let told = read_secret_file(&pipe, Duration::from_millis(20)).unwrap_err().to_string();
        assert!(told.contains("is a pipe, and nobody wrote to it"), "{told}");
        fs::remove_dir_all(&folder).unwrap();
    }

    /// Input: a file in the current directory, named without a folder; expected: it is not read, and the error names
    /// the absolute path.
    #[test]
    fn file_in_current_directory_is_not_read() {
        let told = read(&SecretReference::File("Cargo.toml".to_owned())).unwrap_err();
        let whole = std::env::current_dir().unwrap().join("Cargo.toml");
        assert!(whole.is_file());
        let expected = format!("relative path; write the whole path, such as {}", whole.display());
        assert!(told.ends_with(&expected), "{told}");
    }
}
