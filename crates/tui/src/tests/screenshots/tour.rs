//! A moving picture: keys pressed on the team at work, and the screen after each of them. A row is
//! drawn once for as long as it stays the same.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use super::{folder, svg};
use crate::{
    model::place::{Subject, Tab},
    screen,
    tests::{story::Story, team::pr},
};

const SIZE: (u16, u16) = (100, 30);

/// How long a screen is looked at, a key takes, and two typed letters take, ms.
const LOOK: u32 = 1800;
const STEP: u32 = 700;
const LETTERS: u32 = 240;

/// Rows of a screen, and how long it is shown, ms.
type Shown = (Vec<String>, u32);

#[derive(Default)]
struct Film {
    frames: Vec<Shown>,
}

impl Film {
    fn show(&mut self, story: &Story, lasts: u32) {
        let rows = svg::rows(&screen::draw(&story.app), story.app.model.display.look.theme);
        self.frames.push((rows, lasts));
    }

    fn press(&mut self, story: &mut Story, key: &str, lasts: u32) {
        story.press(key).settle();
        self.show(story, lasts);
    }

    fn type_in(&mut self, story: &mut Story, text: &str) {
        let letters: Vec<char> = text.chars().collect();
        for letters in letters.chunks(2) {
            story.type_in(&letters.iter().collect::<String>());
            self.show(story, LETTERS);
        }
        self.show(story, STEP);
    }

    /// When each screen comes, in percent of the whole, and how long the whole is, ms.
    fn times(&self) -> (Vec<f64>, u32) {
        let all: u32 = self.frames.iter().map(|(_, lasts)| lasts).sum();
        let mut from = 0;
        let mut times = Vec::new();
        for (_, lasts) in &self.frames {
            times.push(f64::from(from) * 100.0 / f64::from(all));
            from += lasts;
        }
        times.push(100.0);
        (times, all)
    }

    /// The drawing. Without motion it is the first screen.
    fn svg(&self, story: &Story) -> String {
        let mut spans = BTreeSet::new();
        let mut body = String::new();
        for y in 0..usize::from(SIZE.1) {
            let mut from = 0;
            while from < self.frames.len() {
                let row = &self.frames[from].0[y];
                let same = self.frames[from..].iter().take_while(|(rows, _)| rows[y] == *row);
                let to = from + same.count();
                if from == 0 && to == self.frames.len() {
                    body.push_str(row);
                } else {
                    spans.insert((from, to));
                    let _ = write!(body, "<g class=\"s{from}-{to}\">\n{row}</g>\n");
                }
                from = to;
            }
        }
        let body = format!("<style>\n{}</style>\n{body}", self.style(&spans));
        let words = "a channel, a message, what needs you, a document, commands";
        svg::page(SIZE, story.app.model.display.look.theme, words, &body)
    }

    fn style(&self, spans: &BTreeSet<(usize, usize)>) -> String {
        let (times, all) = self.times();
        // Browsers do not keep the blanks that `xml:space` asks for.
        let mut style = "text{white-space:pre}\n".to_owned();
        for (from, to) in spans {
            let name = format!("s{from}-{to}");
            let (start, end) = (times[*from], times[*to]);
            let first = if *from == 0 { "visible" } else { "hidden" };
            let end = if *to == self.frames.len() {
                String::new()
            } else {
                format!("{end:.2}%{{visibility:hidden}}")
            };
            let _ = writeln!(
                style,
                ".{name}{{visibility:{first};animation:{name} {all}ms step-end infinite}}\n\
                 @keyframes {name}{{0%{{visibility:{first}}}{start:.2}%{{visibility:visible}}{end}}}"
            );
        }
        style + "@media (prefers-reduced-motion:reduce){g{animation:none!important}}\n"
    }
}

fn tour() -> String {
    let (mut film, mut story) = (Film::default(), Story::team().sized(SIZE.0, SIZE.1));
    story.visit(Subject::Workflow(pr()), Tab::Channel);
    film.show(&story, LOOK);
    film.press(&mut story, "K", STEP);
    film.press(&mut story, "K", STEP);
    film.press(&mut story, "enter", LOOK);
    film.press(&mut story, "esc", STEP);
    film.press(&mut story, "a", LOOK);
    film.press(&mut story, "f", STEP);
    film.type_in(&mut story, "notes");
    film.press(&mut story, "enter", LOOK);
    film.press(&mut story, "D", LOOK);
    film.press(&mut story, ":", STEP);
    film.type_in(&mut story, "stop cod");
    film.press(&mut story, "enter", LOOK);
    film.press(&mut story, "n", STEP);
    film.press(&mut story, "2", LOOK);
    film.svg(&story)
}

#[test]
fn pictures_show_a_tour_of_the_screens_as_they_are() {
    let (path, picture) = (folder().join("tour.svg"), tour());
    if std::env::var("SCREENSHOTS").is_ok_and(|wish| wish == "write") {
        fs::write(&path, &picture).unwrap();
    }
    assert_eq!(picture, tour(), "the same every time");
    assert!(picture.len() < 180 * 1024, "{}", picture.len());
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == picture, "tour.svg is old: screenshots/make makes it anew");
}
