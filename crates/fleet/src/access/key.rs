//! The key of a machine: all that it needs to take part in a fleet, in one file.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use async_nats::rustls::RootCertStore;
use async_nats::rustls::pki_types::CertificateDer;
use async_nats::rustls::pki_types::pem::PemObject;
use nkeys::{KeyPair, KeyPairType};

use crate::{Machine, MachineName, Role};
use doublecross_core::shell::shell_word;
use doublecross_files::read_named;

/// The most bytes of a key's file.
const MOST_BYTES: u64 = 64 << 10;

/// The first line of a key's file.
const HEAD: &str = "# A key of a doublecross fleet. Whoever has this file can act as this machine: keep it secret.";

/// A machine's key: its name and role, the secret that proves them to the server, and the
/// certificate that proves the server to the machine.
#[derive(Clone)]
pub struct MachineKey {
    name: MachineName,
    role: Role,
    seed: String,
    authority: String,
}

/// The reason why a key cannot be read or written. No message has the secret in it.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot read the key {}: {error} (`doublecross fleet init` makes keys)", shell_word(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The file is not a key.
    #[error("{} is not a key of a fleet: {reason}", shell_word(path))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The place, and what was expected there.
        reason: String,
    },
    /// The file cannot be written.
    #[error("cannot write the key {}: {error}", shell_word(path))]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

impl MachineKey {
    /// Makes the key of a new machine, with a new secret.
    pub(crate) fn new(name: MachineName, role: Role, authority: &str) -> Result<MachineKey, nkeys::error::Error> {
        Ok(MachineKey { name, role, seed: KeyPair::new_user().seed()?, authority: authority.into() })
    }

    /// The machine's name.
    pub fn name(&self) -> &MachineName {
        &self.name
    }

    /// The machine's role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The seed of the machine's NKey.
    pub(crate) fn seed(&self) -> &str {
        &self.seed
    }

    /// The certificate, in PEM, that the server's certificate has to be signed with.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// The machine as the server knows it.
    pub fn machine(&self) -> Machine {
        // The seed was checked when the key was made.
        let public_key = KeyPair::from_seed(&self.seed).map(|pair| pair.public_key()).unwrap_or_default();
        Machine { name: self.name.clone(), role: self.role, public_key }
    }

    /// Reads a key from its file, or from one that a link points to.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is not a key.
    pub fn read(path: &Path) -> Result<MachineKey, KeyError> {
        let bytes = read_named(path, MOST_BYTES).map_err(|error| KeyError::Read { path: path.into(), error })?;
        let text = std::str::from_utf8(&bytes).map_err(|_| "expected UTF-8 text".to_string());
        text.and_then(MachineKey::parse).map_err(|reason| KeyError::Invalid { path: path.into(), reason })
    }

    /// Reads a key from a text.
    ///
    /// # Errors
    /// Returns the place of what is wrong and what was expected, without any of the text, which may
    /// be a secret in a wrong place.
    pub fn parse(text: &str) -> Result<MachineKey, String> {
        let mut table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count() + 1;
            format!("line {line}: expected TOML with name, role, seed and authority")
        })?;
        let mut take = |key: &str| match table.remove(key) {
            Some(toml::Value::String(text)) => Ok(text),
            Some(_) => Err(format!("{key}: expected a text")),
            None => Err(format!("{key} is missing")),
        };
        let name = take("name")?.parse().map_err(|error| format!("name: {error}"))?;
        let role = take("role")?;
        let role = Role::ALL.into_iter().find(|known| known.name() == role);
        let role = role.ok_or("role: expected coordinator, worker or observer")?;
        let (seed, authority) = (take("seed")?, take("authority")?);
        if !table.is_empty() {
            return Err("expected name, role, seed and authority, and no other key".into());
        }
        let is_user = seed.starts_with("SU")
            && KeyPair::from_seed(&seed).is_ok_and(|pair| pair.key_pair_type() == KeyPairType::User);
        if !is_user {
            return Err("seed: expected the seed of a user's NKey, 58 characters that begin with SU".into());
        }
        roots(&authority)?;
        Ok(MachineKey { name, role, seed, authority })
    }

    /// The text of the key's file.
    fn to_text(&self) -> String {
        let MachineKey { name, role, seed, authority } = self;
        let authority = authority.trim_end();
        format!(
            "{HEAD}\nname = \"{name}\"\nrole = \"{role}\"\nseed = \"{seed}\"\nauthority = \"\"\"\n{authority}\n\"\"\"\n"
        )
    }

    /// Writes the key to a new file that only its owner may read.
    ///
    /// # Errors
    /// Returns an error if the file exists or cannot be written.
    pub fn write_new(&self, path: &Path) -> Result<(), KeyError> {
        write_secret(path, self.to_text().as_bytes()).map_err(|error| KeyError::Write { path: path.into(), error })
    }
}

/// Names the machine and not the secret.
impl fmt::Debug for MachineKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineKey").field("name", &self.name).field("role", &self.role).finish_non_exhaustive()
    }
}

/// Returns the certificate of an authority, in PEM, as the only one that is trusted.
pub(crate) fn roots(authority: &str) -> Result<RootCertStore, String> {
    let invalid = || "authority: expected one certificate in PEM".to_string();
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(authority.as_bytes()).collect();
    let [certificate] = <[_; 1]>::try_from(certificates.map_err(|_| invalid())?).map_err(|_| invalid())?;
    let mut roots = RootCertStore::empty();
    roots.add(certificate).map_err(|_| invalid())?;
    Ok(roots)
}

/// Writes a new file that only its owner may read.
pub(crate) fn write_secret(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    // What is left of a failure is of no use.
    written.inspect_err(|_| drop(std::fs::remove_file(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::certificates::Certificates;
    use proptest::prelude::*;

    fn key() -> MachineKey {
        let authority = Certificates::new(&["localhost".into()]).unwrap().authority;
        MachineKey::new("worker-1".parse().unwrap(), Role::Worker, &authority).unwrap()
    }

    #[test]
    fn a_key_is_read_as_it_was_written() {
        let scratch = tempfile::tempdir().unwrap();
        let (path, key) = (scratch.path().join("worker-1.key"), key());
        key.write_new(&path).unwrap();
        let read = MachineKey::read(&path).unwrap();
        assert_eq!((read.machine(), read.to_text()), (key.machine(), key.to_text()));
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&path).unwrap()) & 0o777, 0o600);
        // It is not replaced.
        let before = std::fs::read(&path).unwrap();
        let error = self::key().write_new(&path).unwrap_err();
        assert!(matches!(error, KeyError::Write { .. }), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn what_is_wrong_is_said_without_the_secret() {
        let key = key();
        let (text, seed) = (key.to_text(), key.seed());
        let authority = key.authority().trim_end();
        for (old, new, part) in [
            ("worker-1", "a.b", "name: it must be 1 to 32"),
            ("\"worker\"", "\"boss\"", "role: expected coordinator, worker or observer"),
            ("\"worker\"", &format!("\"{seed}\""), "role: expected"),
            ("\"worker-1\"", &format!("\"{seed}\""), "name: it must be"),
            ("role =", "rule =", "role is missing"),
            ("seed =", "x = 3\nseed =", "no other key"),
            ("seed =", &format!("{seed} = 3\nseed ="), "no other key"),
            ("seed = ", "seed ", "line 4: expected TOML"),
            ("seed = ", "seed = \"\"\nseed = ", "line 5: expected TOML"),
            (&format!("\"{seed}\""), "3", "seed: expected a text"),
            (seed, &seed[1..], "seed: expected the seed of a user's NKey"),
            (seed, &seed.replace("SU", "SA"), "seed: expected"),
            (seed, &KeyPair::new_account().seed().unwrap(), "seed: expected"),
            (authority, "", "authority: expected one certificate"),
            (authority, &authority[..200], "authority: expected one certificate"),
            (authority, &format!("{authority}\n{authority}"), "authority: expected one certificate"),
        ] {
            let changed = text.replacen(old, new, 1);
            assert_ne!(changed, text, "{old}");
            let reason = MachineKey::parse(&changed).unwrap_err();
            assert!(reason.contains(part), "{part}: {reason}");
            assert!(!reason.contains(&seed[2..20]) && !format!("{key:?}").contains(seed), "{reason}");
        }
    }

    #[test]
    fn only_files_of_a_sound_size_are_read() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("key");
        assert!(matches!(MachineKey::read(&path), Err(KeyError::Read { .. })));
        std::fs::write(&path, vec![b'#'; MOST_BYTES as usize + 1]).unwrap();
        assert!(matches!(MachineKey::read(&path), Err(KeyError::Read { .. })));
        std::fs::write(&path, b"\xff").unwrap();
        assert!(matches!(MachineKey::read(&path), Err(KeyError::Invalid { .. })));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,200}") {
            prop_assert!(MachineKey::parse(&text).is_err());
        }

        #[test]
        fn a_changed_key_is_refused_or_sound(at in 0usize..1200, with in "\\PC{0,3}") {
            static TEXT: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| key().to_text());
            let mut text = TEXT.clone();
            let at = at % text.len();
            text.replace_range(at..at + 1, &with);
            match MachineKey::parse(&text) {
                // What is accepted can be written and read again.
                Ok(key) => prop_assert!(MachineKey::parse(&key.to_text()).is_ok_and(|again| again.machine() == key.machine())),
                Err(reason) => prop_assert!(!reason.contains("SU") || reason.contains("begin with SU")),
            }
        }
    }
}
