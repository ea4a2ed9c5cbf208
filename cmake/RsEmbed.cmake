# rs_embed(OUT FOLDER FILE...): writes a C file with the files of FOLDER in the
# binary and their table (web/assets.h): /FILE, begin, end, and the same
# compressed. A file that changes is compressed and embedded anew by the next
# build. The list says what is embedded: a glob would not be looked at again by
# every generator. NAME=FILE embeds a file from elsewhere as /NAME.
find_program(RS_GZIP gzip DOC "Compresses the files of the dashboard")
if(NOT RS_GZIP)
	message(STATUS "No gzip: the files of the dashboard are embedded and sent uncompressed")
endif()

# The bytes of PATH between two symbols, as text of a C file.
function(rs_incbin out symbol path)
	# The byte behind keeps the end apart from what follows.
	set(${out} "extern const unsigned char ${symbol}[], ${symbol}_end[];\n\
__asm__(\".section .rodata\\n\"
	\".hidden ${symbol}\\n.global ${symbol}\\n${symbol}:\\n\"
	\".incbin \\\"${path}\\\"\\n\"
	\".hidden ${symbol}_end\\n.global ${symbol}_end\\n${symbol}_end:\\n\"
	\".byte 0\\n.previous\\n\");\n" PARENT_SCOPE)
endfunction()

function(rs_embed out folder)
	set(text "/* Generated from the list in CMakeLists.txt. */\n#include \"assets.h\"\n\n")
	set(table "const struct rs_asset rs_assets[] = {\n")
	set(paths)
	set(n 0)
	foreach(name IN LISTS ARGN)
		set(path "${folder}/${name}")
		if(name MATCHES "^([^=]+)=(.+)$")
			set(name "${CMAKE_MATCH_1}")
			set(path "${CMAKE_MATCH_2}")
		endif()
		set(symbol "rs_asset_${n}")
		rs_incbin(part ${symbol} "${path}")
		string(APPEND text "${part}")
		list(APPEND paths "${path}")
		set(gzip "0, 0")
		if(RS_GZIP)
			set(packed "${CMAKE_CURRENT_BINARY_DIR}/gzip/${name}.gz")
			get_filename_component(packed_dir "${packed}" DIRECTORY)
			file(MAKE_DIRECTORY "${packed_dir}")
			# -n: no time and no name, so that the same file makes the same bytes.
			add_custom_command(OUTPUT "${packed}" DEPENDS "${path}" VERBATIM
				COMMAND ${RS_GZIP} -9nc "${path}" > "${packed}"
				COMMENT "Compressing ${name}")
			rs_incbin(part ${symbol}_gzip "${packed}")
			string(APPEND text "${part}")
			list(APPEND paths "${packed}")
			set(gzip "${symbol}_gzip, ${symbol}_gzip_end")
		endif()
		string(APPEND table "\t{\"/${name}\", ${symbol}, ${symbol}_end, ${gzip}},\n")
		math(EXPR n "${n} + 1")
	endforeach()
	string(APPEND text "\n${table}\t{0, 0, 0, 0, 0},\n};\n")
	file(CONFIGURE OUTPUT ${out} CONTENT "${text}" @ONLY)
	set_source_files_properties(${out} PROPERTIES OBJECT_DEPENDS "${paths}")
endfunction()
