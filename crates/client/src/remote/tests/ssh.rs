use super::*;

#[tokio::test]
async fn the_end_of_what_ssh_says_is_kept() {
    let said = format!("{}\nlast: é\n", "é".repeat(KEPT));
    let mut complaints = Complaints::read(std::io::Cursor::new(said), None);
    let kept = complaints.whole().await;
    assert!(kept.len() <= KEPT && kept.ends_with("last: é\n"), "{}", kept.len());
}

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[tokio::test(start_paused = true)]
async fn a_user_who_waits_is_told_what_ssh_says_until_it_is_connected() {
    let (mut ssh, stderr) = tokio::io::duplex(1024);
    let tell = |text: &str| TOLD.lock().unwrap().push(text.to_owned());
    let complaints = Complaints::read(stderr, Some(tell));
    let told = || TOLD.lock().unwrap().clone();
    ssh.write_all(b"visit https://login.example\x07\n").await.unwrap();
    tokio::time::sleep(TELL_AFTER / 2).await;
    assert_eq!(told(), Vec::<String>::new(), "most links take less");
    tokio::time::sleep(TELL_AFTER).await;
    ssh.write_all(b"approved\n").await.unwrap();
    tokio::time::sleep(TELL_AFTER).await;
    assert_eq!(told(), ["visit https://login.example^G", "approved"]);
    complaints.is_connected();
    ssh.write_all(b"you have mail\n").await.unwrap();
    tokio::time::sleep(TELL_AFTER).await;
    assert_eq!(told().len(), 2);
}
