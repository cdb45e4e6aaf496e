//! Runs that are played by a fleet, compared with the same runs on one machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{Running, json, progress, repository, run, wait_until};
use crate::server::NatsServer;

/// A training run: a config with overrides.
pub struct Run {
    pub config: &'static str,
    pub overrides: Vec<String>,
}

impl Run {
    pub fn new(config: &'static str, overrides: &[&str]) -> Run {
        let mut overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
        overrides.push("finish.games=0".into());
        Run { config, overrides }
    }

    fn arguments(&self, folder: &str) -> Vec<String> {
        let config = repository(self.config).display().to_string();
        let mut arguments = vec!["train".into(), config, "--run".into(), folder.into()];
        for text in &self.overrides {
            arguments.extend(["--set".into(), text.clone()]);
        }
        arguments
    }

    /// Runs it on one machine.
    pub fn alone(&self, scratch: &Path, folder: &str) -> PathBuf {
        let arguments = self.arguments(folder);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(scratch, &arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        scratch.join(folder)
    }

    /// The command of the coordinator.
    pub fn coordinator(&self, server: &NatsServer, scratch: &Path, folder: &str) -> Command {
        let mut command = crate::common::program(scratch);
        command.args(self.arguments(folder)).args(["--at", &server.address()]);
        command.arg("--key").arg(server.key_path("coordinator")).stdout(Stdio::null());
        command
    }
}

/// Starts a worker, and waits until it is subscribed to runs.
pub fn ready_worker(server: &NatsServer, scratch: &Path, name: &str, more: &[&str]) -> Running {
    let log = || fs::read_to_string(scratch.join(format!("{name}.log"))).unwrap_or_default();
    let before = log().len();
    let mut worker = worker(server, scratch, name, more);
    wait_until("the worker is ready", || {
        assert!(worker.0.try_wait().unwrap().is_none(), "{}", log());
        log()[before..].contains("waits for work")
    });
    worker
}

/// Starts a worker.
pub fn worker(server: &NatsServer, scratch: &Path, name: &str, more: &[&str]) -> Running {
    let mut command = crate::common::program(scratch);
    command.args(["worker", &server.address(), "--threads", "1"]).args(more);
    command.arg("--key").arg(server.key_path(name)).stdout(Stdio::null());
    let log = fs::File::options().create(true).append(true).open(scratch.join(format!("{name}.log"))).unwrap();
    Running(command.stderr(log).spawn().expect("it starts"))
}

/// Returns the games that a run has of a worker, as an observer is told.
pub fn items_of(server: &NatsServer, scratch: &Path, name: &str) -> u64 {
    let key = server.key_path("observer").display().to_string();
    let output = run(scratch, &["fleet", &server.address(), "--key", &key, "--json"]);
    if !output.status.success() {
        return 0;
    }
    let status = json(&String::from_utf8(output.stdout).unwrap());
    let workers = status["workers"].as_array().unwrap().iter();
    workers.filter(|worker| worker["name"] == name).map(|worker| worker["items"].as_u64().unwrap()).sum()
}

/// The parts of a record that do not depend on time.
fn timeless(record: &Value) -> BTreeMap<String, Value> {
    let is_timeless = |name: &str| !name.contains("second") && !name.starts_with("share_") && name != "cache_hits";
    let members = record.as_object().unwrap().iter();
    members.filter(|(name, _)| is_timeless(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Fails the test unless two runs have the same shards, checkpoints and progress, but for times.
pub fn assert_same(one: &Path, other: &Path) {
    let records = |run: &Path| progress(run).iter().map(timeless).collect::<Vec<_>>();
    assert_eq!(records(one), records(other), "{} and {}", one.display(), other.display());
    assert!(!records(one).is_empty());
    for generation in 1..=records(one).len() {
        let names = ["ema.dxw", "model.dxw", "optimizer.bin"]
            .map(|name| format!("checkpoints/gen-{generation:06}/{name}"))
            .into_iter()
            .chain([format!("shards/gen-{generation:06}.shard")]);
        for name in names {
            let [a, b] = [one, other].map(|run| fs::read(run.join(&name)).ok());
            assert!(a == b, "{name} differs in {} and {}", one.display(), other.display());
            let is_kept = name.ends_with("shard") || name.ends_with("ema.dxw");
            assert!(a.is_some() || !is_kept, "{name} is missing");
        }
    }
}

/// Fails the test if a finished run has left anything behind.
pub fn assert_clean(run: &Path) {
    for folder in ["", "shards", "checkpoints"] {
        for entry in fs::read_dir(run.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_left = [".partial", ".parts", ".counts"].iter().any(|end| name.ends_with(end));
            assert!(!is_left, "{folder}/{name} is left behind");
        }
    }
}
