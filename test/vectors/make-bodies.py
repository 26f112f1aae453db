"""Makes bodies.json: for every submit its exact bytes, hashed by Python's hashlib. No code is shared with src/wire.

Run: python3 test/vectors/make-bodies.py > test/vectors/bodies.json
"""
import hashlib
import json

ORGANIZATION = "0a1b2c3d-0000-4000-8000-000000000001"
USER = "0a1b2c3d-0000-4000-8000-0000000000a1"
OTHER = "0a1b2c3d-0000-4000-8000-0000000000a2"
TAG = "0a1b2c3d-0000-4000-8000-0000000000b1"
TIME = 1767225600000

CASES = [
    ("update_user_tag", "UPDATE_USER_TAG",
     {"userTagId": TAG, "newUserTagName": "Prüfer — 審査員 🔑 \"<&>\"", "addUserIds": [USER], "removeUserIds": [OTHER]}),
    ("update_user_tag", "UPDATE_USER_TAG", {"userTagId": TAG, "addUserIds": [], "removeUserIds": []}),
    ("delete_oauth_providers", "DELETE_OAUTH_PROVIDERS", {"userId": USER, "providerIds": [OTHER, TAG]}),
    ("delete_policies", "DELETE_POLICIES", {"policyIds": [TAG]}),
    ("delete_tvc_app_and_deployments", "DELETE_TVC_APP_AND_DEPLOYMENTS", {"appId": TAG}),
    ("init_import_private_key", "INIT_IMPORT_PRIVATE_KEY", {"userId": USER}),
]


def vector(name, kind, parameters):
    envelope = {
        "type": "ACTIVITY_TYPE_" + kind,
        "timestampMs": str(TIME),
        "organizationId": ORGANIZATION,
        "parameters": parameters,
    }
    text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    return {
        "operation": name,
        "organizationId": ORGANIZATION,
        "parameters": parameters,
        "timestampMs": TIME,
        "bytes": text,
        "fingerprint": "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest(),
    }


print(json.dumps([vector(*case) for case in CASES], ensure_ascii=False, indent="\t"))
