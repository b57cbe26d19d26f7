// Compiles the header as C wherever the package is built, and holds it to the layout that programs were built with.
#include "inkling.h"

_Static_assert(sizeof(inkling_status) == 4, "a status has four bytes");
_Static_assert(sizeof(inkling_refusal) == 64, "a refusal is what it was");
_Static_assert(sizeof(inkling_values) == 108, "values are what they were");
_Static_assert(sizeof(inkling_advertisement) == 32, "advertisements are what they were");
_Static_assert(sizeof(inkling_clock) == 24, "clocks are what they were");
_Static_assert(sizeof(inkling_observation) == 24, "observations are what they were");
_Static_assert(sizeof(inkling_engine_options) == 40, "options are what they were");
_Static_assert(sizeof(inkling_contact_options) == 32, "options of contacts are what they were");
_Static_assert(sizeof(inkling_effect) == 88, "effects are what they were");
_Static_assert(sizeof(inkling_identity_keys) == 88, "keys of identities are what they were");
_Static_assert(sizeof(inkling_card_facts) == 164, "facts of cards are what they were");
_Static_assert(sizeof(inkling_device) == 48, "devices are what they were");
_Static_assert(sizeof(inkling_invitation_facts) == 28, "facts of invitations are what they were");
_Static_assert(sizeof(inkling_grant_facts) == 80, "facts of grants are what they were");
_Static_assert(sizeof(inkling_introduction) == 24, "introductions are what they were");
_Static_assert(sizeof(inkling_replay_entry) == 36, "entries are what they were");
_Static_assert(sizeof(inkling_request_facts) == 104, "facts of requests are what they were");
_Static_assert(sizeof(inkling_session_facts) == 80, "facts of sessions are what they were");
_Static_assert(sizeof(inkling_app) == 16, "apps are what they were");
_Static_assert(sizeof(inkling_profile) == 32, "profiles are what they were");
_Static_assert(sizeof(inkling_situation) == 64, "situations are what they were");
_Static_assert(sizeof(inkling_plan_step) == 64, "steps are what they were");
_Static_assert(sizeof(inkling_plan_refusal) == 48, "refusals of transports are what they were");
