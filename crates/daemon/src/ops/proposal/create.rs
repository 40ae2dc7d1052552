//! Making a proposal: what it must be, and who is told.

use std::time::Duration;

use agent_worker_protocol::{
    Intent, Interval, MemberKind, Mode, Proposal, ProposalCreate, ProposalType, Timestamp,
    WorkflowState,
};

use crate::{
    changes::proposal::told,
    context::{Cx, Run},
    entities::proposal::announce,
    error::{OpError, Result},
    rows::{self, AgentRow, DocPath, NewElector, NewProposal, ProposalRow, WorkflowRow, document},
    rules::{access::run, outcome, proposal, recipients},
};

const MOST_OPTIONS: usize = 50;

const LONGEST_TITLE: usize = 200;

const LONGEST_OPTION: usize = 200;

const LONGEST_TIME: Duration = Duration::from_hours(30 * 24);

impl Run for ProposalCreate {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposal> {
        let (scope, me) = (cx.scope()?, cx.member()?);
        check_texts(cx, self)?;
        check_room(cx, &me)?;
        let members = AgentRow::of_scope(cx.db, scope.id)?;
        let electors = electors(cx, self, &scope, &members)?;
        check_stays_open(cx, &scope, &me, &electors)?;
        let options = options(cx, self, &scope, &members, &electors)?;
        let quorum = quorum(self, electors.len())?;
        let sets_owner = sets_owner(cx, self, &scope, &me, quorum, electors.len())?;
        let run = run::sending_run(cx, &me)?;
        let id = cx.db.insert(&NewProposal {
            scope: scope.id,
            kind: self.kind,
            title: self.title.trim(),
            description: self.description.as_deref(),
            options: &options,
            resolution: self.resolution.unwrap_or_default(),
            binding: self.binding.unwrap_or(true),
            quorum,
            tie_break: self.tie_break.unwrap_or_default(),
            sets_owner: sets_owner.as_ref().map(|path| path.shown.as_str()),
            creator: &me.name,
            run: run.as_ref().map(|run| run.id),
            hop: run.as_ref().map_or(0, |run| run.hop),
            root: run.as_ref().and_then(|run| run.root),
            expires_at: expires_at(cx, self.expires_in)?,
            created_at: cx.now,
            newest_agent: rows::agent::newest(cx.db)?,
        })?;
        for elector in &electors {
            cx.db.insert(&NewElector { proposal: id, agent: elector.id })?;
        }
        let row = ProposalRow::by_id(cx.db, id)?;
        let proposal = announce(cx, id)?;
        let others: Vec<_> = electors.into_iter().filter(|elector| elector.id != me.id).collect();
        let text = told::invitation(&row, &others);
        told::tell(cx, &scope, &row, &text, others, Intent::Request)?;
        Ok(proposal)
    }
}

fn check_texts(cx: &Cx<'_>, create: &ProposalCreate) -> Result<()> {
    let title = create.title.trim();
    if title.is_empty() || title.chars().count() > LONGEST_TITLE || title.contains('\n') {
        let refusal =
            OpError::invalid(format!("the title is one line of 1 to {LONGEST_TITLE} characters"));
        return Err(if title.is_empty() { refusal } else { refusal.hint(background(cx)) });
    }
    let most = cx.settings.messages.max_bytes;
    match &create.description {
        Some(text) if text.len() > most => Err(OpError::too_large(format!(
            "the description has {} bytes, and it has at most {most}",
            text.len()
        ))),
        _ => Ok(()),
    }
}

/// Refuses one more proposal than an agent may have open: each wakes its electors.
fn check_room(cx: &Cx<'_>, me: &AgentRow) -> Result<()> {
    if !me.works() {
        return Ok(());
    }
    let most = cx.settings.proposals.open;
    let mut own = ProposalRow::open(cx.db, Some(me.scope_id))?;
    own.retain(|row| row.is_made_by(me));
    match own.first() {
        Some(oldest) if own.len() >= most => Err(OpError::conflict(format!(
            "`{}` has {} open proposals: the limit is {most}",
            me.target(),
            own.len()
        ))
        .hint(cx.either(
            "wait until one closes, or cancel one with team_proposal_cancel",
            &format!("agent-worker proposal cancel {}", oldest.public_id()),
        ))),
        _ => Ok(()),
    }
}

/// Where there is room for more than a title.
fn background(cx: &Cx<'_>) -> &'static str {
    cx.either(
        "put the background into `description`",
        "put the background into `--description` (`description`)",
    )
}

/// How all agents are made electors.
fn all_vote(cx: &Cx<'_>) -> &'static str {
    cx.either(
        "leave `electors` out: then all agents vote",
        "leave `--electors` (`electors`) out: then all agents vote",
    )
}

/// Those who are named, or every agent that is at work. The person votes only where it is named.
pub fn electors(
    cx: &Cx<'_>,
    create: &ProposalCreate,
    scope: &WorkflowRow,
    members: &[AgentRow],
) -> Result<Vec<AgentRow>> {
    let mut electors: Vec<AgentRow> = match &create.electors {
        None => {
            members.iter().filter(|member| proposal::is_usual_elector(member)).cloned().collect()
        }
        Some(words) => words
            .iter()
            .map(|word| recipients::addressee(scope, members, word, Some(all_vote(cx))).cloned())
            .collect::<Result<_, _>>()?,
    };
    electors.sort_by(|one, other| one.name.cmp(&other.name));
    electors.dedup_by_key(|elector| elector.id);
    if electors.is_empty() && create.electors.is_some() {
        return Err(OpError::invalid("`electors` names no member").hint(all_vote(cx)));
    }
    if electors.is_empty() {
        return Err(OpError::invalid(format!("no electors: no agent of {} can vote", scope.scope))
            .hint(cx.either(
                "name the members who may vote in `electors`",
                "name the members who may vote, or yourself: --electors user",
            )));
    }
    Ok(electors)
}

/// Refuses a proposal that would be closed at once: it wakes no agent, so its workflow, which has
/// ended, does not go on.
fn check_stays_open(
    cx: &Cx<'_>,
    scope: &WorkflowRow,
    me: &AgentRow,
    electors: &[AgentRow],
) -> Result<()> {
    let has_ended = scope.mode == Mode::Run
        && scope.was_kicked_off()
        && outcome::is_judged(scope.state)
        && scope.state != WorkflowState::Running;
    let is_woken = |elector: &AgentRow| elector.id != me.id && proposal::is_usual_elector(elector);
    if !has_ended || electors.iter().any(is_woken) {
        return Ok(());
    }
    let text =
        format!("`{}` has ended: a proposal that wakes no agent would close at once", scope.scope);
    Err(OpError::conflict(text).hint(cx.either(
        "name another agent in `electors`",
        "let an agent vote too: --electors AGENT,user",
    )))
}

/// What can be chosen where no options are given.
fn usual_options(cx: &Cx<'_>, kind: ProposalType, electors: &[AgentRow]) -> Result<Vec<String>> {
    if kind == ProposalType::Approval {
        return Ok(vec![Proposal::APPROVE.to_owned(), Proposal::REJECT.to_owned()]);
    }
    if !proposal::is_of_members(kind) {
        return Err(OpError::invalid("a decision needs `options`: what can be chosen").hint(
            cx.either(
                "for example `\"options\": [\"A\", \"B\"]`",
                "name it in `options` (`--option A --option B`)",
            ),
        ));
    }
    let agents = electors.iter().filter(|elector| elector.kind != MemberKind::Person);
    let names: Vec<_> = agents.map(|elector| elector.name.to_string()).collect();
    if names.is_empty() {
        let text = "no options: they default to the electors, without the user";
        return Err(OpError::invalid(text).hint(cx.either(
            "name the members who can be chosen in `options`",
            "name the members who can be chosen: --option NAME",
        )));
    }
    Ok(names)
}

/// What can be chosen: in elections and assignments, members.
pub fn options(
    cx: &Cx<'_>,
    create: &ProposalCreate,
    scope: &WorkflowRow,
    members: &[AgentRow],
    electors: &[AgentRow],
) -> Result<Vec<String>> {
    let is_of_members = proposal::is_of_members(create.kind);
    let mut options: Vec<String> = match &create.options {
        Some(given) => given.iter().map(|option| option.trim().to_owned()).collect(),
        None => usual_options(cx, create.kind, electors)?,
    };
    if is_of_members {
        for option in &mut options {
            let member = recipients::addressee(scope, members, option, None)?;
            *option = member.name.to_string();
        }
    }
    let least = if is_of_members { 1 } else { 2 };
    if !(least..=MOST_OPTIONS).contains(&options.len()) {
        let text =
            format!("a proposal has {least} to {MOST_OPTIONS} options, not {}", options.len());
        return Err(OpError::invalid(text));
    }
    for (place, option) in options.iter().enumerate() {
        let is_doubled = options[..place].iter().any(|known| proposal::is_same(known, option));
        let length = option.chars().count();
        if is_doubled || length == 0 || length > LONGEST_OPTION || option.contains('\n') {
            return Err(OpError::invalid(format!(
                "invalid option `{option}`: each is one line of 1 to {LONGEST_OPTION} characters, and \
                 stands once"
            )));
        }
    }
    Ok(options)
}

fn quorum(create: &ProposalCreate, electors: usize) -> Result<u32> {
    use agent_worker_protocol::Resolution;
    let all = u32::try_from(electors).unwrap_or(u32::MAX);
    let usual = match create.resolution {
        // All must agree, so all must vote, unless it is said that fewer are enough.
        Some(Resolution::Unanimous) => all,
        _ => all / 2 + 1,
    };
    match create.quorum {
        None => Ok(usual),
        Some(quorum) if (1..=all).contains(&quorum) => Ok(quorum),
        Some(quorum) if all == 1 => {
            Err(OpError::invalid(format!("invalid quorum {quorum}: must be 1, for 1 elector")))
        }
        Some(quorum) => {
            Err(OpError::invalid(format!("invalid quorum {quorum}: must be between 1 and {all}")))
        }
    }
}

fn expires_at(cx: &Cx<'_>, span: Option<Interval>) -> Result<Timestamp> {
    let span = span.unwrap_or(cx.settings.proposals.expires_in).duration();
    if span < Duration::from_secs(1) || span > LONGEST_TIME {
        return Err(OpError::invalid("`expires_in` is from 1s to 720h"));
    }
    Ok(cx.now.after(span))
}

/// A document goes to the winner by a vote of more than half of all, or by the will of its owner.
fn sets_owner(
    cx: &Cx<'_>,
    create: &ProposalCreate,
    scope: &WorkflowRow,
    me: &AgentRow,
    quorum: u32,
    electors: usize,
) -> Result<Option<DocPath>> {
    let Some(file) = &create.sets_owner else { return Ok(None) };
    let path = DocPath::parse(Some(file))?;
    if !proposal::is_of_members(create.kind) || create.binding == Some(false) {
        return Err(OpError::invalid(
            "`sets_owner` hands a document to the winner of a binding election or assignment",
        ));
    }
    let owner = document::owner(cx.db, scope, &path)?;
    if cx.is_person() || owner.as_ref() == Some(&me.name) {
        return Ok(Some(path));
    }
    let (standing, who) = match &owner {
        Some(owner) => (format!("`{}` belongs to {owner}", path.shown), "its owner"),
        None => (format!("`{}` has no owner", path.shown), "the user"),
    };
    if create.electors.is_some() {
        return Err(OpError::denied(format!(
            "{standing}: with electors of your own choice, only {who} can have it handed over"
        ))
        .hint("leave `electors` out: then everyone votes"));
    }
    let least = electors / 2 + 1;
    if (quorum as usize) < least {
        return Err(OpError::invalid(format!(
            "invalid quorum {quorum}: {standing}, so at least {least} of {electors} electors must \
             vote"
        ))
        .hint("leave `quorum` out: then more than half must vote"));
    }
    Ok(Some(path))
}
