//! Which lines of two texts differ.

use similar::{Algorithm, DiffOp, capture_diff_slices};

pub fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

pub fn is_equal(op: &DiffOp) -> bool {
    matches!(op, DiffOp::Equal { .. })
}

/// What became of the lines.
pub fn changes(old: &[&str], new: &[&str], compared: usize) -> Vec<DiffOp> {
    let same = |(old, new): &(&&str, &&str)| old == new;
    let before = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let after = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let (old_len, new_len) = (old_rest.len() - after, new_rest.len() - after);
    if old_len + new_len <= compared {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    vec![
        DiffOp::Equal { old_index: 0, new_index: 0, len: before },
        DiffOp::Replace { old_index: before, old_len, new_index: before, new_len },
        DiffOp::Equal { old_index: before + old_len, new_index: before + new_len, len: after },
    ]
}
