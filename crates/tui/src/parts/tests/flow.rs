use proptest::prelude::*;

use super::*;
use crate::cases::cases;

impl Flow for Vec<usize> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn height(&self, item: usize) -> usize {
        self[item]
    }

    fn width(&self) -> usize {
        80
    }

    fn height_at(&self, item: usize, width: usize) -> usize {
        self[item] * 80 / width
    }
}

/// The number of the row at a spot, counted from the first.
fn row(flow: &[usize], spot: Spot) -> usize {
    flow[..spot.item].iter().sum::<usize>() + spot.line
}

#[test]
fn a_window_stands_as_far_down_in_an_item_that_is_laid_out_anew() {
    let heights = vec![10, 100, 10];
    for (line, width) in [(50, 80), (25, 160), (100, 40)] {
        let spot = place(&heights, View::At { mark: 1, line, width }, 20, |mark| mark);
        assert_eq!(spot, Spot { item: 1, line: 50 }, "{width} columns");
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_window_moves_by_rows_and_stays_within(
        heights in prop::collection::vec(1..7_usize, 1..30),
        height in 1..20_usize,
        steps in prop::collection::vec(-25..25_isize, 0..20),
    ) {
        let total: usize = heights.iter().sum();
        let last = total.saturating_sub(height);
        let mut spot = end(&heights, height);
        prop_assert_eq!(row(&heights, spot), last);
        for step in steps {
            let wanted = row(&heights, spot).saturating_add_signed(step).min(last);
            spot = scrolled(&heights, spot, step, height);
            prop_assert_eq!(row(&heights, spot), wanted);
        }
    }

    #[test]
    fn a_window_holds_the_item_it_was_moved_to(
        heights in prop::collection::vec(1..7_usize, 1..30),
        height in 7..20_usize,
        from in 0..30_usize,
        to in 0..30_usize,
    ) {
        let (from, to) = (from % heights.len(), to % heights.len());
        let spot = Spot { item: from, line: 0 }.min(end(&heights, height));
        let moved = with(&heights, spot, to, height);
        let top = row(&heights, moved);
        let first = row(&heights, Spot { item: to, line: 0 });
        prop_assert!(top <= first && first + heights[to] <= top + height, "{moved:?}");
        prop_assert!(moved <= end(&heights, height));
        prop_assert!(moved.line < heights[moved.item], "no line of its item: {moved:?}");
    }

    #[test]
    fn what_lies_below_is_counted(
        heights in prop::collection::vec(1..7_usize, 1..30),
        height in 1..20_usize,
        up in 0..60_isize,
    ) {
        let spot = scrolled(&heights, end(&heights, height), -up, height);
        let bottom = row(&heights, spot) + height;
        let mut sum = 0;
        let mut count = 0;
        for rows in &heights {
            sum += rows;
            count += usize::from(sum > bottom);
        }
        prop_assert_eq!(below(&heights, spot, height), count);
    }
}
