# Builds for RS_MACHINE, s390x or i386, with Debian's cross compiler against the
# sysroot that `./dev test` unpacks. What is built runs here: CMake starts it
# through CMAKE_CROSSCOMPILING_EMULATOR.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${RS_MACHINE})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RS_MACHINE)
get_filename_component(rs_root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(CMAKE_SYSROOT ${rs_root}/build-tools/sysroot-${RS_MACHINE})

if(RS_MACHINE STREQUAL "s390x")
	set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
	set(rs_libs s390x-linux-gnu)
	set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x-static -L ${CMAKE_SYSROOT})
elseif(RS_MACHINE STREQUAL "i386")
	set(CMAKE_C_COMPILER i686-linux-gnu-gcc)
	set(rs_libs i386-linux-gnu)
	# The kernel of an x86_64 machine runs it; only its libraries are elsewhere.
	set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_SYSROOT}/lib/ld-linux.so.2
		--library-path ${CMAKE_SYSROOT}/lib/${rs_libs}:${CMAKE_SYSROOT}/usr/lib/${rs_libs})
else()
	message(FATAL_ERROR "RS_MACHINE: s390x or i386")
endif()

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_LIBDIR}
	${CMAKE_SYSROOT}/usr/lib/${rs_libs}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
