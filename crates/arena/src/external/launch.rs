//! Start and end of a bot's processes.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use super::ExternalLimits;
use super::pipes::Pipes;
#[cfg(target_os = "linux")]
use super::supervisor;
use super::supervisor::{Settings, Supervisor};

/// The bot's ends of the pipes to it.
pub(super) struct BotEnds {
    pub stdin: OwnedEnd,
    pub stdout: OwnedEnd,
    pub stderr: OwnedEnd,
}

#[cfg(unix)]
type OwnedEnd = std::os::fd::OwnedFd;
#[cfg(windows)]
type OwnedEnd = std::os::windows::io::OwnedHandle;

impl BotEnds {
    /// Makes the ends the standard streams of a command.
    pub fn give_to(self, command: &mut Command) {
        command.stdin(Stdio::from(self.stdin)).stdout(Stdio::from(self.stdout)).stderr(Stdio::from(self.stderr));
    }
}

/// The way in which the processes of bots are started.
///
/// By default this process starts a bot's processes itself, confines them to nothing, and ends
/// those that stay in the bot's process group; on Windows only the first one. On Linux, a
/// supervisor ends all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    is_supervised: bool,
    is_sandboxed: bool,
    read_only: Vec<PathBuf>,
}

impl Launch {
    /// Starts bots through a supervisor, which is this program again, and confines them as far as
    /// the system allows. The program's `main` has to begin with [`supervise`]. On other systems than
    /// Linux this is the default.
    pub fn supervised() -> Launch {
        Launch { is_supervised: cfg!(target_os = "linux"), is_sandboxed: true, read_only: Vec::new() }
    }

    /// Returns the launch without the confinement of bots. All their processes are ended even so.
    #[must_use]
    pub fn without_sandbox(self) -> Launch {
        Launch { is_sandboxed: false, ..self }
    }

    /// Returns the launch with one more file that bots cannot change, even where they may change
    /// others.
    #[must_use]
    pub fn with_read_only(mut self, path: PathBuf) -> Launch {
        self.read_only.push(path);
        self
    }

    /// Starts an empty bot, and returns a description of each protection that this system lacks.
    /// There is none for a launch without a sandbox.
    ///
    /// # Errors
    /// Returns an error if this system fails to start bots.
    pub fn unprotected(&self) -> io::Result<Vec<&'static str>> {
        #[cfg(target_os = "linux")]
        if self.is_supervised {
            let mut supervisor = Supervisor::spawn(&self.settings(":".into()))?;
            supervisor.start()?;
            let unprotected = supervisor.unprotected().descriptions();
            supervisor.end(supervisor::START_TIME)?;
            return Ok(if self.is_sandboxed { unprotected } else { Vec::new() });
        }
        Ok(if self.is_sandboxed { vec!["bots can do whatever this user can"] } else { Vec::new() })
    }

    /// The supervisor's settings for a bot.
    #[cfg(target_os = "linux")]
    fn settings(&self, command: String) -> Settings {
        Settings { command, is_sandboxed: self.is_sandboxed, read_only: self.read_only.clone() }
    }
}

/// Runs this process as a supervisor of bots and returns its exit status, if it was started as one.
/// It must be called before the process starts a thread.
pub fn supervise(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    return Settings::from_arguments(arguments).map(supervisor::run);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = arguments;
        None
    }
}

/// Starts and ends a bot, as often as it takes.
pub(super) struct Launcher {
    command: String,
    #[cfg(target_os = "linux")]
    launch: Launch,
    /// The bot's shell, unless a supervisor has started it.
    child: Option<Child>,
    #[cfg(target_os = "linux")]
    supervisor: Option<Supervisor>,
}

impl Launcher {
    /// Returns the launcher of a shell command.
    pub fn new(
        command: &str,
        limits: ExternalLimits,
        #[cfg_attr(not(target_os = "linux"), expect(unused_variables))] launch: Launch,
    ) -> Launcher {
        // On Windows there is no limit of memory.
        let is_limited = limits.memory > 0 && cfg!(unix);
        let limit = if is_limited { format!("ulimit -v {}; ", limits.memory * 1024) } else { String::new() };
        Launcher {
            command: format!("{limit}{command}"),
            #[cfg(target_os = "linux")]
            launch,
            child: None,
            #[cfg(target_os = "linux")]
            supervisor: None,
        }
    }

    /// Starts the bot, which must not be running, and returns the pipes to it.
    ///
    /// # Errors
    /// Returns an error if this system fails to do so, which is no failure of the bot.
    pub fn start(&mut self) -> io::Result<Pipes> {
        #[cfg(target_os = "linux")]
        if self.launch.is_supervised {
            let supervisor = match &mut self.supervisor {
                Some(supervisor) => supervisor,
                None => self.supervisor.insert(Supervisor::spawn(&self.launch.settings(self.command.clone()))?),
            };
            return supervisor.start().inspect_err(|_| self.supervisor = None);
        }
        let (pipes, ends) = Pipes::new()?;
        let mut shell = shell(&self.command);
        ends.give_to(&mut shell);
        self.child = Some(shell.spawn()?);
        Ok(pipes)
    }

    /// Ends the bot's processes. Returns the status with which the bot ended, if it did so by itself
    /// before or within `patience`.
    ///
    /// # Errors
    /// Returns an error if this system failed to start the bot after all.
    pub fn end(&mut self, patience: Duration) -> io::Result<Option<String>> {
        #[cfg(target_os = "linux")]
        if let Some(supervisor) = &mut self.supervisor {
            let status = supervisor.end(patience);
            if supervisor.is_lost() {
                self.supervisor = None;
            }
            return status;
        }
        let Some(mut child) = self.child.take() else { return Ok(None) };
        let deadline = Instant::now() + patience;
        let mut status = child.try_wait().ok().flatten();
        while status.is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
            status = child.try_wait().ok().flatten();
        }
        #[cfg(unix)]
        {
            let group = rustix::process::Pid::from_child(&child);
            // An error means that the group has ended already.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = child.kill();
        let _ = child.wait();
        Ok(status.map(|status| status.to_string()))
    }
}

/// Returns the shell that runs a command, in a process group of its own.
#[cfg(unix)]
pub(super) fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command);
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    shell
}

/// Returns the shell that runs a command.
#[cfg(windows)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    std::os::windows::process::CommandExt::raw_arg(shell.arg("/C"), command);
    shell
}
