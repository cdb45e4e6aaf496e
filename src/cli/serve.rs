//! `doublecross serve`: the page in a browser.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args;

use crate::cli::terminal::browser::open_browser;
use crate::cli::terminal::force::Force;
use crate::cli::terminal::stderr::{print_line, print_notice};
use crate::cli::{Failure, cannot_write, interrupts, print};
use crate::page::{FollowedRun, Site, serve};
use doublecross::built_in::{NETWORK_OF_OTHERS, NETWORKS};
use doublecross_core::shell::shell_word;
use doublecross_run::load_weights;

/// Play, watch and analyze games in a browser.
///
/// Prints an address to open in a browser on this machine. The bots run in the browser, as
/// WebAssembly, so that the page needs this program only to load its files. Ctrl-C ends the command,
/// with exit status 0. --export writes the same files for a static web host.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross serve --open                     play the built-in bots
  doublecross serve checkpoints/5x5            play against your own network
  doublecross serve --run runs/5x5             watch a run, before it begins too
  doublecross serve --run runs/a --run runs/b  compare two runs")]
pub(crate) struct Serve {
    /// Networks to play against: weights files (.dxw), checkpoints' folders or runs' folders. The
    /// page opens with the first as the opponent, on a board that it was trained on.
    checkpoints: Vec<PathBuf>,
    /// The port to listen on; 0 for any free one.
    #[arg(long, value_name = "P", default_value_t = 8473)]
    port: u16,
    /// The address to listen on. With an address that is not a loopback one, others on the network
    /// can read the page and the progress of runs, without encryption or password.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// The folder of a training run whose progress the page shows; it may not exist yet. May be
    /// given more than once, to compare runs.
    #[arg(long = "run", value_name = "DIR")]
    runs: Vec<PathBuf>,
    /// Open the page in the default browser.
    #[arg(long, conflicts_with = "export")]
    open: bool,
    /// Write the page's files to this folder instead of serving them.
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

impl Serve {
    pub fn run(self) -> Result<(), Failure> {
        let runs = names(&self.runs).into_iter().zip(self.runs.clone());
        let runs: Vec<FollowedRun> = runs.map(|(name, folder)| FollowedRun { name, folder }).collect();
        for run in &runs {
            check_run(run, self.export.is_some()).map_err(Failure::input)?;
        }
        let mut given = Vec::new();
        for (name, path) in names(&self.checkpoints).into_iter().zip(&self.checkpoints) {
            let weights = load_weights(path).map_err(Failure::input)?;
            given.push((name, weights.to_bytes()));
        }
        let site = Site::new(&given, &NETWORKS, NETWORK_OF_OTHERS, &runs).map_err(Failure::input)?;
        if let Some(folder) = &self.export {
            self.force.check(site.paths().map(|path| folder.join(path)))?;
            for (path, size) in site.write(folder).map_err(cannot_write(folder))? {
                print(format_args!("{} ({size} bytes)\n", shell_word(&path)));
            }
            return Ok(());
        }
        let asked = SocketAddr::new(self.bind, self.port);
        let listener = TcpListener::bind(asked).with_context(|| format!("cannot listen on {asked}"));
        let listener = listener.map_err(Failure::running)?;
        let address = listener.local_addr().map_err(Failure::running)?;
        let stop = interrupts()?;
        print(format_args!("http://{}/ shows the page; Ctrl-C ends it\n", reachable(address)));
        if !self.bind.is_loopback() {
            print_line(format_args!(
                "everyone who can reach {} over the network can read the page, without encryption or password",
                self.bind
            ));
        }
        for run in runs.iter().filter(|run| !run.progress().exists()) {
            let progress = run.progress();
            print_notice(format_args!(
                "{} does not exist yet: the page waits for doublecross train",
                shell_word(&progress)
            ));
        }
        if self.open {
            open_browser(&format!("http://{}/", reachable(address)));
        }
        serve(site, &listener, &stop).map_err(Failure::running)
    }
}

/// Checks that the progress of a run can be shown. It may not exist yet, unless it is `needed` now.
fn check_run(run: &FollowedRun, needed: bool) -> anyhow::Result<()> {
    let folder = &run.folder;
    if !folder.is_dir() && (needed || folder.exists()) {
        return Err(anyhow!("{} is not a run's folder", shell_word(folder)));
    }
    run.check().with_context(|| format!("cannot read {}", shell_word(run.progress())))
}

/// The names of paths on the page, each another one: their last parts, or whole paths where others end alike.
fn names(paths: &[PathBuf]) -> Vec<String> {
    let last = |path: &PathBuf| {
        // The last part of "." is the name of the current folder.
        let named = if path.file_name().is_some() { path.clone() } else { fs::canonicalize(path).unwrap_or_default() };
        named.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    };
    let lasts: Vec<String> = paths.iter().map(last).collect();
    let mut names: Vec<String> = Vec::new();
    for (path, last) in paths.iter().zip(&lasts) {
        let is_shared = lasts.iter().filter(|other| *other == last).count() > 1;
        let name = if is_shared { path.display().to_string() } else { last.clone() };
        let taken = |name: &String| names.contains(name);
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name));
        names.extend(free);
    }
    names
}

/// Returns an address of this machine at which a server answers that listens on `address`, which may
/// stand for all addresses.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_end_alike_are_told_apart() {
        let names = |paths: &[&str]| super::names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(names(&["a/5x5", "b/5x5/", "c/4x4"]), ["a/5x5", "b/5x5/", "4x4"]);
        let here = std::env::current_dir().unwrap();
        let (path, last) = (here.display().to_string(), here.file_name().unwrap().to_string_lossy());
        assert_eq!(names(&["."]), [last]);
        assert_eq!(names(&[".", &path]), [".", &path]);
        assert_eq!(names(&["a/5x5", "a/5x5"]), ["a/5x5", "a/5x5 (2)"]);
    }

    #[test]
    fn a_browser_opens_an_address_of_this_machine() {
        for (address, expected) in [
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.1:80", "10.0.0.1:80"),
        ] {
            assert_eq!(reachable(address.parse().unwrap()).to_string(), expected);
        }
    }
}
