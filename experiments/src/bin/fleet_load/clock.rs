//! Processor time and memory of processes, from Linux's `/proc`.

use std::fs;

/// Ticks of `/proc/PID/stat` in a second, on all of Linux's usual builds.
const TICKS: f64 = 100.0;

/// Processor time of a process, or of one of its threads.
pub fn cpu_seconds(process: u32, thread: Option<u32>) -> f64 {
    let path = match thread {
        None => format!("/proc/{process}/stat"),
        Some(thread) => format!("/proc/{process}/task/{thread}/stat"),
    };
    let text = fs::read_to_string(path).expect("the process runs");
    // The second field is a name in brackets; user and system time are the 14th and the 15th.
    let (_, fields) = text.rsplit_once(')').expect("a name in brackets");
    let ticks =
        |at: usize| fields.split_whitespace().nth(at - 3).and_then(|text| text.parse::<f64>().ok()).expect("ticks");
    (ticks(14) + ticks(15)) / TICKS
}

/// The id of the calling thread.
pub fn thread_id() -> u32 {
    let link = fs::read_link("/proc/thread-self").expect("Linux's /proc");
    link.file_name().and_then(|name| name.to_str()?.parse().ok()).expect("a thread's id")
}

/// A figure of `/proc/PID/status` in megabytes.
pub fn memory_mb(process: u32, name: &str) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).expect("the process runs");
    let line = text.lines().find(|line| line.starts_with(name)).expect("a figure");
    let kib = line.split_whitespace().nth(1).and_then(|text| text.parse::<f64>().ok()).expect("a number");
    kib * 1024.0 / 1e6
}
