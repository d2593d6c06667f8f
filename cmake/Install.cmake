# `cmake --install` gives the program, the library, its headers, and a package for find_package.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/trcost)

# What who links the installed static library has to link too.
set(needed fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
if(have_webp)
  list(APPEND needed webp)
endif()
foreach(library IN LISTS needed)
  target_link_libraries(trcost INTERFACE $<INSTALL_INTERFACE:${library}>)
endforeach()

install(TARGETS trcost EXPORT trcost-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS trcost_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/trcost DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT trcost-targets NAMESPACE trcost:: DESTINATION ${package_folder})
configure_package_config_file(cmake/trcost-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/trcost-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/trcost-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/trcost-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/trcost-config-version.cmake DESTINATION ${package_folder})
