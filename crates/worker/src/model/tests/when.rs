use reqwest::header::{HeaderName, HeaderValue};

use super::*;

fn told(headers: &[(&'static str, &'static str)]) -> Option<Duration> {
    let now = "1994-11-06T08:49:37Z".parse().unwrap();
    let headers = headers
        .iter()
        .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
    retry_after(&headers.collect(), now)
}

#[test]
fn seconds_and_dates_are_understood() {
    let ms = |ms| Some(Duration::from_millis(ms));
    for (headers, expected) in [
        (&[("retry-after", "3")][..], ms(3000)),
        (&[("retry-after", " 0.25 ")], ms(250)),
        (&[("retry-after", "9"), ("retry-after-ms", "40")], ms(40)),
        (&[("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT")], ms(10_000)),
        (&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")], ms(0)),
        (
            &[
                ("retry-after", "Sun, 06 Nov 1994 12:00:05 GMT"),
                ("date", "Sun, 06 Nov 1994 12:00:00 GMT"),
            ],
            ms(5000),
        ),
        (&[("retry-after", "99999999999")], Some(LONGEST)),
    ] {
        assert_eq!(told(headers), expected, "{headers:?}");
    }
}

#[test]
fn what_makes_no_sense_is_not_told() {
    for bad in ["", "soon", "-1", "NaN", "inf", "Sun, 06 Foo 1994 08:49:47 GMT"] {
        assert_eq!(told(&[("retry-after", bad)]), None, "{bad}");
    }
    assert_eq!(told(&[]), None);
}
