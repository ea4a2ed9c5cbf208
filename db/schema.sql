-- The database of ringsided, step 1 (PRAGMA user_version = 1). Read by the
-- build; a new database goes through this step and all later ones.
--
-- Sample times are kept on the boot clock (CLOCK_BOOTTIME, milliseconds since
-- the machine started) of one boot. Wall time is that plus wall_offset_ms of
-- the boot, which follows corrections of the clock: a router that starts in
-- 1970 and learns the time later moves all samples of that boot at once.

CREATE TABLE boots (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	boot_id TEXT UNIQUE,             -- the kernel's; NULL where it has none
	wall_offset_ms INTEGER NOT NULL, -- wall clock minus boot clock, as last known
	clock_ok INTEGER NOT NULL        -- 0: the wall clock was not believed
);

-- '' and -1: the series has no such label. The last sample of a series that is
-- in the newest block is not written each minute: both last_ columns are NULL.
CREATE TABLE series (
	id INTEGER PRIMARY KEY,
	metric TEXT NOT NULL,
	mode TEXT NOT NULL,
	direction TEXT NOT NULL,
	cpu INTEGER NOT NULL,
	device TEXT NOT NULL,
	queue INTEGER NOT NULL,
	irq TEXT NOT NULL,
	kind TEXT NOT NULL,     -- counter: stored as increments; gauge
	scale INTEGER NOT NULL, -- stored values per unit
	unit TEXT NOT NULL,
	first_boot INTEGER NOT NULL REFERENCES boots (id),
	first_ms INTEGER NOT NULL,
	last_boot INTEGER REFERENCES boots (id),
	last_ms INTEGER,
	UNIQUE (metric, mode, direction, cpu, device, queue, irq, kind, scale)
);

-- id = boot << 40 | minute of the boot clock << 12 | part. A part holds at
-- most 512 series; a daemon restarted within the minute adds parts.
-- data: docs/block-format.md.
CREATE TABLE raw (
	id INTEGER PRIMARY KEY,
	data BLOB NOT NULL
);

CREATE TABLE findings (
	id INTEGER PRIMARY KEY,
	code TEXT NOT NULL,
	title TEXT NOT NULL,
	severity TEXT NOT NULL,
	confidence TEXT NOT NULL,
	subject TEXT NOT NULL, -- its kind: host, core, interface, ...
	core INTEGER,
	device TEXT,
	queue INTEGER,
	direction TEXT,
	irq TEXT,
	raised_ms INTEGER NOT NULL,
	cleared_ms INTEGER, -- NULL while active
	episodes INTEGER NOT NULL,
	message TEXT NOT NULL
);

CREATE TABLE finding_evidence (
	finding INTEGER NOT NULL REFERENCES findings (id),
	n INTEGER NOT NULL,
	label TEXT NOT NULL,
	value REAL, -- NULL: the text says it all
	unit TEXT NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (finding, n)
) WITHOUT ROWID;

CREATE TABLE finding_causes (
	finding INTEGER NOT NULL REFERENCES findings (id),
	n INTEGER NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (finding, n)
) WITHOUT ROWID;

CREATE TABLE finding_advice (
	finding INTEGER NOT NULL REFERENCES findings (id),
	n INTEGER NOT NULL,
	command TEXT NOT NULL,
	expect TEXT NOT NULL,
	undo TEXT NOT NULL,
	persistent INTEGER NOT NULL,
	disruptive INTEGER NOT NULL,
	PRIMARY KEY (finding, n)
) WITHOUT ROWID;

-- Series with wall times, for people.
CREATE VIEW series_times AS
SELECT
	s.id, s.metric, s.mode, s.direction, s.cpu, s.device, s.queue, s.irq, s.unit,
	datetime((s.first_ms + f.wall_offset_ms) / 1000, 'unixepoch') AS first_utc,
	datetime((s.last_ms + l.wall_offset_ms) / 1000, 'unixepoch') AS last_utc
FROM series AS s
JOIN boots AS f ON f.id = s.first_boot
LEFT JOIN boots AS l ON l.id = s.last_boot;
