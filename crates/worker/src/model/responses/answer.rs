//! A stream of events of the Responses interface.

use std::collections::HashMap;

use serde_json::Value;

use super::said::{Said, Whole, seal, used};
use crate::model::{Event, ModelError, Part, Reader, Stop, Told, sse::SseEvent};

/// An answer as far as it was read.
#[derive(Debug, Default)]
pub struct Answer {
    begun: usize,
    /// Pieces that are open, by the number of their item and of their part in it
    open: HashMap<(u64, u64), Open>,
    is_refused: bool,
    stop: Option<Stop>,
}

/// A piece that is open.
#[derive(Debug, Clone, Copy)]
struct Open {
    n: usize,
    /// Whether any text of it has arrived
    has_grown: bool,
}

impl Reader for Answer {
    fn read(&mut self, event: &SseEvent, heard: &mut dyn FnMut(Event)) -> Result<bool, ModelError> {
        let said: Said = serde_json::from_str(&event.data).map_err(ModelError::garbled)?;
        if said.kind == "error" {
            return Err(ModelError::of_stream(&Told::read(&event.data)));
        }
        let Some(event) = said.kind.strip_prefix("response.") else { return Ok(false) };
        let place = (said.output_index, said.content_index);
        match event {
            "output_item.added" => self.begin_item(said.output_index, &said.item, heard),
            "content_part.added" => self.begin_part(place, &said.part, heard),
            "output_text.delta" => self.text(place, &said.delta, heard),
            "refusal.delta" => {
                self.is_refused = true;
                self.text(place, &said.delta, heard);
            }
            "reasoning_summary_part.added" if said.summary_index > 0 => {
                self.grow((said.output_index, 0), "\n\n", heard);
            }
            "reasoning_summary_text.delta"
            | "reasoning_text.delta"
            | "function_call_arguments.delta" => {
                self.grow((said.output_index, 0), &said.delta, heard);
            }
            "output_item.done" => self.end_item(said.output_index, &said.item, heard),
            "completed" | "incomplete" | "failed" => {
                self.close(event, said.response, heard)?;
                return Ok(true);
            }
            _ => {}
        }
        Ok(false)
    }

    fn end(&mut self, _: &mut dyn FnMut(Event)) -> Option<Stop> {
        self.stop.map(|stop| if self.is_refused { Stop::Refusal } else { stop })
    }
}

impl Answer {
    fn begin(&mut self, place: (u64, u64), part: Part, heard: &mut dyn FnMut(Event)) {
        let n = self.begun;
        self.begun += 1;
        self.open.insert(place, Open { n, has_grown: false });
        heard(Event::Begin { n, part });
    }

    /// A message begins with its first part.
    fn begin_item(&mut self, item: u64, is: &Value, heard: &mut dyn FnMut(Event)) {
        let text = |key: &str| is[key].as_str().unwrap_or_default().to_owned();
        let part = match is["type"].as_str() {
            Some("reasoning") => Part::thinking(),
            Some("function_call") => {
                let id = [text("call_id"), text("id"), format!("call_{item}")];
                let id = id.into_iter().find(|id| !id.is_empty()).unwrap_or_default();
                Part::calling(id, text("name"))
            }
            _ => return,
        };
        self.begin((item, 0), part, heard);
    }

    fn begin_part(&mut self, place: (u64, u64), part: &Value, heard: &mut dyn FnMut(Event)) {
        let is_text = matches!(part["type"].as_str(), Some("output_text" | "refusal"));
        if is_text && !self.open.contains_key(&place) {
            self.begin(place, Part::Text(String::new()), heard);
        }
    }

    /// Some servers begin no part.
    fn text(&mut self, place: (u64, u64), text: &str, heard: &mut dyn FnMut(Event)) {
        if !self.open.contains_key(&place) {
            self.begin(place, Part::Text(String::new()), heard);
        }
        self.grow(place, text, heard);
    }

    fn grow(&mut self, place: (u64, u64), text: &str, heard: &mut dyn FnMut(Event)) {
        let Some(open) = self.open.get_mut(&place).filter(|_| !text.is_empty()) else { return };
        open.has_grown = true;
        heard(Event::Grow { n: open.n, text: text.to_owned() });
    }

    /// What an item has that did not come in pieces is in its end.
    fn end_item(&mut self, item: u64, is: &Value, heard: &mut dyn FnMut(Event)) {
        match is["type"].as_str() {
            Some("message") => {
                let parts = is["content"].as_array().into_iter().flatten();
                for (part, content) in (0..).zip(parts) {
                    let whole = content["text"].as_str().or(content["refusal"].as_str());
                    self.is_refused |= content["type"] == "refusal";
                    if let Some(whole) = whole.filter(|whole| !whole.is_empty()) {
                        self.whole((item, part), Part::Text(String::new()), whole, heard);
                    }
                }
            }
            Some("reasoning") => {
                let texts = |key: &str| {
                    let parts = is[key].as_array().into_iter().flatten();
                    let texts = parts.filter_map(|part| part["text"].as_str());
                    texts.collect::<Vec<_>>().join("\n\n")
                };
                let shown = [texts("summary"), texts("content")];
                let shown = shown.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
                self.whole((item, 0), Part::thinking(), &shown, heard);
                if let Some((open, seal)) = self.open.get(&(item, 0)).zip(seal(is)) {
                    heard(Event::Sign { n: open.n, seal });
                }
            }
            Some("function_call") => {
                if !self.open.contains_key(&(item, 0)) {
                    self.begin_item(item, is, heard);
                }
                let whole = is["arguments"].as_str().unwrap_or_default();
                self.whole((item, 0), Part::Text(String::new()), whole, heard);
            }
            _ => {}
        }
        let mut ended: Vec<_> = self.open.extract_if(|(of, _), _| *of == item).collect();
        ended.sort_by_key(|(place, _)| *place);
        for (_, open) in ended {
            heard(Event::End { n: open.n });
        }
    }

    /// A piece that is still empty.
    fn whole(&mut self, place: (u64, u64), part: Part, text: &str, heard: &mut dyn FnMut(Event)) {
        if !self.open.contains_key(&place) {
            self.begin(place, part, heard);
        }
        if self.open.get(&place).is_some_and(|open| !open.has_grown) {
            self.grow(place, text, heard);
        }
    }

    /// The whole answer is there, or as much of it as there will be.
    fn close(
        &mut self,
        event: &str,
        whole: Option<Whole>,
        heard: &mut dyn FnMut(Event),
    ) -> Result<(), ModelError> {
        let whole = whole.unwrap_or_default();
        if let Some(counted) = whole.usage.filter(Value::is_object) {
            heard(Event::Used(used(&counted)));
        }
        if event == "failed" {
            let error = whole.error.unwrap_or_default();
            return Err(ModelError::of_stream(&Told::of(&error)));
        }
        // Pieces without an end were cut.
        let mut cut: Vec<_> = self.open.drain().map(|(_, open)| open.n).collect();
        cut.sort_unstable();
        for n in cut {
            heard(Event::End { n });
        }
        let reason = whole.incomplete_details.and_then(|details| details.reason);
        self.stop = Some(match (event, reason.as_deref()) {
            ("incomplete", Some("content_filter")) => Stop::Refusal,
            ("incomplete", _) => Stop::Length,
            _ => Stop::Done,
        });
        Ok(())
    }
}
