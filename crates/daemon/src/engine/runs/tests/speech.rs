use super::*;

const LIMIT: Duration = Duration::from_mins(5);

/// A run whose seconds pass as the test says.
struct Scene {
    begun: Instant,
    speech: Speech,
}

impl Scene {
    fn begin() -> Self {
        let begun = Instant::now();
        Self { begun, speech: Speech::begin(LIMIT, Timestamp(0), begun) }
    }

    fn at(&self, second: u64) -> (Timestamp, Instant) {
        let ms = i64::try_from(second * 1000).unwrap();
        (Timestamp(ms), self.begun + Duration::from_secs(second))
    }

    fn heard(&mut self, second: u64) {
        let (at, now) = self.at(second);
        self.speech.heard(at, now);
    }

    fn rest(&mut self, rests: bool, second: u64) {
        let (at, now) = self.at(second);
        self.speech.rest(rests, at, now);
    }

    /// The second at which something is due.
    fn due(&self) -> Option<u64> {
        self.speech.due().map(|due| due.duration_since(self.begun).as_secs())
    }

    /// What is stored at a second: the second of the last words, and whether it is silent.
    fn take(&mut self, with_others: bool, second: u64) -> Option<(i64, bool)> {
        let spoke = self.speech.take(with_others, self.at(second).1)?;
        Some((spoke.at.0 / 1000, spoke.is_silent))
    }
}

#[test]
fn while_words_come_the_stored_time_follows_them_every_few_seconds() {
    let mut scene = Scene::begin();
    let mut stored = Vec::new();
    for second in 1..=20 {
        scene.heard(second);
        stored.extend(scene.take(false, second).map(|(at, _)| at));
    }
    assert_eq!(stored, [5, 10, 15, 20]);
    scene.heard(21);
    assert_eq!(scene.take(true, 21), Some((21, false)), "with what is stored anyway");
    assert_eq!(scene.take(true, 21), None);
}

#[test]
fn once_words_cease_the_stored_time_is_exact_before_the_run_is_called_silent() {
    let mut scene = Scene::begin();
    scene.heard(3);
    assert_eq!((scene.take(false, 3), scene.due()), (None, Some(13)));
    assert_eq!(scene.take(false, 13), Some((3, false)));
    assert_eq!(scene.due(), Some(303));
}

#[test]
fn a_run_beyond_the_limit_is_silent_until_it_speaks_again() {
    let mut scene = Scene::begin();
    assert_eq!(scene.due(), Some(300));
    assert_eq!(scene.take(false, 300), Some((0, true)));
    assert_eq!((scene.due(), scene.take(true, 400)), (None, None));
    scene.heard(401);
    assert_eq!(scene.due(), Some(401));
    assert_eq!(scene.take(false, 401), Some((401, false)));
}

#[test]
fn a_run_that_waits_for_the_user_is_not_silent() {
    let mut scene = Scene::begin();
    scene.rest(true, 2);
    assert_eq!(scene.take(false, 12), Some((2, false)));
    assert_eq!((scene.due(), scene.take(true, 9000)), (None, None));
    scene.rest(false, 9001);
    assert_eq!(scene.take(false, 9002), Some((9001, false)));
    assert_eq!(scene.due(), Some(9301), "its silence begins when it goes on");
    assert_eq!(scene.take(false, 9301), Some((9001, true)));
    scene.rest(true, 9302);
    assert_eq!(scene.take(false, 9302), Some((9302, false)));
}
