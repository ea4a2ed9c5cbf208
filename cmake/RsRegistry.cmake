# rs_registry(OUT TYPE TABLE PREFIX NAME...): writes a C file with the table
#   const struct TYPE *const TABLE[] = { &PREFIX_NAME..., NULL };
# The list is the build switch: what is not in it is not built.
function(rs_registry out type table header prefix)
	set(text "/* Generated from the list in CMakeLists.txt. */\n#include \"${header}\"\n\n")
	foreach(name IN LISTS ARGN)
		string(APPEND text "extern const struct ${type} ${prefix}_${name};\n")
	endforeach()
	string(APPEND text "\nconst struct ${type} *const ${table}[] = {\n")
	foreach(name IN LISTS ARGN)
		string(APPEND text "\t&${prefix}_${name},\n")
	endforeach()
	string(APPEND text "\tNULL,\n};\n")
	file(CONFIGURE OUTPUT ${out} CONTENT "${text}" @ONLY)
endfunction()
