//! The calls by which a program changes files, as strace saw them.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The calls that are recorded.
const CALLS: &str = "openat,open,creat,close,write,pwrite64,writev,ftruncate,truncate,fallocate,lseek,fsync,fdatasync,\
                     sync_file_range,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,\
                     rmdir,dup,dup2,dup3,copy_file_range,sendfile";

/// A call that succeeded.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Open {
        at: i64,
        path: String,
        file: i64,
        creates: bool,
        truncates: bool,
        appends: bool,
    },
    Close(i64),
    /// Bytes at an offset, or where the file stands.
    Write {
        file: i64,
        at: Option<u64>,
        bytes: Vec<u8>,
    },
    Seek {
        file: i64,
        to: u64,
    },
    SetLength {
        file: i64,
        length: u64,
    },
    Sync(i64),
    Rename {
        from: (i64, String),
        to: (i64, String),
    },
    Remove {
        at: i64,
        path: String,
    },
    MakeFolder {
        at: i64,
        path: String,
    },
}

/// The file that stands for the working folder.
pub const HERE: i64 = -100;

/// Runs a command to its end in a folder, and returns its calls in their order.
pub fn record(folder: &Path, mut command: Command) -> Vec<Call> {
    let output = tempfile::NamedTempFile::new().unwrap();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-xx", "-s", "16777216", "-e", &format!("trace={CALLS}"), "-o"]).arg(output.path());
    strace.arg(command.get_program()).args(command.get_args());
    strace.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ended = strace.current_dir(folder).output().expect("strace starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    command.current_dir(folder);
    parse(&fs::read_to_string(output.path()).unwrap())
}

/// Returns the calls of what strace wrote.
fn parse(text: &str) -> Vec<Call> {
    let mut begun: HashMap<&str, String> = HashMap::new();
    let mut calls = Vec::new();
    for line in text.lines() {
        let (process, call) = line.split_once(' ').expect("the number of a process");
        let call = call.trim_start();
        // A call during which another thread made one stands in two parts.
        if let Some(start) = call.strip_suffix(" <unfinished ...>") {
            begun.insert(process, start.into());
            continue;
        }
        let whole = match call.strip_prefix("<... ") {
            Some(end) => begun.remove(process).unwrap() + end.split_once("resumed>").unwrap().1,
            None => call.into(),
        };
        calls.extend(parse_call(&whole));
    }
    calls
}

/// Returns a call, or `None` if it failed or changes nothing.
fn parse_call(text: &str) -> Option<Call> {
    // Signals and ends of processes.
    let (name, rest) =
        text.split_once('(').filter(|(name, _)| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))?;
    let (arguments, result) = rest.rsplit_once(" = ")?;
    let result: i64 = result.split_whitespace().next()?.parse().ok().filter(|result| *result >= 0)?;
    let arguments = arguments.trim_end().strip_suffix(')')?;
    let arguments: Vec<&str> = split(arguments);
    let number = |index: usize| match arguments[index] {
        "AT_FDCWD" => HERE,
        number => number.parse().unwrap_or_else(|_| panic!("{text}")),
    };
    let text_at = |index: usize| String::from_utf8(bytes(arguments[index])).unwrap();
    let open = |at, path: usize, flags: &str| Call::Open {
        at,
        path: text_at(path),
        file: result,
        creates: flags.contains("O_CREAT"),
        truncates: flags.contains("O_TRUNC"),
        appends: flags.contains("O_APPEND"),
    };
    Some(match name {
        "openat" => open(number(0), 1, arguments[2]),
        "open" => open(HERE, 0, arguments[1]),
        "close" => Call::Close(number(0)),
        "write" => Call::Write { file: number(0), at: None, bytes: written(arguments[1], result) },
        "pwrite64" => Call::Write { file: number(0), at: Some(number(3) as u64), bytes: written(arguments[1], result) },
        "lseek" => Call::Seek { file: number(0), to: result as u64 },
        "ftruncate" => Call::SetLength { file: number(0), length: number(1) as u64 },
        "fsync" | "fdatasync" => Call::Sync(number(0)),
        "rename" => Call::Rename { from: (HERE, text_at(0)), to: (HERE, text_at(1)) },
        "renameat" | "renameat2" => Call::Rename { from: (number(0), text_at(1)), to: (number(2), text_at(3)) },
        "unlink" | "rmdir" => Call::Remove { at: HERE, path: text_at(0) },
        "unlinkat" => Call::Remove { at: number(0), path: text_at(1) },
        "mkdir" => Call::MakeFolder { at: HERE, path: text_at(0) },
        "mkdirat" => Call::MakeFolder { at: number(0), path: text_at(1) },
        // Output on a terminal or a pipe.
        "writev" if number(0) <= 2 => return None,
        _ => panic!("a call that is not known here: {text}"),
    })
}

/// Splits arguments at commas. Texts hold none, as their characters are escaped.
fn split(arguments: &str) -> Vec<&str> {
    arguments.split(", ").collect()
}

/// Returns the bytes of a text of escaped characters.
fn bytes(text: &str) -> Vec<u8> {
    let digits = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_else(|| panic!("{text}"));
    digits.split("\\x").skip(1).map(|digits| u8::from_str_radix(digits, 16).unwrap()).collect()
}

/// Returns the bytes that a write has written.
fn written(text: &str, count: i64) -> Vec<u8> {
    let mut bytes = bytes(text);
    bytes.truncate(count as usize);
    bytes
}

#[test]
fn calls_are_read() {
    let text = "7  openat(AT_FDCWD, \"\\x61\\x2f\\x62\", O_WRONLY|O_CREAT|O_EXCL|O_CLOEXEC, 0666) = 4\n\
                8  write(4, \"\\x78\\x79\", 2 <unfinished ...>\n\
                7  openat(AT_FDCWD, \"\\x63\", O_RDONLY) = -1 ENOENT (No such file or directory)\n\
                8  <... write resumed>)                  = 1\n\
                7  --- SIGCHLD {si_signo=SIGCHLD} ---\n\
                7  rename(\"\\x61\", \"\\x62\")      = 0\n7  +++ exited with 0 +++\n";
    let opened = Call::Open { at: HERE, path: "a/b".into(), file: 4, creates: true, truncates: false, appends: false };
    let written = Call::Write { file: 4, at: None, bytes: b"x".to_vec() };
    let renamed = Call::Rename { from: (HERE, "a".into()), to: (HERE, "b".into()) };
    assert_eq!(parse(text), [opened, written, renamed]);
}
