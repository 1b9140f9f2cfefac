//! What is played.

/// An order and the script of its charge.
pub(super) struct Scene {
    pub(super) title: &'static str,
    /// With the sandbox's directives.
    pub(super) subject: &'static str,
}

pub(super) const SCENES: [Scene; 6] = [
    Scene {
        title: "Nothing goes wrong",
        subject: "A plain order",
    },
    Scene {
        title: "The charge lands and its reply takes 6 s: the user gets 202, the late reply settles it",
        subject: "A slow channel #delay=6s #no-callback #query=timeout",
    },
    Scene {
        title: "The charge lands and its reply is lost for ever: the query tells",
        subject: "A lost reply #lost-reply #no-callback",
    },
    Scene {
        title: "The channel declines",
        subject: "No funds #declined",
    },
    Scene {
        title: "The payer must act, pays after 2 s, and the channel says so five times at once",
        subject: "A QR code #pending #pay-after=2s #callbacks=5",
    },
    Scene {
        title: "The channel says that another amount was paid: a person must look",
        subject: "A wrong amount #wrong-amount=1",
    },
];
