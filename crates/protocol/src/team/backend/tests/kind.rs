use super::*;

#[test]
fn each_backend_has_its_row_and_the_name_that_it_has_in_json() {
    for (at, row) in BACKENDS.iter().enumerate() {
        assert_eq!(row.backend as usize, at);
        assert_eq!(serde_json::to_value(row.backend).unwrap(), row.name);
        assert_eq!(row.name.parse(), Ok(row.backend));
    }
}
