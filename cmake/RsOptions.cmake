# Warnings and hardening for every target of the project (not for headers of
# the libraries). -Werror comes from a preset only: packagers use other
# compilers.
set(RS_WARNINGS
	-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Wold-style-definition -Wundef -Wvla -Wcast-qual -Wcast-align
	-Wwrite-strings -Wpointer-arith -Wformat=2 -Wnull-dereference
	-Wswitch-enum -Wimplicit-fallthrough -Wunused-macros -fno-common)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
	list(APPEND RS_WARNINGS -Wlogical-op -Wduplicated-cond -Wduplicated-branches
		-Wjump-misses-init -Wformat-overflow=2 -Wformat-truncation=2 -Walloc-zero)
	# clang, and gcc where floats are doubles, count NAN, a float constant of libc, as one.
	if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "s390x")
		list(APPEND RS_WARNINGS -Wdouble-promotion)
	endif()
elseif(CMAKE_C_COMPILER_ID MATCHES "Clang")
	list(APPEND RS_WARNINGS -Wcomma -Wassign-enum -Wunreachable-code
		-Wconditional-uninitialized -Wmissing-variable-declarations)
endif()

option(RS_WERROR "Warnings are errors" OFF)
if(RS_WERROR)
	list(APPEND RS_WARNINGS -Werror)
endif()

set(RS_SANITIZE "" CACHE STRING "Sanitizers: address,undefined or thread")
set(RS_HARDEN)
set(RS_HARDEN_LINK)
if(RS_SANITIZE)
	set(RS_HARDEN -fsanitize=${RS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
	set(RS_HARDEN_LINK -fsanitize=${RS_SANITIZE})
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
	set(RS_HARDEN -fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=2)
	set(RS_HARDEN_LINK -Wl,-z,relro,-z,now)
endif()
if(RS_FUZZ)
	list(APPEND RS_HARDEN -fsanitize=fuzzer-no-link)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

function(rs_target_options target)
	target_compile_options(${target} PRIVATE ${RS_WARNINGS} ${RS_HARDEN})
	target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L
		_FILE_OFFSET_BITS=64)
	target_link_options(${target} PRIVATE ${RS_HARDEN_LINK})
endfunction()
