//! External bots: whatever they do, matches end, and no process is left running.

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;

use crate::common::{DOUBLECROSS, Running, program, repository, run, signal, succeed, train, wait_until};
use serde_json::Value;

/// Plays a match on 2x2, and returns its result.
fn play(bots: [&str; 2], arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let own = ["match", bots[0], bots[1], "--board", "2x2", "--games", "4", "--opening", "0", "--json"];
    let own = [&own[..], &["--allow-faults"]].concat();
    let text = succeed(folder.path(), &[&own[..], arguments].concat());
    serde_json::from_str::<Value>(&text).unwrap()["pairs"][0].clone()
}

/// Returns `true` if a process is running whose command line begins with `text`.
fn is_running(text: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).replace('\0', " ").starts_with(text))
}

/// Returns a number that only the processes of one test have on their command lines, and that
/// begins with the digit `test`.
fn tag(test: u32) -> String {
    format!("{test}{}", std::process::id())
}

/// Sends the signal to the program once its bot runs, which it does not between two games.
fn end_once_running(child: &Running, signal_name: &str, bot: &str) {
    wait_until("the bot runs", || is_running(bot));
    signal(&child.0, signal_name);
}

#[test]
fn a_bot_in_a_process_plays_like_the_built_in_one() {
    for bot in ["chains", "solver:1000"] {
        let outside = play([&format!("exec:{DOUBLECROSS} bot {bot}"), "greedy"], &[]);
        let inside = play([bot, "greedy"], &[]);
        assert_eq!(outside["faults_a"], 0, "{outside}");
        for field in ["wins_a", "losses_a", "ties", "mean_margin_a"] {
            assert_eq!(outside[field], inside[field], "{bot} {field}");
        }
    }
}

/// A shell script that leaves `sleep $2` running and starts itself anew in another session, without
/// environment and as an orphan, `$1` times.
const NEST: &str = r#"
if [ "$1" -gt 0 ]; then (env -i PATH="$PATH" setsid sh "$0" $(($1-1)) $2 &); fi
exec sleep $2
"#;

#[test]
fn matches_with_faulty_bots_end_and_leave_nothing_running() {
    leave_nothing_running(6, &["--timeout", "100"]);
}

/// Without namespaces too.
#[test]
fn unconfined_faulty_bots_leave_nothing_running() {
    leave_nothing_running(5, &["--timeout", "100", "--no-sandbox"]);
}

fn leave_nothing_running(test: u32, quick: &[&str]) {
    let tag = tag(test);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("nest.sh"), NEST).unwrap();
    let nest = format!("sh {}/nest.sh 100 TAG1; sleep TAG", folder.path().display());
    for command in [
        "exit 1",
        "no-such-program",
        "sleep TAG1",
        "read line; kill -SEGV $$",
        "while read line; do echo garbage; done",
        "while read line; do echo '{\"orient\":\"H\",\"r\":9,\"c\":0}'; done",
        "yes TAG",
        "while read line; do head -c 3000000 /dev/zero; echo; done",
        "exec >&-; sleep TAG2",
        "exec <&-; sleep TAG3",
        "setsid sleep TAG4 & sleep TAG5 & while read line; do echo; done",
        "(setsid sh -c 'sleep TAG6 & sleep TAG7' &) ; exit 3",
        "env -i setsid sleep TAG8 & read line",
        &format!("{DOUBLECROSS} bot 'exec:sleep TAG9'"),
        "yes TAG >&2",
        "exec <&- >&- 2>&-; sleep TAG4",
        "kill -STOP $$; sleep TAG5",
        "trap '' TERM INT HUP QUIT; sleep TAG6 & sleep TAG7",
        "(setsid sleep TAG8 &); sleep 0.01; kill -KILL $PPID; sleep TAG9",
        "kill -STOP $PPID; sleep TAG2",
        &nest,
    ] {
        let result = play([&format!("exec:{}", command.replace("TAG", &tag)), "greedy"], quick);
        assert_eq!(result["games"], 4, "{command}");
        let turns = result["faults_a"].as_u64().unwrap();
        assert!(turns >= 4 * 2, "{command}: {turns} turns missed");
        assert_eq!(result["faults_b"], 0, "{command}");
    }
    assert!(!is_running(&format!("sleep {tag}")), "something is left running");
    assert!(!is_running(&format!("yes {tag}")), "something is left running");
}

/// The result describes the first failure of a bot.
#[test]
fn failures_of_bots_are_described() {
    let lines: String = (1..=40).map(|number| format!("echo line {number}; ")).collect();
    for (command, named) in [
        ("no-such-program", &["127", "\n"][..]),
        ("echo first >&2; printf 'a\\033b' >&2; exit 3", &["3", "\nfirst\na b"]),
        (&format!("({lines}) >&2; exit 3"), &["3)\nline 11\n", "\nline 40"]),
        ("echo MemoryError >&2; exit 3", &["4096 MiB", "--memory", "\nMemoryError"]),
        ("read line; kill -SEGV $$", &["11"]),
        ("sleep 100", &["0.2 s", "--timeout"]),
        ("while read line; do echo '{\"orient\":1}'; done", &["{\"orient\":1}"]),
        ("while read line; do echo '{\"orient\":\"H\",\"r\":0,\"c\":0}'; done", &["{\"orient\":\"H\""]),
    ] {
        let bot = format!("exec:{command}");
        // Time enough for all that answer at all.
        let timeout = if command.starts_with("sleep") { "200" } else { "20000" };
        let result = play([&bot, "greedy"], &["--timeout", timeout]);
        let trouble = result["trouble_a"].as_str().unwrap();
        assert!(named.iter().all(|name| trouble.contains(name)), "{command}: {trouble}");
        assert_eq!(result["trouble_b"], Value::Null);
    }
    // An answer on the opponent's turn is no failure.
    let idle = format!(
        r#"exec:while read line; do y=${{line#*'"you":'}}; t=${{line#*'"to_move":'}};
        if [ "${{y%%,*}}" = "${{t%%,*}}" ]; then echo "$line" | {DOUBLECROSS} bot greedy; else echo null; fi; done"#
    );
    let result = play([&idle, "greedy"], &[]);
    assert_eq!((&result["trouble_a"], result["faults_a"].as_u64()), (&Value::Null, Some(0)), "{result}");
}

#[test]
fn a_bot_that_fails_is_started_three_times_a_game() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    play([&format!("exec:echo x >> {}; exit 1", starts.display()), "first"], &[]);
    assert_eq!(fs::read_to_string(starts).unwrap().lines().count(), 4 * 3);
}

#[test]
fn both_seats_are_asked_on_every_turn_and_memory_is_limited() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("asked");
    // Answers with empty lines, which are faults, and logs the observations.
    let command =
        format!("exec:ulimit -v >> {0}.limit; while read line; do echo \"$line\" >> {0}; echo; done", log.display());
    let result = play([&command, "first"], &["--memory", "300"]);
    assert!(result["faults_a"].as_u64().unwrap() > 0);
    let asked = fs::read_to_string(&log).unwrap();
    assert_eq!(asked.lines().count(), 4 * 12, "one turn for each edge of each game");
    let seats = |you: &str| asked.lines().filter(|line| line.contains(you)).count();
    assert_eq!((seats("\"you\":0"), seats("\"you\":1")), (24, 24));
    let limits = fs::read_to_string(log.with_extension("limit")).unwrap();
    assert!(limits.lines().all(|line| line == "307200") && !limits.is_empty(), "{limits}");
}

#[test]
fn limits_out_of_range_are_refused() {
    let output = program(".".as_ref()).args(["match", "exec:true", "first", "--timeout", "0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--timeout"));
}

/// The processes of an external bot end with `doublecross bot`.
#[test]
fn an_interrupted_bot_leaves_nothing_running() {
    let tag = tag(8);
    let mut bot = program(".".as_ref());
    bot.args(["bot", &format!("exec:trap '' TERM; sleep {tag}12; while read line; do echo; done")]);
    let mut child = Running(bot.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let mut stdin = child.0.stdin.take().unwrap();
    // The first observation starts the bot.
    let asked = r#"{"rows":1,"cols":1,"h":[[false],[false]],"v":[[false,false]]}"#;
    writeln!(stdin, "{asked}").unwrap();
    end_once_running(&child, "-TERM", &format!("sleep {tag}12"));
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    assert!(!is_running(&format!("sleep {tag}12")), "something is left running");
}

/// An interrupted match logs the pairs that were played, and ends the processes of its bots.
#[test]
fn an_interrupted_match_leaves_nothing_running() {
    let folder = tempfile::tempdir().unwrap();
    let tag = tag(7);
    // A slow bot with a background process.
    let bot =
        format!("exec:sleep {tag}11 & while read line; do sleep 0.05; echo \"$line\" | {DOUBLECROSS} bot greedy; done");
    let mut running = program(folder.path());
    running.args(["match", &bot, "greedy", "--board", "1x2", "--games", "100000", "--log", "games.jsonl"]);
    let mut child = Running(running.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    let log = folder.path().join("games.jsonl");
    wait_until("a pair is logged", || fs::read_to_string(&log).is_ok_and(|text| text.lines().count() >= 2));
    end_once_running(&child, "-INT", &format!("sleep {tag}11"));
    let status = child.0.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(!is_running(&format!("sleep {tag}11")), "something is left running");
    let log = fs::read_to_string(log).unwrap();
    assert!(log.lines().count() >= 2 && log.lines().count().is_multiple_of(2) && log.ends_with('\n'), "{log}");
}

/// An interrupted evaluation prints the results of its suites and of the games played.
#[test]
fn an_interrupted_evaluation_prints_its_results() {
    let folder = tempfile::tempdir().unwrap();
    let (checkpoint, suite) = (repository("checkpoints/3x3"), repository("tests/data/suites/3x3.tsv"));
    let tag = tag(9);
    let mut running = program(folder.path());
    running.arg("eval").arg(checkpoint).arg("--suite").arg(suite);
    running.args(["--sims", "4", "--no-solver", "--json", "--games", "100000"]);
    let bot = format!("exec:sleep {tag}11 & while read line; do sleep 1; done");
    running.args(["--against", &bot]);
    let mut child = Running(running.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    end_once_running(&child, "-INT", &format!("sleep {tag}11"));
    let mut told = String::new();
    child.0.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["bands"].as_array().unwrap().last().unwrap()["positions"], 400);
    assert_eq!(told["match"]["b"], bot);
}

/// Nothing is left of the bots of a match that is killed.
#[test]
fn a_killed_match_leaves_nothing_running() {
    for (number, flags) in [(1, &[][..]), (2, &["--no-sandbox"][..])] {
        let folder = tempfile::tempdir().unwrap();
        let tag = format!("{}{number}", tag(4));
        let bot = format!("exec:(env -i setsid sleep {tag} &); while read line; do sleep 0.05; echo; done");
        let mut running = program(folder.path());
        running.args(["match", &bot, "greedy", "--games", "100000"]).args(flags);
        let mut child = Running(running.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        end_once_running(&child, "-KILL", &format!("sleep {tag}"));
        child.0.wait().unwrap();
        wait_until("the bot has ended", || !is_running(&format!("sleep {tag}")));
    }
}

/// Bots that end are waited for, and no thread is started for a question.
#[test]
fn processes_and_threads_do_not_grow_with_the_games() {
    for flags in [&[][..], &["--no-sandbox"][..]] {
        let folder = tempfile::tempdir().unwrap();
        let mut running = program(folder.path());
        running.env("RAYON_NUM_THREADS", "2").args(["match", "greedy", &format!("exec:{DOUBLECROSS} bot chains")]);
        running.args(["--board", "1x2", "--opening", "0", "--games", "400"]).args(flags);
        let mut child = Running(running.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let (mut processes, mut threads) = (0, 0);
        while child.0.try_wait().unwrap().is_none() {
            processes = processes.max(descendants(child.0.id()));
            let tasks = fs::read_dir(format!("/proc/{}/task", child.0.id()));
            threads = threads.max(tasks.map_or(0, |tasks| tasks.count()));
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        assert!(child.0.wait().unwrap().success());
        // A supervisor, the first process of a namespace, the shell and the bot, for each thread.
        assert!((1..=2 * 5).contains(&processes), "{processes} processes");
        assert!(threads <= 4, "{threads} threads");
    }
}

/// The number of processes that descend from one, those that have ended included.
fn descendants(of: u32) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let parents: std::collections::HashMap<u32, u32> = processes
        .filter_map(|entry| {
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            let parent = stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()?;
            Some((entry.file_name().to_str()?.parse().ok()?, parent))
        })
        .collect();
    let descends = |&&process: &&u32| {
        std::iter::successors(parents.get(&process), |parent| parents.get(parent)).any(|&parent| parent == of)
    };
    parents.keys().filter(descends).count()
}

/// A bot that fails on every turn makes the exit status 4, once its result has been printed.
#[test]
fn a_bot_that_never_acts_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let games = ["--games", "2", "--json"];
    let own = ["match", "greedy", "exec:exit 3", "--board", "2x2"];
    let output = run(folder.path(), &[&own[..], &games].concat());
    assert_eq!(output.status.code(), Some(4));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&result["pairs"][0]["failed_a"], &result["pairs"][0]["failed_b"]), (&false.into(), &true.into()));
    let text = run(folder.path(), &own);
    assert!(String::from_utf8_lossy(&text.stdout).contains("exit status: 3"));
    let errors = String::from_utf8_lossy(&text.stderr);
    assert!(errors.contains("exec:exit 3") && errors.contains("--allow-faults"), "{errors}");
    succeed(folder.path(), &[&own[..], &games, &["--allow-faults"]].concat());

    let checkpoint = repository("checkpoints/3x3").display().to_string();
    let own = ["eval", &checkpoint, "--against", "exec:exit 3", "--sims", "2", "--no-solver"];
    let output = run(folder.path(), &[&own[..], &games].concat());
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["match"]["failed_b"], true);
    succeed(folder.path(), &[&own[..], &games, &["--allow-faults"]].concat());

    // One legal action is enough. With one thread the first game is over before the second starts.
    let once = "exec:test -e acted && exit 3; touch acted; read line; echo '{\"orient\":\"H\",\"r\":0,\"c\":0}'";
    let mut command = program(folder.path());
    command.env("RAYON_NUM_THREADS", "1").args(["match", once, "first", "--board", "2x2", "--games", "2"]);
    let output = command.args(["--opening", "0", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["pairs"][0]["failed_a"], false);
}

/// A bot that the system cannot start is no fault of the bot: the match ends with an error, and the
/// pairs before count.
#[test]
fn a_failure_of_the_system_ends_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink("/bin/sh", bin.join("sh")).unwrap();
    // In the third game the bot removes the shell with which bots are started.
    let bot = format!(
        "exec:echo x >> games; test $(/usr/bin/wc -l < games) -lt 3 || /bin/rm bin/sh; exec {DOUBLECROSS} bot first"
    );
    let mut command = program(folder.path());
    command.env("PATH", &bin).env("RAYON_NUM_THREADS", "1");
    command.args(["match", &bot, "greedy", "--board", "2x2", "--games", "10", "--json", "--log", "games.jsonl"]);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("exec:echo x >> games") && told.contains("sh: "), "{told}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&result["pairs"][0]["games"], &result["pairs"][0]["faults_a"]), (&2.into(), &0.into()), "{result}");
    assert_eq!(fs::read_to_string(folder.path().join("games.jsonl")).unwrap().lines().count(), 2);
}

/// Bots use files and devices as ever, but leave other people's files and the log alone.
#[test]
fn bots_are_confined() {
    let (folder, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let bot = format!(
        r#"exec:echo a > own && mv own renamed && mkdir -p sub && echo b > sub/file && cp sub/file {}/file && echo > /dev/null
        ls /proc/self/fd | wc -l > handles; ls /proc | grep -c '^[0-9]' > processes
        echo x > /no-such-file; echo forged > games.jsonl; rm -f games.jsonl; echo x > other; mv other games.jsonl
        exec {DOUBLECROSS} bot greedy"#,
        temporary.path().display()
    );
    let arguments = ["match", &bot, "greedy", "--board", "2x2", "--games", "2", "--log", "games.jsonl"];
    let output = program(folder.path()).args(arguments).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap().trim().to_string();
    assert_eq!((read("renamed"), read("sub/file")), ("a".into(), "b".into()));
    assert_eq!(fs::read_to_string(temporary.path().join("file")).unwrap(), "b\n");
    // The standard streams, the folder that `ls` reads, and what this process passes on.
    let own = std::process::Command::new("sh").args(["-c", "ls /proc/self/fd | wc -l"]).stdin(Stdio::null()).output();
    assert_eq!(read("handles"), String::from_utf8_lossy(&own.unwrap().stdout).trim());
    // Not every system has all protections.
    if !told.contains("outside the current folder") {
        assert!(!fs::exists("/no-such-file").unwrap());
    }
    if !told.contains("the log") {
        assert_eq!(read("games.jsonl").lines().filter(|line| line.starts_with("{\"board\"")).count(), 2);
        assert_eq!(read("games.jsonl").lines().count(), 2);
    }
    if !told.contains("other processes") {
        assert!(read("processes").parse::<usize>().unwrap() < 10, "{}", read("processes"));
    }
}

/// The match at the end of a run treats programs as `match` does.
#[test]
fn a_run_ends_with_a_match_against_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let finish = |against: &str| {
        let against = format!("finish.against='exec:{against}'");
        let settings = ["generations=1", "selfplay.games=4", "finish.games=2", &against];
        train(folder.path(), "run", &settings)
    };
    // A program that does not act ends the command before the run, not after it.
    let output = finish("exit 3").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("finish.against: bot 'exec:exit 3' failed: it ended (exit status: 3)"), "{told}");
    assert!(!folder.path().join("run").exists());
    let output = finish(&format!("{DOUBLECROSS} bot first")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("bot first: 2 games"));
    // Without a shell, no program is started, which is no fault of the program.
    let output = finish("cat").env("PATH", folder.path()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("sh: "), "{told}");
}
