//! The file with the private key by which push services know this server. Only its owner reads it, and neither the
//! database nor a log contains it.

use entracte_adapters_commands::notify::{VapidKey, VapidKeyStore};
use secrecy::{ExposeSecret as _, SecretString};

use super::notify::PushSettings;
use super::private_file::{OthersAccess, PrivateFile, PrivateFileFault};

/// The key file of push messages. It is read for each message, so that a replaced key counts at once.
pub(crate) struct PushKeyFile(PrivateFile);

/// Why the key file cannot be used. It is shown with the path, in English, like a log.
#[derive(Debug, thiserror::Error)]
enum PushKeyFault {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] PrivateFileFault),
    /// Its content is not a key.
    #[error("it is not a private key of P-256 in PEM")]
    NoKey,
    /// No key can be made.
    #[error("the machine provides no random numbers")]
    NoRandomness,
}

impl PushKeyFile {
    /// The file of these settings.
    pub(crate) fn new(settings: &PushSettings) -> Self {
        let path = std::path::absolute(&settings.key_file).unwrap_or_else(|_| settings.key_file.clone());
        Self(PrivateFile::new(path, OthersAccess::Nothing))
    }

    fn read(&self) -> Result<Option<VapidKey>, PushKeyFault> {
        self.0.read()?.map(|text| parse(&SecretString::from(text))).transpose()
    }

    fn read_or_create(&self) -> Result<VapidKey, PushKeyFault> {
        if let Some(key) = self.read()? {
            return Ok(key);
        }
        self.0.change::<PushKeyFault>(|text| match text {
            // Another process made it meanwhile.
            Some(_) => Ok(None),
            None => {
                let made = VapidKey::generate().ok_or(PushKeyFault::NoRandomness)?;
                Ok(Some(made.expose_secret().to_owned()))
            }
        })?;
        self.read()?.ok_or(PushKeyFault::NoKey)
    }

    fn describe(&self, fault: &PushKeyFault) -> String {
        format!("{}: {fault}", self.0.shown())
    }
}

fn parse(text: &SecretString) -> Result<VapidKey, PushKeyFault> {
    VapidKey::read(text).ok_or(PushKeyFault::NoKey)
}

impl VapidKeyStore for PushKeyFile {
    fn find(&self) -> Result<Option<VapidKey>, String> {
        self.read().map_err(|fault| self.describe(&fault))
    }

    fn find_or_create(&self) -> Result<VapidKey, String> {
        self.read_or_create().map_err(|fault| self.describe(&fault))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Input: an empty folder; expected: no key until one is asked for, then the same for every process, in a file that only
    /// its owner reads.
    #[test]
    fn key_is_made_once_in_a_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/push-key.pem");
        let settings = PushSettings { contact: None, key_file: path.clone() };
        let (one, other) = (PushKeyFile::new(&settings), PushKeyFile::new(&settings));
        assert!(one.find().unwrap().is_none());
        let made = one.find_or_create().unwrap().public();
        assert_eq!(other.find_or_create().unwrap().public(), made);
        assert_eq!(other.find().unwrap().map(|key| key.public()), Some(made));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let open = one.find().unwrap_err();
        assert!(open.contains("push-key.pem") && open.contains("others"), "{open}");
    }

    /// Input: a file that holds something else; expected: a fault without its content, and the file stays.
    #[test]
    fn another_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "a secret of somebody\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let file = PushKeyFile::new(&PushSettings { contact: None, key_file: path.clone() });
        let why = file.find_or_create().unwrap_err();
        assert!(why.contains("P-256") && !why.contains("somebody"), "{why}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), "a secret of somebody\n");
    }
}
