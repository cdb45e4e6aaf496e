//! `doublecross serve`: the page in a browser.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;

use super::{Failure, cannot_write, print};
use crate::page::{Server, Site};
use crate::pretrained::PRETRAINED;
use crate::stderr::print_line;
use crate::train::load_weights;

/// Play, watch and analyse games in a browser.
///
/// Prints an address to open in a browser on this machine. The bots run in the browser, as
/// WebAssembly, so that the page needs this program only to load its files. --export writes the
/// same files for a static web host.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross serve                          play the built-in bots
  doublecross serve runs/5x5 --run runs/5x5  play a training run's bot, and watch its progress")]
pub(super) struct Serve {
    /// Checkpoints to play against, one for each board: weights files (.dxw), checkpoints' folders
    /// or runs' folders [default: the pretrained networks].
    checkpoints: Vec<PathBuf>,
    /// The port to listen on; 0 for any free one.
    #[arg(long, value_name = "P", default_value_t = 8473)]
    port: u16,
    /// The address to listen on. With an address that is not a loopback one, others on the network
    /// can read the page and the run's progress, without encryption or password.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// The folder of a training run whose progress the page shows.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Write the page's files to this folder instead of serving them.
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
}

impl Serve {
    pub fn run(self) -> Result<(), Failure> {
        if let Some(run) = self.run.as_ref().filter(|run| !run.is_dir()) {
            return Err(Failure::input(anyhow!("{} is not a run's folder", run.display())));
        }
        let (mut bots, mut boards) = (Vec::new(), Vec::new());
        for path in &self.checkpoints {
            let weights = load_weights(path).map_err(Failure::input)?;
            if let Some((other, _)) = boards.iter().find(|(_, board)| *board == weights.board) {
                let error = anyhow!(
                    "{other} and {} both play {}; expected one checkpoint for each board",
                    path.display(),
                    weights.board
                );
                return Err(Failure::input(error));
            }
            boards.push((path.display(), weights.board));
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            bots.push((name, Cow::Owned(weights.to_bytes())));
        }
        if bots.is_empty() {
            bots.extend(PRETRAINED.map(|((rows, cols), weights)| (format!("{rows}x{cols}"), Cow::Borrowed(weights))));
        }
        let site = Site::new(&bots, self.run.as_deref()).map_err(Failure::input)?;
        if let Some(folder) = &self.export {
            for (path, size) in site.write(folder).map_err(cannot_write(folder))? {
                print(format_args!("{} ({size} bytes)\n", path.display()));
            }
            return Ok(());
        }
        let server = Server::new(site, self.bind, self.port).map_err(Failure::running)?;
        if let Ok(address) = server.address() {
            print(format_args!("http://{address}/ shows the page; Ctrl-C ends it\n"));
        }
        if !self.bind.is_loopback() {
            print_line(format_args!(
                "everyone who can reach {} over the network can read the page, without encryption or password",
                self.bind
            ));
        }
        server.run();
        Ok(())
    }
}
