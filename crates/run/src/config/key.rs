//! A key of the config, and the macro that declares a table of them.

/// A key's behavior when a run is resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// The run keeps the value that it started with; another one is refused.
    Fixed,
    /// The new value is taken.
    MayChange,
}

/// A key of the config. Its type and its default are those of the field that it is declared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// The name, after that of its table and a dot where it is in one: `learn.batch`.
    pub path: &'static str,
    /// The meaning, in one line.
    pub doc: &'static str,
    /// The smallest and the largest value of a number that has limits.
    pub range: Option<(f64, f64)>,
    /// For a key that may be absent, which means something else than any of its values: a value that it may have,
    /// in TOML.
    pub example: Option<&'static str>,
    /// The behavior when a run is resumed.
    pub resume: Resume,
    /// `true` for a key of a table that phases may change, if they may not change this one.
    pub is_whole_run: bool,
}

impl Key {
    pub(super) const fn new(path: &'static str, doc: &'static str) -> Key {
        Key { path, doc: doc.trim_ascii(), range: None, example: None, resume: Resume::Fixed, is_whole_run: false }
    }

    /// Returns `true` if the key may be absent.
    pub fn is_optional(&self) -> bool {
        self.example.is_some()
    }

    pub(super) const fn range(self, low: f64, high: f64) -> Key {
        Key { range: Some((low, high)), ..self }
    }

    pub(super) const fn optional(self, example: &'static str) -> Key {
        Key { example: Some(example), ..self }
    }

    pub(super) const fn may_change(self) -> Key {
        Key { resume: Resume::MayChange, ..self }
    }

    pub(super) const fn whole_run(self) -> Key {
        Key { is_whole_run: true, ..self }
    }
}

/// A table of the config, or the keys above all tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// The meaning, in one line.
    pub doc: &'static str,
    /// The keys, in the order of a config file.
    pub keys: &'static [Key],
}

impl Section {
    /// Returns the table's name; empty for the keys above all tables.
    pub fn name(&self) -> &'static str {
        split(self.keys[0].path).0
    }
}

/// Splits a key's path into the name of its table, empty for none, and its own.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.split_once('.').unwrap_or(("", path))
}

/// Declares a table of the config: a struct, its default and its [`Section`].
///
/// Each key is written once: its meaning, name, type and default, followed by calls of [`Key`]'s constructors. The name
/// in quotes stands before each key's own; `tables` names the tables within, and `list` an array of tables. A key that
/// may be absent is an `Option`, `None` by default.
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        $prefix:literal $config:ident {
            $(
                $(#[doc = $doc:literal])+
                $(#[serde($($serde:tt)*)])?
                $key:ident: $type:ty = $default:expr $(, $set:ident($($argument:expr),*))*;
            )+
        }
        $(tables { $($table:ident: $inner:ident),+ })?
        $(list { $(#[doc = $list_doc:literal])+ $list:ident, $list_name:literal: $item:ty })?
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, expecting = "a table")]
        pub struct $config {
            $(
                $(#[doc = $doc])+
                $(#[serde($($serde)*)])?
                pub $key: $type,
            )+
            $($(
                #[doc = concat!("The table `[", stringify!($table), "]`.")]
                pub $table: $inner,
            )+)?
            $(
                $(#[doc = $list_doc])+
                #[serde(rename = $list_name, skip_serializing_if = "Vec::is_empty")]
                pub $list: Vec<$item>,
            )?
        }

        impl Default for $config {
            fn default() -> $config {
                $config {
                    $($key: $default,)+
                    $($($table: $inner::default(),)+)?
                    $($list: Vec::new(),)?
                }
            }
        }

        impl $config {
            pub(super) const SECTION: Section = Section {
                doc: concat!($($about),+).trim_ascii(),
                keys: &[$(
                    Key::new(concat!($prefix, stringify!($key)), concat!($($doc),+)) $(.$set($($argument),*))*
                ),+],
            };
        }
    };
}

pub(super) use section;
