//! The instruction set of a run.

use std::path::Path;

use super::error::RunError;
use doublecross_core::net::Isa;
use doublecross_core::shell::shell_word;
use doublecross_run::IsaSetting;

/// Returns the instruction set of a run: the one that it `kept`, or else the one that its config
/// `asked` for or that was asked for `beside` it, or else the fastest of this processor.
///
/// One that the config names against the one kept is not
/// looked at here, since it is a conflict of configs like any other.
///
/// # Errors
/// Returns an error if another one is asked for beside the config, or if this processor lacks it.
pub(super) fn isa_of_run(
    folder: &Path,
    kept: IsaSetting,
    asked: IsaSetting,
    beside: Option<Isa>,
) -> Result<Isa, RunError> {
    let path = || shell_word(folder);
    let own = kept.named().or(asked.named());
    if let (Some(own), Some(beside)) = (own, beside.filter(|&beside| own != Some(beside))) {
        return Err(RunError::OtherIsa { path: path(), own: own.name(), beside: beside.name() });
    }
    let isa = own.or(beside).unwrap_or_else(Isa::fastest);
    let available = Isa::available();
    if available.contains(&isa) {
        return Ok(isa);
    }
    let available = available.into_iter().map(Isa::name).collect::<Vec<_>>().join(", ");
    Err(match kept {
        IsaSetting::Named(_) => RunError::LacksIsaOfRun { path: path(), isa: isa.name(), available },
        IsaSetting::Auto => RunError::LacksIsa { isa: isa.name(), available },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use IsaSetting::{Auto, Named};

    #[test]
    fn the_kept_one_comes_first_then_the_one_asked_for() {
        let of = |kept, asked, beside| isa_of_run(Path::new("run"), kept, asked, beside).ok();
        let (portable, fastest) = (Isa::Portable, Isa::fastest());
        assert_eq!(of(Auto, Auto, None), Some(fastest));
        assert_eq!(of(Auto, Auto, Some(portable)), Some(portable));
        assert_eq!(of(Auto, Named(portable), None), Some(portable));
        assert_eq!(of(Named(portable), Auto, None), Some(portable));
        assert_eq!(of(Named(portable), Named(portable), Some(portable)), Some(portable));
        // Another one in the config is found by the comparison of configs.
        assert_eq!(of(Named(portable), Named(fastest), None), Some(portable));
    }

    #[test]
    fn one_that_is_lacking_or_contradicted_is_refused() {
        let error = |kept, asked, beside| isa_of_run(Path::new("run"), kept, asked, beside).unwrap_err().to_string();
        let missing = Isa::ALL.into_iter().find(|isa| !Isa::available().contains(isa)).expect("no processor has all");
        let refused = error(Named(missing), Auto, None);
        assert!(
            refused.contains("run") && refused.contains(missing.name()) && refused.contains("portable"),
            "{refused}"
        );
        assert!(error(Auto, Named(missing), None).contains("isa"));
        for (kept, asked) in [(Named(Isa::Portable), Auto), (Auto, Named(Isa::Portable))] {
            let refused = error(kept, asked, Some(missing));
            assert!(refused.contains("portable") && refused.contains(missing.name()), "{refused}");
        }
    }
}
