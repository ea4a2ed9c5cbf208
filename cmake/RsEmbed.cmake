# Filled by the web layer: embeds files with .incbin and a table.
