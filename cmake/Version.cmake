# The version stands in project() alone; --version adds the commit where there is one. Only
# version.cpp knows either, so a commit compiles one file.
find_package(Git QUIET)
set(TRCOST_COMMIT "")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} rev-parse --show-prefix
    OUTPUT_VARIABLE git_prefix ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE no_git)
  if(no_git EQUAL 0 AND git_prefix STREQUAL "")  # else the commit is of what contains us
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} rev-parse --short=10 HEAD
      OUTPUT_VARIABLE TRCOST_COMMIT ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} rev-parse --git-path logs/HEAD
      OUTPUT_VARIABLE git_log ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    get_filename_component(git_log "${git_log}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
    if(EXISTS "${git_log}")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${git_log}")
    endif()
  endif()
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/quantity/version.cpp PROPERTIES
  COMPILE_DEFINITIONS "TRCOST_COMMIT=\"${TRCOST_COMMIT}\";TRCOST_VERSION=\"${PROJECT_VERSION}\"")
