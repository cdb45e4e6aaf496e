//! The end of processes that are left behind.

use std::collections::HashSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpgid, getpgrp, getpid, kill_process, pidfd_open, pidfd_send_signal,
    set_child_subreaper, waitpid,
};

/// The supervisors of this process, and whether it had no child before the first one. `None` before
/// that.
static SUPERVISORS: Mutex<Option<(HashSet<i32>, bool)>> = Mutex::new(None);

/// Starts a supervisor. Its children become children of this process if it is ended.
pub(super) fn spawn(supervisor: &mut Command) -> io::Result<Child> {
    // Locked during the start, so that `end_orphans` does not take the supervisor for an orphan.
    let mut supervisors = SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner);
    let (supervisors, _) = supervisors.get_or_insert_with(|| (HashSet::new(), children(getpid()).is_empty()));
    // If this fails, the processes of a bot that ended its supervisor are not found.
    let _ = set_child_subreaper(Some(getpid()));
    let child = supervisor.spawn()?;
    supervisors.insert(raw(Pid::from_child(&child)));
    Ok(child)
}

/// Waits for a supervisor that has ended or is ending.
pub(super) fn wait(supervisor: &mut Child) {
    let _ = supervisor.wait();
    let mut supervisors = SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((supervisors, _)) = &mut *supervisors {
        supervisors.remove(&raw(Pid::from_child(supervisor)));
    }
}

/// Ends the children of this process in other process groups that are no supervisors. Bots leave
/// such children when they end their supervisor.
///
/// Nothing is ended if this process had children before its first supervisor, since what those
/// leave behind looks the same.
pub(super) fn end_orphans(time: Duration) {
    let supervisors = SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((supervisors, true)) = &*supervisors {
        let is_own = |child| getpgid(Some(child)).is_ok_and(|group| group == getpgrp());
        end_children(|child| supervisors.contains(&raw(child)) || is_own(child), time);
    }
}

/// Ends the children of this process, except spared ones, with all that descend from them. Returns
/// `false` if some are left after `time`, which are then processes of other users.
///
/// This process has to be a child subreaper. Then no descendant is left when no child is.
pub(super) fn end_children(is_spared: impl Fn(Pid) -> bool, time: Duration) -> bool {
    let deadline = Instant::now() + time;
    loop {
        let doomed: Vec<Pid> = children(getpid()).into_iter().filter(|&child| !is_spared(child)).collect();
        if doomed.is_empty() {
            return true;
        }
        let mut is_reaped = false;
        for &child in &doomed {
            // A child keeps its number until it is waited for.
            if matches!(waitpid(Some(child), WaitOptions::NOHANG), Ok(Some(_)) | Err(rustix::io::Errno::CHILD)) {
                is_reaped = true;
            } else {
                kill_tree(child);
            }
        }
        if Instant::now() >= deadline {
            return false;
        }
        if !is_reaped {
            std::thread::sleep(Duration::from_micros(500));
        }
    }
}

/// Kills a child of this process, and its descendants as far as they can be found meanwhile.
fn kill_tree(top: Pid) {
    let mut tree = vec![(top, getpid())];
    while let Some((process, parent)) = tree.pop() {
        tree.extend(children(process).into_iter().map(|child| (child, process)));
        if process == top {
            let _ = kill_process(process, Signal::KILL);
        } else if let Ok(handle) = pidfd_open(process, PidfdFlags::empty()) {
            // The number may have passed to another process. The handle's cannot.
            let now = parent_of(process);
            if now == Some(parent) || now == Some(getpid()) {
                let _ = pidfd_send_signal(&handle, Signal::KILL);
            }
        }
    }
}

/// The children of a process that is running or has not been waited for.
fn children(parent: Pid) -> Vec<Pid> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", raw(parent))).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for task in tasks {
        match std::fs::read_to_string(task.path().join("children")) {
            Ok(text) => found.extend(text.split_whitespace().filter_map(parse)),
            // The kernel lists no children.
            Err(error) if error.kind() == io::ErrorKind::NotFound && task.path().exists() => {
                return all_processes().filter(|&process| parent_of(process) == Some(parent)).collect();
            }
            Err(_) => {}
        }
    }
    found
}

/// All processes that `/proc` lists.
fn all_processes() -> impl Iterator<Item = Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| parse(entry.file_name().to_str()?))
}

/// The parent of a process.
fn parent_of(process: Pid) -> Option<Pid> {
    let stat = std::fs::read(format!("/proc/{}/stat", raw(process))).ok()?;
    // The name is in parentheses and may hold any byte. State and parent follow it.
    let stat = String::from_utf8_lossy(&stat).into_owned();
    parse(stat.rsplit(')').next()?.split_whitespace().nth(1)?)
}

fn parse(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}

fn raw(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_found_with_their_parent() {
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let pid = Pid::from_child(&child);
        assert!(children(getpid()).contains(&pid));
        assert_eq!(parent_of(pid), Some(getpid()));
        assert!(all_processes().any(|process| process == pid));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!children(getpid()).contains(&pid));
    }

    #[test]
    fn a_tree_is_killed_from_its_top() {
        let mut top = Command::new("sh").args(["-c", "sleep 100 & sleep 100 & wait"]).spawn().unwrap();
        let pid = Pid::from_child(&top);
        let below = loop {
            let below = children(pid);
            if below.len() == 2 {
                break below;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        kill_tree(pid);
        assert!(!top.wait().unwrap().success());
        while below.iter().any(|&process| parent_of(process).is_some_and(|parent| parent == pid)) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
