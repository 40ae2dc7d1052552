//! Lists what needs the user.

use agent_worker_protocol::{Attention, AttentionList};

use crate::{
    context::{Cx, Run},
    entities::attention,
    error::Result,
};

impl Run for Attention {
    fn run(&self, cx: &mut Cx<'_>) -> Result<AttentionList> {
        cx.operator_only("what needs attention")?;
        let scope = cx.target.as_ref().map(|_| cx.scope()).transpose()?;
        Ok(AttentionList { items: attention::sorted(cx.db, scope.as_ref())? })
    }
}
