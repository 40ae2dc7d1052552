use super::*;

fn scanned(bytes: &[u8]) -> Vec<Piece> {
    let (mut scanner, mut out) = (Scanner::default(), Vec::new());
    scanner.feed(bytes, &mut out);
    scanner.give_up(&mut out);
    out
}

fn byte_by_byte(bytes: &[u8]) -> Vec<Piece> {
    let (mut scanner, mut out) = (Scanner::default(), Vec::new());
    for byte in bytes {
        scanner.feed(&[*byte], &mut out);
    }
    scanner.give_up(&mut out);
    out
}

fn sequence(bytes: &[u8]) -> Piece {
    Piece::Sequence(bytes.to_vec())
}

#[test]
fn pieces_are_the_same_however_the_bytes_come() {
    let bytes = b"a\x1b[A\x1bOP\x1b[1;5D\x1b]11;rgb:0/0/0\x07\xd0\xbe\x1bx\x1b[200~q\x1b[2~\x1b[201~\x1b[[A\x1b[M !!\x1b\x1b";
    let pieces = scanned(bytes);
    assert_eq!(
        pieces,
        [
            Piece::Char('a'),
            sequence(b"\x1b[A"),
            sequence(b"\x1bOP"),
            sequence(b"\x1b[1;5D"),
            Piece::Text(b"\x1b]11;rgb:0/0/0\x07".to_vec()),
            Piece::Char('\u{43e}'),
            Piece::Escaped('x'),
            Piece::Paste(b"q\x1b[2~".to_vec()),
            sequence(b"\x1b[[A"),
            sequence(b"\x1b[M !!"),
            Piece::Escape,
            Piece::Escape,
        ]
    );
    assert_eq!(byte_by_byte(bytes), pieces);
}

#[test]
fn what_is_not_understood_is_still_whole() {
    for junk in [
        b"\x1b_Gi=1;OK\x1b\\".as_slice(),
        b"\x1bP1+r524742=38\x1b\\",
        b"\x1b[>41;354;0c",
        b"\x1b[!p",
        b"\x1b[?62;4;22c",
        b"\xff\xfe",
        b"\xc3",
    ] {
        let pieces = scanned(junk);
        let text = |piece: &Piece| matches!(piece, Piece::Char(_) | Piece::Escaped(_));
        assert!(!pieces.iter().any(text), "{junk:?} {pieces:?}");
    }
}

#[test]
fn a_sequence_that_is_broken_off_takes_nothing_along() {
    assert_eq!(scanned(b"\x1b[1;\x1b[A"), [sequence(b"\x1b[A")]);
    assert_eq!(scanned(b"\x1b]11;rgb\x1b[A"), [sequence(b"\x1b[A")]);
}

#[test]
fn a_lone_escape_is_waited_for_and_is_a_key() {
    let (mut scanner, mut out) = (Scanner::default(), Vec::new());
    scanner.feed(b"\x1b", &mut out);
    assert_eq!((out.len(), scanner.patience()), (0, Some(LONE)));
    scanner.give_up(&mut out);
    assert_eq!((out, scanner.patience()), (vec![Piece::Escape], None));
}

#[test]
fn a_paste_without_an_end_ends_in_silence() {
    assert_eq!(scanned(b"\x1b[200~abc\x1b[20"), [Piece::Paste(b"abc\x1b[20".to_vec())]);
}

#[test]
fn a_paste_is_not_longer_than_what_is_kept() {
    let (mut scanner, mut out) = (Scanner::default(), Vec::new());
    scanner.feed(PASTE_BEGINS, &mut out);
    let part = vec![b'x'; MOST_PASTED / 2 + 1];
    for _ in 0..3 {
        scanner.feed(&part, &mut out);
    }
    scanner.feed(PASTE_ENDS, &mut out);
    let [Piece::Paste(text)] = out.as_slice() else { panic!("{}", out.len()) };
    assert_eq!(text.len(), MOST_PASTED);
}
