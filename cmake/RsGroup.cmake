# In a release build the functions that a tick runs lie side by side
# (docs/decisions/0008): each has a section of its own, and those that
# tick-functions.txt names are renamed to .text.hot.*, which the linker's own
# script places together. A name that no longer exists is harmless, a function
# that is missing merely lies elsewhere.
option(RS_GROUP "Group the functions of a tick (release builds with GNU objcopy)" ON)
set(RS_GROUP_ARGUMENTS)
if(RS_GROUP AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_OBJCOPY
		AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
	set(RS_GROUP_ARGUMENTS ${CMAKE_BINARY_DIR}/tick-functions.args)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
		${CMAKE_SOURCE_DIR}/cmake/tick-functions.txt)
	file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/tick-functions.txt functions)
	set(text)
	foreach(function IN LISTS functions)
		string(APPEND text "--rename-section .text.${function}=.text.hot.${function}\n")
	endforeach()
	file(CONFIGURE OUTPUT ${RS_GROUP_ARGUMENTS} CONTENT "${text}" @ONLY)
	# An archive is made anew when one of its sources is: this one, with the list.
	string(SHA1 hash "${text}")
	set(RS_GROUP_STAMP ${CMAKE_BINARY_DIR}/tick-functions.c)
	file(CONFIGURE OUTPUT ${RS_GROUP_STAMP} CONTENT "typedef int rs_tick_functions; /* ${hash} */\n" @ONLY)
endif()

# rs_group(LAYER)
function(rs_group layer)
	if(RS_GROUP_ARGUMENTS)
		target_compile_options(${layer} PRIVATE -ffunction-sections)
		add_custom_command(TARGET ${layer} POST_BUILD VERBATIM
			COMMAND ${CMAKE_OBJCOPY} @${RS_GROUP_ARGUMENTS} $<TARGET_FILE:${layer}>)
		target_sources(${layer} PRIVATE ${RS_GROUP_STAMP})
	endif()
endfunction()
