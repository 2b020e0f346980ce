//! The colours of a report. Without colours every style is empty, so that texts contain no escape sequences.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

#[derive(Clone, Copy, Debug)]
pub struct Palette {
    pub error: Style,
    pub warning: Style,
    pub good: Style,
    /// Line numbers, arrows and frames of source snippets.
    pub frame: Style,
    pub strong: Style,
    pub faint: Style,
}

impl Palette {
    pub const PLAIN: Palette = Palette {
        error: Style::new(),
        warning: Style::new(),
        good: Style::new(),
        frame: Style::new(),
        strong: Style::new(),
        faint: Style::new(),
    };

    pub fn new(color: bool) -> Palette {
        if !color {
            return Palette::PLAIN;
        }
        let bold = Style::new().bold();
        Palette {
            error: bold.fg_color(Some(AnsiColor::Red.into())),
            warning: bold.fg_color(Some(AnsiColor::Yellow.into())),
            good: bold.fg_color(Some(AnsiColor::Green.into())),
            frame: bold.fg_color(Some(AnsiColor::Blue.into())),
            strong: bold,
            faint: Style::new().dimmed(),
        }
    }
}

pub fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
