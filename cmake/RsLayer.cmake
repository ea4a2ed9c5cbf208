# rs_layer(NAME SOURCES a.c b.c [HEADERS a.h] [LAYERS rs_base ...] [LIBS PkgConfig::X])
# A layer: its folder is the include folder of those who name it. Folders are
# given with -iquote, so that a header named like one of the system's never
# shadows it.
function(rs_layer name)
	cmake_parse_arguments(L "" "" "SOURCES;LAYERS;LIBS" ${ARGN})
	if(L_SOURCES)
		add_library(${name} STATIC ${L_SOURCES})
		rs_target_options(${name})
		rs_group(${name})
		set(scope PUBLIC)
		target_link_libraries(${name} PUBLIC ${L_LAYERS} PRIVATE ${L_LIBS})
	else()
		add_library(${name} INTERFACE)
		set(scope INTERFACE)
		target_link_libraries(${name} INTERFACE ${L_LAYERS})
	endif()
	target_compile_options(${name} ${scope} "SHELL:-iquote ${CMAKE_CURRENT_SOURCE_DIR}")
	set_property(GLOBAL APPEND PROPERTY RS_LAYER_LIST ${name})
	set_property(GLOBAL PROPERTY RS_LAYER_DIR_${name} ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()

# rs_tests(LAYER NAME...): one libcheck program tests/unit/NAME.c each, linked
# with the layer and tests/support.
function(rs_tests layer)
	if(NOT RS_TESTS)
		return()
	endif()
	foreach(name IN LISTS ARGN)
		add_executable(${name} ${CMAKE_SOURCE_DIR}/tests/unit/${name}.c)
		rs_target_options(${name})
		target_compile_options(${name} PRIVATE -Wno-pedantic
			"SHELL:-iquote ${CMAKE_SOURCE_DIR}/tests/support")
		target_compile_definitions(${name} PRIVATE
			RS_TEST_DIR="${CMAKE_SOURCE_DIR}/tests" RS_SHARED_DIR="${CMAKE_SOURCE_DIR}/../shared")
		target_link_libraries(${name} PRIVATE ${layer} PkgConfig::CHECK m)
		add_test(NAME unit.${name} COMMAND ${name})
		set_tests_properties(unit.${name} PROPERTIES TIMEOUT 120 LABELS "unit;${layer}"
			SKIP_RETURN_CODE 77)
	endforeach()
endfunction()
