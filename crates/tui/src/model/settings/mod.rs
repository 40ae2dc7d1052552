//! What the person wants of the screen: `[tui]` of `config.toml`.

mod environment;

use serde::{Deserialize, Serialize};

use agent_worker_client::text::Zone;

use crate::{
    keys::Keymap,
    symbols::{Set, Symbols},
    theme::{Palette, Theme},
};

pub use environment::Environment;

/// What the screen looks like.
#[derive(Debug, Clone)]
pub struct Look {
    pub theme: Theme,
    pub symbols: &'static Symbols,
    /// Where times are shown
    pub zone: Zone,
    pub motion: bool,
}

/// Which colours: `auto` lets the environment and the terminal say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Colours {
    #[default]
    Auto,
    Ansi16,
    /// Fixed ones for a dark background.
    Dark,
    /// Fixed ones for a light background.
    Light,
    /// Fixed ones with a dark background of their own.
    Night,
    /// Fixed ones with a light background of their own.
    Day,
    /// None.
    Mono,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Characters {
    /// By the environment and the terminal.
    #[default]
    Auto,
    Unicode,
    /// Those that are one cell wide everywhere.
    Narrow,
    Ascii,
}

/// On, off, or by the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// By the environment: off where the terminal is far away.
    #[default]
    Auto,
    On,
    Off,
}

/// Whether something is rung for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    Off,
    /// The terminal's bell, once for what is new.
    #[default]
    Bell,
}

/// Whether acts on one thing ask first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier1 {
    #[default]
    Ask,
    Skip,
}

/// How agents stand in the tree and on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// By name: nothing moves while it is looked at.
    #[default]
    Name,
    /// Those that need the user first, then those at work.
    Need,
}

/// `confirm = { tier1 = "ask" }`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Confirm {
    /// Acts on one thing
    pub tier1: Tier1,
}

/// The settings, without the keys.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub theme: Colours,
    pub symbols: Characters,
    pub motion: Switch,
    /// Whether the mouse is taken
    pub mouse: Switch,
    pub notify: Notify,
    pub order: Order,
    /// In which zone times are shown: `local`, `UTC` or a name
    pub timezone: Option<String>,
    pub confirm: Confirm,
    /// Machines whose daemons are roots of the tree: `here`, or where ssh goes to
    pub hosts: Vec<String>,
    /// Machines on which nothing is changed: a name, or a beginning with `*`
    pub read_only_hosts: Vec<String>,
}

impl Settings {
    /// How the screen looks to begin with.
    pub fn look(&self, environment: &Environment) -> Look {
        let on_light = environment.is_light();
        let palette = match self.theme {
            _ if environment.no_color => Palette::Mono,
            Colours::Auto | Colours::Ansi16 => Palette::Ansi16,
            Colours::Dark => Palette::Dark,
            Colours::Light => Palette::Light,
            Colours::Night => Palette::Night,
            Colours::Day => Palette::Day,
            Colours::Mono => Palette::Mono,
        };
        let set = match self.symbols {
            Characters::Auto if environment.is_utf8() => Set::Unicode,
            Characters::Auto | Characters::Ascii => Set::Ascii,
            Characters::Unicode => Set::Unicode,
            Characters::Narrow => Set::Narrow,
        };
        let zone = self.timezone.as_deref().and_then(|name| Zone::named(name).ok());
        Look {
            theme: Theme { palette, depth: environment.depth, on_light },
            symbols: Symbols::of(set),
            zone: zone.unwrap_or_else(Zone::local),
            motion: self.motion != Switch::Off,
        }
    }

    /// Whether the mouse is taken to begin with.
    pub fn takes_mouse(&self, environment: &Environment) -> bool {
        match self.mouse {
            Switch::Auto => !environment.is_remote,
            Switch::On => true,
            Switch::Off => false,
        }
    }

    /// Whether the terminal may have a say about the characters.
    pub fn has_free_symbols(&self) -> bool {
        self.symbols == Characters::Auto
    }

    /// Whether acts on one thing ask first.
    pub fn asks(&self) -> bool {
        self.confirm.tier1 == Tier1::Ask
    }

    /// Whether it rings for what is new.
    pub fn rings(&self) -> bool {
        self.notify == Notify::Bell
    }

    /// Whether nothing is changed on a machine of this name.
    pub fn is_read_only(&self, host: &str) -> bool {
        self.read_only_hosts.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => host.starts_with(start),
            None => host == pattern,
        })
    }
}

/// Settings that are changed from the screen, with the values of each.
pub const CHANGED: [(&str, &[&str]); 6] = [
    ("theme", &["auto", "ansi16", "dark", "light", "night", "day", "mono"]),
    ("symbols", &["auto", "unicode", "narrow", "ascii"]),
    ("motion", &["auto", "on", "off"]),
    ("mouse", &["auto", "on", "off"]),
    ("notify", &["bell", "off"]),
    ("order", &["name", "need"]),
];

impl Settings {
    /// The value of a setting of [`CHANGED`].
    pub fn value(&self, name: &str) -> String {
        let all = serde_json::to_value(self).unwrap_or_default();
        all[name].as_str().unwrap_or_default().to_owned()
    }

    /// Gives it another value; an unknown one changes nothing.
    pub fn set(&mut self, name: &str, value: &str) {
        let mut all = serde_json::to_value(&*self).unwrap_or_default();
        all[name] = value.into();
        if let Ok(settings) = serde_json::from_value(all) {
            *self = settings;
        }
    }
}

/// The settings with the keys.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    pub settings: Settings,
    pub keymap: Keymap,
}
