# Every header of a layer compiles alone, and twice: one generated file each,
# with the include folders of its layer and nothing else.
get_property(rs_layers GLOBAL PROPERTY RS_LAYER_LIST)
foreach(layer IN LISTS rs_layers)
	get_property(dir GLOBAL PROPERTY RS_LAYER_DIR_${layer})
	file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${dir}
		${dir}/*.h ${dir}/linux/*.h ${dir}/bsd/*.h ${dir}/rules/*.h ${dir}/import/*.h
		${dir}/diagnose/*.h ${dir}/take/*.h)
	set(sources)
	foreach(header IN LISTS headers)
		string(MAKE_C_IDENTIFIER ${header} name)
		set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${layer}/${name}.c)
		file(CONFIGURE OUTPUT ${source}
			CONTENT "#include \"${dir}/${header}\"\n#include \"${dir}/${header}\"\n")
		list(APPEND sources ${source})
	endforeach()
	if(sources)
		add_library(headers_${layer} OBJECT ${sources})
		rs_target_options(headers_${layer})
		target_link_libraries(headers_${layer} PRIVATE ${layer})
	endif()
endforeach()
