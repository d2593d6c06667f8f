# `cmake --install` gives the program, the library, its headers and a package for find_package.
include(CMakePackageConfigHelpers)
install(TARGETS trcost EXPORT trcost-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS trcost_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/trcost DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
