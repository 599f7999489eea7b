# Installation for C++ programs: headers, libhalcyon_cpp.a, and the CMake package for C, C++ and Fortran.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(HALCYON_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/halcyon)
set(HALCYON_CMAKE_SOURCES ${CMAKE_CURRENT_LIST_DIR})
file(RELATIVE_PATH HALCYON_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" HALCYON_PREFIX_FROM_PC ${HALCYON_PREFIX_FROM_PC})

function(install_pkg_config_file template name)
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/${name} @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set_target_properties(halcyon PROPERTIES OUTPUT_NAME halcyon_cpp EXPORT_NAME cpp)
install(TARGETS halcyon EXPORT halcyonCppTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT halcyonCppTargets NAMESPACE halcyon:: DESTINATION ${HALCYON_CMAKE_DIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cpp/halcyon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN capi EXCLUDE)
install_pkg_config_file(${HALCYON_CMAKE_SOURCES}/halcyon-cpp.pc.in halcyon-cpp.pc)

configure_file(${HALCYON_CMAKE_SOURCES}/halcyonConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/halcyonConfig.cmake @ONLY)
write_basic_package_version_file(halcyonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/halcyonConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/halcyonConfigVersion.cmake DESTINATION ${HALCYON_CMAKE_DIR})
