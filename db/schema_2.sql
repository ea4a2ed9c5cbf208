-- Step 2 (PRAGMA user_version = 2): settings that changed. At most the newest
-- 10000 are kept.

CREATE TABLE changes (
	id INTEGER PRIMARY KEY,
	at_ms INTEGER NOT NULL,
	kind TEXT NOT NULL,    -- irq_affinity, rps_cpus, ...
	subject TEXT NOT NULL, -- its kind, as in findings
	core INTEGER,
	device TEXT,
	queue INTEGER,
	direction TEXT,
	irq TEXT,
	old TEXT NOT NULL,
	new TEXT NOT NULL
);
