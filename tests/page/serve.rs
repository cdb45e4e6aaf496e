//! The page's server under hostile clients and run folders, and the folders that commands write to.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{Running, program, repository, run, succeed};

/// The longest time for an answer to an honest client. It is far below the server's deadline of ten
/// seconds for a request, and far above what a busy machine takes.
const SOON: Duration = Duration::from_secs(5);

/// A running `doublecross serve` on a free port.
struct Served {
    process: Running,
    address: String,
}

impl Served {
    fn start(folder: &Path, arguments: &[&str]) -> Served {
        let mut command = program(folder);
        command.args(["serve", "--port", "0"]).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        Served::of(command)
    }

    fn of(mut command: std::process::Command) -> Served {
        let mut process = Running(command.spawn().expect("the program starts"));
        let mut line = String::new();
        BufReader::new(process.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim_start_matches("http://").split('/').next().expect("an address").to_string();
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        Served { process, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(SOON)).unwrap();
        stream
    }

    /// The answer to a request line, head and body.
    fn ask(&self, request: &str) -> String {
        let mut stream = self.connect();
        write!(stream, "{request} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer in time");
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn assert_honest_client_is_answered(&self) {
        let start = Instant::now();
        let answer = self.ask("GET /bots.json");
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("\"bots\":["), "{answer}");
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    }
}

/// Clients that send a byte now and then, that never read a response, or that do nothing at all hold no other client up,
/// however many they are.
#[test]
fn slow_clients_hold_nobody_up() {
    let scratch = tempfile::tempdir().unwrap();
    let served = Served::start(scratch.path(), &[]);
    let module = {
        let list = served.ask("GET /bots.json");
        let list: serde_json::Value = serde_json::from_str(list.split_once("\r\n\r\n").unwrap().1).unwrap();
        list["bots"][0]["module"].as_str().unwrap().to_string()
    };
    let mut dribbling: Vec<TcpStream> = (0..100).map(|_| served.connect()).collect();
    let _deaf: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = served.connect();
            write!(stream, "GET /{module} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            stream
        })
        .collect();
    let _silent: Vec<TcpStream> = (0..200).map(|_| served.connect()).collect();
    for byte in b"GET /bots.js" {
        for stream in &mut dribbling {
            // The connections that gave way to others are closed.
            let _ = stream.write_all(&[*byte]);
        }
        served.assert_honest_client_is_answered();
    }
}

/// A request that does not end is ended, though its client sends a byte every half second.
#[test]
fn a_request_has_a_deadline_as_a_whole() {
    let scratch = tempfile::tempdir().unwrap();
    let served = Served::start(scratch.path(), &[]);
    let mut stream = served.connect();
    stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let start = Instant::now();
    let mut answer = Vec::new();
    loop {
        let _ = stream.write_all(b"G");
        match stream.read_to_end(&mut answer) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                assert!(start.elapsed() < Duration::from_secs(60), "the request goes on");
            }
            // What is sent after the end may reset the connection.
            _ => break,
        }
    }
    assert!(start.elapsed() > SOON, "{:?}", start.elapsed());
}

/// A server that may open only a few files, or start no thread, still answers.
#[cfg(target_os = "linux")]
#[test]
fn limits_of_the_system_do_not_end_it() {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -n 24; ulimit -u 1; exec \"$0\" serve --port 0", crate::common::DOUBLECROSS]);
    command.current_dir(scratch.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let served = Served::of(command);
    let _silent: Vec<TcpStream> = (0..60).map(|_| served.connect()).collect();
    served.assert_honest_client_is_answered();
    assert!(served.ask("GET /").starts_with("HTTP/1.1 200 "));
}

#[test]
fn methods_and_paths_have_their_status() {
    let scratch = tempfile::tempdir().unwrap();
    let served = Served::start(scratch.path(), &[]);
    let head = served.ask("HEAD /bots.json");
    assert!(head.starts_with("HTTP/1.1 200 ") && head.ends_with("\r\n\r\n"), "{head}");
    let length =
        format!("Content-Length: {}\r\n", served.ask("GET /bots.json").split_once("\r\n\r\n").unwrap().1.len());
    assert!(head.contains(&length), "{head}");
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "BREW"] {
        let answer = served.ask(&format!("{method} /"));
        assert!(answer.starts_with("HTTP/1.1 405 ") && answer.contains("\r\nAllow: GET, HEAD\r\n"), "{answer}");
    }
    for path in ["/nowhere", "/bots", "/runs/1/progress.jsonl", "/../Cargo.toml", "/index.html/"] {
        assert!(served.ask(&format!("GET {path}")).starts_with("HTTP/1.1 404 "), "{path}");
    }
    assert!(served.ask("nonsense").starts_with("HTTP/1.1 400 "));
    // A body that nobody asked for does not cost the answer.
    let mut stream = served.connect();
    write!(stream, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n").unwrap();
    let _ = stream.write_all(&vec![b'x'; 1_000_000]);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.starts_with(b"HTTP/1.1 405 "), "{}", String::from_utf8_lossy(&answer));
}

/// A run's folder may hold anything. Only a regular file is read.
#[cfg(unix)]
#[test]
fn pipes_and_links_in_a_run_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let progress = scratch.path().join("progress.jsonl");
    let served = Served::start(scratch.path(), &["--run", "."]);
    let list = served.ask("GET /bots.json");
    let address = list.split('"').find(|text| text.starts_with("runs/1-")).unwrap();
    let question = format!("GET /{address}");
    assert!(served.ask(&question).starts_with("HTTP/1.1 200 "), "an empty progress");
    fs::write(scratch.path().join("secret"), "a secret").unwrap();
    let assert_refused = |reason: &str| {
        let answer = served.ask(&question);
        assert!(answer.starts_with("HTTP/1.1 500 ") && answer.contains(reason), "{answer}");
        let output = run(scratch.path(), &["serve", "--port", "0", "--run", "."]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("progress.jsonl: ") && errors.contains(reason), "{errors}");
        fs::remove_file(&progress).unwrap();
    };
    assert!(std::process::Command::new("mkfifo").arg(&progress).status().unwrap().success());
    assert_refused("it is not a regular file");
    for target in [&scratch.path().join("secret"), Path::new("/dev/zero"), Path::new("/etc/passwd")] {
        std::os::unix::fs::symlink(target, &progress).unwrap();
        assert_refused("it is a link");
    }
    served.assert_honest_client_is_answered();
}

#[test]
fn a_bot_stands_beside_the_pretrained_ones() {
    let scratch = tempfile::tempdir().unwrap();
    let checkpoint = repository("checkpoints/3x3").display().to_string();
    // In a folder that is empty, as an installed program may be.
    let list = |arguments: &[&str]| -> Vec<(String, String)> {
        succeed(scratch.path(), &[&["serve", "--export", "page", "--force"], arguments].concat());
        let list = fs::read(scratch.path().join("page/bots.json")).unwrap();
        let list: serde_json::Value = serde_json::from_slice(&list).unwrap();
        let word = |value: &serde_json::Value| value.as_str().unwrap().to_string();
        let bots = list["bots"].as_array().unwrap();
        for bot in bots {
            assert!(scratch.path().join("page").join(word(&bot["module"])).is_file(), "{bot}");
        }
        assert!(bots.iter().all(|bot| bot["given"] == (word(&bot["name"]) != "pretrained")));
        bots.iter().map(|bot| (word(&bot["name"]), word(&bot["board"]))).collect()
    };
    let pretrained = ["5x5", "4x4", "3x3"].map(|board| ("pretrained".to_string(), board.to_string()));
    assert_eq!(list(&[]), pretrained);
    let own = ("3x3".to_string(), "3x3".to_string());
    assert_eq!(list(&[&checkpoint]), [&[own][..], &pretrained].concat());
    // Two of one name are told apart by their paths.
    let copy = scratch.path().join("3x3");
    fs::create_dir(&copy).unwrap();
    fs::copy(repository("checkpoints/3x3/ema.dxw"), copy.join("ema.dxw")).unwrap();
    let names: Vec<String> = list(&[&checkpoint, "./3x3"]).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[..3], [checkpoint, "./3x3".into(), "pretrained".into()]);
}

/// `export` and `serve --export` write to the named folder alone.
#[cfg(unix)]
#[test]
fn nothing_is_written_outside_the_folder() {
    use std::os::unix::fs::symlink;
    let scratch = tempfile::tempdir().unwrap();
    let checkpoint = repository("checkpoints/3x3").display().to_string();
    fs::write(scratch.path().join("file"), "mine").unwrap();
    for target in ["/", "/..", "file"] {
        for arguments in [&["export", &checkpoint, "--to", target][..], &["serve", "--export", target]] {
            let output = run(scratch.path(), arguments);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
            assert!(errors.starts_with("doublecross: cannot write ") && errors.contains(target), "{errors}");
        }
    }
    for name in ["bot.wasm", "index.html", "bots.json"] {
        assert!(!Path::new("/").join(name).exists(), "{name}");
    }
    let (inside, outside) = (scratch.path().join("inside"), scratch.path().join("outside"));
    fs::create_dir(&inside).unwrap();
    fs::create_dir(&outside).unwrap();
    let mine = outside.join("mine");
    fs::write(&mine, "mine").unwrap();
    symlink(&mine, inside.join("bot.rs.partial")).unwrap();
    symlink(&outside, inside.join("bots")).unwrap();
    succeed(scratch.path(), &["export", &checkpoint, "--to", "inside", "--force"]);
    let output = run(scratch.path(), &["serve", "--export", "inside", "--force"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && errors.contains("inside/bots is a link"), "{errors}");
    assert_eq!((fs::read_dir(&outside).unwrap().count(), fs::read_to_string(&mine).unwrap()), (1, "mine".into()));
    for name in ["bot.wasm", "bot.rs", "bot"] {
        assert!(fs::symlink_metadata(inside.join(name)).unwrap().is_file(), "{name}");
    }
    assert!(fs::read(inside.join("bot.wasm")).unwrap().starts_with(b"\0asm"));
}

/// `--open` runs the system's opener with the address, and reports one that fails.
#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_opened() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = tempfile::tempdir().unwrap();
    let opener = scratch.path().join("xdg-open");
    fs::write(&opener, "#!/bin/sh\necho \"$@\" > opened.new\nmv opened.new opened\n").unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", scratch.path().display());
    let start = |path: &str| {
        let mut command = program(scratch.path());
        command.args(["serve", "--port", "0", "--open"]).env("PATH", path);
        Served::of({
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command
        })
    };
    let served = start(&path);
    crate::common::wait_until("the opener has run", || scratch.path().join("opened").exists());
    let opened = fs::read_to_string(scratch.path().join("opened")).unwrap();
    assert_eq!(opened, format!("http://{}/\n", served.address));
    // Without an opener the page is served all the same.
    let mut served = start("/nowhere");
    let mut line = String::new();
    BufReader::new(served.process.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("cannot open a browser: xdg-open: "), "{line}");
    served.assert_honest_client_is_answered();
}
