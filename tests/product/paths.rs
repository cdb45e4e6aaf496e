//! Paths that a user names: pipes, devices, links and modes stay, and logs go on.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::{DOUBLECROSS, feed_command, json, program, repository, run, succeed};

/// Makes a named pipe.
fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Runs a command of a shell in a folder, in which `$dc` is the program.
fn shell(folder: &Path, text: &str) -> Output {
    let mut command = Command::new("bash");
    command.arg("-c").arg(text).env("dc", DOUBLECROSS).current_dir(folder).stdin(Stdio::null());
    command.output().unwrap()
}

/// The commands that write a whole file, without its name, in a folder with a log of a proof.
const WRITES: [&[&str]; 3] = [
    &["suite", "--board", "2x2", "--undrawn", "6", "--positions", "2", "--quiet", "--force", "--out"],
    &["puzzles", "--board", "2x2", "--games", "2", "--count", "2", "--quiet", "--force", "--out"],
    &["prove", "check", "proof.log", "--sample", "all", "--quiet", "--force", "--frontier"],
];

/// The commands that append to a log, without its name.
const APPENDS: [&[&str]; 4] = [
    &["match", "random", "first", "--board", "2x2", "--games", "2", "--quiet", "--log"],
    &["solve", "3x3", "--log-from", "100", "--quiet", "--log"],
    &["prove", "3x3", "--log-from", "100", "--quiet", "--log"],
    &["book", "extend", "greedy", "--board", "3x3", "--undrawn", "16", "--quiet", "--log"],
];

/// A folder with a log of a proof.
fn scratch() -> tempfile::TempDir {
    let scratch = tempfile::tempdir().unwrap();
    succeed(scratch.path(), &["prove", "2x3", "--log", "proof.log", "--log-from", "1", "--quiet"]);
    scratch
}

fn with<'a>(arguments: &[&'a str], path: &'a str) -> Vec<&'a str> {
    [arguments, &[path]].concat()
}

#[test]
fn pipes_links_and_modes_stay() {
    let scratch = scratch();
    let folder = scratch.path();
    for (number, arguments) in WRITES.iter().chain(&APPENDS).enumerate() {
        let path = |name: &str| format!("{name}-{number}");
        make_pipe(&folder.join(path("pipe")));
        let reader = std::thread::spawn({
            let pipe = folder.join(path("pipe"));
            move || fs::read_to_string(pipe).unwrap()
        });
        succeed(folder, &with(arguments, &path("pipe")));
        let piped = reader.join().unwrap();
        assert!(!piped.is_empty(), "{arguments:?}");

        fs::create_dir(folder.join(path("other"))).unwrap();
        let target = folder.join(path("other")).join("file");
        fs::write(&target, "").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(Path::new(&path("other")).join("file"), folder.join(path("link"))).unwrap();
        succeed(folder, &with(arguments, &path("link")));
        assert!(folder.join(path("link")).is_symlink());
        assert_eq!(fs::metadata(&target).unwrap().mode() & 0o7777, 0o640);
        assert!(!fs::read_to_string(&target).unwrap().is_empty(), "{arguments:?}");
        assert_eq!(fs::read_dir(folder.join(path("other"))).unwrap().count(), 1);

        // A pipe of a shell, and stdout behind what a shell has written.
        let line = arguments.join(" ");
        let substituted = shell(folder, &format!("$dc {line} >(cat > copy) > /dev/null; sleep 0.5; cat copy"));
        assert!(substituted.status.success() && !substituted.stdout.is_empty(), "{arguments:?}");
        let appended = shell(folder, &format!("(echo first; $dc {line} /dev/stdout; echo last) > all; cat all"));
        let text = String::from_utf8(appended.stdout).unwrap();
        assert!(text.starts_with("first\n") && text.ends_with("last\n") && text.lines().count() > 2, "{text}");

        let start = Instant::now();
        let full = run(folder, &with(arguments, "/dev/full"));
        assert!(start.elapsed() < Duration::from_secs(20));
        let errors = String::from_utf8_lossy(&full.stderr).into_owned();
        assert!(!full.status.success() && errors.contains("/dev/full: No space left"), "{arguments:?}: {errors}");
        succeed(folder, &with(arguments, "/dev/null"));
    }
}

/// A file that a shell has opened for the program is not overwritten but written on.
#[test]
fn what_a_shell_has_opened_needs_no_force() {
    let scratch = scratch();
    for arguments in WRITES {
        let line = arguments.join(" ").replace("--force ", "");
        let output = shell(scratch.path(), &format!("(echo first; $dc {line} /dev/stdout) > all; cat all"));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("first\n") && text.lines().count() > 1, "{line}: {text}");
    }
}

/// A folder that may not be written does not keep its files from being written. Root may write everywhere.
#[test]
fn a_file_in_a_closed_folder_is_written() {
    if rustix_is_root() {
        return;
    }
    let scratch = scratch();
    let folder = scratch.path();
    fs::create_dir(folder.join("closed")).unwrap();
    for (number, arguments) in WRITES.iter().enumerate() {
        let path = format!("closed/{number}");
        fs::set_permissions(folder.join("closed"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.join(&path), "mine").unwrap();
        fs::set_permissions(folder.join("closed"), fs::Permissions::from_mode(0o555)).unwrap();
        succeed(folder, &with(arguments, &path));
        assert!(fs::read_to_string(folder.join(&path)).unwrap() != "mine");
    }
    fs::set_permissions(folder.join("closed"), fs::Permissions::from_mode(0o755)).unwrap();
}

fn rustix_is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

#[test]
fn folders_of_outputs_are_written_as_files_are() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::create_dir(folder.join("bots")).unwrap();
    fs::write(folder.join("source"), "mine").unwrap();
    symlink("../source", folder.join("bots/bot.rs")).unwrap();
    let checkpoint = repository("checkpoints/3x3");
    succeed(folder, &["export", checkpoint.to_str().unwrap(), "--to", "bots", "--form", "source", "--force"]);
    assert!(folder.join("bots/bot.rs").is_symlink());
    assert!(fs::read_to_string(folder.join("source")).unwrap().contains("Dots and Boxes bot"));
    make_pipe(&folder.join("bots/doublecross.1"));
    let reader = std::thread::spawn({
        let pipe = folder.join("bots/doublecross.1");
        move || fs::read_to_string(pipe).unwrap()
    });
    succeed(folder, &["man", "--to", "bots"]);
    assert!(reader.join().unwrap().contains("doublecross"));
}

#[test]
fn several_matches_share_a_log() {
    let scratch = tempfile::tempdir().unwrap();
    let start = |seed: &str| {
        let mut command = program(scratch.path());
        command.args([
            "match", "random", "greedy", "--board", "3x3", "--games", "200", "--log", "log", "--quiet", "--seed", seed,
        ]);
        command.stdout(Stdio::null()).spawn().unwrap()
    };
    for mut child in ["1", "2", "3"].map(start) {
        assert!(child.wait().unwrap().success());
    }
    let text = fs::read_to_string(scratch.path().join("log")).unwrap();
    assert_eq!(text.lines().count(), 600);
    succeed(scratch.path(), &["replay", "log", "--rules"]);
}

#[test]
fn a_log_with_one_line_that_was_cut_short_goes_on() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    succeed(folder, &with(APPENDS[0], "log"));
    let text = fs::read_to_string(folder.join("log")).unwrap();
    fs::write(folder.join("torn"), &text[..40]).unwrap();
    succeed(folder, &with(APPENDS[0], "torn"));
    let torn = fs::read_to_string(folder.join("torn")).unwrap();
    assert_eq!(torn.lines().count(), 3);
    assert!(torn.starts_with(&format!("{}\n", &text[..40])));
    fs::write(folder.join("mine"), "Dear all,\n").unwrap();
    let refused = run(folder, &with(APPENDS[0], "mine"));
    assert_eq!(
        (refused.status.code(), fs::read_to_string(folder.join("mine")).unwrap()),
        (Some(2), "Dear all,\n".into())
    );
}

#[test]
fn what_is_missing_is_said_to_be() {
    let scratch = tempfile::tempdir().unwrap();
    for arguments in [
        &["eval", "nowhere"][..],
        &["export", "nowhere", "--to", "bots"],
        &["serve", "nowhere"],
        &["bot", "net:nowhere"],
        &["train", "3x3", "--from", "nowhere"],
        &["train", "nowhere.toml"],
        &["replay", "nowhere"],
        &["prove", "check", "nowhere"],
        &["eval", repository("checkpoints/3x3").to_str().unwrap(), "--suite", "nowhere"],
    ] {
        let refused = run(scratch.path(), arguments);
        let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && errors.contains("No such file"), "{arguments:?}: {errors}");
    }
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    // Weights come from a pipe as well.
    let weights = repository("checkpoints/3x3/ema.dxw");
    let piped =
        shell(scratch.path(), &format!("$dc export <(cat {}) --to bots --form source --quiet", weights.display()));
    assert!(piped.status.success(), "{}", String::from_utf8_lossy(&piped.stderr));
}

#[test]
fn paths_are_printed_without_control_characters() {
    let scratch = tempfile::tempdir().unwrap();
    let name = "a\u{1b}[31m\u{7}\u{9b}b\nc";
    fs::write(scratch.path().join(name), "{}").unwrap();
    let folder = format!("{name}-folder");
    fs::create_dir(scratch.path().join(&folder)).unwrap();
    fs::write(scratch.path().join(&folder).join(name), "mine").unwrap();
    let absent = format!("{name}-absent");
    for arguments in [
        &["eval", name][..],
        &["eval", &absent],
        &["replay", name],
        &["replay", &absent],
        &["prove", "check", name],
        &["train", &absent],
        &["train", "3x3", "--run", &folder],
        &["match", "first", "random", "--board", "2x2", "--log", name],
        &["suite", "--board", "2x2", "--out", &folder],
        &["suite", "--like", name],
        &["verify", &absent],
        &["tune", "3x3", "--try", "a: learn.passes=2", "--folder", &folder],
    ] {
        let refused = run(scratch.path(), arguments);
        let errors = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success(), "{arguments:?}");
        let is_control = |c: char| c.is_control() && c != '\n';
        assert!(!errors.contains(is_control) && errors.contains("\\u001b"), "{arguments:?}: {errors:?}");
    }
}

#[test]
fn a_name_of_an_instruction_set_that_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = tempfile::tempdir().unwrap();
    for name in [&b"av\xffx2"[..], b"\xff", b""] {
        let name = std::ffi::OsStr::from_bytes(name);
        let refused = program(scratch.path()).args(["solve", "2x2"]).env("DOUBLECROSS_ISA", name).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{name:?}");
    }
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let scratch = tempfile::tempdir().unwrap();
    for arguments in
        ["--help", "-V", "--version", "match --help", "completions bash", "man", "solve 2x2", "solve 2x2 --json"]
    {
        for to in ["> /dev/full", ">&-"] {
            let output = shell(scratch.path(), &format!("$dc {arguments} {to}"));
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(1) && errors.contains("stdout"), "{arguments} {to}: {errors}");
        }
        // The reader of a pipe may have read enough.
        let output = shell(scratch.path(), &format!("$dc {arguments} | true; exit ${{PIPESTATUS[0]}}"));
        assert!(output.status.success(), "{arguments}");
        assert!(shell(scratch.path(), &format!("$dc {arguments} > /dev/null")).status.success());
    }
}

/// A limit of the size of files is an error as a full disk is, and one of memory ends with a message.
#[test]
fn limits_of_the_process_are_errors() {
    let scratch = scratch();
    let folder = scratch.path();
    for arguments in WRITES.iter().take(1).chain(&APPENDS[..1]) {
        let line = with(arguments, "large").join(" ").replace("2x2", "5x5").replace("--games 2", "--games 40");
        let line = line.replace("--undrawn 6 --positions 2", "--undrawn 20 --positions 100");
        let output = shell(folder, &format!("ulimit -f 1; exec $dc {line}"));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && errors.contains("large: File too large"), "{line}: {errors}");
    }
    // The log holds whole games.
    let text = fs::read_to_string(folder.join("large")).unwrap();
    assert!(text.ends_with('\n') && text.lines().count() >= 1);
    let config = repository("configs/smoke.toml");
    let train = |memory: usize, more: &str| {
        // The standard library waits for itself where memory ends while it prints a backtrace.
        let line = format!(
            "unset RUST_BACKTRACE; ulimit -v {memory}; exec $dc train {} --run run --set resources.threads=2 {more}",
            config.display()
        );
        shell(folder, &line)
    };
    // Refused before anything is written.
    for more in ["--set selfplay.cache=16777216", "--set selfplay.table=1073741824"] {
        let output = train(3_000_000, more);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let key = more.split(['=', ' ']).nth(1).unwrap();
        assert!(output.status.code() == Some(2) && errors.contains(key), "{errors}");
        assert!(!folder.join("run").exists());
    }
    // Where memory ends later, whenever that is, the end has a message and the status of a failure. With less, the
    // system does not begin the program.
    let begins = |memory: &usize| shell(folder, &format!("ulimit -v {memory}; exec $dc solve 2x2")).status.success();
    let least = (20_000..200_000).step_by(5_000).find(begins).expect("a program should begin with 200 MB");
    let enough = (least..400_000).step_by(5_000).find(|&memory| {
        let output = train(memory, "--set finish.games=0 --set generations=1");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            matches!(output.status.code(), Some(0..=3)) && !errors.is_empty(),
            "{memory}: {:?} {errors}",
            output.status
        );
        let _ = fs::remove_dir_all(folder.join("run"));
        output.status.success()
    });
    assert!(enough.is_some(), "400 MB should be enough");
}

#[test]
fn a_board_is_the_same_however_it_is_written() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let log = "{\"board\":\"1x1\",\"bots\":[\"a\",\"b\"],\"moves\":[0,1,2,3],\"scores\":[0,1]}\n\
               {\"board\":\"01x01\",\"bots\":[\"a\",\"b\"],\"moves\":[0,1,3,2],\"scores\":[0,1]}\n\
               {\"board\":\"001x1\",\"bots\":[\"a\",\"b\"],\"moves\":[0,1,3,2],\"scores\":[0,1]}\n";
    fs::write(folder.join("log"), log).unwrap();
    let ranked = json(&succeed(folder, &["leaderboard", "log", "--json"]));
    let bots = ranked["bots"].as_array().unwrap();
    // The third game repeats the second.
    assert!(bots.len() == 2 && bots.iter().all(|bot| bot["board"] == "1x1" && bot["games"] == 2), "{ranked}");
    for (one, other) in [
        (&["solve", "2x2", "--json"][..], &["solve", "02x002", "--json"][..]),
        (&["book", "show", "5x5", "--json"], &["book", "show", "05x5", "--json"]),
        (
            &["suite", "--board", "2x2", "--undrawn", "6", "--positions", "2"],
            &["suite", "--board", "02x2", "--undrawn", "6", "--positions", "2"],
        ),
        (
            &["match", "first", "random", "--board", "2x2", "--games", "2"],
            &["match", "first", "random", "--board", "2x02", "--games", "2"],
        ),
    ] {
        let fields = |arguments: &[&str]| {
            let text = succeed(folder, arguments);
            let mut lines: Vec<String> = text.lines().map(String::from).collect();
            if arguments.contains(&"solve") {
                let mut object = json(&text);
                object["seconds"] = 0.into();
                object["nodes"] = 0.into();
                lines = vec![object.to_string()];
            }
            lines
        };
        assert_eq!(fields(one), fields(other), "{other:?}");
    }
}

/// A config that the program wrote is its own, and one of somebody else is not replaced.
#[test]
fn a_runs_own_files_are_known() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let train = |run: &str| {
        let mut command = crate::common::train(folder, run, &["generations=1", "finish.games=0"]);
        command.arg("--quiet").output().unwrap()
    };
    assert!(train("whole").status.success());
    let files: Vec<PathBuf> =
        ["config.toml", "version.txt", "lock", "suite.tsv", "progress.jsonl"].iter().map(PathBuf::from).collect();
    for own in [
        &["config.toml"][..],
        &["version.txt"],
        &["config.toml", "suite.tsv"],
        &["version.txt", "progress.jsonl"],
        &["lock"],
    ] {
        let run = own.join("-");
        fs::create_dir(folder.join(&run)).unwrap();
        for name in files.iter().filter(|name| own.iter().any(|own| name == &Path::new(own))) {
            fs::copy(folder.join("whole").join(name), folder.join(&run).join(name)).unwrap();
        }
        let begun = train(&run);
        assert!(begun.status.success(), "{own:?}: {}", String::from_utf8_lossy(&begun.stderr));
    }
    for (name, text) in [
        ("config.toml", "title = \"mine\"\n"),
        ("config.toml", "seed = 3\n"),
        ("config.toml", ""),
        ("version.txt", "1.2\n"),
        ("suite.tsv", ""),
    ] {
        let run = format!("mine-{}-{}", name, text.len());
        fs::create_dir(folder.join(&run)).unwrap();
        fs::write(folder.join(&run).join(name), text).unwrap();
        let refused = train(&run);
        assert_eq!(
            (refused.status.code(), fs::read_to_string(folder.join(&run).join(name)).unwrap()),
            (Some(2), text.into()),
            "{name}"
        );
        assert_eq!(fs::read_dir(folder.join(&run)).unwrap().count(), 1);
    }
}

/// Input that cannot be seeked is read once.
#[test]
fn suites_are_read_from_pipes() {
    let scratch = tempfile::tempdir().unwrap();
    let text = succeed(scratch.path(), &["suite", "--board", "3x3", "--undrawn", "8", "--positions", "3", "--quiet"]);
    let mut command = program(scratch.path());
    command.arg("eval").arg(repository("checkpoints/3x3")).args([
        "--suite",
        "/dev/stdin",
        "--sims",
        "4",
        "--quiet",
        "--json",
    ]);
    let output = feed_command(command, text.as_bytes());
    assert_eq!(json(&String::from_utf8(output.stdout).unwrap())["bands"][0]["positions"], 3);
}
