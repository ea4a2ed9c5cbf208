# rs_embed(OUT FOLDER FILE...): writes a C file with the files of FOLDER in the
# binary and their table (web/assets.h): /FILE, begin, end. A file that changes
# is embedded anew by the next build. The list says what is embedded: a glob
# would not be looked at again by every generator.
function(rs_embed out folder)
	set(text "/* Generated from the list in CMakeLists.txt. */\n#include \"assets.h\"\n\n")
	set(table "const struct rs_asset rs_assets[] = {\n")
	set(paths)
	set(n 0)
	foreach(name IN LISTS ARGN)
		set(path "${folder}/${name}")
		set(symbol "rs_asset_${n}")
		# The byte behind keeps the end apart from what follows.
		string(APPEND text "extern const unsigned char ${symbol}[], ${symbol}_end[];\n"
			"__asm__(\".section .rodata\\n\"\n"
			"\t\".hidden ${symbol}\\n.global ${symbol}\\n${symbol}:\\n\"\n"
			"\t\".incbin \\\"${path}\\\"\\n\"\n"
			"\t\".hidden ${symbol}_end\\n.global ${symbol}_end\\n${symbol}_end:\\n\"\n"
			"\t\".byte 0\\n.previous\\n\");\n")
		string(APPEND table "\t{\"/${name}\", ${symbol}, ${symbol}_end},\n")
		list(APPEND paths "${path}")
		math(EXPR n "${n} + 1")
	endforeach()
	string(APPEND text "\n${table}\t{0, 0, 0},\n};\n")
	file(CONFIGURE OUTPUT ${out} CONTENT "${text}" @ONLY)
	set_source_files_properties(${out} PROPERTIES OBJECT_DEPENDS "${paths}")
endfunction()
