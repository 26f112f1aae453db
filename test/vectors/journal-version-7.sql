-- A journal as orgsync wrote it in version 7 of its tables: requests that are completed, pending, rejected, in doubt and in flight,
-- what was abandoned and last applied, a run, a vote, the resource that applied an object last.
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TABLE sent (
	fingerprint TEXT PRIMARY KEY,
	organization_id TEXT NOT NULL,
	operation TEXT NOT NULL,
	bytes TEXT NOT NULL,
	timestamp_ms INTEGER NOT NULL,
	request_digest TEXT NOT NULL,
	covers TEXT NOT NULL,
	sent_at_ms INTEGER NOT NULL,
	outcome TEXT,
	activity_id TEXT,
	settled_at_ms INTEGER
	, written INTEGER, settled_position INTEGER, sent_again INTEGER NOT NULL DEFAULT 0, plans TEXT NOT NULL DEFAULT '[]') STRICT;
CREATE TABLE applied (
	organization_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	id TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (organization_id, kind, id)
) STRICT;
CREATE TABLE abandoned (
	organization_id TEXT NOT NULL,
	name TEXT NOT NULL,
	at_ms INTEGER NOT NULL,
	PRIMARY KEY (organization_id, name)
) STRICT;
CREATE TABLE position (value INTEGER NOT NULL) STRICT;
CREATE INDEX sent_by_wish ON sent (request_digest, written);
CREATE INDEX sent_by_organization ON sent (organization_id, written);
CREATE TABLE runs (
	id TEXT PRIMARY KEY,
	started_at_ms INTEGER NOT NULL,
	service TEXT NOT NULL,
	reads TEXT NOT NULL,
	selection TEXT NOT NULL
	, size INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE finished (
	run_id TEXT NOT NULL,
	organization_id TEXT NOT NULL,
	document_digest TEXT NOT NULL,
	read_position INTEGER NOT NULL,
	PRIMARY KEY (run_id, organization_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE votes (
	fingerprint TEXT PRIMARY KEY,
	organization_id TEXT NOT NULL,
	operation TEXT NOT NULL,
	target TEXT NOT NULL,
	voter TEXT NOT NULL,
	bytes TEXT NOT NULL,
	timestamp_ms INTEGER NOT NULL,
	sent_at_ms INTEGER NOT NULL,
	outcome TEXT,
	settled_at_ms INTEGER,
	written INTEGER NOT NULL
) STRICT;
CREATE INDEX votes_by_target ON votes (organization_id, target, written);
CREATE TABLE owners (
	service TEXT NOT NULL,
	organization_id TEXT NOT NULL,
	object TEXT NOT NULL,
	resource TEXT NOT NULL,
	resource_urn TEXT,
	applied_at_ms INTEGER NOT NULL,
	PRIMARY KEY (service, organization_id, object)
) STRICT, WITHOUT ROWID;
INSERT INTO sent VALUES (
	'sha256:90dd778702b73ea5cabca5c634c851f8838659c311785c27e7079e39e26e6462',
	'00000001-7a3f-4c9e-9d40-000000000001',
	'update_user_tag',
	'{"type":"ACTIVITY_TYPE_UPDATE_USER_TAG","timestampMs":"1767225600000","organizationId":"00000001-7a3f-4c9e-9d40-000000000001","parameters":{"userTagId":"20000001-7a3f-4c9e-9d40-000000000001","newUserTagName":"signers","addUserIds":["10000001-7a3f-4c9e-9d40-000000000001"],"removeUserIds":[]}}',
	1767225600000,
	'sha256:7a3ee7e4e3d7f283f6f56a08a421c48527b3dbc639571bf118b9e73ba48ac69e',
	'["userTag:20000001-7a3f-4c9e-9d40-000000000001"]',
	1767225601000,
	'completed',
	'60000002-7a3f-4c9e-9d40-000000000002',
	1767225601500,
	1,
	2,
	0,
	'["sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"]'
);
INSERT INTO sent VALUES (
	'sha256:b0fde698069dc725bd9e34573e15a902334513d24eed9219a4ff9ac43f09089d',
	'00000001-7a3f-4c9e-9d40-000000000001',
	'delete_policies',
	'{"type":"ACTIVITY_TYPE_DELETE_POLICIES","timestampMs":"1767225600000","organizationId":"00000001-7a3f-4c9e-9d40-000000000001","parameters":{"policyIds":["30000001-7a3f-4c9e-9d40-000000000001"]}}',
	1767225600000,
	'sha256:c5cbfb0cfc1794eaa4b3c101020dfda7c7c705e67e67d1ec66209d3692ae7bde',
	'["policy:30000001-7a3f-4c9e-9d40-000000000001"]',
	1767225602000,
	'awaiting-approval',
	'60000001-7a3f-4c9e-9d40-000000000001',
	1767225602500,
	3,
	4,
	0,
	'[]'
);
INSERT INTO sent VALUES (
	'sha256:65b4dc44e7209d1161dc82eb82bec5eab7f2f34401a003fa0ffadbef3d7c0062',
	'00000001-7a3f-4c9e-9d40-000000000001',
	'delete_policies',
	'{"type":"ACTIVITY_TYPE_DELETE_POLICIES","timestampMs":"1767225600000","organizationId":"00000001-7a3f-4c9e-9d40-000000000001","parameters":{"policyIds":["30000002-7a3f-4c9e-9d40-000000000002"]}}',
	1767225600000,
	'sha256:2e6f7ba447850530aaeb2a67a3aaa29bfa59ff61cb920b0f24f7421fcd81a0a3',
	'["policy:30000002-7a3f-4c9e-9d40-000000000002"]',
	1767225603000,
	'rejected',
	'60000003-7a3f-4c9e-9d40-000000000003',
	1767225603500,
	5,
	6,
	0,
	'[]'
);
INSERT INTO sent VALUES (
	'sha256:6d382c6860dffdb813fac252f7fd9574bdbe11a65c790b40d8c7c1fe8c81a7c4',
	'00000001-7a3f-4c9e-9d40-000000000001',
	'delete_policies',
	'{"type":"ACTIVITY_TYPE_DELETE_POLICIES","timestampMs":"1767225600000","organizationId":"00000001-7a3f-4c9e-9d40-000000000001","parameters":{"policyIds":["30000003-7a3f-4c9e-9d40-000000000003"]}}',
	1767225600000,
	'sha256:a24cb66406c8d7632c1213abfb0ddd6a945bba4bb460a90270f80475f3a0d196',
	'["policy:30000003-7a3f-4c9e-9d40-000000000003"]',
	1767225604000,
	'unknown',
	NULL,
	1767225604500,
	7,
	8,
	0,
	'[]'
);
INSERT INTO sent VALUES (
	'sha256:796b4b1b12562a1d92319dada3ae73198b53e149f9cc1f32fee8af70a65d1095',
	'00000002-7a3f-4c9e-9d40-000000000002',
	'delete_policies',
	'{"type":"ACTIVITY_TYPE_DELETE_POLICIES","timestampMs":"1767225600000","organizationId":"00000002-7a3f-4c9e-9d40-000000000002","parameters":{"policyIds":["30000004-7a3f-4c9e-9d40-000000000004"]}}',
	1767225600000,
	'sha256:74979f2cddbe1d421d72b82c2ee32f2d1a55ad2aaf45e94d3e30e31570a9c8d1',
	'["policy:30000004-7a3f-4c9e-9d40-000000000004"]',
	1767225605000,
	NULL,
	NULL,
	NULL,
	9,
	NULL,
	0,
	'[]'
);
INSERT INTO applied VALUES (
	'00000001-7a3f-4c9e-9d40-000000000001',
	'userTag',
	'20000001-7a3f-4c9e-9d40-000000000001',
	'{"appliedAt":"2026-01-01T00:00:00.000Z","name":"signers","present":["10000001-7a3f-4c9e-9d40-000000000001"],"gone":[],"updatedAt":"1.0"}'
);
INSERT INTO applied VALUES (
	'00000001-7a3f-4c9e-9d40-000000000001',
	'tvcApp',
	'50000001-7a3f-4c9e-9d40-000000000001',
	'{"appliedAt":"2026-01-01T00:00:00.000Z"}'
);
INSERT INTO abandoned VALUES (
	'00000001-7a3f-4c9e-9d40-000000000001',
	'60000009-7a3f-4c9e-9d40-000000000009',
	1767225606000
);
INSERT INTO position VALUES (
	9
);
INSERT INTO runs VALUES (
	'20260101-000000-0a1b2c',
	1767225600000,
	'local',
	'auto',
	'[]',
	2
);
INSERT INTO finished VALUES (
	'20260101-000000-0a1b2c',
	'00000003-7a3f-4c9e-9d40-000000000003',
	'sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
	9
);
INSERT INTO votes VALUES (
	'sha256:97ba20cdac918ed639c07c1d572c6929861fb746f518de116c3157f8708bfb09',
	'00000001-7a3f-4c9e-9d40-000000000001',
	'approve_activity',
	'sha256:b0fde698069dc725bd9e34573e15a902334513d24eed9219a4ff9ac43f09089d',
	'10000001-7a3f-4c9e-9d40-000000000001',
	'{"type":"ACTIVITY_TYPE_APPROVE_ACTIVITY","timestampMs":"1767225600000","organizationId":"00000001-7a3f-4c9e-9d40-000000000001","parameters":{"fingerprint":"sha256:b0fde698069dc725bd9e34573e15a902334513d24eed9219a4ff9ac43f09089d"}}',
	1767225600000,
	1767225607000,
	'counted',
	1767225607500,
	1
);
INSERT INTO owners VALUES (
	'6f1ed002ab5595859014ebf0951522d9a1b2c3d4e5f60718293a4b5c6d7e8f90',
	'00000001-7a3f-4c9e-9d40-000000000001',
	'userTag/20000001-7a3f-4c9e-9d40-000000000001',
	'signers',
	'urn:pulumi:main::access::orgsync:index:UserTag::signers',
	1767225608000
);
PRAGMA user_version = 7;
COMMIT;
