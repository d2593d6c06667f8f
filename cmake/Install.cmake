# `cmake --install` gives the program with man page and completions, the library, its headers, and a
# package for find_package.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/trcost)

# What who links the installed static library has to link too.
set(needed Threads::Threads utf8proc ${CMAKE_DL_LIBS})
if(NOT fmt_from_headers AND NOT fmt_type STREQUAL SHARED_LIBRARY)
  list(APPEND needed fmt::fmt)
  set(needs_fmt 1)
endif()
if(have_webp)
  list(APPEND needed webp)
endif()
foreach(library IN LISTS needed)
  target_link_libraries(trcost INTERFACE $<INSTALL_INTERFACE:${library}>)
endforeach()

install(TARGETS trcost EXPORT trcost-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT development)
install(TARGETS trcost_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY include/trcost DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT trcost-targets NAMESPACE trcost:: DESTINATION ${package_folder}
  COMPONENT development)
configure_package_config_file(cmake/trcost-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/trcost-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/trcost-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/trcost-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/trcost-config-version.cmake DESTINATION ${package_folder}
  COMPONENT development)

# The program writes its own man page and completions.
set(documents ${CMAKE_CURRENT_BINARY_DIR}/documents)
set(written "")
foreach(kind IN ITEMS man bash zsh fish)
  add_custom_command(OUTPUT ${documents}/${kind}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${documents}
    COMMAND trcost_cli completions ${kind} > ${documents}/${kind}
    DEPENDS trcost_cli VERBATIM COMMENT "Writing what completions ${kind} prints")
  list(APPEND written ${documents}/${kind})
endforeach()
add_custom_target(trcost_documents ALL DEPENDS ${written})
macro(install_document kind folder name)
  install(FILES ${documents}/${kind} DESTINATION ${folder} RENAME ${name} COMPONENT program)
endmacro()
install_document(man ${CMAKE_INSTALL_MANDIR}/man1 trcost.1)
install_document(bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions trcost)
install_document(zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions _trcost)
install_document(zsh ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions _trcost)  # Debian's place
install_document(fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d trcost.fish)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)
install(DIRECTORY data/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/trcost COMPONENT program)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
