//! The page on which people play, analyze and watch games, and watch training, in a browser: static files, in
//! `site/`, and bots as WebAssembly modules, which run in the browser.

mod followed_run;
mod http;
mod server;
mod site;

pub use followed_run::FollowedRun;
pub use server::serve;
pub use site::Site;
