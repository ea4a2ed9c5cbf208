-- Step 3 (PRAGMA user_version = 3): tiers that outlive the samples.

-- A row is one boot hour of the 32 series whose ids have the same id >> 5, a
-- bucket a minute. id = boot << 40 | boot hour << 17 | group.
-- data: docs/block-format.md.
CREATE TABLE minute (
	id INTEGER PRIMARY KEY,
	data BLOB NOT NULL
);

-- A row is one boot day of the 8 series whose ids have the same id >> 3, a
-- bucket an hour. id = boot << 40 | boot day << 19 | group.
CREATE TABLE hour (
	id INTEGER PRIMARY KEY,
	data BLOB NOT NULL
);

-- How far the tiers of a boot are made: hours of its clock below minute_until
-- are in `minute`, days below hour_until in `hour`; what is newer is computed
-- from the finer tier when somebody asks.
ALTER TABLE boots ADD COLUMN minute_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE boots ADD COLUMN hour_until INTEGER NOT NULL DEFAULT 0;

-- Wall times of findings and changes follow the clock of their boot when it is
-- set: event_offset_ms is the wall_offset_ms they were last moved to. NULL: of
-- before this step, or of a process that did not know its boot.
ALTER TABLE boots ADD COLUMN event_offset_ms INTEGER;
ALTER TABLE findings ADD COLUMN boot INTEGER;
ALTER TABLE changes ADD COLUMN boot INTEGER;
