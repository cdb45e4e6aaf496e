//! `doublecross fleet URL`: the state of the run that uses a server.

use std::fmt::Write;
use std::io::{IsTerminal, stdout};
use std::path::PathBuf;
use std::time::Duration;

use crate::cli::{Failure, interrupts, print, print_json};
use doublecross_fleet::{FleetMonitor, FleetMonitorError, FleetStatus, MachineKey, WorkerState, WorkerStatus};

/// The time between two looks.
const INTERVAL: Duration = Duration::from_secs(2);

/// Shows the state of the run that uses the server at this address: once, or until it is interrupted
/// on a terminal.
pub(crate) fn show(address: &str, key: Option<PathBuf>, json: bool) -> Result<(), Failure> {
    let key = key.ok_or_else(|| Failure::input(anyhow::anyhow!("--key FILE is missing (give the observer's key)")))?;
    let key = MachineKey::read(&key).map_err(Failure::input)?;
    let observer = FleetMonitor::connect(address, &key).map_err(failure)?;
    if json {
        print_json(&serde_json::json!(observer.ask().map_err(failure)?));
        return Ok(());
    }
    if !stdout().is_terminal() {
        print(format_args!("{}", text(&observer.ask().map_err(failure)?)));
        return Ok(());
    }
    let stop = interrupts()?;
    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
        let shown = match observer.ask() {
            Ok(status) => text(&status),
            // The coordinator may come back.
            Err(error @ (FleetMonitorError::NoRun | FleetMonitorError::Silent(_))) => format!("{error}\n"),
            Err(error) => return Err(failure(error)),
        };
        // The screen is cleared, so that one look stands in the place of the last.
        print(format_args!("\x1b[H\x1b[2J{shown}\nCtrl-C ends this; the run goes on.\n"));
        std::thread::sleep(INTERVAL);
    }
    Ok(())
}

fn failure(error: FleetMonitorError) -> Failure {
    match error {
        FleetMonitorError::Role { .. } => Failure::input(error),
        error => Failure::running(error),
    }
}

/// The state as a text.
fn text(status: &FleetStatus) -> String {
    let mut text = format!("run {}, lag {}", status.run, status.lag);
    for generation in &status.open {
        let _ = write!(
            text,
            "\ngeneration {} of {}: {} of {} games, {} with workers",
            generation.generation, status.generations, generation.done, generation.items, generation.away
        );
    }
    if status.open.is_empty() {
        text += "\nno games are wanted now: the learner is at work";
    }
    text += "\n\nworker                            state     threads  games   a second   idle  checked  faults\n";
    for worker in &status.workers {
        text += &line(worker);
    }
    if status.workers.is_empty() {
        text += "no worker has joined: the coordinator plays alone\n";
    }
    let audits = &status.audits;
    let _ = writeln!(
        text,
        "\naudits: {} games played again, {} of them by the coordinator; {} to be settled; {} workers banned",
        audits.checked, audits.by_coordinator, audits.waiting, audits.banned
    );
    let _ = writeln!(text, "faults: {} messages that could not be used", status.faults);
    if let (Some(cores), Some(waits)) = (status.learner_feeds_cores, status.learner_waits) {
        let _ = writeln!(
            text,
            "learner: can learn from the games of {cores:.1} threads; it waits for games {:.0} % of its time",
            100.0 * waits
        );
    }
    text
}

fn line(worker: &WorkerStatus) -> String {
    let state = match worker.state {
        WorkerState::Playing => "plays",
        WorkerState::Gone => "gone",
        WorkerState::Refuses => "refuses",
        WorkerState::Banned => "banned",
    };
    let WorkerStatus { name, threads, items, rate, idle, checked, faults, reason, .. } = worker;
    let mut line = format!(
        "{name:<32}  {state:<9} {threads:>7} {items:>6} {rate:>10.1} {:>4.0} %  {checked:>7} {faults:>7}\n",
        100.0 * idle
    );
    if let Some(reason) = reason {
        let _ = writeln!(line, "  {reason}");
    }
    if worker.processes > 1 {
        let _ = writeln!(
            line,
            "  {} programs use this key: each needs a key of its own (doublecross fleet key makes one)",
            worker.processes
        );
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_fleet::GenerationStatus;

    #[test]
    fn the_state_is_shown() {
        let worker = WorkerStatus {
            name: "worker-1".into(),
            state: WorkerState::Banned,
            reason: Some("item 3 of generation 2".into()),
            processes: 2,
            threads: 2,
            program: "0.1.0".into(),
            isa: "avx2".into(),
            silent: Some(1.0),
            items: 40,
            duplicates: 0,
            rate: 3.25,
            idle: 0.5,
            checked: 4,
            faults: 1,
        };
        let status = FleetStatus {
            run: "5x5".into(),
            generations: 9,
            open: vec![GenerationStatus { generation: 3, items: 40, done: 10, away: 4 }],
            workers: vec![worker],
            learner_feeds_cores: Some(5.25),
            learner_waits: Some(0.5),
            ..FleetStatus::default()
        };
        let text = text(&status);
        for part in [
            "generation 3 of 9: 10 of 40 games, 4 with workers",
            "banned",
            "item 3 of",
            "2 programs use this key",
            "5.2 threads",
            "50 %",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
