"""Cases for Specs/advertising.md."""

from .ibeacon import ibeacon_decode_families, ibeacon_encode_family
from .overflow import overflow_bit_family, overflow_match_family
from .service_uuids import service_uuid_families
from .structures import ad_structures_family, uuid_family

FAMILIES = [
    uuid_family(),
    ad_structures_family(),
    ibeacon_encode_family(),
    *ibeacon_decode_families(),
    *service_uuid_families(),
    overflow_bit_family(),
    overflow_match_family(),
]
