//! A disk on which a program has changed files, and what a power cut may leave there.
//!
//! Nothing is taken for granted but what POSIX promises: the bytes of a file are there once it was synced,
//! and its name once the folder was. Whatever else was done may be there, be missing or be there in part,
//! each for itself, in whatever order it was done.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::trace::{Call, HERE};

/// A file or a folder, whatever its name is.
type Node = usize;

/// A change of a file or a folder.
#[derive(Clone, Debug)]
enum Change {
    Write {
        file: Node,
        at: usize,
        bytes: Vec<u8>,
    },
    SetLength {
        file: Node,
        length: usize,
    },
    /// A name in a folder that stands for a node from now on.
    Name {
        folder: Node,
        name: String,
        node: Node,
    },
    Unname {
        folder: Node,
        name: String,
    },
    Rename {
        from: (Node, String),
        to: (Node, String),
        node: Node,
    },
    Sync(Node),
}

/// The changes of a recording.
pub struct Disk {
    /// The nodes there were before, and those that came later.
    files: Vec<Option<Vec<u8>>>,
    names: Vec<BTreeMap<String, Node>>,
    changes: Vec<Change>,
    /// For each change, the number of changes after which it is on the disk.
    synced: Vec<usize>,
}

/// The files of a folder by their paths. Folders have no bytes.
pub type Tree = BTreeMap<String, Option<Vec<u8>>>;

/// The part of the changes that were not synced which is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Nothing.
    Nothing,
    /// The names, without the bytes of their files.
    Names,
    /// The bytes, without the names.
    Bytes,
    /// All, as after a kill.
    All,
    /// Some of both.
    Some,
}

impl Disk {
    /// Returns the disk on which `before` was, after these calls.
    pub fn new(before: &Tree, root: &Path, calls: &[Call]) -> Disk {
        let mut disk =
            Disk { files: vec![None], names: vec![BTreeMap::new()], changes: Vec::new(), synced: Vec::new() };
        for (path, bytes) in before {
            let (folder, name) = disk.parent(0, path).expect("folders come before their files");
            disk.add(bytes.clone(), folder, &name);
        }
        let mut recorder =
            Recorder { names: disk.names.clone(), root: format!("{}/", root.display()), open: HashMap::new(), disk };
        calls.iter().for_each(|call| recorder.apply(call));
        let mut disk = recorder.disk;
        disk.synced = (0..disk.changes.len()).map(|change| disk.synced_after(change)).collect();
        disk
    }

    /// Returns the number of changes.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    fn add(&mut self, bytes: Option<Vec<u8>>, folder: Node, name: &str) -> Node {
        self.files.push(bytes);
        self.names.push(BTreeMap::new());
        let node = self.files.len() - 1;
        self.names[folder].insert(name.into(), node);
        node
    }

    fn parent(&self, from: Node, path: &str) -> Option<(Node, String)> {
        parent(&self.names, from, path)
    }

    /// Returns the number of changes after which a change is on the disk.
    fn synced_after(&self, change: usize) -> usize {
        let node = match &self.changes[change] {
            Change::Write { file, .. } | Change::SetLength { file, .. } => *file,
            Change::Name { folder, .. } | Change::Unname { folder, .. } => *folder,
            Change::Rename { to: (folder, _), .. } => *folder,
            Change::Sync(_) => return 0,
        };
        let is_sync = |later: &Change| matches!(later, Change::Sync(synced) if *synced == node);
        self.changes[change..].iter().position(is_sync).map_or(usize::MAX, |later| change + later + 1)
    }

    /// Returns what is there if the power is cut after this number of changes.
    pub fn after(&self, count: usize, kept: Kept, rng: &mut ChaCha8Rng) -> Tree {
        let (mut files, mut names) = (self.files.clone(), self.names.clone());
        for (change, &synced) in self.changes[..count].iter().zip(&self.synced) {
            let is_name = !matches!(change, Change::Write { .. } | Change::SetLength { .. });
            let is_kept = synced <= count
                || match kept {
                    Kept::Nothing => false,
                    Kept::Names => is_name,
                    Kept::Bytes => !is_name,
                    Kept::All => true,
                    Kept::Some => rng.random(),
                };
            if !is_kept {
                continue;
            }
            match change {
                Change::Write { file, at, bytes } => {
                    let mut bytes = bytes.clone();
                    // The length may be there without the bytes, and the first of them without the others.
                    if synced > count && kept == Kept::Some {
                        match rng.random_range(0..4) {
                            0 => bytes.fill(0),
                            1 => bytes.truncate(rng.random_range(0..=bytes.len())),
                            _ => {}
                        }
                    }
                    let file = files[*file].as_mut().expect("a file");
                    file.resize(file.len().max(at + bytes.len()), 0);
                    file[*at..at + bytes.len()].copy_from_slice(&bytes);
                }
                Change::SetLength { file, length } => files[*file].as_mut().expect("a file").resize(*length, 0),
                Change::Name { folder, name, node } => drop(names[*folder].insert(name.clone(), *node)),
                Change::Unname { folder, name } => drop(names[*folder].remove(name)),
                Change::Rename { from: (before, old), to: (folder, name), node } => {
                    names[*before].remove(old);
                    names[*folder].insert(name.clone(), *node);
                }
                Change::Sync(_) => {}
            }
        }
        let mut tree = Tree::new();
        collect(&files, &names, 0, "", &mut tree);
        tree
    }
}

fn collect(files: &[Option<Vec<u8>>], names: &[BTreeMap<String, Node>], folder: Node, path: &str, tree: &mut Tree) {
    for (name, &node) in &names[folder] {
        let path = format!("{path}{name}");
        tree.insert(path.clone(), files[node].clone());
        collect(files, names, node, &(path + "/"), tree);
    }
}

/// Returns the folder that a path is in and its last part.
fn parent(names: &[BTreeMap<String, Node>], from: Node, path: &str) -> Option<(Node, String)> {
    let mut parts: Vec<&str> = path.split('/').filter(|part| !["", "."].contains(part)).collect();
    let name = parts.pop()?;
    let folder = parts.into_iter().try_fold(from, |folder, part| names[folder].get(part).copied())?;
    Some((folder, name.into()))
}

/// The state of a program that makes calls.
struct Recorder {
    /// The names as the program sees them.
    names: Vec<BTreeMap<String, Node>>,
    root: String,
    /// The open files and folders: the node, the offset, and whether it is written at its end.
    open: HashMap<i64, (Node, usize, bool)>,
    disk: Disk,
}

impl Recorder {
    /// Returns the folder and the name of a path, or `None` if it is outside.
    fn place(&self, at: i64, path: &str) -> Option<(Node, String)> {
        let path = if path.starts_with('/') { path.strip_prefix(&self.root)? } else { path };
        let from = if at == HERE { 0 } else { self.open.get(&at)?.0 };
        parent(&self.names, from, path)
    }

    /// Returns the length of a file as the program sees it.
    fn length(&self, node: Node) -> usize {
        let mut length = self.disk.files[node].as_ref().map_or(0, Vec::len);
        for change in &self.disk.changes {
            match change {
                Change::Write { file, at, bytes } if *file == node => length = length.max(at + bytes.len()),
                Change::SetLength { file, length: new } if *file == node => length = *new,
                _ => {}
            }
        }
        length
    }

    fn create(&mut self, folder: Node, name: String, bytes: Option<Vec<u8>>) -> Node {
        self.disk.files.push(bytes);
        self.disk.names.push(BTreeMap::new());
        self.names.push(BTreeMap::new());
        let node = self.names.len() - 1;
        self.names[folder].insert(name.clone(), node);
        self.disk.changes.push(Change::Name { folder, name, node });
        node
    }

    fn apply(&mut self, call: &Call) {
        match call {
            Call::Open { at, path, file, creates, truncates, appends } => {
                self.open.remove(file);
                if path == "." {
                    self.open.insert(*file, (0, 0, false));
                }
                let Some((folder, name)) = self.place(*at, path) else { return };
                let node = match self.names[folder].get(&name) {
                    Some(&node) => node,
                    None if *creates => self.create(folder, name, Some(Vec::new())),
                    None => return,
                };
                if *truncates && self.length(node) > 0 {
                    self.disk.changes.push(Change::SetLength { file: node, length: 0 });
                }
                self.open.insert(*file, (node, 0, *appends));
            }
            Call::Close(file) => drop(self.open.remove(file)),
            Call::Write { file, at, bytes } => {
                let Some(&(node, offset, appends)) = self.open.get(file) else { return };
                let offset = if appends { self.length(node) } else { at.map_or(offset, |at| at as usize) };
                self.disk.changes.push(Change::Write { file: node, at: offset, bytes: bytes.clone() });
                if at.is_none() {
                    self.open.insert(*file, (node, offset + bytes.len(), appends));
                }
            }
            Call::Seek { file, to } => {
                if let Some(open) = self.open.get_mut(file) {
                    open.1 = *to as usize;
                }
            }
            Call::SetLength { file, length } => {
                if let Some(&(node, ..)) = self.open.get(file) {
                    self.disk.changes.push(Change::SetLength { file: node, length: *length as usize });
                }
            }
            Call::Sync(file) => {
                if let Some(&(node, ..)) = self.open.get(file) {
                    self.disk.changes.push(Change::Sync(node));
                }
            }
            Call::Rename { from, to } => {
                let Some((from, to)) = self.place(from.0, &from.1).zip(self.place(to.0, &to.1)) else { return };
                let node = self.names[from.0].remove(&from.1).expect("a file that was renamed");
                self.names[to.0].insert(to.1.clone(), node);
                self.disk.changes.push(Change::Rename { from, to, node });
            }
            Call::Remove { at, path } => {
                let Some((folder, name)) = self.place(*at, path) else { return };
                self.names[folder].remove(&name);
                self.disk.changes.push(Change::Unname { folder, name });
            }
            Call::MakeFolder { at, path } => {
                let Some((folder, name)) = self.place(*at, path) else { return };
                self.create(folder, name, None);
            }
        }
    }
}

/// Returns the files below a folder.
pub fn read_tree(folder: &Path) -> Tree {
    fn read(folder: &Path, path: &str, tree: &mut Tree) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = format!("{path}{}", entry.file_name().into_string().unwrap());
            if entry.file_type().unwrap().is_dir() {
                tree.insert(path.clone(), None);
                read(&entry.path(), &(path + "/"), tree);
            } else {
                tree.insert(path, Some(fs::read(entry.path()).unwrap()));
            }
        }
    }
    let mut tree = Tree::new();
    read(folder, "", &mut tree);
    tree
}

/// Writes files below a folder.
pub fn write_tree(folder: &Path, tree: &Tree) {
    for (path, bytes) in tree {
        match bytes {
            None => fs::create_dir(folder.join(path)).unwrap(),
            Some(bytes) => fs::write(folder.join(path), bytes).unwrap(),
        }
    }
}
