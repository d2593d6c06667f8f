# find_package first, a pinned FetchContent second. fmt and spdlog are decided as a pair: a packaged
# spdlog is built against the packaged fmt.
include(FetchContent)
set(FETCHCONTENT_QUIET ON)

find_package(fmt 9 QUIET)
find_package(spdlog 1.10 QUIET)
if(NOT (fmt_FOUND AND spdlog_FOUND))
  set(SPDLOG_FMT_EXTERNAL ON)
  FetchContent_Declare(fmt SYSTEM URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz
    URL_HASH SHA256=5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2)
  FetchContent_Declare(spdlog SYSTEM URL https://github.com/gabime/spdlog/archive/refs/tags/v1.10.0.tar.gz
    URL_HASH SHA256=697f91700237dbae2326b90469be32b876b2b44888302afbc7aceb68bcfe8224)
  FetchContent_MakeAvailable(fmt spdlog)
endif()

# Headers and definitions of fmt; what it needs beside them is compiled into the library where the
# package has it in a shared library alone.
add_library(trcost_fmt INTERFACE)
get_target_property(fmt_type fmt::fmt TYPE)
if(fmt_type STREQUAL SHARED_LIBRARY)
  get_target_property(fmt_folder fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  try_compile(fmt_from_headers ${CMAKE_CURRENT_BINARY_DIR}/fmt_check
    SOURCES ${PROJECT_SOURCE_DIR}/cmake/fmt_check.cpp ${PROJECT_SOURCE_DIR}/cmake/fmt.cpp
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${fmt_folder}" CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
endif()
if(fmt_from_headers)
  target_include_directories(trcost_fmt SYSTEM INTERFACE ${fmt_folder})
  target_compile_definitions(trcost_fmt INTERFACE
    $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
elseif(fmt_type STREQUAL SHARED_LIBRARY)
  target_link_libraries(trcost_fmt INTERFACE fmt::fmt-header-only)
else()
  target_link_libraries(trcost_fmt INTERFACE fmt::fmt)
endif()

find_package(nlohmann_json 3.11 QUIET)
if(NOT nlohmann_json_FOUND)
  FetchContent_Declare(nlohmann_json SYSTEM
    URL https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
    URL_HASH SHA256=d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273)
  FetchContent_MakeAvailable(nlohmann_json)
endif()

find_package(CLI11 2.1 QUIET)
if(NOT CLI11_FOUND)
  FetchContent_Declare(CLI11 SYSTEM URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.1.2.tar.gz
    URL_HASH SHA256=26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb)
  FetchContent_MakeAvailable(CLI11)
endif()

# UTF-8 and the width of characters: an archive, since the shared library's name differs from one
# distribution to the next.
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h)
find_library(UTF8PROC_ARCHIVE NAMES libutf8proc.a)
add_library(trcost_utf8proc INTERFACE)
if(UTF8PROC_INCLUDE_DIR AND UTF8PROC_ARCHIVE)
  target_include_directories(trcost_utf8proc SYSTEM INTERFACE
    $<BUILD_INTERFACE:${UTF8PROC_INCLUDE_DIR}>)
  target_compile_definitions(trcost_utf8proc INTERFACE UTF8PROC_STATIC)
  target_link_libraries(trcost_utf8proc INTERFACE ${UTF8PROC_ARCHIVE})
else()
  set(UTF8PROC_INSTALL OFF CACHE BOOL "")
  FetchContent_Declare(utf8proc GIT_REPOSITORY https://github.com/JuliaStrings/utf8proc.git
    GIT_TAG 1cb28a66ca79a0845e99433fd1056257456cef8b)  # 2.8.0
  FetchContent_MakeAvailable(utf8proc)
  target_link_libraries(trcost_utf8proc INTERFACE utf8proc)
endif()

find_package(Threads REQUIRED)

add_library(trcost_private_dependencies INTERFACE)
target_link_libraries(trcost_private_dependencies INTERFACE
  trcost_fmt trcost_utf8proc nlohmann_json::nlohmann_json Threads::Threads)
add_library(trcost_cli_dependencies INTERFACE)
target_link_libraries(trcost_cli_dependencies INTERFACE
  CLI11::CLI11 trcost_fmt nlohmann_json::nlohmann_json)
# spdlog is headers; linking its target would bring the shared library of fmt back.
target_include_directories(trcost_cli_dependencies SYSTEM INTERFACE
  $<TARGET_PROPERTY:spdlog::spdlog_header_only,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(trcost_cli_dependencies INTERFACE SPDLOG_FMT_EXTERNAL)

# Sizes of image files: stb_image reads the headers of JPEG, PNG, GIF and BMP, libwebp of WebP.
find_path(STB_INCLUDE_DIR stb_image.h PATH_SUFFIXES stb)
if(NOT STB_INCLUDE_DIR)
  FetchContent_Declare(stb GIT_REPOSITORY https://github.com/nothings/stb.git
    GIT_TAG 8b5f1f37b5b75829fc72d38e7b5d4bcbf8a26d55)
  FetchContent_MakeAvailable(stb)
  set(STB_INCLUDE_DIR ${stb_SOURCE_DIR})
endif()
target_include_directories(trcost_private_dependencies SYSTEM INTERFACE
  $<BUILD_INTERFACE:${STB_INCLUDE_DIR}>)
find_path(WEBP_INCLUDE_DIR webp/decode.h)
find_library(WEBP_CODEC NAMES libwebp.a webp)
find_library(SHARPYUV_LIBRARY NAMES libsharpyuv.a)  # which archives of libwebp from 1.3 on need
if(WEBP_INCLUDE_DIR AND WEBP_CODEC)
  target_include_directories(trcost_private_dependencies SYSTEM INTERFACE
    $<BUILD_INTERFACE:${WEBP_INCLUDE_DIR}>)
  target_link_libraries(trcost_private_dependencies INTERFACE ${WEBP_CODEC})
  if(SHARPYUV_LIBRARY)
    target_link_libraries(trcost_private_dependencies INTERFACE ${SHARPYUV_LIBRARY})
  endif()
  set(have_webp 1)
else()
  message(STATUS "libwebp not found: WebP images will be named as unreadable")
  set(have_webp 0)
endif()
target_compile_definitions(trcost_private_dependencies INTERFACE
  $<BUILD_INTERFACE:TRCOST_HAVE_WEBP=${have_webp}>)

# Recipes: YAML by the archive of yaml-cpp, so that the program stays one file, and TOML by the header of
# toml++.
find_path(YAML_CPP_INCLUDE_DIR yaml-cpp/parser.h)
find_library(YAML_CPP_ARCHIVE NAMES libyaml-cpp.a)
if(YAML_CPP_INCLUDE_DIR AND YAML_CPP_ARCHIVE)
  target_include_directories(trcost_private_dependencies SYSTEM INTERFACE
    $<BUILD_INTERFACE:${YAML_CPP_INCLUDE_DIR}>)
  target_link_libraries(trcost_private_dependencies INTERFACE ${YAML_CPP_ARCHIVE})
else()
  set(YAML_CPP_BUILD_TOOLS OFF CACHE BOOL "")
  FetchContent_Declare(yaml-cpp SYSTEM GIT_REPOSITORY https://github.com/jbeder/yaml-cpp.git
    GIT_TAG 0579ae3d976091d7d664aa9d2527e0d0cff25763)  # 0.7.0
  FetchContent_MakeAvailable(yaml-cpp)
  target_link_libraries(trcost_private_dependencies INTERFACE yaml-cpp)
endif()
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h)
if(NOT TOMLPLUSPLUS_INCLUDE_DIR)
  FetchContent_Declare(tomlplusplus GIT_REPOSITORY https://github.com/marzer/tomlplusplus.git
    GIT_TAG v3.3.0)
  FetchContent_MakeAvailable(tomlplusplus)
  set(TOMLPLUSPLUS_INCLUDE_DIR ${tomlplusplus_SOURCE_DIR}/include)
endif()
target_include_directories(trcost_private_dependencies SYSTEM INTERFACE
  $<BUILD_INTERFACE:${TOMLPLUSPLUS_INCLUDE_DIR}>)

# Workbooks: libxlsxwriter is loaded only when one is asked for, so that nothing else pays for it.
# Its headers give the types, its file name is what the dynamic loader looks for.
find_path(XLSXWRITER_INCLUDE_DIR xlsxwriter.h)
find_library(XLSXWRITER_LIBRARY xlsxwriter)
if(XLSXWRITER_INCLUDE_DIR AND XLSXWRITER_LIBRARY)
  set(xlsxwriter_file ${XLSXWRITER_LIBRARY})
  if(IS_SYMLINK ${XLSXWRITER_LIBRARY})
    file(READ_SYMLINK ${XLSXWRITER_LIBRARY} xlsxwriter_file)
  endif()
  get_filename_component(xlsxwriter_file ${xlsxwriter_file} NAME)
  target_include_directories(trcost_private_dependencies SYSTEM INTERFACE
    $<BUILD_INTERFACE:${XLSXWRITER_INCLUDE_DIR}>)
  target_link_libraries(trcost_private_dependencies INTERFACE ${CMAKE_DL_LIBS})
  target_compile_definitions(trcost_private_dependencies INTERFACE
    $<BUILD_INTERFACE:TRCOST_XLSXWRITER_FILE="${xlsxwriter_file}">)
else()
  message(STATUS "libxlsxwriter not found: --format xlsx will say so")
endif()

# The program takes the C++ library with it, where the compiler has it as an archive.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS -static-libstdc++ -static-libgcc)
check_cxx_source_compiles("#include <string>\nint main() { return std::string().size() > 0; }"
  TRCOST_STATIC_RUNTIME)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(TRCOST_STATIC_RUNTIME AND NOT TRCOST_SANITIZE)
  target_link_options(trcost_cli_dependencies INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static-libstdc++$<SEMICOLON>-static-libgcc>)
endif()
