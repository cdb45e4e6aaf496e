//! The examples of `docs/fleet/` start workers that play.
//!
//! Examples that need no cluster are run here: the script of the Slurm job, and the commands of
//! the unit, the Kubernetes job and the compose file, with their addresses, keys and folders
//! replaced. Slurm, Kubernetes and containers themselves are not started.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{DOUBLECROSS, Running, repository, signal, wait_until};
use crate::runs::Run;
use crate::server::NatsServer;

fn example(name: &str) -> String {
    fs::read_to_string(repository(&format!("docs/fleet/{name}"))).unwrap()
}

/// The value of a key that stands on a line of its own, such as `ExecStart=` or `command:`.
fn values<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    text.lines().filter_map(|line| line.trim().strip_prefix(key)).map(str::trim).collect()
}

/// A command that a file holds as a list of strings.
fn listed(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Replaces a text that has to be there.
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} is not in {text}");
    text.replace(from, to)
}

/// Starts a command in `folder`, where its stderr goes to a file `NAME.log`.
fn start(mut command: Command, folder: &Path, name: &str) -> Running {
    let programs = Path::new(DOUBLECROSS).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    command.current_dir(folder).env("PATH", path).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(File::create(folder.join(format!("{name}.log"))).unwrap());
    Running(command.spawn().unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn words(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

#[test]
#[ignore = "long: run with --include-ignored"]
fn workers_of_all_examples_play() {
    let Some(server) = NatsServer::start(5) else { return };
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let (address, keys) = (server.address(), server.folder().display().to_string());
    let host = "games.example.org";

    let mut slurm = Command::new("bash");
    slurm.arg(repository("docs/fleet/worker.slurm")).env("SERVER", &address).env("KEYS", &keys);
    slurm.env("SLURM_ARRAY_TASK_ID", "1").env("SLURM_CPUS_PER_TASK", "1");

    // systemd puts a credential into a folder under the name that the unit gives it.
    fs::create_dir(folder.join("credentials")).unwrap();
    fs::copy(server.key_path("worker-2"), folder.join("credentials/worker.key")).unwrap();
    let unit = example("doublecross-worker.service");
    let [start_line] = values(&unit, "ExecStart=")[..] else { panic!("one ExecStart") };
    let start_line = replaced(start_line, "/usr/local/bin/doublecross", DOUBLECROSS);
    let start_line = replaced(&replaced(&start_line, host, &address), "%d", "credentials");
    let systemd = words(&start_line.split_whitespace().map(String::from).collect::<Vec<_>>());

    let job = example("worker-job.yaml");
    let [line] = values(&job, "command:")[..] else { panic!("one command") };
    // Kubernetes mounts a secret as links to files in a folder, which is a link itself.
    let mounted = folder.join("mounted");
    fs::create_dir_all(mounted.join("..2026")).unwrap();
    fs::copy(server.key_path("worker-3"), mounted.join("..2026/worker-3.key")).unwrap();
    std::os::unix::fs::symlink("..2026", mounted.join("..data")).unwrap();
    std::os::unix::fs::symlink("..data/worker-3.key", mounted.join("worker-3.key")).unwrap();
    let line = replaced(&replaced(line, host, &address), "/keys/", &format!("{}/", mounted.display()));
    let mut kubernetes = words(&listed(&line));
    kubernetes.env("JOB_COMPLETION_INDEX", "2");

    let compose = example("compose.yaml");
    let commands: Vec<Vec<String>> = values(&compose, "command:").into_iter().map(listed).collect();
    let [of_server, of_worker] = &commands[..] else { panic!("two commands: {commands:?}") };
    assert_eq!(of_server[..2], ["nats-server", "-c"]);
    assert!(of_server[2].ends_with("/fleet/nats.conf") && of_server.len() == 3, "{of_server:?}");
    for name in ["worker-1", "worker-2"] {
        assert!(compose.contains(&format!("./fleet/{name}.key:/key:ro")));
    }
    // These keys are others' here.
    let container = |name: &str| {
        let key = server.key_path(name).display().to_string();
        let here = |word: &String| match word.as_str() {
            "server" => address.clone(),
            "/key" => key.clone(),
            word => word.into(),
        };
        words(&of_worker.iter().map(here).collect::<Vec<_>>())
    };

    let names = ["slurm", "systemd", "kubernetes", "compose-1", "compose-2"];
    let commands = [slurm, systemd, kubernetes, container("worker-4"), container("worker-5")];
    let mut workers: Vec<Running> =
        commands.into_iter().zip(names).map(|(command, name)| start(command, folder, name)).collect();
    let log = |name: &str| fs::read_to_string(folder.join(format!("{name}.log"))).unwrap();
    wait_until("the workers are ready", || names.iter().all(|name| log(name).contains("waits for work")));
    // Games enough for all of them.
    let overrides = ["generations=1", "selfplay.games=1000", "network.channels=16", "suite.positions=8"];
    let run = Run::new("tests/data/3x3.toml", &overrides);
    let mut coordinator = start(run.coordinator(&server, folder, "run"), folder, "coordinator");
    wait_until("the run ends", || coordinator.0.try_wait().unwrap().is_some());
    assert!(coordinator.0.wait().unwrap().success(), "{}", log("coordinator"));

    // Jobs end with the run; services wait for the next one, and end on request.
    for (worker, name) in workers.iter_mut().zip(names) {
        let is_job = ["slurm", "kubernetes"].contains(&name);
        if !is_job {
            assert!(worker.0.try_wait().unwrap().is_none(), "{name} has ended: {}", log(name));
            signal(&worker.0, "-TERM");
        }
        wait_until("the worker ends", || worker.0.try_wait().unwrap().is_some());
        assert_eq!(worker.0.wait().unwrap().code(), Some(if is_job { 0 } else { 130 }), "{name}: {}", log(name));
        let log = log(name);
        let last =
            log.lines().filter_map(|line| line.strip_suffix(" games handed in")?.parse::<u32>().ok()).next_back();
        assert!(last > Some(0), "{name}: {log}");
    }
    assert_eq!(values(&unit, "SuccessExitStatus="), ["130"]);
}

#[test]
fn the_unit_is_one_that_systemd_knows() {
    let found = Command::new("systemd-analyze").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: systemd-analyze was not found");
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("doublecross-worker.service");
    // The program has to be there.
    let unit = replaced(&example("doublecross-worker.service"), "/usr/local/bin/doublecross", DOUBLECROSS);
    let verify = |unit: &str| {
        fs::write(&path, unit).unwrap();
        let output = Command::new("systemd-analyze").arg("verify").arg(&path).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(verify(&unit), (true, String::new()));
    let (_, complaint) = verify(&replaced(&unit, "DynamicUser=yes", "DynamikUser=yes"));
    assert!(complaint.contains("DynamikUser"), "{complaint}");
}
