//! `doublecross fleet`: the machines that play the games of a run together.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::fleet::show::show;
use crate::cli::terminal::stderr::{print_detail, print_line};
use crate::cli::{Failure, print};
use doublecross_core::shell::shell_word;
use doublecross_fleet::{DEFAULT_PORT, Fleet, FleetError, FleetSettings, MachineName, Role};

/// Let many machines play the games of a run.
///
/// The machines meet at a NATS server. With its address, the state of the run is shown: who plays,
/// how fast, what was checked, and how many threads the learner can feed. `init` makes a folder with
/// its configuration and a key for each machine; `key` and `revoke` change later who is let in.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  doublecross fleet init fleet --host games.example.org --bind 0.0.0.0
  nats-server -c fleet/nats.conf
  doublecross fleet key fleet laptop
  doublecross fleet revoke fleet worker-3
  doublecross fleet games.example.org --key fleet/observer.key")]
pub(crate) struct FleetCommand {
    #[command(subcommand)]
    command: Option<FolderCommand>,
    #[command(flatten)]
    show: Option<Show>,
}

/// The state of the run that uses a server.
#[derive(Debug, Args)]
struct Show {
    /// Show who plays for the run that uses the server at this address, again and again on a terminal.
    #[arg(value_name = "URL", requires = "key")]
    address: String,
    /// The observer's or the coordinator's key to the server.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The commands on a fleet's folder.
#[derive(Debug, Subcommand)]
enum FolderCommand {
    Init(Init),
    Key(AddKey),
    Revoke(Revoke),
}

/// Make the folder of a new fleet: the server's configuration, and keys.
///
/// There is a key for the coordinator, one for an observer, and one for each worker. Whoever has a
/// key can act as that machine, so send each only to its machine. The server's certificate holds
/// for the given hosts and for the names of this machine; for other hosts, make a new fleet. The
/// server listens on this machine alone unless --bind says otherwise.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross fleet init fleet
  nats-server -c fleet/nats.conf
  doublecross fleet init fleet-2 --host games.example.org --bind 0.0.0.0")]
struct Init {
    /// The folder, which must be new or empty.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Workers to make keys for, named worker-1 and so on.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    workers: u32,
    /// A name or address under which machines reach the server. May be given more than once.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// The port that the server listens on.
    #[arg(long, value_name = "P", default_value_t = DEFAULT_PORT, value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
    /// The address that the server listens on; 0.0.0.0 for all of this machine, which other machines
    /// need.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
}

/// Make a key for one more machine.
///
/// The server's configuration is written anew, from fleet.toml, and the old one is kept as
/// nats.conf.old. `nats-server --signal reload` lets a running server take it up.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross fleet key fleet laptop
  doublecross fleet key fleet desk --role observer")]
struct AddKey {
    /// The fleet's folder.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The machine's name: 1 to 32 of the characters a to z, 0 to 9 and -.
    name: MachineName,
    /// The role of the machine.
    #[arg(long, value_enum, default_value_t = NewRole::Worker)]
    role: NewRole,
}

/// The roles of which a fleet has any number.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum NewRole {
    /// Play games and hand them in.
    Worker,
    /// Ask for the state of the run.
    Observer,
}

/// Let a machine in no longer.
///
/// Its key is removed from the server's configuration and from the folder. `nats-server --signal
/// reload` lets a running server take that up, which also ends the machine's connection.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross fleet revoke fleet worker-3")]
struct Revoke {
    /// The fleet's folder.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The machine's name.
    name: MachineName,
}

/// The steps that are left after a change of the configuration.
const RELOAD: &str = "reload a running server: nats-server --signal reload";

impl FleetCommand {
    pub fn run(self) -> Result<(), Failure> {
        match (self.command, self.show) {
            (Some(FolderCommand::Init(command)), _) => command.run().map_err(failure),
            (Some(FolderCommand::Key(command)), _) => command.run().map_err(failure),
            (Some(FolderCommand::Revoke(command)), _) => command.run().map_err(failure),
            (None, Some(Show { address, key, json })) => show(&address, key, json),
            (None, None) => Err(Failure::input(anyhow::anyhow!(
                "a command or a server's address is missing (doublecross fleet --help shows how)"
            ))),
        }
    }
}

impl Init {
    fn run(self) -> Result<(), FleetError> {
        let Init { folder, workers, hosts, port, bind } = self;
        let settings = FleetSettings { workers: workers as usize, hosts, bind, port };
        let fleet = Fleet::create(&folder, &settings)?;
        print_detail(format_args!("the server's certificate holds for {}", fleet.hosts().join(", ")));
        let workers = match workers {
            0 => String::new(),
            1 => ", worker-1".into(),
            _ => format!(", worker-1 to worker-{workers}"),
        };
        let (folder, config) = (shell_word(folder), shell_word(fleet.config_path()));
        let address = SocketAddr::new(bind, port);
        print(format_args!("{folder}: a server on {address}; keys of coordinator, observer{workers}\n"));
        print(format_args!("start the server: nats-server -c {config}\n"));
        if bind.is_loopback() && !settings.hosts.is_empty() {
            print_line(format_args!(
                "other machines cannot reach {bind}: the server listens on this machine alone (pass --bind 0.0.0.0)"
            ));
        }
        Ok(())
    }
}

impl AddKey {
    fn run(self) -> Result<(), FleetError> {
        let role = match self.role {
            NewRole::Worker => Role::Worker,
            NewRole::Observer => Role::Observer,
        };
        let path = Fleet::open(&self.folder)?.add(self.name, role)?;
        print(format_args!("{}: the key of a new {role}\n{RELOAD}\n", shell_word(path)));
        Ok(())
    }
}

impl Revoke {
    fn run(self) -> Result<(), FleetError> {
        Fleet::open(&self.folder)?.revoke(&self.name)?;
        print(format_args!("{}: {} is let in no longer\n{RELOAD}\n", shell_word(&self.folder), self.name));
        Ok(())
    }
}

fn failure(error: FleetError) -> Failure {
    use FleetError::{Certificates, Key, Nkey, Write};
    match error {
        Write { .. } | Key(_) | Nkey(_) | Certificates(_) => Failure::running(error),
        _ => Failure::input(error),
    }
}
