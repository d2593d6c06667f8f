# Puts every file of a data folder into the library, so that a copied executable needs no files: its
# bytes, and what parsing the JSON ones gives, so that no run has to. The assembler's .incbin takes
# the bytes as they are: no generated megabytes of C++.

# The program that parses at build time: the strict reader of the layer json and what is below it.
add_executable(trcost_pack cmake/trcost_pack.cpp $<TARGET_OBJECTS:trcost_quantity>
  $<TARGET_OBJECTS:trcost_text> $<TARGET_OBJECTS:trcost_json>)
if(fmt_from_headers)
  target_sources(trcost_pack PRIVATE cmake/fmt.cpp)
endif()
target_include_directories(trcost_pack PRIVATE src include)
target_link_libraries(trcost_pack PRIVATE trcost_fmt trcost_utf8proc nlohmann_json::nlohmann_json
  trcost_warnings)

function(trcost_embed_data target folder)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.json ${folder}/*.csv)
  list(FILTER files EXCLUDE REGEX "^(schemas|calibration)/")  # not for the program
  list(SORT files)
  set(assembly "${CMAKE_CURRENT_BINARY_DIR}/embedded_data.cpp")
  set(pack "${CMAKE_CURRENT_BINARY_DIR}/embedded_data.pack")
  set(digest "${CMAKE_CURRENT_BINARY_DIR}/embedded_data.h")
  set(declarations "")
  set(table "")
  set(blobs "")
  set(depends "")
  set(index 0)
  foreach(file IN LISTS files)
    string(APPEND blobs "TRCOST_BYTES(\".global trcost_data_${index}\\ntrcost_data_${index}:\\n.incbin \\\"${folder}/${file}\\\"\\n\"\n")
    string(APPEND blobs "             \".global trcost_data_${index}_end\\ntrcost_data_${index}_end:\\n.byte 0\\n\")\n")
    string(APPEND declarations "extern \"C\" const char trcost_data_${index}[], trcost_data_${index}_end[];\n")
    string(APPEND table "    {\"${file}\", trcost_data_${index}, trcost_data_${index}_end, ${index}},\n")
    list(APPEND depends "${folder}/${file}")
    math(EXPR index "${index} + 1")
  endforeach()
  list(JOIN files "\n" list)
  file(CONFIGURE OUTPUT ${pack}.list @ONLY CONTENT "@list@\n")
  # The digest is what ccache sees of the bytes: it knows no .incbin, and gave yesterday's data back.
  add_custom_command(OUTPUT ${pack} ${digest}
    COMMAND trcost_pack ${folder} ${pack}.list ${pack} ${digest}
    DEPENDS trcost_pack ${pack}.list ${depends} COMMENT "Parsing the data folder" VERBATIM)
  file(CONFIGURE OUTPUT ${assembly} @ONLY CONTENT [[
// Generated from the data folder.
#include "catalog/data/data_file.h"
#include "@digest@"
@declarations@
extern "C" const char trcost_data_pack[];
#define TRCOST_BYTES(text) asm(".section .rodata\n" text ".text\n");
@blobs@TRCOST_BYTES(".balign 8\n.global trcost_data_pack\ntrcost_data_pack:\n.incbin \"@pack@\"\n")
namespace trcost::catalog {
static const EmbeddedFile table[] = {
@table@};
std::span<const EmbeddedFile> embedded_files() { return table; }
const char* embedded_pack() { return trcost_data_pack; }
}  // namespace trcost::catalog
]])
  set_source_files_properties(${assembly} PROPERTIES OBJECT_DEPENDS "${depends};${pack};${digest}")
  target_sources(${target} PRIVATE ${assembly} ${pack})
  target_include_directories(${target} PRIVATE src)
  if(fmt_from_headers)
    target_sources(${target} PRIVATE cmake/fmt.cpp)
  endif()
endfunction()
