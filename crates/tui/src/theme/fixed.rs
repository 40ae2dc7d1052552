//! Themes of fixed colours. Each pair that a screen shows has a contrast of at least 4.5:1, by the
//! formula of WCAG; tests compute it on every screen.

use super::role::{HUES, Role};

/// The colours of a theme, as `0xrrggbb`.
pub struct Fixed {
    /// Text and background; `None`: the terminal's own
    pub ground: Option<(u32, u32)>,
    pub dim: u32,
    pub accent: u32,
    pub running: u32,
    pub ok: u32,
    pub wait: u32,
    pub asks: u32,
    pub failed: u32,
    /// Background of what is selected, where the ground is the theme's own
    pub selected: u32,
    /// Background of the reader's name and of what was searched for, there too
    pub named: u32,
    /// Colours of names
    pub names: [u32; HUES as usize],
}

impl Fixed {
    /// The colour of a role: its background where the role has one; `None` for that of plain text.
    pub fn of(&self, role: Role) -> Option<u32> {
        Some(match role {
            Role::Dim | Role::Stopped | Role::Stale => self.dim,
            Role::Accent | Role::Link => self.accent,
            Role::Running => self.running,
            Role::Ok | Role::Added => self.ok,
            Role::Wait => self.wait,
            Role::Asks => self.asks,
            Role::Failed | Role::Removed => self.failed,
            Role::Hue(hue) => self.names[usize::from(hue % HUES)],
            Role::Selected if self.ground.is_some() => self.selected,
            Role::Named | Role::Match if self.ground.is_some() => self.named,
            _ => return None,
        })
    }
}

pub const DARK: Fixed = Fixed {
    ground: None,
    dim: 0x8b_94_9e,
    accent: 0x56_b6_c2,
    running: 0x6c_b6_ff,
    ok: 0x7e_e7_87,
    wait: 0xe3_b3_41,
    asks: 0xd2_a8_ff,
    failed: 0xff_7b_72,
    selected: 0,
    named: 0,
    names: [0x56_b6_c2, 0x6c_b6_ff, 0xd2_a8_ff, 0x7e_e7_87, 0xe3_b3_41, 0x9e_cb_ff],
};

pub const LIGHT: Fixed = Fixed {
    ground: None,
    dim: 0x57_60_6a,
    accent: 0x0b_72_85,
    running: 0x05_50_ae,
    ok: 0x11_63_29,
    wait: 0x8a_5a_00,
    asks: 0x66_39_ba,
    failed: 0xa4_0e_26,
    selected: 0,
    named: 0,
    names: [0x0b_72_85, 0x05_50_ae, 0x66_39_ba, 0x11_63_29, 0x8a_5a_00, 0x1b_4f_8f],
};

/// Slate with soft colours.
pub const NIGHT: Fixed = Fixed {
    ground: Some((0xd8_de_e9, 0x15_18_1f)),
    dim: 0x9a_a4_b5,
    accent: 0x5f_c4_d0,
    running: 0x74_b2_ff,
    ok: 0x8f_d6_94,
    wait: 0xe6_b9_5c,
    asks: 0xcf_a6_ff,
    failed: 0xff_85_7d,
    selected: 0x2c_34_45,
    named: 0x4a_18_58,
    names: [0x5f_c4_d0, 0x74_b2_ff, 0xcf_a6_ff, 0x8f_d6_94, 0xe6_b9_5c, 0xf2_a0_c4],
};

/// Ink on warm paper.
pub const DAY: Fixed = Fixed {
    ground: Some((0x24_29_2f, 0xfb_fa_f5)),
    dim: 0x57_60_6a,
    accent: 0x0b_6a_7c,
    running: 0x05_50_ae,
    ok: 0x11_63_29,
    wait: 0x7d_4e_00,
    asks: 0x66_39_ba,
    failed: 0xa4_0e_26,
    selected: 0xdd_e3_ea,
    named: 0xfc_e8_a8,
    names: [0x0b_6a_7c, 0x05_50_ae, 0x66_39_ba, 0x11_63_29, 0x7d_4e_00, 0x9a_2a_6a],
};

/// The six values of red, green and blue in the cube of the 256 colours.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// Red, green and blue of one of the 256 colours, from 16 on; the first 16 are the terminal's.
pub fn indexed(index: u8) -> [u8; 3] {
    let index = index.saturating_sub(16);
    if index >= 216 {
        return [8 + 10 * (index - 216); 3];
    }
    [index / 36, index / 6 % 6, index % 6].map(|step| STEPS[usize::from(step)])
}

/// The one of the 256 colours that is closest.
pub fn nearest(color: [u8; 3]) -> u8 {
    let distance = |index: &u8| -> u32 {
        let apart = indexed(*index).into_iter().zip(color);
        apart.map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
    };
    (16..=u8::MAX).min_by_key(distance).unwrap_or(u8::MAX)
}
