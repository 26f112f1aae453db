-- A journal as orgsync wrote it in version 5 of its tables: an activity that waits, what was applied, what was abandoned, a run.
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
	settled_at_ms INTEGER,
	written INTEGER,
	settled_position INTEGER,
	sent_again INTEGER NOT NULL DEFAULT 0,
	plans TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE INDEX sent_by_wish ON sent (request_digest, written);
CREATE INDEX sent_by_organization ON sent (organization_id, written);
CREATE TABLE position (value INTEGER NOT NULL) STRICT;
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
CREATE TABLE runs (
	id TEXT PRIMARY KEY,
	started_at_ms INTEGER NOT NULL,
	service TEXT NOT NULL,
	reads TEXT NOT NULL,
	selection TEXT NOT NULL,
	size INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE finished (
	run_id TEXT NOT NULL,
	organization_id TEXT NOT NULL,
	document_digest TEXT NOT NULL,
	read_position INTEGER NOT NULL,
	PRIMARY KEY (run_id, organization_id)
) STRICT, WITHOUT ROWID;
INSERT INTO runs VALUES ('20260101-000000-0a1b2c', 1767225600000, 'local', 'auto', '[]', 2);
INSERT INTO sent VALUES (
	'sha256:b0fde698069dc725bd9e34573e15a902334513d24eed9219a4ff9ac43f09089d',
	'00000001-7a3f-4c9e-9d40-000000000001',
	'delete_policies',
	'{"type":"ACTIVITY_TYPE_DELETE_POLICIES","timestampMs":"1767225600000","organizationId":"00000001-7a3f-4c9e-9d40-000000000001","parameters":{"policyIds":["30000001-7a3f-4c9e-9d40-000000000001"]}}',
	1767225600000,
	'sha256:c5cbfb0cfc1794eaa4b3c101020dfda7c7c705e67e67d1ec66209d3692ae7bde',
	'["policy:30000001-7a3f-4c9e-9d40-000000000001"]',
	1,
	'awaiting-approval',
	'60000001-7a3f-4c9e-9d40-000000000001',
	2,
	1,
	2,
	1,
	'["sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"]'
);
INSERT INTO position VALUES (2);
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
INSERT INTO abandoned VALUES ('00000001-7a3f-4c9e-9d40-000000000001', 'sha256:1', 3);
PRAGMA user_version = 5;
COMMIT;
