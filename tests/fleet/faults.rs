//! Random faults while a fleet plays: the run comes out as on one machine, and nothing is left behind.
//!
//! `DOUBLECROSS_FAULTS=200 cargo test --release --test fleet faults -- --include-ignored --nocapture` makes that many.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::{Running, signal, wait_until};
use crate::runs::{Run, assert_clean, assert_same, worker};
use crate::server::NatsServer;
use doublecross::arena::random::{Purpose, stream};
use doublecross::fleet::{MachineKey, connect, subjects};
use futures_util::StreamExt;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

const FAULTS: [&str; 13] = [
    "a killed worker",
    "a stopped worker",
    "a worker that ends",
    "a killed coordinator",
    "a stopped coordinator",
    "a killed server",
    "a server with an empty store",
    "a server rolled back by up to two minutes",
    "a server with a flipped bit",
    "a stopped server",
    "a coordinator killed while the server takes no acks",
    "damaged and oversized results",
    "results that come twice, late and under another name",
];

/// A fleet of three workers, the last of which may be a rogue's key.
struct Fleet {
    server: NatsServer,
    scratch: PathBuf,
    run: Run,
    coordinator: Running,
    workers: BTreeMap<String, Running>,
    random: ChaCha8Rng,
    /// Results that were seen on their way.
    seen: Arc<Mutex<Vec<Vec<u8>>>>,
    /// When the server's store was last kept.
    kept: Instant,
}

impl Fleet {
    fn start_coordinator(server: &NatsServer, scratch: &Path, run: &Run) -> Running {
        let path = scratch.join("coordinator.log");
        let log = std::fs::File::options().create(true).append(true).open(&path).unwrap();
        let said = || std::fs::read_to_string(&path).unwrap();
        let before = said().len();
        let command = &mut run.coordinator(server, scratch, "fleet");
        let mut coordinator = Running(command.stderr(Stdio::from(log)).spawn().unwrap());
        // Without a server, a run does not begin.
        wait_until("the run has begun", || {
            said()[before..].contains("workers may join") || coordinator.0.try_wait().unwrap().is_some()
        });
        coordinator
    }

    fn restart_coordinator(&mut self) {
        let _ = self.coordinator.0.kill();
        let _ = self.coordinator.0.wait();
        self.coordinator = Fleet::start_coordinator(&self.server, &self.scratch, &self.run);
    }

    fn restart_worker(&mut self, name: &str) {
        self.workers.remove(name);
        self.workers.insert(name.into(), worker(&self.server, &self.scratch, name, &[]));
    }

    fn some_worker(&mut self) -> String {
        format!("worker-{}", self.random.random_range(1..=2))
    }

    fn pause(&mut self, most: u64) {
        let time = self.random.random_range(50..most);
        std::thread::sleep(Duration::from_millis(time));
    }

    fn cause(&mut self, fault: usize) {
        let name = self.some_worker();
        match fault {
            0 => self.restart_worker(&name),
            1 => {
                signal(&self.workers[&name].0, "-STOP");
                self.pause(3000);
                signal(&self.workers[&name].0, "-CONT");
            }
            2 => {
                signal(&self.workers[&name].0, "-TERM");
                self.pause(500);
                self.restart_worker(&name);
            }
            3 => self.restart_coordinator(),
            4 => {
                signal(&self.coordinator.0, "-STOP");
                self.pause(3000);
                signal(&self.coordinator.0, "-CONT");
            }
            5 => {
                self.server.kill();
                self.pause(1000);
                self.server.restart();
            }
            6 => {
                self.server.kill();
                self.pause(500);
                self.server.restart_empty();
            }
            7 => {
                self.server.kill();
                self.pause(500);
                self.server.restart_rolled_back();
            }
            8 => {
                let number = self.random.random();
                self.server.restart_flipped(number);
            }
            9 => {
                self.server.stop();
                self.pause(4000);
                self.server.go_on();
            }
            10 => {
                self.server.stop();
                self.pause(400);
                let _ = self.coordinator.0.kill();
                self.server.go_on();
                self.restart_coordinator();
            }
            11 => {
                let seen = self.seen.lock().unwrap().clone();
                let mut messages = vec![Vec::new(), b"DXPART02".to_vec(), vec![7; 1_000_000], vec![0; 100]];
                for part in seen.iter().rev().take(6) {
                    let mut damaged = part.clone();
                    let at = self.random.random_range(0..damaged.len());
                    damaged[at] ^= 1 << self.random.random_range(0..8);
                    messages.push(damaged);
                    messages.push(part[..self.random.random_range(0..part.len())].to_vec());
                }
                self.hand_in(messages);
            }
            _ => {
                let seen = self.seen.lock().unwrap().clone();
                let count = seen.len().min(20);
                let late = (0..count).map(|_| seen[self.random.random_range(0..seen.len())].clone()).collect();
                self.hand_in(late);
            }
        }
    }

    /// Hands in under the name of worker-3.
    fn hand_in(&self, messages: Vec<Vec<u8>>) {
        let (address, key) = (self.server.address(), self.server.key("worker-3"));
        let handing_in = async {
            let client = connect(&address, &key).await.map_err(|error| error.to_string())?;
            for message in messages {
                client
                    .publish(subjects::result(key.name()), message.into())
                    .await
                    .map_err(|error| error.to_string())?;
            }
            client.flush().await.map_err(|error| error.to_string())
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // A server that is away just now takes nothing.
        let _ = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(5), handing_in).await });
    }
}

/// Keeps what is handed in, as the coordinator's key may.
fn listen(address: String, key: MachineKey, seen: Arc<Mutex<Vec<Vec<u8>>>>) {
    let listening = async move {
        let Ok(client) = connect(&address, &key).await else { return };
        let Ok(mut results) = client.subscribe(subjects::RESULTS_SUBJECTS).await else { return };
        while let Some(message) = results.next().await {
            let mut seen = seen.lock().unwrap();
            seen.push(message.payload.to_vec());
            let excess = seen.len().saturating_sub(200);
            seen.drain(..excess);
        }
    };
    // The thread ends with the test's process.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(listening);
    });
}

#[test]
#[ignore = "long: run with --include-ignored"]
fn faults_at_random_moments_change_nothing() {
    let Some(server) = NatsServer::start(3) else { return };
    let wanted: usize =
        std::env::var("DOUBLECROSS_FAULTS").ok().and_then(|count| count.parse().ok()).unwrap_or(FAULTS.len());
    let scratch = tempfile::tempdir().unwrap();
    let seed: u64 = std::env::var("DOUBLECROSS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = stream(seed, 0, 0, Purpose::Verifying);
    let seen: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    listen(server.address(), server.key("coordinator"), seen.clone());
    let mut server = Some(server);
    let (mut caused, mut runs) = ([0; FAULTS.len()], 0);
    let mut order: Vec<usize> = Vec::new();
    while caused.iter().sum::<usize>() < wanted {
        let lag = format!("selfplay.lag={}", runs % 2);
        let overrides = [
            "generations=6",
            "selfplay.games=160",
            "selfplay.simulations=64",
            "labeled.positions=20",
            "suite.positions=10",
        ];
        let run = Run::new(
            "tests/data/3x3.toml",
            &[&overrides[..], &["selfplay.root_nodes=0", "selfplay.leaf_nodes=0", "learn.edge_loss=0", &lag]].concat(),
        );
        let alone = run.alone(scratch.path(), &format!("alone-{runs}"));
        let here = scratch.path().join(format!("run-{runs}"));
        std::fs::create_dir(&here).unwrap();
        let started = server.take().unwrap();
        let coordinator = Fleet::start_coordinator(&started, &here, &run);
        let mut fleet = Fleet {
            server: started,
            scratch: here.clone(),
            run,
            coordinator,
            workers: BTreeMap::new(),
            random,
            seen: seen.clone(),
            kept: Instant::now(),
        };
        fleet.server.keep_store();
        for name in ["worker-1", "worker-2"] {
            fleet.restart_worker(name);
        }
        let start = Instant::now();
        loop {
            fleet.pause(2500);
            if let Some(status) = fleet.coordinator.0.try_wait().unwrap() {
                let log = std::fs::read_to_string(here.join("coordinator.log")).unwrap();
                assert!(status.success(), "run {runs}: {log}");
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(400), "run {runs} does not end");
            // The server itself writes to disk every two minutes.
            if fleet.kept.elapsed() >= Duration::from_secs(120) {
                fleet.kept = Instant::now();
                fleet.server.keep_store();
            }
            if caused.iter().sum::<usize>() < wanted {
                if order.is_empty() {
                    order = (0..FAULTS.len()).collect();
                }
                let at = fleet.random.random_range(0..order.len());
                let fault = order.swap_remove(at);
                fleet.cause(fault);
                caused[fault] += 1;
            }
        }
        assert_same(&alone, &here.join("fleet"));
        assert_clean(&here.join("fleet"));
        println!("run {runs}: {} s, {} faults so far", start.elapsed().as_secs(), caused.iter().sum::<usize>());
        random = fleet.random.clone();
        server = Some(fleet.server);
        runs += 1;
    }
    for (fault, count) in FAULTS.iter().zip(caused) {
        println!("{count:4} times {fault}");
    }
}
